#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# ibcheck: a fabric without faults has no findings; each fault made here has its finding, and there
# is no other.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
schema=${top_srcdir:-$here/../..}/docs/schema/ibcheck.json

check() {       # check ARGUMENT...: sets $status; text in $dir/out, document in $dir/doc
	on host-0 "$build/ibcheck" "$@" >"$dir/out" 2>&1
	status=$?
	on host-0 "$build/ibcheck" "$@" --json >"$dir/doc" 2>/dev/null
	jstatus=$?
	"$build/tests/system/json-check" "$schema" "$dir/doc" "$jstatus" >>"$dir/out" 2>&1 || status=schema
	[ "$status" = "$jstatus" ] || status="$status as text, $jstatus as JSON"
}

found() {       # found STATUS CODE...: the last check ended so, with exactly these findings
	want=$1
	shift
	printf '%s\n' "$@" | sed '/^$/d' | sort >"$dir/want"
	sed 's/"findings": *\[/&\n/; s/{"id"/\n&/g' "$dir/doc" | sed -n 's/^{"id".*"severity":"[a-z]*","code":"\([a-z0-9_]*\)".*/\1/p' | sort -u >"$dir/have"
	echo "exit status $status, wanted $want; codes: $(tr '\n' ' ' <"$dir/have")" >>"$dir/out"
	[ "$status" = "$want" ] && diff "$dir/want" "$dir/have" >>"$dir/out"
}

# until_clean: waits until the manager has repaired everything
until_clean() {
	tries=0
	until on host-0 "$build/ibcheck" --skip counters >"$dir/out" 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt 100 ] || lib_bail "the fabric does not get well"
		sleep 0.2
	done
}

# until_quiet: waits until the manager is idle, so that it does not repair the next fault
until_quiet() {
	sweeps= tries=0
	until now=$(on host-1 "$build/heddlectl" --json status | tr -d ' \n' | sed 's/.*"sweeping":\([a-z]*\).*"last_sweep":{"number":\([0-9]*\).*/\1 \2/') &&
		[ "$now" = "$sweeps" ] && [ "${now% *}" = false ]; do
		sweeps=$now
		[ $((tries += 1)) -lt 60 ] || lib_bail "the manager does not come to rest: $now"
		sleep 1
	done
}

all_linked() {
	"$sim" ctl --name "$name" summary | grep -qx 'ports linked: 96'
}

smp_set() {
	on host-0 "$build/tests/system/smp-set" "$@" || lib_bail "smp-set $*"
}

fabric_start fattree:k=4,levels=3
manager_start host-1 --set m_key=0
check --interval 0.2
found 0 ""
report $? "a fabric without faults has no findings"
grep -q '^FABRIC OK: no findings$' "$dir/out"
report $? "the text reports no findings"

# On a terminal: progress lines are erased before anything else is printed.
if command -v script >/dev/null; then
	script -qec "'$sim' exec --name $name --node host-0 -- '$build/ibcheck' --only counters --interval 1.5" /dev/null </dev/null >"$dir/out" 2>&1
	cr=$(printf '\r')
	grep -q "more seconds$cr" "$dir/out" && ! grep -q "more seconds[^$cr]" "$dir/out"
	report $? "a progress line is erased before anything else is printed"
else
	skip "a progress line is erased before anything else is printed" "there is no script(1)"
fi

ctl pull leaf-0-0:3
until on host-0 "$build/ibcheck" --only routes >/dev/null 2>&1; do :; done
check --skip counters
found 1 link_down
report $? "a cable that was pulled"
grep -q 'leaf-0-0 port 3 has no link' "$dir/out" && grep -q 'agg-0-0 port 1 has no link' "$dir/out"
report $? "the finding names both ends of the cable"

on host-0 "$build/ibnetdiscover" >"$dir/now.topo" 2>/dev/null
check --load "$dir/now.topo"
found 1 link_down
report $? "a saved topology has the same finding"

printf 'link_down leaf-*:3 # known\nlink_down 0x00fe1d0000000800:1\n' >"$dir/suppress"
check --skip counters --suppress "$dir/suppress"
found 0 "" && grep -q '(2 suppressed)' "$dir/out"
report $? "--suppress removes the finding"
check --skip counters --select node:leaf-3-1
found 0 ""
report $? "--select of another node: no finding"
check --only speeds
found 0 ""
report $? "other checks have no finding"
"$sim" topology fattree:k=4,levels=3 >"$dir/plan.topo"
check --skip counters --golden "$dir/plan.topo"
found 1 cable_missing
report $? "--golden reports the missing cable"
ctl plug leaf-0-0:3 agg-0-0:1
until_clean
on host-0 "$build/ibnetdiscover" --json --live >"$dir/saved" 2>/dev/null
check --load "$dir/saved"
found 0 "" && grep -q '^routes  *skipped' "$dir/out"
report $? "a saved document has no findings"
for bad in "--only foo" "--interval 0" "--golden $dir/none" "--suppress $dir/saved" "--threshold-file $dir/none" "--load $dir/want" operand; do
	check $bad
	found 2 ""
	report $? "ibcheck $(echo "$bad" | sed "s:$dir/::")"
done

ctl misbehave host-5 mute
check --skip counters
found 3 no_answer
report $? "an unresponsive host"
grep -q 'leaf-1-0 port 2 does not answer' "$dir/out"
report $? "the finding names the switch port of the host"
ctl misbehave host-5 duplicate-guid
check --skip counters
found 3 duplicate_guid
report $? "a GUID that two nodes have"
ctl clear
on host-1 "$build/heddlectl" sweep >/dev/null 2>&1
until_clean

ctl errors leaf-2-0:4 SymbolError=100 LinkDowned=10
check --only counters --interval 0.5
found 1 symbol_errors link_flaps
report $? "errors counted during the check"
echo 'SymbolErrorCounter=100000000' >"$dir/thresholds"
check --only counters --interval 0.5 --threshold-file "$dir/thresholds"
found 1 link_flaps
report $? "a threshold allows them"
ctl clear
ctl errors leaf-2-0:4 SymbolError=+100
check --only counters --interval 0.2
found 0 ""
report $? "errors counted before are no finding"
on host-0 "$build/ibnetdiscover" --live --capture "$dir/capture" >/dev/null 2>&1
check --load "$dir/capture"
found 0 errors_counted && ! grep -q ' skipped ' "$dir/out"
report $? "a capture: all checks, earlier errors as a note"
grep -q 'note .*leaf-2-0 port 4: counted since the last reset: LinkDownedCounter [1-9].*, SymbolErrorCounter [1-9]' "$dir/out" && grep -q '^counters .* a capture has no rates' "$dir/out"
report $? "the note has the numbers"
on host-0 "$build/ibnetdiscover" --live --capture "$dir/capture" --with lft >/dev/null 2>&1
check --load "$dir/capture"
found 0 "" && grep -q '^counters .*the capture has no counters' "$dir/out" && grep -q '^pkeys .*skipped' "$dir/out" && grep -q '^multicast .*skipped' "$dir/out"
report $? "a capture without some tables: their checks are skipped"

# Two hosts of leaf-0-0 and leaf-3-1 join the broadcast group.
for host in host-0 host-1 host-14; do
	echo 'j set mgid=ff12401bffff000000000000ffffffff port=own state=1' | on $host "$build/tests/system/mcast-client" >"$dir/out" 2>&1
	grep -q '^j 0x0000' "$dir/out"
	report $? "$host joins a group"
done
check --only multicast
found 0 "" && grep -q '^multicast .*1 MLIDs at 2 switches' "$dir/out"
report $? "a group without faults"

# From here on no manager repairs the faults.
kill -9 "$manager"
wait "$manager" 2>/dev/null
check --skip counters
found 1 sm_none
report $? "no subnet manager"
# agg-0-0 forwards packets for host-9 (of another pod) down to leaf-0-0, which forwards them up
# again
lid=$(on host-0 "$build/ibnetdiscover" -p | sed -n "s/^CA *\([0-9]*\) .*( 'host-9' - .*/\1/p")
smp_set 0,1 0x19 0 "$lid=3"
smp_set 0,1,3 0x19 0 "$lid=1"
check --skip counters,sm
found 1 routing_loop
report $? "a loop of forwarding tables"
grep -q "packets to LID $lid (host-9 port 1) loop: .*agg-0-0" "$dir/out"
report $? "the finding names the switches of the loop"
smp_set 0,1,3 0x19 0 "$lid=255"
check --skip counters,sm
found 1 unreachable
report $? "an unreachable LID"

# PortInfo of leaf-0-0 port 1: NeighborMTU 2048; of port 2: LinkSpeedExtEnabled EDR, LinkWidthEnabled 1x
smp_set 0,1 0x15 1 32=0 33=0 36=0x40
check --only settings,links,speeds
found 1 mtu_mismatch
report $? "MTUs that differ"
smp_set 0,1 0x15 2 32=0 33=0 29=1 63=2
check --only links,speeds
found 1 speed_limited width_limited
report $? "a speed and a width that are disabled"
grep -q 'not enabled at leaf-0-0 port 2' "$dir/out"
report $? "the finding names the end where they are disabled"
smp_set 0,1 0x15 2 32=1 33=0x20
within 20 all_linked || lib_bail "a link does not come up again"
smp_set 0,1 0x15 2 32=0 33=0 29=3 63=6
check --only links,speeds
found 1 link_not_active speed_slow width_narrow
report $? "a link below what both ends allow"

# PortInfo of host-1: LID, MasterSMLID, prefix, LMC; its P_Keys
smp_set 0,1,2 0x15 1 32=0 33=0 16=0 17="$lid"
check --only lids
found 1 duplicate_lid
report $? "a LID that two ports have"
smp_set 0,1,2 0x15 1 32=0 33=0 19=7 15=9
check --only sm
found 1 gid_prefix_differs sm_lid_differs sm_none
report $? "another master and another prefix"
smp_set 0,1,2 0x15 1 32=0 33=0 16=0 17=64 34=1
check --only lids
found 1 lmc_differs
report $? "another LMC"
smp_set 0,1,1 0x16 0 0=0x80 1=1
check --only pkeys
grep -q 'host-0 port 1 has 0x8001 at index 0' "$dir/out"
report $? "a table without the default partition"

# MLID 0xc000 is the first entry of each table, a bit for each port.  Hosts are at ports 1 and 2 of a leaf.
# leaf-0-0 and leaf-0-1 forward to both switches above, which forward to both leaves
smp_set 0,1 0x1b 0 0=0 1=0x1e
smp_set 0,1,3,2 0x1b 0 0=0 1=0x18
smp_set 0,1,3 0x1b 0 0=0 1=6
smp_set 0,1,4 0x1b 0 0=0 1=6
check --only multicast
[ "$status" = 1 ] && grep -q 'ERROR .*mcast_loop\|packets to MLID 0xc000 loop' "$dir/out"
report $? "a loop of multicast tables"
# leaf-0-0 forwards only to its hosts, the switches above to no port
smp_set 0,1 0x1b 0 0=0 1=6
smp_set 0,1,3,2 0x1b 0 0=0 1=0
smp_set 0,1,3 0x1b 0 0=0 1=0
smp_set 0,1,4 0x1b 0 0=0 1=0
check --only multicast
found 1 mcast_split
report $? "a multicast tree in pieces"
# agg-0-0 forwards to both leaves, host-2 is at leaf-0-1, and leaf-0-0 forwards nothing up
smp_set 0,1,3 0x1b 0 0=0 1=6
smp_set 0,1,3,2 0x1b 0 0=0 1=0x0a
check --only multicast
grep -q 'agg-0-0 port 1 forwards to leaf-0-0 port 3, which does not forward back' "$dir/out"
report $? "a switch that does not forward back"

another() {     # another TOPOLOGY OPTION...: starts another fabric
	name=$name-x
	fabric_start "$1" --pkeys "${pkeys:-32}"
	shift
	manager_start host-1 --set m_key=0 "$@"
}
"$sim" topology fattree:k=4,levels=2 | sed '/"leaf-0-1"/,/^$/s/\(host-2.*\)4xHDR/\11xHDR/; /^Ca.*"host-2"/,/^$/s/4xHDR/1xHDR/' >"$dir/slow.topo"
another "$dir/slow.topo"
check --skip counters
found 1 rate_below_others
report $? "a link slower than those like it"

# Four switches in a square, one host each: their LIDs are 1 to 4; nodes with one name; partitions
"$sim" topology mesh:2x2,hosts=1 | sed '/^Ca.*host-3/s/host-3/host-2/' >"$dir/square.topo"
printf '%s\n' 'Default=0x7fff,ipoib : ALL=full ;' 'storage=0x2 : 0x00fe1d0000000501=full ;' >"$dir/partitions.conf"
pkeys=64 another "$dir/square.topo" --Pconfig "$dir/partitions.conf" --set sa_key=1 --set sweep_interval=0
check --skip counters
found 1 duplicate_name pkey_unlike
report $? "two nodes of one name, a port in another partition"
grep -q 'note .*host-1 port 1 has other P_Keys than 3 of 4 adapter ports: 0x8002 0xffff' "$dir/out"
report $? "the findings name them"
check --only sm --sm-guids 0x00fe1d0000000401,0x00fe1d0000000402
found 1 sm_rogue
report $? "an unexpected subnet manager"
"$sim" exec --name "$name" --node host-0 -- "$build/heddled" >"$dir/standby" 2>&1 &
standby=$!
pids="$pids $standby"
tries=0
until check --only sm && found 0 sm_same_priority || [ $((tries += 1)) -gt 50 ]; do sleep 0.2; done
found 0 sm_same_priority
report $? "a standby of the same priority"
kill -9 "$standby"
wait "$standby" 2>/dev/null
echo sa_key=1 >"$dir/diag.conf"
echo 'j set mgid=ff12401bffff000000000000ffffffff port=own state=1' | on host-0 "$build/tests/system/mcast-client" >"$dir/out" 2>&1
check --only multicast -z "$dir/diag.conf"
found 0 "" && grep -q '^multicast .*, 1 members' "$dir/out"
report $? "members are shown to trusted requesters"
until_quiet
smp_set 0,1 0x1b 0 0=0 1=0
check --only multicast -z "$dir/diag.conf"
found 1 mcast_member
report $? "a member without a multicast table entry"
smp_set 0,1 0x1b 0 0=0 1=0x0a
check --only multicast -z "$dir/diag.conf"
found 1 mcast_dead_port
report $? "a table with a port without a link"
smp_set 0,1,4,1 0x16 0 4=0x80 5=5
smp_set 0,1,2,1 0x16 0 0=0x80 1=1
check --only pkeys
found 1 pkey_index0 pkey_no_sm pkey_not_at_switch
report $? "partitions that the switch or the manager does not have"
grep -q 'host-2 port 1 shares no partition with the subnet manager at host-1 port 1' "$dir/out" &&
	grep -q 'host-1 port 1 is a member of partition 0x0005, but sw-0-1 port 1 enforces' "$dir/out"
report $? "the finding names the port"
smp_set 0,1,2,1 0x16 1 0=0 1=7
check --only pkeys
grep -q 'host-2 port 1 is a member of partition 0x0007, but sw-1-0 port 1 enforces' "$dir/out"
report $? "P_Keys beyond the first block of a table"
kill -9 "$manager"
wait "$manager" 2>/dev/null
# all paths over two links go around the ring in the same direction
smp_set 0,1 0x19 0 4=4
smp_set 0,1,4 0x19 0 3=2
smp_set 0,1,4,2 0x19 0 1=5
smp_set 0,1,2 0x19 0 2=3
check --only routes
found 1 credit_loop
report $? "links that can deadlock"
lib_end
