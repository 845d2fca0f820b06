#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Completions of heddled, heddlectl, heddle-sim and ibhcatest: the files are what --help makes; sourced in bash, they offer
# each option and command that --help prints, and none more.  `make update-completions` writes what is missing here.
command -v bash >/dev/null || { echo "1..0 # SKIP no bash"; exit 0; }
cd "$top_builddir" || exit 1
case $top_srcdir in /*) files=$top_srcdir/completion ;; *) files=$PWD/$top_srcdir/completion ;; esac
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0
report() {      # report STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

# offers PROGRAM WORD...: what is proposed for the last of the words, one a line
offers() {
	bash -c '
		. "$0/$1"
		f=$(complete -p "$1") || exit 1
		f=${f#*-F }
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		"${f%% *}"
		((${#COMPREPLY[@]} == 0)) || printf "%s\n" "${COMPREPLY[@]}"' "$files" "$@" 2>"$tmp/stderr"
	[ ! -s "$tmp/stderr" ] || echo "complaint: $(cat "$tmp/stderr")"
}
# same PROGRAM WORD...: standard input and what is offered, without order
same() {
	tr ' ' '\n' | sed '/^$/d' | sort -u >"$tmp/wanted"
	offers "$@" | sort >"$tmp/offered"
	diff "$tmp/wanted" "$tmp/offered" >"$tmp/diff" && return
	echo "$*: wanted (<), offered (>)" >&2
	cat "$tmp/diff" >&2
	: >"$tmp/bad"
}
# verdict NAME: of all that was asked since the last one (in a file: half of it is asked in pipelines)
verdict() {
	test ! -e "$tmp/bad"
	report $? "$1"
	rm -f "$tmp/bad"
}
# filled FILE N WHERE: there was something to ask for
filled() {
	[ "$(wc -l <"$1")" -ge "$2" ] && return
	echo "--help of $3 named fewer than $2" >&2
	: >"$tmp/bad"
}
# "  -F, --config FILE" and "      --set KEY=VALUE" -> "-F", "--config", "--set"
help_options() {
	sed -nE 's/^  (-[A-Za-z0-9]), (--[A-Za-z0-9_-]+).*/\1 \2/p; s/^      (--[A-Za-z0-9_-]+).*/\1/p'
}

for program in heddled heddlectl heddle-sim ibhcatest; do
	"$top_srcdir/build-aux/program-completion" "./$program" | diff "$files/$program" - >&2
	report $? "$program: the file is what --help makes"
	./$program --help >"$tmp/$program"
done

# ---- options and commands ----
help_options <"$tmp/heddled" >"$tmp/options"
filled "$tmp/options" 20 heddled
same heddled - <"$tmp/options"
same heddled --once -v --config x - <"$tmp/options"
same heddled '' </dev/null
verdict "heddled: options"

help_options <"$tmp/heddlectl" >"$tmp/options"
filled "$tmp/options" 5 heddlectl
sed -nE '/^Commands:/,/^$/s/^  ([a-z]+) .*/\1/p' "$tmp/heddlectl" >"$tmp/commands"
filled "$tmp/commands" 7 heddlectl
same heddlectl '' <"$tmp/commands"
same heddlectl --socket status '' <"$tmp/commands"
same heddlectl --socket = /run/x --timeout 3 -j '' <"$tmp/commands"
while read -r c; do
	same heddlectl "$c" - <"$tmp/options"
	grep -o "^ *heddlectl \[OPTION\]\.\.\. $c [a-z]*" "$tmp/heddlectl" | sed 's/.* //' | same heddlectl "$c" ''
done <"$tmp/commands"
echo up | same heddlectl --socket x wait ''
echo paths | same heddlectl export --hosts ''
verdict "heddlectl: options, commands and what follows them"

help_options <"$tmp/heddle-sim" | same heddle-sim -
sed -nE 's/^(Usage:|      ) heddle-sim ([a-z]+) .*/\2/p' "$tmp/heddle-sim" >"$tmp/commands"
filled "$tmp/commands" 4 heddle-sim
same heddle-sim '' <"$tmp/commands"
while read -r c; do
	./heddle-sim "$c" --help >"$tmp/sub"
	help_options <"$tmp/sub" >"$tmp/options"
	[ "$c" = topology ] || filled "$tmp/options" 4 "heddle-sim $c"
	same heddle-sim "$c" - <"$tmp/options"
	same heddle-sim "$c" --name n -- - </dev/null
done <"$tmp/commands"
verdict "heddle-sim: options and commands"

./heddle-sim ctl --help | sed -nE '/^Commands:/,$s/^  ([a-z].*)/\1/p' >"$tmp/sub"
filled "$tmp/sub" 15 "heddle-sim ctl"
sed 's/ .*//' "$tmp/sub" | same heddle-sim ctl --name n ''
while read -r c operands; do
	for word in '' 'node:1' 'node : 1'; do
		# shellcheck disable=SC2086 # 'node : 1' are the words that bash makes of it
		echo "$operands" | grep -oE -e '--[a-z]+' | same heddle-sim ctl -n n "$c" $word -
	done
done <"$tmp/sub"
sed -n 's/^power NODE \([a-z|]*\)$/\1/p' "$tmp/sub" | tr '|' '\n' >"$tmp/words"
filled "$tmp/words" 2 "heddle-sim ctl power"
same heddle-sim ctl --name n power node '' <"$tmp/words"
same heddle-sim ctl --name n power node : 1 '' <"$tmp/words"
same heddle-sim ctl --name n power '' </dev/null
sed -n 's/^traffic \[\([a-z|]*\)\].*/\1/p' "$tmp/sub" | tr '|' '\n' >"$tmp/words"
filled "$tmp/words" 4 "heddle-sim ctl traffic"
same heddle-sim ctl --name n traffic '' <"$tmp/words"
verdict "heddle-sim ctl: commands, their options and fixed words"

sed -nE 's/^  ([a-z]+)  .*/\1/p' "$tmp/ibhcatest" >"$tmp/commands"
filled "$tmp/commands" 6 ibhcatest
same ibhcatest '' <"$tmp/commands"
same ibhcatest - </dev/null
while read -r c; do
	./ibhcatest "$c" --help | help_options >"$tmp/options"
	filled "$tmp/options" 10 "ibhcatest $c"
	same ibhcatest "$c" - <"$tmp/options"
	same ibhcatest "$c" -j host - <"$tmp/options"
done <"$tmp/commands"
verdict "ibhcatest: options and commands"

# ---- arguments ----
for c in conform lat bw serve; do
	echo soft verbs | same ibhcatest $c --backend ''
	echo soft | same ibhcatest $c -B so
done
echo RC UC UD | same ibhcatest pair -c ''
same ibhcatest conform -c '' </dev/null                 # there a pattern
echo send write read atomic cas faa | same ibhcatest lat --op ''
echo write | same ibhcatest bw host --op = w
echo error warning notice detail trace | same heddled --log-level ''
echo error warning notice detail trace | same heddled --log-level =
echo in out both off | same heddled -Z ''
same heddled --sweep '' </dev/null
same ibhcatest bw -p '' </dev/null
verdict "words that are fixed"

mkdir "$tmp/d" "$tmp/d/sub" && : >"$tmp/d/a file"
both=$(printf '%s\n' "$tmp/d/a file" "$tmp/d/sub")
for words in "heddled --config" "heddled -o --report =" "heddled -Y" "heddlectl --socket" "heddle-sim serve -t" \
    "heddle-sim serve --name n --faults" "heddle-sim topology"; do
	# shellcheck disable=SC2086
	[ "$(offers $words "$tmp/d/" | sort)" = "$both" ] || { echo "$words: $(offers $words "$tmp/d/")" >&2; : >"$tmp/bad"; }
done
for words in "heddlectl export paths" "heddled --state-dir"; do
	# shellcheck disable=SC2086
	[ "$(offers $words "$tmp/d/")" = "$tmp/d/sub" ] || { echo "$words: $(offers $words "$tmp/d/")" >&2; : >"$tmp/bad"; }
done
offers heddle-sim exec -n n --node host : 1 -- bas | grep -qx bash || : >"$tmp/bad"
verdict "files, directories, and a program to run"
echo "1..$n"
