#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The same qos_* keys for the distribution's opensm and for heddled on the same simulated fabric:
# the distribution's smpquery finds the same SL-to-VL and VL arbitration tables and limits in every
# port, and its saquery gets the same records from both managers.  Then a heddled that starts again
# writes nothing, and use_optimized_slvl writes the same tables. HEDDLE_PEERS names a directory into
# which opensm and infiniband-diags are unpacked.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin opensm smpquery saquery

peer() { peer_on "$@" 2>>"$dir/err"; }

port() {        # port NODE ROUTE PORT: prints its tables and limit, read with smpquery on NODE
	peer "$1" smpquery -D sl2vl "$2" "$3" | grep '^ports:'
	peer "$1" smpquery -D vlarb "$2" "$3" | grep -v '^# VLArb'
	peer "$1" smpquery -D portinfo "$2" "$3" | grep -E '^(VLHighLimit|OperVLs)'
}

hardware() {    # prints the tables of the ports of all hosts, of their leaves and of two cores
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

registers() {   # prints the same tables from the registers of the simulator
	for n in $("$sim" ctl --name "$name" nodes | grep -o '0x[0-9a-f]\{16\}'); do
		for p in 1 2 3 4; do
			echo "$n:$p"
			"$sim" ctl --name "$name" lanes "$n:$p" 2>/dev/null
		done
	done
}

# Prints the SL2VL (or VLAR) records of saquery, one per line, with GUIDs instead of LIDs.  opensm
# has records of zeros, too, where a port has no table: port 0 of a switch as output port, and
# blocks beyond the eight entries.
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
	manager_start host-0 -F "$dir/heddled.conf" -Q -v "$@"
	within 60 fabric_right 32
}

# ---- opensm ----
fabric_start fattree:k=4,levels=2
opensm_start host-0 -Q -F "$dir/opensm.conf" -f "$dir/opensm.log"
within 60 fabric_right 32 && within 30 grep -q 'SUBNET UP' "$dir/opensm.log"
report $? "opensm brings the fabric up"
hardware >"$dir/opensm.hw"
registers >"$dir/opensm.regs"
told SL2VL >"$dir/opensm.sl2vl"
told VLAR >"$dir/opensm.vlar"
[ "$(grep -c '^ports: in' "$dir/opensm.hw")" = 128 ] && grep -q 'VLHighLimit:\.*5' "$dir/opensm.hw"
report $? "opensm has written tables"
[ "$(wc -l <"$dir/opensm.sl2vl")" = 128 ] && [ "$(wc -l <"$dir/opensm.vlar")" = 64 ]
report $? "saquery has records of them"
fabric_stop

# ---- heddled ----
fabric_start fattree:k=4,levels=2
heddled
report $? "heddled brings the fabric up"
hardware >"$dir/heddled.hw"
same "$dir/opensm.hw" "$dir/heddled.hw" "the same tables and limits in every port"
registers >"$dir/heddled.regs"
[ "$(grep -c '^sl2vl' "$dir/opensm.regs")" = 128 ]
report $? "all registers were read" "$dir/opensm.regs"
same "$dir/opensm.regs" "$dir/heddled.regs" "the same registers"
told SL2VL >"$dir/heddled.sl2vl"
same "$dir/opensm.sl2vl" "$dir/heddled.sl2vl" "saquery SL2VL: the same"
told VLAR >"$dir/heddled.vlar"
same "$dir/opensm.vlar" "$dir/heddled.vlar" "saquery VLAR: the same"
[ "$(peer host-1 saquery SL2VL 1/0 | grep -c 'InPort')" -ge 1 ] && [ "$(peer host-1 saquery VLAR 1//3 | grep -c 'Block\.*3')" -ge 1 ]
report $? "queries by LID and port or block"
kill -9 "$manager"
wait "$manager" 2>/dev/null
on host-0 "$build/heddled" -F "$dir/heddled.conf" -Q --once \
	--report "$dir/report" >"$dir/once.log" 2>&1
report $? "a second heddled brings the fabric up"
grep -q '"SLtoVLMappingTable": 128' "$dir/report" && grep -q '"VLArbitrationTable": 64' "$dir/report"
report $? "it reads every table and writes none"
fabric_stop

fabric_start fattree:k=4,levels=2
heddled --set use_optimized_slvl=TRUE
report $? "heddled with use_optimized_slvl brings the fabric up"
hardware >"$dir/optimized.hw"
same "$dir/opensm.hw" "$dir/optimized.hw" "the same tables again"
fabric_stop

# ---- without QoS ----
fabric_start fattree:k=4,levels=2
on host-0 "$build/heddled" -F "$dir/heddled.conf" --once \
	--report "$dir/report" >"$dir/once.log" 2>&1
report $? "heddled without -Q brings the fabric up"
grep -q 'PortInfo' "$dir/report" && ! grep -Eq 'SLtoVL|VLArb' "$dir/report"
report $? "without -Q no table is read or written"
lib_end
