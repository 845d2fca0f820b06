# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=sh disable=SC2154
#
# trouble - ibhcatest on rxe when things go wrong: ends that die or hang, a cable that is cut, packets that are lost, doubled
# and reordered, devices and addresses that are none.  A sentence, the right exit status, and nobody waits for ever.
# shellcheck source-path=SCRIPTDIR source=network.sh
. /lab/network.sh
rxe_up
hca=$ours/ibhcatest
have "$hca" || { skip ibhcatest "no ibhcatest here"; return; }

# Small messages, few at a time: rxe registers and moves large ones for seconds here, and the peer is taken for dead.
small="-s 4096 -t 8 -r 16"
# underway CLIENT-OPTIONS: a run of ours that does not end by itself; its client in the background, its end in /run/lab/client.status
underway() {
	server_start "$hca bw -d rxe0"
	await 10 listening 18515
	rm -f /run/lab/client.status
	(
		# shellcheck disable=SC2086
		timeout -k 2 "${LIMIT:-30}" "$hca" bw -d rxe1 -D 25 $small $1 127.0.0.1 >/run/lab/client 2>&1
		echo $? >/run/lab/client.status
	) &
	await 10 moving
}
sent() {
	cat /sys/class/infiniband/rxe1/ports/1/hw_counters/sent_pkts
}
moving() {
	before=$(sent)
	sleep 0.2
	[ "$(sent)" -gt $((before + 10)) ]
}
pid_of() {      # of the run on that device
	for pid in /proc/[0-9]*; do
		case $(tr '\0' ' ' <"$pid/cmdline" 2>/dev/null) in
		"$hca bw -d $1 "*) echo "${pid#/proc/}" ;;
		esac
	done
}
# ended NAME FILE STATUS WORDS: that end says so and exits with that status, within 10 s
ended() {
	await 10 test -s "/run/lab/$2.status"
	status=$(cat "/run/lab/$2.status" 2>/dev/null)
	[ "$status" = "$3" ] && grep -Eqi "$4" "/run/lab/$2"
	judge "$1" $? "exit status ${status:-none: still running}, wanted $3 and words like $4" "/run/lab/$2"
}
underway "--op write"
kill -9 "$(pid_of rxe0)"
ended server-killed client 3 'gone|said nothing'
server_stop 1

underway "--op send"
kill -9 "$(pid_of rxe1)"
# The kernel resets the connection of a program that is killed with bytes unread.
ended client-killed server 3 'gone|said nothing|broke'

underway "--op write"
kill -STOP "$(pid_of rxe0)"
ended server-hangs client 3 'gone|said nothing'
kill -KILL "$(pid_of rxe0)"
server_stop 1

underway "--op read -u 8 --retries 3"      # 7 is for ever on rxe
tc qdisc add dev v1 root netem loss 100%
ended cable-cut client 3 RETRY_EXC
tc qdisc del dev v1 root
server_stop 12

tc qdisc add dev v0 root netem loss 2% duplicate 2% delay 1ms reorder 10%
tc qdisc add dev v1 root netem loss 2% duplicate 2% delay 1ms reorder 10%
LIMIT=60
for op in send write read atomic; do
	pair "lossy-$op" "listening 18515" "$hca bw -d rxe0" "$hca bw -d rxe1 --op $op -n 100 $small -u 12 --validate --json=pretty 127.0.0.1"
done
LIMIT=30
tc qdisc del dev v0 root
tc qdisc del dev v1 root

refused no-such-device 255 "$hca" bw -d nosuch 127.0.0.1
refused nobody-listens 255 "$hca" bw -d rxe1 127.0.0.1
server_start "$hca bw -d rxe0"
await 10 listening 18515
refused no-such-gid 3 "$hca" bw -d rxe1 -x 99 127.0.0.1
server_stop 0
server_start "ib_send_bw -d rxe0 -x 1"
await 10 listening 18515
refused a-stranger-answers 3 "$hca" bw -d rxe1 127.0.0.1
server_stop 0
pair pair true true "$hca pair -n 50 -s 4096 verbs:rxe0 verbs:rxe1"
