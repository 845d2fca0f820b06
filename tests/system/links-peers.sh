#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# iblinkinfo and the distribution's on a fabric that changes: --diff, --filterdownports, links below
# what both ends support.  ibcacheedit on the caches of both.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin iblinkinfo ibnetdiscover ibportstate ibcacheedit

beside() {      # beside STATUS ARGUMENT...: both print the same; %cache is the cache file of each
	want=$1
	shift
	peer_on host-0 iblinkinfo $(echo "$*" | sed "s|%cache|$dir/theirs.cache|") >"$dir/a" 2>/dev/null
	on host-0 "$build/iblinkinfo" --live $(echo "$*" | sed "s|%cache|$dir/ours.cache|") >"$dir/b" 2>"$dir/err"
	got=$?
	diff "$dir/a" "$dir/b" >"$dir/out" && [ "$got" = "$want" ]
	report $? "iblinkinfo $*"
}

ctl() { "$sim" ctl --name "$name" "$@" >"$dir/out" 2>&1; }

settled() {     # settled N: waits until N ports are ACTIVE, and none is in INIT or ARMED
	tries=0
	until on host-0 "$build/iblinkinfo" --live >"$dir/out" 2>/dev/null && ! grep -Eq 'Init|Armed' "$dir/out" &&
		[ "$(grep -c 'Active/' "$dir/out")" = "$1" ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 200 ] || return 1
		sleep 0.1
	done
}

linked() {      # linked N: whether so many ports have a link
	"$sim" ctl --name "$name" summary | grep -qx "ports linked: $1"
}

fabric_start fattree:k=4,levels=3
manager_start host-1 --set m_key=0
peer_on host-0 ibnetdiscover --cache "$dir/theirs.cache" >"$dir/out" 2>&1
report $? "the cache of the distribution"
on host-0 "$build/ibnetdiscover" --live --cache "$dir/ours.cache" >"$dir/out" 2>&1
report $? "our cache file"
beside 0 --diff %cache

# A part of the fabric: only its nodes get queries.
asked() {       # asked NODES MADS ARGUMENT...: it finds NODES nodes with at most MADS MADs
	nodes=$1 mads=$2
	shift 2
	on host-0 "$build/iblinkinfo" --live --json "$@" >"$dir/out" 2>&1 && grep -Eq '"summary": ?\{"nodes": ?'"$nodes"',' "$dir/out" &&
		[ "$(sed -n 's/.*"sent": *\([0-9]*\).*/\1/p' "$dir/out")" -le "$mads" ]
	report $? "iblinkinfo $* queries $nodes nodes"
}
asked 5 40 -D 0,1
asked 5 60 -D 0,1,3
asked 5 40 -D 0,1,2
asked 2 15 -D 0
asked 6 50 -D 0,1 -a
asked 3 25 -n 1
asked 5 80 -G 0xfe1d0000000000
asked 1 20 -G 0xfe1d0000001501
asked 36 1000

# The distribution's ibcacheedit does not change the port GUID in the NodeInfo of a switch.
shape() { grep -v '^#' | sed 's/^\(switchguid=.*\)(.*/\1/'; }
edited() {      # edited ARGUMENT...: both caches, after the same edit, show the same fabric
	LD_LIBRARY_PATH=$libs "$peers/usr/sbin/ibcacheedit" "$@" "$dir/theirs.cache" "$dir/theirs.new" >"$dir/out" 2>&1 &&
		LD_LIBRARY_PATH=$libs "$peers/usr/sbin/ibnetdiscover" --load-cache "$dir/theirs.new" 2>/dev/null | shape >"$dir/a" &&
		"$build/ibcacheedit" "$@" "$dir/ours.cache" "$dir/ours.new" >"$dir/out" 2>&1 &&
		"$build/ibnetdiscover" --load-cache "$dir/ours.new" 2>"$dir/out" | shape >"$dir/b" && diff "$dir/a" "$dir/b" >"$dir/out" &&
		! cmp -s "$dir/ours.cache" "$dir/ours.new"
	report $? "ibcacheedit $*"
}
edited --switchguid 0x00fe1d0000000700:0x77
edited --caguid 0xfe1d0000001400:1234
edited --portguid 0xfe1d0000001400:0xfe1d0000001401:0x55
edited --portguid 0xfe1d0000000300:0xfe1d0000000300:0x66
edited --sysimgguid 0xfe1d0000001400:0x99
edited --switchguid 0x00fe1d0000000700:0x77 --caguid 0xfe1d0000001400:1234 --portguid 0xfe1d0000001500:0xfe1d0000001501:0x55

ctl pull leaf-0-1:3
report $? "a cable is pulled"
for check in '' '--diffcheck state' '--diffcheck port' '--diffcheck port,state,lid,nodedesc' -l -d --switches-only; do
	beside 1 --diff %cache $check
done
beside 0 --diff %cache --diffcheck lid
beside 0 --diff %cache --cas-only
beside 0 --filterdownports %cache
beside 0 --filterdownports %cache -d
beside 0 --diff %cache -D 0,1,4
on host-0 "$build/iblinkinfo" --live --diff "$dir/ours.cache" -D 0,1,3 >"$dir/out" 2>&1
[ $? = 1 ] && [ "$(grep -c '^[<>] ' "$dir/out")" = 2 ]
report $? "--diff of one node"
beside 0 -D 0,1,3 -a -d
ctl plug leaf-0-1:3 agg-0-0:2 && settled 96
report $? "the cable is plugged in again"
beside 0 --diff %cache

ctl power host-15 off && ctl pull leaf-3-0:1 && ctl add-host stranger --to leaf-3-0:1
report $? "hosts disappear, another is added"
settled 94
report $? "the manager has finished with that"
for check in '' -l --cas-only '--diffcheck port' '--diffcheck lid' -d; do
	beside 1 --diff %cache $check
done
on host-0 "$build/iblinkinfo" --live --diff "$dir/ours.cache" --json >"$dir/doc" 2>&1
"$build/tests/system/json-check" "$top_srcdir/docs/schema/iblinkinfo.json" "$dir/doc" 1 >"$dir/out" 2>&1 &&
	grep -q '"node_new"' "$dir/doc" && grep -q '"node_gone"' "$dir/doc" && grep -q '"cable_changed"' "$dir/doc"
report $? "the document has the differences"
ctl pull leaf-3-0:2
on host-0 "$build/iblinkinfo" --live -d >"$dir/out" 2>&1 && on host-0 "$build/ibnetdiscover" --live --cache "$dir/ours.cache" >/dev/null &&
	[ "$(grep -c Down "$dir/out")" = 2 ] && [ -z "$(on host-0 "$build/iblinkinfo" --live -d --filterdownports "$dir/ours.cache")" ]
report $? "--filterdownports: ports that were down are not shown"

# A link with a width limited by the operator, then the limit removed.  The manager is stopped,
# because it would enable every width.
kill "$manager"
wait "$manager"
lid=$(on host-0 "$build/ibnetdiscover" --live | sed -n 's/^Switch.*"leaf-1-0" base port 0 lid \([0-9]*\) .*/\1/p')
peer_on host-0 ibportstate "$lid" 3 width 1 >"$dir/out" 2>&1 && peer_on host-0 ibportstate "$lid" 3 reset >"$dir/out" 2>&1
report $? "a link comes up with 1X after its port was limited"
on host-0 "$build/iblinkinfo" --live >"$dir/out" 2>&1 && grep -q '==( 1X' "$dir/out" && ! grep -q 'Could be' "$dir/out"
report $? "a deliberately limited link is not reported"
peer_on host-0 ibportstate "$lid" 3 width 3 >"$dir/out" 2>&1 && on host-0 "$build/iblinkinfo" --live >"$dir/out" 2>&1 &&
	[ "$(grep -c '(Could be 4X )' "$dir/out")" = 2 ]
report $? "without the limit both ends report that it could be 4X"
beside 0
beside 0 -l

# FDR10: a speed without a bit in PortInfo.
name=$name-fdr10
fabric_start "$here/diags/fdr10.topo"
on host-0 "$build/iblinkinfo" --live >"$dir/out" 2>&1 && [ "$(grep -c '10.0 Gbps (FDR10)' "$dir/out")" = 4 ]
report $? "two links run FDR10"
peer_on host-0 ibportstate -D 0,1 2 fdr10 0 >"$dir/out" 2>&1 && peer_on host-0 ibportstate -D 0,1 2 reset >"$dir/out" 2>&1 && within 20 linked 6
on host-0 "$build/iblinkinfo" --live >"$dir/out" 2>&1 && [ "$(grep -c '10.0 Gbps (FDR10)' "$dir/out")" = 2 ] && ! grep -q 'Could be' "$dir/out"
report $? "FDR10 disabled at one port is not reported"
on host-0 "$build/ibportstate" -D 0,1 2 fdr10 1 >"$dir/out" 2>&1 && on host-0 "$build/iblinkinfo" --live >"$dir/out" 2>&1 &&
	[ "$(grep -c 'Could be FDR10 (Found link at QDR but expected speed is FDR10)' "$dir/out")" = 2 ]
report $? "FDR10 enabled again: the link could be faster"
beside 0
on host-0 "$build/ibportstate" -D 0,1 2 reset >"$dir/out" 2>&1 && within 20 linked 6
on host-0 "$build/iblinkinfo" --live >"$dir/out" 2>&1 && [ "$(grep -c '10.0 Gbps (FDR10)' "$dir/out")" = 4 ]
report $? "after a reset it runs FDR10"

# The firmware versions of devices of this vendor, also in a capture.
manager_start host-0 --set m_key=0
on host-0 "$build/ibcheck" --live --only firmware >"$dir/a" 2>&1
on host-0 "$build/ibnetdiscover" --live --capture "$dir/capture" >/dev/null 2>&1
"$build/ibcheck" --load "$dir/capture" --only firmware >"$dir/b" 2>&1 && diff "$dir/a" "$dir/b" >"$dir/out" && grep -q '^firmware .* 4 of 4 queried devices answered' "$dir/b"
report $? "ibcheck of a capture: firmware"
lib_end
