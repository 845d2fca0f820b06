#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Invalid options, files, addresses and operands of every tool: the tool prints a message on
# standard error and nothing else, ends with status 2, and the JSON document reports the same.  Then
# a fabric with unresponsive nodes: the tool prints the rest, ends with status 3, and the document
# has `incomplete`.  The options come from the tools themselves (--dump-options), so none is
# forgotten.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
schemas=${top_srcdir:-$here/../..}/docs/schema
check=$build/tests/system/json-check

tools="check_lft_balance dump_fts dump_lfts dump_mfts ibaddr ibcacheedit ibccconfig ibccquery ibcheck ibcmping ibfindnodesusing ibhosts ibidsverify
	iblinkinfo ibmon ibnetdiscover ibnodes ibping ibportstate ibqueryerrors ibroute ibrouters ibstat ibstatus ibswitches ibsysstat ibtop ibtopo
	ibtracert perfquery saquery sminfo smpdump smpquery vendstat"

if ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP no python3"
	exit 0
fi
fabric_start fattree:k=4,levels=2
manager_start host-1

# valid operands of each tool, to which an invalid option is added; %A stands for an address
right() {
	case $1 in
	ibcacheedit) echo "--caguid 0xfe1d0000000600:2 $dir/topo $dir/new" ;;
	ibccconfig) echo "CK 1 0 1" ;;
	ibccquery) echo "CI 1" ;;
	ibcheck) echo "--only links" ;;
	ibfindnodesusing) echo "leaf-0-0 1" ;;
	ibmon) echo "-n 1" ;;
	ibping) echo "-c 1 1" ;;
	ibcmping) echo "-c 1 1" ;;
	ibroute | ibsysstat | vendstat) echo 1 ;;
	ibportstate) echo "1 1" ;;
	ibtop) echo "--once -i 0.1" ;;
	ibtopo) echo draw ;;
	ibtracert) echo "1 2" ;;
	smpdump) echo "1 0x11" ;;
	smpquery) echo "NI 1" ;;
	esac
}

ran=0 wrong=0 documented=
# refused TOOL ARGUMENT...: checks for status 2, a message without the name of a C function, and no
# output; with --json also the document
refused() {
	tool=$1
	shift
	ran=$((ran + 1))
	on host-0 "$build/$tool" "$@" >"$dir/text" 2>"$dir/err" </dev/null
	status=$?
	sed -i '/^\*\*\* WARNING \*\*\*: this command has been replaced/d; /^$/d' "$dir/text"
	if [ "$status" != 2 ] || [ ! -s "$dir/err" ] || [ -s "$dir/text" ]; then
		wrong=$((wrong + 1))
		{ echo "$tool $*: exit status $status, $(wc -c <"$dir/text") bytes of output"; head -n 3 "$dir/err"; } >>"$dir/out"
		return
	fi
	[ "$tool" != "$documented" ] || return  # the document is checked once per tool
	documented=$tool
	on host-0 "$build/$tool" "$@" --json >"$dir/doc" 2>/dev/null </dev/null
	status=$?
	if [ "$status" != 2 ] || ! "$check" "$schemas/$tool.json" "$dir/doc" 2 >"$dir/why" 2>&1 || grep -q '"errors": *\[\]' "$dir/doc"; then
		wrong=$((wrong + 1))
		{ echo "$tool $* --json: exit status $status"; cat "$dir/why"; } >>"$dir/out"
	fi
}

# done_with NAME: a TAP line for all calls of refused since the last one
done_with() {
	[ "$wrong" = 0 ] && [ "$ran" -gt 0 ]
	report $? "$1 ($ran command lines)"
	ran=0 wrong=0
	: >"$dir/out"
}

has() {         # has TOOL OPTION
	"$build/$1" --dump-options | cut -f 1,3 | grep -qx "option	$2"
}

on host-0 "$build/ibnetdiscover" --live >"$dir/topo" 2>/dev/null
on host-0 "$build/ibnetdiscover" --live --cache "$dir/cache" >/dev/null 2>&1
on host-0 "$build/ibnetdiscover" --live --capture "$dir/capture" >/dev/null 2>&1
printf 'CA=hsim0\nPort 1\n' >"$dir/no-equals"
printf 'Speed=1\n' >"$dir/no-key"
printf 'timeout=soon\n' >"$dir/no-number"
head -c 2000 "$dir/cache" >"$dir/half"
head -c 3000 /dev/urandom >"$dir/noise"
printf '{"format": 1, "nodes": [{"guid": "0x1"}]}' >"$dir/no-snapshot"
printf 'Switch 4 "S-1"\n[9] "S-2"[1]\n' >"$dir/no-topo"
: >"$dir/empty"
printf 'SymbolErrorCounter=1\nSymbolErrors=1\n' >"$dir/no-counter"
printf 'SymbolErrorCounter 1\n' >"$dir/no-threshold"
printf 'SymbolErrorCounter=many\n' >"$dir/no-limit"

# ---- options of all tools ----
for tool in $tools; do
	refused "$tool" --no-such-option
	if has "$tool" config; then
		for file in "$dir/none" "$dir/no-equals" "$dir/no-key" "$dir/no-number" "$dir"; do refused "$tool" -z "$file" $(right "$tool"); done
	fi
done
done_with "configuration files that are missing, or no configuration; options that are none"
for tool in $tools; do
	if has "$tool" timeout; then for bad in 0 1x 99999999999; do refused "$tool" -t "$bad" $(right "$tool"); done; fi
	if has "$tool" Port; then for bad in -1 x 255; do refused "$tool" -P "$bad" $(right "$tool"); done; fi
	if has "$tool" sm_port; then for bad in 0 0xc000; do refused "$tool" -s "$bad" $(right "$tool"); done; fi
	if has "$tool" outstanding_smps; then for bad in 0 x 99999; do refused "$tool" -o "$bad" $(right "$tool"); done; fi
	if has "$tool" pkey-idx; then for bad in x 65536; do refused "$tool" -Y "$bad" $(right "$tool"); done; fi
	if has "$tool" m_key; then refused "$tool" -y "auto:$dir/none" $(right "$tool"); fi
	if has "$tool" json-u64; then refused "$tool" --json-u64 words $(right "$tool"); fi
	if has "$tool" node-name-map; then refused "$tool" --node-name-map "$dir/none" $(right "$tool"); fi
done
done_with "numbers that are none, or out of range"
for tool in $tools; do
	has "$tool" select || continue
	case $tool in ibmon | ibtop | ibtopo) load= ;; *) load="--load $dir/capture" ;; esac
	for bad in 'foo:1' 'lid:' 'lid:70000' '(type:sw' 'type:xx' 'port:9-1' "file:$dir/none" 'route:host-0' 'route:host-0->nobody'; do
		refused "$tool" $load --select "$bad" $(right "$tool")
	done
done
done_with "selections that are none"

# ---- files ----
for tool in $tools; do
	has "$tool" load || continue
	case $tool in ibmon | ibtop) continue ;; esac
	for file in "$dir/none" "$dir/half" "$dir/noise" "$dir/no-snapshot" "$dir/no-topo" "$dir/empty" "$dir"; do
		refused "$tool" --load "$file" $(right "$tool")
	done
done
for file in "$dir/none" "$dir/half" "$dir/noise" "$dir/no-snapshot" "$dir/no-topo" "$dir/empty"; do
	for tool in iblinkinfo ibnetdiscover; do
		refused "$tool" --load-cache "$file"
		refused "$tool" --load-cache "$dir/topo" --diff "$file"
	done
	refused iblinkinfo --load-cache "$dir/topo" --filterdownports "$file"
	refused ibqueryerrors --load-cache "$file"
	refused check_lft_balance -l "$dir/topo" -i "$file"
	refused ibcacheedit --caguid 1:2 "$file" "$dir/new"
	refused ibtopo verify --golden "$file"
	refused ibtopo diff "$file"
	refused ibtopo diff "$dir/topo" "$file"
	refused ibcheck --golden "$file"
done
refused ibcacheedit --caguid 1 "$dir/topo" "$dir/new"
refused ibcacheedit --caguid 0xfe1d0000000600:2 "$dir/topo" "$dir/none/new"
refused ibtracert --ports-file "$dir/none"
refused ibtracert --ports-file "$dir/no-equals"
printf '1 2 # %01100d 1 2\n' 0 >"$dir/long"         # no line, and the end of a comment is none either
refused ibtracert --ports-file "$dir/long"
refused ibtopo draw --load "$dir/topo" --output "$dir/none/new"
done_with "saved fabrics that are missing, damaged or something else"
for tool in ibqueryerrors ibcheck; do
	for file in none no-counter no-threshold no-limit; do refused "$tool" --threshold-file "$dir/$file" $([ $tool = ibcheck ] && echo --only counters --interval 0.1); done
done
refused ibqueryerrors -s NoSuchCounter
refused ibcheck --suppress "$dir/none"
printf '#%0510dlink_down\n' 0 >"$dir/long"
refused ibcheck --suppress "$dir/long"
refused ibcheck --only nothing
done_with "thresholds, counters and checks that are not known"

# ---- addresses ----
# with TOOL ADDRESS OPTION...: runs the tool with this address
with() {
	tool=$1 address=$2
	shift 2
	case $tool in
	ibaddr | ibcmping | ibping | ibroute | ibsysstat | perfquery | sminfo | vendstat) refused "$tool" "$@" "$address" ;;
	ibccconfig) refused "$tool" "$@" CK "$address" 0 1 ;;
	ibccquery) refused "$tool" "$@" CI "$address" ;;
	ibfindnodesusing) refused "$tool" "$@" "$address" 1 ;;
	ibportstate) refused "$tool" "$@" "$address" 1 ;;
	ibtracert) refused "$tool" "$@" "$address" 1; refused "$tool" "$@" 1 "$address" ;;
	smpdump) refused "$tool" "$@" "$address" 0x11 ;;
	smpquery) refused "$tool" "$@" NI "$address" ;;
	esac
}
addressed="ibaddr ibccconfig ibccquery ibcmping ibping ibportstate ibroute ibsysstat ibtracert perfquery sminfo smpdump smpquery vendstat"
for tool in $addressed; do
	for bad in 0 0xffff 0xc000 99999 12x 0x '' nobody node:nobody lid:0 lid:x guid:x; do
		# for ibcmping the address can be the name of a service
		case $tool,$bad in ibcmping,[!0-9]* | ibcmping,12x | ibcmping,0x | ibcmping,) continue ;; esac
		with "$tool" "$bad"
	done
	if has "$tool" Direct && "$build/$tool" --dump-options | grep -q '^option	D	Direct		'; then
		for bad in x 1,2 0,x 0,1, ,1 0,0 0,300 0,1,2x ''; do with "$tool" "$bad" -D; done
	fi
	if has "$tool" Guid; then
		for bad in 0 x 0x1 0x1ffffffffffffffff ''; do with "$tool" "$bad" -G; done
	fi
done
for bad in 99 x; do refused ibfindnodesusing leaf-0-0 "$bad"; done
for bad in x 1,2 0,x ''; do
	refused iblinkinfo --live -D "$bad"
	refused ibqueryerrors --live -D "$bad"
done
for bad in x 0 ''; do
	refused iblinkinfo --live -G "$bad"
	refused ibqueryerrors --live -G "$bad"
done
done_with "nodes, LIDs, GUIDs and routes that are none"

# ---- operands ----
for bad in x -1 99999; do
	refused ibportstate 1 "$bad"
	refused ibportstate 1 1 mtu "$bad"
	refused perfquery 1 "$bad"
	refused smpquery PI 1 "$bad"
	refused ibroute 17 "$bad"
	refused smpdump 1 "$bad"
	[ "$bad" = 99999 ] || refused ibping -c "$bad" 1
	refused sminfo -p "$bad" 1
done
refused smpquery NoSuchOperation 1
refused smpquery NI
refused ibportstate 1 1 nonsense
refused ibccquery XX 1
refused ibccconfig XX 1
refused ibtracert 1
refused ibtracert -m 0xb000 1 2
refused ibnetdiscover --diffcheck nothing
refused iblinkinfo --diffcheck nothing
refused ibtopo nonsense
refused ibtop -i 0
refused ibmon -i 0
done_with "operands that are none"

# ---- files with single changes: each is read or refused ----
python3 - "$build/ibnetdiscover" "$dir" >"$dir/out" 2>&1 <<'END'
import random, subprocess, sys
tool, where = sys.argv[1:]
bad = 0
for name in ('topo', 'cache', 'capture'):
	whole = open(where + '/' + name, 'rb').read()
	rnd = random.Random(name)
	for i in range(40):
		data = bytearray(whole)
		for _ in range(rnd.choice((1, 1, 2, 8, 64))):
			at = rnd.randrange(len(data))
			how = rnd.randrange(4)
			if how == 0:
				data[at] = rnd.randrange(256)
			elif how == 1:
				del data[at:at + rnd.choice((1, 3, 40))]
			elif how == 2:
				data[at:at] = data[max(0, at - 30):at]
			else:
				data[at] ^= 1 << rnd.randrange(8)
		open(where + '/mutant', 'wb').write(data)
		r = subprocess.run([tool, '--load', where + '/mutant', '-p'], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
		if r.returncode not in (0, 1, 2, 3) or (r.returncode == 2 and not r.stderr):
			bad += 1
			print(name, i, 'ends with', r.returncode, r.stderr[-300:])
sys.exit(bad)
END
report $? "files with single changes are read or refused"
python3 - "$dir" <<'END'
import json, sys
d = json.load(open(sys.argv[1] + '/capture'))
for n in d['snapshot']['nodes']:
	n['desc'] = b'a\x1b[31m\x01\x7f\n"b'.hex().ljust(128, '0')
json.dump(d, open(sys.argv[1] + '/names', 'w'))
END
cat "$dir/capture" | "$build/iblinkinfo" --load /dev/stdin >"$dir/text" 2>"$dir/out"
[ $? = 2 ] && [ ! -s "$dir/text" ] && grep -q 'not a pipe' "$dir/out"
report $? "a saved fabric from a pipe is refused with a reason"
odd=$(printf '\377')
for line in "iblinkinfo --load no$odd" "ibtracert --load $dir/capture x$odd 3" "ibcheck --load $dir/capture --suppress $odd"; do
	tool=${line%% *}
	# shellcheck disable=SC2086
	"$build"/$line --json >"$dir/doc" 2>"$dir/err"
	status=$?
	[ $status = 2 ] && "$check" "$schemas/$tool.json" "$dir/doc" $status >"$dir/out" 2>&1
	report $? "$tool: arguments that are not UTF-8, in a document"
done
controls=$(printf '[\001\033]')
for form in --csv --json ''; do
	# shellcheck disable=SC2086
	"$build/iblinkinfo" --load "$dir/names" $form >"$dir/text" 2>&1 && grep -q 'a.*31m' "$dir/text" && ! LC_ALL=C grep -n "$controls" "$dir/text" >"$dir/out"
	report $? "control characters of descriptions are escaped: ${form:-text}"
done

# ---- a fabric with unresponsive nodes ----
"$sim" ctl --name "$name" misbehave host-3 mute >"$dir/out" 2>&1
"$sim" ctl --name "$name" misbehave core-0-1 mute >>"$dir/out" 2>&1
partly() {      # partly TOOL ARGUMENT...: prints a part, ends with 3; the document is incomplete
	tool=$1
	shift
	on host-0 "$build/$tool" -t 100 "$@" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
	[ "$status" = 3 ] && { [ -s "$dir/out" ] || [ "$tool" = ibidsverify ]; } && [ -s "$dir/err" ] && on host-0 "$build/$tool" -t 100 "$@" --json >"$dir/doc" 2>/dev/null </dev/null
	[ "$?" = 3 ] && "$check" "$schemas/$tool.json" "$dir/doc" 3 >"$dir/out" 2>&1 &&
		python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); sys.exit(not (d["incomplete"] and d["errors"]))' "$dir/doc"
	status=$?
	cat "$dir/err" >>"$dir/out"
	report "$status" "$tool $*: the half that answers, and that it is half"
}
partly ibnetdiscover --live
partly iblinkinfo --live
partly ibhosts --live
partly ibswitches --live
partly ibnodes --live
partly ibidsverify --live
partly ibqueryerrors --live
partly ibcheck --live --skip counters
partly dump_lfts --live
partly dump_mfts --live
partly check_lft_balance --live -v
partly ibtopo draw --live
partly ibmon --live -n 1
partly ibtop --live --once -i 0.1
partly perfquery --select type:sw --live
lib_end
