#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# perfquery and ibqueryerrors beside the distribution's on ibsim, whose devices count errors in 16 bits only and lack most attributes.
# Data counters differ from run to run and are masked, and so is QP1Dropped, which the distribution reads elsewhere.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin perfquery ibqueryerrors
ibsim=$peers/usr/bin/ibsim
net=$peers/usr/share/doc/ibsim-utils/net-examples/net.2sw2path4hca2port
umad2sim=$(find "$peers/usr/lib" -name libumad2sim.so 2>/dev/null | head -n 1)
if [ ! -x "$ibsim" ] || [ ! -f "$net" ] || [ -z "$umad2sim" ]; then
	echo "1..0 # SKIP HEDDLE_PEERS names no directory with ibsim"
	exit 0
fi
runtime=$(ldd "$build/perfquery" 2>/dev/null | sed -n 's/.*=> \(.*lib[alt]san[^ ]*\) .*/\1/p' | head -n 1)
if [ -n "$runtime" ]; then
	echo "1..0 # SKIP not with sanitizers"
	exit 0
fi

libs=$(dirname "$(dirname "$umad2sim")"):$libs
IBSIM_SOCKNAME=pma-$$
export IBSIM_SOCKNAME
mkfifo "$dir/console"
(cd "$dir" && LD_LIBRARY_PATH=$libs exec "$ibsim" -s "$net" >"$dir/ready" 2>&1 <"$dir/console") &
simulator=$!
pids="$pids $simulator"
exec 3>"$dir/console"
lib_await "$dir/ready" 'simulator ready' "$simulator" || { cp "$dir/ready" "$dir/out"; lib_bail "ibsim does not start"; }

sim_on() {      # sim_on COMMAND...: as if on the first adapter; umad2sim leaves its files where it is started
	(cd "$dir" && SIM_HOST=Hca1 STATE_DIRECTORY=$dir/state RUNTIME_DIRECTORY=$dir LD_LIBRARY_PATH=$libs LD_PRELOAD=$umad2sim \
		exec timeout 60 "$@")
}

sim_on "$build/heddled" -F /dev/null --once >"$dir/out" 2>&1 || lib_bail "heddled does not bring the subnet up"
cat >&3 <<'END'
PerformanceSet "Switch1"[2] PortCounters.SymbolErrorCounter=7
PerformanceSet "Switch1"[2] PortCounters.PortXmitWait=70000
PerformanceSet "Switch1"[2] PortCounters.VL15Dropped=4
PerformanceSet "Hca2"[1] PortCounters.PortRcvErrors=9
PerformanceSet "Switch1"[2] PortCountersExtended.PortXmitData=5000000000
END
lid=$(sim_on "$build/smpquery" -D PI 0,1 2>/dev/null | sed -n 's/^Lid:\.*//p')
told() {        # the simulator has read the last line
	sim_on "$build/perfquery" -x "$lid" 2 | grep -Eq '^PortXmitData:\.*[0-9]{10}'
}
within 20 told || lib_bail "ibsim does not take the counters"

masked() {
	sed -E -e '/: iberror: /d' -e 's/^## \(null\)/## Thresholds: /' -e '/^QP1Dropped/d' \
		-e 's/((Xmit|Rcv)(Data|Pkts)) == [0-9]+ \([0-9.]+[KMG]?/\1 == N (N/g' \
		-e 's/^(Port(Unicast)?(Xmit|Rcv)(Data|Pkts):\.*)[0-9]+$/\1N/' "$1" | LC_ALL=C sort
}

compare() {     # compare STATUS TOOL ARGUMENT...
	want=$1 what=$2
	shift 2
	sim_on "$peers/usr/sbin/$what" "$@" >"$dir/theirs" 2>"$dir/theirs.err"
	sim_on "$build/$what" "$@" >"$dir/ours" 2>"$dir/ours.err"
	status=$?
	masked "$dir/theirs" >"$dir/theirs.m"
	masked "$dir/ours" >"$dir/ours.m"
	diff "$dir/theirs.m" "$dir/ours.m" >"$dir/out" && echo "exit status $status, wanted $want" >"$dir/out" && [ "$status" = "$want" ]
	report $? "$what $*"
}

for how in "" -a -x -l "-x -a" "-l -a" "-x -l -a"; do
	compare 0 perfquery $how "$lid"
	compare 0 perfquery $how "$lid" 2
	compare 0 perfquery $how "$lid" 1-3
done
compare 3 perfquery -X -t 200 "$lid" 1
compare 1 ibqueryerrors --skip-sl
compare 1 ibqueryerrors --skip-sl --data
compare 0 ibqueryerrors --skip-sl --counters
compare 1 ibqueryerrors --skip-sl --details
compare 1 ibqueryerrors --skip-sl -c -s PortXmitWait
exec 3>&-
lib_end
