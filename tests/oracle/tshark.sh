# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# tshark.sh - tshark for the tests that source it: taken from HEDDLE_PEERS (tests/peers fetches it), else from the path; without one the
# test is skipped with the reason.
#   dissect ARGUMENT...     runs it; what it says on standard error is in $dir/err
#   $dir                    a directory, and HOME, until the test ends
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
