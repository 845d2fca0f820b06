#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The distribution's perfquery, ibqueryerrors, ibccquery, ibccconfig, vendstat and ibsysstat on a
# simulated fabric: they print the contents of the registers of heddle-sim.  HEDDLE_PEERS as in
# sim-peers.sh.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin opensm perfquery

peer() {        # peer NODE TOOL [ARGUMENT...]: runs a program of the distribution there; output in out
	peer_on "$@" >"$dir/out" 2>&1
}

shows() {       # shows NAME LINE...: the output has each of these lines
	title=$1 bad=0
	shift
	for line; do grep -qxF -- "$line" "$dir/out" || { echo "# no line '$line'"; bad=1; }; done
	report $bad "$title"
}

dots() {        # dots LABEL VALUE: prints a field as these tools do
	printf '%s:' "$1"
	n=${#1}
	while [ "$n" -lt 32 ]; do printf .; n=$((n + 1)); done
	printf '%s\n' "$2"
}

register() {    # register NODE:PORT COUNTER: prints its value in the simulator
	ctl counters "$1" "$2" && awk '{ print $3; exit }' "$dir/ctl"
}

lid_of() {
	ctl ports "$1" && awk '{ for (i = 1; i < NF; i++) if ($i == "lid" && $(i + 1) > 0) { print $(i + 1); exit } }' "$dir/ctl"
}

printf '0 errors leaf-0-1:3 LinkErrorRecovery=+4 LocalLinkIntegrityErrors=+99\n+0.01 errors leaf-0-1:9 X=1\n' >"$dir/script"
fabric_start fattree:k=4,levels=2 --faults "$dir/script"
peer host-0 opensm -o -f "$dir/osm.log"
report $? "opensm brings the fabric up"
leaf=$(lid_of leaf-0-0) leaf1=$(lid_of leaf-0-1) host=$(lid_of host-0) other=$(lid_of host-1)

# The effects of the script, and its mistake.
peer host-0 perfquery "$leaf1" 3
shows "the script's errors are there, the 4-bit counter stops at 15" "$(dots LinkErrorRecoveryCounter 4)" "$(dots LocalLinkIntegrityErrors 15)"
grep -q 'script: line 2: ' "$dir/sim"
report $? "the script's mistake is named with its line" "$dir/sim"

# Errors, read with every option.
ctl errors leaf-0-0:3 SymbolErrorCounter=+17 LinkDownedCounter=+3 PortRcvErrors=+5 PortRcvRemotePhysicalErrors=+6 PortXmitConstraintErrors=+7 \
	PortRcvConstraintErrors=+8 ExcessiveBufferOverrunErrors=+9 VL15Dropped=+10 QP1Dropped=+11 PortXmitWait=+12 PortXmitDiscards=+13
cp "$dir/ctl" "$dir/out"
peer host-0 perfquery "$leaf" 3
shows "perfquery: PortCounters" "$(dots SymbolErrorCounter 17)" "$(dots LinkDownedCounter 3)" "$(dots PortRcvErrors 5)" \
	"$(dots PortRcvRemotePhysicalErrors 6)" "$(dots PortXmitConstraintErrors 7)" "$(dots PortRcvConstraintErrors 8)" \
	"$(dots ExcessiveBufferOverrunErrors 9)" "$(dots VL15Dropped 10)" "$(dots PortXmitWait 12)" "$(dots PortXmitDiscards 13)"
peer host-0 perfquery -x "$leaf" 3
shows "perfquery -x: PortCountersExtended" "$(dots SymbolErrorCounter 17)" "$(dots QP1Dropped 11)" "$(dots PortXmitWait 12)" \
	"$(dots VL15Dropped 10)"
peer host-0 perfquery -a "$leaf"
shows "perfquery -a: all ports" "$(dots PortSelect 255)" "$(dots SymbolErrorCounter 17)"
peer host-0 perfquery -l "$leaf" 3
shows "perfquery -l: port by port" "$(dots SymbolErrorCounter 17)"
peer host-0 perfquery -R "$leaf" 3 0x1
peer host-0 perfquery "$leaf" 3
shows "perfquery -R with a mask clears what is selected, and nothing else" "$(dots SymbolErrorCounter 0)" "$(dots LinkDownedCounter 3)"
[ "$(register leaf-0-0:3 SymbolError)" = 17 ]
report $? "the register still has the value"
peer host-0 perfquery -x "$leaf" 3
shows "and the extended view has its own zero" "$(dots SymbolErrorCounter 17)"
peer host-0 perfquery "$leaf" 99
grep -q . "$dir/out" && ! grep -q '^PortSelect' "$dir/out"
report $? "perfquery of an unknown port fails"
opensm_start host-0 -f "$dir/osm2.log"          # for the tools that query the SA
within 30 grep -q 'SUBNET UP' "$dir/osm2.log"
report $? "opensm runs" "$dir/opensm"
peer host-3 ibqueryerrors
grep -q 'GUID 0x0*fe1d0000000000 port 3:.*\[LinkDownedCounter == 3 .*\[PortXmitDiscards == 13 ' "$dir/out"
report $? "ibqueryerrors finds them"

# The counters of each option.
detail() {      # detail OPTION COUNTER LABEL: adds 21 to the counter and reads it
	ctl errors leaf-0-0:2 "$2=+21"
	peer host-0 perfquery "$1" "$leaf" 2
	shows "perfquery $1 shows $3" "$(dots "$3" 21)"
}
detail -X XmtDataSL5 XmtDataSL5
detail -S RcvDataSL15 RcvDataSL15
detail -D PortNeighborMTUDiscards PortNeighborMTUDiscards
detail -E PortMalformedPktErrors PortMalformedPktErrors
detail -T UnknownBlockCounter UnknownBlockCounter
detail --oprcvcounters PortOpRcvPkts PortOpRcvPkts
detail --flowctlcounters PortXmitFlowPkts PortXmitFlowPkts
detail --vloppackets PortVLOpPackets3 PortVLOpPackets3
detail --vlopdata PortVLOpData4 PortVLOpData4
detail --vlxmitcounters PortVLXmitWait2 PortVLXmitWait2
detail --swportvlcong SWPortVLCongestion7 SWPortVLCongestion7
detail --rcvcc PortPktRcvFECN PortPktRcvFECN
detail --slrcvfecn PortSLRcvFECN9 PortSLRcvFECN9
detail --slrcvbecn PortSLRcvBECN1 PortSLRcvBECN1
detail --xmitcc PortXmitTimeCong PortXmitTimeCong
detail --vlxmittimecc PortVLXmitTimeCong14 PortVLXmitTimeCong14
ctl errors leaf-0-0:2 PortVLXmitFlowCtlUpdateErrors6=+2
peer host-0 perfquery --vlxmitflowctlerrors "$leaf" 2
shows "perfquery --vlxmitflowctlerrors" "$(dots PortVLXmitFlowCtlUpdateErrors6 2)"
peer host-0 perfquery -c "$leaf" 2
shows "perfquery -c shows that no sample is taken" "$(dots SampleStatus 0)"

# Traffic: perfquery reads a value between two readings of the register, because MADs go on.
ctl traffic uniform --rate 20% --seconds 0.5
cp "$dir/ctl" "$dir/out"
shows "traffic runs" "traffic kind: uniform" "traffic offered_mbps: 320000" "traffic carried_mbps: 320000"
sleep 0.6
before=$(register host-5:1 PortXmitData)
peer host-0 perfquery -x "$(lid_of host-5)" 1
read=$(sed -n 's/^PortXmitData:\.*//p' "$dir/out")
after=$(register host-5:1 PortXmitData)
[ "$before" -gt 600000000 ] && [ "$read" -ge "$before" ] && [ "$after" -ge "$read" ]
report $? "perfquery reads the traffic of the register: $before <= $read <= $after"
ctl traffic hotspot --rate 100% --to host-1 --seconds 0.2
sleep 0.3
peer host-0 perfquery -x "$leaf" 2
[ "$(sed -n 's/^PortXmitWait:\.*//p' "$dir/out")" -gt 1000000 ]
report $? "a hot spot raises XmitWait of its switch"

# Congestion control.
peer host-0 ibccquery ClassPortInfo "$leaf"
shows "ibccquery ClassPortInfo" "$(dots ClassVersion 2)"
peer host-0 ibccquery CongestionInfo "$host"
shows "ibccquery CongestionInfo" "$(dots ControlTableCap 2)"
peer host-0 ibccconfig SwitchCongestionSetting "$leaf" 0x1f 0x1FF 0x0 0xF 8 0 0:0 1
peer host-0 ibccquery SwitchCongestionSetting "$leaf"
shows "ibccconfig and ibccquery SwitchCongestionSetting" "$(dots Control_Map 0x0000001f)" "$(dots Threshold 0x0f)" "$(dots Packet_Size 8)" \
	"$(dots Marking_Rate 1)"
peer host-0 ibccconfig SwitchPortCongestionSetting "$leaf" 3 1 0 15 8 7
peer host-0 ibccquery SwitchPortCongestionSetting "$leaf" 3
shows "ibccconfig and ibccquery SwitchPortCongestionSetting" "$(dots Valid 1)" "$(dots Cong_Parm_Marking_Rate 7)"
peer host-0 ibccconfig CACongestionSetting "$host" 0 0x3 150 1 0 0
peer host-0 ibccquery CACongestionSetting "$host"
shows "ibccconfig and ibccquery CACongestionSetting" "$(dots Control_Map 0x0003)" "$(dots CCTI_Timer 150)"
peer host-0 ibccconfig CongestionControlTable "$host" 1 0 0:5 1:6
peer host-0 ibccquery CongestionControlTable "$host"
shows "ibccconfig and ibccquery CongestionControlTable" "$(dots CCTI_Limit 1)" "$(dots CCT_Multiplier 6)"
ctl traffic hotspot --rate 100% --to host-1 --seconds 0.2
sleep 0.3
peer host-0 ibccquery CongestionLog "$leaf"
shows "the switch's log tells of the hot spot" "$(dots LogType 1)" "$(dots DLID "$other")"
peer host-0 ibccquery CongestionLog "$host"
shows "and the sender's" "$(dots LogType 2)" "$(dots Remote_LID_CN_Entry "$other")"
peer host-0 perfquery --rcvcc "$other" 1
[ "$(sed -n 's/^PortPktRcvFECN:\.*//p' "$dir/out")" -gt 0 ]
report $? "the receiver has counted congestion marks"
peer host-0 ibccconfig CongestionKeyInfo "$host" 0x1234 1 0 0
peer host-0 ibccquery CongestionKeyInfo "$host"
shows "the key is not shown to strangers" "$(dots CC_Key 0x0000000000000000)" "$(dots CC_KeyProtectBit 1)"
peer host-0 ibccquery -c 0x1234 CongestionKeyInfo "$host"
shows "but to who knows it" "$(dots CC_Key 0x0000000000001234)"
peer host-0 ibccquery Timestamp "$leaf"
grep -q '^Timestamp:' "$dir/out"
report $? "ibccquery Timestamp"

# Vendor classes.
peer host-0 vendstat -N "$leaf"
shows "vendstat -N" "hw_dev_rev:  0x0001" "fw_version:  00.01.00" "fw_psid:     'HEDDLE_SIM'"
peer host-0 vendstat -i "$leaf" 1
shows "vendstat -i" "2 counter groups" "group0 mask 0x7" "group1 mask 0x106"
peer host-0 vendstat -c 0,1 "$leaf" 1
report $? "vendstat -c"
peer_spawn host-1 "$dir/sysstat" ibsysstat -S
within 10 peer host-0 ibsysstat -t 200 "$other"
shows "ibsysstat reaches its server" "sysstat ping succeeded"
lib_end
