#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Nodes of a simulated fabric that are adapters elsewhere (heddle-sim serve --vca): here behind a
# socket, with the agent of the module and no kernel (vca-fake).  Managers and tools on other nodes
# must not see a difference.
# HEDDLE_PEERS names a directory into which opensm and infiniband-diags are unpacked: without it their part is skipped.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
lib_begin
wire=$dir/wire

ctl() { "$sim" ctl --name "$name" "$@" >"$dir/out" 2>&1; }
fake_start() {
	: >"$dir/fake"
	"$build/tests/system/vca-fake" "$wire" >"$dir/fake" 2>&1 &
	fake=$!
	pids="$pids $fake"
	lib_await "$dir/fake" '^ready$' $fake || lib_bail "vca-fake does not start"
}
end_all() {     # ends the programs in the order in which they were started
	for p in $pids; do kill -9 "$p" 2>/dev/null; done
	wait 2>/dev/null
	pids=
	rm -f "$wire"
	rm -rf "$dir/$name" "$dir/heddle-sim/$name"
}
lid_of() {      # lid_of NODE: prints the LID of its port 1
	ctl ports "$1"
	sed -n 's/^ *1 .* lid *\([0-9]*\).*/\1/p' "$dir/out"
}

spec=fattree:k=4,levels=2
fails 2 "a node that is none" "no node 'host-99'" "$sim" serve --name "$name" --topology $spec --vca host-99
fails 2 "a switch" "not a channel adapter" "$sim" serve --name "$name" --topology $spec --vca leaf-0-0
fails 2 "a node named twice" "named twice" "$sim" serve --name "$name" --topology $spec --vca host-1,host-1
fails 2 "no node" "no node is named" "$sim" serve --name "$name" --topology $spec --vca ,
fails 255 "a device that is not there" "cannot make an adapter of host-1" \
	"$sim" serve --name "$name" --topology $spec --vca host-1 --vca-device "$dir/none"
fails 255 "a device that is none" "cannot make an adapter of host-1" \
	"$sim" serve --name "$name" --topology $spec --vca host-1 --vca-device /dev/null

# ---- the same fabric with and without such adapters ----
fabric_start $spec
manager_start host-0
on host-7 "$build/ibnetdiscover" >"$dir/plain" 2>"$dir/out"
report $? "a fabric without such adapters, for comparison"
end_all

fake_start
fabric_start $spec --vca host-1,host-2 --vca-device "$wire"
manager_start host-0
within 20 fabric_right 32
report $? "heddled brings up a fabric of which two adapters are elsewhere" "$dir/summary"
on host-7 "$build/ibnetdiscover" >"$dir/net" 2>"$dir/out"
grep -v '^#' "$dir/plain" >"$dir/a"
grep -v '^#' "$dir/net" >"$dir/b"
diff "$dir/a" "$dir/b" >"$dir/out" && [ -s "$dir/b" ]
report $? "ibnetdiscover sees no difference"
lid=$(lid_of host-1)
on host-7 "$build/smpquery" portinfo "$lid" 1 >"$dir/out" 2>&1 && grep -q 'LinkState:.*Active' "$dir/out"
report $? "the agent of the adapter answers by LID"
on host-7 "$build/smpquery" pkeys "$lid" 1 >"$dir/out" 2>&1 && grep -q 0xffff "$dir/out"
report $? "the adapter has its partitions"
on host-7 "$build/perfquery" "$lid" 1 >"$dir/out" 2>&1 && grep -q PortXmitPkts "$dir/out"
report $? "its counters are those of the simulator"
on host-7 "$build/ibping" -c 3 "$lid" >"$dir/out" 2>&1 && grep -q '3 packets transmitted, 3 received' "$dir/out"
report $? "its programs are pinged through the switches"
fails 2 "no program can be started on it here" "its programs run there" "$sim" exec --name "$name" --node host-1 -- true
ctl stats && grep -q '^H-.* refused: 0' "$dir/out" && grep -q '^H-.* frames_in: [1-9]' "$dir/out" && ! grep -q '^H-.* \(refused\|lost\): [1-9]' "$dir/out"
report $? "no frame was refused or lost"
fails 2 "its agent cannot be made to misbehave" "elsewhere" "$sim" ctl --name "$name" misbehave host-1 mute

# ---- cables and power ----
ctl pull host-1:1
ctl summary && grep -qx 'ports linked: 30' "$dir/out"
report $? "its cable can be pulled"
peer=$("$sim" ctl --name "$name" ports leaf-0-0 | sed -n 's/^ *\([0-9]*\) .*/\1/p' | while read -r p; do
	"$sim" ctl --name "$name" ports leaf-0-0 | grep -q "^ *$p .* host-" || echo "$p"; done | grep -v '^0$' | head -n 1)
ctl plug "leaf-0-0:$peer" host-1:1
within 30 fabric_right 32
report $? "the cable is plugged in again: the manager brings the port up" "$dir/summary"
ctl power host-1 off
ctl stats && grep -q '^H-.* open: 0' "$dir/out"
report $? "a node that is off has no device"
ctl power host-1 on
within 30 fabric_right 32
report $? "the node is switched on: the device comes back" "$dir/summary"
ctl reboot host-2
within 30 fabric_right 32
report $? "a reboot is a new device" "$dir/summary"
kill -9 "$fake"
wait "$fake" 2>/dev/null
off() { ctl stats && ! grep -q '^H-.* open: 1' "$dir/out"; }
within 10 off && ctl summary
report $? "when the devices fail, their nodes go off and the other nodes stay up"
end_all

# ---- the same with OpenSM ----
if [ -n "$peers" ] && [ -x "$peers/usr/sbin/opensm" ]; then
	fake_start
	fabric_start $spec --vca host-1,host-2 --vca-device "$wire"
	peer_spawn host-0 "$dir/osm" opensm -f "$dir/osm.log"
	within 60 fabric_right 32
	report $? "OpenSM brings the fabric up" "$dir/summary"
	peer_on host-7 smpquery portinfo "$(lid_of host-2)" 1 >"$dir/out" 2>&1 && grep -q 'LinkState:.*Active' "$dir/out"
	report $? "the distribution's smpquery queries an adapter"
	end_all
else
	skip "OpenSM brings the fabric up" "HEDDLE_PEERS names no directory with opensm"
fi
lib_end
