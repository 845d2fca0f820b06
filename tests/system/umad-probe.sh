#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The libibumad back end on the distribution's own simulator: a port is listed, opened and queried.
# HEDDLE_PEERS names a directory into which ibsim-utils and its libraries are unpacked.
here=$(dirname "$0")
. "$here/ibsim.sh"
ibsim_begin
probe=$build/tests/system/umad-probe
ibsim_ours "$probe" || skip_all "$why"
net=$nets/net.2sw2path4hca

run() {         # run HOST [ARGUMENT...]: runs the probe on that host; sets out, err, rc
	host=$1
	shift
	ibsim_on "$host" "$probe" "$@" >"$dir/out" 2>"$dir/err"
	rc=$?
	sed 's/^/# /' "$dir/out" "$dir/err"
}

ibsim_start "$net" || lib_bail "ibsim does not start"

# Every host: the node that answers has the GUID of the file.
hosts=$(ibsim_hosts "$net")
for host in $hosts; do
	run "$host"
	report $rc "$host answers NodeInfo with its own GUID"
done
[ -n "$hosts" ]
report $? "the net has hosts"
host=$(echo "$hosts" | head -n 1)
run "$host"
grep -q "^# ibsim0/1 0x" "$dir/out" && grep -q " ca ibsim0/1 " "$dir/out"
report $? "the port is listed and chosen"
run "$host" ibsim0 1
report $rc "it opens by name and number"
run "$host" nothing0
[ $rc = 255 ] && grep -q "there is no device 'nothing0'" "$dir/err"
report $? "an unknown device: one sentence, exit status 255"
run "$host" ibsim0 7
[ $rc = 255 ] && grep -q "there is no port 7 of a device 'ibsim0'" "$dir/err"
report $? "an unknown port: one sentence, exit status 255"
lib_end
