#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Options that the distribution's tools do not have, or whose effect no row of diags/*.cases can
# show: the effect of each.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
schemas=${top_srcdir:-$here/../..}/docs/schema
check=$build/tests/system/json-check

# try STATUS COMMAND...: runs it on host-0, output in $dir/out and $dir/err
try() {
	want=$1
	shift
	on host-0 "$@" >"$dir/out" 2>"$dir/err" </dev/null
	got=$?
	[ "$got" = "$want" ] || { echo "$*: exit status $got, wanted $want"; cat "$dir/err"; } >>"$dir/out"
	[ "$got" = "$want" ]
}

fabric_start fattree:k=4,levels=3
manager_start host-1

# ---- options of all tools ----
try 0 "$build/perfquery" 17 3 && cp "$dir/out" "$dir/a" && try 0 "$build/perfquery" -Y 0 17 3 && diff "$dir/a" "$dir/out"
report $? "-Y 0: the default P_Key"
try 3 "$build/perfquery" -Y 31 -t 50 17 3 && grep -q timeout "$dir/err"
report $? "-Y of an index without a P_Key: no answer"
try 2 "$build/perfquery" -Y 65536 17 3
report $? "-Y out of range"
big=9007199254740993
try 0 "$build/ibqueryerrors" --live --json=compact && sed "s/\"PortXmitData\":{\"words\":[0-9]*/\"PortXmitData\":{\"words\":$big/g" "$dir/out" >"$dir/doc"
report $? "the document has counters above 2^53"
try 0 "$build/ibqueryerrors" --load "$dir/doc" --json=compact && grep -q "\"words\":$big" "$dir/out"
report $? "these counters are numbers"
try 0 "$build/ibqueryerrors" --json-u64 string --load "$dir/doc" --json=compact && grep -q "\"words\":\"$big\"" "$dir/out" && cp "$dir/out" "$dir/doc2"
report $? "--json-u64 string: these counters are strings"
try 0 "$build/ibqueryerrors" --json-u64=integer --load "$dir/doc2" --json=compact && grep -q "\"words\":$big" "$dir/out"
report $? "--json-u64=integer: a document with strings becomes one with numbers"
try 2 "$build/perfquery" --json-u64=real 17 3
report $? "--json-u64 with another word is refused"
try 0 "$build/smpquery" -d NI 3 && cp "$dir/out" "$dir/a" && try 0 "$build/smpquery" NI 3 && diff "$dir/a" "$dir/out"
report $? "-d: standard output stays the same"
echo 'timeout=70' >"$dir/conf"
try 0 "$build/smpquery" -z "$dir/conf" NI 3
report $? "-z: another configuration file"

# ---- options of single tools ----
try 0 "$build/ibcheck" --live --skip counters && grep -q . "$dir/out" && cp "$dir/out" "$dir/a" &&
	try 0 "$build/ibcheck" --live --skip counters --summary && [ "$(wc -l <"$dir/out")" -le "$(wc -l <"$dir/a")" ] && grep -q 'ok' "$dir/out"
report $? "ibcheck --summary"
try 0 "$build/ibcheck" --list && cp "$dir/out" "$dir/a" && grep -q '^links' "$dir/a"
report $? "ibcheck --list"
try 0 "$build/ibtopo" draw --live --format svg --title 'Hall <7>' && grep -q 'Hall &lt;7&gt;' "$dir/out"
report $? "ibtopo --title"
try 1 "$build/check_lft_balance" --live && cp "$dir/out" "$dir/a" && try 1 "$build/check_lft_balance" --live -e && [ -s "$dir/a" ] &&
	[ -s "$dir/out" ] && [ "$(grep -cvFxf "$dir/a" "$dir/out")" = 0 ]
report $? "check_lft_balance -e: reports a subset of the findings"
# dump_lfts and dump_mfts: dump_fts under its old names, with a notice
for old in dump_lfts dump_mfts; do
	flag=
	[ $old = dump_lfts ] || flag=-M
	for more in '' -a -n; do
		try 0 "$build/dump_fts" --live $flag $more && cp "$dir/out" "$dir/a" && try 0 "$build/$old" --live $more && grep -q 'has been replaced' "$dir/out" &&
			sed '/^$/d; /WARNING/d' "$dir/out" >"$dir/b" && sed '/^$/d' "$dir/a" | diff - "$dir/b"
		report $? "$old $more"
	done
done
try 0 "$build/dump_lfts" --live -a && grep -q 'lids dumped' "$dir/out"
report $? "dump_lfts -a: also LIDs without a route"
try 0 "$build/dump_lfts" --live -n && ! grep -q portguid "$dir/out"
report $? "dump_lfts -n: no destinations"
try 0 "$build/dump_lfts" --live -M && grep -q '^Multicast mlids' "$dir/out"
report $? "dump_lfts -M: multicast"
try 0 "$build/dump_mfts" --live -a && cp "$dir/out" "$dir/a" && try 0 "$build/dump_mfts" --live -M -a && diff "$dir/a" "$dir/out"
report $? "dump_mfts -M: the same as without"
try 0 "$build/dump_mfts" --live -n && grep -q 'Port Mask' "$dir/out"
report $? "dump_mfts -n: masks"

try 0 "$build/ibcheck" --live --skip counters --all && diff "$dir/a" "$dir/a" >/dev/null && grep -q 'links' "$dir/out"
report $? "ibcheck --all"
try 0 "$build/ibnetdiscover" --live && sed 's/4xHDR/4xEDR/; s/"host-5"/"host-five"/' "$dir/out" >"$dir/other"
try 1 "$build/ibnetdiscover" --live --diff "$dir/other" --diffcheck sw,ca,nodedesc && grep -q 'host-five' "$dir/out" && ! grep -q EDR "$dir/out"
report $? "ibnetdiscover --diffcheck"
try 0 "$build/ibfindnodesusing" leaf-0-0 3 && cp "$dir/out" "$dir/a" && try 0 "$build/ibfindnodesusing" -R leaf-0-0 3 && diff "$dir/a" "$dir/out"
report $? "ibfindnodesusing -R: the same as without"
try 0 "$build/ibmon" --live -i 0.2 -n 3 --rediscover 0.1 --ndjson --select node:host-2 && [ "$(grep -c '"type":"samples"' "$dir/out")" = 3 ]
report $? "ibmon --rediscover"
"$sim" exec --name "$name" --node host-2 -- "$build/ibsysstat" -S >"$dir/served" 2>&1 &
server=$!
pids="$pids $server"
lid=$(on host-2 "$build/ibaddr" -L | sed 's/.*start \([0-9]*\) .*/\1/')
tries=0
until try 0 "$build/ibsysstat" -t 100 "$lid" || [ $((tries += 1)) -gt 100 ]; do :; done
[ "$tries" -le 100 ]
report $? "ibsysstat -S answers"
kill "$server"

# ---- documents: written piece by piece, complete also after an early end ----
try 0 "$build/ibnetdiscover" --live --json=compact && cp "$dir/out" "$dir/doc" && "$check" "$schemas/ibnetdiscover.json" "$dir/doc" 0 >"$dir/out" 2>&1 &&
	try 0 "$build/ibnetdiscover" --live --json=pretty && cp "$dir/out" "$dir/doc2" && "$check" "$schemas/ibnetdiscover.json" "$dir/doc2" 0 >"$dir/out" 2>&1
report $? "compact and pretty documents"
for doc in doc doc2; do
	timeout 60 "$build/ibnetdiscover" --load "$dir/$doc" 2>"$dir/err" | grep -v '^#' >"$dir/$doc.topo"
done
[ -s "$dir/doc.topo" ] && diff "$dir/doc.topo" "$dir/doc2.topo" >"$dir/out"
report $? "--load of both shows the same fabric"
head -c 20000 "$dir/doc" >"$dir/half"
timeout 60 "$build/ibnetdiscover" --load "$dir/half" >"$dir/out" 2>"$dir/err"
[ $? = 2 ] && grep -q 'half: line 1: ' "$dir/err"
report $? "--load of a truncated document is refused"
printf '{"snapshot": {"format": 1}, "snapshot": {}}' >"$dir/twice"
timeout 60 "$build/ibnetdiscover" --load "$dir/twice" >"$dir/out" 2>"$dir/err"
[ $? = 2 ] && grep -q 'twice: line 1: ' "$dir/err"
report $? "--load of a document with a duplicate member is refused"
lib_end
