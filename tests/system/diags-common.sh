#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Runs every tool with each of the options that all tools share: the output is the same as without
# the option (numbers may differ), or shows the effect of the option.  The options of a tool come
# from the tool itself.  Invalid values of options are tested in bad-input.sh.
# build-aux/diag-tests reads the next two lines.
# tests of all tools: config Ca Port timeout m_key show_keys errors verbose debug help version pkey-idx outstanding_smps node-name-map live
# tests of all tools: ndjson csv json-u64 compat-stdout-errors json sm_port Lid select load
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
schemas=${top_srcdir:-$here/../..}/docs/schema
check=$build/tests/system/json-check
tools=$(for page in "${top_srcdir:-$here/../..}"/man/diags/*.rst; do basename "$page" .rst; done | grep -vx common)
fabric_start fattree:k=4,levels=2
manager_start host-1
for server in ibping ibsysstat; do
	"$sim" exec --name "$name" --node host-2 -- "$build/$server" -S >/dev/null 2>&1 &
	pids="$pids $!"
done
lid=$(on host-2 "$build/ibaddr" -L | sed 's/.*start \([0-9]*\) .*/\1/')
sm=$(on host-0 "$build/sminfo" | sed 's/.*sm lid \([0-9]*\) .*/\1/')
on host-0 "$build/ibnetdiscover" --live --capture "$dir/capture" --with all >"$dir/topo" 2>"$dir/out"
leaf=$(sed -n 's/^Switch.*"leaf-0-0" base port 0 lid \([0-9]*\) .*/\1/p' "$dir/topo" | head -n 1)
[ -n "$lid" ] && [ -n "$sm" ] && [ -n "$leaf" ] || lib_bail "no LIDs"
tries=0
until on host-0 "$build/ibping" -f -c 1 -t 100 "$lid" >"$dir/out" 2>&1 && on host-0 "$build/ibsysstat" -t 100 "$lid" >"$dir/out" 2>&1; do
	[ $((tries += 1)) -lt 50 ] || lib_bail "the servers do not answer"
done
: >"$dir/map"
echo 'timeout=900' >"$dir/conf"

# A valid command line of each tool.
right() {
	case $1 in
	ibcacheedit) echo "$dir/capture $dir/new" ;;
	ibccconfig) echo "SP $leaf 1 0 0 0 0 0" ;;
	ibccquery) echo "CI $leaf" ;;
	ibcheck) echo "--skip counters,routes" ;;
	ibcmping) echo "-c 1 --retries 0 -t 60 $lid" ;;
	ibfindnodesusing) echo "leaf-0-0 1" ;;
	ibmon) echo "-n 1" ;;
	ibping) echo "-f -c 1 $lid" ;;
	ibportstate) echo "$leaf 1" ;;
	ibroute) echo "$leaf" ;;
	ibsysstat) echo "$lid" ;;
	ibtop) echo "--once -i 0.1" ;;
	ibtopo) echo draw ;;
	ibtracert) echo "1 $lid" ;;
	smpdump) echo "$leaf 0x11" ;;
	smpquery) echo "NI $leaf" ;;
	vendstat) echo "-N $leaf" ;;
	esac
}

has() {         # has OPTION: whether $tool has this common option
	cut -f 1,3,6 "$dir/options" | grep -qx "option	$1	common"
}

run() {         # run OPTION...: runs $tool with valid operands; sets $dir/text, $dir/err, $status
	on host-0 "$build/$tool" "$@" $(right "$tool") >"$dir/text" 2>"$dir/err" </dev/null
	status=$?
}

# Removes what may differ from run to run.
plain() {
	case $tool in
	ibtop) head -n 1 "$1" | sed 's/[0-9][0-9.]*//g; s/ *[kMGTP]\{0,1\}bit/ bit/' ;; # ports vary
	vendstat) sed 's/^hw_uptime: .*/hw_uptime:/; s/[0-9][0-9.]*//g' "$1" ;;
	*) sed 's/[0-9][0-9.]*//g; /^# Topology file: generated on/d' "$1" ;;
	esac
}

fault() {
	{ echo "$*"; head -n 5 "$dir/err"; } >>"$dir/out"
	faults=$((faults + 1))
}

# Runs again if the exit status differs: on a loaded machine a ping may be lost.
again() {
	run "$@"
	[ "$status" = "$base" ] || { sleep 1; run "$@"; }
	[ "$status" = "$base" ] || fault "$tool $*: exit status $status, without $base"
}

same() {        # same OPTION ARGUMENT...: if the tool has the option, its output stays the same
	has "$1" || return
	shift
	again "$@"
	plain "$dir/text" | diff "$dir/base" - >"$dir/diff" || fault "$tool $*: $(head -n 3 "$dir/diff")"
}

alike() {       # the same, without comparing the text
	has "$1" || return
	shift
	again "$@"
}

ends() {        # ends OPTION STATUS ARGUMENT...
	has "$1" || return
	want=$2
	shift 2
	run "$@"
	[ "$status" = "$want" ] || fault "$tool $*: exit status $status, wanted $want"
}

formats() {
	has json && run --json && { "$check" "$schemas/$tool.json" "$dir/text" "$status" >"$dir/err" 2>&1 || fault "$tool --json"; }
	has json-u64 && run --json-u64=string --json && { "$check" "$schemas/$tool.json" "$dir/text" "$status" >"$dir/err" 2>&1 || fault "$tool --json-u64"; }
	if has ndjson; then
		alike ndjson --ndjson
		head -n 1 "$dir/text" | grep -q '^{"type":"header",' && tail -n 1 "$dir/text" | grep -q '^{"type":"trailer",' || fault "$tool --ndjson: header and trailer"
	fi
	if has csv; then
		run --csv
		[ "$status" = "$base" ] || grep -q 'has no table' "$dir/err" || fault "$tool --csv: exit status $status"
	fi
}

try_tool() {
	live=
	has live && live=--live
	run $live
	[ "$status" = 0 ] || { sleep 1; run $live; }
	base=$status
	plain "$dir/text" >"$dir/base"
	[ "$base" -le 1 ] || fault "$tool: exit status $base"
	same config -z "$dir/conf" $live
	same Ca -C hsim0 $live
	same Port -P 1 $live
	ends Ca 255 -C none $live
	same timeout -t 800 $live
	same m_key -y 0 $live
	same errors -e $live
	same debug -d $live
	case $tool in
	ibstat | ibstatus) ;;           # they send no query
	*) ! has debug || grep -q '^debug: .* sent ' "$dir/err" || fault "$tool -d: no datagram" ;;
	esac
	same pkey-idx -Y 0 $live
	same outstanding_smps -o 8 $live
	same node-name-map --node-name-map "$dir/map" $live
	same sm_port -s "$sm" $live
	same Lid -L $live
	case $tool in
	perfquery) alike select --select 'port:1-254' $live ;;  # all ports instead of one
	*) same select --select 'port:0-254' $live ;;
	esac
	same live
	alike show_keys -K $live
	alike verbose -v $live
	has version && { run -V; [ "$status" = 0 ] && grep -q 'BUILD VERSION' "$dir/err" || fault "$tool -V: $status"; }
	has help && { run -h; [ "$status" = 2 ] && grep -q '^Usage: ' "$dir/err" || fault "$tool -h: $status"; }
	if has compat-stdout-errors && has Ca; then
		run --compat-stdout-errors -C none
		grep -q 'iberror: failed: ' "$dir/text" || fault "$tool --compat-stdout-errors"
	fi
	case $tool in
	ibmon | ibtop) ends load 2 --load "$dir/capture" ;;     # they need live counters
	ibfindnodesusing | ibcheck | ibtopo) alike load --load "$dir/capture" ;;
	*) same load --load "$dir/capture" ;;
	esac
	formats
}

for tool in $tools; do
	"$build/$tool" --dump-options >"$dir/options"
	: >"$dir/out"
	faults=0
	try_tool
	[ "$faults" = 0 ]
	report $? "$tool"
done
lib_end
