#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The same qos_* keys, given to the distribution's opensm and to heddled on the same simulated fabric: the distribution's smpquery
# finds the same SLtoVL and VLArbitration tables and limits in every port, and its saquery is told the same by both managers.
# Then heddled again: a new one writes nothing, and what use_optimized_slvl writes is the same.
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
name=l$$
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
	"$build/heddle-sim" serve --name $name --topology fattree:k=4,levels=2 >"$dir/sim.out" 2>"$dir/sim.err" &
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
		2>>"$dir/err"
}

right() {       # everything linked is ACTIVE, every walk arrives
	local sum
	sum=$("$build/heddle-sim" ctl --name $name summary) || return 1
	[ "$(printf '%s\n' "$sum" | sed -n 's/^ports active: //p')" = 32 ] && printf '%s\n' "$sum" | grep -qx 'walks lost: 0'
}

port() {        # port NODE ROUTE PORT: its tables and limit, as smpquery shows them to a program on NODE
	peer "$1" smpquery -D sl2vl "$2" "$3" | grep '^ports:'
	peer "$1" smpquery -D vlarb "$2" "$3" | grep -v '^# VLArb'
	peer "$1" smpquery -D portinfo "$2" "$3" | grep -E '^(VLHighLimit|OperVLs)'
}

hardware() {    # every port's: each host's, and those of its leaf; then of two cores
	for n in 0 1 2 3 4 5 6 7; do
		echo "host-$n"
		port host-$n 0 1
	done
	for n in 0 2 4 6; do
		for p in 1 2 3 4; do
			echo "leaf of host-$n, port $p"
			port host-$n 0,1 $p
		done
	done
	for c in 3 4; do
		for p in 1 2 3 4; do
			echo "core $c, port $p"
			port host-0 0,1,$c $p
		done
	done
}

registers() {   # the same from within
	for n in $("$build/heddle-sim" ctl --name $name nodes | grep -o '0x[0-9a-f]\{16\}'); do
		for p in 1 2 3 4; do
			echo "$n:$p"
			"$build/heddle-sim" ctl --name $name lanes "$n:$p" 2>/dev/null
		done
	done
}

# What saquery lists of SL2VL (or VLAR), a line each, GUIDs in the place of LIDs.  opensm lists zeros, too, where a port has no table:
# port 0 of a switch as output, blocks beyond the eight entries.
told() {
	peer host-1 saquery -N >"$dir/nodes"
	peer host-1 saquery "$1" | awk -v nodes="$dir/nodes" '
		BEGIN {
			while ((getline line < nodes) > 0) {
				n = split(line, f, /\.\.+/)
				sub(/^[ \t]*/, "", f[1])
				if (f[1] == "lid") lid = f[n]
				if (f[1] == "port_guid") guid[lid] = f[n]
				if (f[1] == "node_type") sw[lid] = f[n] ~ /Switch/
			}
		}
		function out() {
			if (row != "" && !(port == 0 && sw[lid]) && block != 2 && block != 4) print row
			row = ""
		}
		/dump:/ { out() }
		{ n = split($0, f, /\.\.+/) ; gsub(/[ \t]/, "", f[1]) }
		f[1] == "LID" { lid = f[n] + 0; row = guid[lid]; if (row == "") row = "nobody"; block = 0 }
		f[1] == "InPort" || f[1] == "OutPort" || f[1] == "Port" || f[1] == "Block" { row = row " " f[n] }
		f[1] == "OutPort" || f[1] == "Port" { port = f[n] + 0 }
		f[1] == "Block" { block = f[n] + 0 }
		/VL *:|Weight:/ { gsub(/ /, ""); row = row " " $0 }
		END { out() }' | sort
}

keys='qos_max_vls 15
qos_high_limit 3
qos_swe_high_limit 5
qos_vlarb_high 1:10,9:20
qos_ca_vlarb_low 0:1,1:2,2:3,3:4,4:5,5:6,6:7,7:8,8:9,9:10
qos_ca_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
qos_swe_sl2vl 1,0,3,2,5,4,7,6,14,15,12,13,10,11,8,9'
{ echo 'force_log_flush TRUE'; echo "$keys"; } >"$dir/opensm.conf"
printf '%s\n' "$keys" | sed 's/ / = "/; s/$/"/' >"$dir/heddled.conf"

heddled() {     # heddled OPTION...
	: >"$dir/heddled.log"
	"$build/heddle-sim" exec --name $name --node host-0 -- "$build/heddled" -F "$dir/heddled.conf" -Q -v "$@" >>"$dir/heddled.log" 2>&1 &
	manager=$!
	within 60 right && within 30 grep -q 'SUBNET UP' "$dir/heddled.log"
}

# ---- opensm ----
serve
LD_LIBRARY_PATH=$libs "$build/heddle-sim" exec --name $name --node host-0 -- "$opensm" -Q -F "$dir/opensm.conf" -f "$dir/opensm.log" \
	>"$dir/opensm.out" 2>&1 &
manager=$!
within 60 right && within 30 grep -q 'SUBNET UP' "$dir/opensm.log"
report $? "opensm brings the fabric up"
hardware >"$dir/opensm.hw"
registers >"$dir/opensm.regs"
told SL2VL >"$dir/opensm.sl2vl"
told VLAR >"$dir/opensm.vlar"
[ "$(grep -c '^ports: in' "$dir/opensm.hw")" = 128 ] && grep -q 'VLHighLimit:\.*5' "$dir/opensm.hw"
report $? "and has written tables"
[ "$(wc -l <"$dir/opensm.sl2vl")" = 128 ] && [ "$(wc -l <"$dir/opensm.vlar")" = 64 ]
report $? "and tells of them"
finish

# ---- heddled ----
serve
heddled
report $? "heddled brings the fabric up"
hardware >"$dir/heddled.hw"
diff "$dir/opensm.hw" "$dir/heddled.hw" >"$dir/diff"
report $? "the same tables and limits in every port"
head -n 20 "$dir/diff" | sed 's/^/# /'
registers >"$dir/heddled.regs"
[ "$(grep -c '^sl2vl' "$dir/opensm.regs")" = 128 ] && diff "$dir/opensm.regs" "$dir/heddled.regs" >"$dir/diff"
report $? "the same registers"
head -n 20 "$dir/diff" | sed 's/^/# /'
told SL2VL >"$dir/heddled.sl2vl"
diff "$dir/opensm.sl2vl" "$dir/heddled.sl2vl" >"$dir/diff"
report $? "saquery SL2VL: the same"
head -n 20 "$dir/diff" | sed 's/^/# /'
told VLAR >"$dir/heddled.vlar"
diff "$dir/opensm.vlar" "$dir/heddled.vlar" >"$dir/diff"
report $? "saquery VLAR: the same"
head -n 20 "$dir/diff" | sed 's/^/# /'
[ "$(peer host-1 saquery SL2VL 1/0 | grep -c 'InPort')" -ge 1 ] && [ "$(peer host-1 saquery VLAR 1//3 | grep -c 'Block\.*3')" -ge 1 ]
report $? "by LID and port or block"
kill -9 "$manager"
wait "$manager" 2>/dev/null
"$build/heddle-sim" exec --name $name --node host-0 -- timeout 60 "$build/heddled" -F "$dir/heddled.conf" -Q --once \
	--report "$dir/report" >"$dir/once.log" 2>&1
report $? "a new manager, once"
grep -q '"SLtoVLMappingTable": 128' "$dir/report" && grep -q '"VLArbitrationTable": 64' "$dir/report"
report $? "reads every table and writes none"
finish

serve
heddled --set use_optimized_slvl=TRUE
report $? "with use_optimized_slvl"
hardware >"$dir/optimized.hw"
diff "$dir/opensm.hw" "$dir/optimized.hw" >"$dir/diff"
report $? "the same tables again"
head -n 20 "$dir/diff" | sed 's/^/# /'
finish

# ---- without ----
serve
"$build/heddle-sim" exec --name $name --node host-0 -- timeout 60 "$build/heddled" -F "$dir/heddled.conf" --once \
	--report "$dir/report" >"$dir/once.log" 2>&1
report $? "without -Q, once"
grep -q 'PortInfo' "$dir/report" && ! grep -Eq 'SLtoVL|VLArb' "$dir/report"
report $? "nothing is asked or written"
finish
echo "1..$count"
