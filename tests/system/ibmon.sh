#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# ibmon: it writes what the simulator counts; its file is complete at every moment; it ends on a
# signal.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
check=$build/tests/system/json-check
schemas=${top_srcdir:-$here/../..}/docs/schema

metric() {      # metric NAME GUID PORT [FILE]: prints its value
	sed -n "s/^heddle_port_$1{node_guid=\"$2\",port=\"$3\",.*} //p" "${4:-$dir/out}"
}

fabric_start fattree:k=4,levels=2
manager_start host-1
ctl errors host-2:1 RcvErrors=+77 SymbolError=+5
guid=$("$build/heddle-sim" ctl --name "$name" nodes 2>/dev/null | sed -n 's/.*\(0x[0-9a-f]\{16\}\).*host-2.*/\1/p' | head -n 1)
try 0 "$build/ibmon" --live -n 1
report $? "one sample"
[ -n "$guid" ] || guid=$(sed -n 's/^heddle_port_answered{node_guid="\(0x[0-9a-f]*\)",.*,name="host-2",.*/\1/p' "$dir/out")
[ "$(metric rcv_errors_total "$guid" 1)" = 77 ] && [ "$(metric symbol_error_total "$guid" 1)" = 5 ] && [ "$(metric link_downed_total "$guid" 1)" = 0 ]
report $? "the errors that were injected"
[ "$(tail -n 1 "$dir/out")" = '# EOF' ] && [ "$(grep -c '^# TYPE' "$dir/out")" = "$(grep '^# TYPE' "$dir/out" | sort -u | wc -l)" ] &&
	! grep -Ev '^#|^heddle_[a-z0-9_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? [0-9.]+$' "$dir/out"
report $? "every line is OpenMetrics, every metric is declared once"
! grep -v '^#' "$dir/out" | sed 's/ [^ ]*$//' | sort | uniq -d | grep .
report $? "no series is repeated"
grep -q "^heddle_port_answered{node_guid=\"$guid\",port=\"1\",type=\"ca\",name=\"host-2\",peer_guid=\"0x[0-9a-f]*\",peer_port=\"1\",peer_name=\"leaf-1\"} 1\$" "$dir/out" ||
	grep "name=\"host-2\",peer_guid=" "$dir/out" | grep -q 'peer_name="leaf-'
report $? "the labels name both ends of a link"

# Data in bytes: the value lies between two readings of the simulator.
ctl traffic uniform --rate 10% --seconds 0.2
sleep 0.4
before=$("$sim" ctl --name "$name" counters host-2:1 PortXmitData | awk '{ print $3; exit }')
try 0 "$build/ibmon" --live -n 1 --select node:host-2
after=$("$sim" ctl --name "$name" counters host-2:1 PortXmitData | awk '{ print $3; exit }')
read=$(metric xmit_data_bytes_total "$guid" 1)
echo "$before words, $read bytes, $after words" >"$dir/said"
[ "$before" -gt 1000 ] && [ "$read" -ge $((before * 4)) ] && [ "$read" -le $((after * 4)) ]
report $? "data in bytes: $(cat "$dir/said")"
[ "$(grep -c '^heddle_port_answered' "$dir/out")" = 1 ]
report $? "--select"

# JSON.
try 0 "$build/ibmon" --live --json && cp "$dir/out" "$dir/doc" && "$check" "$schemas/ibmon.json" "$dir/doc" 0 >"$dir/out" 2>&1 &&
	grep -q '"PortRcvErrors":{"value":77,' "$dir/doc"
report $? "as a document"
try 0 "$build/ibmon" --live --csv && head -n 1 "$dir/out" | grep -q '^sample,local.node_guid,'
report $? "as a table"
try 0 "$build/ibmon" --live -i 0.3 -n 4 --ndjson --select node:host-2 && [ "$(grep -c '^{"type":"ports"' "$dir/out")" = 4 ] &&
	[ "$(grep -c '^{"type":"samples"' "$dir/out")" = 4 ] && tail -n 1 "$dir/out" | grep -q '"type":"trailer".*"exit_status":0'
report $? "four samples as a stream"
if command -v python3 >/dev/null 2>&1; then
	python3 -c '
import datetime, json, sys
at = [json.loads(l) for l in open(sys.argv[1]) if "\"type\":\"samples\"" in l]
t = [datetime.datetime.strptime(s["time"], "%Y-%m-%dT%H:%M:%S.%fZ").timestamp() - s["late_s"] for s in at]
steps = [(t[i] - t[0]) / 0.3 - i - sum(s["missed"] for s in at[:i + 1]) for i in range(4)]
sys.exit(not all(abs(s) < 0.05 for s in steps))' "$dir/out" >"$dir/said" 2>&1
	report $? "samples are due at multiples of the interval"
else
	skip "samples are due at multiples of the interval" "no python3"
fi

# A file, and the end.
"$sim" exec --name "$name" --node host-0 -- "$build/ibmon" --live -i 0.1 -w "$dir/ib.prom" >"$dir/stdout" 2>"$dir/err" &
monitor=$!
pids="$pids $monitor"
tries=0
until [ -f "$dir/ib.prom" ] || [ $tries -gt 200 ]; do tries=$((tries + 1)); sleep 0.05; done
whole=0
for i in 1 2 3 4 5 6 7 8 9 10; do
	cp "$dir/ib.prom" "$dir/copy"
	[ "$(head -n 1 "$dir/copy")" = '# TYPE heddle_sample_time_seconds gauge' ] && [ "$(tail -n 1 "$dir/copy")" = '# EOF' ] && whole=$((whole + 1))
	sleep 0.05
done
echo "$whole of 10 were whole" >"$dir/out"
[ "$whole" = 10 ] && [ ! -s "$dir/stdout" ]
report $? "the file is complete at every moment"
first=$(sed -n 's/^heddle_sample_time_seconds //p' "$dir/copy")
tries=0
while [ "$(sed -n 's/^heddle_sample_time_seconds //p' "$dir/ib.prom")" = "$first" ] && [ $tries -lt 200 ]; do tries=$((tries + 1)); sleep 0.05; done
[ "$(sed -n 's/^heddle_sample_time_seconds //p' "$dir/ib.prom")" != "$first" ]
report $? "the file is updated"
"$sim" ctl --name "$name" drop 100 host-2 >"$dir/ctl" 2>&1
tries=0
until grep -q '^heddle_sample_ports_unanswered 1$' "$dir/ib.prom" || [ $tries -gt 400 ]; do tries=$((tries + 1)); sleep 0.05; done
grep "^heddle_port_answered{node_guid=\"$guid\"" "$dir/ib.prom" | grep -q ' 0$' && [ -z "$(metric rcv_errors_total "$guid" 1 "$dir/ib.prom")" ]
report $? "an unresponsive port is reported, without counters"
"$sim" ctl --name "$name" clear >"$dir/ctl" 2>&1
kill -TERM "$monitor"
wait "$monitor"
status=$?
echo "exit status $status" >"$dir/out"
[ "$status" = 3 ] && [ "$(tail -n 1 "$dir/ib.prom")" = '# EOF' ] && [ "$(find "$dir" -name 'ib.prom*' | wc -l)" = 1 ]
report $? "SIGTERM ends it; no temporary file stays"
: >"$dir/out"
"$sim" exec --name "$name" --node host-0 -- "$build/ibmon" --live -i 0.2 --ndjson --select node:host-2 >"$dir/out" 2>"$dir/err" &
watcher=$!
pids="$pids $watcher"
tries=0
until grep -q '"sample":2,' "$dir/out" || [ $tries -gt 400 ]; do tries=$((tries + 1)); sleep 0.05; done
kill -TERM "$watcher"
wait "$watcher" && tail -n 1 "$dir/out" | grep -q '"type":"trailer".*"exit_status":0'
report $? "a stream has its trailer after a signal, exit status 0"
try 255 "$build/ibmon" --live -n 1 -w "$dir/none/ib.prom" && grep -q 'cannot write' "$dir/err"
report $? "a file that cannot be written"
for bad in '-i 0' '-n 0' '-n 2 --json' 'operand' '--rediscover x' '--load /dev/null'; do
	# shellcheck disable=SC2086
	try 2 "$build/ibmon" $bad
	report $? "ibmon $bad is refused"
done
lib_end
