#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The whole product on the simulated fabric: heddled as a daemon, the distribution's tools, a fabric
# that changes, two managers, OpenSM as the other manager.  `heddle-sim ctl summary`, which reads
# the registers of the switches, decides whether the fabric is right. HEDDLE_PEERS names a directory
# into which opensm and infiniband-diags are unpacked.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin opensm ibnetdiscover

peer() {        # peer NODE TOOL ARGUMENT...: runs a tool of the distribution there
	peer_on "$@" 2>"$dir/out"
}

start() {       # start NODE [OPTION...]: starts heddled there, and does not wait
	local node=$1
	shift
	spawn "$node" "$dir/log-$node" "$build/heddled" -F /dev/null --set sm_key=1 "$@"
}

# heddled and opensm share a subnet if both have the same keys (docs/security.md).
keys="--set m_key=0x5ec4e75c5ec4e75c"
cat >"$dir/opensm.conf" <<END
force_log_flush TRUE
m_key 0x5ec4e75c5ec4e75c
m_key_lease_period 60
m_key_protection_level 1
END
echo 'force_log_flush TRUE' >"$dir/keyless.conf"        # otherwise "SUBNET UP" stays in its buffer
start_opensm() { # start_opensm [OPTION...]: on host-3
	rm -f "$dir/opensm.log"
	opensm_start host-3 -F "$dir/opensm.conf" -f "$dir/opensm.log" "$@"
}

right_within() { # right_within SECONDS
	within "$1" fabric_right && return
	{ cat "$dir/summary"; tail -n 15 "$dir"/log-*; } >"$dir/out" 2>&1
	return 1
}

is() {          # is NODE WORD: whether the manager there reports this state
	on "$1" "$build/heddlectl" status >"$dir/out" 2>&1
	grep -Eq "^SM State *: *$2([^A-Za-z]|\$)" "$dir/out"
}

# ---- a tree comes up, and the distribution's tools find it so ----
fabric_start fattree:k=4,levels=3
start host-0 -s 2
on host-0 "$build/heddlectl" wait up --timeout 30 >/dev/null
report $? "heddlectl waits until the fabric is up"
fabric_right
report $? "every port is ACTIVE and has a LID, every walk arrives" "$dir/summary"

peer host-5 ibnetdiscover >"$dir/net"
report $? "ibnetdiscover reads the fabric"
[ "$(grep -c '^Switch' "$dir/net")" = 20 ] && [ "$(grep -c '^Ca' "$dir/net")" = 16 ]
report $? "ibnetdiscover finds 20 switches and 16 hosts"
! grep -q 'lid 0 ' "$dir/net"
report $? "ibnetdiscover finds no LID 0"
peer host-5 iblinkinfo >"$dir/links"
[ "$(grep -c 'Active/ *LinkUp' "$dir/links")" = 96 ]
report $? "iblinkinfo finds 96 active ports"
peer host-5 ibstat | grep -q 'State: Active'
report $? "ibstat on a host prints Active"
lid=$(peer host-5 ibstat | sed -n 's/.*Base lid: //p')
peer host-5 smpquery portinfo "$lid" 1 | grep -q 'LinkState:.*Active'
report $? "smpquery by LID"
peer host-5 smpquery -D nodeinfo 0,1 | grep -q 'NodeType:.*Switch'
report $? "smpquery by directed route"
peer host-5 sminfo | grep -q 'SMINFO_MASTER'
report $? "sminfo finds the master"
sm_lid=$(peer host-0 ibstat | sed -n 's/.*Base lid: //p')
peer host-5 perfquery "$sm_lid" 1 | grep -q 'PortXmitPkts'
report $? "perfquery by LID"

peer host-5 saquery -N >"$dir/nodes"
[ "$(grep -c 'NodeRecord dump' "$dir/nodes")" = 36 ]
report $? "saquery -N: 36 node records"
peer host-5 saquery -p >"$dir/paths"
[ "$(grep -c 'PathRecord dump' "$dir/paths")" -ge 36 ]
report $? "saquery -p: path records"
peer host-5 saquery --src-to-dst "$lid:$sm_lid" | grep -q 'mtu.*0x8[45]'
report $? "saquery --src-to-dst: one path with an MTU"

# the distribution's ibtracert follows the tables from every host to every other
lids=$(sed -n 's/^Ca.*# "host.*//p; s/^\[1\](.*# lid \([0-9]*\) lmc.*/\1/p' "$dir/net" | sort -un)
bad=0
for a in $(printf '%s\n' $lids | head -n 3); do
	for b in $lids; do
		[ "$a" = "$b" ] && continue
		peer host-5 ibtracert "$a" "$b" | grep -q "^To ca" || { bad=$((bad + 1)); echo "# ibtracert $a $b: $(cat "$dir/out")"; }
	done
done
[ "$(printf '%s\n' $lids | wc -l)" = 16 ] && [ $bad = 0 ]
report $? "ibtracert reaches every host"
peer_spawn host-9 /dev/null ibping -S
lid9=$(peer host-9 ibstat | sed -n 's/.*Base lid: //p')
pong() { peer host-5 ibping -c 1 "$lid9" | grep -q Pong; }
within 10 pong
peer host-5 ibping -c 3 -f "$lid9" | grep -q '3 packets transmitted, 3 received, 0% packet loss'
report $? "ibping between two hosts"
on host-0 "$build/heddlectl" trace host-5 host-9 >"$dir/trace" && grep -q host-9 "$dir/trace"
report $? "heddlectl trace"
on host-0 "$build/heddlectl" --json snapshot | grep -q '"nodes"'
report $? "heddlectl snapshot"

# ---- the fabric changes ----
ctl ports leaf-1-0
far=$(sed -n 's/^ *3 .* \([^ ]*\)$/\1/p' "$dir/ctl")
ctl pull leaf-1-0:3
sleep 1
right_within 8
report $? "a cable between switches pulled: right again"
"$sim" ctl --name "$name" plug leaf-1-0:3 "$far" >"$dir/out" 2>&1
report $? "the cable plugged in again: right again"
sleep 1
right_within 8
report $? "every port is up with the cable"
ctl reboot agg-2-1 --down 1000
sleep 2.5
right_within 8
report $? "a switch rebooted: right again"
ctl reboot leaf-3-1 --down 200
sleep 1.5
right_within 8
report $? "a leaf rebooted at once: right again"
ctl reboot host-11 --down 300
sleep 1.5
right_within 8
report $? "a host rebooted: right again"
ctl power core-0-1 off
sleep 1
right_within 8
report $? "a core switch switched off: right again"
ctl power core-0-1 on
sleep 1
right_within 8
report $? "the core switch switched on: right again"
ctl pull host-12:1
sleep 0.5
"$sim" ctl --name "$name" add-host newcomer --to leaf-3-0:1 >"$dir/out" 2>&1
report $? "a new host plugged in where one was pulled"
sleep 1
right_within 8
report $? "every port is up with the new host"
kill -HUP "$(on host-0 "$build/heddlectl" --json status | sed -n 's/.*"pid": *\([0-9]*\).*/\1/p' | head -n 1)"
sleep 1
is host-0 Master
report $? "SIGHUP reads the configuration again and goes on"
fabric_stop

# ---- two managers ----
fabric_start fattree:k=4,levels=3
start host-0 -s 2 -p 3 $keys
first=$last
within 20 is host-0 Master
start host-7 -s 2 -p 2 $keys
within 20 is host-7 Standby
report $? "a second heddled stands by"
is host-0 Master && fabric_right
report $? "the first one stays master"
kill -9 "$first"
within 20 is host-7 Master
report $? "the standby takes over when the master is killed"
right_within 10
report $? "the fabric is right after the takeover"
start_opensm
within 20 grep -q 'Entering STANDBY' "$dir/opensm.log"
report $? "opensm stands by for heddled"
is host-7 Master
report $? "heddled stays master beside opensm"
fabric_stop

fabric_start fattree:k=4,levels=3
start host-7 -s 2 $keys
within 20 is host-7 Master
start_opensm -p 9
within 20 is host-7 Standby
report $? "heddled hands over to an opensm of higher priority"
within 10 grep -q 'Entering MASTER' "$dir/opensm.log"
sleep 1
right_within 10
report $? "opensm is master, the fabric is right"
start host-9 -s 2 -p 12 $keys
within 30 is host-9 Master
report $? "opensm hands over to a heddled of higher priority"
right_within 10
report $? "the fabric is right after the hand-over"
fabric_stop

fabric_start fattree:k=4,levels=3
start host-7 -s 2 $keys --set sm_key=0x5ec4e751
within 20 is host-7 Master
start_opensm -p 9 -k 0x5ec4e751
within 20 is host-7 Standby
report $? "heddled hands over to an opensm that has its SM_Key"
fabric_stop

fabric_start fattree:k=4,levels=3
start host-7 -s 2 $keys --set sm_key=0x5ec4e751
within 20 is host-7 Master
start_opensm -p 9
another_key() { on host-7 "$build/heddlectl" status | grep -q '^Other SM .*priority 9.*has another SM_Key'; }
within 20 another_key && is host-7 Master
report $? "heddled does not hand over to one with another SM_Key, and its status reports that"
fabric_stop

fabric_start fattree:k=4,levels=3
start_opensm -p 9
within 20 grep -q 'SUBNET UP' "$dir/opensm.log" && right_within 10
report $? "the distribution's opensm brings the same fabric up"
start host-7 -s 2 -p 2 $keys
within 20 is host-7 Standby
report $? "heddled stands by for opensm"
fabric_right
report $? "a standby heddled writes nothing" "$dir/summary"
kill -9 "$manager"
within 30 is host-7 Master
report $? "heddled takes over when opensm is killed"
right_within 10
report $? "the fabric is right after the takeover"
fabric_stop

# ---- an opensm without keys: heddled does not hand over to it; after a release it takes over ----
fabric_start fattree:k=4,levels=3
spawn host-7 "$dir/log-host-7" "$build/heddled" -F /dev/null -s 2
within 20 is host-7 Master
peer_on host-5 smpquery -K -D PI 0 1 >"$dir/out" 2>&1
grep -q 'Mkey:\.*0x0000000000000000' "$dir/out" && grep -q 'ProtectBits:\.*1' "$dir/out" && grep -q 'MkeyLeasePeriod:\.*60' "$dir/out"
report $? "ports are protected by default, and their keys are hidden"
peer_on host-5 sminfo >"$dir/out" 2>&1
grep -q 'priority 0 state 3 SMINFO_MASTER' "$dir/out"
report $? "the distribution's tools read as before"
peer_on host-5 ibportstate -D 0,1 3 disable >"$dir/out" 2>&1
fabric_right
report $? "a host without the key cannot write"
rm -f "$dir/opensm.log"
opensm_start host-3 -F "$dir/keyless.conf" -f "$dir/opensm.log" -p 9
sleep 3
is host-7 Master && fabric_right
report $? "heddled does not hand over to an opensm without the keys"
kill -9 "$manager"
on host-7 "$build/heddlectl" release --timeout 20 >"$dir/out" 2>&1
report $? "heddlectl release ends when every port is released"
is host-7 'Not Active' && grep -q '^M_Key .*36 unprotected' "$dir/out"
report $? "heddled reports the release and that it is not master"
rm -f "$dir/opensm.log"
opensm_start host-3 -F "$dir/keyless.conf" -f "$dir/opensm.log"
within 20 grep -q 'SUBNET UP' "$dir/opensm.log" && right_within 10
report $? "opensm takes over"
kill -9 "$manager"
on host-7 "$build/heddlectl" resume && within 10 is host-7 Master && right_within 10
report $? "heddled takes over after heddlectl resume"
protected() { on host-7 "$build/heddlectl" status | grep -q '^M_Key .*per port.*: 36 ports protected$'; }
within 10 protected
report $? "heddled protects every port again"
fabric_stop

# ---- misbehaving nodes: the rest comes up, exit 3, the report names the node ----
for kind in mute wrong-modifier wrong-attribute wrong-status random-bytes; do
	fabric_start fattree:k=4,levels=3
	ctl misbehave core-1-0 $kind
	on host-0 "$build/heddled" -F /dev/null --once --report "$dir/report.json" >"$dir/out" 2>&1
	status=$?
	fabric_right
	[ $status = 3 ] && [ "$(number 'ports active')" -ge 88 ]
	report $? "$kind: exit 3, the rest is up ($(number 'ports active') of 96 ports)"
	sed -n '/"failed"/,/"verify"/p' "$dir/report.json" | grep -q '"reason"'
	report $? "$kind: the report names what failed"
	fabric_stop
done

# ---- invalid starts ----
fabric_start mesh:2x2,hosts=1
on host-0 "$build/heddled" -F /dev/null --once -R minhop,nonesuch >"$dir/out" 2>&1
[ $? = 2 ]
report $? "an unknown engine is an error of the command line: exit 2"
on host-0 "$build/heddled" -F /dev/null --once -C nosuchca >"$dir/out" 2>&1
[ $? = 255 ]
report $? "no such device: exit 255"
fabric_stop
fabric_start torus:4x4,hosts=2
on host-0 "$build/heddled" -F /dev/null --once -R minhop,no_fallback --report "$dir/report.json" >"$dir/out" 2>&1
status=$?
fabric_right
[ $status = 1 ] && [ "$(number 'ports active')" = 0 ] && grep -q 'minhop' "$dir/report.json" && grep -q 'cycle' "$dir/report.json"
report $? "a cyclic plan is refused: exit 1, engine and cycle named, nothing written"
lib_end
