#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The distribution's own programs, unmodified, on a simulated fabric: opensm brings it up, and infiniband-diags see it.
# HEDDLE_PEERS names a directory into which opensm, infiniband-diags and their libraries are unpacked.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin opensm ibnetdiscover

peer() {        # peer NODE TOOL [ARGUMENT...]: runs a program of the distribution there; output in out
	peer_on "$@" >"$dir/out" 2>&1
}

has() {         # has NAME PATTERN [COUNT]: the output has the pattern (so many times)
	n=$(grep -c -- "$2" "$dir/out")
	if [ -n "${3:-}" ]; then [ "$n" = "$3" ]; else [ "$n" -gt 0 ]; fi
	report $? "$1"
}

states() {      # writes the ports of all nodes, as the simulator lists them, to $dir/ports
	for n in $("$sim" ctl --name "$name" nodes | awk '{ print $2 }'); do
		"$sim" ctl --name "$name" ports "$n"
	done >"$dir/ports"
}

fabric_start fattree:k=4,levels=3
peer host-3 ibnetdiscover
has "ibnetdiscover sees 20 switches of a fabric that nobody manages" '^Switch' 20
has "ibnetdiscover sees 16 hosts" '^Ca' 16
peer host-3 smpquery -D nodeinfo 0,1
has "smpquery reaches the neighbour by directed route" '^NodeType:.*Switch'
peer host-3 ibstat
has "ibstat shows the port in INIT" 'State: Initializing'
has "ibstat shows the rate" 'Rate: 200'

peer host-0 opensm -o -f "$dir/osm.log"
report $? "opensm -o brings the fabric up"
! grep 'ERR' "$dir/osm.log" >"$dir/out"
report $? "the log of opensm has no error"
states
[ "$(grep -c ' Active ' "$dir/ports")" = 116 ] && [ "$(grep -c ' Active .* [a-z]*-[0-9-]*:[0-9]' "$dir/ports")" = 96 ]
report $? "every port is ACTIVE" "$dir/ports"

# A permanent opensm takes over the fabric, and the tools query it.
opensm_start host-0 -f "$dir/osm.log"
master() { peer host-9 sminfo && grep -q SMINFO_MASTER "$dir/out"; }
within 10 master
has "sminfo finds the master from another host" 'SMINFO_MASTER'
all() { peer host-0 saquery -N && [ "$(grep -c NodeDescription "$dir/out")" = 36 ]; }
within 10 all
has "saquery -N on the manager's own port: a long RMPP answer" 'NodeDescription' 36
peer host-9 saquery -N
has "saquery -N from another host: the same across the fabric" 'NodeDescription' 36
peer host-9 saquery -p
has "saquery -p: 36 x 36 paths" 'dlid' 1296
peer host-9 ibstat
has "ibstat shows the port ACTIVE" 'State: Active'
lid=$(sed -n 's/.*Base lid: //p' "$dir/out")
peer host-2 smpquery nodedesc "$lid"
has "smpquery by LID" 'host-9'
peer host-2 ibtracert 1 "$lid"
has "ibtracert passes five switches" 'switch port' 5
peer host-2 perfquery "$lid" 1
has "perfquery across the fabric" '^PortXmitData'
peer host-2 ibnetdiscover
has "ibnetdiscover sees 20 switches" '^Switch' 20
has "and LIDs" 'lmc 0 "leaf-[0-9-]*" lid [1-9]' 16

peer_spawn host-9 /dev/null ibping -S
pong() { peer host-2 ibping -c 1 "$lid" && grep -q 'Pong' "$dir/out"; }
within 10 pong
has "ibping -S answers ibping" '^Pong'

kill -0 "$fabric" 2>"$dir/out"
report $? "the server still runs"
kill "$last" "$manager"
wait "$last" "$manager" 2>/dev/null
kill "$fabric"
wait "$fabric"
report $? "the server ends with 0 on SIGTERM" "$dir/sim"
lib_end
