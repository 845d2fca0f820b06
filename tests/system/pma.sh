#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The counters that perfquery and ibqueryerrors reset, compared with those that the distribution's
# reset: two ports get the same errors, each suite runs its command on one of them, and the
# distribution's perfquery reads both.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin perfquery ibqueryerrors

fabric_start fattree:k=4,levels=3
manager_start host-1

# LIDs 17 and 19 are leaf-0-0 and leaf-1-0.  Their ports 3 and 4 carry no traffic of this test.
inject() {
	for port in leaf-0-0:3 leaf-0-0:4 leaf-1-0:3 leaf-1-0:4; do
		ctl errors $port SymbolError=+7 LinkErrorRecovery=+3 LinkDowned=+2 RcvErrors=+70 RcvRemotePhysicalErrors=+4 \
			XmitDiscards=+6 XmitConstraintErrors=+2 RcvConstraintErrors=+1 LocalLinkIntegrityErrors=+3 \
			ExcessiveBufferOverrunErrors=+2 XmitWait=+9 VL15Dropped=+5 QP1Dropped=+5 InactiveDiscards=+2 LoopingErrors=+4 \
			VLXmitWait3=+5 SyncHeaderError=+1
	done
}

# Prints whether each counter of PortCounters, PortCountersExtended, PortXmitDiscardDetails and
# PortExtendedSpeedsCounters is zero.
left() {
	for lid in $1; do
		for what in "" -x -D -T --vlxmitcounters; do
			peer_on host-0 perfquery $what -l $lid 3,4 || return 1
		done
	done | sed -E -e '/^#/d' -e '/Select/d' -e 's/\.+0$/ zero/' -e 's/\.+[1-9][0-9]*$/ counted/'
}

clear_all() {
	for lid in 17 19; do
		for what in "" -x -D -E -T --vlxmitcounters; do
			peer_on host-0 perfquery -R $what $lid 3 >/dev/null && peer_on host-0 perfquery -R $what $lid 4 >/dev/null || return 1
		done
	done
}

resets() {      # resets TOOL ARGUMENTS-OF-THEIRS ARGUMENTS-OF-OURS
	clear_all >"$dir/out" 2>&1 || lib_bail "the distribution's perfquery -R fails"
	ctl traffic uniform --rate 20%
	sleep 0.1
	ctl traffic off
	inject
	peer_on host-0 "$1" $2 >"$dir/out" 2>&1
	on host-0 "$build/$1" $3 >"$dir/out" 2>&1
	left 19 >"$dir/theirs"
	left 17 >"$dir/ours"
	diff "$dir/theirs" "$dir/ours" >"$dir/out" && [ -s "$dir/ours" ]
	report $? "$1 $3"
}

resets perfquery "-R 19 3" "-R 17 3"
resets perfquery "-r 19 3" "-r 17 3"
resets perfquery "-x -R 19 3" "-x -R 17 3"
resets perfquery "-R 19 3 0x0fff" "-R 17 3 0x0fff"
resets perfquery "-R 19 3 0xf000" "-R 17 3 0xf000"
resets perfquery "-R 19 3 0x10001" "-R 17 3 0x10001"
resets perfquery "-R 19 3 0x20802" "-R 17 3 0x20802"
resets perfquery "-x -R 19 3 0x1" "-x -R 17 3 0x1"
resets perfquery "-x -r 19 3 0xf0" "-x -r 17 3 0xf0"
resets perfquery "-R 19 3,4 0x3" "-R 17 3,4 0x3"
resets perfquery "-D -R 19 3" "-D -R 17 3"
resets perfquery "-D -r 19 3 0x2" "-D -r 17 3 0x2"
resets perfquery "-T -R 19 3" "-T -R 17 3"
resets perfquery "--vlxmitcounters -R 19 3 0x8" "--vlxmitcounters -R 17 3 0x8"
resets perfquery "-R -a 19 0 0x1f" "-R -a 17 0 0x1f"
resets perfquery "-a -R 19" "-a -R 17"
resets perfquery "-l -R 19 255" "-l -R 17 255"
for how in "-k" "-K" "-k -K" "-k --details" "-k -K --details --counters" ""; do
	resets ibqueryerrors "-G 0x00fe1d0000000200 $how" "-G 0x00fe1d0000000000 $how"
done

# The distribution's library reads QP1Dropped from the place of VL15Dropped.
ctl errors leaf-0-0:2 QP1Dropped=+4 VL15Dropped=+9
on host-0 "$build/perfquery" 17 2 >"$dir/out"
grep -q '^QP1Dropped:\.*4$' "$dir/out" && grep -q '^VL15Dropped:\.*9$' "$dir/out"
report $? "QP1Dropped and VL15Dropped are two counters"
lib_end
