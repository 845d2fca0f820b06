#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# systemd-analyze reads the service unit: it has no unknown settings, and its program exists.
unit=${top_builddir:-.}/systemd/heddled.service
if ! command -v systemd-analyze >/dev/null 2>&1; then
	echo "1..0 # SKIP no systemd-analyze"
	exit 0
fi
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
echo "1..4"

program=$(sed -n 's/^ExecStart=\([^ ]*\).*/\1/p' "$unit")
case $program in
/*/*heddled*) echo "ok 1 - it starts the daemon by its installed name" ;;
*) echo "not ok 1 - it starts the daemon by its installed name: '$program'" ;;
esac

# Nothing is installed, so the program is the one in the build tree.  Messages about other units of
# this machine are ignored.
for u in heddled heddle-secret; do
	sed "s|^ExecStart=[^ ]*|ExecStart=$(cd "${top_builddir:-.}" && pwd)/heddled|" "${unit%/*}/$u.service" >"$dir/$u.service"
done
systemd-analyze --man=no --recursive-errors=no verify "$dir/heddled.service" "$dir/heddle-secret.service" >"$dir/out" 2>&1
status=$?
sed 's/^/# /' "$dir/out"
if [ $status -eq 0 ] && ! grep -q 'heddle.*\.service' "$dir/out"; then
	echo "ok 2 - systemd-analyze verify finds nothing"
else
	echo "not ok 2 - systemd-analyze verify finds nothing"
fi

# The secret that one makes is the one that the other is handed.
made=$(sed -n 's/^ConditionPathExists=!//p' "${unit%/*}/heddle-secret.service")
if [ -n "$made" ] && grep -qx "LoadCredential=heddle-secret:$made" "$unit" &&
	grep -q "^ExecStart=.* --set secret_file=$made --make-secret$" "${unit%/*}/heddle-secret.service"; then
	echo "ok 3 - the daemon is handed the secret that is made: $made"
else
	echo "not ok 3 - the daemon is handed the secret that is made: '$made'"
fi
if grep -qx 'LimitCORE=0' "$unit"; then
	echo "ok 4 - no core file holds keys"
else
	echo "not ok 4 - no core file holds keys"
fi
