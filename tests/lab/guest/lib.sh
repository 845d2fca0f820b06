# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=sh disable=SC2034
#
# lib.sh - what the guest's tests are written with. A machine hands back no exit status, so each fact is a line on the
# console that the host (tests/lab/check) turns into TAP:
#	@@ UPTIME case NAME ok | skip REASON | fail REASON        and "| ..." lines with the end of its output
#
#   run NAME COMMAND...               a case: the command succeeds within $LIMIT seconds (30)
#   refused NAME STATUS COMMAND...    a case: the command ends within $LIMIT seconds with that exit status
#   pair NAME READY SERVER CLIENT     a case: both commands (each one string) succeed; the client starts when READY does
#   judge NAME STATUS REASON FILE     a case that was decided elsewhere
#   skip NAME REASON
#   have PROGRAM                      whether it is in this guest
#   await SECONDS COMMAND...          until the command succeeds; false when it never does
#   listening PORT                    whether somebody listens on the TCP port
#   keep FILE NAME                    hands a file to the host
ours=/opt/heddle

mark() {
	read -r mark_uptime _ </proc/uptime
	printf '\n@@ %s %s\n' "$mark_uptime" "$*" >&3
}

skip() {
	mark "case $1 skip $2"
}

judge() {
	if [ "$2" = 0 ]; then
		mark "case $1 ok"
	else
		mark "case $1 fail $3"
		tail -n "${TAIL:-15}" "$4" | tr -d '\r' | sed 's/^/| /' >&3
	fi
}

have() {
	command -v "$1" >/dev/null 2>&1
}

status_word() {
	case $1 in
	124 | 137) echo "not finished within ${LIMIT:-30} s" ;;
	*) echo "exit status $1" ;;
	esac
}

run() {
	run_name=$1
	shift
	refused "$run_name" 0 "$@"
}

refused() {
	run_name=$1 run_want=$2
	shift 2
	have "$1" || { skip "$run_name" "no ${1##*/} here"; return; }
	timeout -k 2 "${LIMIT:-30}" "$@" >/run/lab/out 2>&1
	run_status=$?
	[ "$run_status" = "$run_want" ]
	judge "$run_name" $? "$(status_word "$run_status"), not $run_want: $*" /run/lab/out
}

await() {
	read -r await_now _ </proc/uptime
	await_end=$((${await_now%.*} + $1 + 1))
	shift
	until "$@" >/dev/null 2>&1; do
		read -r await_now _ </proc/uptime
		[ "${await_now%.*}" -lt "$await_end" ] || return 1
		sleep 0.05
	done
}

listening() {
	grep -qi ":$(printf %04x "$1") [0-9a-f]*:0000 0a" /proc/net/tcp /proc/net/tcp6
}

# server_start COMMAND: in the background; its output in /run/lab/server, its end in /run/lab/server.status, its number in $server.
server_start() {
	rm -f /run/lab/server.status
	(
		# shellcheck disable=SC2086
		timeout -k 2 "${LIMIT:-30}" $1 >/run/lab/server 2>&1 &
		echo $! >/run/lab/server.number
		wait $!
		echo $? >/run/lab/server.status
	) &
	server=$!
}

# server_stop SECONDS: waits so long for its end, then ends it; $server_status
server_stop() {
	await "$1" test -s /run/lab/server.status || kill "$(cat /run/lab/server.number)"
	wait "$server"
	server_status=$(cat /run/lab/server.status)
}

pair() {
	pair_client=${4%% *}
	have "$pair_client" || { skip "$1" "no ${pair_client##*/} here"; return; }
	server_start "$3"
	# shellcheck disable=SC2086
	if await 10 $2; then
		# shellcheck disable=SC2086
		timeout -k 2 "${LIMIT:-30}" $4 >/run/lab/out 2>&1
		pair_status=$?
	else
		echo "the server is never ready: $3" >/run/lab/out
		pair_status=1
	fi
	server_stop 5
	cat /run/lab/server >>/run/lab/out
	[ "$pair_status$server_status" = 00 ]
	judge "$1" $? "client: $(status_word "$pair_status"), server: $(status_word "$server_status"): $4" /run/lab/out
}

# The second serial port carries archives, one behind another.
keep() {
	mkdir -p /run/lab/keep
	cp "$1" "/run/lab/keep/$2" && tar -c -C /run/lab/keep -f /dev/ttyS1 "$2"
}

# kernel_case TEST: what the kernel said meanwhile is handed out, and must hold no complaint.
kernel_case() {
	dmesg -c >/run/lab/dmesg
	keep /run/lab/dmesg "$1.dmesg"
	! grep -E 'BUG:|WARNING:|Oops|Call Trace|refcount_t|blocked for more than|general protection|Unable to handle' /run/lab/dmesg >/run/lab/out
	judge kernel $? "the kernel complains" /run/lab/dmesg
}

lab_tests() {
	sed -n 's/.*lab\.tests=\([^ ]*\).*/\1/p' /proc/cmdline | tr , ' '
}

# run_test NAME: in a shell of its own.
run_test() {
	dmesg -c >/dev/null
	mark "begin $1"
	(
		run_test=$1
		# shellcheck source=/dev/null
		. "/lab/$1.sh"
		mark "done $run_test"
	)
	kernel_case "$1"
}
