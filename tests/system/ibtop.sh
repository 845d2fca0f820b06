#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# ibtop on a fabric with traffic and errors at known rates: it prints these rates.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
check=$build/tests/system/json-check
schemas=${top_srcdir:-$here/../..}/docs/schema

is() {          # is PYTHON: a condition on the document d; port(NAME, N) is a row of it
	python3 -c "import json, sys
d = json.load(open(sys.argv[1]))
def port(name, n): return next(p for p in d['ports'] if p['local']['name'] == name and p['local']['port'] == n)
def near(v, want): return abs(v - want) <= 0.03 * want
sys.exit(not ($1))" "$dir/doc" 2>>"$dir/out"
}
json() {        # json STATUS ARGUMENT...: checks the document, which is in $dir/doc
	want=$1
	shift
	try "$want" "$build/ibtop" --live --json "$@" && cp "$dir/out" "$dir/doc" && "$check" "$schemas/ibtop.json" "$dir/doc" "$want" >"$dir/out" 2>&1
}

fabric_start fattree:k=4,levels=3
manager_start host-1
if ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP no python3"
	exit 0
fi
ctl traffic uniform --rate 20%
ctl errors host-5:1 RcvErrors=200
ctl errors leaf-0-0:1 SymbolError=40 LinkErrorRecovery=1000
json 0 --once -i 1
report $? "rates of all ports"
is 'len(d["ports"]) == 96 and d["summary"]["ports_asked"] == 96 and d["summary"]["with_errors"] == 2 and not d["incomplete"]'
report $? "every port has a row"
is 'all(near(port("host-%d" % i, 1)["xmit_bps"], 40e9) and near(port("host-%d" % i, 1)["busy"], 0.2) for i in range(16)) and
	near(d["summary"]["total_bps"], 640e9)'
report $? "hosts send at the configured rate: 20% of 200 Gbit/s"
is 'near(port("host-5", 1)["errors_per_s"], 200) and port("host-5", 1)["worst"] == "PortRcvErrors" and
	near(port("leaf-0-0", 1)["errors_per_s"], 1040) and port("leaf-0-0", 1)["worst"] == "LinkErrorRecoveryCounter" and
	near(port("leaf-0-0", 1)["counters"]["LinkErrorRecoveryCounter"]["per_s"], 1000)'
report $? "errors have the rates at which they were injected"
is 'port("host-5", 1)["peer"]["name"] == "leaf-1-0" and port("host-5", 1)["peer"]["port"] == 2'
report $? "both ends of a link are named"
json 0 --once -i 0.3 --sort errors --top 2 && is '[p["local"]["name"] for p in d["ports"]] == ["leaf-0-0", "host-5"]'
report $? "sorted by errors, the worst two"
json 0 --once -i 0.2 --select 'node:host-5' && is 'len(d["ports"]) == 1 and d["summary"]["ports_asked"] == 1'
report $? "--select"
try 0 "$build/ibtop" --live --once -i 0.3 --sort errors --top 1 && [ "$(wc -l <"$dir/out")" = 4 ] &&
	grep -Eq '^##\.{8}  (19|20|21)% .*leaf-0-0:1 +host-0:1 +LinkErrorRecoveryCounter$' "$dir/out"
report $? "as text"
try 0 "$build/ibtop" --live --once -i 0.2 --csv && [ "$(wc -l <"$dir/out")" = 97 ]
report $? "as a table"
try 0 "$build/ibtop" --live -i 0.2 -n 3 --ndjson --top 2 && [ "$(grep -c '^{"type":"ports"' "$dir/out")" = 6 ] && grep -q '"look":3,' "$dir/out" &&
	tail -n 1 "$dir/out" | grep -q '"type":"trailer"'
report $? "three samples as a stream"

# Ports that wait, counters that were reset, unresponsive ports.
ctl errors leaf-0-0:1 SymbolError=0 LinkErrorRecovery=0
ctl traffic hotspot --rate 100% --to host-1
json 0 --once -i 0.5 --sort wait && is 'd["summary"]["waiting"] > 0 and d["ports"][0]["wait"] > 0.5 and near(port("leaf-0-0", 2)["busy"], 1)'
report $? "a hot spot: its link is full, and other ports wait"
ctl traffic off
ctl errors host-5:1 RcvErrors=0
# A change between the first and the second sample of a stream.
second() {      # second COMMAND...: runs it after the first sample; the second one is in $dir/doc
	: >"$dir/stream"                # removes the first sample of an earlier stream
	"$sim" exec --name "$name" --node host-0 -- "$build/ibtop" --live -i 2 -n 2 -t 400 --ndjson --select 'nodepat:host-[67]' >"$dir/stream" 2>"$dir/err" &
	watcher=$!
	pids="$pids $watcher"
	tries=0
	until grep -q '"look":1,' "$dir/stream" || [ $tries -gt 200 ]; do
		tries=$((tries + 1))
		sleep 0.05
	done
	kill -STOP $watcher             # on a loaded machine this can take longer than the interval
	"$@" >"$dir/out" 2>&1
	kill -CONT $watcher
	wait $watcher
	got=$?
	{ printf '{"ports":['; grep '"look":2,' "$dir/stream" | paste -sd,; printf '],"end":'; tail -n 1 "$dir/stream"; echo '}'; } >"$dir/doc"
}
second on host-0 "$build/perfquery" -x -R -G 0xfe1d0000001b01 1
is 'port("host-7", 1)["reset"] and port("host-7", 1)["xmit_bps"] is None and port("host-7", 1)["counters"]["PortXmitData"]["reset"] and
	not port("host-6", 1)["reset"]'
report $? "a counter that was reset in between has no rate"
second "$sim" ctl --name "$name" drop 100 host-7
[ $got = 3 ] && is 'port("host-7", 1)["status"] == "timeout" and port("host-7", 1)["xmit_bps"] is None and port("host-6", 1)["status"] == "ok" and
	d["end"]["incomplete"] and d["end"]["summary"]["ports_unanswered"] == 1 and len(d["end"]["errors"]) > 0'
report $? "an unresponsive port is reported, the others are shown"
"$sim" ctl --name "$name" clear >"$dir/ctl" 2>&1

# Links that go down during a run are named, and the other ports keep their rates.
: >"$dir/stream"
on host-0 timeout 200 "$build/ibtop" --live -i 0.5 --rediscover 0 --ndjson --top 200 >"$dir/stream" 2>"$dir/err" &
watcher=$!
tries=0
until grep -q '"look":2,' "$dir/stream" || [ $tries -gt 1600 ]; do tries=$((tries + 1)); sleep 0.05; done
ctl pull leaf-3-0:4
until grep -q '^{"type":"changes"' "$dir/stream" || [ $tries -gt 1600 ]; do tries=$((tries + 1)); sleep 0.05; done
look=$(sed -n 's/^{"type":"changes","look":\([0-9]*\),.*/\1/p' "$dir/stream" | head -n 1)
until grep -q '"look":'"$((look + 1))," "$dir/stream" || [ $tries -gt 2000 ]; do tries=$((tries + 1)); sleep 0.05; done
kill -INT $watcher 2>/dev/null
wait $watcher
ctl plug leaf-3-0:4 agg-3-1:1
{ printf '{"changes":['; grep '"type":"changes"' "$dir/stream" | paste -sd,; printf '],"ports":['; grep '"type":"ports","look":'"$look," "$dir/stream" | paste -sd,; echo ']}'; } >"$dir/doc"
is 'len(d["changes"]) == 1 and d["changes"][0]["change"] == "gone" and {d["changes"][0]["local"]["name"], d["changes"][0]["peer"]["name"]} == {"leaf-3-0", "agg-3-1"}
	and port("host-2", 1)["xmit_bps"] is not None and port("agg-0-0", 1)["interval_s"] > 0'
report $? "a link that went down is reported"

# On a terminal.
python3 "$here/ibtop-screen.py" "$sim" "$name" "$build/ibtop" "$sim" ctl --name "$name" >"$dir/screen" 2>"$dir/err"
[ "$(grep -c '^ok' "$dir/screen")" = 11 ]
report $? "all checks on a terminal ran"
while read -r verdict text; do
	case $verdict in
	ok) report 0 "on a terminal: $text" ;;
	not) cp "$dir/screen" "$dir/out"; report 1 "on a terminal: ${text#ok }" ;;
	esac
done <"$dir/screen"

# The end.
: >"$dir/out"
"$sim" exec --name "$name" --node host-0 -- "$build/ibtop" --live -i 0.2 --ndjson --top 1 >"$dir/out" 2>"$dir/err" &
watcher=$!
pids="$pids $watcher"
tries=0
until grep -q '"look":2,' "$dir/out" || [ $tries -gt 400 ]; do tries=$((tries + 1)); sleep 0.05; done
kill -TERM "$watcher"
wait "$watcher" && tail -n 1 "$dir/out" | grep -q '"type":"trailer".*"exit_status":0'
report $? "SIGTERM ends it with status 0"
for bad in '-i 0' '-i x' '-n 0' '--sort none' '--top 0' 'operand' '-n 2 --json' '--load /dev/null'; do
	# shellcheck disable=SC2086
	try 2 "$build/ibtop" $bad
	report $? "ibtop $bad is refused"
done
lib_end
