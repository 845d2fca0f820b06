#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The same fabric, brought up by the distribution's opensm and by heddled: the distribution's
# saquery gets the same records from both.  A LID is compared by the port that has it (from
# ibnetdiscover). Not compared is what each manager chooses: preferences, the enforcement bits of
# switch ports, MulticastFDBTop (opensm sets the last MLID in use, heddled the last possible one),
# capabilities; packet lifetime and scope of groups that hosts created; the numbers of
# subscriptions.  docs/sa.md has the reasons.  LocalPort, the port at which a query arrived, is not
# compared either: of two equal routes to a leaf, the one that answered first counts. HEDDLE_PEERS
# names a directory into which opensm, infiniband-diags and their libraries are unpacked.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin opensm saquery ibnetdiscover

# Two leaves, two cores, links of several speeds to the hosts, a host on both leaves.
# Every port of a switch has a link, because opensm has no PortInfo of others.
cat >"$dir/net" <<'END'
Switch 5 "leaf-a"
[1] "node1"[1] # "node1" lid 0 4xHDR
[2] "node2"[1] # "node2" lid 0 4xEDR
[3] "node5"[1] # "node5" lid 0 4xFDR
[4] "core-x"[1] # "core-x" lid 0 4xHDR
[5] "core-y"[1] # "core-y" lid 0 4xHDR
Switch 5 "leaf-b"
[1] "node3"[1] # "node3" lid 0 1xEDR
[2] "node4"[1] # "node4" lid 0 4xQDR
[3] "node5"[2] # "node5" lid 0 4xHDR
[4] "core-x"[2] # "core-x" lid 0 4xHDR
[5] "core-y"[2] # "core-y" lid 0 4xHDR
Switch 2 "core-x"
Switch 2 "core-y"
Ca 1 "node1"
Ca 1 "node2"
Ca 1 "node3"
Ca 1 "node4"
Ca 2 "node5"
END

# Prints the LIDs of the fabric as "LID OWNER+OFFSET", from the comments of ibnetdiscover.
owners() {
	sed -n -e 's/^Switch.*"\(S-[0-9a-f]*\)".* lid \([0-9]*\) lmc \([0-9]*\)$/\2 \3 \1/p' \
		-e 's/^\[[0-9]*\](\([0-9a-f]*\)).*# lid \([0-9]*\) lmc \([0-9]*\) .*/\2 \3 P-\1/p' "$1" |
	awk '{ for (i = 0; i < 2 ^ $2; i++) print $1 + i, $3 "+" i }'
}

# Prints one record per line, sorted, with the owners of LIDs instead of the LIDs.
records() {     # records OWNERS <TEXT
	awk -v own="$1" '
		function put() { if (r != "") print r; r = "" }
		BEGIN { while ((getline line <own) > 0) { split(line, f, " "); who[f[1]] = f[2] } }
		/^[A-Za-z]/ { put() }
		/(preference|PartEnforce..?.?.?b:|LocalPort:|ActCount|base_lid|MulticastFDBTop|SubscriberEnum)\.*/ { next }
		/dump:$/ { group = /MCMember/ }
		group && /(pkt_life|Scope)\.+0x/ { next }
		/ScopeState\.+0x/ { sub(/0x.?.$/, substr($0, length($0))) }
		/[a-zA-Z]*([lL]id|LID):?\.+[0-9]+$/ { n = $0; sub(/.*\./, "", n); sub(/[0-9]+$/, n in who ? who[n] : "?" n) }
		{ gsub(/\t/, " "); r = r $0 ";" }
		END { put() }' | LC_ALL=C sort
}

lid_of() { sed -n "s/ $1+$2\$//p" "$dir/owners"; }

ask() {         # ask FILE ARGUMENT...: runs saquery on node2
	file=$1
	shift
	peer_on node2 saquery "$@" >"$dir/out" 2>&1
	records "$dir/owners" <"$dir/out" >"$dir/$who.$file"
}

questions() {   # sends the queries that are the same for both managers
	peer_on node2 ibnetdiscover >"$dir/discovered" 2>/dev/null
	owners "$dir/discovered" >"$dir/owners"
	one=$(lid_of "$(guid node1 1)" 0) three=$(lid_of "$(guid node3 1)" 1) five=$(lid_of "$(guid node5 2)" 1)
	leaf=$(lid_of "$(awk '/"leaf-a"/ && $1 == "Switch" { gsub(/"/, "", $3); print $3 }' "$dir/discovered")" 0)
	ask nodes -N
	ask node-by-lid NR "$five"
	ask node-by-name NR node3
	ask nobody NR 9999
	ask paths -p
	ask paths-of-lids --src-to-dst "$one:$three"
	ask paths-of-names --src-to-dst node1:node5
	ask paths-from PR --slid "$one"
	ask paths-to PR --dlid "$three"
	ask one-path PR --slid "$one" --dlid "$three" -r 1 -n 1
	ask no-paths PR --slid "$one" -n 0
	ask paths-by-gid --sgid-to-dgid "fe80::$(groups "$(guid node1 1)")-fe80::$(groups "$(guid node4 1)")"
	ask paths-of-nobody --sgid-to-dgid "fe80::1-fe80::2"
	ask paths-to-nowhere --src-to-dst "$one:9999"
	ask paths-by-pkey PR --dlid "$three" --pkey 0xffff
	ask paths-by-other-pkey PR --dlid "$three" --pkey 0x8123
	ask paths-by-sl PR --dlid "$three" --sl 5
	ask paths-by-mtu PR --dlid "$three" -M 4
	ask paths-by-rate PR --dlid "$one" -R 3
	ask ports PIR
	ask ports-of-switch PIR "$leaf"
	ask port PIR "$leaf/3"
	ask port-of-host PIR "$five"
	ask port-options PIR "$leaf/3/0x80"
	ask guids GIR "$five"
	ask managers -s
	ask switches SWIR
	ask links LR
	ask links-of LR "$leaf/1"
	peer_on node2 saquery -D 2>/dev/null | sed 's/^ *[0-9]* *"/"/' | sort >"$dir/$who.hosts-list"
	peer_on node2 saquery CPI 2>/dev/null | grep -v 'apability mask' >"$dir/$who.class-port-info"
}

# Programs on hosts register groups, services and subscriptions, so that there are records of them.
hold() {        # hold NODE WORD...: returns when it is ready; its output is in $dir/$who.NODE
	node=$1
	shift
	"$sim" exec --name "$name" --node "$node" -- "$build/tests/system/sa-host" "$@" >"$dir/$who.$node" 2>&1 &
	pids="$pids $!"
	within 10 grep -qx ready "$dir/$who.$node"
	report $? "$who: requests of $node"
}

broadcast=ff12401bffff000000000000ffffffff
populate() {
	hold node2 join:$broadcast make:ff12401bffff00000000000000000001 service:10001:first
	hold node3 join:$broadcast make:ff12601bffff00000000000000000002 service:10001:first service:10002:second \
		subscribe:64:3:4 subscribe:65:3:4 subscribe:66:3:4 subscribe:67:3:4 subscribe:144:4:1
	hold node4 join:$broadcast:4 join:ff12401bffff00000000000000000001:2 subscribe:64:3:4
	hold node5 join:$broadcast subscribe:65535:65535:ffffff
	wait_for_quiet
	ask services SR
	ask services-by-letter -S
	ask services-with-keys --smkey 1 -K SR
	ask subscriptions IIR
	ask subscriptions-with-keys --smkey 1 -K -I
	ask subscriptions-of --smkey 1 IIR "fe80::$(groups "$(guid node3 1)")"
	ask subscriptions-of-nobody --smkey 1 IIR "fe80::$(groups "$(guid node1 1)")"
	ask groups MCMR
	ask groups-by-letter -g
	ask groups-members -m
	ask groups-trusted --smkey 1 MCMR
	ask members --smkey 1 -m
	ask members-of --smkey 1 -m 0xC000
	ask group-by-mgid MCMR --mgid ff12:401b:ffff::ffff:ffff
	ask group-by-mlid MCMR --mlid 0xC000
	ask group-by-pkey MCMR --pkey 0xffff --mtu 0x84 --rate 0x83
	ask group-by-qkey MCMR -q 0xb1b
	ask group-of-port --smkey 1 MCMR --gid "fe80::$(groups "$(guid node2 1)")"
	ask members-by-state --smkey 1 MCMR -J 4
	ask path-to-group PR --dgid ff12:401b:ffff::ffff:ffff --slid "$one"
	# opensm has a row for every port of a switch, heddled for those where partitions are enforced
	ask pkeys --smkey 1 PKTR
	sed -i '/LID\.*S-.*Port\.*[1-9]/d' "$dir/$who.pkeys"
	# the content of a block depends on the routing engine
	ask linear-tables LFTR
	sed -i 's/LFT:.*//' "$dir/$who.linear-tables"
	ask pkeys-of --smkey 1 PKTR "$five/2"
	ask guids-block GIR "$five/0"
	ask managers-record SMIR
}

strangers() {   # sends datagrams of classes that a manager does not serve to QP1 of its port
	on node2 "$build/tests/system/sa-host" class:33:10 class:32:0 class:4:1 class:6:1 class:7:1 \
		class:9:1 class:a:1 class:10:1 class:21:1 class:3f:0 end >"$dir/$who.strangers" 2>&1
	sees node2 10
	report $? "$who answers after datagrams of unknown classes"
}

told() {        # told NODE PATTERN: the node has received a report that matches
	within 20 grep -q "^report $2" "$dir/$who.$1"
}

# A cable is pulled and plugged in, the capabilities of a port change: subscribers get reports.
events() {
	four="gid=fe80000000000000$(guid node4 1 | sed 's/P-//; s/^/0000000000000000/; s/.*\(................\)$/\1/')"
	"$sim" ctl --name "$name" pull node4:1 >/dev/null
	told node3 "65 .*$four" && told node5 "65 .*$four"
	report $? "$who: trap 65 of a port that went"
	"$sim" ctl --name "$name" plug node4:1 leaf-b:2 >/dev/null
	told node3 "64 .*$four" && told node5 "64 .*$four"
	report $? "$who: trap 64 of a port that came"
	"$sim" exec --name "$name" --node node2 -- "$build/tests/system/sa-host" issm >"$dir/issm" 2>&1 &
	pids="$pids $!"
	told node3 144
	report $? "$who: trap 144 of a port whose capabilities changed"
	for node in node3 node5; do
		grep -E '^report (64|65|66|67|144)' "$dir/$who.$node" | sort -u >"$dir/$who.reports-to-$node"
		grep -v '^report' "$dir/$who.$node" >"$dir/$who.requests-of-$node"
	done
	for node in node2 node4; do grep -v '^report' "$dir/$who.$node" >"$dir/$who.requests-of-$node"; done
	rm "$dir/$who".node[2-5]
}

wait_for_quiet() {      # waits until the tables of the groups are written
	within 10 members_routed
}

members_routed() {
	[ "$(peer_on node2 saquery MFTR 2>/dev/null | grep -c '0xc001.0x000[1-9a-f]\|0xc001.0x00[1-9a-f]')" -gt 0 ]
}

guid() {        # guid NODE PORT: prints "P-..." of the port of a host
	awk -v node="\"$1\"" -v port="[$2](" '
		/^Ca/ { on = index($0, "# " node) }
		on && index($1, port) == 1 { sub(/.*\(/, "", $1); sub(/\).*/, "", $1); print "P-" $1 }' "$dir/discovered"
}

groups() {      # groups P-GUID: prints its 16 digits as the lower half of a GID
	printf '%016x' "0x${1#P-}" | sed 's/\(....\)\(....\)\(....\)\(....\)/\1:\2:\3:\4/'
}

who=opensm
fabric_start "$dir/net"
opensm_start node1 -l 1 -f "$dir/osm.log"
within 30 sees node2 10
report $? "opensm brings the fabric up and answers"
questions
populate
strangers
events
fabric_stop

who=heddled
fabric_start "$dir/net"
manager_start node1 -F /dev/null --set sa_key=1 --set m_key=0 -l 1
within 30 sees node2 10
report $? "heddled brings the same fabric up and answers"
questions
populate
peer_on node2 saquery MCMR --gid "fe80::$(groups "$(guid node2 1)")" 2>/dev/null | grep -c "PortGid\.*fe80::" >"$dir/own"
[ "$(cat "$dir/own")" = 2 ]
report $? "a host finds its own memberships"
strangers
events
for file in "$dir"/opensm.*; do
	what=${file##*/opensm.}
	case $what in
	nobody | no-paths | paths-of-nobody | paths-to-nowhere | paths-by-other-pkey | subscriptions-of-nobody | path-to-group) wanted=0 ;;
	*) wanted=1 ;;
	esac
	lines=$(grep -c . "$file")
	[ $((lines > 0)) = $wanted ] && cmp -s "$file" "$dir/heddled.$what"
	status=$?
	report $status "the same text: $what ($lines records)"
	[ $status = 0 ] || diff "$file" "$dir/heddled.$what" | cut -c 1-600 | head -n 6 | sed 's/^/# /'
done

sees node1 10
report $? "a query from the manager's own port"
peer_on node2 saquery SMIR 2>&1 | grep -q "^.*GUID\.*0x0*$(guid node1 1 | sed 's/P-0*//')"
report $? "SMInfoRecord names the manager"
peer_on node2 saquery PKTR >"$dir/out" 2>&1
grep -q 'SA_ERR_REQ_DENIED' "$dir/out"
report $? "P_Key tables are refused without the key"
[ "$(peer_on node2 saquery --smkey 1 PKTR 2>/dev/null | grep -c 'PKeyTableRecord dump')" = 10 ]
report $? "P_Key tables are shown with the key"
peer_on node2 saquery --smkey 2 -t 300 -N >"$dir/out" 2>&1
grep -q 'timed out' "$dir/out"
report $? "a wrong key gets no answer"

# Unknown attributes are refused, and counted.  (opensm does not answer, and the host waits.)
on node2 "$build/tests/system/sa-host" sa:1:77 sa:12:39 sa:2:11 end >"$dir/out" 2>&1
[ "$(sort "$dir/out" | tr '\n' ' ')" = "sa:12:39 0x000c sa:1:77 0x000c sa:2:11 0x000c " ]
report $? "unknown attributes are refused"
on node1 "$build/heddlectl" --json status >"$dir/status" 2>&1
grep -q '"bad_attribute": *[3-9]' "$dir/status"
report $? "refused requests are counted"

# The paths that heddlectl exports, in the format of ibacm, are those of saquery for base LIDs:
# source, destination, SL, MTU, rate.
number='function number(t, n, i) {
		if (t !~ /^0x/) return t + 0
		for (i = 3; i <= length(t); i++) n = n * 16 + index("0123456789abcdef", tolower(substr(t, i, 1))) - 1
		return n
	}'
mkdir "$dir/export"
on node1 "$build/heddlectl" export paths "$dir/export"
report $? "heddlectl export paths"
exported() {
	awk "$number"'
		/^#/ || !NF { next }
		/^(Switch|Router|Channel Adapter) 0x[0-9a-f]*, / { src = substr($0, index($0, "base LID") + 9) + 0; next }
		{ split(substr($0, length($1) + 1), f, ":"); print src, number($1), f[2] + 0, f[3] + 0, f[4] + 0 }
		' "$dir/export/ibacm_route.data" | sort >"$dir/exported"
}
exported
peer_on node2 saquery -p 2>/dev/null | awk -v own="$dir/owners" "$number"'
	BEGIN { while ((getline line <own) > 0) { split(line, f, " "); if (f[2] ~ /\+0$/) base[f[1]] = 1 } }
	{ split($0, f, /\.\.+/); sub(/.*[ \t]/, "", f[1]); v[f[1]] = f[2] }
	f[1] == "resv2" && v["slid"] in base && v["dlid"] in base { print v["slid"], v["dlid"], number(v["sl"]), number(v["mtu"]) % 64, number(v["rate"]) % 64 }
	' | sort >"$dir/asked"
[ "$(grep -c . "$dir/asked")" = 100 ] && cmp -s "$dir/exported" "$dir/asked"
status=$?
report $status "the exported paths are those that saquery is told"
[ $status = 0 ] || diff "$dir/exported" "$dir/asked" | head -n 6 | sed 's/^/# /'
[ "$(grep -c "^node[1-5] fe80:0:0:0:" "$dir/export/ibacm_hosts.data")" = 5 ]
report $? "the exported hosts"
on node1 "$build/heddlectl" export paths "$dir/export" --hosts
report $? "heddlectl export paths --hosts"
exported
awk -v own="$dir/owners" '
	BEGIN { while ((getline line <own) > 0) { split(line, f, " "); if (f[2] ~ /^P-/) host[f[1]] = 1 } }
	$1 in host && $2 in host' "$dir/asked" >"$dir/asked-hosts"
[ "$(grep -c . "$dir/asked-hosts")" = 36 ] && cmp -s "$dir/exported" "$dir/asked-hosts"
status=$?
report $status "those between hosts are the paths that saquery is told"
[ $status = 0 ] || diff "$dir/exported" "$dir/asked-hosts" | head -n 6 | sed 's/^/# /'
[ "$(grep -c '"source"' "$dir/export/paths.jsonl")" = 6 ]
report $? "a line for each port of a host"

kill -0 "$manager" 2>/dev/null
report $? "heddled still runs"
lib_end
