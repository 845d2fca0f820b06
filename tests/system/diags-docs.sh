#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Each diagnostics tool: its manual page and completion are what its tables make, --help names the same options, and it has
# a schema.  `make update-generated` writes what is missing here.
cd "$top_builddir" || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0
check() {       # check STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

for file in "$top_srcdir"/man/diags/*.rst; do
	tool=$(basename "$file" .rst)
	[ "$tool" = common ] && continue
	"$top_srcdir/build-aux/diag-doc" rst "./$tool" | diff "$file" - >&2
	check $? "$tool: options in the manual"
	"$top_srcdir/build-aux/diag-doc" completion "./$tool" | diff "$top_srcdir/completion/$tool" - >&2
	check $? "$tool: completion"
	"./$tool" --dump-options | awk -F '\t' '$1 == "option" { print "--" $3 }' | sort >"$tmp/table"
	"./$tool" --help 2>&1 | sed -nE 's/^  (--[A-Za-z0-9_-]+).*/\1/p' | sort >"$tmp/help"
	[ -s "$tmp/table" ] && diff "$tmp/table" "$tmp/help" >&2
	check $? "$tool: --help"
	[ -f "$top_srcdir/docs/schema/$tool.json" ] && [ -f "$top_srcdir/man/$tool.8.rst" ]
	check $? "$tool: schema and page"
done
echo "1..$n"
