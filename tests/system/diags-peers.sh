#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Our diagnostics beside the distribution's on the same simulated fabric: text, kind of stderr and exit status of each
# command line; and the JSON document of each, checked against docs/schema/TOOL.json.
#   diags-peers.sh [TOOL...]        only these tools
# The command lines are in tests/system/diags/TOOL.cases, one per line:
#   HOW[,HOW...]: ARGUMENTS         (the tool is the file's name; arguments as the shell reads them)
# HOW (--live is not handed to theirs):
#   same          text, kind of stderr (empty or not) and exit status are equal
#   sort          the lines are sorted before they are compared
#   quiet         stderr is not compared
#   exit=N        ours ends with N, whatever theirs does (D-10); their "iberror:" lines on stdout do not count (D-8)
#   ours=REASON   text is not compared: a deliberate difference, or an option of ours alone; exit=N is still checked
#   nojson        the document is not looked at
#   node=NODE     runs there instead of host-0
#   fabric=F      on the fabric tests/system/diags/F.topo instead
#   both          once more where the distribution's opensm manages the same fabric
# diags/TOOL.setup, where there is one, is a script that is run before them: ctl WORD... speaks to the first fabric, counters_reset ends
# its errors and clears its counters.
# diags/TOOL.mask, where there is one, is a sed script that both outputs go through (times, activity, pids).
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin smpquery sminfo ibnetdiscover
cases=$here/diags
schemas=${top_srcdir:-$here/../..}/docs/schema
check=$build/tests/system/json-check
only=$*

topology=${DIAGS_TOPOLOGY:-fattree:k=4,levels=3}
fabric_start "$topology"
manager_start host-1 --set m_key=0
first=$name
others=

ctl() {
	"$sim" ctl --name "$first" "$@" >"$dir/out" 2>&1 || lib_bail "heddle-sim ctl $* fails"
}

counters_reset() {
	name=$first
	ctl clear
	lid=1
	while [ "$lid" -le 36 ]; do
		peer_on host-0 perfquery -R -a "$lid" >"$dir/out" 2>&1
		peer_on host-0 perfquery -x -R -a "$lid" >"$dir/out" 2>&1
		lid=$((lid + 1))
	done
	for attribute in -D -E -X -S -T; do
		peer_on host-0 perfquery $attribute -R 17 255 >"$dir/out" 2>&1
	done
}

use_fabric() {  # use_fabric F: $name is its name; it is started the first time
	name=$first
	[ -n "$1" ] || return
	name=$first-$1
	case " $others " in *" $1 "*) return ;; esac
	others="$others $1"
	if [ "$1" = opensm ]; then
		fabric_start "$topology"
		opensm_up host-1
		return
	fi
	fabric_start "$cases/$1.topo" --extended-speeds shown   # theirs never ask for them
	manager_start host-0 --set m_key=0
}

masked() {      # masked FILE: through the tool's mask, sorted if asked
	if [ -f "$cases/$tool.mask" ]; then
		sed -E -f "$cases/$tool.mask" "$1" >"$1.m" && mv "$1.m" "$1"
	fi
	case ,$how, in *,sort,*) LC_ALL=C sort -o "$1" "$1" ;; esac
}

kind() {
	if [ -s "$1" ]; then echo said; else echo silent; fi
}

wanted() {      # wanted KEY: the value of KEY=VALUE in $how
	printf '%s\n' "$how" | tr ',' '\n' | sed -n "s/^$1=//p"
}

compare_text() {
	want=$(wanted exit)
	: >"$dir/out"
	if [ -z "$(wanted ours)" ]; then
		eval "peer_on $node $tool $(printf %s "$line" | sed 's/--live//')" >"$dir/theirs" 2>"$dir/theirs.err" </dev/null
		theirs=$?
		if [ -n "$want" ]; then
			sed -i '/: iberror: /d' "$dir/theirs"
		fi
		masked "$dir/theirs"
		diff "$dir/theirs" "$dir/ours" >"$dir/out" || return 1
		[ -n "$want" ] || want=$theirs
		case ,$how, in
		*,same,*)
			if [ "$(kind "$dir/theirs.err")" != "$(kind "$dir/ours.err")" ]; then
				{ echo "stderr differs; theirs:"; cat "$dir/theirs.err"; echo "ours:"; cat "$dir/ours.err"; } >"$dir/out"
				return 1
			fi
			;;
		esac
	fi
	echo "exit status $status, wanted ${want:-0}" >"$dir/out"
	[ "$status" = "${want:-0}" ]
}

check_json() {
	eval "on $node $build/$tool $line --json" >"$dir/doc" 2>"$dir/doc.err" </dev/null
	jstatus=$?
	if [ "$jstatus" != "$status" ]; then
		echo "exit status $jstatus, as text $status" >"$dir/out"
		return 1
	fi
	"$check" "$schemas/$tool.json" "$dir/doc" "$jstatus" >"$dir/out" 2>&1
}

run_case() {
	node=$(wanted node)
	node=${node:-host-0}
	use_fabric "${1:-$(wanted fabric)}"
	eval "on $node $build/$tool $line" >"$dir/ours" 2>"$dir/ours.err" </dev/null
	status=$?
	masked "$dir/ours"
	compare_text
	report $? "$tool $line${1:+ ($1)}"
	case ,$how, in *,nojson,*) return ;; esac
	check_json
	report $? "$tool $line --json${1:+ ($1)}"
}

for file in "$cases"/*.cases; do
	tool=$(basename "$file" .cases)
	case " $only " in "  " | *" $tool "*) ;; *) continue ;; esac
	[ -x "$build/$tool" ] || lib_bail "$tool is not built"
	if [ -f "$cases/$tool.setup" ]; then
		. "$cases/$tool.setup"
	fi
	while read -r how line; do
		case $how in '' | '#'*) continue ;; esac
		how=${how%:}
		run_case
		case ,$how, in *,both,*) run_case opensm ;; esac
	done <"$file"
done
lib_end
