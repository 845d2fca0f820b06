#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The distribution's own programs, unmodified, on a simulated fabric: opensm brings it up, and infiniband-diags see it.
# HEDDLE_PEERS names a directory into which opensm, infiniband-diags and their libraries are unpacked.
peers=${HEDDLE_PEERS:-}
sim=${top_builddir:-.}/heddle-sim
tools=$peers/usr/sbin
libs=$(find "$peers/usr/lib" -name libosmvendor.so.5 2>/dev/null | head -n 1)
if [ -z "$peers" ] || [ ! -x "$tools/opensm" ] || [ ! -x "$tools/ibnetdiscover" ] || [ -z "$libs" ]; then
	echo "1..0 # SKIP HEDDLE_PEERS names no directory with opensm and infiniband-diags"
	exit 0
fi
libs=$(dirname "$libs")
name=peers-$$
dir=$(mktemp -d) || exit 99
server= manager= pinger=
stop() {
	for p in $pinger $manager $server; do kill "$p" 2>/dev/null; done
	wait
	rm -rf "$dir"
}
trap stop EXIT
trap 'exit 99' HUP INT TERM
count=0

report() {      # report STATUS NAME
	count=$((count + 1))
	if [ "$1" = 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; sed 's/^/# /' "$dir/out" | tail -n 20; fi
}

on() {          # on NODE TOOL [ARGUMENT...]: runs a program of the distribution there; output in out
	node=$1 tool=$2
	shift 2
	LD_LIBRARY_PATH=$libs timeout 60 "$sim" exec --name "$name" --node "$node" -- "$tools/$tool" "$@" >"$dir/out" 2>&1
}

has() {         # has NAME PATTERN [COUNT]: the output has the pattern (so many times)
	n=$(grep -c -- "$2" "$dir/out")
	if [ -n "${3:-}" ]; then [ "$n" = "$3" ]; else [ "$n" -gt 0 ]; fi
	report $? "$1"
}

states() {      # ports of the whole fabric by state, as ibnetdiscover's neighbours see them in PortInfo
	for n in $("$sim" ctl --name "$name" nodes | awk '{ print $2 }'); do
		"$sim" ctl --name "$name" ports "$n"
	done >"$dir/ports"
}

: >"$dir/ready"
"$sim" serve --name "$name" --topology fattree:k=4,levels=3 >"$dir/ready" 2>"$dir/out" &
server=$!
tries=0
until grep -qx ready "$dir/ready"; do
	tries=$((tries + 1))
	if [ "$tries" -gt 100 ] || ! kill -0 "$server" 2>/dev/null; then
		sed 's/^/# /' "$dir/out"
		echo "Bail out! heddle-sim does not start"
		exit 99
	fi
	sleep 0.05
done

on host-3 ibnetdiscover
has "ibnetdiscover sees 20 switches of a fabric that nobody manages" '^Switch' 20
has "ibnetdiscover sees 16 hosts" '^Ca' 16
on host-3 smpquery -D nodeinfo 0,1
has "smpquery reaches the neighbour by directed route" '^NodeType:.*Switch'
on host-3 ibstat
has "ibstat shows the port in INIT" 'State: Initializing'
has "ibstat shows the rate" 'Rate: 200'

LD_LIBRARY_PATH=$libs timeout 60 "$sim" exec --name "$name" -- "$tools/opensm" -o -f "$dir/osm.log" >"$dir/out" 2>&1
report $? "opensm -o brings the fabric up"
grep -q 'ERR' "$dir/osm.log"
report $((! $?)) "and its log has no error"
states
[ "$(grep -c ' Active ' "$dir/ports")" = 116 ] && [ "$(grep -c ' Active .* [a-z]*-[0-9-]*:[0-9]' "$dir/ports")" = 96 ]
report $? "every port is ACTIVE"

# The daemon goes on where the first one stopped, and is asked by the others.
LD_LIBRARY_PATH=$libs "$sim" exec --name "$name" -- "$tools/opensm" -f "$dir/osm.log" >"$dir/osm.out" 2>&1 &
manager=$!
tries=0
until on host-9 sminfo && grep -q SMINFO_MASTER "$dir/out"; do
	tries=$((tries + 1))
	[ "$tries" -gt 50 ] && break
	sleep 0.1
done
has "sminfo finds the master from another host" 'SMINFO_MASTER'
tries=0
until on host-0 saquery -N && [ "$(grep -c NodeDescription "$dir/out")" = 36 ]; do
	tries=$((tries + 1))
	[ "$tries" -gt 50 ] && break
	sleep 0.1
done
has "saquery -N on the manager's own port: a long RMPP answer" 'NodeDescription' 36
on host-9 saquery -N
has "saquery -N from another host: the same across the fabric" 'NodeDescription' 36
on host-9 saquery -p
has "saquery -p: 36 x 36 paths" 'dlid' 1296
on host-9 ibstat
has "ibstat shows the port ACTIVE" 'State: Active'
lid=$(sed -n 's/.*Base lid: //p' "$dir/out")
on host-2 smpquery nodedesc "$lid"
has "smpquery by LID" 'host-9'
on host-2 ibtracert 1 "$lid"
has "ibtracert passes five switches" 'switch port' 5
on host-2 perfquery "$lid" 1
has "perfquery across the fabric" '^PortXmitData'
on host-2 ibnetdiscover
has "ibnetdiscover sees 20 switches" '^Switch' 20
has "and LIDs" 'lmc 0 "leaf-[0-9-]*" lid [1-9]' 16

LD_LIBRARY_PATH=$libs "$sim" exec --name "$name" --node host-9 -- "$tools/ibping" -S >/dev/null 2>&1 &
pinger=$!
tries=0
until on host-2 ibping -c 1 "$lid" && grep -q 'Pong' "$dir/out"; do
	tries=$((tries + 1))
	[ "$tries" -gt 50 ] && break
	sleep 0.1
done
has "ibping -S answers ibping" '^Pong'

kill -0 "$server" 2>/dev/null
report $? "the server is still there"
kill "$pinger" "$manager"
wait "$pinger" "$manager" 2>/dev/null
kill "$server"
wait "$server"
report $? "and ends well on SIGTERM"
server= manager= pinger=
echo "1..$count"
