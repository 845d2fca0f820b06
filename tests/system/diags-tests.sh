#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Checks that every option of every diagnostics tool is in some test, and has a row in
# docs/diags-tests.md.  `make update-diags` adds missing rows there; a missing test is a row to be
# added to tests/system/diags/TOOL.cases.  Checks also that every row of those files compares text:
# it has only words that tests/system/diags-peers.sh documents, and a stored text where needed.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
cd "$top_builddir" || exit 1
for page in "$top_srcdir"/man/diags/*.rst; do
	tool=$(basename "$page" .rst)
	[ "$tool" = common ] || printf './%s\n' "$tool"
done >"$dir/tools"
# Only tool and option: which test is the first to have the option may change.
rows() {
	awk '/^## / { tool = $2 } /^\| `-/ { sub(/^\| `/, ""); sub(/`.*/, ""); print tool, $0 }' "$1"
}
xargs "$top_srcdir/build-aux/diag-tests" "$top_srcdir" <"$dir/tools" \
	>"$dir/now" 2>"$dir/missing"
status=$?
[ "$status" = 0 ] && [ ! -s "$dir/missing" ]
report $? "every option has a test" "$dir/missing"
rows "$dir/now" >"$dir/a"
rows "$top_srcdir/docs/diags-tests.md" >"$dir/b"
[ -s "$dir/a" ] && diff "$dir/a" "$dir/b" >"$dir/out"
report $? "the table has a row for each option"

# problems DIR SCRIPT: prints a line for each problem of the rows in DIR.  The comment of SCRIPT
# lists the reasons for which a row may have no text of the distribution's tool.
problems() {
	sed -n '/^# REASONs/,/^# TOOL.golden/s/^#   \([a-z][a-z-]*\) .*/\1/p' "$2" >"$dir/reasons"
	for file in "$1"/*.cases; do
		golden=${file%.cases}.golden
		[ -f "$golden" ] || golden=/dev/null
		awk -v tool="$(basename "$file" .cases)" -v files="$1" '
		function problem(what) { print tool ": " row ": " what }
		function exists(file,    line, is) { is = (getline line <file) >= 0; close(file); return is }
		FILENAME == ARGV[1] { reasons[$1]; next }
		FILENAME != ARGV[3] {
			if (/^### /) {
				label = substr($0, 5)
				if (stored[label]++)
					print tool ".golden: two sections: " label
			} else {
				lines[label]++
			}
			next
		}
		/^[ \t]*(#|$)/ { next }
		{
			row = $0
			n = split($1, how, /[:,]/)
			split("", has)
			for (i = 1; i <= n; i++) {
				key = how[i]
				sub(/=.*/, "", key)
				has[key] = substr(how[i], length(key) + 2)
				if (key == "" || how[i] ~ /^(exit=[0-9]+|node=.+)$/ ||
				    how[i] ~ /^(same|sort|first|debug|golden|nojson|both)$/)
					continue
				if (key == "ours" && has[key] in reasons ||
				    key == "mask" && exists(files "/" has[key]) ||
				    key == "fabric" && exists(files "/" has[key] ".topo"))
					continue
				problem("diags-peers.sh does not know " how[i])
			}
			if (!("golden" in has) && !("ours" in has))
				next
			label = $0
			sub(/^[^ \t]*[ \t]*/, "", label)
			sub(/(^| )\| .*/, "", label)
			sub(/[ \t]+$/, "", label)
			for (both = 0; both <= ("both" in has); both++) {
				name = label (both ? " (opensm)" : "")
				if (!lines[name])
					problem("no text in " tool ".golden to compare with")
				used[name]
			}
		}
		END {
			for (label in stored)
				if (!(label in used))
					print tool ".golden: no row has the arguments " label
		}' "$dir/reasons" "$golden" "$file"
	done
}
cases=$top_srcdir/tests/system/diags
problems "$cases" "$top_srcdir/tests/system/diags-peers.sh" >"$dir/out"
[ -s "$dir/reasons" ] && [ ! -s "$dir/out" ]
report $? "every row compares text"
# The check can fail.
mkdir "$dir/rows"
printf 'err| tool: message\n' | sed '1i### one' >"$dir/rows/tool.golden"
cat >"$dir/rows/tool.cases" <<'END'
same: well
ours=usage,exit=2: one
golden,exit=2: two
ours=whim,exit=2: one
ours=: one
quiet: three
mask=none.sed: four
END
problems "$dir/rows" "$top_srcdir/tests/system/diags-peers.sh" >"$dir/out"
sed -n 's/^tool: .*: \([^:]*\)$/\1/p' "$dir/out" >"$dir/found"
diff - "$dir/found" >"$dir/out" <<'END'
no text in tool.golden to compare with
diags-peers.sh does not know ours=whim
diags-peers.sh does not know ours=
diags-peers.sh does not know quiet
diags-peers.sh does not know mask=none.sed
END
report $? "a row that compares no text, or has unknown words, is found"
echo '### other' >>"$dir/rows/tool.golden"
problems "$dir/rows" "$top_srcdir/tests/system/diags-peers.sh" >"$dir/out"
grep -qx 'tool.golden: no row has the arguments other' "$dir/out"
report $? "a stored text without a row is found"

# The first check can fail: without the tests of a tool its options have none.
mkdir -p "$dir/src/tests/system/diags"
: >"$dir/src/tests/system/none.sh"
: >"$dir/src/tests/system/diags/none.cases"
"$top_srcdir/build-aux/diag-tests" "$dir/src" ./ibstat >/dev/null 2>"$dir/missing"
[ $? != 0 ] && grep -qx 'ibstat: -l, --list_of_cas is in no test' "$dir/missing"
report $? "an option without a test is found" "$dir/missing"
lib_end
