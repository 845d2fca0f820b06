#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# perfquery and ibqueryerrors and the distribution's on ibsim, whose devices count errors in 16 bits
# only and lack most attributes.  Data counters are masked, because they differ from run to run, and
# QP1Dropped, which the distribution's tools read from another place.
here=$(dirname "$0")
. "$here/ibsim.sh"
ibsim_begin perfquery ibqueryerrors
net=$nets/net.2sw2path4hca2port
if ldd "$build/perfquery" | grep -q 'lib[alt]san'; then
	skip_all "not with sanitizers"
fi

IBSIM_SOCKNAME=$name
export IBSIM_SOCKNAME
mkfifo "$dir/console"
(cd "$dir" && LD_LIBRARY_PATH=$libs exec "$ibsim" -s "$net" >"$dir/ready" 2>&1 <"$dir/console") &
simulator=$!
pids="$pids $simulator"
exec 3>"$dir/console"
lib_await "$dir/ready" 'simulator ready' "$simulator" || { cp "$dir/ready" "$dir/out"; lib_bail "ibsim does not start"; }

export STATE_DIRECTORY="$dir/state"

ibsim_on Hca1 "$build/heddled" -F /dev/null --once >"$dir/out" 2>&1 || lib_bail "heddled does not bring the subnet up"
cat >&3 <<'END'
PerformanceSet "Switch1"[2] PortCounters.SymbolErrorCounter=7
PerformanceSet "Switch1"[2] PortCounters.PortXmitWait=70000
PerformanceSet "Switch1"[2] PortCounters.VL15Dropped=4
PerformanceSet "Hca2"[1] PortCounters.PortRcvErrors=9
PerformanceSet "Switch1"[2] PortCountersExtended.PortXmitData=5000000000
END
lid=$(ibsim_on Hca1 "$build/smpquery" -D PI 0,1 2>/dev/null | sed -n 's/^Lid:\.*//p')
told() {        # whether the simulator has read the last command
	ibsim_on Hca1 "$build/perfquery" -x "$lid" 2 | grep -Eq '^PortXmitData:\.*[0-9]{10}'
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
	ibsim_peer Hca1 "$what" "$@" >"$dir/theirs" 2>"$dir/theirs.err"
	ibsim_on Hca1 "$build/$what" "$@" >"$dir/ours" 2>"$dir/ours.err"
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
