#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Every option of every diagnostics tool is in some test, and docs/diags-tests.md has a row for it.  `make update-diags` writes
# what is missing there; what is missing in the tests is a line in tests/system/diags/TOOL.cases.
cd "$top_builddir" || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
for page in "$top_srcdir"/man/diags/*.rst; do
	tool=$(basename "$page" .rst)
	[ "$tool" = common ] || printf './%s\n' "$tool"
done >"$tmp/tools"
# Tool and option alone: which test is the first to have it may change.
rows() {
	awk '/^## / { tool = $2 } /^\| `-/ { sub(/^\| `/, ""); sub(/`.*/, ""); print tool, $0 }' "$1"
}
echo 1..3
xargs "$top_srcdir/build-aux/diag-tests" "$top_srcdir" <"$tmp/tools" >"$tmp/now" 2>"$tmp/missing"
status=$?
[ "$status" = 0 ] && [ ! -s "$tmp/missing" ] || printf 'not '
echo "ok 1 - every option has a test"
sed 's/^/# /' "$tmp/missing"
rows "$tmp/now" >"$tmp/a"
rows "$top_srcdir/docs/diags-tests.md" >"$tmp/b"
[ -s "$tmp/a" ] && diff "$tmp/a" "$tmp/b" >&2 || printf 'not '
echo "ok 2 - the table has a row for each"
# The check can fail: without the tests of one tool its options are missed.
mkdir -p "$tmp/src/tests/system/diags" && : >"$tmp/src/tests/system/none.sh" && : >"$tmp/src/tests/system/diags/none.cases"
"$top_srcdir/build-aux/diag-tests" "$tmp/src" ./ibstat >/dev/null 2>"$tmp/missing" && printf 'not '
grep -qx 'ibstat: -l, --list_of_cas is in no test' "$tmp/missing" || printf 'not '
echo "ok 3 - a missing test is found"
