#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Tools that read forwarding tables or identifiers, compared with the distribution's where a row of
# diags/*.cases is not enough: with files, with LMC, with multicast groups, with damaged tables.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin ibroute dump_fts ibtracert ibidsverify
cases=$here/diags
schemas=${top_srcdir:-$here/../..}/docs/schema
check=$build/tests/system/json-check
cached=
! peer_perl || cached=$dir/perl/cache/ibnetdiscover--.topology

equal() {       # equal STATUS NAME: $dir/ours equals $dir/theirs, and ours ended with STATUS
	diff "$dir/theirs" "$dir/ours" >"$dir/out" && { [ "$status" = "$1" ] || { echo "exit status $status" >"$dir/out"; false; }; }
	report $? "$2"
}

same() {        # same NAME TOOL ARGUMENT...: both print the same, and ours ends with 0
	what=$1 tool=$2
	shift 2
	peer_on host-0 "$tool" "$@" 2>/dev/null | sed "s|/[^ ]*/sbin/||" >"$dir/theirs"
	on host-0 "$build/$tool" "$@" >"$dir/ours" 2>/dev/null
	status=$?
	[ -n "$sorted" ] && LC_ALL=C sort -o "$dir/theirs" "$dir/theirs" && LC_ALL=C sort -o "$dir/ours" "$dir/ours"
	[ -s "$dir/theirs" ] || echo "they print nothing" >"$dir/theirs"
	equal 0 "$tool: $what"
}
sorted=

valid() {       # valid TOOL STATUS NAME: $dir/doc fits the schema of the tool
	"$check" "$schemas/$1.json" "$dir/doc" "$2" >"$dir/out" 2>&1
	report $? "$3"
}

balance() {     # balance FLAGS NAME: both on the same files, then ours on the switches
	flags=$1
	if [ -z "$cached" ]; then
		skip "check_lft_balance $flags: $2" "no Perl"
		return
	fi
	peer_on host-0 ibnetdiscover --cache "$dir/their.cache" >/dev/null 2>&1
	on host-0 "$build/ibnetdiscover" --live --cache "$dir/our.cache" >/dev/null 2>&1
	peer_on host-0 dump_fts >"$dir/lfts" 2>/dev/null
	# shellcheck disable=SC2086
	peer_script host-0 check_lft_balance -l "$dir/lfts" -i "$dir/their.cache" $flags >"$dir/theirs" 2>/dev/null
	# shellcheck disable=SC2086
	"$build/check_lft_balance" -l "$dir/lfts" -i "$dir/our.cache" $flags >"$dir/ours" 2>"$dir/err"
	status=$?
	grep -q '^Unbalanced' "$dir/theirs" && want=1 || want=0
	equal $want "check_lft_balance $flags: $2"
	# shellcheck disable=SC2086
	on host-0 "$build/check_lft_balance" --live $flags >"$dir/ours" 2>"$dir/err"
	status=$?
	LC_ALL=C sort -o "$dir/theirs" "$dir/theirs"
	LC_ALL=C sort -o "$dir/ours" "$dir/ours"
	equal $want "check_lft_balance $flags, live: $2"
}

fabric_start fattree:k=4,levels=3
manager_start host-1 --set m_key=0

# ---- identifiers ----
if [ -n "$cached" ]; then
	peer_script host-0 ibidsverify -R >"$dir/theirs" 2>&1
	on host-0 "$build/ibidsverify" --live >"$dir/ours" 2>&1
	status=$?
	equal 0 "ibidsverify: a fabric that is well"
	cp "$cases/twins.topo" "$cached"
	peer_script host-0 ibidsverify >"$dir/theirs" 2>&1
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

# ---- routes, many at once ----
{
	echo '# all to all'
	for src in 1 2 5 9 16 17 30 36; do for dst in 1 3 7 16 18 25 33; do echo "$src $dst"; done; done
	printf '\n0x3\t0x10 # in hexadecimal\n'
} >"$dir/pairs"
same "pairs of a file" ibtracert --ports-file "$dir/pairs"
same "pairs of a file, in short" ibtracert -n --ports-file "$dir/pairs"
on host-0 "$build/ibtracert" --ports-file "$dir/pairs" --json >"$dir/doc" 2>/dev/null
valid ibtracert 0 "ibtracert: pairs in a document"
echo '1 77' >>"$dir/pairs"
echo '1 4' >>"$dir/pairs"
on host-0 "$build/ibtracert" -t 100 --ports-file "$dir/pairs" --json >"$dir/doc" 2>/dev/null
valid ibtracert 3 "ibtracert: a LID of nobody among them"
on host-0 "$build/ibtracert" -t 100 --ports-file "$dir/pairs" >"$dir/out" 2>"$dir/err"
[ $? = 3 ] && tail -n 2 "$dir/out" | head -n 1 | grep -q '^To ca .* lid 4-4 "host-3"' && grep -q 'Failed to get route information at line 60$' "$dir/err"
report $? "ibtracert: the other pairs are traced"
printf '1 4\n1\n' >"$dir/pairs"
on host-0 "$build/ibtracert" --ports-file "$dir/pairs" >"$dir/out" 2>&1
[ $? = 2 ] && grep -q 'at line 2 contains bad data' "$dir/out"
report $? "ibtracert: a bad line of the file"

# ---- nodes that use a link ----
if [ -n "$cached" ]; then
	for link in "0x00fe1d0000000000 3" "00fe1d0000000000 1" "0xFE1D0000000800 4" "0xfe1d0000001200 2" "0x1234 1" "nobody 1"; do
		rm -f "$cached"
		peer_script host-0 ibfindnodesusing $link >"$dir/theirs" 2>/dev/null
		want=$?
		on host-0 "$build/ibfindnodesusing" --live $link >"$dir/ours" 2>/dev/null
		status=$?
		equal $want "ibfindnodesusing $link"
	done
else
	skip "ibfindnodesusing beside the distribution's" "no Perl"
fi
on host-0 "$build/ibfindnodesusing" agg-0-0 3 --json >"$dir/doc" 2>/dev/null
valid ibfindnodesusing 0 "ibfindnodesusing: its document"

# ---- balance ----
for flags in "" -v -e "-v -e"; do balance "$flags" "a tree"; done
on host-0 "$build/check_lft_balance" --json >"$dir/doc" 2>/dev/null
valid check_lft_balance $? "check_lft_balance: its document"
"$build/check_lft_balance" -l "$dir/nothing" -i "$dir/our.cache" >"$dir/out" 2>&1
[ $? = 2 ] && grep -q "Couldn't open dump lfts file" "$dir/out"
report $? "check_lft_balance: a missing file"
echo "Unicast lids" >"$dir/bad"
"$build/check_lft_balance" -l "$dir/bad" -i "$cases/odd.topo" >"$dir/out" 2>&1
[ $? = 2 ] && grep -q "$dir/bad:1:" "$dir/out"
report $? "check_lft_balance: a file of another kind"

# ---- from a capture ----
on host-0 "$build/ibnetdiscover" --live --capture "$dir/capture" >"$dir/out" 2>&1
report $? "a capture"
offline() {     # offline TOOL ARGUMENT...: the output is the same from the capture
	tool=$1
	shift
	on host-0 "$build/$tool" --live "$@" >"$dir/theirs" 2>/dev/null
	want=$?
	"$build/$tool" --load "$dir/capture" "$@" >"$dir/ours" 2>"$dir/err"
	status=$?
	equal $want "$tool $*: offline"
}
offline dump_fts
offline dump_fts -M
offline ibidsverify
offline ibfindnodesusing agg-0-0 3
offline check_lft_balance -v

# ---- no manager, a cable is pulled: both stop at the same place ----
kill "$manager"
wait "$manager" 2>/dev/null
"$sim" ctl --name "$name" pull leaf-0-0:3 >"$dir/out" 2>&1
report $? "a cable is pulled"
for pair in "1 3" "1 5" "17 25" "25 1"; do
	peer_on host-0 ibtracert -t 100 $pair 2>/dev/null | sed '/iberror:/d' >"$dir/theirs"
	on host-0 "$build/ibtracert" -t 100 $pair >"$dir/ours" 2>"$dir/err"
	status=$?
	equal 3 "ibtracert $pair: as far as it goes"
	grep -q "can't reach port at" "$dir/err" && grep -q 'timeout: ' "$dir/err"
	report $? "ibtracert $pair: the message names the place"
done

# ---- two LIDs per port, a multicast group, tables that end at the end of a block ----
cat >"$dir/conf" <<'END'
lmc = 1
END
name=$name-lmc
fabric_start fattree:k=16,levels=2
manager_start host-1 -F "$dir/conf" --set m_key=0
for host in host-0 host-9 host-17 host-99; do
	echo 'j set mgid=ff12401bffff000000000000ffffffff port=own state=1' | on $host "$build/tests/system/mcast-client" >"$dir/out" 2>&1
	grep -q '^j 0x0000' "$dir/out"
	report $? "$host joins the broadcast group"
done
gid=$(on host-9 "$build/ibaddr" -g | sed 's/^GID //; s/ *$//')
same "paths to a group" saquery PR --dgid ff12:401b:ffff::ffff:ffff
same "the path of a member to its group" saquery PR --dgid ff12:401b:ffff::ffff:ffff --sgid "$gid"
leaf=$(on host-0 "$build/smpquery" -D PI 0,1 0 | sed -n 's/^Lid:\.*//p')
same "two LIDs for each port" ibroute "$leaf"
same "all of them" ibroute -a "$leaf"
same "a range that begins within a port's" ibroute "$leaf" 3 9
same "multicast LIDs, ports above 9" ibroute -M "$leaf"
same "multicast LIDs as masks" ibroute -M -n "$leaf"
on host-0 "$build/ibroute" -n "$leaf" 1 64 >"$dir/out" 2>&1
grep -q '^0x0040 ' "$dir/out"
report $? "the last LID of a range that ends at a multiple of 64"
for flags in -v "-v -e"; do balance "$flags" "two LIDs for each port"; done
lid_of() {      # lid_of HOST
	on "$1" "$build/smpquery" -D PI 0 1 | sed -n 's/^Lid:\.*//p'
}
h0=$(lid_of host-0) h9=$(lid_of host-9) h17=$(lid_of host-17) h50=$(lid_of host-50)
same "to the second LID" ibtracert "$h0" $((h9 + 1))
same "from the second LID" ibtracert $((h17 + 1)) "$h9"
for flags in "" -n; do
	same "along a tree $flags" ibtracert $flags -m 0xc000 "$h0" "$h9"
	same "along a tree from elsewhere $flags" ibtracert $flags -m 0xc000 "$h17" "$h9"
	same "from a switch of a tree $flags" ibtracert $flags -m 0xc000 "$leaf" "$h17"
	same "from a host that only sends $flags" ibtracert $flags -m 0xc000 "$(lid_of host-2)" "$h9"
done
on host-0 "$build/ibtracert" -m 0xc000 "$h0" "$h50" >"$dir/out" 2>&1
[ $? = 1 ] && grep -q "can't find a multicast route" "$dir/out"
report $? "ibtracert: a host that is not in the group"
sorted=y
same "two LIDs for each port" dump_fts -t 5000
same "multicast" dump_fts -M
same "multicast as masks" dump_fts -M -n
sorted=
for tool in dump_lfts dump_mfts; do
	sed "s|/usr/sbin/dump_fts|$peers/usr/sbin/dump_fts|" "$peers/usr/sbin/$tool" >"$dir/$tool"
	LD_LIBRARY_PATH=$libs on host-0 sh "$dir/$tool" -n >"$dir/theirs" 2>/dev/null
	on host-0 "$build/$tool" -n >"$dir/ours" 2>/dev/null
	status=$?
	tail -n 4 "$dir/theirs" >"$dir/tail.theirs"
	tail -n 4 "$dir/ours" | diff "$dir/tail.theirs" - >"$dir/out"
	report $? "$tool: ends with the notice"
	for f in theirs ours; do LC_ALL=C sort -o "$dir/$f" "$dir/$f"; done
	equal 0 "$tool: the same tables"
	on host-0 "$build/$tool" --json >"$dir/doc" 2>/dev/null
	valid "$tool" 0 "$tool: its document"
done
on host-0 "$build/dump_fts" -M --csv >"$dir/ours" 2>"$dir/out"
head -n 1 "$dir/ours" | grep -q '^node_guid,name,lid,port,ports,destination' && grep -q ',49152,,' "$dir/ours"
report $? "dump_fts --csv"

# ---- changes of ports: two equal fabrics without a manager, one for theirs, one for ours ----
first=$name
for side in theirs ours; do
	name=$first-$side
	fabric_start fattree:k=4,levels=2
	manager_start host-1 --set m_key=0
	kill "$manager"
	wait "$manager" 2>/dev/null
done
while read -r line; do
	name=$first-theirs
	# shellcheck disable=SC2086
	peer_on host-0 ibportstate $line 2>"$dir/theirs.err" >"$dir/raw"
	sed '/iberror:/d' "$dir/raw" >"$dir/theirs"
	name=$first-ours
	# shellcheck disable=SC2086
	on host-0 "$build/ibportstate" $line >"$dir/ours" 2>"$dir/ours.err"
	status=$?
	[ -s "$dir/theirs.err" ] && want=1 || want=0
	grep -q iberror: "$dir/raw" && want=3
	equal $want "ibportstate $line"
	sleep 0.2
done <<'END'
-D 0,1 2 reset
-D 0,1 2 disable
-D 0,1 2
-D 0,1 2 on
-D 0,1 2 on
-D 0,1 3 width 1
-D 0,1 3
-D 0,1 3 speed 1 espeed 30
-D 0,1 3
-D 0,1 3 width 255 speed 15 espeed 31
-D 0,1 3
-D 0,1 4 mtu 3 vls 2
-D 0,1 4
-D 0,1 3 down
-D 0,1 3 arm
-D 0,1 3 active
-D 0,1 1 fdr10 1
-D 0 1 lid 9 smlid 3 lmc 1
-D 0 1 mkeylease 60 mkeyprot 1
-K -D 0 1 mkey 0x5
-K -y 5 -D 0 1
-y 5 -D 0 1 mkey 0 mkeyprot 0 mkeylease 0
-D 0 1
-D 0,1 4 off
-D 0,1 4 enable
-D 0,1 4
END
name=$first-ours
on host-0 "$build/ibportstate" -D 0,1 3 width 1 --json >"$dir/doc" 2>/dev/null
valid ibportstate 0 "ibportstate: its document after a change"
on host-0 "$build/ibportstate" -D 0,1 3 --json >"$dir/doc" 2>/dev/null
valid ibportstate $? "ibportstate: its document with findings"
on host-0 "$build/ibportstate" -D 0,1 3 espeed 32 >"$dir/out" 2>&1
report $? "ibportstate espeed 32 sets XDR"

lib_end
