#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# ibtopo: every kind of difference between links and a plan is reported as what it is; pictures
# show every switch.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
schema=${top_srcdir:-$here/../..}/docs/schema/ibtopo.json

topo() {        # topo STATUS ARGUMENT...: text in $dir/out; checks the document, too
	want=$1
	shift
	on host-0 "$build/ibtopo" "$@" >"$dir/out" 2>&1
	status=$?
	on host-0 "$build/ibtopo" "$@" --json >"$dir/doc" 2>/dev/null
	jstatus=$?
	echo "exit status $status, with --json $jstatus, wanted $want" >>"$dir/out"
	[ "$status" = "$want" ] && "$build/tests/system/json-check" "$schema" "$dir/doc" "$want" >>"$dir/out" 2>&1
}

# settled PORTS: waits until so many ports have a link
settled() {
	within 20 sh -c '"$1" ctl --name "$2" summary | grep -qx "ports linked: $3"' settled "$sim" "$name" "$1" || lib_bail "not $1 ports have a link"
}

told() {        # told NAME LINE...: exactly these differences are reported, in any order
	what=$1
	shift
	printf '%s\n' "$@" | sort >"$dir/want"
	sed -n 's/^\([A-Z]\{4,\}\)  */\1 /p' "$dir/out" | grep -v '^NOT ' | sort | diff "$dir/want" - >>"$dir/out"
	report $? "$what"
}

fabric_start fattree:k=4,levels=3
manager_start host-1
on host-0 "$build/ibnetdiscover" --live >"$dir/plan" 2>/dev/null
topo 0 verify --golden "$dir/plan" --live
report $? "a fabric without differences from the plan"
grep -q '^AS PLANNED$' "$dir/out"
report $? "the text reports no differences"

ctl pull leaf-0-0:3
topo 1 verify --golden "$dir/plan" --live
told "a cable that is missing" "MISSING link leaf-0-0 port 3 - agg-0-0 port 1, 4x HDR (200 Gb/s)"
echo 'cable_missing leaf-0-*:3' >"$dir/ignore"
topo 0 verify --golden "$dir/plan" --live --ignore "$dir/ignore"
report $? "--ignore of the missing cable"
ctl pull leaf-0-1:3
ctl plug leaf-0-0:3 agg-0-0:2
ctl plug leaf-0-1:3 agg-0-0:1
settled 96
topo 1 verify --golden "$dir/plan" --live
told "two cables that are swapped" \
	"SWAPPED cables leaf-0-0 port 3 - agg-0-0 port 1 and leaf-0-1 port 3 - agg-0-0 port 2: their ends at agg-0-0 port 1 and agg-0-0 port 2 are exchanged"
topo 0 verify --golden "$dir/plan" --live --check widths,speeds,names
report $? "--check of other differences"
topo 0 verify --golden "$dir/plan" --live --select 'nodepat:leaf-1-*'
grep -q '^AS PLANNED, and 1 that is not selected$' "$dir/out"
report $? "--select of other nodes"
topo 1 verify --golden "$dir/plan" --live --select 'node:leaf-0-1 port:3'
told "and selected by one of its ends" \
	"SWAPPED cables leaf-0-0 port 3 - agg-0-0 port 1 and leaf-0-1 port 3 - agg-0-0 port 2: their ends at agg-0-0 port 1 and agg-0-0 port 2 are exchanged"
topo 2 verify --golden "$dir/plan" --live --select 'route:host-0->host-1'
report $? "a selection by route is refused: a plan has no routes"
ctl pull leaf-0-1:3
ctl pull leaf-0-0:3
ctl plug leaf-0-0:3 agg-0-0:1
ctl pull core-0-0:1
ctl plug leaf-0-1:3 core-0-0:1
settled 94
topo 1 verify --golden "$dir/plan" --live
told "a cable in the wrong place" \
	"MISCABLED cable leaf-0-1 port 3 - agg-0-0 port 2: goes to core-0-0 port 1 now instead of agg-0-0 port 2" \
	"MISCABLED cable core-0-0 port 1 - agg-0-0 port 3: goes to leaf-0-1 port 3 now instead of agg-0-0 port 3"
ctl pull leaf-0-1:3
ctl plug leaf-0-1:3 agg-0-0:2
ctl plug core-0-0:1 agg-0-0:3
settled 96
ctl pull leaf-1-1:2
topo 1 verify --golden "$dir/plan" --live
told "a host that is off" "MISSING ca host-7 (0x00fe1d0000001b00), with 1 link"
topo 1 verify --golden "$dir/plan" --live --select node:host-7
told "and selected, though it is only in the plan" "MISSING ca host-7 (0x00fe1d0000001b00), with 1 link"
topo 0 diff "$dir/plan" --live --select node:host-6
report $? "--select of another host: no difference"
ctl add-host host-new --to leaf-1-1:2
settled 96
topo 1 diff "$dir/plan" --live
grep -q '^NEW  *ca host-new ' "$dir/out" && grep -q '^GONE  *ca host-7 ' "$dir/out"
report $? "a new host"

# files alone
"$sim" topology fattree:k=4,levels=2 >"$dir/a"
sed 's/fe1d000000\(0[23]\)0/fe1d0000ff\10/g' "$dir/a" >"$dir/b"
sed '/"leaf-0-1"/,/^$/s/\(host-2.*\)4xHDR/\14xEDR/; /^Ca.*"host-2"/,/^$/s/4xHDR/4xEDR/' "$dir/a" >"$dir/c"
sed '/"leaf-0-1"/,/^$/s/\(host-2.*\)4xHDR/\11xHDR/; /^Ca.*"host-2"/,/^$/s/4xHDR/1xHDR/; s/"host-3"/"host-x"/' "$dir/a" >"$dir/d"
topo 0 diff "$dir/a" "$dir/a"
report $? "two equal files"
topo 1 diff "$dir/a" "$dir/c"
told "another speed" "SPEED link leaf-0-1 port 1 - host-2 port 1: 4x EDR (100 Gb/s) instead of 4x HDR (200 Gb/s)"
topo 1 verify --golden "$dir/a" --load "$dir/d"
told "another width, another name" \
	"NAME ca host-3 (0x00fe1d0000000900) is called host-x (0x00fe1d0000000900) now" \
	"WIDTH link leaf-0-1 port 1 - host-2 port 1: 1x HDR (50 Gb/s) instead of 4x HDR (200 Gb/s)"
topo 1 diff "$dir/a" "$dir/b"
[ "$(grep -c '^REPLACED ' "$dir/out")" = 2 ] && ! grep -q '^[A-Z]*  *\(cable\|link\)' "$dir/out"
report $? "replaced devices keep their links"
topo 0 diff "$dir/a" "$dir/b" --by-name
report $? "replaced devices are equal by name"
topo 2 verify --golden "$dir/missing"
report $? "a missing plan"
topo 2 verify
report $? "no plan"
topo 2 draw --color load --load "$dir/a"
report $? "load from a file"

# pictures
for format in svg dot; do
	for color in state speed; do
		topo 0 draw --format $format --color $color --load "$dir/a"
		for s in leaf-0-0 leaf-0-1 leaf-0-2 leaf-0-3 core-0-0 core-0-1 host-7; do
			grep -q "$s" "$dir/out" || status=$s
		done
		[ "$status" = 0 ]
		report $? "a picture: $format, $color"
	done
done
drawn() {       # drawn WHAT SWITCHES LINKS ARGUMENT...: the picture has so many of each
	what=$1 switches=$2 links=$3
	shift 3
	topo 0 draw "$@" && [ "$(grep -o '"level"' "$dir/doc" | wc -l)" = "$switches" ] && [ "$(grep -o '"look"' "$dir/doc" | wc -l)" = "$links" ]
	report $? "$what"
}
drawn "a picture of all" 6 16 --load "$dir/a"
drawn "of a switch, and what it is linked to" 3 4 --load "$dir/a" --select node:leaf-0-1
drawn "of one host's link" 1 1 --load "$dir/a" --select node:host-2
drawn "of the way of a packet" 5 6 --live --select 'route:host-0->host-8'
drawn "of a part beside the plan" 3 4 --load "$dir/a" --golden "$dir/d" --select node:leaf-0-1
topo 1 draw --load "$dir/a" --select node:nobody
report $? "nothing is selected"
topo 2 draw --load "$dir/a" --select nobody
report $? "no selection"
on host-0 "$build/ibtopo" draw --live --color load --interval 0.2 --golden "$dir/plan" --output "$dir/picture.svg" >"$dir/out" 2>&1
[ $? = 0 ] && grep -q 'idle: ' "$dir/picture.svg" && grep -q 'not planned\|missing' "$dir/picture.svg"
report $? "a picture of the load, with the plan"
lib_end
