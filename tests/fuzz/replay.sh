#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# replay.sh - runs every fuzz target over its seeds, and over what a fuzzer once found.
# HEDDLE_RUN: words of a tool to run programs under (build-aux/run-under).
set -u
build=${top_builddir:-.}/tests/fuzz
found=${top_srcdir:-.}/tests/fuzz/found
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
${HEDDLE_RUN:-} "$build/make_seeds" "$dir/seeds" || exit 99
targets=$(find "$build" -maxdepth 1 -name 'fuzz_*' -type f -perm -u+x | sort)
[ -n "$targets" ] || exit 99
echo "1..$(echo $targets | wc -w)"
n=0
for target in $targets; do
	n=$((n + 1))
	name=$(basename "$target")
	name=${name#fuzz_}
	{
		find "$dir/seeds/$name" -type f 2>/dev/null
		find "$found" -name "$name-*" -type f 2>/dev/null
	} | sort > "$dir/files"
	if xargs ${HEDDLE_RUN:-} "$target" < "$dir/files" > "$dir/log" 2>&1; then
		echo "ok $n - $name, $(wc -l < "$dir/files") files"
	else
		echo "not ok $n - $name"
		sed 's/^/# /' "$dir/log"
	fi
done
