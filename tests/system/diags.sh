#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The diagnostics on a simulated fabric that heddled brought up: bugs of infiniband-diags that ours
# do not have, forms of output, saved fabrics, invalid input.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
check=$build/tests/system/json-check
schemas=$top_srcdir/docs/schema

try() {         # try NODE STATUS COMMAND...: runs it, output in $dir/out and $dir/err
	node=$1 want=$2
	shift 2
	on "$node" "$@" >"$dir/out" 2>"$dir/err"
	got=$?
	if [ "$got" != "$want" ]; then echo "exit status $got, wanted $want" >>"$dir/err"; cat "$dir/err" >>"$dir/out"; return 1; fi
}
alone() {       # alone STATUS COMMAND...: the same without a fabric
	want=$1
	shift
	timeout 60 "$@" >"$dir/out" 2>"$dir/err"
	got=$?
	[ "$got" = "$want" ] || { echo "exit status $got, wanted $want" >>"$dir/out"; cat "$dir/err" >>"$dir/out"; return 1; }
}

fabric_start fattree:k=4,levels=3
manager_start host-1

# ---- bugs of infiniband-diags that ours do not have ----
printf 'CA=hsim0\nPort 1\n' >"$dir/conf"
try host-0 2 "$build/sminfo" -z "$dir/conf" && grep -q "$dir/conf:2: " "$dir/err"
report $? "a configuration line without '=' is an error with file and line"
try host-0 2 "$build/sminfo" -z "$dir/none"
report $? "a configuration file named by an option must exist"
if [ -d /sys/class/infiniband ]; then
	skip "ibstat -l without an adapter ends with 255" "this machine has adapters"
else
	alone 255 "$build/ibstat" -l && [ ! -s "$dir/out" ]
	report $? "ibstat -l without an adapter ends with 255"
fi
cat >"$dir/map" <<'MAP'
# names
0x00fe1d0000001400 "first host"   # comment
0xfe1d0000000000 "leaf zero"
no line of a map
0x00fe1d0000001500 without quotes # comment
MAP
try host-0 0 "$build/ibnetdiscover" --live --node-name-map "$dir/map" && grep -q '^Ca.*# "first host"$' "$dir/out" &&
	grep -q '^Switch.*# "leaf zero" ' "$dir/out" && grep -q '"without quotes " lid' "$dir/out" && grep -q "$dir/map:4: " "$dir/err"
report $? "names of the node name map appear in Ca lines too; an invalid line is skipped"
try host-0 2 "$build/ibnetdiscover" --live --node-name-map "$dir/none"
report $? "a node name map named by an option must exist"

# ---- names as addresses, and routes between them ----
try host-0 0 "$build/smpquery" ND host-5 && grep -q 'host-5$' "$dir/out"
report $? "the description of a host is an address"
try host-0 0 "$build/smpquery" ND node:leaf-1-0 && grep -q 'leaf-1-0$' "$dir/out"
report $? "the description of a switch is an address"
try host-0 2 "$build/smpquery" ND nobody && grep -q "can't resolve destination port nobody" "$dir/err"
report $? "an unknown description is refused"
"$sim" ctl --name "$name" errors leaf-0-0:3 SymbolErrorCounter=+300 LinkDownedCounter=+2 >"$dir/out" 2>&1
try host-0 0 "$build/ibtracert" --view host-0 host-8 && [ "$(wc -l <"$dir/out")" = 9 ] &&
	grep -q '^ 2  leaf-0-0:3 -> agg-0-0:1   4x HDR .*  SymbolErrorCounter 300, LinkDownedCounter 2 at leaf-0-0:3$' "$dir/out" &&
	grep -q '^and back over the same links$' "$dir/out" && [ "$(grep -c '  ok$' "$dir/out")" = 5 ]
report $? "ibtracert --view: each link with its counters"
try host-0 0 "$build/ibtracert" --view leaf-3-1 host-0 && grep -q '^leaf-3-1 (LID [0-9]*) -> host-0 (LID 1): 5 links$' "$dir/out" &&
	grep -q '^host-0 (LID 1) -> leaf-3-1 (LID [0-9]*): 5 links$' "$dir/out"
report $? "ibtracert --view: the way back uses other links"
try host-0 0 "$build/ibtracert" --view --json host-5 host-8 && cp "$dir/out" "$dir/doc" && "$check" "$schemas/ibtracert.json" "$dir/doc" 0 >"$dir/out" &&
	[ "$(grep -o '"direction":"back"' "$dir/doc" | wc -l)" = 7 ] && grep -q '"name":"host-5","link":null' "$dir/doc" &&
	[ "$(grep -o '"out_counters":{' "$dir/doc" | wc -l)" = 12 ]
report $? "ibtracert --view as a document"
printf 'host-0 host-8\nhost-5 leaf-0-0 # back\n' >"$dir/pairs"
try host-0 0 "$build/ibtracert" --view --ports-file "$dir/pairs" && [ "$(grep -c '^host.* -> ' "$dir/out")" -ge 2 ]
report $? "ibtracert --view of pairs from a file"
try host-0 2 "$build/ibtracert" --view -m 0xc000 host-0 host-8
report $? "ibtracert --view is refused with a multicast group"

# ---- saved fabrics ----
try host-0 0 "$build/ibnetdiscover" --live && cp "$dir/out" "$dir/topo"
report $? "ibnetdiscover"
alone 0 "$build/ibnetdiscover" --load "$dir/topo" && grep -v '^#' "$dir/out" >"$dir/b" && grep -v '^#' "$dir/topo" | sort >"$dir/a" &&
	sort "$dir/b" | diff "$dir/a" - >"$dir/out"
report $? "--load of its output prints the same output"
try host-0 0 "$build/ibnetdiscover" --live --cache "$dir/cache" && alone 0 "$build/ibnetdiscover" --load-cache "$dir/cache" &&
	grep -v generated "$dir/topo" >"$dir/a" && grep -v generated "$dir/out" >"$dir/b" && diff "$dir/a" "$dir/b" >"$dir/out"
report $? "--cache and --load-cache"
try host-0 0 "$build/ibnetdiscover" --live --json && cp "$dir/out" "$dir/doc" && "$check" "$schemas/ibnetdiscover.json" "$dir/doc" 0 >"$dir/out" &&
	alone 0 "$build/ibnetdiscover" --load "$dir/doc" && grep -v generated "$dir/out" >"$dir/b" && diff "$dir/a" "$dir/b" >"$dir/out"
report $? "--load-cache reads a document, too"
alone 0 "$build/ibnetdiscover" --load "$dir/topo" --diff "$dir/topo" && [ ! -s "$dir/out" ]
report $? "--diff without differences prints nothing, exit status 0"
# Two links of a switch come up at another width.
awk '/^Switch/ { me = $0 } me ~ /"agg-0-0"/ && /^\[[34]\]/ || me ~ /"core-/ && /# "agg-0-0"/ { sub(/4xHDR/, "2xHDR") } { print }' \
	"$dir/topo" >"$dir/other"
alone 1 "$build/ibnetdiscover" --load "$dir/other" --diff "$dir/topo" && [ "$(grep -c '^< .*4xHDR' "$dir/out")" = 4 ] &&
	[ "$(grep -c '^> .*2xHDR' "$dir/out")" = 4 ]
report $? "--diff reports links with another width, exit status 1"
alone 1 "$build/ibnetdiscover" --load "$dir/other" --diff "$dir/topo" --json && cp "$dir/out" "$dir/doc" &&
	"$check" "$schemas/ibnetdiscover.json" "$dir/doc" 1 >"$dir/out" && grep -q '"cable_changed"' "$dir/doc"
report $? "the differences are in the document"
printf '{"format": 1, "nodes": [{"guid": "0x1"}]}' >"$dir/bad"
alone 2 "$build/ibnetdiscover" --load "$dir/bad" && grep -q "$dir/bad: " "$dir/err"
report $? "a damaged document is refused with a sentence"
printf 'Switch 4 "S-1"\n[9] "S-2"[1]\n' >"$dir/bad"
alone 2 "$build/ibnetdiscover" --load "$dir/bad" && grep -q "$dir/bad:" "$dir/err"
report $? "a damaged topology is refused with a sentence"

# ---- what heddled saw ----
try host-1 0 "$build/ibnetdiscover" && grep -v generated "$dir/out" >"$dir/a" && try host-1 0 "$build/ibnetdiscover" --live &&
	grep -v generated "$dir/out" >"$dir/b" && diff "$dir/a" "$dir/b" >"$dir/out"
report $? "what heddled saw is what a sweep sees"
try host-1 0 "$build/ibnetdiscover" --json && grep -q '"source": *"daemon"' "$dir/out" && grep -q '"sent": *0' "$dir/out"
report $? "no MAD is sent if heddled has the answer"
try host-1 0 "$build/ibnetdiscover" --live --json && grep -q '"source": *"live"' "$dir/out"
report $? "--live queries the fabric"

# ---- selections ----
chosen() {      # chosen LINES EXPRESSION
	alone 0 "$build/ibnetdiscover" --load "$dir/topo" -p --select "$2" && [ "$(wc -l <"$dir/out")" = "$1" ]
	report $? "--select '$2'"
}
chosen 40 'type:sw and port:3-4'
chosen 1 'node:host-3'
chosen 24 'nodepat:leaf-* not port:1'
chosen 16 'rate:200 type:ca'
chosen 0 'rate:<100'
chosen 96 'state:act or (port:1 and node:host-0) or not state:act'
chosen 4 'guid:0xfe1d0000000100'
for bad in 'foo:3' '(type:sw' 'type:sw)' 'lid:' '' 'port:9-1' 'rate:x' 'type:sw and'; do
	alone 2 "$build/ibnetdiscover" --load "$dir/topo" --select "$bad" && grep -q 'cannot select' "$dir/err"
	report $? "--select '$bad' is refused"
done

# ---- forms of output ----
try host-0 0 "$build/ibnetdiscover" --live --csv && [ "$(wc -l <"$dir/out")" = 97 ] && head -n 1 "$dir/out" | grep -q '^local.node_guid,'
report $? "--csv: a header and a row for each port"
try host-0 0 "$build/ibnetdiscover" --live -S --csv && [ "$(wc -l <"$dir/out")" = 21 ]
report $? "--csv of a list"
try host-0 0 "$build/ibnetdiscover" --live --ndjson && [ "$(grep -c '^{"type":"ports"' "$dir/out")" = 96 ] &&
	head -n 1 "$dir/out" | grep -q '^{"type":"header","schema":"heddle.ibnetdiscover"' && tail -n 1 "$dir/out" | grep -q '^{"type":"trailer".*"exit_status":0'
report $? "--ndjson: header, records, trailer"
try host-0 2 "$build/smpquery" --json --none && cp "$dir/out" "$dir/doc" && "$check" "$schemas/smpquery.json" "$dir/doc" 2 >"$dir/out"
report $? "an invalid command line gives a document, too"
try host-0 255 "$build/sminfo" --json -C none && cp "$dir/out" "$dir/doc" && "$check" "$schemas/sminfo.json" "$dir/doc" 255 >"$dir/out"
report $? "an unknown device gives a document, too"
try host-0 255 "$build/sminfo" --compat-stdout-errors -C none && grep -q 'iberror: failed: Failed to open' "$dir/out"
report $? "--compat-stdout-errors prints fatal errors on standard output"
try host-0 0 "$build/ibstatus" && [ "$(wc -l <"$dir/out")" = 9 ] && grep -qx "$(printf '\trate:\t\t 200 Gb/sec (4X HDR)')" "$dir/out" &&
	grep -qx "$(printf '\tdefault gid:\t fe80:0000:0000:0000:00fe:1d00:0000:1401')" "$dir/out" &&
	grep -qx "$(printf '\tsm lid:\t\t 0x2')" "$dir/out" && [ -z "$(tail -n 1 "$dir/out")" ]
report $? "ibstatus"
try host-0 0 "$build/ibstatus" hsim0:1 --json && cp "$dir/out" "$dir/doc" && "$check" "$schemas/ibstatus.json" "$dir/doc" 0 >"$dir/out"
report $? "ibstatus --json"
try host-0 255 "$build/ibstatus" none
report $? "ibstatus of an unknown device"

# ---- a route that begins at a LID ----
leaf=$(sed -n 's/^Switch.*"leaf-0-0" base port 0 lid \([0-9]*\) .*/\1/p' "$dir/topo")
try host-0 0 "$build/smpquery" -c NI "$leaf" 0,1 && grep -qx "# Node info: Lid $leaf DR path slid 1; dlid 65535; 0,1" "$dir/out"
report $? "smpquery -c"

# ---- unresponsive nodes ----
"$sim" ctl --name "$name" misbehave host-5 mute >"$dir/out" 2>&1
report $? "host-5 becomes unresponsive"
try host-0 3 "$build/ibnetdiscover" --live && grep -q '^Ca' "$dir/out" && ! grep -q '"host-5"' "$dir/out" &&
	grep -Eq ': timeout: DR path slid 0; dlid 0; 0(,[0-9]+)+ NodeInfo 0$' "$dir/err"
report $? "the rest is printed, the unresponsive node is named, exit status 3"
try host-0 3 "$build/ibnetdiscover" --live --json && cp "$dir/out" "$dir/doc" && "$check" "$schemas/ibnetdiscover.json" "$dir/doc" 3 >"$dir/out" &&
	grep -q '"incomplete": *true' "$dir/doc" && grep -q '"code": *"timeout"' "$dir/doc"
report $? "the document names the unresponsive node"

# ---- ports protected by an M_Key ----
name=$name-key
fabric_start fattree:k=4,levels=2
printf '%s\n' '# m_key = 0x1' '/* m_key = 0x2 */' 'm_key = "0x5ec4e75b5ec4e75c" // ours' >"$dir/heddled.conf"
chmod 0600 "$dir/heddled.conf"
manager_start host-1 -F "$dir/heddled.conf"
try host-0 0 "$build/smpquery" -K -D PI 0,1,2 && grep -q '^Mkey:\.*0x0000000000000000$' "$dir/out"
report $? "a reader without the M_Key does not see it"
try host-0 0 "$build/smpquery" -K -y 0x5ec4e75b5ec4e75c -D PI 0,1,2 && grep -q '^Mkey:\.*0x5ec4e75b5ec4e75c$' "$dir/out" && cp "$dir/out" "$dir/a" &&
	try host-0 0 "$build/smpquery" -K -y "auto:$dir/heddled.conf" -D PI 0,1,2 && diff "$dir/a" "$dir/out" >"$dir/b"
report $? "-y auto:FILE reads the M_Key from heddled.conf"
try host-0 3 "$build/ibportstate" -t 100 -D 0,1 1 mtu 3
report $? "a Set without the M_Key gets no answer"
try host-0 0 "$build/ibportstate" -y "auto:$dir/heddled.conf" -D 0,1 1 mtu 3
report $? "a Set with the M_Key is answered"
chmod 0660 "$dir/heddled.conf"
try host-0 2 "$build/smpquery" -y "auto:$dir/heddled.conf" -D PI 0,1,2 && grep -q 'may have been written by others' "$dir/err"
report $? "a file that others may write is refused"
echo 'm_key_lease_period = 3' >"$dir/heddled.conf"
chmod 0600 "$dir/heddled.conf"
try host-0 3 "$build/ibportstate" -y "auto:$dir/heddled.conf" -D 0,1 1 mtu 4 && grep -q 'the heddled of this host gives none' "$dir/err"
report $? "without m_key in the file, heddled is queried for the keys: no heddled runs here"
try host-0 0 "$build/smpquery" -y "auto:$dir/heddled.conf" -D PI 0,1,2
report $? "reading needs no key"
try host-0 2 "$build/smpquery" -y "auto:$dir/none" -D PI 0,1,2
report $? "a missing file is an error"
fabric_stop
fabric_start fattree:k=4,levels=2
manager_start host-1 -F /dev/null
try host-0 3 "$build/ibportstate" -t 100 -D 0,1 1 mtu 3
report $? "ports are protected by default"
on host-1 "$build/ibportstate" -y auto -D 0,1 1 mtu 3 >"$dir/out" 2>&1 && on host-1 "$build/ibportstate" -y auto 1 1 mtu 3 >"$dir/out" 2>&1
report $? "on the manager's host -y auto writes with the key of each port"
key=$(on host-1 "$build/heddlectl" key host-0) && [ "$key" != "$(on host-1 "$build/heddlectl" key host-1)" ] &&
	try host-0 0 "$build/ibportstate" -y "$key" -D 0 1 mtu 3
report $? "heddlectl key shows the key of a port to root"

# ---- a signal during the work ----
"$sim" ctl --name "$name" latency 100000 >"$dir/out" 2>&1
on host-0 timeout -s INT 3 "$build/ibnetdiscover" --live --json -o 1 >"$dir/doc" 2>"$dir/err"
"$check" "$schemas/ibnetdiscover.json" "$dir/doc" 3 >"$dir/out"
report $? "the document is printed after a signal, too"
"$sim" ctl --name "$name" latency 0 >"$dir/out" 2>&1
lib_end
