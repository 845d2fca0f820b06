#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Our discovery and the distribution's ibnetdiscover see the same fabric: on ibsim with its example nets and with
# generated topologies, from every kind of place, before and after the distribution's opensm has configured it; the same
# on heddle-sim, where hardly an SMP may be sent in vain.
# HEDDLE_PEERS names a directory into which ibsim-utils, infiniband-diags, opensm and their libraries are unpacked.
peers=${HEDDLE_PEERS:-}
build=$(cd "${top_builddir:-.}" && pwd)
probe=$build/tests/system/discover-probe
topology=$build/tests/system/topology

ibsim=$peers/usr/bin/ibsim
ibnetdiscover=$peers/usr/sbin/ibnetdiscover
opensm=$peers/usr/sbin/opensm
nets=$peers/usr/share/doc/ibsim-utils/net-examples
umad2sim=$(find "$peers/usr/lib" -name libumad2sim.so 2>/dev/null | head -n 1)
if [ -z "$peers" ] || [ ! -x "$ibsim" ] || [ ! -x "$ibnetdiscover" ] || [ -z "$umad2sim" ]; then
	echo "1..0 # SKIP HEDDLE_PEERS names no directory with ibsim and ibnetdiscover"
	exit 0
fi
libs=$(dirname "$(dirname "$umad2sim")")
dir=$(mktemp -d) || exit 99
sim=
trap 'if [ -n "$sim" ]; then kill "$sim" 2>/dev/null; fi; rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM PIPE
count=0
# A sanitized probe needs its runtime before anything that is preloaded, and is to overlook that umad2sim reads beyond
# what it allocated.
runtime=$(ldd "$probe" | sed -n 's/.*=> \(.*libasan[^ ]*\).*/\1/p' | head -n 1)
echo 'interceptor_via_lib:libumad2sim' >"$dir/overlooked"

report() {      # report STATUS NAME
	count=$((count + 1))
	if [ "$1" = 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}

wait_for() {    # wait_for PATTERN FILE: until the simulator has said so
	tries=0
	until grep -q "$1" "$2" 2>/dev/null; do
		tries=$((tries + 1))
		if [ "$tries" -gt 100 ] || ! kill -0 "$sim" 2>/dev/null; then
			sed 's/^/# /' "$2"
			return 1
		fi
		sleep 0.1
	done
}

start_ibsim() { # start_ibsim FILE
	IBSIM_SOCKNAME=heddle-discover-$$-$count
	export IBSIM_SOCKNAME
	: >"$dir/sim.log"               # the last simulator was ready, too
	(cd "$dir" && LD_LIBRARY_PATH=$libs exec "$ibsim" -s -n "$1" >"$dir/sim.log" 2>&1 </dev/null) &
	sim=$!
	wait_for 'simulator ready' "$dir/sim.log"
}

stop_sim() {
	kill "$sim" 2>/dev/null
	wait "$sim" 2>/dev/null
	sim=
}

on_ibsim() {    # on_ibsim HOST COMMAND...
	host=$1
	shift
	(cd "$dir" && SIM_HOST=$host LD_LIBRARY_PATH=$libs LD_PRELOAD="$runtime $umad2sim" \
		ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}suppressions=$dir/overlooked exec timeout 60 "$@")
}

peer() {        # peer RUNNER HOST COMMAND...: a program of the distribution's
	(
		runtime=
		"$@"
	)
}

lines() {       # what must be equal: all but comment lines; sorted, for the order of nodes is each program's own
	grep -v '^#' "$1" | LC_ALL=C sort
}

compare() {     # compare NAME RUNNER HOST: both programs from there, the same lines
	peer "$2" "$3" "$ibnetdiscover" >"$dir/theirs" 2>"$dir/log" || sed 's/^/# /' "$dir/log"
	"$2" "$3" "$probe" >"$dir/ours" 2>"$dir/seen"
	rc=$?
	sed 's/^/# /' "$dir/seen"
	lines "$dir/theirs" >"$dir/want"
	lines "$dir/ours" | diff "$dir/want" - >"$dir/diff" && [ "$rc" = 0 ] && [ -s "$dir/want" ]
	report $? "$1: the same as ibnetdiscover"
	head -n 20 "$dir/diff" | sed 's/^/# /'
}

# ---- ibsim ----

on_every_ibsim() {
	for net in net net.1 net.2sw2path net.2sw2path4hca net.2sw2path4hca2port; do
		if start_ibsim "$nets/$net"; then
			for host in $(sed -n 's/^Hca[[:space:]]*[0-9]*[[:space:]]*"\([^"]*\)".*/\1/p' "$nets/$net"); do
				compare "ibsim $net from $host" on_ibsim "$host"
			done
			compare "ibsim $net from Switch1" on_ibsim Switch1
		else
			report 1 "ibsim starts on $net"
		fi
		stop_sim
	done

	for spec in fattree:k=4,levels=3 fattree:k=8,levels=3 torus:3x3,hosts=1 random:switches=30,cables=60,hosts=2,seed=3; do
		"$topology" "$spec" >"$dir/net"
		host=$(sed -n 's/^Ca.*"\(.*\)".*# .*/\1/p' "$dir/net" | head -n 1)
		if start_ibsim "$dir/net"; then
			compare "ibsim $spec" on_ibsim host-0
			if [ "$spec" = fattree:k=4,levels=3 ] && peer on_ibsim host-0 "$opensm" --version >/dev/null 2>&1; then
				OSM_CACHE_DIR=$dir OSM_TMP_DIR=$dir peer on_ibsim host-0 "$opensm" -o -f "$dir/osm.log" \
					>"$dir/opensm.out" 2>&1 || sed 's/^/# /' "$dir/opensm.out"
				compare "ibsim $spec, configured by opensm" on_ibsim host-0
				grep -q 'lid [1-9]' "$dir/ours"
				report $? "LIDs are there"
			fi
		else
			report 1 "ibsim starts on $spec"
		fi
		stop_sim
	done
}

if ldd "$probe" | grep -q libtsan; then
	count=$((count + 1))
	echo "ok $count - ibsim # SKIP umad2sim and ThreadSanitizer's runtime wait for each other"
else
	on_every_ibsim
fi

# ---- heddle-sim ----

RUNTIME_DIRECTORY=$dir STATE_DIRECTORY=$dir
export RUNTIME_DIRECTORY STATE_DIRECTORY
heddle_sim=$build/heddle-sim

start_heddle_sim() {    # start_heddle_sim FILE|SPEC
	: >"$dir/sim.log"
	"$heddle_sim" serve --name peers --topology "$1" >"$dir/sim.log" 2>&1 </dev/null &
	sim=$!
	wait_for '^ready$' "$dir/sim.log"
}

on_heddle_sim() {       # on_heddle_sim NODE COMMAND...
	node=$1
	shift
	LD_LIBRARY_PATH=$libs timeout 60 "$heddle_sim" exec --name peers --node "$node" -- "$@"
}

asked() {       # asked NUMBER NAME: the sweep before took so many SMPs; on a machine that stalls a few more
	smps=$(sed -n 's/.* smps \([0-9]*\)$/\1/p' "$dir/seen")
	[ "${smps:-0}" -ge "$1" ] && [ "$smps" -le $(($1 * 102 / 100)) ]
	report $? "$2: $1 SMPs"
}

for spec in fattree:k=8,levels=3 torus:3x3x3,hosts=1 hyperx:3x4,hosts=2 dragonfly:a=4,h=2,p=2; do
	if start_heddle_sim "$spec"; then
		compare "heddle-sim $spec" on_heddle_sim host-0
		case $spec in
		fattree*)
			asked 1729 "heddle-sim $spec"
			compare "heddle-sim $spec from a switch" on_heddle_sim agg-1-2
			if peer on_heddle_sim host-0 "$opensm" --version >/dev/null 2>&1; then
				peer on_heddle_sim host-0 "$opensm" -o -f "$dir/osm.log" >"$dir/opensm.out" 2>&1 ||
					sed 's/^/# /' "$dir/opensm.out"
				compare "heddle-sim $spec, configured by opensm" on_heddle_sim host-77
				asked 2049 "heddle-sim $spec with 4 blocks of forwarding table from each switch"
			fi ;;
		torus*) asked 1270 "heddle-sim $spec" ;;
		esac
	else
		report 1 "heddle-sim starts on $spec"
	fi
	stop_sim
done
if start_heddle_sim "$nets/net.2sw2path4hca2port"; then
	compare "heddle-sim, CAs of two ports" on_heddle_sim Hca1
	compare "heddle-sim, CAs of two ports, from the second" on_heddle_sim Hca2:2
else
	report 1 "heddle-sim starts on an ibsim net"
fi
stop_sim

echo "1..$count"
