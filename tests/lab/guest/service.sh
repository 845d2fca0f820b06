# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=sh disable=SC2154
#
# service - heddled as systemd starts it, with the units that `make install` installs: told ready, a secret of its own, the
# watchdog, restarts, an orderly end. It waits beside adapters that have no InfiniBand port until one is plugged in, where the module
# of the test kmod is there.
value() {
	systemctl show -P "$1" heddled
}

run verify systemd-analyze --man=no verify /etc/systemd/system/heddled.service /etc/systemd/system/heddle-secret.service
run start systemctl start heddled
run active systemctl is-active heddled
[ "$(value NotifyAccess)" = main ] && [ -n "$(value StatusText)" ]
value StatusText >/run/lab/out
judge tells-its-state $? "StatusText is empty" /run/lab/out

secret=$(sed -n 's/^ConditionPathExists=!//p' /etc/systemd/system/heddle-secret.service)
stat -c '%a %U %s' "$secret" >/run/lab/out 2>&1 && grep -q '^600 ' /run/lab/out
judge secret-for-root-only $? "the secret is not there, or others can read it" /run/lab/out
stat -c '%a' /var/lib/heddle /run/heddle >/run/lab/out 2>&1 && [ "$(tr '\n' ' ' </run/lab/out)" = "700 750 " ]
judge directories $? "modes of the state and runtime directory" /run/lab/out
refused heddlectl 1 "$ours/heddlectl" status
grep -q 'no InfiniBand port' /run/lab/out
judge waits-for-a-port $? "heddlectl does not say so" /run/lab/out
run journal sh -c 'journalctl -q -u heddled | grep heddled'
run reload systemctl reload heddled
keep_journal() {
	journalctl -q -b >/run/lab/journal 2>/dev/null
	keep /run/lab/journal journal
}
[ "$(value MainPID)" -gt 1 ] || { keep_journal; return; }

sim=
if [ -e /lab/heddle_vca.ko ]; then
	run module insmod /lab/heddle_vca.ko
	"$ours/heddle-sim" serve --name service --topology fattree:k=4,levels=2 --vca host-0,host-1 >/run/lab/sim 2>&1 &
	sim=$!
	await 20 grep -qx ready /run/lab/sim
	LIMIT=60 run subnet-up "$ours/heddlectl" wait up
	run port-active grep ACTIVE /sys/class/infiniband/vca1/ports/1/state
	run status "$ours/heddlectl" status
else
	skip subnet-up "the module of the test kmod is not there"
fi

first=$(value MainPID)
kill -9 "$first"
restarted() {
	pid=$(value MainPID)
	[ "$pid" != 0 ] && [ "$pid" != "$first" ] && [ "$(value ActiveState)" = active ]
}
await 15 restarted
status=$?
systemctl status heddled >/run/lab/out 2>&1
judge restarted-after-kill $status "not active again" /run/lab/out

# A manager that hangs is worse than none: another one would take over.
first=$(value MainPID)
kill -STOP "$first"
await 30 restarted
status=$?
journalctl -q -u heddled >/run/lab/out 2>&1
judge restarted-by-the-watchdog $status "not active again" /run/lab/out

if [ -n "$sim" ]; then
	LIMIT=60 run subnet-up-again "$ours/heddlectl" wait up
	kill "$sim"
	wait "$sim"
	waits() {
		value StatusText | grep -q 'waiting for an InfiniBand port'
	}
	await 20 waits && [ "$(value ActiveState)" = active ]
	status=$?
	value StatusText >/run/lab/out
	judge waits-when-unplugged $status "heddled does not wait for the port that is gone" /run/lab/out
fi

run stop systemctl stop heddled
[ "$(value ActiveState) $(value Result) $(value ExecMainStatus)" = "inactive success 0" ]
status=$?
systemctl status heddled >/run/lab/out 2>&1
judge ends-in-order $status "$(value ActiveState) $(value Result) $(value ExecMainStatus)" /run/lab/out
[ -z "$sim" ] || run module-unloads rmmod heddle_vca
run runtime-directory-goes test ! -e /run/heddle
keep_journal
