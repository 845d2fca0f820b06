#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Our topology files and the distribution's programs: ibsim reads the file of every family of
# topologies, ibnetdiscover on that ibsim prints the same lines, and our reader and writer reproduce
# the output of ibnetdiscover byte for byte.
# HEDDLE_PEERS names a directory into which ibsim-utils, infiniband-diags and their libraries are unpacked.
here=$(dirname "$0")
. "$here/ibsim.sh"
ibsim_begin ibnetdiscover
topology=$build/tests/system/topology

check() {       # check NAME FILE: three tests
	if ibsim_start "$2"; then
		report 0 "$1: ibsim accepts it"
		ibsim_peer "$(ibsim_hosts "$2" | head -n 1)" ibnetdiscover >"$dir/found" 2>"$dir/found.log" || sed 's/^/# /' "$dir/found.log"
		lines "$2" >"$dir/want"
		lines "$dir/found" | diff "$dir/want" - >"$dir/out"
		report $? "$1: ibnetdiscover prints the same lines"
		"$topology" "$dir/found" >"$dir/again"
		sed '1,/^$/d' "$dir/found" >"$dir/want"
		sed '1,/^$/d' "$dir/again" | cmp - "$dir/want" >"$dir/out" 2>&1
		report $? "$1: ibnetdiscover's output reproduces itself"
	else
		report 1 "$1: ibsim accepts it"
	fi
	fabric_stop
}

for spec in fattree:k=4,levels=3 fattree:k=8,levels=3 fattree:k=12,levels=2 xgft:m=4/4/2,w=1/2/2 xgft:m=2/2/2/2,w=1/2/1/2 \
	torus:4x4x4,hosts=2 torus:2x3,hosts=1 torus:8,hosts=1 mesh:3x4,hosts=2 hyperx:3x4,hosts=2 \
	hypercube:d=4,hosts=2 dragonfly:a=4,h=2,p=2 dragonfly:a=3,h=3,p=1,g=5 \
	dragonfly+:leaves=3,spines=3,groups=4,hosts=3 random:switches=40,cables=80,hosts=2,seed=7; do
	if "$topology" "$spec" >"$dir/net" 2>"$dir/out"; then
		check "$spec" "$dir/net"
	else
		report 1 "$spec: is printed"
	fi
done
for net in "$nets"/net*; do
	"$topology" "$net" >"$dir/net" 2>"$dir/out"
	report $? "$(basename "$net"): reads"
	ibsim_start "$dir/net"
	report $? "$(basename "$net"): ibsim accepts it written anew"
	fabric_stop
done
lib_end
