#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# heddled as a service: what it tells its supervisor, a device that is not there yet, that goes and comes back, signals, the control
# socket's answers against their description.
build=${top_builddir:-.}
source=${top_srcdir:-.}
dir=$(mktemp -d) || exit 99
export XDG_RUNTIME_DIR=$dir
unset STATE_DIRECTORY RUNTIME_DIRECTORY NOTIFY_SOCKET WATCHDOG_USEC
name=l$$
sim=
pids=
cleanup() {
	[ -z "$pids" ] || kill $pids 2>/dev/null
	[ -z "$sim" ] || kill "$sim" 2>/dev/null
	wait 2>/dev/null
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 99' HUP INT TERM
count=0

report() {      # report STATUS NAME
	count=$((count + 1))
	if [ "$1" = 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}

until_says() {  # until_says FILE PATTERN [SECONDS]
	for _ in $(seq $((${3:-20} * 10))); do
		grep -q -- "$2" "$1" 2>/dev/null && return 0
		sleep 0.1
	done
	sed 's/^/# /' "$1"
	return 1
}

serve() {
	: >"$dir/sim.out"
	"$build/heddle-sim" serve --name $name --topology fattree:k=4,levels=2 >"$dir/sim.out" 2>"$dir/sim.err" &
	sim=$!
	until_says "$dir/sim.out" '^ready$'
}

supervise() {   # a supervisor that writes down what it is told, into $dir/told
	rm -f "$dir/notify" "$dir/told"
	"$build/tests/system/notify-probe" "$dir/notify" >"$dir/told" 2>&1 &
	pids="$pids $!"
	for _ in $(seq 100); do [ -S "$dir/notify" ] && break; sleep 0.05; done
}

is_right() {
	for _ in $(seq 200); do
		"$build/heddle-sim" ctl --name $name summary --json >"$dir/summary" 2>/dev/null &&
			tr -d ' \n' <"$dir/summary" | grep -q '"linked":32,"active":32,.*"missing":0,"duplicate":0.*"lost":0' && return 0
		sleep 0.1
	done
	sed 's/^/# /' "$dir/summary"
	return 1
}

matches() {     # matches METHOD MEMBER COMMAND...: what heddlectl shows is what the description says
	local method=$1 member=$2
	shift 2
	"$@" >"$dir/reply" 2>&1
	"$build/tests/idl/idl_check" "$source/sm/ctl/io.heddle.Manager.varlink" "$method" $member <"$dir/reply" 2>"$dir/why" && return 0
	sed 's/^/# /' "$dir/why" "$dir/reply"
	return 1
}

# ---- no device ----
if [ -e /dev/infiniband ]; then
	echo "ok 1 - # SKIP this machine has InfiniBand devices: no test opens them"
	count=1
else
	"$build/heddled" -F /dev/null --state-dir "$dir/s0" --runtime-dir "$dir/r0" >"$dir/out" 2>"$dir/err"
	[ $? = 255 ] && [ "$(wc -l <"$dir/err")" = 1 ] && [ ! -s "$dir/out" ]
	report $? "started by hand without a device: one sentence, exit 255"
	supervise
	NOTIFY_SOCKET=$dir/notify WATCHDOG_USEC=900000 "$build/heddled" -F /dev/null --state-dir "$dir/s0" \
		--runtime-dir "$dir/r0" >"$dir/log" 2>&1 &
	daemon=$!
	pids="$pids $daemon"
	until_says "$dir/told" '^READY=1'
	report $? "a service without a device is ready,"
	until_says "$dir/told" '^STATUS=waiting for an InfiniBand port'
	report $? "says that it waits,"
	until_says "$dir/told" '^WATCHDOG=1'
	report $? "feeds its watchdog,"
	RUNTIME_DIRECTORY=$dir/r0 matches Status status "$build/heddlectl" --json status
	report $? "answers Status as described,"
	sleep 2.5
	[ "$(grep -c 'waiting for an' "$dir/log")" = 1 ]
	report $? "logs that once"
	kill $daemon
	wait $daemon
	report $? "and ends with 0 on SIGTERM"
fi

# ---- a device that goes and comes back ----
serve || { echo "Bail out! heddle-sim does not serve"; exit 99; }
supervise
cat >"$dir/conf" <<-EOF
	sweep_interval = 2
EOF
NOTIFY_SOCKET=$dir/notify WATCHDOG_USEC=3000000 RUNTIME_DIRECTORY=$dir/r1 STATE_DIRECTORY=$dir/s1 "$build/heddle-sim" exec --name $name \
	--node host-0 -- "$build/heddled" -F "$dir/conf" --state-dir "$dir/s1" --runtime-dir "$dir/r1" >"$dir/log" 2>&1 &
daemon=$!
pids="$pids $daemon"
ctl() {
	"$build/heddlectl" --socket "$dir/r1/heddled.sock" "$@"
}
until_says "$dir/told" '^STATUS=master, up'
report $? "STATUS tells of the sweep"
is_right
report $? "the fabric is up"
matches Status status ctl --json status
report $? "Status is as described"
matches Snapshot snapshot ctl --json snapshot
report $? "Snapshot is as described"
matches Trace trace ctl --json trace host-1 host-7
report $? "Trace is as described"
: >"$dir/told"
kill -HUP $daemon
until_says "$dir/told" '^RELOADING=1' && until_says "$dir/told" '^READY=1'
report $? "SIGHUP: RELOADING, then READY"
echo 'sweep_interval = soon' >"$dir/conf"
: >"$dir/told"
kill -HUP $daemon
until_says "$dir/told" '^READY=1' && until_says "$dir/log" 'stays as it was' && grep -q "$dir/conf:1" "$dir/log"
report $? "a configuration that is wrong is named and not taken"
{ kill -9 $sim; wait $sim; } 2>/dev/null
until_says "$dir/told" '^STATUS=waiting'
report $? "the device is gone: it waits,"
kill -0 $daemon
report $? "alive,"
matches Status status ctl --json status
report $? "and answers"
: >"$dir/told"
serve
until_says "$dir/told" '^STATUS=master, up'
report $? "the device is back: up again"
is_right
report $? "and right"
: >"$dir/told"
until_says "$dir/told" '^WATCHDOG=1'
report $? "its watchdog was fed all the time"
ticks() {
	awk '{ print $14 + $15 }' /proc/"$1"/stat
}
before=$(ticks $daemon)
sleep 2
[ $(($(ticks $daemon) - before)) -le 20 ]
report $? "a quiet fabric costs it next to nothing"
summary() {
	"$build/heddle-sim" ctl --name $name summary --json | grep -v '"time"'
}
summary >"$dir/before"
kill $daemon
wait $daemon
report $? "SIGTERM: exit 0"
summary >"$dir/after"
cmp -s "$dir/before" "$dir/after"
report $? "the fabric stays as it was"
echo "1..$count"
