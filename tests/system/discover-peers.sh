#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Our discovery and the distribution's ibnetdiscover find the same fabric: on ibsim with its example
# nets and with generated topologies, from several hosts, before and after the distribution's opensm
# has configured it; the same on heddle-sim, where the number of SMPs is limited, too.
# HEDDLE_PEERS names a directory into which ibsim-utils, infiniband-diags, opensm and their libraries are unpacked.
here=$(dirname "$0")
. "$here/ibsim.sh"
ibsim_begin ibnetdiscover
probe=$build/tests/system/discover-probe
topology=$build/tests/system/topology

compare() {     # compare NAME HOST: both programs print the same lines on that host
	$theirs "$2" ibnetdiscover >"$dir/theirs" 2>"$dir/log" || sed 's/^/# /' "$dir/log"
	$ours "$2" "$probe" >"$dir/ours" 2>"$dir/seen"
	rc=$?
	sed 's/^/# /' "$dir/seen"
	lines "$dir/theirs" >"$dir/want"
	lines "$dir/ours" | diff "$dir/want" - >"$dir/out" && [ "$rc" = 0 ] && [ -s "$dir/want" ]
	report $? "$1: the same as ibnetdiscover"
}

configure() {   # configure HOST: runs the distribution's opensm there, if HEDDLE_PEERS has it
	$theirs "$1" opensm --version >/dev/null 2>&1 || return
	$theirs "$1" opensm -o -f "$dir/osm.log" >"$dir/opensm" 2>&1 || sed 's/^/# /' "$dir/opensm"
}

# ---- ibsim ----

ours=ibsim_on theirs=ibsim_peer
export OSM_CACHE_DIR="$dir" OSM_TMP_DIR="$dir"

on_every_ibsim() {
	for net in net net.1 net.2sw2path net.2sw2path4hca net.2sw2path4hca2port; do
		if ibsim_start "$nets/$net"; then
			for host in $(ibsim_hosts "$nets/$net") Switch1; do
				compare "ibsim $net from $host" "$host"
			done
		else
			report 1 "ibsim starts on $net"
		fi
		fabric_stop
	done

	for spec in fattree:k=4,levels=3 fattree:k=8,levels=3 torus:3x3,hosts=1 random:switches=30,cables=60,hosts=2,seed=3; do
		"$topology" "$spec" >"$dir/net"
		if ibsim_start "$dir/net"; then
			compare "ibsim $spec" host-0
			if [ "$spec" = fattree:k=4,levels=3 ] && configure host-0; then
				compare "ibsim $spec, configured by opensm" host-0
				grep -q 'lid [1-9]' "$dir/ours"
				report $? "every port has a LID"
			fi
		else
			report 1 "ibsim starts on $spec"
		fi
		fabric_stop
	done
}

if ibsim_ours "$probe"; then
	on_every_ibsim
else
	skip ibsim "$why"
fi

# ---- heddle-sim ----

ours=on theirs=peer_on

asked() {       # asked NUMBER NAME: SMPs of the last sweep (a few more on a stalled machine)
	smps=$(sed -n 's/.* smps \([0-9]*\)$/\1/p' "$dir/seen")
	[ "${smps:-0}" -ge "$1" ] && [ "$smps" -le $(($1 * 102 / 100)) ]
	report $? "$2: $1 SMPs" "$dir/seen"
}

for spec in fattree:k=8,levels=3 torus:3x3x3,hosts=1 hyperx:3x4,hosts=2 dragonfly:a=4,h=2,p=2; do
	fabric_start "$spec"
	compare "heddle-sim $spec" host-0
	case $spec in
	fattree*)
		asked 1729 "heddle-sim $spec"
		compare "heddle-sim $spec from a switch" agg-1-2
		if configure host-0; then
			compare "heddle-sim $spec, configured by opensm" host-77
			asked 2049 "heddle-sim $spec with 4 blocks of forwarding table from each switch"
		fi ;;
	torus*) asked 1270 "heddle-sim $spec" ;;
	esac
	fabric_stop
done
fabric_start "$nets/net.2sw2path4hca2port"
compare "heddle-sim, CAs of two ports" Hca1
compare "heddle-sim, CAs of two ports, from the second" Hca2:2
lib_end
