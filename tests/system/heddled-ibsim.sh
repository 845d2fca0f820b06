#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# heddled on the distribution's own simulator: its example nets and a tree of 54 switches come up, every port ACTIVE, with
# the least datagrams; afterwards the distribution's tools see what heddled says.
# HEDDLE_PEERS names a directory into which ibsim-utils and infiniband-diags are unpacked.
peers=${HEDDLE_PEERS:-}
build=$(cd "${top_builddir:-.}" && pwd)
ibsim=$peers/usr/bin/ibsim
nets=$peers/usr/share/doc/ibsim-utils/net-examples
umad2sim=$(find "$peers/usr/lib" -name libumad2sim.so 2>/dev/null | head -n 1)
if [ -z "$peers" ] || [ ! -x "$ibsim" ] || [ ! -d "$nets" ] || [ -z "$umad2sim" ]; then
	echo "1..0 # SKIP HEDDLE_PEERS names no directory with ibsim"
	exit 0
fi
if ldd "$build/heddled" | grep -q 'libtsan'; then
	echo "1..0 # SKIP umad2sim and ThreadSanitizer's runtime wait for each other"
	exit 0
fi
libs=$(dirname "$(dirname "$umad2sim")")
dir=$(mktemp -d) || exit 99
sim=
trap 'if [ -n "$sim" ]; then kill "$sim" 2>/dev/null; fi; rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
count=0
# A sanitized heddled needs its runtime before anything that is preloaded, and is to overlook that umad2sim reads beyond
# what it allocated. The distribution's own programs run as they are.
runtime=$(ldd "$build/heddled" | sed -n 's/.*=> \(.*libasan[^ ]*\).*/\1/p' | head -n 1)
echo 'interceptor_via_lib:libumad2sim' >"$dir/overlooked"
overlook=${ASAN_OPTIONS:+$ASAN_OPTIONS:}suppressions=$dir/overlooked

report() {      # report STATUS NAME
	count=$((count + 1))
	if [ "$1" = 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}

start_sim() {   # start_sim FILE
	IBSIM_SOCKNAME=heddled-$$-$count
	export IBSIM_SOCKNAME
	: >"$dir/sim.log"               # the last simulator was ready, too
	(cd "$dir" && LD_LIBRARY_PATH=$libs exec "$ibsim" -s -n "$1" >"$dir/sim.log" 2>&1 </dev/null) &
	sim=$!
	tries=0
	until grep -q 'simulator ready' "$dir/sim.log" 2>/dev/null; do
		tries=$((tries + 1))
		if [ "$tries" -gt 200 ] || ! kill -0 "$sim" 2>/dev/null; then
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

on() {          # on COMMAND...: as if on $host; umad2sim leaves its files where it is started
	(cd "$dir" && SIM_HOST=$host LD_LIBRARY_PATH=$libs LD_PRELOAD=$umad2sim exec timeout 120 "$@")
}

# Without SIM_SET_ISSM: umad2sim would set IsSM before anybody listens, and break over the trap of a port that knows its manager.
manage() {      # heddled, once, as if on $host
	(cd "$dir" && SIM_HOST=$host LD_LIBRARY_PATH=$libs LD_PRELOAD="$runtime $umad2sim" ASAN_OPTIONS=$overlook \
		STATE_DIRECTORY=$dir/state RUNTIME_DIRECTORY=$dir exec timeout 120 "$build/heddled" -F /dev/null --once \
		--report "$dir/report.json") >"$dir/out" 2>&1
}

get() {         # get KEY: an integer or a word of the report
	sed -n "s/^  *\"$1\": \"\{0,1\}\([A-Za-z0-9 ]*\)\"\{0,1\},\{0,1\}$/\1/p" "$dir/report.json" | head -n 1
}

bring_up() {    # bring_up NAME FILE HOST [SMPS]
	host=$3
	if ! start_sim "$2"; then
		report 1 "$1: ibsim starts"
		return
	fi
	rm -rf "$dir/state"
	manage
	status=$?
	sed 's/^/# /' "$dir/out"
	report $status "$1: exit 0: every port ACTIVE, the routing proved"
	[ "$(get outcome)" = up ] && [ "$(get armed)" = 0 ] && [ "$(get init)" = 0 ] && [ "$(get loops)" = 0 ]
	report $? "$1: the report says so"
	if [ -n "${4:-}" ]; then
		# What a simulator that did not get the processor in time was asked again is beside it.
		[ $(($(get sent) - $(get retried))) = "$4" ]
		report $? "$1: $(get sent) datagrams, $(get retried) of them again, $4 is the minimum"
	fi
	on "$peers/usr/sbin/iblinkinfo" >"$dir/links" 2>/dev/null
	! grep -qE 'Initialize|Armed' "$dir/links" && grep -q Active "$dir/links"
	report $? "$1: iblinkinfo sees no port that is Initialize or Armed"
	on "$peers/usr/sbin/sminfo" >"$dir/sminfo" 2>&1
	tries=0
	while                   # until nothing had to be asked again, which would be counted
		rm -f "$dir/report.json"
		manage
		status=$?
		tries=$((tries + 1))
		[ $status = 0 ] && [ "$(get retried)" != 0 ] && [ $tries -lt 10 ]
	do :; done
	sed 's/^/# /' "$dir/out"
	report $status "$1: a second run ends well"
	[ "$(sed -n 's/^  *"LinearForwardingTable": \([0-9]*\).*/\1/p' "$dir/report.json")" = "$(lft_reads)" ]
	report $? "$1: a second run reads the tables and writes none"
	stop_sim
}

lft_reads() {   # switches x blocks: the Gets of a warm start
	s=$(get switches)
	top=$(get lids)
	echo $((s * (top / 64 + 1)))
}

for net in net net.1 net.2sw2path net.2sw2path4hca net.2sw2path4hca2port; do
	bring_up "$net" "$nets/$net" "$(sed -n 's/^H\{0,1\}[Cc]a[[:space:]]*[0-9]*[[:space:]]*"\([^"]*\)".*/\1/p' "$nets/$net" | head -n 1)"
done
"$build/tests/system/topology" fattree:k=36,levels=2 >"$dir/tree.topo"
bring_up "54 switches" "$dir/tree.topo" "$(sed -n 's/^Ca[[:space:]]*[0-9]*[[:space:]]*"\([^"]*\)".*/\1/p' "$dir/tree.topo" | head -n 1)" 11287
echo "1..$count"
