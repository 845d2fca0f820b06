#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Proof against the distribution's own programs: ibsim accepts what the writer prints for every family of topologies,
# ibnetdiscover on that ibsim prints the same lines, and the reader gives ibnetdiscover's output back to the byte.
# HEDDLE_PEERS names a directory into which ibsim-utils, infiniband-diags and their libraries are unpacked.
peers=${HEDDLE_PEERS:-}
topology=$(cd "${top_builddir:-.}" && pwd)/tests/system/topology

ibsim=$peers/usr/bin/ibsim
ibnetdiscover=$peers/usr/sbin/ibnetdiscover
umad2sim=$(find "$peers/usr/lib" -name libumad2sim.so 2>/dev/null | head -n 1)
if [ -z "$peers" ] || [ ! -x "$ibsim" ] || [ ! -x "$ibnetdiscover" ] || [ -z "$umad2sim" ]; then
	echo "1..0 # SKIP HEDDLE_PEERS names no directory with ibsim and ibnetdiscover"
	exit 0
fi
libs=$(dirname "$(dirname "$umad2sim")")
dir=$(mktemp -d) || exit 99
sim=
trap 'if [ -n "$sim" ]; then kill "$sim" 2>/dev/null; fi; rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
count=0

report() {      # report STATUS NAME
	count=$((count + 1))
	if [ "$1" = 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}

start_sim() {   # start_sim FILE: 0 when ibsim is ready
	IBSIM_SOCKNAME=heddle-topo-$$-$count
	export IBSIM_SOCKNAME
	: >"$dir/sim.log"               # the last simulator was ready, too
	(cd "$dir" && LD_LIBRARY_PATH=$libs exec "$ibsim" -s -n "$1" >"$dir/sim.log" 2>&1 </dev/null) &
	sim=$!
	tries=0
	until grep -q 'simulator ready' "$dir/sim.log" 2>/dev/null; do
		tries=$((tries + 1))
		if [ "$tries" -gt 100 ] || ! kill -0 "$sim" 2>/dev/null; then
			sed 's/^/# /' "$dir/sim.log"
			return 1
		fi
		sleep 0.1
	done
}

stop_sim() {
	kill "$sim" 2>/dev/null
	wait "$sim" 2>/dev/null
	sim=
}

lines() {       # what must be equal: all but comments, sorted, for the order of nodes is a matter of timing
	grep -v '^#' "$1" | LC_ALL=C sort
}

check() {       # check NAME FILE: three tests
	if start_sim "$2"; then
		report 0 "$1: ibsim accepts it"
		host=$(sed -n 's/^Ca.*"\(.*\)".*# .*/\1/p' "$2" | head -n 1)
		(cd "$dir" && SIM_HOST=$host LD_LIBRARY_PATH=$libs LD_PRELOAD=$umad2sim exec timeout 60 "$ibnetdiscover") \
			>"$dir/found" 2>"$dir/found.log" || sed 's/^/# /' "$dir/found.log"
		lines "$2" >"$dir/want"
		lines "$dir/found" | diff "$dir/want" - >"$dir/diff"
		report $? "$1: ibnetdiscover prints the same lines"
		head -n 10 "$dir/diff" | sed 's/^/# /'
		"$topology" "$dir/found" >"$dir/again"
		sed '1,/^$/d' "$dir/found" >"$dir/want"
		sed '1,/^$/d' "$dir/again" | cmp - "$dir/want" >"$dir/diff" 2>&1
		report $? "$1: ibnetdiscover's output reproduces itself"
	else
		report 1 "$1: ibsim accepts it"
	fi
	stop_sim
}

for spec in fattree:k=4,levels=3 fattree:k=8,levels=3 fattree:k=12,levels=2 xgft:m=4/4/2,w=1/2/2 xgft:m=2/2/2/2,w=1/2/1/2 \
	torus:4x4x4,hosts=2 torus:2x3,hosts=1 torus:8,hosts=1 mesh:3x4,hosts=2 hyperx:3x4,hosts=2 \
	hypercube:d=4,hosts=2 dragonfly:a=4,h=2,p=2 dragonfly:a=3,h=3,p=1,g=5 \
	dragonfly+:leaves=3,spines=3,groups=4,hosts=3 random:switches=40,cables=80,hosts=2,seed=7; do
	if "$topology" "$spec" >"$dir/net"; then
		check "$spec" "$dir/net"
	else
		report 1 "$spec: is printed"
	fi
done
for net in "$peers"/usr/share/doc/ibsim-utils/net-examples/net*; do
	"$topology" "$net" >"$dir/net"
	report $? "$(basename "$net"): reads"
	start_sim "$dir/net"
	report $? "$(basename "$net"): ibsim accepts it written anew"
	stop_sim
done
echo "1..$count"
