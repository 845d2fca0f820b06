#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The same fabric, brought up by the distribution's opensm and by heddled: its saquery is told the same by both.
# LIDs are compared by who owns them (ibnetdiscover tells).  Not compared is what each manager decides for itself:
# preferences, the enforcement bits of switch ports, MulticastFDBTop (opensm sets the last MLID in use, heddled the last there
# may be), what it can do.
# HEDDLE_PEERS names a directory into which opensm, infiniband-diags and their libraries are unpacked.
peers=${HEDDLE_PEERS:-}
build=${top_builddir:-.}
tools=$peers/usr/sbin
if [ -z "$peers" ] || [ ! -x "$tools/opensm" ] || [ ! -x "$tools/saquery" ]; then
	echo "1..0 # SKIP HEDDLE_PEERS names no directory with opensm and infiniband-diags"
	exit 0
fi
libs=$(find "$peers/usr/lib" -name libosmvendor.so.5 2>/dev/null | head -n 1)
libs=$(dirname "$libs")
dir=$(mktemp -d) || exit 99
export XDG_RUNTIME_DIR="$dir" RUNTIME_DIRECTORY="$dir"
unset STATE_DIRECTORY NOTIFY_SOCKET
name=sa-$$
server= manager=
cleanup() {
	for p in $manager $server; do kill -9 "$p" 2>/dev/null; done
	wait
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 99' HUP INT TERM
count=0

report() {      # report STATUS NAME
	count=$((count + 1))
	if [ "$1" = 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}

# Two leaves, two cores, links of several speeds to the hosts, a host on both leaves.
# Every port of a switch has a cable: of others opensm keeps no PortInfo.
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

tool() {        # tool NODE TOOL ARGUMENT...: one of the distribution's programs
	node=$1 program=$2
	shift 2
	LD_LIBRARY_PATH=$libs timeout 60 "$build/heddle-sim" exec --name $name --node "$node" -- "$tools/$program" "$@"
}

within() {      # within SECONDS COMMAND...
	tries=$(($1 * 5))
	shift
	until "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.2
	done
}

serve() {       # serve TOPOLOGY
	: >"$dir/ready"
	"$build/heddle-sim" serve --name $name --topology "$1" >"$dir/ready" 2>"$dir/err" &
	server=$!
	within 10 grep -qx ready "$dir/ready" && return 0
	sed 's/^/# /' "$dir/err"
	echo "Bail out! heddle-sim does not serve $1"
	exit 99
}

finish() {
	kill -9 "$manager"      # opensm may take its time over SIGTERM
	wait "$manager" 2>/dev/null
	kill "$server"
	wait "$server"
	server= manager=
}

sees() {        # sees NODE RECORDS: saquery -N answers with so many
	[ "$(tool "$1" saquery -N 2>/dev/null | grep -c 'NodeRecord dump')" = "$2" ]
}

# LIDs of the fabric as "LID OWNER+OFFSET", from ibnetdiscover's comments.
owners() {
	sed -n -e 's/^Switch.*"\(S-[0-9a-f]*\)".* lid \([0-9]*\) lmc \([0-9]*\)$/\2 \3 \1/p' \
		-e 's/^\[[0-9]*\](\([0-9a-f]*\)).*# lid \([0-9]*\) lmc \([0-9]*\) .*/\2 \3 P-\1/p' "$1" |
	awk '{ for (i = 0; i < 2 ^ $2; i++) print $1 + i, $3 "+" i }'
}

# One record a line, its LIDs by their owners, sorted.
records() {     # records OWNERS <TEXT
	awk -v own="$1" '
		function put() { if (r != "") print r; r = "" }
		BEGIN { while ((getline line <own) > 0) { split(line, f, " "); who[f[1]] = f[2] } }
		/^[A-Za-z]/ { put() }
		/(preference|PartEnforce..?.?.?b:|ActCount|base_lid|MulticastFDBTop)\.*/ { next }
		/[a-zA-Z]*([lL]id|LID):?\.+[0-9]+$/ { n = $0; sub(/.*\./, "", n); sub(/[0-9]+$/, n in who ? who[n] : "?" n) }
		{ gsub(/\t/, " "); r = r $0 ";" }
		END { put() }' | LC_ALL=C sort
}

lid_of() { sed -n "s/ $1+$2\$//p" "$dir/owners"; }

ask() {         # ask FILE ARGUMENT...: from node2
	file=$1
	shift
	tool node2 saquery "$@" >"$dir/out" 2>&1
	records "$dir/owners" <"$dir/out" >"$dir/$who.$file"
}

questions() {   # questions: the same for both managers
	tool node2 ibnetdiscover >"$dir/discovered" 2>/dev/null
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
	tool node2 saquery -D 2>/dev/null | sed 's/^ *[0-9]* *"/"/' | sort >"$dir/$who.hosts-list"
	tool node2 saquery CPI 2>/dev/null | grep -v 'apability mask' >"$dir/$who.class-port-info"
}

guid() {        # guid NODE PORT: "P-..." of a host's port
	awk -v node="\"$1\"" -v port="[$2](" '
		/^Ca/ { on = index($0, "# " node) }
		on && index($1, port) == 1 { sub(/.*\(/, "", $1); sub(/\).*/, "", $1); print "P-" $1 }' "$dir/discovered"
}

groups() {      # groups P-GUID: 16 digits as a GID's lower half
	printf '%016x' "0x${1#P-}" | sed 's/\(....\)\(....\)\(....\)\(....\)/\1:\2:\3:\4/'
}

who=opensm
serve "$dir/net"
LD_LIBRARY_PATH=$libs "$build/heddle-sim" exec --name $name --node node1 -- "$tools/opensm" -l 1 -f "$dir/osm.log" >/dev/null 2>&1 &
manager=$!
within 30 sees node2 10
report $? "opensm brings the fabric up and answers"
questions
finish

who=heddled
serve "$dir/net"
"$build/heddle-sim" exec --name $name --node node1 -- "$build/heddled" -F /dev/null --set sa_key=1 -l 1 >"$dir/heddled.log" 2>&1 &
manager=$!
within 30 sees node2 10
report $? "heddled brings the same fabric up and answers"
questions
for file in "$dir"/opensm.*; do
	what=${file##*/opensm.}
	case $what in
	nobody | no-paths | paths-of-nobody | paths-to-nowhere | paths-by-other-pkey) wanted=0 ;;
	*) wanted=1 ;;
	esac
	lines=$(grep -c . "$file")
	[ $((lines > 0)) = $wanted ] && cmp -s "$file" "$dir/heddled.$what"
	status=$?
	report $status "the same text: $what ($lines records)"
	[ $status = 0 ] || diff "$file" "$dir/heddled.$what" | cut -c 1-600 | head -n 6 | sed 's/^/# /'
done

sees node1 10
report $? "a question from the manager's own port"
tool node2 saquery SMIR 2>&1 | grep -q "^.*GUID\.*0x0*$(guid node1 1 | sed 's/P-0*//')"
report $? "SMInfoRecord names the manager"
tool node2 saquery PKTR >"$dir/out" 2>&1
grep -q 'SA_ERR_REQ_DENIED' "$dir/out"
report $? "P_Key tables are refused without the key"
[ "$(tool node2 saquery --smkey 1 PKTR 2>/dev/null | grep -c 'PKeyTableRecord dump')" = 10 ]
report $? "and shown with it"
tool node2 saquery --smkey 2 -t 300 -N >"$dir/out" 2>&1
grep -q 'timed out' "$dir/out"
report $? "a wrong key is met with silence"

# What heddlectl exports, read as ibacm reads it, is what saquery is told of base LIDs: source, destination, SL, MTU, rate.
number='function number(t, n, i) {
		if (t !~ /^0x/) return t + 0
		for (i = 3; i <= length(t); i++) n = n * 16 + index("0123456789abcdef", tolower(substr(t, i, 1))) - 1
		return n
	}'
mkdir "$dir/export"
"$build/heddle-sim" exec --name $name --node node1 -- "$build/heddlectl" export paths "$dir/export"
report $? "heddlectl export paths"
awk "$number"'
	/^#/ || !NF { next }
	/^(Switch|Router|Channel Adapter) 0x[0-9a-f]*, / { src = substr($0, index($0, "base LID") + 9) + 0; next }
	{ split(substr($0, length($1) + 1), f, ":"); print src, number($1), f[2] + 0, f[3] + 0, f[4] + 0 }
	' "$dir/export/ibacm_route.data" | sort >"$dir/exported"
tool node2 saquery -p 2>/dev/null | awk -v own="$dir/owners" "$number"'
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

kill -0 "$manager" 2>/dev/null
report $? "heddled is still there"
finish
echo "1..$count"
