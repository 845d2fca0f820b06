#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Diagnostics that need more than one program.  ibping and ibsysstat: our clients and those of the
# distribution query our servers (on host-2) and those of the distribution (on host-3), and print
# the same.  Then what only ours do: correct times, an exit status that reports loss, one document.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin ibping ibsysstat ibccconfig ibccquery vendstat saquery
schemas=${top_srcdir:-$here/../..}/docs/schema
check=$build/tests/system/json-check
fabric_start fattree:k=4,levels=2
manager_start host-1 --set sa_key=1

lid_of() {
	on "$1" "$build/ibaddr" | sed 's/.*LID start 0x\([0-9a-f]*\) .*/\1/'
}

background() {  # background NODE COMMAND...: process id in $last, output in $dir/background
	node=$1
	shift
	: >"$dir/background"            # no output of an earlier process stays there
	"$sim" exec --name "$name" --node "$node" -- "$@" >"$dir/background" 2>"$dir/err" &
	last=$!
	pids="$pids $last"
}

within() {      # within COMMAND...: repeats it until it succeeds, for ten seconds at most
	tries=0
	until "$@" >"$dir/out" 2>&1; do
		tries=$((tries + 1))
		[ "$tries" -lt 50 ] || return 1
		sleep 0.2
	done
}

masked() {      # removes times, and the (none) that the distribution's server prints as domain
	sed -E -e 's/[0-9]+\.[0-9]{3}/T/g' -e 's/time [0-9]+ ms/time T ms/' -e 's/\.\(none\)//' -e 's/MHZ .*/MHZ N/' "$1"
}

alike() {       # alike TOOL ARGUMENT...: both clients print the same and end with the same status
	tool=$1
	shift
	peer_on host-0 "$tool" "$@" >"$dir/theirs" 2>/dev/null
	wanted=$?
	on host-0 "$build/$tool" "$@" >"$dir/ours" 2>/dev/null
	status=$?
	masked "$dir/theirs" >"$dir/a"
	masked "$dir/ours" >"$dir/b"
	diff "$dir/a" "$dir/b" >"$dir/out" && [ "$status" = "$wanted" ] && [ -s "$dir/b" ]
	report $? "$who: $tool $*"
}

document() {    # document TOOL NAME ARGUMENT...: checks document and exit status; it is in $dir/doc
	tool=$1 name_of=$2
	shift 2
	on host-0 "$build/$tool" "$@" --json >"$dir/doc" 2>/dev/null
	"$check" "$schemas/$tool.json" "$dir/doc" $? >"$dir/out" 2>&1
	report $? "$name_of"
}

number() {      # number KEY: prints a number of the document
	sed -n 's/.*"'"$1"'": *\([0-9][0-9]*\).*/\1/p' "$dir/doc" | head -n 1
}

ours=$((0x$(lid_of host-2))) theirs=$((0x$(lid_of host-3)))
guid=$(on host-2 "$build/ibstat" -p)
for tool in ibping ibsysstat; do
	background host-2 "$build/$tool" -S
	background host-3 env LD_LIBRARY_PATH="$libs" "$peers/usr/sbin/$tool" -S
done
for lid in $ours $theirs; do
	within on host-0 "$build/ibping" -f -c 1 -t 100 "$lid"
	report $? "LID $lid answers pings"
	within on host-0 "$build/ibsysstat" -t 100 "$lid"
	report $? "LID $lid answers ibsysstat"
done
for lid in $ours $theirs; do
	who="our server"
	[ "$lid" = "$ours" ] || who="the distribution's"
	alike ibping -c 1 "$lid"
	alike ibping -c 0 "$lid"
	alike ibping -f -c 20 "$lid"
	alike ibsysstat "$lid"
	alike ibsysstat "$lid" ping
	alike ibsysstat "$lid" host
	alike ibsysstat "$lid" cpu
done
who="our server"
alike ibping -f -c 2 -G "$guid"
alike ibsysstat -G "$guid" host
on host-0 "$build/ibsysstat" "$ours" cpu >"$dir/a" 2>&1
on host-0 "$build/ibsysstat" "$theirs" cpu >"$dir/b" 2>&1
masked "$dir/a" >"$dir/c" && masked "$dir/b" | diff - "$dir/c" >"$dir/out"
report $? "both servers report the same processors"

# A host with a hundred processors: the answer takes many datagrams.
seq 0 99 | sed 's/.*/processor\t: &\nmodel name\t: Simulated CPU\ncpu MHz\t\t: 1000.&\n/' >"$dir/cpuinfo"
if unshare -rm mount --bind "$dir/cpuinfo" /proc/cpuinfo 2>"$dir/out"; then
	for who in host-4 host-5; do
		program=$build/ibsysstat
		[ $who = host-4 ] || program="env LD_LIBRARY_PATH=$libs $peers/usr/sbin/ibsysstat"
		unshare -rm sh -c 'mount --bind "$1" /proc/cpuinfo; shift; exec "$@"' sh "$dir/cpuinfo" "$sim" exec --name "$name" --node $who -- $program -S &
		pids="$pids $!"
		lid=$((0x$(lid_of $who)))
		within on host-0 "$build/ibsysstat" -t 100 $lid
		alike ibsysstat $lid cpu
		[ "$(grep -c 'MHZ N' "$dir/b")" = 100 ]
		report $? "$who: all processors"
	done
else
	skip "long answers" "no namespaces here"
fi

document ibping "ibping --json" -c 1 "$ours"
[ "$(number received)" = 1 ] && [ "$(number rtt_us)" = "$(number rtt_max_us)" ]
report $? "the document has the statistics of ibping"
document ibping "ibping --json --flood" -f -c 5 "$ours"
document ibsysstat "ibsysstat --json cpu" "$ours" cpu
[ "$(grep -o '"model"' "$dir/doc" | wc -l)" = "$(grep -c 'model' "$dir/c")" ]
report $? "the document of ibsysstat has all processors"
on host-0 "$build/ibping" --ndjson -c 1 "$ours" | grep -q '"type":"pings","sequence":1,"status":"ok"'
report $? "ibping --ndjson"

# A server that gets a signal prints its document and ends.
background host-1 "$build/ibping" -S -o 0x1406 --json
within on host-0 "$build/ibping" -f -c 1 -t 100 -o 0x1406 "$((0x$(lid_of host-1)))"
report $? "a server with another OUI answers"
on host-0 "$build/ibping" -f -c 1 -t 100 "$((0x$(lid_of host-1)))" >"$dir/out" 2>&1
[ $? = 1 ]
report $? "a client with the default OUI gets no answer from it: exit status 1"
kill "$last"
wait "$last"
"$check" "$schemas/ibping.json" "$dir/background" $? >"$dir/out" 2>&1 && grep -q '"requests": *[1-9]' "$dir/background"
report $? "the server prints a document when it ends"

# After an interrupt ibping prints its statistics and ends with status 0.
background host-0 "$build/ibping" "$ours"
within grep -q Pong "$dir/background"
kill "$last"
wait "$last"
status=$?
cp "$dir/background" "$dir/out"
[ $status = 0 ] && grep -q ', 0% packet loss, time' "$dir/out"
report $? "ibping prints its statistics after a signal"

# Times: the simulator delays each direction of the server's link by 30 ms.
"$sim" ctl --name "$name" delay 100 30000 host-2 >"$dir/out" 2>&1
document ibping "ibping --json over a slow way" -f -c 3 -t 5000 "$ours"
cp "$dir/doc" "$dir/out"
[ "$(number rtt_min_us)" -ge 30000 ] && [ "$(number rtt_min_us)" -le "$(number rtt_max_us)" ]
report $? "times are not too short"
"$sim" ctl --name "$name" drop 100 host-2 >"$dir/out" 2>&1
on host-0 "$build/ibping" -f -c 2 -t 50 "$ours" >"$dir/out" 2>&1
[ $? = 1 ] && grep -q '^2 packets transmitted, 0 received, 100% packet loss' "$dir/out"
report $? "loss is reported, exit status 1"
on host-0 "$build/ibsysstat" -t 50 "$ours" >"$dir/out" 2>&1
[ $? = 3 ]
report $? "ibsysstat of an unresponsive host: exit status 3"
# A host that stays silent would leave the records while two programs read them one after the other.
"$sim" ctl --name "$name" drop 0 host-2 >"$dir/out" 2>&1
within on host-0 "$build/ibping" -c 1 -t 5000 "$ours"
report $? "the host answers again"
# Records that exist only because hosts registered them: groups, services, subscriptions.
broadcast=ff12401bffff000000000000ffffffff
for node in host-4 host-5; do
	background $node "$build/tests/system/sa-host" join:$broadcast make:ff12401bffff00000000000000000001 service:10001:first \
		service:10002:second subscribe:64:3:4 subscribe:144:4:1 vendor:1234:4:2c9
	lib_await "$dir/background" '^ready$' "$last"
	report $? "requests of $node"
done
who="the manager"
routed=$(peer_on host-0 saquery MFTR | sed -n 's/.*LID\.\.*\([0-9]*\)$/\1/p' | head -n 1)
for query in SR "-S -K" "--smkey 1 -K SR" IIR "-I -K" "--smkey 1 -K -I" MCMR "--smkey 1 MCMR" -g "--smkey 1 -g" -m "--smkey 1 -m" \
	"--smkey 1 -m 0xC000" "--smkey 1 MCMR -J 1 -X 0" MFTR "MFTR $routed/0/0" "--smkey 1 PKTR" \
	"--smkey 1 PKTR $ours/1/0" "--smkey 1 -K SMIR"; do
	alike saquery $query
done

# Our ibccconfig and the distribution's set the same, as the distribution's ibccquery shows.
switch=$(peer_on host-0 saquery -L leaf-0-0)
settings() {    # settings OPERATION UNSET LID ARGUMENT...: UNSET restores the initial state
	op=$1 unset=$2
	shift 2
	lid=$1
	peer_on host-0 ibccconfig "$op" "$@" >/dev/null 2>&1
	peer_on host-0 ibccquery "$op" "$lid" >"$dir/a" 2>&1
	peer_on host-0 ibccconfig "$op" "$lid" $unset >/dev/null 2>&1
	peer_on host-0 ibccquery "$op" "$lid" >"$dir/b" 2>&1
	on host-0 "$build/ibccconfig" "$op" "$@" >"$dir/out" 2>&1 && peer_on host-0 ibccquery "$op" "$lid" >"$dir/c" 2>&1
	! cmp -s "$dir/a" "$dir/b" && diff "$dir/a" "$dir/c" >"$dir/out"
	report $? "ibccconfig $op"
}
settings CT "0 0" "$theirs" 3 0 0:0 0:1 1:2 3:16383
settings CS "0 0xffff 0 0 0 0" "$theirs" 1 0x8003 150 1 2 3
settings SS "0x1f 0 0 0 0 0 0:0 0" "$switch" 0x1F 0x1FFFFFFFFF 0xabc 0xF 8 5 2:77 4711
settings SP "2 0 0 0 0 0" "$switch" 2 1 1 15 8 100
settings CK "0 0 0 0" "$theirs" 0x1234 0 10 0

# XmitWait of the ports of the switch whose registers vendstat reads.
name=$name-is3
fabric_start "$here/diags/is3.topo"
manager_start host-0
for port in 1 3 4 20 24; do
	"$sim" ctl --name "$name" errors "S-0002c90200400000:$port" "PortXmitWait=+$((port * 1000))" >"$dir/out" 2>&1 || break
done
peer_on host-0 vendstat -w -G 0x0002c90200400000 >"$dir/a" 2>&1
on host-0 "$build/vendstat" -w -G 0x0002c90200400000 2>&1 | diff "$dir/a" - >"$dir/out" && [ "$(grep -c PortXmitWait "$dir/a")" = 5 ]
report $? "vendstat -w"
lib_end
