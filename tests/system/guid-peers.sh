#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The same fabric, brought up by the distribution's opensm and by heddled: a host requests alias
# GUIDs, and paths, groups and services by these GUIDs; both managers answer the same.  The
# distribution's smpquery finds the GUIDs in the port.
# HEDDLE_PEERS names a directory into which opensm, infiniband-diags and their libraries are unpacked.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin opensm saquery smpquery ibstat

cat >"$dir/net" <<'END'
Switch 4 "leaf"
[1] "node1"[1] # "node1" lid 0 4xHDR
[2] "node2"[1] # "node2" lid 0 4xEDR
[3] "node3"[1] # "node3" lid 0 4xEDR
Ca 1 "node1"
Ca 1 "node2"
Ca 1 "node3"
END

hosts() {       # hosts NODE <REQUESTS: prints the answers
	LIMIT=120 on "$1" "$build/tests/system/guid-client"
}

bc=ff12401bffff000000000000ffffffff             # the broadcast group

node2() {
	cat <<END
get get guids lid=own
get-block get guids lid=own block=00
get-beyond get guids lid=own block=01
no-lid set guids block=00 g1=0011223344556677
no-block set guids lid=own g1=0011223344556677
no-entry set guids lid=own block=00
own set guids lid=own block=00 g0=0011223344556677
own-too set guids lid=own block=00 g0=0011223344556677 g1=0011223344556677
beyond set guids lid=own block=01 g0=0011223344556677
nobody set guids lid=0077 block=00 g1=0011223344556677
set set guids lid=own block=00 g1=0011223344556677
read get guids lid=own block=00
again set guids lid=own block=00 g1=0011223344556677
double-own set guids lid=own block=00 g2=0011223344556677
double-port set guids lid=own block=00 g3=own
read-double get guids lid=own block=00
change set guids lid=own block=00 g1=0011223344556688
choose set guids lid=own block=00 g4=0000000000000000
choose-again set guids lid=own block=00 g1=0000000000000000
two set guids lid=own block=00 g5=0000000000000055 g6=0000000000000066
read-two get guids lid=own block=00
by-other-guid get guids lid=own g5=0000000000000056
delete-none delete guids lid=own block=00 g7=0000000000000000
delete-own delete guids lid=own block=00 g0=0000000000000000
delete-no-lid delete guids block=00 g5=0000000000000000
delete-beyond delete guids lid=own block=01 g5=0000000000000000
delete delete guids lid=own block=00 g5=0000000000000000
delete-again delete guids lid=own block=00 g5=0000000000000055
read-deleted get guids lid=own block=00
path-from get path sgid=0000000000000066 dgid=own
path-to get path sgid=own dgid=0000000000000066
path-both get path sgid=0011223344556688 dgid=0000000000000066
join set member mgid=$bc port=0000000000000066 state=01
join-own set member mgid=$bc port=own state=01
join-nobody set member mgid=$bc port=0000000000000055 state=01
path-group get path sgid=0000000000000066 mgid=$bc
delete-joined delete guids lid=own block=00 g6=0000000000000066
leave delete member mgid=$bc port=0000000000000066 state=01
service set service id=0000000000001234 gid=0000000000000066
service-get get service id=0000000000001234
service-delete delete service id=0000000000001234 gid=0000000000000066
delete-left delete guids lid=own block=00 g6=0000000000000066
read-left get guids lid=own block=00
END
}

node3() {
	cat <<END
double set guids lid=own block=00 g1=0011223344556688 g2=0000000000000099
read get guids lid=own block=00
path-other get path sgid=0000000000000099 dgid=0011223344556688
END
}

# written: the ports have what was requested last: two more GUIDs at node3, all but 0x66 at node2
written() {
	peer_on node2 smpquery -D gi 0 1 2>/dev/null >"$dir/$who.port"
	grep -q -i 0x0011223344556688 "$dir/$who.port" && ! grep -q 0x0000000000000066 "$dir/$who.port" || return 1
	peer_on node3 smpquery -D gi 0 1 2>/dev/null >>"$dir/$who.port"
	grep -q 0x0000000000000099 "$dir/$who.port"
}

questions() {
	node2 | hosts node2 >"$dir/$who.node2"
	node3 | hosts node3 >"$dir/$who.node3"
	within 20 written       # opensm answers before it writes the tables
	peer_on node2 saquery GIR 2>/dev/null | grep -v LID | sort >"$dir/$who.records"
}

who=opensm
fabric_start "$dir/net"
opensm_start node1 -l 1 -f "$dir/osm.log"
within 30 sees node2 4
report $? "opensm brings the fabric up and answers"
questions
fabric_stop

who=heddled
fabric_start "$dir/net"
manager_start node1 -F /dev/null
within 30 sees node2 4
report $? "heddled brings the same fabric up and answers"
questions

# LIDs are not compared, because each manager chooses them.
common() {
	echo "$1" | sed -e 's/[ds]*lid=[0-9a-f]*//g'
}
for node in node2 node3; do
	while read -r what answer; do
		mine=$(sed -n "s/^$what //p" "$dir/heddled.$node")
		[ "$(common "$mine")" = "$(common "$answer")" ]
		status=$?
		report $status "$node: $what: $(echo "$answer" | cut -c 1-6)"
		[ $status = 0 ] || printf '# opensm  %s\n# heddled %s\n' "$answer" "$mine"
	done <"$dir/opensm.$node"
done
grep -q -i 0x0011223344556688 "$dir/opensm.port" && cmp -s "$dir/opensm.port" "$dir/heddled.port"
report $? "the ports hold the same"
grep -q -i 0x0011223344556688 "$dir/opensm.records" && cmp -s "$dir/opensm.records" "$dir/heddled.records"
report $? "saquery GIR shows the same"

# Where heddled differs from opensm: a port cannot act for another port, an alias GUID in a group is
# not replaced, services are removed with their alias GUID, a record is found by any of its GUIDs,
# and a query with an unknown GID gets an error.
other=$(peer_on node3 ibstat 2>/dev/null | sed -n 's/.*Base lid: //p' | head -n 1)
hosts node2 >"$dir/out" <<END
foreign set guids lid=$(printf '%04x' "$other") block=00 g3=0000000000000077
foreign-delete delete guids lid=$(printf '%04x' "$other") block=00 g2=0000000000000000
one set guids lid=own block=00 g6=0000000000000066
join set member mgid=$bc port=0000000000000066 state=01
pinned set guids lid=own block=00 g6=0000000000000067
leave delete member mgid=$bc port=0000000000000066 state=01
service set service id=0000000000001234 gid=0000000000000066
replace set guids lid=own block=00 g6=0000000000000067
by-guid get guids lid=own g6=0000000000000067
path-gone get path sgid=own dgid=0000000000000066
gone get service id=0000000000001234
END
is() {          # is NAME STATUS
	grep -q "^$1 $2" "$dir/out"
	report $? "$1: $2"
}
is foreign 0x0700
is foreign-delete 0x0700
is pinned 0x0700
is leave 0x0000
is replace 0x0000
is gone 0x0300
is by-guid 0x0000
is path-gone 0x0500

# The GUIDs are stored in the ports: a manager that starts reads them there.
kill -9 "$manager"
wait "$manager" 2>/dev/null
manager_start node1 -F /dev/null
within 30 sees node2 4
printf 'path get path sgid=0000000000000067 dgid=0000000000000099\nread get guids lid=own\n' | hosts node2 >"$dir/out"
is path 0x0000
grep -q '^read 0x0000 .*g1=0011223344556688 .*g6=0000000000000067' "$dir/out"
report $? "another manager finds the alias GUIDs of the first"
kill -0 "$manager" 2>/dev/null
report $? "heddled still runs"
lib_end
