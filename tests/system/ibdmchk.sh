#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# ibdmchk of the distribution (package ibutils) and heddle-route check the same tables for credit
# loops: those of our engines, and those of the distribution's opensm.  HEDDLE_PEERS names a directory into
# which both are unpacked (tests/peers).
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin opensm
[ -x "$peers/usr/bin/ibdmchk" ] || skip_all "HEDDLE_PEERS names no directory with ibdmchk (package ibutils)"
command -v python3 >/dev/null 2>&1 || skip_all "no python3"
route=$build/heddle-route
ibdm=$(find "$peers/usr/lib" -name libibdmcom.so.1 | head -n 1)
ibdm=${ibdm%/*}:$libs
LD_LIBRARY_PATH=$ibdm "$peers/usr/bin/ibdmchk" --help >"$dir/out" 2>&1
grep -q 'subnet file' "$dir/out" || skip_all "ibdmchk does not run: $(tail -n 1 "$dir/out")"

agree() {       # agree loops|none NAME FILE...: ibdmchk finds that in the files of $dir/ibdm
	want=$1 what=$2
	shift 2
	# It crashes at its end, after the verdict; the shell's report of that is dropped.
	(cd "$dir/ibdm" && LD_LIBRARY_PATH=$ibdm timeout 120 "$peers/usr/bin/ibdmchk" "$@" 2>&1 </dev/null | cat) >"$dir/out" 2>/dev/null
	case $want in
	loops) grep -q '^-E- credit loops in routing' "$dir/out" ;;
	none) grep -q '^-I- no credit loops found' "$dir/out" ;;
	esac && ! grep -q 'lead to a dead end\|^-E- .*path' "$dir/out"
	report $? "$what"
}

planned() {     # planned SPEC ENGINE: its tables, SLs and VLs as files of ibdmchk
	rm -rf "$dir/ibdm"
	mkdir "$dir/ibdm"
	"$sim" topology "$1" >"$dir/topo" && "$route" plan "$1" --engine "$2" --json >"$dir/plan" &&
		"$route" plan "$1" --engine "$2" --out sl2vl >"$dir/sl2vl" &&
		"$route" plan "$1" --engine "$2" --out path-sl >"$dir/paths" &&
		"$here/ibdm-files" "$dir/topo" "$dir/plan" "$dir/sl2vl" "$dir/paths" "$dir/ibdm" 2>"$dir/out"
}

ours() {        # ours SPEC ENGINE [-a]: accepted by our verifier, and without credit loops for ibdmchk; -a: also between switches
	if planned "$1" "$2"; then
		# shellcheck disable=SC2086
		agree none "$2 on $1: no credit loop" ${3:-} -s subnet.lst -f fdbs -m mcfdbs -c psl -d slvl
	else
		report 1 "$2 on $1 is planned" "$dir/plan"
	fi
}

for engine in ftree updn dnup; do
	ours fattree:k=4,levels=3 $engine -a
done
# These promise nothing about paths from switches without hosts.
for engine in minhop sssp; do
	ours fattree:k=4,levels=3 $engine
done
ours dragonfly+:leaves=3,spines=3,groups=4,hosts=1 dragonfly
for engine in nue dfsssp lash torus-2qos; do
	ours torus:5x5,hosts=1 $engine -a
	ours torus:7x5,hosts=1 $engine -a
done
ours hypercube:d=4,hosts=1 dor -a
ours hyperx:4x4x2,hosts=1 hyperx -a
ours dragonfly:a=4,h=2,p=1 dragonfly -a
ours random:switches=24,cables=60,hosts=1,seed=1 dfsssp -a
# It would find them: the same tables with all paths on one SL.
planned torus:7x5,hosts=1 torus-2qos && sed -i 's/ [0-9]*$/ 0/' "$dir/ibdm/psl"
agree loops "torus-2qos with all paths on one SL: credit loops" -s subnet.lst -f fdbs -m mcfdbs -c psl -d slvl

dumped() {
	[ "$(grep -c 'lids dumped' "$dir/ibdm/opensm-lfts.dump")" = "$("$sim" ctl --name "$name" summary | sed -n 's/^fabric switches: //p')" ] &&
		[ -s "$dir/ibdm/opensm-subnet.lst" ]
}

theirs() {      # theirs loops|none SPEC ENGINE [-a]: of opensm; both programs say the same
	rm -rf "$dir/ibdm"
	mkdir "$dir/ibdm"
	fabric_start "$2"
	opensm_start host-0 -D 0x43 -R "$3" -f "$dir/opensm.log" --dump_files_dir "$dir/ibdm/"
	within 60 fabric_right && within 60 dumped
	report $? "opensm routes $2 by $3"
	fabric_stop
	# shellcheck disable=SC2086
	agree "$1" "opensm's $3 on $2: ibdmchk" ${4:-} -s opensm-subnet.lst -f opensm.fdbs -m opensm.mcfdbs
	case $1 in
	loops) fails 1 "opensm's $3 on $2: heddle-route" 'credit loops' "$route" verify "$2" "$dir/ibdm/opensm-lfts.dump" ;;
	none) fails 0 "opensm's $3 on $2: heddle-route" 'passed' "$route" verify "$2" "$dir/ibdm/opensm-lfts.dump" ;;
	esac
}

theirs loops torus:5x5,hosts=1 minhop
theirs loops torus:6,hosts=2 minhop
theirs none fattree:k=4,levels=3 ftree
theirs none fattree:k=4,levels=3 updn
# Its nue has credit loops here as soon as paths to switches count, and none between hosts.
theirs loops torus:5x5,hosts=1 nue -a
agree none "opensm's nue on torus:5x5,hosts=1: ibdmchk, between hosts" -s opensm-subnet.lst -f opensm.fdbs -m opensm.mcfdbs
lib_end
