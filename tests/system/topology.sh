#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The intended topology of a real heddled: learned, kept across a restart, shown and changed by heddlectl.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin

topology() {    # topology ARGUMENT...: status 0 if it ends so, output in $dir/out
	on host-0 "$build/heddlectl" topology "$@" >"$dir/out" 2>&1
}

says() {        # says PATTERN: "topology show" has such a line
	topology show
	grep -q -- "$1" "$dir/out"
}

fabric_start "fattree:k=4,levels=2"
manager_start host-0 -F /dev/null --state-dir "$dir/state" -R ftree
within 20 fabric_right
within 20 says "^Topology *: learned$"
report $? "it is learned" "$dir/out"
grep -q "^Intended *: 6 switches, 8 links between them, 8 host ports$" "$dir/out"
report $? "the whole fabric is intended" "$dir/out"
on host-0 "$build/heddlectl" --json topology show |
	"$build/tests/idl/idl_check" "$here/../../sm/ctl/io.heddle.Manager.varlink" Topology topology
report $? "the answer is as the interface says"

kill -9 "$manager"
wait "$manager" 2>/dev/null
ctl power host-5 off >"$dir/out" 2>&1
manager_start host-0 -F /dev/null --state-dir "$dir/state" -R ftree
within 20 says "missing host: .* at .* port"
report $? "after a restart a host that is off is missing, not forgotten" "$dir/out"

topology adopt
[ $? = 1 ] && grep -q "nothing was changed" "$dir/out" && says "8 host ports"
report $? "adopt asks for --yes" "$dir/out"
topology rebalance --yes && grep -q "Intended *: .* 8 host ports" "$dir/out" && says "missing host"
report $? "rebalance keeps what is missing" "$dir/out"
topology adopt --yes && says "^Intended *: .* 7 host ports" && ! says "missing host"
report $? "adopt takes the fabric as it is" "$dir/out"
ctl power host-5 on >"$dir/out" 2>&1
within 20 says "^Intended *: .* 8 host ports"
report $? "a new host is adopted without a command" "$dir/out"
lib_end
