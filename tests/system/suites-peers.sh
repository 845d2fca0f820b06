#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Both suites on a fabric that heddled brought up and on one that opensm brought up: each tool ends
# with the same status as the other suite's; and the simulator of each suite reads the output of the
# other ibnetdiscover.  Not here: ibstatus, which reads /sys; vendstat, whose devices are not in
# this fabric; ibcacheedit and check_lft_balance, which read files (diags-peers.sh, links-peers.sh,
# tables-peers.sh).
here=$(dirname "$0")
. "$here/ibsim.sh"
lib_begin opensm ibnetdiscover saquery
spec=fattree:k=4,levels=2

# theirs TOOL ARGUMENT...: runs the distribution's tool, with its programs in PATH for scripts
theirs() {
	tool=$1
	shift
	case $tool in
	ibfindnodesusing | ibidsverify | check_lft_balance)
		peer_script host-0 "$tool" "$@"
		;;
	*) PATH=$peers/usr/sbin:$PATH peer_on host-0 "$tool" "$@" ;;
	esac
}
scripts=
! peer_perl || scripts=yes

# both STATUS TOOL ARGUMENT...: both end with STATUS, and both print something, or neither does
both() {
	want=$1 tool=$2
	shift 2
	case $tool in
	ibfindnodesusing | ibidsverify | check_lft_balance) [ -n "$scripts" ] || { skip "$who: $tool $*" "no Perl"; return; } ;;
	esac
	live=
	"$build/$tool" --dump-options | cut -f 3 | grep -qx live && live=--live
	theirs "$tool" "$@" >"$dir/a" 2>"$dir/a.err" </dev/null
	one=$?
	on host-0 "$build/$tool" $live "$@" >"$dir/b" 2>"$dir/b.err" </dev/null
	two=$?
	{ echo "theirs $one, ours $two, wanted $want"; head -n 5 "$dir/a.err" "$dir/b.err"; } >"$dir/out"
	[ "$one" = "$want" ] && [ "$two" = "$want" ] && if [ -s "$dir/a" ]; then [ -s "$dir/b" ]; else [ ! -s "$dir/b" ]; fi
	report $? "$who: $tool $*"
}

lid_of() {      # lid_of NAME
	sed -n 's/^\(Switch\|Ca\).*# "'"$1"'".*/&/p' "$dir/topo" >"$dir/line"
	case $1 in
	host-*) sed -n '/^Ca.*"'"$1"'"/,/^$/s/.*# lid \([0-9]*\) lmc.*/\1/p' "$dir/topo" ;;
	*) sed -n 's/^Switch.*"'"$1"'" .* lid \([0-9]*\) .*/\1/p' "$dir/topo" ;;
	esac
}

all_tools() {   # runs all tools on the fabric that $who brought up
	on host-0 "$build/ibnetdiscover" --live >"$dir/topo" 2>/dev/null
	leaf=$(lid_of leaf-0-0) host=$(lid_of host-5)
	guid=$(sed -n '/^Ca.*"host-5"/,/^$/s/^\[1\](\([0-9a-f]*\)).*/0x\1/p' "$dir/topo")
	[ -n "$leaf" ] && [ -n "$host" ] && [ -n "$guid" ]
	report $? "$who: every port has its LID"
	both 0 ibstat
	both 0 ibaddr
	both 0 ibaddr "$host"
	both 0 ibaddr -G "$guid"
	both 0 ibnetdiscover
	both 0 ibnetdiscover -p
	both 0 ibnodes
	both 0 ibhosts
	both 0 ibswitches
	both 0 ibrouters
	both 0 iblinkinfo
	both 0 iblinkinfo -l
	both 0 ibqueryerrors
	both 0 perfquery
	both 0 perfquery "$leaf" 1
	both 0 perfquery -x -a "$leaf"
	both 0 ibportstate "$leaf" 3
	both 0 ibportstate -G "$guid" 1
	for op in "NI $host" "ND $host" "PI $leaf 1" "SI $leaf" "PKeys $host" "SL2VL $leaf 1" "VLArb $leaf 1" "GI $host"; do
		# shellcheck disable=SC2086
		both 0 smpquery $op
	done
	both 0 smpdump "$host" 0x11
	both 0 sminfo
	for query in NR PIR "PR --slid $host" SMIR LR "LFTR $leaf" MCMR CPI SWIR GIR -D "-L host-5" -g; do
		# shellcheck disable=SC2086
		both 0 saquery $query
	done
	both 0 ibtracert 1 "$host"
	both 0 ibtracert -G "$(on host-0 "$build/ibstat" -p)" "$guid"
	both 0 ibroute "$leaf"
	both 0 ibroute -M "$leaf"
	both 0 dump_fts
	both 0 dump_lfts
	both 0 dump_mfts
	both 0 ibidsverify
	both 0 ibfindnodesusing "0x$(sed -n 's/^Switch.*"S-\([0-9a-f]*\)".*"leaf-0-0".*/\1/p' "$dir/topo")" 3
	both 0 ibccquery CI "$host"
	both 0 ibccquery SP "$leaf" 1
	both 0 ibccconfig -c 0 CK "$host" 0 0 0 0
	# servers of one suite, clients of the other
	for suite in ours theirs; do
		node=host-2
		for tool in ibping ibsysstat; do
			if [ $suite = ours ]; then
				spawn $node /dev/null "$build/$tool" -S
			else
				node=host-3
				peer_spawn $node /dev/null "$tool" -S
			fi
		done
		lid=$(lid_of $node) tries=0
		until { on host-0 "$build/ibping" -f -c 1 -t 100 "$lid" && on host-0 "$build/ibsysstat" -t 100 "$lid"; } >/dev/null 2>&1 || [ $((tries += 1)) -gt 50 ]; do sleep 0.2; done
		both 0 ibping -f -c 3 "$lid"
		both 0 ibsysstat "$lid"
	done
}

fabric_start $spec
manager_start host-1
who=heddled
all_tools

# ---- each simulator reads the output of the other suite's ibnetdiscover ----
on host-0 "$build/ibnetdiscover" --live >"$dir/ours.topo" 2>/dev/null
peer_on host-0 ibnetdiscover >"$dir/theirs.topo" 2>/dev/null
if ibsim_find && ibsim_ours "$build/ibnetdiscover"; then
	ibsim_start "$dir/ours.topo"
	report $? "ibsim reads what our ibnetdiscover prints"
	host=$(sed -n 's/^Ca.*"\(.*\)".*"host-0"$/\1/p' "$dir/ours.topo")
	for suite in ours theirs; do
		if [ $suite = ours ]; then
			ibsim_on "$host" "$build/ibnetdiscover" >"$dir/found" 2>"$dir/err"
		else
			ibsim_peer "$host" ibnetdiscover >"$dir/found" 2>"$dir/err"
		fi
		# LIDs are masked, because no manager runs on ibsim
		lines "$dir/found" | sed 's/lid [0-9]*/lid N/g' >"$dir/b"
		lines "$dir/ours.topo" | sed 's/lid [0-9]*/lid N/g' | diff - "$dir/b" >"$dir/out"
		report $? "on that fabric ibnetdiscover ($suite) prints the same"
	done
else
	skip "ibsim reads what our ibnetdiscover prints" "$why"
fi
name=$name-t
fabric_start "$dir/theirs.topo"
report $? "heddle-sim reads what the distribution's ibnetdiscover prints"
for suite in ours theirs; do
	if [ $suite = ours ]; then on host-0 "$build/ibnetdiscover" --live >"$dir/found" 2>/dev/null; else peer_on host-0 ibnetdiscover >"$dir/found" 2>/dev/null; fi
	lines "$dir/found" | sed 's/lid [0-9]*/lid N/g' >"$dir/b"
	lines "$dir/theirs.topo" | sed 's/lid [0-9]*/lid N/g' | diff - "$dir/b" >"$dir/out"
	report $? "on that fabric ibnetdiscover ($suite) prints the same"
done

name=$name-o
fabric_start $spec
opensm_up host-1
who=opensm
all_tools
lib_end
