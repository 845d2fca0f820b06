#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The whole product on the simulated fabric: heddled as a daemon, the distribution's tools as witnesses, a living fabric, two
# managers, OpenSM on the other side. The judge is `heddle-sim ctl summary`: it reads the switches' registers.
# HEDDLE_PEERS names a directory into which opensm and infiniband-diags are unpacked.
peers=${HEDDLE_PEERS:-}
build=${top_builddir:-.}
opensm=$peers/usr/sbin/opensm
if [ -z "$peers" ] || [ ! -x "$opensm" ] || [ ! -x "$peers/usr/sbin/ibnetdiscover" ]; then
	echo "1..0 # SKIP HEDDLE_PEERS names no directory with opensm and infiniband-diags"
	exit 0
fi
libs=$(dirname "$(find "$peers/usr/lib" -name 'libosmvendor.so.5' | head -n 1)"):$(dirname "$(find "$peers" -name 'libwrap.so.0' | head -n 1)")
dir=$(mktemp -d) || exit 99
export XDG_RUNTIME_DIR=$dir RUNTIME_DIRECTORY=$dir
unset STATE_DIRECTORY NOTIFY_SOCKET
name=t$$
sim=
pids=
cleanup() {
	[ -z "$pids" ] || kill -9 $pids 2>/dev/null
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

serve() {       # serve SPEC [OPTION...]
	local spec=$1
	shift
	: >"$dir/sim.out"
	"$build/heddle-sim" serve --name $name --topology "$spec" "$@" >"$dir/sim.out" 2>"$dir/sim.err" &
	sim=$!
	for _ in $(seq 200); do
		grep -qx ready "$dir/sim.out" && return 0
		sleep 0.05
	done
	sed 's/^/# /' "$dir/sim.err"
	echo "Bail out! heddle-sim does not serve $spec"
	exit 99
}

end_sim() {
	[ -z "$pids" ] || kill -9 $pids 2>/dev/null    # opensm may take its time over SIGTERM
	pids=
	kill "$sim" 2>/dev/null
	wait 2>/dev/null
	sim=
}

on() {          # on NODE COMMAND...
	local node=$1
	shift
	timeout 60 "$build/heddle-sim" exec --name $name --node "$node" -- "$@"
}

peer() {        # peer NODE TOOL ARGUMENT...: one of the distribution's
	local node=$1 tool=$2
	shift 2
	LD_LIBRARY_PATH=$libs on "$node" "$peers/usr/sbin/$tool" "$@" 2>"$dir/err"
}

start() {       # start NODE [OPTION...]: a heddled that stays
	local node=$1
	shift
	"$build/heddle-sim" exec --name $name --node "$node" -- "$build/heddled" -F /dev/null --set sm_key=1 "$@" >"$dir/log-$node" 2>&1 &
	pids="$pids $!"
	last=$!
}

echo 'force_log_flush TRUE' >"$dir/opensm.conf"        # else it keeps "SUBNET UP" to itself for long
start_opensm() { # start_opensm NODE [OPTION...]
	local node=$1
	shift
	LD_LIBRARY_PATH=$libs "$build/heddle-sim" exec --name $name --node "$node" -- "$opensm" -F "$dir/opensm.conf" \
		-f "$dir/opensm-$node.log" "$@" \
		>"$dir/opensm-$node.out" 2>&1 &
	pids="$pids $!"
	last=$!
}

ctl() { "$build/heddle-sim" ctl --name $name "$@"; }
number() { printf '%s\n' "$sum" | sed -n "s/^$1: //p"; }

right() {       # everything linked is ACTIVE, LIDs are unique, every walk arrives
	sum=$(ctl summary) || return 1
	[ "$(number 'ports linked')" -gt 0 ] && [ "$(number 'ports active')" = "$(number 'ports linked')" ] &&
		[ "$(number 'lids missing')" = 0 ] && [ "$(number 'lids duplicate')" = 0 ] && [ "$(number 'walks lost')" = 0 ]
}

right_within() { # right_within SECONDS
	local end=$((SECONDS + $1))
	until right; do
		if [ $SECONDS -ge $end ]; then
			printf '%s\n' "$sum" | sed 's/^/# /'
			sed 's/^/# /' "$dir"/log-* 2>/dev/null | tail -n 15
			return 1
		fi
		sleep 0.2
	done
}

state() { on "$1" "$build/heddlectl" status 2>/dev/null | sed -n 's/^SM State *: *\([A-Za-z]*\).*/\1/p'; }
becomes() {     # becomes NODE WORD SECONDS
	local end=$((SECONDS + $3))
	until [ "$(state "$1")" = "$2" ]; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.2
	done
}

# ---- a tree comes up and the distribution's tools agree ----
serve fattree:k=4,levels=3
start host-0 -s 2
on host-0 "$build/heddlectl" wait up --timeout 30 >/dev/null
report $? "heddlectl waits until the fabric is up"
right
report $? "every port ACTIVE, every LID set, every walk arrives"

peer host-5 ibnetdiscover >"$dir/net"
report $? "ibnetdiscover reads the fabric"
[ "$(grep -c '^Switch' "$dir/net")" = 20 ] && [ "$(grep -c '^Ca' "$dir/net")" = 16 ]
report $? "ibnetdiscover finds 20 switches and 16 hosts"
! grep -q 'lid 0 ' "$dir/net"
report $? "ibnetdiscover sees no LID 0"
peer host-5 iblinkinfo >"$dir/links"
[ "$(grep -c 'Active/ *LinkUp' "$dir/links")" = 96 ]
report $? "iblinkinfo sees 96 active ports"
peer host-5 ibstat | grep -q 'State: Active'
report $? "ibstat on a host says Active"
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

# every pair of hosts by the distribution's own walk over the tables
lids=$(sed -n 's/^Ca.*# "host.*//p; s/^\[1\](.*# lid \([0-9]*\) lmc.*/\1/p' "$dir/net" | sort -un)
bad=0
for a in $(printf '%s\n' $lids | head -n 3); do
	for b in $lids; do
		[ "$a" = "$b" ] && continue
		peer host-5 ibtracert "$a" "$b" | grep -q "^To ca" || { bad=$((bad + 1)); echo "# ibtracert $a $b: $(cat "$dir/err")"; }
	done
done
[ "$(printf '%s\n' $lids | wc -l)" = 16 ] && [ $bad = 0 ]
report $? "ibtracert reaches every host"
LD_LIBRARY_PATH=$libs "$build/heddle-sim" exec --name $name --node host-9 -- "$peers/usr/sbin/ibping" -S >/dev/null 2>&1 &
pids="$pids $!"
lid9=$(peer host-9 ibstat | sed -n 's/.*Base lid: //p')
for _ in $(seq 50); do peer host-5 ibping -c 1 "$lid9" | grep -q Pong && break; sleep 0.1; done
peer host-5 ibping -c 3 -f "$lid9" | grep -q '3 packets transmitted, 3 received, 0% packet loss'
report $? "ibping between two hosts"
on host-0 "$build/heddlectl" trace host-5 host-9 >"$dir/trace" && grep -q host-9 "$dir/trace"
report $? "heddlectl trace"
on host-0 "$build/heddlectl" --json snapshot | grep -q '"nodes"'
report $? "heddlectl snapshot"

# ---- the fabric lives ----
far=$(ctl ports leaf-1-0 | sed -n 's/^ *3 .* \([^ ]*\)$/\1/p')
ctl pull leaf-1-0:3 >/dev/null
sleep 1
right_within 8
report $? "a cable between switches pulled: right again"
ctl plug leaf-1-0:3 "$far" >/dev/null
report $? "and plugged in again"
sleep 1
right_within 8
report $? "right with the cable"
ctl reboot agg-2-1 --down 1000 >/dev/null
sleep 2.5
right_within 8
report $? "a switch rebooted: right again"
ctl reboot leaf-3-1 --down 200 >/dev/null
sleep 1.5
right_within 8
report $? "a leaf rebooted at once: right again"
ctl reboot host-11 --down 300 >/dev/null
sleep 1.5
right_within 8
report $? "a host rebooted: right again"
ctl power core-0-1 off >/dev/null
sleep 1
right_within 8
report $? "a core switch switched off: right again"
ctl power core-0-1 on >/dev/null
sleep 1
right_within 8
report $? "and on"
ctl pull host-12:1 >/dev/null
sleep 0.5
ctl add-host newcomer --to "leaf-3-0:1" >/dev/null
report $? "a new host plugged in where one was pulled"
sleep 1
right_within 8
report $? "right with the newcomer"
kill -HUP "$(on host-0 "$build/heddlectl" --json status | sed -n 's/.*"pid": *\([0-9]*\).*/\1/p' | head -n 1)"
sleep 1
[ "$(state host-0)" = Master ]
report $? "SIGHUP reads the configuration again and goes on"
end_sim

# ---- two managers ----
serve fattree:k=4,levels=3
start host-0 -s 2 -p 3
first=$last
becomes host-0 Master 20
start host-7 -s 2 -p 2
becomes host-7 Standby 20
report $? "a second heddled stands by"
[ "$(state host-0)" = Master ] && right
report $? "the first one stays master"
kill -9 "$first"
pkill -9 -P "$first" 2>/dev/null
becomes host-7 Master 20
report $? "the standby takes over when the master is killed"
right_within 10
report $? "and the fabric is right"
start_opensm host-3
for _ in $(seq 100); do grep -q 'Entering STANDBY' "$dir/opensm-host-3.log" && break; sleep 0.2; done
grep -q 'Entering STANDBY' "$dir/opensm-host-3.log"
report $? "opensm stands by for heddled"
[ "$(state host-7)" = Master ]
report $? "heddled stays master beside opensm"
end_sim

serve fattree:k=4,levels=3
start host-7 -s 2
becomes host-7 Master 20
start_opensm host-3 -p 9
becomes host-7 Standby 20
report $? "heddled hands over to an opensm of higher priority"
for _ in $(seq 50); do grep -q 'Entering MASTER' "$dir/opensm-host-3.log" && break; sleep 0.2; done
sleep 1
right_within 10
report $? "opensm is master, the fabric is right"
start host-9 -s 2 -p 12
becomes host-9 Master 30
report $? "opensm hands over to a heddled of higher priority"
right_within 10
report $? "and the fabric is right again"
end_sim

serve fattree:k=4,levels=3
start host-7 -s 2 --set sm_key=0x5ec4e751
becomes host-7 Master 20
start_opensm host-3 -p 9 -k 0x5ec4e751
becomes host-7 Standby 20
report $? "heddled hands over to an opensm that has its SM_Key"
end_sim

serve fattree:k=4,levels=3
start host-7 -s 2 --set sm_key=0x5ec4e751
becomes host-7 Master 20
start_opensm host-3 -p 9
for _ in $(seq 100); do on host-7 "$build/heddlectl" status | grep -q 'has another SM_Key' && break; sleep 0.2; done
on host-7 "$build/heddlectl" status | grep -q '^Other SM .*priority 9.*has another SM_Key' && [ "$(state host-7)" = Master ]
report $? "and nothing to one that has another, which its status names"
end_sim

serve fattree:k=4,levels=3
start_opensm host-3 -p 9
osm=$last
for _ in $(seq 100); do grep -q 'SUBNET UP' "$dir/opensm-host-3.log" && break; sleep 0.2; done
right_within 10
report $? "the distribution's opensm brings the same fabric up"
start host-7 -s 2 -p 2
becomes host-7 Standby 20
report $? "heddled stands by for opensm"
right
report $? "and leaves the fabric alone"
kill -9 "$osm"
pkill -9 -P "$osm" 2>/dev/null
becomes host-7 Master 30
report $? "heddled takes over when opensm is killed"
right_within 10
report $? "and the fabric is right"
end_sim

# ---- misbehaviour: the rest comes up, exit 3, the node is named ----
for kind in mute wrong-modifier wrong-attribute wrong-status random-bytes; do
	serve fattree:k=4,levels=3
	ctl misbehave core-1-0 $kind >/dev/null
	on host-0 "$build/heddled" -F /dev/null --once --report "$dir/report.json" >"$dir/out" 2>&1
	status=$?
	sum=$(ctl summary)
	[ $status = 3 ] && [ "$(number 'ports active')" -ge 88 ]
	report $? "$kind: exit 3, the rest is up ($(number 'ports active') of 96 ports)"
	sed -n '/"failed"/,/"verify"/p' "$dir/report.json" | grep -q '"reason"'
	report $? "$kind: the report names what failed"
	end_sim
done

# ---- bad starts ----
serve mesh:2x2,hosts=1
on host-0 "$build/heddled" -F /dev/null --once -R minhop,nonesuch >"$dir/out" 2>&1
[ $? = 2 ]
report $? "an unknown engine is an error of the command line: exit 2"
on host-0 "$build/heddled" -F /dev/null --once -C nosuchca >"$dir/out" 2>&1
[ $? = 255 ]
report $? "no such device: exit 255"
end_sim
serve torus:4x4,hosts=2
on host-0 "$build/heddled" -F /dev/null --once -R minhop --report "$dir/report.json" >"$dir/out" 2>&1
status=$?
sum=$(ctl summary)
[ $status = 1 ] && [ "$(number 'ports active')" = 0 ] && grep -q 'minhop' "$dir/report.json" && grep -q 'cycle' "$dir/report.json"
report $? "a cyclic plan is refused: exit 1, engine and cycle named, nothing written"
end_sim
echo "1..$count"
