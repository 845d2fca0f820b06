#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# What ibqueryerrors of infiniband-diags does not do: --details prints each counter under its own
# name, there is a report without an SA, errors in threshold files are reported, unresponsive ports
# are not counted as checked, and --load prints a saved document.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin ibnetdiscover

fabric_start fattree:k=4,levels=3
manager_start host-1
tool=$build/ibqueryerrors

run() {         # run STATUS ARGUMENT...: standard output in $dir/text
	want=$1
	shift
	on host-0 "$tool" "$@" >"$dir/text" 2>"$dir/err" </dev/null
	status=$?
	{ cat "$dir/text" "$dir/err"; echo "exit status $status, wanted $want"; } >"$dir/out"
	[ "$status" = "$want" ]
}

has() {         # has PATTERN...: whether each is in $dir/text
	for pattern in "$@"; do
		grep -q -- "$pattern" "$dir/text" || { echo "missing: $pattern" >>"$dir/out"; return 1; }
	done
}

run 0 && has '^## Summary: 36 nodes checked, 0 bad nodes found$' '96 ports checked, 0 ports' '^## Thresholds: $' && ! grep -q Errors "$dir/text"
report $? "a clean fabric"
for part in '-D 0,1' '-G 0xfe1d0000000000'; do
	# shellcheck disable=SC2086
	run 0 --live --json $part && [ "$(sed -n 's/.*"sent": *\([0-9]*\).*/\1/p' "$dir/text")" -le 100 ] && has '"nodes": *5,'
	report $? "one node ($part): only it and its neighbours are queried"
done

ctl errors leaf-0-0:3 RcvErrors=+4 LocalPhysicalErrors=+3 XmitDiscards=+2 InactiveDiscards=+9
run 1 --details && has 'port 3: .*\[PortRcvErrors == [0-9.() ]*\] \[PortLocalPhysicalErrors == 3\] \[PortXmitDiscards == [0-9.() ]*\] \[PortInactiveDiscards == 9\]$'
report $? "details follow their own counter, under their own names"

printf 'QP1Dropped=3\nPortRcvErrors=100\nPortXmitDiscards=100\n' >"$dir/limits"
ctl errors leaf-2-0:1 QP1Dropped=+4
run 1 --threshold-file "$dir/limits" && has 'port 1: \[QP1Dropped == 4 (4.000)\]$' \
	'## Thresholds: \[QP1Dropped = 3\]\[PortRcvErrors = 100\]\[PortXmitDiscards = 100\]' '1 ports have errors'
report $? "a threshold for QP1Dropped"

# A document is printed as text, once with other thresholds.
run 1 --live --details --json && cp "$dir/text" "$dir/document" && run 1 --live --details && cp "$dir/text" "$dir/live" &&
	run 1 --load "$dir/document" --details && diff "$dir/live" "$dir/text" >"$dir/out"
report $? "--load of a document prints what was read"
run 0 --load "$dir/document" --threshold-file "$dir/limits" -s QP1Dropped && has ' 0 ports have errors'
report $? "--load with other thresholds"
on host-0 "$build/ibnetdiscover" --live --capture "$dir/capture" >"$dir/out" 2>&1 && "$tool" --load "$dir/capture" --details >"$dir/text" 2>"$dir/out"
[ $? = 1 ] && diff "$dir/live" "$dir/text" >"$dir/out"
report $? "--load of a capture prints what was read"
on host-0 "$build/perfquery" 17 3 >"$dir/live" 2>"$dir/out" && "$build/perfquery" --load "$dir/capture" 17 3 >"$dir/text" 2>>"$dir/out" &&
	sed -i '/Data:\|Pkts:/d' "$dir/live" "$dir/text" && diff "$dir/live" "$dir/text" >"$dir/out"
report $? "perfquery --load of a capture, too"
"$tool" --load "$dir/capture" -k >"$dir/text" 2>"$dir/out" || grep -q 'nothing is cleared' "$dir/out" && run 1 --live
report $? "-k with --load clears nothing"
run 1 --live --ndjson && has '"type":"header"' '"type":"ports"' '"type":"trailer"'
report $? "--ndjson"
run 1 --live --csv && has '^local.node_guid,' && [ "$(wc -l <"$dir/text")" = 97 ]
report $? "--csv has a row for each port"
run 1 --live --switch -D 0,1 --json && python3 - "$dir/text" >>"$dir/out" 2>&1 <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
ports = {p["local"]["port"]: p for p in d["ports"]}
assert sorted(ports) == [1, 2, 3, 4], sorted(ports)
assert ports[3]["counters"]["PortRcvErrors"]["over"] is True
assert ports[4]["counters"]["PortRcvErrors"]["value"] == 0 and ports[4]["status"] == "ok"
assert {f["code"] for f in d["findings"]} == {"counter_over_threshold"}
assert d["summary"]["bad_ports"] == 1 and d["summary"]["ports_checked"] == 4
assert d["nodes"][0]["all_ports"]["PortRcvErrors"]["over"] is True
END
report $? "the document has every port of a switch with findings"

# The SA does not answer: the service levels of paths are unknown.
kill -STOP "$manager"
run 3 --live -t 100 && has 'port 3: ' '36 nodes checked' && grep -q 'service levels' "$dir/err"
report $? "without an SA there is a report, status 3"
run 1 --live --skip-sl
report $? "--skip-sl needs no SA"
kill -CONT "$manager"

# A switch and its two hosts disappear after discovery.
on host-0 "$build/ibnetdiscover" --cache "$dir/cache" >"$dir/out" 2>&1
ctl errors leaf-3-1:1 SymbolError=+5
ctl power leaf-3-1 off
run 3 --load-cache "$dir/cache" -k -t 100 && has '33 nodes checked' '90 ports checked' '^##          9 PMA query failures' 'port 3: ' &&
	grep -q 'timeout: Lid 24 (leaf-3-1) ClassPortInfo' "$dir/err"
report $? "unresponsive ports are not counted as checked"
ctl power leaf-3-1 on
lib_end
