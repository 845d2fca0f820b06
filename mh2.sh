#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Every option that --help names is in the manual page, with the same letter, and the other way round.
cd "$top_builddir" || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# "  -F, --config FILE" and "      --set KEY=VALUE" -> "-F --config", "--set"
help_options() {
	sed -nE 's/^  (-[A-Za-z]), (--[A-Za-z0-9_-]+).*/\1 \2/p; s/^      (--[A-Za-z0-9_-]+).*/\1/p' | sort -u
}
# "**-F** *FILE*, **--config** *FILE*" -> "-F --config"
man_options() {
	sed -nE 's/^\*\*(-[A-Za-z])\*\*[^,]*, \*\*(--[A-Za-z0-9_-]+)\*\*.*/\1 \2/p; s/^\*\*(--[A-Za-z0-9_-]+)\*\*.*/\1/p' "$1" | sort -u
}

n=0
check() {       # check PAGE COMMAND...
	page=$1
	shift
	n=$((n + 1))
	"$@" >"$tmp/help" && help_options <"$tmp/help" >"$tmp/in-help"
	man_options "$top_srcdir/man/$page.rst" >"$tmp/in-man"
	if [ -s "$tmp/in-help" ] && diff "$tmp/in-help" "$tmp/in-man" >&2; then
		echo "ok $n - $page"
	else
		echo "not ok $n - $page: --help (<) and the manual (>) differ"
	fi
}

echo 1..4



check ibhcatest.8 sh -c './ibhcatest conform --help; ./ibhcatest bw --help; ./ibhcatest serve --help; ./ibhcatest mesh --help'
