#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The worker thread of heddled under everything at once: sweeps one after the other, reloads, questions, and stops at any moment.
build=${top_builddir:-.}
client=$build/tests/system/sa-client
dir=$(mktemp -d) || exit 99
export XDG_RUNTIME_DIR="$dir" RUNTIME_DIRECTORY="$dir"
unset STATE_DIRECTORY NOTIFY_SOCKET
name=work-$$
server= manager= loop=
cleanup() {
	for p in $loop $manager $server; do kill -9 "$p" 2>/dev/null; done
	wait
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 99' HUP INT TERM
count=0

report() {      # report STATUS NAME
	count=$((count + 1))
	if [ "$1" = 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}

on() {          # on NODE COMMAND...
	node=$1
	shift
	timeout 60 "$build/heddle-sim" exec --name $name --node "$node" -- "$@"
}

start() {
	"$build/heddle-sim" exec --name $name --node host-0 -- "$build/heddled" -F "$dir/conf" >>"$dir/log" 2>&1 &
	manager=$!
}

: >"$dir/ready"
"$build/heddle-sim" serve --name $name --topology fattree:k=8,levels=3 >"$dir/ready" 2>"$dir/err" &
server=$!
i=0
until grep -qx ready "$dir/ready"; do
	i=$((i + 1))
	[ $i -lt 200 ] || { sed 's/^/# /' "$dir/err"; echo "Bail out! heddle-sim does not serve"; exit 99; }
	sleep 0.05
done
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
on host-3 "$client" storm 5000 >"$dir/out" &
asks=$!
for lines in 0 1 2 3 4 5 6 7 8 9; do
	printf 'sa_source_burst = 1000000\nlmc = %d\n' $((lines % 2)) >"$dir/conf"
	kill -HUP $manager
	sleep 0.1
done
wait $asks
[ "$(cat "$dir/out")" = "ok 5000 busy 0 other 0" ]
report $? "every question is answered while sweeps and reloads follow one another"
sed 's/^/# /' "$dir/out"
kill $loop
wait $loop 2>/dev/null
loop=
kill -0 $manager
report $? "heddled lives"
bad=0
for pause in 0 0.005 0.01 0.015 0.02 0.03 0.05; do
	on host-0 "$build/heddlectl" wait up --timeout 30 || bad=1
	on host-0 "$build/heddlectl" sweep
	sleep $pause
	kill $manager
	wait $manager || bad=1
	start
done
report $bad "SIGTERM in the midst of a sweep ends it with 0"
on host-0 "$build/heddlectl" wait up --timeout 30
report $? "and the next one finds all as it was"
kill $manager
wait $manager
manager=
echo "1..$count"
