#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The distribution's opensm routes simulated fabrics; heddle-route reads what opensm, saquery and
# dump_fts (theirs and ours) write, and verifies and scores it.  HEDDLE_PEERS names a directory into
# which opensm and infiniband-diags are unpacked.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin opensm saquery dump_fts
route=$build/heddle-route

dumped() {      # every switch is in opensm-lfts.dump
	[ "$(grep -c 'lids dumped' "$dir/dump/opensm-lfts.dump")" = "$("$sim" ctl --name "$name" summary | sed -n 's/^fabric switches: //p')" ]
}

routed() {      # routed SPEC ENGINE [OPTION...]: opensm routes the fabric; its files are in $dir/dump
	spec=$1 engine=$2
	shift 2
	rm -rf "$dir/dump"
	mkdir "$dir/dump"
	fabric_start "$spec"
	opensm_start host-0 -D 0x43 -R "$engine" -f "$dir/opensm.log" --dump_files_dir "$dir/dump/" "$@"
	within 60 fabric_right && within 60 dumped
	report $? "opensm routes $spec by $engine"
	peer_on host-0 dump_fts >"$dir/theirs" 2>/dev/null
	on host-0 "$build/dump_fts" --live >"$dir/ours" 2>/dev/null
	on host-0 "$build/ibnetdiscover" --live >"$dir/topo" 2>/dev/null
	peer_on host-0 saquery PR >"$dir/paths" 2>/dev/null
	fabric_stop
}

verified() {    # verified STATUS NAME TOPOLOGY FILE [OPTION...]
	want=$1 what=$2
	shift 2
	fails "$want" "$what" '^verified' "$route" verify "$@"
}

routed fattree:k=4,levels=3 updn
verified 0 "opensm-lfts.dump" fattree:k=4,levels=3 "$dir/dump/opensm-lfts.dump"
verified 0 "dump_fts of infiniband-diags" fattree:k=4,levels=3 "$dir/theirs"
verified 0 "dump_fts of ours" fattree:k=4,levels=3 "$dir/ours"
verified 0 "opensm.fdbs, with the LIDs of a saved topology" "$dir/topo" "$dir/dump/opensm.fdbs"
fails 2 "opensm.fdbs, with no LIDs" 'says to which ports the LIDs belong' "$route" verify fattree:k=4,levels=3 "$dir/dump/opensm.fdbs"
for f in dump/opensm-lfts.dump theirs ours; do
	"$route" score fattree:k=4,levels=3 --lfts "$dir/$f" >"$dir/out" 2>&1 && grep -v '^tables of' "$dir/out" >"$dir/score-${f##*/}"
	report $? "score of ${f##*/}"
done
same "$dir/score-opensm-lfts.dump" "$dir/score-theirs" "equal scores of opensm-lfts.dump and dump_fts"
same "$dir/score-theirs" "$dir/score-ours" "equal scores of their dump_fts and ours"
"$route" diff fattree:k=4,levels=3 --lfts "$dir/ours" --fail link:leaf-0-0:3 >"$dir/out" 2>&1
report $? "what a failure changes, from tables of opensm"

routed torus:5x5,hosts=2 minhop
verified 1 "credit loops of opensm's minhop on a torus" torus:5x5,hosts=2 "$dir/dump/opensm-lfts.dump"
grep -q 'credit loops' "$dir/out"
report $? "one of them is shown"

routed torus:5x5,hosts=2 dfsssp -Q
"$route" verify torus:5x5,hosts=2 "$dir/dump/opensm-lfts.dump" --sl2vl "$dir/dump/opensm-sl2vl.dump" \
	--path-sl "$dir/paths" >"$dir/out" 2>&1
grep -q 'channel dependencies on [2-8] VLs' "$dir/out"
report $? "dfsssp: its SLs and VLs are read"
"$route" explain torus:5x5,hosts=2 host-0 host-49 --lfts "$dir/dump/opensm-lfts.dump" --path-sl "$dir/paths" >"$dir/explained" 2>&1
grep -q 'host-49 port 1: the destination' "$dir/explained"
report $? "dfsssp: a path is explained" "$dir/explained"
lib_end
