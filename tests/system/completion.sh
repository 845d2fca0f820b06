#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Completions of heddled, heddlectl, heddle-route, heddle-sim and ibhcatest: the files are those generated from
# --help, and in bash they offer exactly the options and commands of --help.
# `make update-completions` regenerates the files.
command -v bash >/dev/null || { echo "1..0 # SKIP no bash"; exit 0; }
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
cd "$top_builddir" || exit 1
case $top_srcdir in /*) files=$top_srcdir/completion ;; *) files=$PWD/$top_srcdir/completion ;; esac

# offers PROGRAM WORD...: prints the completions of the last word, one per line
offers() {
	bash -c '
		. "$0/$1"
		f=$(complete -p "$1") || exit 1
		f=${f#*-F }
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		"${f%% *}"
		((${#COMPREPLY[@]} == 0)) || printf "%s\n" "${COMPREPLY[@]}"' "$files" "$@" 2>"$dir/stderr"
	[ ! -s "$dir/stderr" ] || echo "complaint: $(cat "$dir/stderr")"
}
# wants PROGRAM WORD...: compares standard input with the completions, in any order
wants() {
	tr ' ' '\n' | sed '/^$/d' | sort -u >"$dir/wanted"
	offers "$@" | sort >"$dir/offered"
	diff "$dir/wanted" "$dir/offered" >"$dir/diff" && return
	{ echo "$*: wanted (<), offered (>)"; cat "$dir/diff"; } >>"$dir/bad"
}
# verdict NAME: a TAP line for all comparisons since the last one.  They are counted in a file,
# because some run in pipelines.
verdict() {
	test ! -e "$dir/bad"
	report $? "$1" "$dir/bad"
	rm -f "$dir/bad"
}
# filled FILE N WHERE: checks that the list to compare with is not empty
filled() {
	[ "$(wc -l <"$1")" -ge "$2" ] && return
	echo "--help of $3 named fewer than $2" >>"$dir/bad"
}
# "  -F, --config FILE" and "      --set KEY=VALUE" -> "-F", "--config", "--set"
help_options() {
	sed -nE 's/^  (-[A-Za-z0-9]), (--[A-Za-z0-9_-]+).*/\1 \2/p; s/^      (--[A-Za-z0-9_-]+).*/\1/p'
}

for program in heddled heddlectl heddle-route heddle-sim ibhcatest; do
	"$top_srcdir/build-aux/program-completion" "./$program" | diff "$files/$program" - >"$dir/out" 2>&1
	report $? "$program: the file is the one generated from --help"
	./$program --help >"$dir/$program"
done

# ---- options and commands ----
help_options <"$dir/heddled" >"$dir/options"
filled "$dir/options" 20 heddled
wants heddled - <"$dir/options"
wants heddled --once -v --config x - <"$dir/options"
wants heddled '' </dev/null
verdict "heddled: options"

help_options <"$dir/heddlectl" >"$dir/options"
filled "$dir/options" 5 heddlectl
sed -nE '/^Commands:/,/^$/s/^  ([a-z]+) .*/\1/p' "$dir/heddlectl" >"$dir/commands"
filled "$dir/commands" 7 heddlectl
wants heddlectl '' <"$dir/commands"
wants heddlectl --socket status '' <"$dir/commands"
wants heddlectl --socket = /run/x --timeout 3 -j '' <"$dir/commands"
while read -r c; do
	wants heddlectl "$c" - <"$dir/options"
	grep -o "^ *heddlectl \[OPTION\]\.\.\. $c [a-z]*" "$dir/heddlectl" | sed 's/.* //' | wants heddlectl "$c" ''
done <"$dir/commands"
echo up | wants heddlectl --socket x wait ''
echo paths | wants heddlectl export --hosts ''
verdict "heddlectl: options, commands and what follows them"

help_options <"$dir/heddle-route" >"$dir/options"
filled "$dir/options" 15 heddle-route
sed -nE '/^Commands:/,/^$/s/^  ([a-z]+) .*/\1/p' "$dir/heddle-route" >"$dir/commands"
filled "$dir/commands" 6 heddle-route
wants heddle-route '' <"$dir/commands"
wants heddle-route plan SPEC - <"$dir/options"
verdict "heddle-route: options and commands"

help_options <"$dir/heddle-sim" | wants heddle-sim -
sed -nE 's/^(Usage:|      ) heddle-sim ([a-z]+) .*/\2/p' "$dir/heddle-sim" >"$dir/commands"
filled "$dir/commands" 4 heddle-sim
wants heddle-sim '' <"$dir/commands"
while read -r c; do
	./heddle-sim "$c" --help >"$dir/sub"
	help_options <"$dir/sub" >"$dir/options"
	[ "$c" = topology ] || filled "$dir/options" 4 "heddle-sim $c"
	wants heddle-sim "$c" - <"$dir/options"
	wants heddle-sim "$c" --name n -- - </dev/null
done <"$dir/commands"
verdict "heddle-sim: options and commands"

./heddle-sim ctl --help | sed -nE '/^Commands:/,$s/^  ([a-z].*)/\1/p' >"$dir/sub"
filled "$dir/sub" 15 "heddle-sim ctl"
sed 's/ .*//' "$dir/sub" | wants heddle-sim ctl --name n ''
while read -r c operands; do
	for word in '' 'node:1' 'node : 1'; do
		# shellcheck disable=SC2086 # 'node : 1' are the words that bash makes of it
		echo "$operands" | grep -oE -e '--[a-z]+' | wants heddle-sim ctl -n n "$c" $word -
	done
done <"$dir/sub"
sed -n 's/^power NODE \([a-z|]*\)$/\1/p' "$dir/sub" | tr '|' '\n' >"$dir/words"
filled "$dir/words" 2 "heddle-sim ctl power"
wants heddle-sim ctl --name n power node '' <"$dir/words"
wants heddle-sim ctl --name n power node : 1 '' <"$dir/words"
wants heddle-sim ctl --name n power '' </dev/null
sed -n 's/^traffic \[\([a-z|]*\)\].*/\1/p' "$dir/sub" | tr '|' '\n' >"$dir/words"
filled "$dir/words" 4 "heddle-sim ctl traffic"
wants heddle-sim ctl --name n traffic '' <"$dir/words"
verdict "heddle-sim ctl: commands, their options and fixed words"

sed -nE 's/^  ([a-z]+)  .*/\1/p' "$dir/ibhcatest" >"$dir/commands"
filled "$dir/commands" 6 ibhcatest
wants ibhcatest '' <"$dir/commands"
wants ibhcatest - </dev/null
while read -r c; do
	./ibhcatest "$c" --help | help_options >"$dir/options"
	filled "$dir/options" 10 "ibhcatest $c"
	wants ibhcatest "$c" - <"$dir/options"
	wants ibhcatest "$c" -j host - <"$dir/options"
done <"$dir/commands"
verdict "ibhcatest: options and commands"

# ---- arguments ----
for c in conform lat bw serve; do
	echo soft verbs | wants ibhcatest $c --backend ''
	echo soft | wants ibhcatest $c -B so
done
echo RC UC UD | wants ibhcatest pair -c ''
wants ibhcatest conform -c '' </dev/null                 # there a pattern
echo send write read atomic cas faa | wants ibhcatest lat --op ''
echo write | wants ibhcatest bw host --op = w
echo error warning notice detail trace | wants heddled --log-level ''
echo error warning notice detail trace | wants heddled --log-level =
echo in out both off | wants heddled -Z ''
wants heddled --sweep '' </dev/null
wants ibhcatest bw -p '' </dev/null
verdict "words that are fixed"

mkdir "$dir/d" "$dir/d/sub" && : >"$dir/d/a file"
both=$(printf '%s\n' "$dir/d/a file" "$dir/d/sub")
for words in "heddled --config" "heddled -o --report =" "heddled -Y" "heddlectl --socket" "heddle-sim serve -t" \
    "heddle-sim serve --name n --faults" "heddle-sim topology"; do
	# shellcheck disable=SC2086
	[ "$(offers $words "$dir/d/" | sort)" = "$both" ] || echo "$words: $(offers $words "$dir/d/")" >>"$dir/bad"
done
for words in "heddlectl export paths" "heddled --state-dir"; do
	# shellcheck disable=SC2086
	[ "$(offers $words "$dir/d/")" = "$dir/d/sub" ] || echo "$words: $(offers $words "$dir/d/")" >>"$dir/bad"
done
offers heddle-sim exec -n n --node host : 1 -- bas | grep -qx bash || echo "no bash is offered" >>"$dir/bad"
verdict "files, directories, and a program to run"
lib_end
