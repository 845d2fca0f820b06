#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# cm-tshark.sh - random messages of communication management, as tshark dissects them.
set -u
oracle=${top_builddir:-.}/tests/oracle/cm_tshark
. "$(dirname "$0")/tshark.sh"
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
