#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The benchmark program runs: a small fabric comes up, every figure is reported, and the number of
# SMPs is the minimum.  The values of the figures are not checked.  With HEDDLE_PEERS opensm is
# measured as well.
src=${top_srcdir:-.}
build=$(cd "${top_builddir:-.}" && pwd)
if ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP no python3"
	exit 0
fi
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
count=0
report() {      # report STATUS NAME
	count=$((count + 1))
	if [ "$1" = 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; sed 's/^/# /' "$dir/out"; fi
}
bench() {
	timeout 120 "$src/bench/bringup" "$@" --build "$build" --ibsim none --transport-seconds 0.05 --timeout 60 >"$dir/out" 2>&1
}
value() {       # value PYTHON: an expression over the document d
	python3 -c "import json, sys; d = json.load(open(sys.argv[1])); sys.exit(not ($1))" "$dir/result.json" >>"$dir/out" 2>&1
}

bench fattree:k=4,levels=3 --no-opensm --json "$dir/result.json"
report $? "heddled alone on a small tree"
value 'd["heddle"]["smps"] == d["smp_minimum"] and d["fabric"]["switches"] == 20 and d["fabric"]["hosts"] == 16'
report $? "the number of SMPs is that of the formula"
value 'all(d["heddle"][k] > 0 for k in ("wall_s", "cpu_s", "peak_rss_kib")) and [t["window"] for t in d["transport"]] == [4, 64]'
report $? "every figure is reported"
bench torus:3x3,hosts=1 --no-opensm --json "$dir/result.json" && value 'd["heddle"]["smps"] == d["smp_minimum"]'
report $? "the same on a torus"
if [ -n "${HEDDLE_PEERS:-}" ] && ! ldd "$build/heddled" | grep -q 'lib[at]san'; then
	bench fattree:k=4,levels=3 --windows 64 --engines minhop --json "$dir/result.json" &&
		value 'd["opensm"][0]["smps"] >= d["smp_minimum"] and set(d["ratio"]) == {"wall", "cpu", "rss"}'
	report $? "opensm is measured as well"
	"$src/bench/table" "$dir/result.json" >"$dir/table" 2>"$dir/out" && grep -q '^| opensm, minhop | 64 | ' "$dir/table"
	report $? "as a table"
else
	for name in "opensm is measured as well" "as a table"; do
		count=$((count + 1))
		echo "ok $count - $name # SKIP no opensm, or sanitized"
	done
fi
sa() {
	timeout 120 "$src/bench/sa" "$@" --build "$build" --seconds 0.1 --rate 500 --timeout 60 --window 8 >"$dir/out" 2>&1
}
sa fattree:k=4,levels=3 --no-opensm --parts load,joins,table,export --joins 200 --groups 10 --tables 2 --json "$dir/result.json"
report $? "subnet administration under load"
value 'all(d["heddle"][k][f] > 0 for k in ("lid", "gid") for f in ("answers_s", "cpu_us_per_answer", "p50_us", "p99_us",
	"p99_sweep_us")) and d["heddle"]["joins"]["joins"] == 200 and d["heddle"]["table"]["rows"] == 36 and
	d["heddle"]["memory"]["index_bytes_per_node"] > 0 and d["heddle"]["export"]["sources"] == 36 and d["heddle"]["export"]["hosts_sources"] == 16 and
	d["heddle"]["export"]["hosts_paths"] == 256 and d["heddle"]["export"]["hosts_s"] > 0'
report $? "every figure of the SA load is reported"
if [ -n "${HEDDLE_PEERS:-}" ] && ! ldd "$build/heddled" | grep -q 'lib[at]san'; then
	sa fattree:k=4,levels=3 --joins 200 --groups 10 --tables 2 --kinds gid --json "$dir/result.json" &&
		value 'set(d["ratio"]["gid"]) == {"cpu", "rate"} and d["opensm"]["joins"]["joins"] == 200'
	report $? "opensm gets the same queries"
	"$src/bench/table" "$dir/result.json" >"$dir/table" 2>"$dir/out" && grep -q '^| opensm | gid | ' "$dir/table"
	report $? "as a table too"
else
	for name in "opensm gets the same queries" "as a table too"; do
		count=$((count + 1))
		echo "ok $count - $name # SKIP no opensm, or sanitized"
	done
fi
timeout 120 "$src/bench/cm" --build "$build" --count 300 --parallel 1,8 --seconds 0.1 --json "$dir/result.json" >"$dir/out" 2>&1 &&
	value '[c["parallel"] for c in d["cycles"]] == [1, 8] and all(c["cycles"] == 300 and c["cycles_s"] > 0 for c in d["cycles"])'
report $? "connections are established and closed"
value 'd["flood"]["accepted"] >= 256 and d["flood"]["refused_no_resources"] > 0 and d["flood"]["another_host_connects"]'
report $? "a source that floods reaches its limit; another host still connects"
diags() {
	timeout 120 "$src/bench/diags" "$@" --build "$build" --runs 2 --sample 4 --pairs 10 --timeout 60 >"$dir/out" 2>&1
}
diags fattree:k=4,levels=2 --no-opensm --latency 0.1 --dead 10 --json "$dir/result.json" &&
	value 'd["dead_nodes"] == 1 and not d["problems"] and d["latency_ms"] == 0.1 and all(t["ours"]["cpu_s"] > 0 and t["ours"]["wall_s"] > 0
	and t["ours"]["peak_rss_kib"] > 0 and t["peer"] is None for t in d["tools"] if "skipped" not in t)'
report $? "diagnostics, with one unresponsive node"
value 'next(t for t in d["tools"] if t["tool"] == "ibnetdiscover")["ours"]["status"] == 3 and
	next(t for t in d["tools"] if t["tool"] == "smpquery NI LID")["ours"]["status"] == 0'
report $? "tools that meet that node report it"
if [ -n "${HEDDLE_PEERS:-}" ] && ! ldd "$build/heddled" | grep -q 'lib[at]san'; then
	diags fattree:k=4,levels=2 --tools ibnetdiscover,sminfo --json "$dir/result.json" &&
		value 'len(d["tools"]) == 3 and all(set(t["ratio"]) == {"wall", "cpu"} and t["peer"]["status"] == 0 for t in d["tools"])'
	report $? "the distribution's tools are measured as well"
	"$src/bench/table" "$dir/result.json" >"$dir/table" 2>"$dir/out" && grep -q '^| ibnetdiscover | [0-9.]* | [0-9.]* | ' "$dir/table"
	report $? "as a table as well"
	rm -f "$dir/result.json"
	diags fattree:k=4,levels=2 --tools ibnetdiscover --latency 30 --peer-limit 0.2 --json "$dir/result.json" &&
		value 'all(t["peer"]["cut"] and t["peer"]["wall_s"] == 0.2 for t in d["tools"])' &&
		"$src/bench/table" "$dir/result.json" >"$dir/table" 2>"$dir/out" && grep -q '^| ibnetdiscover | [0-9.]* | > 0.2' "$dir/table"
	report $? "the distribution's tools exceed the time limit"
	sed -i 's/"peak_rss_kib": [0-9]*/"peak_rss_kib": 77/; s/"tool": "ibnetdiscover -o 64"/"tool": "none"/' "$dir/result.json"
	diags fattree:k=4,levels=2 --tools ibnetdiscover --latency 30 --peer-limit 0.2 --resume --json "$dir/result.json" &&
		value '[t["ours"]["peak_rss_kib"] == 77 for t in d["tools"]] == [True, False]'
	report $? "a second run keeps what was measured and measures the rest"
else
	for name in "the distribution's tools are measured as well" "as a table as well" \
		"the distribution's tools exceed the time limit" \
		"a second run keeps what was measured and measures the rest"; do
		count=$((count + 1))
		echo "ok $count - $name # SKIP no infiniband-diags, or sanitized"
	done
fi
routes() {
	timeout 120 "$src/bench/routes" "$@" --build "$build" --cache "$dir/cache" --timeout 60 --json "$dir/result.json" >"$dir/out" 2>&1
}
routes --no-opensm --parts events --events 5 --event-trees 'fattree:k=4,levels=3@0;fattree:k=4,levels=3@10' &&
	value 'len(d["events"]) == 4 and all(r["hosts"]["events"] == 5 and r["hosts"]["blocks"] == 0 for r in d["events"])'
report $? "events on a whole and on a damaged tree"
"$src/bench/table" "$dir/result.json" >"$dir/table" 2>"$dir/out" && grep -q '^| `fattree:k=4,levels=3` | 10 % | `updn` | switch | 5 ' "$dir/table"
report $? "events as a table"
if [ -n "${HEDDLE_PEERS:-}" ] && ! ldd "$build/heddled" | grep -q 'lib[at]san'; then
	routes --parts damage --seeds 2 --damaged fattree:k=4,levels=3 --opensm-engines ftree,minhop &&
		value 'len(d["damage"]) == 4 and all(set(r["engines"]) == {"ftree", "updn", "opensm ftree", "opensm minhop"} and
		all(e["runs"] == 2 and e["ebb"] > 0 for e in r["engines"].values()) for r in d["damage"])'
	report $? "opensm routes the same damaged trees"
	"$src/bench/table" "$dir/result.json" >"$dir/table" 2>"$dir/out" && grep -q '^| `fattree:k=4,levels=3` | 10 % | 2 | ' "$dir/table"
	report $? "damaged trees as a table"
else
	for name in "opensm routes the same damaged trees" "damaged trees as a table"; do
		count=$((count + 1))
		echo "ok $count - $name # SKIP no opensm, or sanitized"
	done
fi
echo '1..0 is no topology' >"$dir/bad.topo"
bench "$dir/bad.topo" --no-opensm
status=$?
[ $status -eq 1 ] || [ $status -eq 2 ]
report $? "a file that is not a topology is refused"
echo "1..$count"
