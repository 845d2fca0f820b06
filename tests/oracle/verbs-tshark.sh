#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# verbs-tshark.sh - packets of the software adapters, as tshark dissects them.
set -u
oracle=${top_builddir:-.}/tests/oracle/verbs_tshark
. "$(dirname "$0")/tshark.sh"
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
