#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# One partitions.conf, read by the distribution's opensm and by heddled on the same simulated
# fabric: the distribution's smpquery finds the same P_Keys at every host (their order differs).
# Then heddled alone: the queries of a limited member, and an invalid file. HEDDLE_PEERS names a
# directory into which opensm and infiniband-diags are unpacked.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin opensm smpquery saquery ibstat

peer() { peer_on "$@" 2>>"$dir/err"; }

pkeys() {       # pkeys NODE: prints the P_Keys of its port, sorted
	peer "$1" smpquery -D pkeys 0 | grep -o '0x[0-9a-f]\{4\}' | grep -v 0x0000 | sort
}

tables() {      # prints those of every host, one host per line
	for n in $(seq 0 15); do
		echo "host-$n" $(pkeys "host-$n")
	done
}

guid() { peer "host-$1" ibstat | sed -n 's/.*Port GUID: *//p'; }

enforcing() {   # prints how many of two leaf ports enforce partitions in both directions
	local n=0
	for p in 1 2; do
		peer host-0 smpquery -D portinfo 0,1 $p >"$dir/pi"
		[ "$(grep -c 'PartEnforce\(Inb\|Outb\):\.*1' "$dir/pi")" = 2 ] && n=$((n + 1))
	done
	echo $n
}

# ---- opensm ----
fabric_start fattree:k=4,levels=3
cat >"$dir/partitions.conf" <<END2
# two tenants, storage for both
Default=0x7fff, ipoib : ALL_SWITCHES=full ;
red=0x10 , ipoib, defmember=full : $(guid 1), $(guid 2),
	$(guid 3)=limited
	$(guid 4) ;
blue=0x8020:$(guid 5)=full,$(guid 6)=full;blue:$(guid 7);
storage=0x1, indx0 : $(guid 8)=full, $(guid 1)=limited, $(guid 5)=limited ;
= 0x300 : ALL_CAS=limited, $(guid 9)=full, $(guid 10)=both, SELF=full, ALL_ROUTERS=full ;
nobody=0x400 : NONE ;
0x500 : mgid=ff12::1234,rate=3
	0xdeadbeef=full, $(guid 11)=full, $(guid 11)=limited ;
END2
echo 'force_log_flush TRUE' >"$dir/opensm.conf"
opensm_start host-0 -F "$dir/opensm.conf" -f "$dir/opensm.log" -P "$dir/partitions.conf"
within 60 fabric_right 96
report $? "opensm brings the fabric up"
within 30 grep -q 'SUBNET UP' "$dir/opensm.log"
tables >"$dir/opensm.tables"
[ "$(sort -u "$dir/opensm.tables" | wc -l)" = 16 ] && grep -q '^host-1 .*0x8010' "$dir/opensm.tables"
report $? "opensm has read the partitions"
fabric_stop

# ---- heddled ----
fabric_start fattree:k=4,levels=3
manager_start host-0 -F /dev/null --Pconfig "$dir/partitions.conf"
within 60 fabric_right 96
report $? "heddled brings the fabric up"
tables >"$dir/heddled.tables"
same "$dir/opensm.tables" "$dir/heddled.tables" "every host has the same P_Keys"
[ "$(peer host-8 smpquery -D pkeys 0 | sed -n 's/^ *0: *\(0x....\).*/\1/p')" = 0x8001 ]
report $? "indx0 puts a P_Key at index 0"
[ "$(enforcing)" = 2 ]
report $? "leaf ports enforce partitions"
peer host-12 saquery -N | grep -q 'NodeRecord dump'
report $? "a limited member gets answers through the switch that enforces partitions"

cp "$dir/partitions.conf" "$dir/good"
echo 'Default=0x7fff : ALL=ful1 ;' >"$dir/partitions.conf"
kill -HUP "$manager"
within 10 grep -q 'stays as it was' "$dir/manager"
report $? "an invalid file is refused"
grep -q 'partitions.conf:1: error: expected full, limited or both' "$dir/manager"
report $? "the message has file, line and what was expected"
sleep 1
tables | diff "$dir/heddled.tables" - >/dev/null
report $? "an invalid file changes nothing"

{ echo "first=0x2 : ALL=full ;"; cat "$dir/good"; } >"$dir/partitions.conf"
before=$(peer host-1 smpquery -D pkeys 0 | sed -n 's/^ *0: *//p')
kill -HUP "$manager"
joined() { pkeys host-12 | grep -qx 0x8002; }
within 20 joined
report $? "a new partition is set without a restart"
case $(peer host-1 smpquery -D pkeys 0 | sed -n 's/^ *0: *//p') in
"${before%% 0x0000*} 0x8002"*) true ;;
*) false ;;
esac
report $? "each P_Key stays at its index"

"$build/heddled" --check-config -F /dev/null --Pconfig /dev/null/none >/dev/null 2>"$dir/err"
[ $? = 2 ] && grep -q '/dev/null/none' "$dir/err"
report $? "a file named by an option must exist"
lib_end
