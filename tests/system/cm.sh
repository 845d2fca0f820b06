#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Connections on a simulated fabric: ibcmping and the echo service of heddled, with refused
# requests, lost datagrams, an occupied management class and peers that disappear.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
schemas=${top_srcdir:-$here/../..}/docs/schema
check=$build/tests/system/json-check

fabric_start fattree:k=4,levels=2
manager_start host-1 --set cm=TRUE --set cm_open_per_source=40

# ask STATUS PATTERN NAME ARGUMENTS...: ibcmping on host-3
ask() {
	want=$1 pattern=$2 what=$3
	shift 3
	on host-3 "$build/ibcmping" "$@" >"$dir/out" 2>&1
	got=$?
	[ $got = "$want" ] && grep -Eq "$pattern" "$dir/out"
	report $? "$what"
}
document() {
	what=$1
	shift
	on host-3 "$build/ibcmping" --json "$@" >"$dir/doc" 2>"$dir/out"
	"$check" "$schemas/ibcmping.json" "$dir/doc" >>"$dir/out" 2>&1
	report $? "$what"
}
ask 0 '^3 begun, 3 ok, 0 failed' "connects by the name of the service" -c 3 -n 3 'heddle echo'
lid=$(sed -n 's/^Connected to Lid \([0-9]*\).*/\1/p' "$dir/out" | head -n 1)
ask 0 '^Connected to Lid' "connects by LID" -c 1 "$lid"
ask 0 '^Resolved by Lid .* QPN 0x1:' "resolves" -c 1 --sidr "$lid"
gid=$(on host-1 "$build/ibaddr" -g | sed 's/^GID //; s/ *$//')
ask 0 '^Connected to Lid' "connects by GID" -c 1 "$gid"
ask 0 '^20 begun, 20 ok, 0 failed' "without a pause" -f -c 20 "$lid"
ask 1 'REQ 1: invalid service ID \(8\)' "a service that is none" -c 1 -S 0x1234 "$lid"
ask 1 'SIDR_REQ 1: service not supported \(1\)' "a resolution of none" -c 1 --sidr -S 0x1234 "$lid"
ask 1 'no answer to 3 tries' "a node where nobody listens" -c 1 -t 500 --retries 2 3
ask 3 'no service is registered as "nosuch"' "a name that is none" -c 1 nosuch
ask 2 'is not a number' "a count that is none" -c x 1
ask 1 'no resources \(3\)' "more than one source may have" -c 400 -n 200 --ack-timeout 17 "$lid"
# Ended connections were freed.
within 30 on host-0 "$build/ibcmping" -c 2 -n 2 --ack-timeout 1 "$lid"
document "the document of connections" -c 2 -n 2 --ack-timeout 1 "$lid"
document "the document of a resolution" -c 1 --sidr "$lid"
document "the document of a refusal" -c 1 -S 0x99 "$lid"
document "the document of a peer that is not there" -c 1 -t 20 --retries 0 3

# Lost datagrams are sent again.  The path query is made before.
: >"$dir/lossy"
LIMIT=150 on host-3 "$build/ibcmping" -c 4 -t 60 --retries 15 --ack-timeout 1 "$lid" >"$dir/lossy" 2>&1 &
lossy=$!
pids="$pids $lossy"
lib_await "$dir/lossy" '^Connected' $lossy
"$sim" ctl --name "$name" drop 20 >"$dir/out" 2>&1
wait $lossy
cp "$dir/lossy" "$dir/out"
grep -q '^4 begun, 4 ok, 0 failed' "$dir/out"
report $? "connections are made with 20 % loss"
"$sim" ctl --name "$name" drop 0 >"$dir/out" 2>&1

# Only one program can own the management class: the second one reports that.
: >"$dir/first"
LIMIT=120 on host-3 "$build/ibcmping" -c 100000 "$lid" >"$dir/first" 2>&1 &
first=$!
pids="$pids $first"
lib_await "$dir/first" '^Connected' $first
ask 255 'ibcmping' "a second one on the same port" -c 1 "$lid"
: >"$dir/second"
"$sim" exec --name "$name" --node host-3 -- "$build/heddled" --set cm=TRUE >"$dir/second" 2>&1 &
second=$!
pids="$pids $second"
lib_await "$dir/second" 'communication management is off: ' $second
cp "$dir/second" "$dir/out"
report $? "heddled reports that another program owns the class"
kill $second
wait $second

# The peer goes away while connections come and go.
kill "$manager"
wait "$manager"
cp "$dir/first" "$dir/out"
lib_await "$dir/first" 'no answer to' $first
report $? "a peer that disappears is reported, and nothing hangs"
kill -INT $first 2>/dev/null
lib_end
