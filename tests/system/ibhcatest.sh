#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# ibhcatest conform: the table of cases on the software adapter, its documents, its exit statuses,
# and the tables in docs/verbs.md.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
check=$build/tests/system/json-check
schema=${top_srcdir:-$here/../..}/docs/schema/ibhcatest-conform.json
doc=${top_srcdir:-$here/../..}/docs/verbs.md

try() {         # try STATUS ARGUMENT...: output in $dir/out and $dir/err
	want=$1
	shift
	timeout 300 "$build/ibhcatest" conform "$@" >"$dir/out" 2>"$dir/err"
	got=$?
	[ "$got" = "$want" ] || { grep -A3 '^not ok' "$dir/out" >"$dir/short"; tail -n 3 "$dir/out" >>"$dir/short"; mv "$dir/short" "$dir/out"
		cat "$dir/err" >>"$dir/out"; echo "exit status $got, wanted $want" >>"$dir/out"; return 1; }
}
document() {    # document STATUS ARGUMENT...: runs it with --json and checks the document
	try "$@" --json && cp "$dir/out" "$dir/doc" && "$check" "$schema" "$dir/doc" "$1" >"$dir/out" 2>&1
}

try 0
report $? "all cases on the software adapter, with default options"
cp "$dir/out" "$dir/tap"
n=$(grep -c '^ok' "$dir/tap")
[ "$n" -ge 300 ] && [ "$(tail -n 2 "$dir/tap" | head -n 1)" = "1..$n" ] && ! grep -q '^not ok' "$dir/tap"
report $? "$n cases, none failed; the TAP plan has the same number"
[ "$(grep -c '^ok' "$dir/tap")" = "$(sed -n 's/^ok [0-9]* - \([^ ]*\).*/\1/p' "$dir/tap" | sort -u | wc -l)" ]
report $? "every name is unique"
! grep 'SKIP' "$dir/tap" | grep -v 'SKIP needs ' >"$dir/out"
report $? "each skip names what is missing"
try 0 --backend soft --seed 99
report $? "another seed"

document 0 --backend soft
report $? "as a document"
grep -q '"backend": "soft"' "$dir/doc" && grep -q '"fail": 0' "$dir/doc" && [ "$(grep -c '"status": "pass"' "$dir/doc")" -ge 300 ]
report $? "the document has the same results"
document 0 --area cq,srq --case '*order*' && [ "$(grep -c '"name": "cq/' "$dir/doc")" -ge 1 ] && ! grep -q '"area": "srq"' "$dir/doc"
report $? "--area and --case together"
document 2 --area nonesuch && grep -q '"code": "usage"' "$dir/doc"
report $? "an unknown area: exit 2, with a document"
document 2 --case 'nonesuch/*'
report $? "an unknown case"
document 2 --no-such-option
report $? "an unknown option"
document 2 --backend hard
report $? "an unknown back end"
document 2 --seed 1x && document 2 --limit -1 && document 2 operand
report $? "invalid numbers, and operands"
document 255 --peer nobody && grep -q '"code": "no_device"' "$dir/doc"
report $? "an unknown device: exit 255"
document 255 --backend verbs:none-of-that-name
report $? "no libibverbs, or none of its devices has that name: exit 255"
document 3 --limit 0 && grep -q '"incomplete": true' "$dir/doc"
report $? "a time limit that ends the run: exit 3"

try 0 --list && [ "$(wc -l <"$dir/out")" = "$n" ] && cut -f 1 "$dir/out" >"$dir/list" && sed -n 's/^ok [0-9]* - \([^ ]*\).*/\1/p' "$dir/tap" | diff - "$dir/list" >"$dir/out"
report $? "--list has what a run has, in its order"
timeout 60 "$build/ibhcatest" conform --backend soft >/dev/full 2>"$dir/out"
[ $? = 255 ]
report $? "a full output device is reported"

shown() {       # shown NAME OPTION: compares a marked part of docs/verbs.md with the output
	try 0 "$2" && sed -n "/^<!-- $1: begin/,/^<!-- $1: end/p" "$doc" | sed '1d;$d' >"$dir/shown" && [ -s "$dir/shown" ] &&
		cp "$dir/out" "$dir/printed" && diff "$dir/shown" "$dir/printed" >"$dir/out"
}
shown conform --markdown
report $? "docs/verbs.md has the present tables"
shown deviations --deviations
report $? "docs/verbs.md has the present known deviations"
lib_end
