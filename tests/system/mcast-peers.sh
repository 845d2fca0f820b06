#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The same fabric, brought up by the distribution's opensm and by heddled: hosts join, leave and
# query groups as IP over InfiniBand does, and both managers answer the same.  The distribution's
# saquery shows the groups and members of heddled. HEDDLE_PEERS names a directory into which opensm,
# infiniband-diags and their libraries are unpacked.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin opensm saquery

# The link of node3 is slower than the broadcast group, that of node4 than the group of node2.
cat >"$dir/net" <<'END'
Switch 4 "leaf-a"
[1] "node1"[1] # "node1" lid 0 4xHDR
[2] "node2"[1] # "node2" lid 0 4xEDR
[3] "core"[1] # "core" lid 0 4xHDR
[4] "node5"[1] # "node5" lid 0 4xEDR
Switch 3 "leaf-b"
[1] "node3"[1] # "node3" lid 0 1xSDR
[2] "node4"[1] # "node4" lid 0 4xQDR
[3] "core"[2] # "core" lid 0 4xHDR
Switch 2 "core"
Ca 1 "node1"
Ca 1 "node2"
Ca 1 "node3"
Ca 1 "node4"
Ca 1 "node5"
END

hosts() {       # hosts NODE <REQUESTS: prints the answers
	LIMIT=120 on "$1" "$build/tests/system/mcast-client"
}

bc=ff12401bffff000000000000ffffffff             # the broadcast group
ours=ff150000000000000000000000000001
all='qkey=00001234 tclass=00 pkey=ffff slflowhop=00000000'

node2() {
	cat <<END
join set mgid=$bc port=own state=01
again set mgid=$bc port=own state=01
get get mgid=$bc
all-right set mgid=$bc port=own state=01 qkey=00000b1b pkey=ffff slflowhop=00000000 tclass=00
exact-mtu set mgid=$bc port=own state=01 mtu=84
less-mtu set mgid=$bc port=own state=01 mtu=44
more-mtu set mgid=$bc port=own state=01 mtu=03
exact-rate set mgid=$bc port=own state=01 rate=83
other-rate set mgid=$bc port=own state=01 rate=86
less-rate set mgid=$bc port=own state=01 rate=44
more-rate set mgid=$bc port=own state=01 rate=05
bad-qkey set mgid=$bc port=own state=01 qkey=00000001
bad-pkey set mgid=$bc port=own state=01 pkey=8001
limited-pkey set mgid=$bc port=own state=01 pkey=7fff
no-pkey set mgid=$bc port=own state=01 pkey=8000
bad-sl set mgid=$bc port=own state=01 slflowhop=50000000
bad-flow set mgid=$bc port=own state=01 slflowhop=00000500
bad-tclass set mgid=$bc port=own state=01 tclass=07
no-state set mgid=$bc port=own state=00
no-mask-state set mgid=$bc port=own state=01 -state
no-mask-port set mgid=$bc port=own state=01 -port
no-mask-mgid set mgid=$bc port=own state=01 -mgid
nobody set mgid=$bc port=00000000000000aa state=01
foreign set mgid=$bc port=own prefix=fec0000000000000 state=01
non set mgid=$bc port=own state=02
leave-much delete mgid=$bc port=own state=07
leave-none delete mgid=$bc port=own state=00
leave-one delete mgid=$bc port=own state=02
leave-mask delete mgid=$bc port=own state=01 -state
leave delete mgid=$bc port=own state=01
leave-again delete mgid=$bc port=own state=01
leave-nobody delete mgid=$bc port=00000000000000aa state=01
create-bare set mgid=$ours port=own state=01
create-no-qkey set mgid=$ours port=own state=01 tclass=00 pkey=ffff slflowhop=00000000
create-non set mgid=$ours port=own state=02 $all
create-send-only set mgid=$ours port=own state=04 $all
create-unreal-mtu set mgid=$ours port=own state=01 $all mtu=05
create-unreal-rate set mgid=$ours port=own state=01 $all rate=11
create-less set mgid=$ours port=own state=01 $all mtu=44 rate=54 life=90
delete-less delete mgid=$ours port=own state=01
create set mgid=$ours port=own state=01 $all life=92
query get mgid=$ours
query-mtu get mgid=$ours mtu=84
send-only set mgid=$ours port=own state=04
bad-mgid set mgid=fe150000000000000000000000000001 port=own state=01 $all
flags-mgid set mgid=ff350000000000000000000000000001 port=own state=01 $all
signed-mgid set mgid=ff12a01b000000000000000000000001 port=own state=01 $all
ipoib set mgid=ff12401bffff00000000000000000001 port=own state=01 qkey=00000b1b tclass=00 pkey=ffff slflowhop=00000000 mtu=84 rate=83 life=92
ipoib-bad set mgid=ff12401bffff00000000000000000002 port=own state=01 $all
ipoib-other set mgid=ff12401b812300000000000000000002 port=own state=01 qkey=00000b1b tclass=00 pkey=8123 slflowhop=00000000
snm-1 set mgid=ff12601bffff000000000001ff000001 port=own state=01 qkey=00000b1b tclass=00 pkey=ffff slflowhop=00000000 mtu=84 rate=83 life=92
snm-2 set mgid=ff12601bffff000000000001ff000002 port=own state=01 qkey=00000b1b tclass=00 pkey=ffff slflowhop=00000000 mtu=84 rate=83 life=92
snm-wider set mgid=ff15601bffff000000000001ff000002 port=own state=01 qkey=00000b1b tclass=00 pkey=ffff slflowhop=00000000
snm-leave delete mgid=ff12601bffff000000000001ff000001 port=own state=01
ipv6 set mgid=ff12601bffff000000000000000000fb port=own state=01 qkey=00000b1b tclass=00 pkey=ffff slflowhop=00000000 life=92
END
}

slow() {
	cat <<END
slow-join set mgid=$bc port=own state=01
slow-own set mgid=$ours port=own state=01
slow-create set mgid=ff150000000000000000000000000002 port=own state=01 $all life=92
slow-leave delete mgid=$ours port=own state=01
END
}

# written: each of the three switches has two ports in the multicast table of the group
written() {
	peer_on node5 saquery MFTR 2>/dev/null | grep -v -e 'LID' -e '0x0000$' | sort >"$dir/mft"
	[ "$(sed -n 's/.*0xc000.*0x/0x/p' "$dir/mft" | tr '\n' ' ')" = "0x0006 0x000c 0x000c " ]
}

tables() {      # prints the MFT records without LIDs while two hosts are in the broadcast group
	for node in node2 node4; do echo "j set mgid=$bc port=own state=01" | hosts $node >/dev/null; done
	within 20 written       # opensm answers a join before it writes the tables
	cat "$dir/mft"
	for node in node2 node4; do echo "l delete mgid=$bc port=own state=01" | hosts $node >/dev/null; done
}

questions() {
	tables >"$dir/$who.mft"
	node2 | hosts node2 >"$dir/$who.node2"
	slow | hosts node3 >"$dir/$who.node3"
	slow | hosts node4 >"$dir/$who.node4"
	slow | hosts node5 >"$dir/$who.node5"
	peer_on node2 saquery -g 2>/dev/null >"$dir/$who.groups"
}

who=opensm
fabric_start "$dir/net"
opensm_start node1 --consolidate_ipv6_snm_req -l 1 -f "$dir/osm.log"
within 30 sees node2 8
report $? "opensm brings the fabric up and answers"
questions
fabric_stop

who=heddled
fabric_start "$dir/net"
manager_start node1 -F /dev/null --consolidate_ipv6_snm_req --set sa_key=1
within 30 sees node2 8
report $? "heddled brings the same fabric up and answers"
questions

# Not compared: MLIDs and the hop limit of a new group, which each manager chooses; the scope, which
# opensm takes from the request and heddled from the MGID; the fields of an answer to a leave that
# opensm leaves empty.
common() {      # common NAME ANSWER: prints the fields that have to be equal
	case $1 in
	*leave* | delete*) echo "$2" | sed 's/qkey=.*scopestate=./state=/' ;;
	*) echo "$2" | sed -e 's/mlid=[0-9a-f]*//' -e 's/\(slflowhop=......\)../\1/' -e 's/scopestate=./state=/' ;;
	esac
}
for node in node2 node3 node4 node5; do
	while read -r what answer; do
		mine=$(sed -n "s/^$what //p" "$dir/heddled.$node")
		[ "$(common "$what" "$mine")" = "$(common "$what" "$answer")" ]
		status=$?
		report $status "$node: $what: $(echo "$answer" | cut -c 1-6)"
		[ $status = 0 ] || printf '# opensm  %s\n# heddled %s\n' "$answer" "$mine"
	done <"$dir/opensm.$node"
done

for by in opensm heddled; do
	[ "$(sed -n 's/^snm-[12] 0x0000.* mlid=\([0-9a-f]*\) .*/\1/p' "$dir/$by.node2" | uniq -c | sed 's/ *\([0-9]*\).*/\1/')" = 2 ]
	report $? "$by: solicited-node groups share an MLID"
done
grep -v -i 'mlid' "$dir/opensm.groups" | sort >"$dir/a"
grep -v -i 'mlid' "$dir/heddled.groups" | sort >"$dir/b"
[ -s "$dir/a" ]
report $? "saquery -g shows groups"
same "$dir/a" "$dir/b" "and the same ones"
[ "$(grep -c '0xc000' "$dir/opensm.mft")" = 3 ]
report $? "saquery MFTR shows tables" "$dir/opensm.mft"
same "$dir/opensm.mft" "$dir/heddled.mft" "and the same ones"
peer_on node2 saquery --smkey 1 -m >"$dir/members" 2>/dev/null
[ "$(grep -c 'PortGid' "$dir/members")" -gt 3 ] && grep -q 'node5' "$dir/members"
report $? "saquery -m shows their members"

# Several hosts join and leave the broadcast group repeatedly at the same time.
echo "mine get mgid=$bc port=own state=01" | hosts node5 >"$dir/out"
grep -q '^mine 0x0000 .* scopestate=21 ' "$dir/out"
report $? "a host finds its own membership"
i=0
while [ $i -lt 50 ]; do
	echo "j$i set mgid=$bc port=own state=01"
	echo "l$i delete mgid=$bc port=own state=01"
	i=$((i + 1))
done >"$dir/many"
for node in node1 node2 node4 node5; do
	hosts $node <"$dir/many" >"$dir/many.$node" &
	eval "job_$node=$!"
done
# shellcheck disable=SC2154
wait "$job_node1" "$job_node2" "$job_node4" "$job_node5"
[ "$(cat "$dir"/many.node* | grep -c ' 0x0000 ')" = 400 ]
status=$?
report $status "four hosts join and leave fifty times"
[ $status = 0 ] || grep -v ' 0x0000 ' "$dir"/many.node* | head -n 20 | sed 's/^/# /'
kill -0 "$manager" 2>/dev/null
report $? "heddled still runs"

# Two groups, and heddled killed: each MGID keeps its MLID, whichever is registered first.
first=ff15000000000000000000000000000a
second=ff15000000000000000000000000000b
mlids() {       # mlids MGID...: joins each from node5; prints MGID and MLID
	for mgid; do
		echo "$mgid set mgid=$mgid port=own state=01 $all"
	done | hosts node5 | sed -n 's/^\([0-9a-f]*\) 0x0000 .* mlid=\([0-9a-f]*\) .*/\1 \2/p' | sort
}
mlids $first $second >"$dir/before"
[ "$(cut -d ' ' -f 2 "$dir/before" | sort -u | grep -c .)" = 2 ]
report $? "two groups have two MLIDs" "$dir/before"
sleep 1         # the store is written after the answer
kill -9 "$manager"
wait "$manager" 2>/dev/null
manager_start node1 -F /dev/null --consolidate_ipv6_snm_req --set sa_key=1
grep -q 'MLIDs inherited' "$dir/manager"
report $? "heddled is killed and starts again: it finds MLIDs in the switches" "$dir/manager"
within 30 sees node2 8
mlids $second $first >"$dir/after"
same "$dir/before" "$dir/after" "the groups have the same MLIDs, joined in the other order"
lib_end
