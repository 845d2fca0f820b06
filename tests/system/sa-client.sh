#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Programs on hosts of a simulated fabric query heddled through libibumad: requests of several
# datagrams, and more requests than the limit for one source.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
client=$build/tests/system/sa-client

fabric_start fattree:k=4,levels=3
cat >"$dir/conf" <<'END'
sa_source_rate = 1
sa_source_burst = 50
END
manager_start host-0 -F "$dir/conf"
on host-0 "$build/heddlectl" wait up --timeout 30
report $? "heddled brings the fabric up"

on host-1 "$client" multi >"$dir/out"
status=$?
sed 's/^/# /' "$dir/out"
[ $status = 0 ] && [ "$(grep -c '^ok' "$dir/out")" = 6 ]
report $? "MultiPathRecord in requests of several datagrams"

on host-2 "$client" storm 500 >"$dir/out"
report $? "every request of a flood is answered"
sed 's/^/# /' "$dir/out"
set -- $(cat "$dir/out")
[ "$2" -ge 51 ] && [ "$2" -le 150 ] && [ $(($2 + $4)) = 500 ]
report $? "requests above the limit get BUSY"
busy=$4
[ "$(on host-3 "$client" storm 10)" = "ok 10 busy 0 other 0" ]
report $? "other hosts are unaffected"
on host-0 "$build/heddlectl" --json status >"$dir/status"
grep -q "\"busy\": $busy,\$" "$dir/status"
report $? "the status has the number of BUSY answers"

# The device drops requests above the maximum length; other requests are answered.
dropped() {
	on host-0 "$build/heddlectl" --json status >"$dir/out" && grep -q '"silent_too_long": 3,$' "$dir/out"
}
for bytes in 65537 1048576 33554432; do
	on host-4 "$client" huge $bytes >"$dir/huge-$bytes" &
	pids="$pids $!"
done
within 20 dropped
report $? "three overlong requests are dropped"
[ "$(on host-5 "$client" storm 10)" = "ok 10 busy 0 other 0" ]
report $? "other hosts are unaffected by overlong requests"
lib_end
