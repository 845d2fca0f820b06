#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Every option of every diagnostics tool is in some test, and docs/diags-tests.md has a row for it.  `make update-diags` writes
# what is missing there; what is missing in the tests is a line in tests/system/diags/TOOL.cases.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
cd "$top_builddir" || exit 1
for page in "$top_srcdir"/man/diags/*.rst; do
	tool=$(basename "$page" .rst)
	[ "$tool" = common ] || printf './%s\n' "$tool"
done >"$dir/tools"
# Tool and option alone: which test is the first to have it may change.
rows() {
	awk '/^## / { tool = $2 } /^\| `-/ { sub(/^\| `/, ""); sub(/`.*/, ""); print tool, $0 }' "$1"
}
xargs "$top_srcdir/build-aux/diag-tests" "$top_srcdir" <"$dir/tools" >"$dir/now" 2>"$dir/missing"
status=$?
[ "$status" = 0 ] && [ ! -s "$dir/missing" ]
report $? "every option has a test" "$dir/missing"
rows "$dir/now" >"$dir/a"
rows "$top_srcdir/docs/diags-tests.md" >"$dir/b"
[ -s "$dir/a" ] && diff "$dir/a" "$dir/b" >"$dir/out"
report $? "the table has a row for each"
# The check can fail: without the tests of one tool its options are missed.
mkdir -p "$dir/src/tests/system/diags" && : >"$dir/src/tests/system/none.sh" && : >"$dir/src/tests/system/diags/none.cases"
"$top_srcdir/build-aux/diag-tests" "$dir/src" ./ibstat >/dev/null 2>"$dir/missing"
[ $? != 0 ] && grep -qx 'ibstat: -l, --list_of_cas is in no test' "$dir/missing"
report $? "a missing test is found" "$dir/missing"
lib_end
