#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The command line of heddle-sim, and a program on one of its hosts that checks every call of
# libibumad.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
unset RUNTIME_DIRECTORY HEDDLE_SIM_DIR         # it chooses a directory by itself
client=$build/tests/system/shim-client
stress=$build/tests/system/shim-stress
spec=fattree:k=4,levels=2

ctl() {
	"$sim" ctl --name "$name" "$@" >"$dir/out" 2>&1
}

fails 2 "a topology that is none: status 2" "fattree" "$sim" serve --name "$name" --topology fattree:k=5,levels=2
fails 2 "a topology file that is not there" "no-such" "$sim" serve --name "$name" --topology "$dir/no-such"
fails 2 "no name" "name" "$sim" serve --topology $spec
fails 2 "a name with a slash" "name" "$sim" serve --name a/b --topology $spec
fails 2 "a latency that is none" "latency" "$sim" serve --name "$name" --topology $spec --latency fast
printf '1 clear\n\n2 pull\n' >"$dir/script"
fails 2 "a script with a command that lacks its argument: file and line" "script: line 3: usage: pull" "$sim" serve --name "$name" \
	--topology $spec --faults "$dir/script"
printf '1 clear\nsoon clear\n' >"$dir/script"
fails 2 "a script with a time that is none" "script: line 2: 'soon'" "$sim" serve --name "$name" --topology $spec \
	--faults "$dir/script"
printf '1 fly\n' >"$dir/script"
fails 2 "a script with a command that is none" "script: line 1: no command 'fly'" "$sim" serve --name "$name" \
	--topology $spec --faults "$dir/script"
fails 2 "a script that is not there" "no-such" "$sim" serve --name "$name" --topology $spec --faults "$dir/no-such"
fails 2 "traffic that is none" "not one of uniform" "$sim" serve --name "$name" --topology $spec --traffic storm
fails 2 "no such subcommand" "subcommand" "$sim" server
fails 2 "no such server" "no server named" "$sim" ctl --name "$name" nodes
fails 2 "no such server for exec" "no server named" "$sim" exec --name "$name" -- true
fails 0 "--help" "^Usage" "$sim" --help
fails 0 "--version" "0\." "$sim" serve --version

printf '0 errors leaf-0-0:1 SymbolError=+5\n0.1 errors leaf-0-0:1 SymbolError=+6\n0.1 pull nobody:1\n+0.1 pull host-3:1\n' >"$dir/script"
fabric_start $spec --faults "$dir/script" --traffic "uniform --rate 5% --seconds 60"
fails 2 "a second server of the same name: status 2" "runs already" "$sim" serve --name "$name" --topology $spec
fails 2 "no such node" "no node 'host-99'" "$sim" exec --name "$name" --node host-99 -- true
fails 2 "no such port" "no such port" "$sim" exec --name "$name" --node host-0:7 -- true
fails 127 "no such command" "no-such-command" "$sim" exec --name "$name" -- no-such-command
fails 3 "the command's own status" "" "$sim" exec --name "$name" -- sh -c 'exit 3'

# shellcheck disable=SC2016
timeout 20 "$sim" exec --name "$name" --node host-1 -- sh -c '
	for d in "$STATE_DIRECTORY" "$RUNTIME_DIRECTORY" "$OSM_CACHE_DIR" "$OSM_TMP_DIR"; do
		[ -d "$d" ] && [ -w "$d" ] || echo "missing $d"; echo "$d" >>"$STATE_DIRECTORY/seen"; done
	echo "$STATE_DIRECTORY"' >"$dir/out" 2>&1
[ "$(wc -l <"$dir/out")" = 1 ] && [ "$(sort -u "$(cat "$dir/out")/seen" | wc -l)" = 4 ]
report $? "a node has four directories of its own"
kept=$(cat "$dir/out")
# shellcheck disable=SC2016
[ "$("$sim" exec --name "$name" --node 0x00fe1d0000000600 -- sh -c 'echo "$STATE_DIRECTORY"')" != "$kept" ] && [ -s "$kept/seen" ]
report $? "another node has other directories, and they persist"

# tests NAME SECONDS COMMAND...: runs a program that prints TAP on a host, and adds its tests
tests() {
	what=$1 most=$2
	shift 2
	timeout "$most" "$sim" exec --name "$name" -- "$@" >"$dir/client" 2>&1
	status=$?
	sed -n 's/^ok [0-9]* - /ok /p; s/^not ok [0-9]* - /not ok /p' "$dir/client" >"$dir/lines"
	while read -r line; do
		case $line in
		ok*) report 0 "${line#ok }" ;;
		*) : >"$dir/out"; report 1 "${line#not ok }" ;;
		esac
	done <"$dir/lines"
	cp "$dir/client" "$dir/out"
	[ $status = 0 ] && grep -q '^1\.\.' "$dir/client"
	report $? "$what"
}
tests "the client ran to its end" 120 "$client"
SHIM_SERVER=$fabric tests "and so did threads, forks and waiting in odd orders" 240 "$stress"
kill -CONT "$fabric"

# Commands of heddle-sim ctl.
trained() {     # trained NODE PEER: the link between them is up
	ctl ports "$1" && grep -q "Initialize.*$2" "$dir/out"
}
ctl nodes && [ "$(grep -c host- "$dir/out")" = 8 ]
report $? "ctl nodes"
ctl --json nodes && grep -q '"description": "leaf-0' "$dir/out"
report $? "ctl --json nodes"
ctl ports leaf-0-0 && grep -q 'Initialize.*host-0:1' "$dir/out"
report $? "ctl ports"
ctl pull host-0:1 && ctl ports host-0 && grep -q Down "$dir/out" && ! grep -q leaf "$dir/out"
report $? "ctl pull"
fails 2 "pulled twice: an error" "nothing is plugged in there" "$sim" ctl --name "$name" pull host-0:1
ctl plug host-0:1 leaf-0-0:1 && within 10 trained host-0 leaf-0-0:1
report $? "ctl plug"
fails 2 "plugged twice: an error" "connected already" "$sim" ctl --name "$name" plug host-0:1 leaf-0-0:1
ctl power host-1 off && ctl ports leaf-0-0 && grep -q '^ *2 *Down' "$dir/out" && ctl power host-1 on
report $? "ctl power"
ctl reboot host-2 --down 50
report $? "ctl reboot"
fails 2 "a port that is connected" "connected already" "$sim" ctl --name "$name" add-host new --to leaf-0-0:1
ctl pull host-1:1 && ctl add-host "a new host" --to leaf-0-0:2 && within 10 trained "a new host" leaf-0-0:2
report $? "ctl add-host"

# The effects of the script of faults.
pulled() { ctl ports host-3 && grep -q Down "$dir/out"; }
within 10 pulled
ctl counters leaf-0-0:1 SymbolError && grep -qx 'counters SymbolErrorCounter: 11' "$dir/out"
report $? "the script of faults ran to its end"
grep -q "script: line 3: no node 'nobody'" "$dir/sim"
report $? "the script reports what it could not do" "$dir/sim"
ctl traffic && grep -q 'kind: uniform' "$dir/out"
report $? "serve --traffic"
ctl --json counters leaf-0-0:1 && grep -q '"SymbolErrorCounter": 11' "$dir/out" && grep -q '"PortXmitData": 0' "$dir/out"
report $? "ctl --json counters"
ctl lanes leaf-0-0:1 && grep -qx 'sl2vl 2: 0,1,2,3,4,5,6,7,0,1,2,3,4,5,6,7' "$dir/out" &&
	grep -qx 'vlarb low: 0:1,1:1,2:1,3:1,4:1,5:1,6:1,7:1' "$dir/out" && grep -qx 'vlarb high: ' "$dir/out"
report $? "ctl lanes"
for command in "lanes host-0:1" "traffic permutation --rate 1000 --seed 7 --sl 2" "traffic hotspot --to host-0:1" "traffic off" \
	"errors host-0:1 RcvErrors=+3 VL15Dropped=2.5" "counters host-0:1 rcverrors" "drop 5" "drop 0.5% host-0" "dup 1" "reorder 1" "corrupt 0" "delay 10 1000" "delay 10 1000 leaf-0-0" \
	"misbehave leaf-0-0 mute" "misbehave leaf-0-0 wrong-status 0x11" "latency 100" "stats" "clear"; do
	# shellcheck disable=SC2086
	ctl $command
	report $? "ctl $command"
done
for command in "traffic storm" "traffic uniform --rate" "traffic uniform --rate 101%" "traffic uniform --seconds soon" \
	"traffic hotspot" "traffic hotspot --to leaf-0-0" "traffic uniform --sl 16" "traffic uniform --colour red" "errors host-0:1" \
	"errors host-0:1 Nonsense=1" "errors host-0:1 SymbolError=x" "errors host-0:1 SymbolError=-1" "errors host-0:9 SymbolError=1" \
	"lanes host-0" "lanes leaf-0-0:9" "counters host-0:1 Nonsense" "counters nobody:1" "drop 101" "drop x" "drop 5 nobody" "misbehave leaf-0-0 badly" "latency -1" "power host-0 maybe" \
	"reboot host-0 --down" "pull" "pull host-0" "fly"; do
	# shellcheck disable=SC2086
	fails 2 "ctl $command: an error" "." "$sim" ctl --name "$name" $command
done

# Programs that send garbage, and the end of the server.
timeout 60 "$sim" exec --name "$name" -- "$client" junk >"$dir/out" 2>&1
ctl stats
report $? "the server survives a program that writes garbage"
"$sim" exec --name "$name" -- sh -c 'kill -9 $$' 2>/dev/null
spawn host-0 "$dir/wait" "$client" wait
waiter=$last
spawn host-4 "$dir/epoll" "$stress" wait
within 5 grep -q waiting "$dir/wait" && within 5 grep -q waiting "$dir/epoll"
kill "$fabric"
wait "$fabric"
report $? "SIGTERM ends it with status 0" "$dir/sim"
wait "$waiter"
[ "$(tail -n 2 "$dir/wait" | tr '\n' ' ')" = "1 1 1 " ]
report $? "a program that waits gets -EIO" "$dir/wait"
wait "$last"
[ "$(tail -n 1 "$dir/epoll")" = "1 1" ]
report $? "a program that waits with epoll is woken" "$dir/epoll"
[ ! -e "$kept" ]
report $? "the directories of the nodes are removed"
lib_end
