#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# What ibqueryerrors does that its forerunner did not: details under their own names (OB3), a report without an SA (OB4), thresholds that
# say what they are (OB5), ports that do not answer (OB14); a document shown again.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin ibnetdiscover

fabric_start fattree:k=4,levels=3
manager_start host-1
tool=$build/ibqueryerrors

run() {         # run WANTED-STATUS ARGUMENT...: stdout in $dir/text
	want=$1
	shift
	on host-0 "$tool" "$@" >"$dir/text" 2>"$dir/err" </dev/null
	status=$?
	{ cat "$dir/text" "$dir/err"; echo "exit status $status, wanted $want"; } >"$dir/out"
	[ "$status" = "$want" ]
}

has() {         # has PATTERN...: each is in the text
	for pattern in "$@"; do
		grep -q -- "$pattern" "$dir/text" || { echo "missing: $pattern" >>"$dir/out"; return 1; }
	done
}

run 0 && has '^## Summary: 36 nodes checked, 0 bad nodes found$' '96 ports checked, 0 ports' '^## Thresholds: $' && ! grep -q Errors "$dir/text"
report $? "a clean fabric"
for part in '-D 0,1' '-G 0xfe1d0000000000'; do
	# shellcheck disable=SC2086
	run 0 --live --json $part && [ "$(sed -n 's/.*"sent": *\([0-9]*\).*/\1/p' "$dir/text")" -le 100 ] && has '"nodes": *5,'
	report $? "one node ($part): no more than it and its neighbours is asked"
done

ctl errors leaf-0-0:3 RcvErrors=+4 LocalPhysicalErrors=+3 XmitDiscards=+2 InactiveDiscards=+9
run 1 --details && has 'port 3: .*\[PortRcvErrors == [0-9.() ]*\] \[PortLocalPhysicalErrors == 3\] \[PortXmitDiscards == [0-9.() ]*\] \[PortInactiveDiscards == 9\]$'
report $? "details stand behind their own counter, under their own names"

printf 'QP1Dropped=3\nPortRcvErrors=100\nPortXmitDiscards=100\n' >"$dir/limits"
ctl errors leaf-2-0:1 QP1Dropped=+4
run 1 --threshold-file "$dir/limits" && has 'port 1: \[QP1Dropped == 4 (4.000)\]$' \
	'## Thresholds: \[QP1Dropped = 3\]\[PortRcvErrors = 100\]\[PortXmitDiscards = 100\]' '1 ports have errors'
report $? "a limit to QP1Dropped"

# A document is shown again as text, once with other limits.
run 1 --live --details --json && cp "$dir/text" "$dir/document" && run 1 --live --details && cp "$dir/text" "$dir/live" &&
	run 1 --load "$dir/document" --details && diff "$dir/live" "$dir/text" >"$dir/out"
report $? "--load of a document prints what was seen"
run 0 --load "$dir/document" --threshold-file "$dir/limits" -s QP1Dropped && has ' 0 ports have errors'
report $? "--load with other limits"
on host-0 "$build/ibnetdiscover" --live --capture "$dir/capture" >"$dir/out" 2>&1 && "$tool" --load "$dir/capture" --details >"$dir/text" 2>"$dir/out"
[ $? = 1 ] && diff "$dir/live" "$dir/text" >"$dir/out"
report $? "--load of a capture prints what was seen"
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
report $? "every port of a switch is in the document, with findings"

# The manager answers nothing: levels of paths are not to be had.
kill -STOP "$manager"
run 3 --live -t 100 && has 'port 3: ' '36 nodes checked' && grep -q 'service levels' "$dir/err"
report $? "without an SA there is a report, and status 3"
run 1 --live --skip-sl
report $? "--skip-sl needs no SA"
kill -CONT "$manager"

# A switch and its two hosts go away after discovery.
on host-0 "$build/ibnetdiscover" --cache "$dir/cache" >"$dir/out" 2>&1
ctl errors leaf-3-1:1 SymbolError=+5
ctl power leaf-3-1 off
run 3 --load-cache "$dir/cache" -k -t 100 && has '33 nodes checked' '90 ports checked' '^##          9 PMA query failures' 'port 3: ' &&
	grep -q 'timeout: Lid 24 (leaf-3-1) ClassPortInfo' "$dir/err"
report $? "ports that do not answer are not checked"
ctl power leaf-3-1 on
lib_end
