#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Programs on hosts of a simulated fabric ask heddled through libibumad: requests of several datagrams, and more of them
# than one source may.
build=${top_builddir:-.}
client=$build/tests/system/sa-client
dir=$(mktemp -d) || exit 99
export XDG_RUNTIME_DIR="$dir" RUNTIME_DIRECTORY="$dir"
unset STATE_DIRECTORY NOTIFY_SOCKET
name=sac-$$
server= manager=
cleanup() {
	for p in $manager $server; do kill -9 "$p" 2>/dev/null; done
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

: >"$dir/ready"
"$build/heddle-sim" serve --name $name --topology fattree:k=4,levels=3 >"$dir/ready" 2>"$dir/err" &
server=$!
i=0
until grep -qx ready "$dir/ready"; do
	i=$((i + 1))
	[ $i -lt 200 ] || { sed 's/^/# /' "$dir/err"; echo "Bail out! heddle-sim does not serve"; exit 99; }
	sleep 0.05
done
cat >"$dir/conf" <<'END'
sa_source_rate = 1
sa_source_burst = 50
END
"$build/heddle-sim" exec --name $name --node host-0 -- "$build/heddled" -F "$dir/conf" >"$dir/log" 2>&1 &
manager=$!
on host-0 "$build/heddlectl" wait up --timeout 30
report $? "heddled brings the fabric up"

on host-1 "$client" multi >"$dir/out"
status=$?
sed 's/^/# /' "$dir/out"
[ $status = 0 ] && [ "$(grep -c '^ok' "$dir/out")" = 6 ]
report $? "MultiPathRecord in requests of several datagrams"

on host-2 "$client" storm 500 >"$dir/out"
report $? "a storm is answered to the last question"
sed 's/^/# /' "$dir/out"
set -- $(cat "$dir/out")
[ "$2" -ge 51 ] && [ "$2" -le 150 ] && [ $(($2 + $4)) = 500 ]
report $? "by BUSY when it is too much"
busy=$4
[ "$(on host-3 "$client" storm 10)" = "ok 10 busy 0 other 0" ]
report $? "another host is not touched"
on host-0 "$build/heddlectl" --json status >"$dir/status"
grep -q "\"busy\": $busy,\$" "$dir/status"
report $? "the status tells how many were told BUSY"
echo "1..$count"
