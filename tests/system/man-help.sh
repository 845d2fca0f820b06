#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# --help and the manual page of each program have the same options, with the same letters.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
cd "$top_builddir" || exit 1

# "  -F, --config FILE" and "      --set KEY=VALUE" -> "-F --config", "--set"
help_options() {
	sed -nE 's/^  (-[A-Za-z]), (--[A-Za-z0-9_-]+).*/\1 \2/p; s/^      (--[A-Za-z0-9_-]+).*/\1/p' | sort -u
}
# "**-F** *FILE*, **--config** *FILE*" -> "-F --config"
man_options() {
	sed -nE 's/^\*\*(-[A-Za-z])\*\*[^,]*, \*\*(--[A-Za-z0-9_-]+)\*\*.*/\1 \2/p; s/^\*\*(--[A-Za-z0-9_-]+)\*\*.*/\1/p' "$1" | sort -u
}

check() {       # check PAGE COMMAND...
	page=$1
	shift
	man_options "$top_srcdir/man/$page.rst" >"$dir/in-man"
	"$@" >"$dir/help" 2>"$dir/out" && help_options <"$dir/help" >"$dir/in-help" && [ -s "$dir/in-help" ] &&
		diff "$dir/in-help" "$dir/in-man" >"$dir/out"           # --help (<), the manual (>)
	report $? "$page"
}

check heddled.8 sm/conf/confdoc help
check heddlectl.1 ./heddlectl --help
check heddle-route.1 ./heddle-route --help
check heddle-sim.8 sh -c './heddle-sim serve --help; ./heddle-sim exec --help; ./heddle-sim ctl --help'
check ibhcatest.8 sh -c './ibhcatest conform --help; ./ibhcatest bw --help; ./ibhcatest serve --help; ./ibhcatest mesh --help'
lib_end
