#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The back end on libibumad, under the distribution's own simulator: a port is listed, opened, asked for its node.
# HEDDLE_PEERS names a directory into which ibsim-utils and its libraries are unpacked.
peers=${HEDDLE_PEERS:-}
probe=$(cd "${top_builddir:-.}" && pwd)/tests/system/umad-probe

ibsim=$peers/usr/bin/ibsim
net=$peers/usr/share/doc/ibsim-utils/net-examples/net.2sw2path4hca
umad2sim=$(find "$peers/usr/lib" -name libumad2sim.so 2>/dev/null | head -n 1)
if [ -z "$peers" ] || [ ! -x "$ibsim" ] || [ ! -f "$net" ] || [ -z "$umad2sim" ]; then
	echo "1..0 # SKIP HEDDLE_PEERS names no directory with ibsim"
	exit 0
fi
if ldd "$probe" | grep -q libtsan; then
	echo "1..0 # SKIP umad2sim and ThreadSanitizer's runtime wait for each other"
	exit 0
fi
libs=$(dirname "$(dirname "$umad2sim")")
dir=$(mktemp -d) || exit 99
sim=
trap 'if [ -n "$sim" ]; then kill "$sim" 2>/dev/null; fi; rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
count=0
# A sanitized probe needs its runtime before anything that is preloaded, and is to overlook that umad2sim reads beyond
# what it allocated.
runtime=$(ldd "$probe" | sed -n 's/.*=> \(.*libasan[^ ]*\).*/\1/p' | head -n 1)
echo 'interceptor_via_lib:libumad2sim' >"$dir/overlooked"
overlook=${ASAN_OPTIONS:+$ASAN_OPTIONS:}suppressions=$dir/overlooked

report() {      # report STATUS NAME
	count=$((count + 1))
	if [ "$1" = 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}

run() {         # run HOST [ARGS]: the probe as if on that host; leaves out, err, rc
	host=$1
	shift
	(cd "$dir" && SIM_HOST=$host LD_LIBRARY_PATH=$libs LD_PRELOAD="$runtime $umad2sim" ASAN_OPTIONS=$overlook \
		exec timeout 20 "$probe" "$@") >"$dir/out" 2>"$dir/err"
	rc=$?
	sed 's/^/# /' "$dir/out" "$dir/err"
}

IBSIM_SOCKNAME=heddle-probe-$$
export IBSIM_SOCKNAME
(cd "$dir" && LD_LIBRARY_PATH=$libs exec "$ibsim" -s -n "$net" >"$dir/sim.log" 2>&1 </dev/null) &
sim=$!
tries=0
until grep -q 'simulator ready' "$dir/sim.log" 2>/dev/null; do
	tries=$((tries + 1))
	if [ "$tries" -gt 100 ] || ! kill -0 "$sim" 2>/dev/null; then
		sed 's/^/# /' "$dir/sim.log"
		echo "Bail out! ibsim does not start"
		exit 99
	fi
	sleep 0.1
done

# Every host by its name: the node that answers is the one the file names.
hosts=$(sed -n 's/^Hca[[:space:]]*[0-9]*[[:space:]]*"\([^"]*\)".*/\1/p' "$net")
for host in $hosts; do
	run "$host"
	report $rc "$host answers NodeInfo with its own GUID"
done
[ -n "$hosts" ]
report $? "the net names hosts"
host=$(echo "$hosts" | head -n 1)
run "$host"
grep -q "^# ibsim0/1 0x" "$dir/out" && grep -q " ca ibsim0/1 " "$dir/out"
report $? "the port is listed and chosen"
run "$host" ibsim0 1
report $rc "it opens by name and number"
run "$host" nothing0
[ $rc = 255 ] && grep -q "there is no device 'nothing0'" "$dir/err"
report $? "an unknown device is one sentence and 255"
run "$host" ibsim0 7
[ $rc = 255 ] && grep -q "there is no port 7 of a device 'ibsim0'" "$dir/err"
report $? "an unknown port is one sentence and 255"
echo "1..$count"
