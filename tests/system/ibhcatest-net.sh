#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# ibhcatest bw, lat, serve, pair, mesh on software adapters, in one process and between several: the
# results are complete, the documents fit the schema, and a program whose peer has died, does not
# answer, has another version or sends garbage reports that and ends.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
hca=$build/ibhcatest
stranger=$build/tests/system/ibhcatest-stranger
check=$build/tests/system/json-check
schemas=${top_srcdir:-$here/../..}/docs/schema
# --foreground: no SIGCONT after a signal, which would undo the stop by a leak checker
LIMIT=60
PATIENCE=20000          # a loaded machine must not count as a dead peer

# try STATUS COMMAND...: runs it, output in $dir/out and $dir/err
try() {
	want=$1
	shift
	timeout --foreground $LIMIT "$@" >"$dir/text" 2>"$dir/err"
	got=$?
	cat "$dir/text" "$dir/err" >"$dir/out"
	[ "$got" = "$want" ] || { echo "exit status $got, wanted $want: $*" >>"$dir/out"; return 1; }
}

# document STATUS COMMAND ARGUMENT...: prints exactly one document, which fits the schema
document() {
	want=$1 command=$2
	shift 2
	try "$want" "$hca" "$command" --peer-timeout $PATIENCE "$@" --json && "$check" "$schemas/ibhcatest-$command.json" "$dir/text" "$want" >>"$dir/out"
}

# server COMMAND [OPTION...]: starts a server on any free port; sets $server (its process id) and
# $port
server() {
	server_command=$1
	shift
	: >"$dir/server"
	: >"$dir/server.err"
	said=$dir/server
	case "$*" in *--json*) said=$dir/server.err ;; esac
	timeout --foreground $LIMIT "$hca" "$server_command" --backend soft --port 0 --peer-timeout $PATIENCE "$@" >"$dir/server" 2>"$dir/server.err" &
	server=$!
	pids="$pids $server"
	lib_await "$said" 'on port' $server || lib_bail "no server: $(cat "$dir/server" "$dir/server.err")"
	port=$(sed -n 's/.*on port \([0-9]*\).*/\1/p' "$said" | head -n 1)
}
# ends STATUS: checks that the server has ended by itself with this status
ends() {
	wait $server
	got=$?
	[ "$got" = "$1" ] || { echo "the server's exit status is $got, wanted $1"; cat "$dir/server" "$dir/server.err"; } >>"$dir/out"
	[ "$got" = "$1" ]
}

# ---- one process ----
for op in send write read cas faa; do
	size=4096
	case $op in cas | faa) size=8 ;; esac
	document 0 bw --backend soft --op $op -n 300 -q 3 -s $size --validate
	report $? "bw $op, every byte checked"
	validate=--validate
	[ $op != write ] || validate=
	# shellcheck disable=SC2086
	document 0 lat --backend soft --op $op -n 200 -s $size $validate
	report $? "lat $op"
done
document 0 bw --backend soft -c UD -s 2048 -b --validate -n 300 --expect 'lost<=0,corrupt<=0,messages>=300'
report $? "bw UD, both directions, thresholds on counts"
document 0 bw --backend soft -c UC --op write -n 300 --validate
report $? "bw UC write"
document 0 bw --backend soft -a -n 20
report $? "all sizes"
[ "$(grep -o '"size":[0-9]*' "$dir/text" | wc -l)" = 23 ]
report $? "all sizes have results"
document 0 lat --backend soft -D 1 -s 8
report $? "by duration"
try 0 "$hca" bw --backend soft -n 100 && grep -q '^ #bytes     #iterations    BW peak\[MiB/sec\]    BW average\[MiB/sec\]   MsgRate\[Mpps\]$' "$dir/text" &&
	grep -q 'EMULATED' "$dir/text" && grep -Eq '^ 65536 +100 +[0-9.]+ +[0-9.]+' "$dir/text"
report $? "the columns of perftest, and the note EMULATED"
document 1 bw --backend soft -n 100 --expect 'messages>=1000,lost<=0'
report $? "a threshold that is exceeded"
document 2 bw --backend soft -n 100 --expect 'bw>=1'
report $? "a threshold on speed is refused"
document 0 bw --backend soft -n 1000 -s 4096 --rate_limit 1000 && grep -q '"avg_gbps":\(1\.0\|0\.9[89]\)' "$dir/text"
report $? "a limit of the rate, on the adapters' own clock"
document 0 bw --backend soft -n 100 --loop soft0 && [ "$(grep -o '"device":"soft0"' "$dir/text" | wc -l)" = 2 ]
report $? "both ends on one device"
document 255 bw --backend soft -n 100 --loop soft9
report $? "no such other device"
for wrong in "--loop soft1:x" "--loop :1" "--op fetch" "-s 0" "-c RD" "-n 0" "--expect bw" "-c UD --op read" "-c UC --op faa" "--op faa -a" "-q 2000" "-m 1000" "-c UD -s 8192" "--memory 1 -s 8388608" \
	"-x 9" "--loop a b" "--backend hard" "--json=odd"; do
	# shellcheck disable=SC2086
	timeout --foreground $LIMIT "$hca" bw --backend soft --json $wrong >"$dir/out" 2>&1
	got=$?
	[ $got = 2 ] || [ $got = 3 ]
	report $? "refused: $wrong"
done
document 255 lat localhost:1
report $? "no server, or no library, or no device"

# ---- what --help describes ----
try 0 "$hca" bw --help && grep -q '^Without HOST: waits for the other end' "$dir/text" && grep -q '^With --loop, or with --backend soft and none of HOST, --port, --bind, --clients,' "$dir/text"
report $? "--help says when both ends are in one process"
try 0 "$hca" bw --backend soft -n 20 && grep -q ' local: *[^ ]* soft0 ' "$dir/text" && grep -q ' remote: *[^ ]* soft1 ' "$dir/text"
report $? "without HOST and options of a server: in this process"
for option in "--port 0" "--bind 127.0.0.1 --port 0" "--wait 1 --port 0"; do
	# shellcheck disable=SC2086
	try 3 "$hca" bw --backend soft --wait 1 $option && grep -q '^waiting for 1 client on port' "$dir/text"
	report $? "with $option: waits for the other end"
done

# ---- the prefix of error messages ----
# prefixed STATUS ARGUMENT...: one line on standard error, with the prefix once
prefixed() {
	prefixed_want=$1
	shift
	try "$prefixed_want" "$hca" "$@" && [ "$(grep -c . "$dir/err")" = 1 ] && grep -q '^ibhcatest: ' "$dir/err" && ! grep -q 'ibhcatest.*ibhcatest[a-z ]*: ' "$dir/err"
	report $? "the prefix of errors, once: $*"
}
for command in bw lat serve pair mesh conform; do prefixed 2 "$command" --no-such-option; done
prefixed 2 bw --port
prefixed 2 bw --backend hard
prefixed 2 bw -s 0
prefixed 2 bw --backend soft a b
prefixed 2 conform --backend hard
prefixed 2 conform --seed 1x
prefixed 2 pair a
prefixed 255 bw --backend soft 127.0.0.1:1
document 2 bw --no-such-option && grep -q '"message":"no option --no-such-option; see ibhcatest bw --help"' "$dir/text"
report $? "the document has no prefix"

# ---- two processes ----
server bw --clients 1
document 0 bw --backend soft -n 300 -s 16384 --validate -b 127.0.0.1:"$port" && ends 0
report $? "two processes: bw, both directions, every byte checked"
server lat --clients 1
document 0 lat --backend soft -n 200 --op write 127.0.0.1:"$port" && ends 0
report $? "two processes: lat write"
server bw --clients 1
document 0 bw --backend soft -n 300 --op cas -q 4 127.0.0.1:"$port" && ends 0
report $? "two processes: compare and swap"
server bw --clients 3 --json
jobs=
for i in 1 2 3; do
	timeout --foreground $LIMIT "$hca" bw --backend soft -n 300 -s 4096 --validate --seed $i 127.0.0.1:"$port" >"$dir/client.$i" 2>&1 &
	jobs="$jobs $!"
done
good=0
for i in $jobs; do wait "$i" || good=1; done
cat "$dir"/client.* >"$dir/out"
ends 0 && [ $good = 0 ] && "$check" "$schemas/ibhcatest-bw.json" "$dir/server" 0 >>"$dir/out" && [ "$(grep -o '"from"' "$dir/server" | wc -l)" = 3 ]
report $? "three clients at the same time, one document"
server bw --clients 1
document 2 bw --backend soft -n 100 --memory 2048 127.0.0.1:"$port" && grep -q 'the server allows 1024' "$dir/text" && ends 2
report $? "two processes: more memory than a server allows by default"
server bw --clients 1 --memory 2048
document 0 bw --backend soft -n 100 --memory 2048 127.0.0.1:"$port" && ends 0
report $? "two processes: a server that allows more memory"

# ---- peers that die ----
# works PID: waits until the process has used so much CPU time that the handshake is over
works() {
	within 50 awk '{ exit $14 + $15 < 20 }' "/proc/$1/stat"
}
server bw --clients 1
timeout --foreground $LIMIT "$hca" bw --backend soft -D 40 127.0.0.1:"$port" >"$dir/client" 2>&1 &
client=$!
inner=$(ps -o pid= --ppid $server)
works $inner
kill -9 $inner
wait $client
got=$?
wait $server
cp "$dir/client" "$dir/out"
[ $got = 3 ] && grep -q 'gone\|broke' "$dir/client"
report $? "the server is killed: the client reports it"
server bw --clients 1
"$hca" bw --backend soft -D 40 127.0.0.1:"$port" >"$dir/client" 2>&1 &
client=$!
works $client
kill -9 $client
wait $client
: >"$dir/out"
ends 3 && grep -q 'gone\|broke' "$dir/server.err"
report $? "the client is killed: the server reports it"
server bw --clients 1 --peer-timeout 2000
"$hca" bw --backend soft -D 40 127.0.0.1:"$port" >"$dir/client" 2>&1 &
client=$!
works $client
kill -STOP $client
: >"$dir/out"
ends 3 && grep -q 'has said nothing' "$dir/server.err"
report $? "the client is stopped: the server reports it"
kill -KILL $client
wait $client

# ---- peers that do not speak the protocol ----
for kind in garbage http huge half nested early silent flood close; do
	server bw --clients 1
	timeout --foreground $LIMIT "$stranger" connect "$port" $kind >"$dir/out" 2>&1
	got=$?
	try 0 "$hca" bw --backend soft -n 50 127.0.0.1:"$port" && ends 0 && [ $got = 0 ]
	report $? "a server survives: $kind"
done
server bw --clients 1
timeout --foreground $LIMIT "$stranger" connect "$port" version >"$dir/out" 2>&1
ends 2 && grep -q 'install the same' "$dir/server.err"
report $? "a client of another version"
for kind in garbage version half early silent close; do
	: >"$dir/port"
	"$stranger" listen $kind >"$dir/port" 2>/dev/null &
	pids="$pids $!"
	lib_await "$dir/port" . $!
	want=3
	[ $kind != version ] || want=2
	document $want lat --backend soft --peer-timeout 2000 127.0.0.1:"$(cat "$dir/port")"
	report $? "a client whose server sends: $kind"
done

# ---- a permanent server ----
server serve --max-memory 4 --clients 2
first=$port first_server=$server
document 0 bw --backend soft -n 100 -s 4096 --memory 4 127.0.0.1:"$first"
report $? "serve: a client"
document 2 bw --backend soft -n 100 127.0.0.1:"$first"
report $? "serve: a client that wants more memory than is allowed"
document 2 bw --backend soft -n 100 -s 64 --memory 4 -q 60 127.0.0.1:"$first" && grep -q 'requests take about' "$dir/out"
report $? "serve: a client that wants more in queues than is allowed"
for kind in garbage huge early flood; do timeout --foreground $LIMIT "$stranger" connect "$first" $kind 2>/dev/null; done
document 0 lat --backend soft --memory 4 -n 100 127.0.0.1:"$first"
report $? "serve: a client after the invalid peers"
"$hca" bw --backend soft --memory 4 -D 30 127.0.0.1:"$first" >/dev/null 2>&1 &
one=$!
"$hca" bw --backend soft --memory 4 -D 30 127.0.0.1:"$first" >/dev/null 2>&1 &
two=$!
works $one && works $two
try 3 "$hca" bw --backend soft --memory 4 127.0.0.1:"$first" && grep -q 'as many clients' "$dir/out"
report $? "serve: one client too many is refused"
kill $one $two
wait $one $two
kill "$(ps -o pid= --ppid $first_server)"
server=$first_server
: >"$dir/out"
ends 0
report $? "serve: ends on SIGTERM"

# ---- pair, mesh ----
document 0 pair soft soft -n 100 --expect 'corrupt<=0,lost<=0,messages>=100'
report $? "pair in one process"
document 1 pair soft soft -n 100 --expect 'messages>=100000'
report $? "pair: a threshold that is exceeded"
document 2 pair soft soft -n 100 --expect 'p99<=1'
report $? "pair: a threshold on speed is refused"
document 2 pair soft "a$(printf '\377')"
report $? "pair: a name that is not UTF-8"
server serve
a=$port
server serve --no-relay
b=$port
document 0 pair soft 127.0.0.1:"$a" -n 100
report $? "pair: a local device and a host"
document 0 pair 127.0.0.1:"$a" 127.0.0.1:"$b" -n 100
report $? "pair: two hosts"
document 3 pair 127.0.0.1:"$b" 127.0.0.1:"$a" -n 100
report $? "pair: a host without a server"
document 0 mesh 127.0.0.1:"$a" 127.0.0.1:"$b" soft -n 100 && grep -q '"pairs":3,"ok":3,"failed":0,"unanswered":0' "$dir/text"
report $? "mesh"
printf '127.0.0.1:%s\n# nobody\n127.0.0.1:1 # nothing\n127.0.0.1:%s\n' "$a" "$b" >"$dir/hosts"
document 3 mesh @"$dir/hosts" -n 100 && grep -q '"pairs":3,"ok":1,"failed":0,"unanswered":2' "$dir/text"
report $? "mesh: a host that does not answer"
printf '127.0.0.1:1 # %0400d\n127.0.0.1:%s\n' 0 "$a" >"$dir/long"
document 2 mesh @"$dir/long" && grep -q 'a line is longer than' "$dir/text"
report $? "mesh: an overlong comment names no host"
try 3 "$hca" mesh @"$dir/hosts" -n 100 && grep -q '3 pairs: 1 ok, 0 failed, 2 not answered' "$dir/text"
report $? "mesh as text"

# ---- connections through the communication manager ----
fabric_start fattree:k=4,levels=2
manager_start host-1
# cm_pair STATUS OPTION...: a server on host-2, a client on host-0
cm_pair() {
	want=$1
	shift
	: >"$dir/server"
	on host-2 "$hca" bw --backend soft --clients 1 --port 0 >"$dir/server" 2>&1 &
	server=$!
	lib_await "$dir/server" 'on port' $server || lib_bail "no server: $(cat "$dir/server")"
	port=$(sed -n 's/.*on port \([0-9]*\).*/\1/p' "$dir/server" | head -n 1)
	on host-0 "$hca" bw --backend soft --cm --json "$@" 127.0.0.1:"$port" >"$dir/text" 2>"$dir/err"
	got=$?
	wait $server
	cat "$dir/text" "$dir/err" "$dir/server" >"$dir/out"
	[ $got = "$want" ] && "$check" "$schemas/ibhcatest-bw.json" "$dir/text" "$want" >>"$dir/out"
}
cm_pair 0 -q 3 -n 100 --validate && grep -q '"connect":"cm"' "$dir/text" && grep -q '"note":"cm: service 0x[0-9a-f]* at LID [0-9]*, path with SL 0, P_Key 0xffff"' "$dir/text"
report $? "queue pairs connected by our communication manager, on a path from the SA"
"$sim" ctl --name "$name" drop 100 host-2 >"$dir/ctl" 2>&1
cm_pair 3 -n 100 && grep -q 'cm: no answer to 6 tries' "$dir/err"
report $? "a server whose datagrams are lost"
lib_end
