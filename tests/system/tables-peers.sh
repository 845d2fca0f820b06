#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Tools that read forwarding tables or identifiers, where a row of diags/*.cases cannot say it: beside the distribution's scripts
# in Perl, with files, with LMC, with multicast groups, with tables that were damaged.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin ibroute dump_fts ibtracert ibidsverify
cases=$here/diags
schemas=${top_srcdir:-$here/../..}/docs/schema
check=$build/tests/system/json-check
mkdir "$dir/perl" "$dir/cache"
sed "s|/var/cache/infiniband-diags|$dir/cache|" "$peers/usr/share/perl5/IBswcountlimits.pm" >"$dir/perl/IBswcountlimits.pm" 2>/dev/null
cached=$dir/cache/ibnetdiscover--.topology
perl -I "$dir/perl" -e 'use IBswcountlimits; use Getopt::Std' 2>/dev/null || cached=

script() {      # script NODE TOOL ARGUMENT...: one of the distribution's scripts there, its programs in PATH
	node=$1 tool=$2
	shift 2
	LD_LIBRARY_PATH=$libs PERL5LIB=$dir/perl PATH=$peers/usr/sbin:$PATH timeout 60 "$sim" exec --name "$name" --node "$node" -- \
		perl "$peers/usr/sbin/$tool" "$@"
}

equal() {       # equal STATUS NAME: $dir/ours is $dir/theirs, and ours ended so
	diff "$dir/theirs" "$dir/ours" >"$dir/out" && { [ "$status" = "$1" ] || { echo "exit status $status" >"$dir/out"; false; }; }
	report $? "$2"
}

valid() {       # valid TOOL STATUS NAME: $dir/doc is as its schema says
	"$check" "$schemas/$1.json" "$dir/doc" "$2" >"$dir/out" 2>&1
	report $? "$3"
}

fabric_start fattree:k=4,levels=3
manager_start host-1

# ---- identifiers ----
if [ -n "$cached" ]; then
	script host-0 ibidsverify -R >"$dir/theirs" 2>&1
	on host-0 "$build/ibidsverify" --live >"$dir/ours" 2>&1
	status=$?
	equal 0 "ibidsverify: a fabric that is well"
	cp "$cases/twins.topo" "$cached"
	script host-0 ibidsverify >"$dir/theirs" 2>&1
	"$build/ibidsverify" --load "$cases/twins.topo" >"$dir/ours" 2>&1
	status=$?
	[ -s "$dir/theirs" ] && LC_ALL=C sort -o "$dir/theirs" "$dir/theirs" && LC_ALL=C sort -o "$dir/ours" "$dir/ours"
	equal 1 "ibidsverify: twins"
else
	skip "ibidsverify beside the distribution's" "no Perl"
fi
"$build/ibidsverify" --load "$cases/twins.topo" --json >"$dir/doc" 2>/dev/null
valid ibidsverify 1 "ibidsverify: findings in the document"
"$build/ibidsverify" --load "$cases/twins.topo" --select lid:8 >"$dir/out" 2>&1
[ "$(cat "$dir/out")" = "LID 8 already defined for NodeGUID 0xd1" ] || grep -q 'LID 8 already defined for NodeGUID 0xc1' "$dir/out"
report $? "ibidsverify: --select"

lib_end
