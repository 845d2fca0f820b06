#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Runs our diagnostics and the distribution's ("theirs") with the same command lines on the same
# simulated fabric, and compares standard output, error messages and exit statuses.  The JSON
# document of each command line is checked against docs/schema/TOOL.json.
#   diags-peers.sh [--update] [TOOL...]     only these tools; --update rewrites TOOL.golden
#
# The command lines are in tests/system/diags/TOOL.cases, one per row:
#   HOW[,HOW...]: ARGUMENTS [| COMMANDS]
# ARGUMENTS are those of our tool, as the shell reads them.  Theirs runs with the same arguments,
# except that --live, -Y INDEX and --json-u64 WORD are removed: theirs does not have these options,
# and they do not change the text.  Where theirs needs another command line, or its output has to
# be edited, COMMANDS print the expected text; `theirs ARGUMENT...` runs the distribution's tool.
#
# Every row compares:
#   - standard output, after the masks;
#   - error messages: each message of theirs has to be one of ours, or the beginning of one (theirs
#     prints fatal errors, "iberror:", on standard output).  A usage text counts as its first line;
#   - the exit status.
# A row fails if ours prints only error messages and theirs prints no message to compare them with.
#
# HOW:
#   same          standard error of both is empty, or of neither
#   sort          the lines of standard output are sorted before they are compared
#   first         theirs runs before ours, because ours changes what theirs prints
#   exit=N        ours ends with N, whatever the exit status of theirs
#   debug         ours has to print debug lines (-d), which are not compared: their order varies
#   golden        our standard error is compared with TOOL.golden, and not with theirs, because the
#                 messages differ in their words, or because ours are debug lines
#   ours=REASON   theirs does not run; all that ours prints is compared with TOOL.golden
#   mask=FILE     standard output of both goes through the sed script diags/FILE, after TOOL.mask
#   nojson        the document is not checked
#   node=NODE     both run on this node instead of host-0
#   fabric=F      both run on the fabric tests/system/diags/F.topo instead
#   both          the row runs once more where the distribution's opensm manages the same fabric
# REASONs for which there is no text of theirs to compare with:
#   bad-input     theirs accepts an invalid argument and continues with another value, where ours
#                 reports the error (docs/migrating.md, "numbers" and the lines of the tools)
#   usage         theirs is a script with other options and another usage text
#   no-option     theirs has no such option, and no other command line of theirs prints this text
#   file-format   theirs reads and writes only its own binary files (docs/migrating.md, "--cache")
#
# TOOL.golden holds a section for each row with `golden` or `ours`: what our tool printed when the
# file was last updated.  After an intended change of a text run `diags-peers.sh --update TOOL` and
# review the difference.  Times, transaction ids and directories are masked.  A usage text is cut
# after its first line, because tests/system/man-help.sh compares the options with the manual page.
#
# diags/TOOL.setup, if present, is a script that runs before the rows: `ctl WORD...` controls the
# first fabric; counters_reset ends its errors and clears its counters.
# diags/TOOL.mask, if present, is a sed script for the standard output of both: times, activity
# counts, process ids.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin smpquery sminfo ibnetdiscover
cases=$here/diags
schemas=${top_srcdir:-$here/../..}/docs/schema
check=$build/tests/system/json-check
update=
if [ "$1" = --update ]; then
	update=yes
	shift
fi
only=$*

perl=
! peer_perl || perl=yes
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

has() {         # has HOW: whether the row has this word
	case ,$how, in *,"$1",*) ;; *) false ;; esac
}

value() {       # value KEY: the value of KEY=VALUE in the row
	printf '%s\n' "$how" | tr ',' '\n' | sed -n "s/^$1=//p"
}

masked() {      # masked FILE: applies the masks of the tool and of the row; sorts if asked
	for mask in "$tool.mask" "$(value mask)"; do
		[ -f "$cases/$mask" ] || continue
		sed -E -f "$cases/$mask" "$1" >"$1.m" && mv "$1.m" "$1"
	done
	! has sort || LC_ALL=C sort -o "$1" "$1"
}

kind() {        # kind FILE: whether it is empty
	if [ -s "$1" ]; then echo text; else echo nothing; fi
}

# messages FILE...: the error messages there, without the program's name and the fixed words that
# begin them; of a usage text the first line.  Diagnostic output of the distribution's libraries
# (ibwarn, ./libibnetdisc..., a dump of a datagram) is no message.
messages() {
	sed -E -e '/^(ibwarn|ibpanic|ibdebug): |^\.\/libibnetdisc|^nodeinfo$|^$/d' \
		-e '/^[0-9a-f]{4}( [0-9a-f]{4}){7}$/d' \
		-e 's|^[^ ]*/([a-z_]+ BUILD VERSION: ).*|\1|' \
		-e 's|^[^ ]*/[a-z_]+: ||; s/^(iberror: failed|ERROR): //' \
		-e '/^Usage: /{s|^(Usage: )[^ ]*/|\1|;q}' "$@"
}

run_ours() {    # standard output in $dir/ours, standard error in $dir/ours.err
	eval "on $node $build/$tool $line" >"$dir/ours" 2>"$dir/ours.err" </dev/null
	status=$?
	masked "$dir/ours"
	if has debug; then
		grep -c '^debug: .* \(sent\|received\) ' "$dir/ours.err" >"$dir/datagrams"
		sed -i '/^debug: /d' "$dir/ours.err"
	fi
}

is_script() {   # whether theirs is a Perl script
	case $tool in check_lft_balance | ibfindnodesusing | ibidsverify) ;; *) false ;; esac
}

theirs() {      # theirs ARGUMENT...: runs the distribution's tool; COMMANDS call it, too
	if is_script; then
		peer_script "$node" "$tool" "$@"
	else
		peer_on "$node" "$tool" "$@"
	fi
}

# Standard output in $dir/theirs, standard error in $dir/theirs.err, messages of both in
# $dir/theirs.messages.  "iberror:" is the last line of an output, except for an empty one.
run_theirs() {
	[ -z "$(value ours)" ] || return
	arguments=$(printf '%s\n' "$line" | sed -E 's/(^| )--live( |$)/\1\2/
		s/(^| )-Y [0-9]+( |$)/\1\2/; s/(^| )--json-u64 [a-z]+( |$)/\1\2/')
	eval "${commands:-theirs $arguments}" >"$dir/theirs" 2>"$dir/theirs.err" </dev/null
	peer_status=$?
	{ grep ': iberror: ' "$dir/theirs"; cat "$dir/theirs.err"; } |
		messages >"$dir/theirs.messages"
	sed -i '/: iberror: /,$d' "$dir/theirs"
	masked "$dir/theirs"
}

ours_golden() { # writes the section of the row in the form of TOOL.golden to $dir/golden
	{
		[ -z "$(value ours)" ] || sed 's/^/out| /' "$dir/ours"
		sed -E -e "s|^[^ ]*/$tool: |$tool: |; s|^(Usage: )[^ ]*/|\\1|" \
			-e 's/^(debug: +)[0-9.]+ /\1T /; s/tid 0x[0-9a-f]+/tid N/' \
			-e '/^Usage: /q' "$dir/ours.err" | sed '/^$/d; s/^/err| /'
	} | sed "s|$dir|DIR|g; s|$cases|CASES|g" >"$dir/golden"
	[ -s "$dir/golden" ] || echo nothing >"$dir/golden"
}

compare_golden() {
	ours_golden
	if [ -n "$update" ]; then
		{ echo "### $label"; cat "$dir/golden"; } >>"$dir/$tool.golden"
		return
	fi
	echo "$tool.golden does not have exactly one section: ### $label" >"$dir/out"
	[ -f "$cases/$tool.golden" ] && label=$label awk '
		/^### / { on = $0 == "### " ENVIRON["label"]; n += on; next }
		on
		END { exit n != 1 }' "$cases/$tool.golden" >"$dir/stored" || return 1
	diff "$dir/stored" "$dir/golden" >"$dir/out"
}

compare_messages() {
	messages "$dir/ours.err" >"$dir/ours.messages"
	awk 'NR == FNR { ours[$0]; next }
		{ for (o in ours) if (index(o, $0) == 1) next; print "only theirs prints: " $0 }' \
		"$dir/ours.messages" "$dir/theirs.messages" >"$dir/out"
	if [ -s "$dir/out" ]; then
		sed 's/^/ours prints: /' "$dir/ours.messages" >>"$dir/out"
		return 1
	fi
	if [ ! -s "$dir/theirs" ] && [ ! -s "$dir/theirs.messages" ] && [ -s "$dir/ours.err" ]; then
		echo "nothing is compared: ours prints messages, theirs none; use golden" >"$dir/out"
		return 1
	fi
}

compare_theirs() {
	diff "$dir/theirs" "$dir/ours" >"$dir/out" || return 1
	has golden || compare_messages || return 1
	if has debug && [ "$(cat "$dir/datagrams")" -lt 2 ]; then
		echo "ours prints no debug lines" >"$dir/out"
		return 1
	fi
	if has same && [ "$(kind "$dir/theirs.err")" != "$(kind "$dir/ours.err")" ]; then
		{
			echo "stderr differs; theirs:"
			cat "$dir/theirs.err"
			echo "ours:"
			cat "$dir/ours.err"
		} >"$dir/out"
		return 1
	fi
}

compare_text() {
	want=$(value exit)
	if has golden || [ -n "$(value ours)" ]; then
		compare_golden || return 1
	fi
	if [ -z "$(value ours)" ]; then
		compare_theirs || return 1
		want=${want:-$peer_status}
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

run_case() {    # run_case [FABRIC]
	node=$(value node)
	node=${node:-host-0}
	use_fabric "${1:-$(value fabric)}"
	label="$line${1:+ ($1)}"
	! has first || run_theirs
	run_ours
	has first || run_theirs
	if [ -z "$perl" ] && is_script && [ -z "$(value ours)" ]; then
		skip "$tool $label" "no Perl"
	else
		compare_text
		report $? "$tool $label"
	fi
	has nojson && return
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
		commands=
		case " $line" in
		*" | "*)
			commands=${line#*| }
			line=${line%%| *}
			line=${line% }
			;;
		esac
		run_case
		! has both || run_case opensm
	done <"$file"
	if [ -s "$dir/$tool.golden" ]; then
		cp "$dir/$tool.golden" "$cases/$tool.golden"
	fi
done
lib_end
