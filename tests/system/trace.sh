#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The routes of subnet administration (GetTraceTable, queried with saquery TR) are those that the
# distribution's ibtracert finds switch by switch, on a tree of three levels.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin ibtracert
schema=${top_srcdir:-$here/../..}/docs/schema/saquery.json

# Prints "EXIT-PORT -> GUID[ENTRY-PORT]" for each link, in the order of the route.
peer_way() {    # peer_way FROM TO
	peer_on host-0 ibtracert "$1" "$2" >"$dir/out" 2>&1 || return 1
	sed -n 's/^\[ *\([0-9]*\)\] -> [a-z ]* port {\(0x[0-9a-f]*\)}\[ *\([0-9]*\)\].*/\1 -> \2[\3]/p' "$dir/out"
}

our_way() {     # our_way FROM TO
	on host-0 "$build/saquery" TR "$1" "$2" >"$dir/out" 2>&1 || return 1
	awk -F '[.][.]+' '
		{ sub(/^[ \t]*/, "", $1); v[$1] = $2 }
		$1 == "exit_port" {
			if (before != "") print before " -> " v["entry_port_id"] "[" v["entry_port"] "]"
			before = $2
		}' "$dir/out"
}

lid() {         # lid NODE
	on host-0 "$build/saquery" -l "$1" 2>"$dir/out"
}

same() {        # same FROM TO: LIDs
	peer_way "$1" "$2" >"$dir/peer" && our_way "$1" "$2" >"$dir/own" && [ "$(grep -c . "$dir/own")" = "$3" ] &&
		diff "$dir/peer" "$dir/own" >>"$dir/out"
	report $? "LID $1 to $2: $3 links, as ibtracert has it"
}

fabric_start fattree:k=4,levels=3
manager_start host-1
h0=$(lid host-0) h1=$(lid host-1) h2=$(lid host-2) h15=$(lid host-15) leaf=$(lid leaf-0-1) core=$(lid core-1-1)
[ -n "$h0" ] && [ -n "$h1" ] && [ -n "$h2" ] && [ -n "$h15" ] && [ -n "$leaf" ] && [ -n "$core" ] || lib_bail "no LIDs"
same "$h0" "$h1" 2
same "$h0" "$h2" 4
same "$h0" "$h15" 6
same "$h15" "$h0" 6
same "$h15" "$h2" 6
same "$h0" "$leaf" 3
same "$leaf" "$h15" 5
same "$h2" "$core" 3
[ "$(our_way host-0 host-15)" = "$(our_way "$h0" "$h15")" ]
report $? "saquery TR with node names"
on host-0 "$build/saquery" --json TR "$h0" "$h15" >"$dir/doc" 2>"$dir/out" &&
	"$build/tests/system/json-check" "$schema" "$dir/doc" 0 >>"$dir/out" 2>&1
report $? "saquery TR as JSON"
on host-0 "$build/saquery" TR "$h0" 9999 >"$dir/out" 2>&1
[ $? = 1 ]
report $? "a route to an unknown LID: exit status 1"
on host-0 "$build/saquery" TR "$h0" >"$dir/out" 2>&1
[ $? = 255 ] && grep -q 'returned 0x0600' "$dir/out"
report $? "a query without a destination is refused"

# The answer follows the present tables of the switches. While the manager writes new ones the two programs
# can read different tables, so the comparison is repeated until they agree or 20 s have passed.
follows() {     # follows FROM TO
	tries=0
	until peer_way "$1" "$2" >"$dir/peer" && our_way "$1" "$2" >"$dir/own" && [ "$(grep -c . "$dir/own")" = 6 ] &&
		diff "$dir/peer" "$dir/own" >>"$dir/out"; do
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] || break
		sleep 0.2
	done
	[ "$tries" -lt 100 ]
	report $? "after a lost link: LID $1 to $2 as ibtracert has it"
}

"$sim" ctl --name "$name" pull leaf-0-0:3 >/dev/null
follows "$h0" "$h15"
follows "$h15" "$h0"
lib_end
