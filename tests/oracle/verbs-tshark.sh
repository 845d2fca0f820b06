#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# verbs-tshark.sh - packets of the software adapters, as tshark dissects them.
# tshark is taken from HEDDLE_PEERS (tests/peers fetches it), else from the path; skipped with the reason without one.
set -u
oracle=${top_builddir:-.}/tests/oracle/verbs_tshark
peers=${HEDDLE_PEERS:-}
if [ -n "$peers" ] && [ -x "$peers/usr/bin/tshark" ]; then
	tshark=$peers/usr/bin/tshark
	libs=$(find "$peers/usr/lib" -name 'libwireshark.so.*' -type l -o -name 'libwireshark.so.*' -type f | head -n 1)
	lib_path=$(dirname "$libs")
else
	tshark=$(command -v tshark) || { echo "1..0 # SKIP no tshark: neither in HEDDLE_PEERS nor in the path"; exit 0; }
	lib_path=
fi
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
HOME=$dir
export HOME
dissect() {
	LD_LIBRARY_PATH=$lib_path timeout 120 "$tshark" "$@" 2>"$dir/err"
}
"$oracle" write "$dir/capture" || exit 99
if ! dissect -G fields | cut -f 3 | sort -u >"$dir/known" || ! grep -q '^infiniband.bth.opcode$' "$dir/known"; then
	echo "1..0 # SKIP tshark does not run, or does not dissect InfiniBand: $(head -n 1 "$dir/err")"
	exit 0
fi
echo 1..1
set --
for field in $("$oracle" fields); do
	set -- "$@" -e "$field"
done
dissect -r "$dir/capture" -T fields -E occurrence=f "$@" >"$dir/values"
if "$oracle" check "$dir/capture" <"$dir/values"; then
	echo "ok 1 - packets"
else
	echo "not ok 1 - packets"
	sed 's/^/# /' "$dir/err"
fi
