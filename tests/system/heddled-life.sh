#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# heddled as a service: its messages to the supervisor, a device that is missing at the start, that
# disappears and comes back, signals, and the answers of the control socket checked against their
# interface description.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
unset RUNTIME_DIRECTORY WATCHDOG_USEC
source=${top_srcdir:-.}

supervise() {   # a supervisor that writes the notifications it gets to $dir/told
	rm -f "$dir/notify"
	: >"$dir/told"
	"$build/tests/system/notify-probe" "$dir/notify" >>"$dir/told" 2>&1 &
	pids="$pids $!"
	within 5 test -S "$dir/notify"
}

told() {        # told NAME LINE...: a TAP line: the notifications begin with these texts
	local title=$1 status=0
	shift
	for line; do within 20 grep -q "^$line" "$dir/told" || status=1; done
	report $status "$title" "$dir/told"
}

whole() {       # whole NAME: a TAP line: the whole fabric is up
	within 20 fabric_right 32
	report $? "$1" "$dir/summary"
}

matches() {     # matches NAME METHOD MEMBER COMMAND...: a TAP line: the answer fits the description
	local title=$1 method=$2 member=$3
	shift 3
	"$@" >"$dir/reply" 2>&1
	"$build/tests/idl/idl_check" "$source/sm/ctl/io.heddle.Manager.varlink" "$method" "$member" <"$dir/reply" 2>"$dir/why"
	local status=$?
	cat "$dir/why" "$dir/reply" >"$dir/out"
	report $status "$title"
}

# ---- no device ----
if [ -e /dev/infiniband ]; then
	skip "a service without a device" "this machine has InfiniBand devices: no test opens them"
else
	"$build/heddled" -F /dev/null --state-dir "$dir/s0" --runtime-dir "$dir/r0" >"$dir/printed" 2>"$dir/err"
	[ $? = 255 ] && [ "$(wc -l <"$dir/err")" = 1 ] && [ ! -s "$dir/printed" ]
	report $? "started by hand without a device: one sentence, exit 255" "$dir/err"
	supervise
	NOTIFY_SOCKET=$dir/notify WATCHDOG_USEC=900000 "$build/heddled" -F /dev/null --state-dir "$dir/s0" \
		--runtime-dir "$dir/r0" >"$dir/log" 2>&1 &
	daemon=$!
	pids="$pids $daemon"
	told "a service without a device is ready," READY=1
	told "says that it waits," 'STATUS=waiting for an InfiniBand port'
	told "feeds its watchdog," WATCHDOG=1
	RUNTIME_DIRECTORY=$dir/r0 matches "answers Status as described," Status status "$build/heddlectl" --json status
	sleep 2.5
	[ "$(grep -c 'waiting for an' "$dir/log")" = 1 ]
	report $? "it logs the missing device once" "$dir/log"
	kill $daemon
	wait $daemon
	report $? "without a device it ends with 0 on SIGTERM" "$dir/log"
fi

# ---- a device that disappears and comes back ----
fabric_start fattree:k=4,levels=2
supervise
echo 'sweep_interval = 2' >"$dir/conf"
NOTIFY_SOCKET=$dir/notify WATCHDOG_USEC=3000000 spawn host-0 "$dir/log" "$build/heddled" -F "$dir/conf" --state-dir "$dir/s1" \
	--runtime-dir "$dir/r1"
daemon=$last
ask() {
	"$build/heddlectl" --socket "$dir/r1/heddled.sock" "$@"
}
told "STATUS tells of the sweep" 'STATUS=master, up'
whole "the fabric is up"
matches "Status is as described" Status status ask --json status
matches "Snapshot is as described" Snapshot snapshot ask --json snapshot
matches "Trace is as described" Trace trace ask --json trace host-1 host-7
: >"$dir/told"
kill -HUP $daemon
told "SIGHUP: RELOADING, then READY" RELOADING=1 READY=1
echo 'sweep_interval = soon' >"$dir/conf"
: >"$dir/told"
kill -HUP $daemon
within 20 grep -q '^READY=1' "$dir/told" && within 20 grep -q 'stays as it was' "$dir/log" && grep -q "$dir/conf:1" "$dir/log"
report $? "an invalid configuration is reported and not used" "$dir/log"
: >"$dir/told"
i=0
while [ $i -lt 25 ]; do
	echo "cc_key = $i"
	i=$((i + 1))
done >"$dir/conf"
echo 'lmc = 99' >>"$dir/conf"
kill -HUP $daemon
within 20 grep -q '^READY=1' "$dir/told" && kill -0 $daemon && [ "$(grep -c "^conf: $dir/conf:[0-9]*: warning: cc_key: " "$dir/log")" = 25 ] &&
	grep -q "^conf: $dir/conf:26: error: lmc: " "$dir/log" && ! grep -q '(null)\|[?]$' "$dir/log"
report $? "an error after 25 warnings: each has a line in the log" "$dir/log"
"$build/heddled" -F "$dir/conf" --check-config >"$dir/printed" 2>"$dir/err"
[ $? = 2 ] && [ "$(grep -c "^$dir/conf:[0-9]*: warning: " "$dir/err")" = 25 ] && [ "$(grep -c "^$dir/conf:26: error: " "$dir/err")" = 1 ] &&
	[ "$(grep -c . "$dir/err")" = 26 ] && [ ! -s "$dir/printed" ]
report $? "an error after 25 warnings: each is on the terminal, exit 2" "$dir/err"
sed -i '$d' "$dir/conf"
"$build/heddled" -F "$dir/conf" --check-config >"$dir/printed" 2>"$dir/err"
[ $? = 0 ] && [ "$(grep -c . "$dir/err")" = 25 ] && grep -q "^$dir/conf: ok" "$dir/printed"
report $? "only warnings: exit 0" "$dir/err"
"$build/heddled" -F "$dir/none" --check-config >"$dir/printed" 2>"$dir/err"
[ $? = 2 ] && [ "$(cat "$dir/err")" = "$dir/none: error: No such file or directory" ]
report $? "a missing configuration file is an error" "$dir/err"
{ kill -9 $fabric; wait $fabric; } 2>/dev/null
told "the device is gone: it waits," STATUS=waiting
kill -0 $daemon
report $? "alive," "$dir/log"
matches "and answers" Status status ask --json status
: >"$dir/told"
fabric_start fattree:k=4,levels=2
told "the device is back: up again" 'STATUS=master, up'
whole "and right"
: >"$dir/told"
told "its watchdog was fed all the time" WATCHDOG=1
ticks() {
	awk '{ print $14 + $15 }' /proc/"$1"/stat
}
before=$(ticks $daemon)
sleep 2
[ $(($(ticks $daemon) - before)) -le 20 ]
report $? "an idle fabric takes almost no CPU time"
summary() {
	"$sim" ctl --name "$name" summary --json | grep -v '"time"'
}
summary >"$dir/before"
kill $daemon
wait $daemon
report $? "SIGTERM: exit 0" "$dir/log"
summary >"$dir/after"
same "$dir/before" "$dir/after" "the fabric stays as it was"
lib_end
