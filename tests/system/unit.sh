#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The service unit, as systemd reads it: nothing unknown in it, and it starts a program that there is.
unit=${top_builddir:-.}/systemd/heddled.service
if ! command -v systemd-analyze >/dev/null 2>&1; then
	echo "1..0 # SKIP no systemd-analyze"
	exit 0
fi
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
echo "1..2"

program=$(sed -n 's/^ExecStart=\([^ ]*\).*/\1/p' "$unit")
case $program in
/*/*heddled*) echo "ok 1 - it starts the daemon by its installed name" ;;
*) echo "not ok 1 - it starts the daemon by its installed name: '$program'" ;;
esac

# Nothing is installed yet: the program is the one that was built.  Other units of this machine are not our business.
sed "s|^ExecStart=[^ ]*|ExecStart=$(cd "${top_builddir:-.}" && pwd)/heddled|" "$unit" >"$dir/heddled.service"
systemd-analyze --man=no --recursive-errors=no verify "$dir/heddled.service" >"$dir/out" 2>&1
status=$?
sed 's/^/# /' "$dir/out"
if [ $status -eq 0 ] && ! grep -q 'heddled\.service' "$dir/out"; then
	echo "ok 2 - systemd-analyze verify finds nothing"
else
	echo "not ok 2 - systemd-analyze verify finds nothing"
fi
