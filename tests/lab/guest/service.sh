# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=sh disable=SC2154
#
# service - heddled as systemd starts it, with the units that `make install` installs: told ready, a secret of its own, the
# watchdog, restarts, an orderly end. The adapters of this guest have no InfiniBand port, so that it waits for one.
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

run stop systemctl stop heddled
[ "$(value ActiveState) $(value Result) $(value ExecMainStatus)" = "inactive success 0" ]
status=$?
systemctl status heddled >/run/lab/out 2>&1
judge ends-in-order $status "$(value ActiveState) $(value Result) $(value ExecMainStatus)" /run/lab/out
run runtime-directory-goes test ! -e /run/heddle
keep_journal
