#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# One partitions.conf, read by the distribution's opensm and by heddled on the same simulated fabric: the distribution's
# smpquery finds the same P_Keys at every host (their order is each manager's own).  Then heddled alone: what a limited
# member can still ask, and what a broken file does.
# HEDDLE_PEERS names a directory into which opensm and infiniband-diags are unpacked.
peers=${HEDDLE_PEERS:-}
build=${top_builddir:-.}
opensm=$peers/usr/sbin/opensm
if [ -z "$peers" ] || [ ! -x "$opensm" ] || [ ! -x "$peers/usr/sbin/smpquery" ]; then
	echo "1..0 # SKIP HEDDLE_PEERS names no directory with opensm and infiniband-diags"
	exit 0
fi
libs=$(dirname "$(find "$peers/usr/lib" -name 'libosmvendor.so.5' | head -n 1)"):$(dirname "$(find "$peers" -name 'libwrap.so.0' | head -n 1)")
dir=$(mktemp -d) || exit 99
export XDG_RUNTIME_DIR=$dir RUNTIME_DIRECTORY=$dir
unset STATE_DIRECTORY NOTIFY_SOCKET
name=p$$
sim=
manager=
cleanup() {
	[ -z "$manager" ] || kill -9 "$manager" 2>/dev/null
	[ -z "$sim" ] || kill "$sim" 2>/dev/null
	wait 2>/dev/null
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 99' HUP INT TERM
count=0

report() {      # report STATUS NAME
	count=$((count + 1))
	if [ "$1" = 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}

within() {      # within SECONDS COMMAND...
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.2
	done
}

serve() {
	: >"$dir/sim.out"
	"$build/heddle-sim" serve --name $name --topology fattree:k=4,levels=3 >"$dir/sim.out" 2>"$dir/sim.err" &
	sim=$!
	within 10 grep -qx ready "$dir/sim.out" && return 0
	sed 's/^/# /' "$dir/sim.err"
	echo "Bail out! heddle-sim does not serve"
	exit 99
}

finish() {
	kill -9 "$manager" 2>/dev/null          # opensm may take its time over SIGTERM
	kill "$sim" 2>/dev/null
	wait 2>/dev/null
	sim= manager=
}

peer() {        # peer NODE TOOL ARGUMENT...: one of the distribution's
	local node=$1 tool=$2
	shift 2
	LD_LIBRARY_PATH=$libs timeout 60 "$build/heddle-sim" exec --name $name --node "$node" -- "$peers/usr/sbin/$tool" "$@" \
		2>"$dir/err"
}

right() {       # everything linked is ACTIVE, every walk arrives
	local sum
	sum=$("$build/heddle-sim" ctl --name $name summary) || return 1
	[ "$(printf '%s\n' "$sum" | sed -n 's/^ports active: //p')" = 96 ] && printf '%s\n' "$sum" | grep -qx 'walks lost: 0'
}

pkeys() {       # pkeys NODE: the P_Keys of its port, sorted
	peer "$1" smpquery -D pkeys 0 | grep -o '0x[0-9a-f]\{4\}' | grep -v 0x0000 | sort
}

tables() {      # every host's, a line each
	for n in $(seq 0 15); do
		echo "host-$n" $(pkeys "host-$n")
	done
}

guid() { peer "host-$1" ibstat | sed -n 's/.*Port GUID: *//p'; }

enforcing() {   # how many of the two leaf ports by host-0 enforce partitions both ways
	local n=0
	for p in 1 2; do
		peer host-0 smpquery -D portinfo 0,1 $p >"$dir/pi"
		[ "$(grep -c 'PartEnforce\(Inb\|Outb\):\.*1' "$dir/pi")" = 2 ] && n=$((n + 1))
	done
	echo $n
}

# ---- opensm ----
serve
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
LD_LIBRARY_PATH=$libs "$build/heddle-sim" exec --name $name --node host-0 -- "$opensm" -F "$dir/opensm.conf" -f "$dir/opensm.log" \
	-P "$dir/partitions.conf" >"$dir/opensm.out" 2>&1 &
manager=$!
within 60 right
report $? "opensm brings the fabric up"
within 30 grep -q 'SUBNET UP' "$dir/opensm.log"
tables >"$dir/opensm.tables"
[ "$(sort -u "$dir/opensm.tables" | wc -l)" = 16 ] && grep -q '^host-1 .*0x8010' "$dir/opensm.tables"
report $? "opensm has read the partitions"
finish

# ---- heddled ----
serve
"$build/heddle-sim" exec --name $name --node host-0 -- "$build/heddled" -F /dev/null --Pconfig "$dir/partitions.conf" \
	>"$dir/heddled.log" 2>&1 &
manager=$!
within 60 right
report $? "heddled brings the fabric up"
within 30 grep -q 'SUBNET UP' "$dir/heddled.log"
tables >"$dir/heddled.tables"
diff "$dir/opensm.tables" "$dir/heddled.tables" >"$dir/diff"
report $? "every host has the same P_Keys"
sed 's/^/# /' "$dir/diff"
[ "$(peer host-8 smpquery -D pkeys 0 | sed -n 's/^ *0: *\(0x....\).*/\1/p')" = 0x8001 ]
report $? "indx0 puts a P_Key at index 0"
[ "$(enforcing)" = 2 ]
report $? "leaf ports enforce partitions"
peer host-12 saquery -N | grep -q 'NodeRecord dump'
report $? "a limited member is answered through the switch that enforces"

cp "$dir/partitions.conf" "$dir/good"
echo 'Default=0x7fff : ALL=ful1 ;' >"$dir/partitions.conf"
kill -HUP "$manager"
within 10 grep -q 'stays as it was' "$dir/heddled.log"
report $? "a broken file is refused"
grep -q 'partitions.conf:1: expected full, limited or both' "$dir/heddled.log"
report $? "with file, line and what was expected"
sleep 1
tables | diff "$dir/heddled.tables" - >/dev/null
report $? "and changes nothing"

{ echo "first=0x2 : ALL=full ;"; cat "$dir/good"; } >"$dir/partitions.conf"
before=$(peer host-1 smpquery -D pkeys 0 | sed -n 's/^ *0: *//p')
kill -HUP "$manager"
joined() { pkeys host-12 | grep -qx 0x8002; }
within 20 joined
report $? "a new partition arrives without a restart"
case $(peer host-1 smpquery -D pkeys 0 | sed -n 's/^ *0: *//p') in
"${before%% 0x0000*} 0x8002"*) true ;;
*) false ;;
esac
report $? "behind the others: each P_Key stays at its index"

"$build/heddled" --check-config -F /dev/null --Pconfig /dev/null/none >/dev/null 2>"$dir/err"
[ $? = 2 ] && grep -q '/dev/null/none' "$dir/err"
report $? "a file that is named must be there"
finish
echo "1..$count"
