#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# symbols.sh - no global symbol of our libraries is one that libibmad or libibumad exports, or begins as theirs do.
# The linker would say nothing and let one of the two replace the other.  The shim is meant to, and left out.
set -u
cd "${top_builddir:-.}" || exit 99
ours=$(find . -name 'libhd*.a' ! -path './sim/shim/*' ! -path './heddle-*' | sort)
theirs=
for lib in libibmad.so.5 libibumad.so.3; do
	path=$(ldconfig -p 2>/dev/null | sed -n "s|.* => \(/.*/$lib\)\$|\1|p" | head -n 1)
	[ -n "$path" ] || path=$(find /usr/lib /lib -name "$lib" 2>/dev/null | head -n 1)
	theirs="$theirs $path"
done
if [ -z "$ours" ] || [ "$(echo $theirs | wc -w)" -ne 2 ]; then
	echo "1..0 # SKIP libibmad or libibumad, or our libraries, not found"
	exit 0
fi
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
nm -g --defined-only $ours 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u > "$dir/ours"
nm -D --defined-only $theirs | awk 'NF == 3 { sub(/@.*/, "", $3); print $3 }' | sort -u > "$dir/theirs"

# check NAME FILE: the file must be empty
n=0
check() {
	n=$((n + 1))
	if [ -s "$2" ]; then
		echo "not ok $n - $1"
		sed 's/^/# /' "$2"
	else
		echo "ok $n - $1"
	fi
}
echo 1..3
comm -12 "$dir/ours" "$dir/theirs" > "$dir/both"
check "no symbol is exported by libibmad or libibumad" "$dir/both"
grep -E '^(mad|umad|smp|ib)_' "$dir/ours" > "$dir/prefix"
check "no symbol begins with mad_, umad_, smp_ or ib_" "$dir/prefix"
: > "$dir/few"
[ "$(wc -l < "$dir/ours")" -gt 100 ] && [ "$(wc -l < "$dir/theirs")" -gt 100 ] || echo "symbol lists are too short" > "$dir/few"
check "both lists were read" "$dir/few"
