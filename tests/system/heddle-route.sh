#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# heddle-route: every command, its documents, its exit statuses, and what it says of bad input.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
route=$build/heddle-route
schema=${top_srcdir:-$here/../..}/docs/schema/heddle-route.json
tree=fattree:k=4,levels=3

# doc STATUS NAME ARGUMENT...: the document of the command fits the schema; it stays in $dir/doc
doc() {
	want=$1 what=$2
	shift 2
	timeout 60 "$route" "$@" --json >"$dir/doc" 2>"$dir/out"
	got=$?
	[ "$got" = "$want" ] && "$build/tests/system/json-check" "$schema" "$dir/doc" "$want" >>"$dir/out" 2>&1
	report $? "$what"
}

# holds NAME EXPRESSION: the expression is true of the document d, if there is a Python
holds() {
	if ! command -v python3 >/dev/null; then
		skip "$1" "no Python"
		return
	fi
	python3 -c "import json, sys; d = json.load(open(sys.argv[1])); sys.exit(not ($2))" "$dir/doc" >"$dir/out" 2>&1
	report $? "$1"
}

# text STATUS NAME PATTERN ARGUMENT...: the command ends with STATUS and prints the pattern
text() {
	want=$1 what=$2 pattern=$3
	shift 3
	fails "$want" "$what" "$pattern" "$route" "$@"
}

# ---- plan and verify ----
text 0 "plan" 'verified (all): passed' plan $tree --engine updn
doc 0 "plan: document" plan $tree --engine updn
holds "plan: every LID has an owner and every switch a table" \
	'len(d["lids"]) == 36 and len(d["switches"]) == 20 and all(len(s["lft"]) == 2 * 37 for s in d["switches"])'
for lmc in 0 2; do
	"$route" plan $tree --engine updn --lmc $lmc --out lfts >"$dir/lfts" 2>"$dir/out"
	text 0 "verify reads what plan writes, LMC $lmc" 'verified (hosts): passed' verify $tree "$dir/lfts"
done
for engine in torus-2qos dfsssp lash; do
	for form in lfts sl2vl path-sl; do
		"$route" plan torus:7x5,hosts=2 --engine $engine --out $form >"$dir/$form" 2>"$dir/out"
	done
	text 0 "verify reads the SLs and VLs that plan writes, $engine" 'channel dependencies on [2-8] VLs' \
		verify torus:7x5,hosts=2 "$dir/lfts" --sl2vl "$dir/sl2vl" --path-sl "$dir/path-sl"
done
sed 's/ [1-7]$/ 0/' "$dir/path-sl" >"$dir/one-sl"
text 1 "verify: all paths on one SL" 'credit loop' verify torus:7x5,hosts=2 "$dir/lfts" --sl2vl "$dir/sl2vl" --path-sl "$dir/one-sl"
"$route" plan $tree --engine updn --out lfts --threads 1 >"$dir/lfts"
"$route" plan $tree --engine updn --out lfts --threads 8 >"$dir/lfts8"
same "$dir/lfts" "$dir/lfts8" "the same tables with 1 and with 8 threads"
doc 0 "verify: document" verify $tree "$dir/lfts"
text 1 "verify: tables that lead into a failed switch" 'paths from switches with hosts end nowhere' \
	verify $tree "$dir/lfts" --fail switch:core-0-0
text 1 "plan: rejected tables" 'credit loop' plan torus:5x5,hosts=1 --engine minhop
doc 1 "plan: document of rejected tables" plan torus:5x5,hosts=1 --engine minhop
holds "plan: it names the cycle" 'd["verify"]["credit_loops"] >= 1 and len(d["verify"]["cycle"]) > 1 and d["findings"]'
text 0 "plan: the next engine after a rejected one" '^updn:' plan torus:5x5,hosts=1 --engine minhop,updn
printf '0x00fe1d0000001000\n' >"$dir/roots"
# Engine file makes tables that another engine wrote.
"$route" plan $tree --engine updn --out lfts >"$dir/was" 2>"$dir/out"
"$route" plan $tree --engine file --tables "$dir/was" --out lfts >"$dir/is" 2>"$dir/out"
same "$dir/was" "$dir/is" "engine file has the tables of its file"
text 1 "engine file without a file" 'INPUT: lfts_file names no file' plan $tree --engine file
sed '/^0x0003/d' "$dir/was" >"$dir/holes"
text 1 "engine file lacks a LID" 'file refuses: INPUT: ' plan $tree --engine file --tables "$dir/holes"

# Each preference changes the tables, and they pass.  The first leaf has hosts at ports 1 and 2.
leaf=$(sed -n 's/.*guid \(0x[0-9a-f]*\) (leaf-0-0):.*/\1/p' "$dir/was")
host=$(sed -n "s/.*portguid \(0x[0-9a-f]*\): 'host-9').*/\1/p" "$dir/was" | head -n 1)
printf '%s\n' "$host" >"$dir/order"
printf '%s 4 3\n' "$leaf" >"$dir/ports"
printf '%s 3 9\n' "$leaf" >"$dir/weights"
for option in "minhop --order $dir/order" "updn --order $dir/order" "updn --port-order $dir/ports" "minhop --hop-weights $dir/weights" \
	"updn --port-shifting" "minhop --scatter-ports 3" "sssp --hop-weights $dir/weights" "ftree --io $dir/order"; do
	engine=${option%% *}
	"$route" plan $tree --engine $engine --out lfts >"$dir/was" 2>"$dir/out"
	# shellcheck disable=SC2086
	"$route" plan $tree --engine $option --out lfts >"$dir/is" 2>"$dir/out"
	# shellcheck disable=SC2086
	text 0 "plan --engine $engine ${option#* }, verified" 'verified (.*): passed' plan $tree --engine $option
	! cmp -s "$dir/was" "$dir/is"
	report $? "plan --engine $engine ${option#* }, other tables"
done
"$route" plan random:switches=12,cables=24,hosts=1,seed=4 --engine updn --out lfts >"$dir/was" 2>"$dir/out"
sed -n 's/.*of switch Lid \([0-9]*\) guid \(0x[0-9a-f]*\) .*/\2 \1/p' "$dir/was" | awk '{ print $1, 999 - $2 }' >"$dir/ids"
"$route" plan random:switches=12,cables=24,hosts=1,seed=4 --engine updn --ids "$dir/ids" --out lfts >"$dir/is" 2>"$dir/out"
! cmp -s "$dir/was" "$dir/is"
report $? "plan with ids, other tables"
printf 'group pod minhop\n%s\n%s\n%s\n%s\n' $leaf 0x00fe1d0000000100 0x00fe1d0000000800 0x00fe1d0000000900 >"$dir/groups"
doc 0 "plan with a group of switches" plan $tree --engine updn --routing-groups "$dir/groups"
holds "the group is in force" 'd["routing"]["choice"]["remarks"] == ["group pod: engine minhop"] == d["notes"] and d["verify"]["ok"]'
text 0 "diff with a group of switches: nothing moves without need" 'needless 0' \
	diff $tree --fail link:leaf-0-0:3 --engine updn --routing-groups "$dir/groups"
{ echo group ring minhop; for i in 0 1 2 3 4; do echo 0x00fe1d0000000${i}00; done; } >"$dir/groups"
text 0 "a group with a credit loop is left out" '^group ring is not in force: engine updn: .* 2 credit loops' \
	plan torus:5,hosts=1 --engine updn --routing-groups "$dir/groups"
doc 0 "plan with an option that the engine makes no use of" plan $tree --engine ftree --port-shifting
holds "the option is named" 'd["routing"]["choice"]["remarks"] == ["engine ftree makes no use of port_shifting"] == d["notes"]'

text 0 "plan with roots" '1 roots (given)' plan $tree --engine updn --roots "$dir/roots"

# ---- score ----
doc 0 "score: document" score $tree --engine updn
holds "score: what it measures is at the top" \
	'd["shift_max"] == 1 and d["a2a_max"] == 14 and d["rp_max"] >= 1 and 0 < d["ebb"] <= 1 and d["vls"] == 1 and d["hops"]'
cp "$dir/doc" "$dir/doc1"
doc 0 "score of tables in a file" score $tree --lfts "$dir/lfts"
holds "score: the same as of the engine" 'all(d[k] == json.load(open("'"$dir"'/doc1"))[k] for k in ("shift_max", "a2a_max", "rp_max", "ebb", "hops"))'
text 0 "score: text" '^shift permutations' score $tree --engine updn --shifts 4 --permutations 3 --matchings 2

# ---- diff, whatif ----
text 0 "diff" 'host pairs move' diff $tree --engine updn --fail link:leaf-0-0:3
doc 0 "diff: document" diff $tree --engine updn --fail link:leaf-0-0:3,agg-0-0:1
holds "diff: broken and needless are all that moved" \
	'd["moves"]["moved"] == d["moves"]["broken"] + d["moves"]["needless"] and d["moves"]["broken"] > 0'
doc 0 "diff from tables in a file" diff $tree --engine updn --lfts "$dir/lfts" --fail host:host-3
holds "diff: the host is gone" 'd["moves"]["pairs_gone"] == 30'
text 0 "whatif" '52 failures' whatif $tree --engine updn
doc 0 "whatif: document" whatif $tree --engine updn --each links
holds "whatif: a row for each link, no pair lost" \
	'len(d["failures"]) == 32 == d["worst"]["failures"] and d["worst"]["unreachable"] == 0 and all(f["routed"] for f in d["failures"])'
doc 0 "whatif: random ones" whatif $tree --engine updn --random 5 --seed 7
cp "$dir/doc" "$dir/doc1"
doc 0 "whatif: the same random ones again" whatif $tree --engine updn --random 5 --seed 7 --threads 3
holds "whatif: equal seeds, equal failures" 'd["failures"] == json.load(open("'"$dir"'/doc1"))["failures"] and len(d["failures"]) == 5'
doc 0 "whatif: switches" whatif $tree --engine updn --each switches
holds "whatif: a leaf cuts off its hosts" 'd["worst"]["unreachable"] == 58 and len(d["failures"]) == 20'
for engine in ftree updn; do
	doc 0 "whatif: any link and any switch of a larger tree, $engine" whatif fattree:k=6,levels=3 --engine $engine
	holds "whatif: no pair moves needlessly, and no block without need, $engine" \
		'len(d["failures"]) == 153 and all(not f["needless"] and not f["left"] and f["blocks"] == f["blocks_needed"] for f in d["failures"])'
done
doc 0 "whatif: hosts" whatif $tree --engine ftree --each hosts
holds "whatif: no host moves another, and all is as before when it returns" \
	'len(d["failures"]) == 16 and all(f["fails"] == "host" and not f["blocks"] and not f["left"] for f in d["failures"])'

# ---- explain ----
text 0 "explain" 'core-.* port .*: down, the only nearest port' explain $tree host-0 host-15 --engine updn
doc 0 "explain: document" explain $tree host-0 0x00fe1d0000002301 --engine updn
holds "explain: the hops follow each other" \
	'd["path"]["reached"] and len(d["path"]["hops"]) == 6 and all(a["in"]["node_guid"] == b["out"]["node_guid"] for a, b in zip(d["path"]["hops"], d["path"]["hops"][1:]))'
text 0 "explain: by LIDs, from a file" 'LID 16' explain $tree 1 16 --lfts "$dir/lfts"

# ---- pictures ----
text 0 "plan --svg" '<title>.* paths out, ' plan $tree --engine updn --svg
[ "$(grep -c '<rect' "$dir/out")" -gt 36 ] && [ "$(tail -n 1 "$dir/out")" = '</svg>' ]
report $? "--svg: every switch and host"
text 0 "score --dot" '^graph fabric {' score $tree --lfts "$dir/lfts" --dot --shifts 0 --permutations 0 --matchings 0
[ "$(grep -c ' -- ' "$dir/out")" = 48 ]
report $? "--dot: every link"

# ---- bad input ----
bad() {         # bad NAME PATTERN ARGUMENT...: exit status 2 and one sentence, in a document too
	what=$1 pattern=$2
	shift 2
	text 2 "bad input: $what" "^heddle-route: .*$pattern" "$@"
	[ "$(wc -l <"$dir/out")" = 1 ] && timeout 20 "$route" --json "$@" 2>/dev/null >"$dir/doc"
	"$build/tests/system/json-check" "$schema" "$dir/doc" 2 >"$dir/out" 2>&1
	report $? "bad input: $what, as a document"
}
bad "no command" 'expected a command'
bad "another command" 'did you mean plan' plam $tree
bad "an operand too few" 'expected: heddle-route verify TOPOLOGY LFTS' verify $tree
bad "an option of another command" 'verify takes no --engine' verify $tree "$dir/lfts" --engine updn
fails 2 "bad input: the SLs of paths, of another command" 'only plan prints path-sl' "$route" verify $tree "$dir/lfts" --out path-sl
bad "no such topology" 'nowhere.topo: cannot open' plan nowhere.topo
bad "a bad SPEC" 'fattree: ' plan fattree:k=5
bad "an unknown engine" 'no routing engine "fast"' plan $tree --engine fast
printf '0x00fe1d0000001000\n0x1234\n' >"$dir/roots"
bad "a root that is not there" 'roots: the root 0x0000000000001234 is not a switch' plan $tree --roots "$dir/roots"
printf 'core-0-0\n' >"$dir/roots"
bad "a root that is no GUID" 'roots:1: ' plan $tree --roots "$dir/roots"
bad "no roots file" 'absent: .*No such file' plan $tree --roots "$dir/absent"
printf '# hosts\n0x1234\n' >"$dir/order"
bad "a host that is not there" 'order:2: the fabric has no port 0x0000000000001234' plan $tree --engine minhop --order "$dir/order"
bad "an I/O host that is not there" 'order: .* has no host 0x0000000000001234' plan $tree --io "$dir/order"
bad "a compute host that is not there" 'order: .* has no host 0x0000000000001234' plan $tree --cn "$dir/order"
printf '0x00fe1d0000001000 5 2\n' >"$dir/weights"
bad "a port that is not there" 'weights:1: switch 0x00fe1d0000001000 has ports 1 to 4, not 5' plan $tree --hop-weights "$dir/weights"
printf '0x00fe1d0000001000 1 0\n' >"$dir/weights"
bad "a weight of 0" 'weights:1: .*expected a GUID, a port from 1 to 254 and a weight from 1 to 255' plan $tree --hop-weights "$dir/weights"
bad "an id that is no number" 'weights:1: .*expected a GUID and an id' plan $tree --ids "$dir/weights"
bad "ports without a file" 'absent: .*No such file' plan $tree --port-order "$dir/absent"
printf 'group pod opensm\n%s\n' $leaf >"$dir/groups"
bad "a group with an unknown engine" 'groups:1: error: expected the name of one routing engine, got .opensm' plan $tree --routing-groups "$dir/groups"
printf 'group pod updn\n0x1234\n' >"$dir/groups"
bad "a switch of a group that is not there" 'groups:2: the fabric has no switch 0x0000000000001234' plan $tree --routing-groups "$dir/groups"
bad "a bad seed" 'scatter-ports: expected a number from 0 to' plan $tree --scatter-ports x
bad "an option of engines with tables of a file" 'verify takes no --hop-weights' verify $tree "$dir/lfts" --hop-weights "$dir/weights"
bad "an unknown node" "'leaf-0-9'; did you mean" plan $tree --fail switch:leaf-0-9
bad "a port without a link" 'core-0-0 has ports 1 to 4' plan $tree --fail link:core-0-0:5
bad "two ports that no link joins" 'no link joins' plan $tree --fail link:leaf-0-0:3,leaf-0-1:3
bad "a failure that leaves two pieces" 'leave 2 pieces: no link joins agg-0-0' \
	plan fattree:k=4,levels=3,pods=2 --fail link:agg-0-0:3 --fail link:agg-0-0:4 --fail link:agg-0-0:1 --fail link:agg-0-0:2
cat >"$dir/two.topo" <<END
vendid=0x2c9
devid=0x1
sysimgguid=0x100
switchguid=0x100(100)
Switch	4 "S-0000000000000100"		# "left" base port 0 lid 0 lmc 0
[1]	"H-0000000000000300"[1](301) 		# "a" lid 0 4xHDR

vendid=0x2c9
devid=0x1
sysimgguid=0x200
switchguid=0x200(200)
Switch	4 "S-0000000000000200"		# "right" base port 0 lid 0 lmc 0
[1]	"H-0000000000000400"[1](401) 		# "b" lid 0 4xHDR

vendid=0x2c9
devid=0x1
sysimgguid=0x300
caguid=0x300
Ca	1 "H-0000000000000300"		# "a"
[1](301) 	"S-0000000000000100"[1]		# lid 0 lmc 0 "left" lid 0 4xHDR

vendid=0x2c9
devid=0x1
sysimgguid=0x400
caguid=0x400
Ca	1 "H-0000000000000400"		# "b"
[1](401) 	"S-0000000000000200"[1]		# lid 0 lmc 0 "right" lid 0 4xHDR
END
bad "a fabric in two pieces" 'is in 2 pieces: no link joins right' plan "$dir/two.topo"
bad "an intended topology of another fabric" 'contradicts' plan $tree --intended torus:5x5,hosts=1
bad "a dump of another fabric" 'lfts:[0-9]*: .* is not in' verify torus:3x3,hosts=1 "$dir/lfts"
sed '/^Unicast.*(core-1-1)/,$d' "$dir/lfts" >"$dir/part"
bad "a dump without a switch" 'has no table of core-1-1' verify $tree "$dir/part"
sed 's/ guid 0x[0-9a-f]*//' "$dir/lfts" >"$dir/part"
bad "a dump without GUIDs" 'part:1: a table without the GUID' verify $tree "$dir/part"
sed 's/^0x0003 [0-9]*/0x0003 300/' "$dir/lfts" >"$dir/part"
bad "a port above 255" 'part:[0-9]*: expected a LID' verify $tree "$dir/part"
bad "no tables" 'null has no forwarding tables' verify $tree /dev/null
bad "an unknown host" 'did you mean' explain $tree host-0 host-16
bad "an unknown LID" 'no port has the LID 999' explain $tree host-0 999
bad "an LMC above 7" 'from 0 to 7' plan $tree --lmc 8
bad "too many LIDs" 'needs [0-9]* LIDs with LMC 7' plan fattree:k=16,levels=3 --lmc 7
bad "SLs without tables" 'belong to tables' score $tree --path-sl /dev/null
bad "no path SLs" 'null has no paths' verify $tree "$dir/lfts" --path-sl /dev/null
text 2 "bad input: a picture of a path" 'explain draws no picture' explain $tree host-0 host-1 --out svg
bad "no failure" 'expected --fail' diff $tree
lib_end
