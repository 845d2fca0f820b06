#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# One qos-policy.conf and one partitions.conf, read by the distribution's opensm and by heddled on
# the same simulated fabric: the same path queries get the same status, P_Key, SL, MTU, rate and
# packet lifetime.  Then heddled alone with an invalid policy. HEDDLE_PEERS names a directory into
# which opensm and infiniband-diags are unpacked.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin opensm smpquery saquery ibstat

peer() { peer_on "$@" 2>>"$dir/err"; }

ask() {         # sends the queries of standard input from host-1
	LIMIT=120 on host-1 "$build/tests/system/qos-client" 2>>"$dir/err"
}

opensm_up() {   # opensm_up OPTION...
	fabric_start fattree:k=4,levels=3
	opensm_start host-0 -F "$dir/opensm.conf" -f "$dir/opensm.log" -P "$dir/partitions.conf" "$@"
	within 60 fabric_right 96 && within 30 grep -q 'SUBNET UP' "$dir/opensm.log"
}

heddled_up() {  # heddled_up OPTION...
	fabric_start fattree:k=4,levels=3
	manager_start host-0 -F /dev/null --Pconfig "$dir/partitions.conf" "$@"
	within 60 fabric_right 96
}

# Port GUIDs as the simulator assigns them: in the order of the names of hosts.
fabric_start fattree:k=4,levels=3
for n in $(seq 0 15); do
	guid[n]=$(peer host-$n ibstat -p | sed -n '1s/^0x//p')
done
fabric_stop
[ -n "${guid[15]}" ] || { echo "Bail out! no port GUIDs"; exit 99; }

echo 'force_log_flush TRUE' >"$dir/opensm.conf"
cat >"$dir/partitions.conf" <<END
Default=0x7fff, ipoib, sl=1 : ALL=full ;
red=0x10, ipoib, sl=5, defmember=full : 0x${guid[1]}, 0x${guid[2]}, 0x${guid[3]}, 0x${guid[5]} ;
blue=0x11, defmember=full : 0x${guid[1]}, 0x${guid[2]}=limited, 0x${guid[4]} ;
END
cat >"$dir/policy" <<END
# A policy with every section, every keyword, every kind of match.
port-groups
	port-group
		name: Storage   # by GUID
		use: our targets, "all # of them"
		port-guid: 0x${guid[8]}-0x${guid[9]},0x${guid[10]}
	end-port-group
	port-group
		name: Named
		port-name: host-11/P1 , "host-12/P1"
	end-port-group
	port-group
		name: Of Red
		partition: red
	end-port-group
	port-group
		name: OfBlue
		pkey: 0x8011
	end-port-group
	port-group
		name: "M e"
		node-type: SELF
	end-port-group
	port-group
		name: Cas
		node-type: CA, ROUTER
	end-port-group
	port-group
		name: Switches
		node-type: switch
	end-port-group
end-port-groups
qos-setup
	vlarb-tables
		vlarb-scope
			group: Storage
			across: Storage
			vlarb-high: 0:255,1:127
			vlarb-low: 2:255,3:4,4:4,5:4,6:4,7:4
			vl-high-limit: 10
		end-vlarb-scope
	end-vlarb-tables
	sl2vl-tables
		sl2vl-scope
			group: Storage
			from: *
			to: 1-3
			sl2vl-table: 0,1,2,3,4,5,6,7,6,5,4,3,2,1,0,0
		end-sl2vl-scope
	end-sl2vl-tables
end-qos-setup
qos-levels
	qos-level
		name: default
		sl: 0
	end-qos-level
	qos-level
		name: Limited
		sl: 2
		mtu-limit: 3
		rate-limit: 6
		packet-life: 10
	end-qos-level
	qos-level
		name: OnlyRed
		sl: 3
		pkey: 0x10
	end-qos-level
	qos-level
		name: Plain
		sl: 4
	end-qos-level
	qos-level
		name: slow one
		sl: 7
		rate-limit: 2
		mtu-limit: 1
	end-qos-level
end-qos-levels
qos-match-rules
	qos-match-rule
		use: a class, to storage only
		qos-class: 7-9,11
		destination: storage
		qos-level-name: LIMITED
	end-qos-match-rule
	qos-match-rule
		qos-class: 11
		qos-level-name: Plain
	end-qos-match-rule
	qos-match-rule
		source: Of Red
		destination: OfRed
		service-id: 0x100-0x1ff,0x300
		qos-level-name: OnlyRed
	end-qos-match-rule
	qos-match-rule
		destination: OfBlue
		pkey: 0x8011
		qos-level-name: slowone
	end-qos-match-rule
	qos-match-rule
		destination: Named, "m E"
		qos-class: 1
		qos-level-name: Plain
	end-qos-match-rule
	qos-match-rule
		source: Switches
		qos-level-name: Plain
	end-qos-match-rule
	qos-match-rule
		source: Cas
		destination: Switches
		qos-class: 2
		qos-level-name: Limited
	end-qos-match-rule
end-qos-match-rules
qos-ulps
	sdp, port-num 10000-20000 : 5
	sdp : 6
	rds, port-num 25000 : 1
	rds : 2
	iser, port-num 900 : 3
	iser : 4
	ipoib, pkey 0x10 : 6
	ipoib : 7
	any, service-id 0x6234-0x6240,0x7000 : 1
	any, pkey 0x11 : 2
	srp, target-port-guid 0x${guid[13]} : 3
	any, target-port-guid 0x${guid[13]}-0x${guid[14]} : 5
	any, source-target-port-guid 0x${guid[1]},0x${guid[15]} : 6
	any, source-port-guid 0x${guid[15]} : 1
	default : 5
end-qos-ulps
END
printf 'qos-ulps\n\tdefault : 3\n\tany, pkey 0x10 : 2\nend-qos-ulps\n' >"$dir/simple"

# From host-1: to each host with each kind of query, then limits and SLs that do not fit.
{
	from="src=${guid[1]}"
	for n in $(seq 0 15); do
		echo "plain-$n get $from dst=${guid[n]}"
		for q in class=1 class=7 class=a class=b class=2 class=fff service=100 service=1ff service=200 service=300 service=6234 \
		    service=6241 service=7000 service=ffff service=10000 service=12710 service=14e20 service=14e21 service=1ffff \
		    service=20000 service=10648ca service=10661a8 service=1060cbc service=1060384 service=ffffffffffffffff \
		    pkey=ffff pkey=7fff pkey=8010 pkey=10 pkey=8011 pkey=11 pkey=8012; do
			echo "$q-$n get $from dst=${guid[n]} $q"
		done
		echo "both-$n get $from dst=${guid[n]} class=7 service=100 pkey=8010"
		echo "reverse-$n get src=${guid[n]} dst=${guid[1]}"
		echo "reverse-service-$n get src=${guid[n]} dst=${guid[1]} service=100"
	done
	for sl in 0 1 2 3 4 5 6 7; do
		for n in 0 2 4 9 13 15; do
			echo "sl-$sl-$n get $from dst=${guid[n]} sl=$sl"
			echo "sl-class-$sl-$n get $from dst=${guid[n]} sl=$sl class=7"
			echo "sl-pkey-$sl-$n get $from dst=${guid[n]} sl=$sl pkey=8011"
		done
	done
	for v in 81 82 83 84 85 03 04 43 44 c4; do
		echo "mtu-$v get $from dst=${guid[9]} class=7 mtu=$v"
		echo "mtu-plain-$v get $from dst=${guid[9]} mtu=$v"
	done
	for v in 02 05 06 42 46 47 c6 86; do
		echo "rate-$v get $from dst=${guid[9]} class=7 rate=$v"
	done
	for v in 8a 09 0a ca; do
		echo "life-$v get $from dst=${guid[9]} class=7 life=$v"
	done
	echo "table-all table $from num=1"
	echo "table-class table $from num=1 class=7"
	echo "table-sl table $from num=1 sl=0"
	echo "table-pkey table $from num=1 pkey=8010"
} >"$dir/questions"

# Not compared: QoSClass, which opensm never returns; a P_Key that neither query nor level names,
# where opensm takes the lowest and heddled the first of the table, and the SL of that partition; a
# query for exactly a rate or lifetime that the path does not have.
comparable() {  # comparable FILE
	case $what in
	policy)
		sed 's/ class=[0-9]*//; /^\(pkey\|both\|sl-pkey\|service=\(100\|1ff\|300\)-[^4]\|table-pkey\)/!s/ pkey=[^ ]*//' "$1"
		;;
	"partitions alone")
		sed 's/ class=[0-9]*//; /^\(pkey\|both\|sl-pkey\|table-pkey\)/!s/ pkey=[^ ]*//; /^\(plain\|class\|service\|reverse\).*-[1-5] /d; /^table-[acs]/d; /^\(rate-8\|life\)/d' "$1"
		;;
	*)
		sed 's/ class=[0-9]*//; /^\(pkey\|both\|sl-pkey\|table-pkey\)/!s/ pkey=[^ ]*//; /^\(rate-8\|life\)/d' "$1"
		;;
	esac
}

compare() {     # compare NAME: compares the answers of both to all queries
	comparable "$dir/opensm.answers" >"$dir/a"
	comparable "$dir/heddled.answers" >"$dir/b"
	same "$dir/a" "$dir/b" "$1: the same answers to $(wc -l <"$dir/questions") questions"
}

groups() {      # prints the MGIDs of the multicast groups with their SLs
	peer host-1 saquery -g | sed -n 's/^\t*\(MGID\|pkey\|SL\|Mtu\|Rate\)\.*/\1 /p' | paste - - - - - | sort
}

both() {        # both NAME OPTION...: runs opensm and heddled with the same options
	local what=$1
	shift
	opensm_up "$@"
	report $? "$what: opensm brings the fabric up"
	! grep -q 'Error.* QoS [Pp]olicy' "$dir/opensm"
	report $? "$what: opensm accepts the policy"
	grep 'Error.* QoS [Pp]olicy' "$dir/opensm" | sed 's/^/# /'
	ask <"$dir/questions" >"$dir/opensm.answers"
	groups >"$dir/opensm.groups"
	report $? "$what: opensm answers"
	fabric_stop
	heddled_up "$@"
	report $? "$what: heddled brings the fabric up"
	ask <"$dir/questions" >"$dir/heddled.answers"
	groups >"$dir/heddled.groups"
	report $? "$what: heddled answers"
	compare "$what"
	[ -s "$dir/opensm.groups" ]
	report $? "$what: saquery shows the groups of partitions"
	same "$dir/opensm.groups" "$dir/heddled.groups" "$what: they have the same SL"
}

both policy -Q -Y "$dir/policy"
weights() {     # weights NODE PATH PORT: prints those of the high priority table
	peer "$1" smpquery -D vlarb "$2" "$3" | sed -n '/High priority/,$s/^WEIGHT: //p'
}
[ "$(weights host-8 0 1)" = '|0xFF|0x7F|0x0 |0x0 |0x0 |0x0 |0x0 |0x0 |' ] && [ "$(weights host-8 0,1 1)" = "$(weights host-8 0 1)" ] &&
	peer host-8 smpquery -D portinfo 0 1 | grep -q 'VLHighLimit:\.*10$'
report $? "a host of the group and its switch port have the VL arbitration of qos-setup"
[ -n "$(weights host-7 0 1)" ] && [ "$(weights host-7 0 1)" != "$(weights host-8 0 1)" ]
report $? "another host has the VL arbitration of the keys"
peer host-8 smpquery -D sl2vl 0 | grep -q '| 0| 1| 2| 3| 4| 5| 6| 7| 6| 5| 4| 3| 2| 1| 0| 0|'
report $? "the SL-to-VL table is that of qos-setup"
fabric_stop
[ "$(grep -o ' sl=[0-9]*' "$dir/heddled.answers" | sort -u | wc -l)" = 8 ] && grep -q none "$dir/heddled.answers"
report $? "every service level occurs, and some queries have no answer"
both simple -Q -Y "$dir/simple"
fabric_stop
both "partitions alone" -Q
fabric_stop
both "without -Q" -Y "$dir/policy"
fabric_stop

# ---- heddled alone ----
sl_of() { echo "x get src=${guid[1]} dst=${guid[2]}" | ask | grep -o ' sl=[0-9]*'; }
cp "$dir/simple" "$dir/live"
heddled_up -Q -Y "$dir/live"
[ "$(sl_of)" = ' sl=3' ]
report $? "the default level of a policy"
printf 'qos-ulps\n\tdefault : 16\nend-qos-ulps\n' >"$dir/live"
kill -HUP "$manager"
within 10 grep -q 'stays as it was' "$dir/manager" &&
	grep -q "live:2: error: expected a service level from 0 to 15, got '16'" "$dir/manager"
report $? "an invalid policy is refused with file, line and what was expected"
[ "$(sl_of)" = ' sl=3' ]
report $? "the last valid policy stays in use"
printf 'qos-ulps\n\tdefault : 6\nend-qos-ulps\n' >"$dir/live"
kill -HUP "$manager"
changed() { [ "$(sl_of)" = ' sl=6' ]; }
within 20 changed
report $? "a new policy is used without a restart"
fabric_stop
echo 'qos-ulps' >"$dir/live"
"$build/heddled" --check-config -F /dev/null --Pconfig "$dir/partitions.conf" -Q -Y "$dir/live" >/dev/null 2>"$dir/err"
[ $? = 2 ] && grep -q 'live:2: error: expected end-qos-ulps' "$dir/err"
report $? "--check-config finds a mistake"
"$build/heddled" --check-config -F /dev/null -Q -Y /dev/null/none >/dev/null 2>"$dir/err"
[ $? = 2 ] && grep -q '/dev/null/none' "$dir/err"
report $? "a file named by an option must exist"
lib_end
