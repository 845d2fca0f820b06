#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The worker thread of heddled under load: sweeps one after the other, reloads, queries, and SIGTERM
# at any moment.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
client=$build/tests/system/sa-client

start() {
	"$sim" exec --name "$name" --node host-0 -- "$build/heddled" -F "$dir/conf" >>"$dir/log" 2>&1 &
	manager=$!
	pids="$base $manager"
}

fabric_start fattree:k=8,levels=3
base=$pids
mkdir "$dir/export"
echo 'sa_source_burst = 1000000' >"$dir/conf"
start
on host-0 "$build/heddlectl" wait up --timeout 30
report $? "heddled brings the fabric up"

(
	on host-0 "$build/heddlectl" sweep
	while sleep 0.02; do
		on host-0 "$build/heddlectl" sweep
		on host-0 "$build/heddlectl" snapshot
		on host-0 "$build/heddlectl" export paths "$dir/export" # the subnet may not rest for so long
		on host-0 "$build/heddlectl" --json status
	done
) >/dev/null 2>&1 &
loop=$!
pids="$pids $loop"
on host-3 "$client" storm 5000 >"$dir/out" &
asks=$!
for lines in 0 1 2 3 4 5 6 7 8 9; do
	printf 'sa_source_burst = 1000000\nlmc = %d\n' $((lines % 2)) >"$dir/conf"
	kill -HUP $manager
	sleep 0.1
done
wait $asks
[ "$(cat "$dir/out")" = "ok 5000 busy 0 other 0" ]
report $? "every query is answered during sweeps and reloads"
sed 's/^/# /' "$dir/out"
kill $loop
wait $loop 2>/dev/null
kill -0 $manager
report $? "heddled still runs"
bad=0
for pause in 0 0.005 0.01 0.015 0.02 0.03 0.05; do
	on host-0 "$build/heddlectl" wait up --timeout 30 || bad=1
	on host-0 "$build/heddlectl" sweep
	sleep $pause
	kill $manager
	wait $manager || bad=1
	start
done
report $bad "SIGTERM during a sweep ends it with 0"
on host-0 "$build/heddlectl" wait up --timeout 30
report $? "the next heddled comes up"
kill $manager
wait $manager
manager=
lib_end
