#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Every diagnostics tool: its manual page and completion are those generated from its option table,
# --help has the same options, and there is a schema.  `make update-generated` regenerates them.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
cd "$top_builddir" || exit 1

for file in "$top_srcdir"/man/diags/*.rst; do
	tool=$(basename "$file" .rst)
	[ "$tool" = common ] && continue
	"$top_srcdir/build-aux/diag-doc" rst "./$tool" | diff "$file" - >"$dir/out" 2>&1
	report $? "$tool: options in the manual"
	"$top_srcdir/build-aux/diag-doc" completion "./$tool" | diff "$top_srcdir/completion/$tool" - >"$dir/out" 2>&1
	report $? "$tool: completion"
	"./$tool" --dump-options | awk -F '\t' '$1 == "option" { print "--" $3 }' | sort >"$dir/table"
	"./$tool" --help 2>&1 | sed -nE 's/^  (--[A-Za-z0-9_-]+).*/\1/p' | sort >"$dir/help"
	[ -s "$dir/table" ] && diff "$dir/table" "$dir/help" >"$dir/out" 2>&1
	report $? "$tool: --help"
	[ -f "$top_srcdir/docs/schema/$tool.json" ] && [ -f "$top_srcdir/man/$tool.8.rst" ]
	report $? "$tool: schema and page"
done
lib_end
