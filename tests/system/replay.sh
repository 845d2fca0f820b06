#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# A capture of a fabric gives the same answers as the fabric: every report made from the file,
# without a device, is the report made from the fabric.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin

alike() {       # alike TOOL ARGUMENT...: same text and exit status from fabric and capture
	tool=$1
	shift
	on host-0 "$build/$tool" "$@" >"$dir/a" 2>"$dir/a.err"
	live=$?
	timeout 60 "$build/$tool" --load "$dir/capture" "$@" >"$dir/b" 2>"$dir/b.err"
	saved=$?
	diff "$dir/a" "$dir/b" >"$dir/out" && [ "$live" = "$saved" ] && [ -s "$dir/b" ]
	ok=$?
	[ "$ok" = 0 ] || { echo "exit status $live live, $saved from the file"; cat "$dir/b.err"; } >>"$dir/out"
	report "$ok" "$tool $*"
}

alone() {       # alone STATUS COMMAND...
	want=$1
	shift
	timeout 60 "$@" >"$dir/out" 2>"$dir/err"
	got=$?
	[ "$got" = "$want" ] || { echo "exit status $got, wanted $want"; cat "$dir/err"; } >>"$dir/out"
	[ "$got" = "$want" ]
}

fabric_start fattree:k=4,levels=3
manager_start host-1
on host-0 "$build/ibnetdiscover" --live >"$dir/topo" 2>"$dir/out"
lid() { sed -n "s/^Switch.*\"$1\" base port 0 lid \\([0-9]*\\) .*/\\1/p" "$dir/topo"; }
leaf=$(lid leaf-0-0) far=$(lid agg-3-1)
"$sim" ctl --name "$name" errors leaf-0-0:3 SymbolErrorCounter=+300 LinkDownedCounter=+2 PortRcvErrors=+7 >"$dir/out" 2>&1
report $? "errors at a port"
on host-0 "$build/ibnetdiscover" --live --capture "$dir/capture" --with all >"$dir/out" 2>&1
report $? "ibnetdiscover --capture"

alike ibnetdiscover -p
alike iblinkinfo
alike iblinkinfo -S 0xfe1d0000000800 -a -l
alike ibidsverify --csv
alike ibroute "$leaf"
alike ibroute -M "$leaf"
alike ibroute -D 0,1,3
alike dump_fts
alike dump_fts -M
alike ibtracert 1 "$far"
alike ibtracert -n "$far" 5
alike ibtracert -G 0xfe1d0000001401 0xfe1d0000001901
alike smpquery NI 5
alike smpquery -D NI 0,1,4
alike smpquery -c NI "$leaf" 0,2
alike smpquery -G ND 0xfe1d0000001901
alike smpquery PI "$leaf" 3
alike smpquery -D PI 0,1,3 2
alike smpquery SI "$leaf"
alike smpquery PKeys 5
alike smpquery GI 5
alike smpquery SL2VL "$leaf" 2
alike smpquery VLArb "$leaf" 1
alike smpdump "$leaf" 0x19 0
alike ibqueryerrors
alike ibqueryerrors -r --details
alike ibqueryerrors -G 0xfe1d0000000000
alike perfquery -E "$leaf" 3
alike perfquery -D -l "$leaf"
alike ibcheck --only routes

alone 0 "$build/perfquery" --load "$dir/capture" "$leaf" 3 && grep -q 'LinkDownedCounter:\.*2$' "$dir/out"
report $? "counters are those of the time of the capture"
alone 0 "$build/ibroute" --load "$dir/capture" --json "$leaf" && grep -q '"source": *"file"' "$dir/out" && grep -q '"sent": *0' "$dir/out"
report $? "the document names the file as its source"
alone 3 "$build/smpquery" --load "$dir/capture" NI 4000 && grep -q 'not in the capture: Lid 4000 NodeInfo 0' "$dir/err"
report $? "an unknown LID is reported as not in the capture"
alone 3 "$build/smpquery" --load "$dir/capture" --json NI 4000 && grep -q '"code": *"not_found"' "$dir/out" && ! grep -q '"code": *"timeout"' "$dir/out"
report $? "the document reports the unknown LID"
alone 3 "$build/perfquery" --load "$dir/capture" -X "$leaf" 3 && grep -q 'not in the capture: Lid [0-9]* port 3' "$dir/err"
report $? "counters that were not saved are reported"
alone 3 "$build/ibroute" --load "$dir/topo" "$leaf" && grep -q 'not in the file: ' "$dir/err"
report $? "a topology file has no tables"
if grep -qi 'm_\?key' "$dir/capture"; then false; else :; fi
report $? "the capture has no keys"

# ---- routes ----
on_route() {    # on_route LINES STATUS HOST EXPRESSION OPTION...
	lines=$1 want=$2 host=$3 expression=$4
	shift 4
	on "$host" "$build/iblinkinfo" -l --select "$expression" "$@" >"$dir/out" 2>"$dir/err"
	got=$?
	[ "$got" = "$want" ] && [ "$(wc -l <"$dir/out")" = "$lines" ]
	report $? "--select '$expression' $host $*"
}
alike iblinkinfo -l --select 'route:host-0->host-8'
on_route 12 0 host-0 'route:host-0->host-8' --live
on_route 12 0 host-1 'route:host-0->host-8'
on_route 12 0 host-0 'route:1->9' --load "$dir/capture"
on_route 10 0 host-0 'type:sw and route:host-0->host-8' --load "$dir/capture"
on_route 10 0 host-0 'route:0xfe1d0000001401->leaf-3-1' --live
on_route 4 0 host-0 'route:leaf-0-0->leaf-0-1' --live
on_route 0 0 host-0 'route:leaf-0-0->leaf-0-0' --live
on_route 0 2 host-0 'route:leaf-0-0' --live
on_route 0 2 host-0 'route:->leaf-0-0' --live
on_route 0 2 host-0 'route:leaf-0-0->nobody' --live
on_route 2 1 host-0 'route:host-0->host-8' --load "$dir/topo"
"$build/ibtracert" --load "$dir/capture" -n 1 9 | sed -n 's/.*{\(0x[0-9a-f]*\)}.*/\1/p' | sort -u >"$dir/a"
"$build/iblinkinfo" --load "$dir/capture" --csv --select 'route:1->9' >"$dir/b"
ok=0
for guid in $(cat "$dir/a"); do grep -q "$guid" "$dir/b" || ok=1; done
[ "$ok" = 0 ] && [ "$(wc -l <"$dir/a")" -ge 7 ]
report $? "the nodes of ibtracert's route are on it"

alone 0 "$build/ibfindnodesusing" --load "$dir/capture" --select 'nodepat:host-[45]' 0xfe1d0000000000 1 && ! grep -q 'host-1[0-9]' "$dir/out"
report $? "ibfindnodesusing --select"
alone 2 "$build/ibfindnodesusing" --load "$dir/capture" --select 'foo:4' 0xfe1d0000000000 1
report $? "ibfindnodesusing with an invalid selection"

# ---- files that are not a capture ----
bad() {         # bad TEXT FROM TO: a capture with FROM replaced by TO is refused with a sentence
	sed "s/$2/$3/" "$dir/capture" >"$dir/bad"
	! cmp -s "$dir/capture" "$dir/bad" && alone 2 "$build/ibroute" --load "$dir/bad" "$leaf" && grep -q "$dir/bad: " "$dir/err"
	report $? "$1"
}
bad "answers of a node that is not there" '"answers":\[{"node":"0x00fe' '"answers":[{"node":"0x11fe'
bad "a run of too many" '"count":[0-9]*' '"count":99999'
bad "data that are none" '"data":"[0-9a-f]' '"data":"g'
bad "a step that leads out" '"step":[1-9][0-9]*' '"step":99999999999999'
head -c 5000 "$dir/capture" >"$dir/bad"
alone 2 "$build/ibroute" --load "$dir/bad" "$leaf"
report $? "a truncated capture"
alone 2 "$build/ibroute" --load "$dir/none" "$leaf"
report $? "a missing file"
on host-0 "$build/ibnetdiscover" --live --capture "$dir/none/x" >"$dir/out" 2>&1
[ $? = 2 ]
report $? "a capture file that cannot be written"
on host-0 "$build/ibnetdiscover" --live --capture "$dir/x" --with lft,nonsense >"$dir/out" 2>&1
[ $? = 2 ]
report $? "--with an unknown word"
lib_end
