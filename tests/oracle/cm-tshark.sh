#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# cm-tshark.sh - random messages of communication management, as tshark dissects them.
# tshark is taken from HEDDLE_PEERS (tests/peers fetches it), else from the path; skipped with the reason without one.
set -u
oracle=${top_builddir:-.}/tests/oracle/cm_tshark
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
if ! dissect -v >"$dir/version"; then
	echo "1..0 # SKIP tshark does not run: $(head -n 1 "$dir/err")"
	exit 0
fi
if ! dissect -G fields | cut -f 3 | sort -u >"$dir/known" || ! grep -q '^infiniband.cm.req.localqpn$' "$dir/known"; then
	echo "1..0 # SKIP this tshark does not dissect communication management"
	exit 0
fi
echo 1..6
n=0
for m in REQ:0x10 REP:0x13 RTU:0x14 REJ:0x12 DREQ:0x15 DREP:0x16; do
	n=$((n + 1))
	name=${m%:*}
	set --
	for field in $("$oracle" fields "$name"); do
		set -- "$@" -e "$field"
	done
	dissect -r "$dir/capture" -Y "infiniband.mad.attributeid == ${m#*:}" -T fields -E occurrence=l "$@" >"$dir/values"
	if "$oracle" check "$dir/capture" "$name" <"$dir/values"; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		sed 's/^/# /' "$dir/err"
	fi
done
