#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# heddled on the distribution's own simulator: its example nets and a tree of 54 switches come up
# with every port ACTIVE and with the minimum of datagrams; the distribution's tools then see what
# heddled reports. HEDDLE_PEERS names a directory into which ibsim-utils and infiniband-diags are
# unpacked.
here=$(dirname "$0")
. "$here/ibsim.sh"
ibsim_begin
ibsim_ours "$build/heddled" || skip_all "$why"
export STATE_DIRECTORY="$dir/state"
LIMIT=120

# Without SIM_SET_ISSM: umad2sim would set IsSM before anything receives, and fail at the trap of a
# port that has a master SM already.
manage() {      # runs heddled once, on $host
	ibsim_on "$host" "$build/heddled" -F /dev/null --once --report "$dir/report.json" >"$dir/out" 2>&1
}

get() {         # get KEY: prints an integer or a word of the report
	sed -n "s/^  *\"$1\": \"\{0,1\}\([A-Za-z0-9 ]*\)\"\{0,1\},\{0,1\}$/\1/p" "$dir/report.json" | head -n 1
}

bring_up() {    # bring_up NAME FILE HOST [SMPS]
	host=$3
	if ! ibsim_start "$2"; then
		report 1 "$1: ibsim starts"
		fabric_stop
		return
	fi
	rm -rf "$dir/state"
	manage
	report $? "$1: exit 0: every port ACTIVE, the routing verified"
	[ "$(get outcome)" = up ] && [ "$(get armed)" = 0 ] && [ "$(get init)" = 0 ] && [ "$(get loops)" = 0 ]
	report $? "$1: the report has no port below Active" "$dir/report.json"
	if [ -n "${4:-}" ]; then
		# Requests repeated because the simulator was not scheduled in time are not counted.
		[ $(($(get sent) - $(get retried))) = "$4" ]
		report $? "$1: $(get sent) datagrams, $(get retried) repeated, the minimum is $4" \
			"$dir/report.json"
	fi
	ibsim_peer "$host" iblinkinfo >"$dir/links" 2>/dev/null
	! grep -qE 'Initialize|Armed' "$dir/links" && grep -q Active "$dir/links"
	report $? "$1: iblinkinfo finds no port in Initialize or Armed" "$dir/links"
	tries=0
	while                   # until no request was repeated, because repeated ones are counted
		rm -f "$dir/report.json"
		manage
		status=$?
		tries=$((tries + 1))
		[ $status = 0 ] && [ "$(get retried)" != 0 ] && [ $tries -lt 10 ]
	do :; done
	report $status "$1: a second run ends with 0"
	[ "$(sed -n 's/^  *"LinearForwardingTable": \([0-9]*\).*/\1/p' "$dir/report.json")" = "$(lft_reads)" ]
	report $? "$1: a second run reads the tables and writes none" "$dir/report.json"
	fabric_stop
}

lft_reads() {   # switches x blocks: the number of Gets of a warm start
	s=$(get switches)
	top=$(get lids)
	echo $((s * (top / 64 + 1)))
}

for net in net net.1 net.2sw2path net.2sw2path4hca net.2sw2path4hca2port; do
	bring_up "$net" "$nets/$net" "$(ibsim_hosts "$nets/$net" | head -n 1)"
done
"$build/tests/system/topology" fattree:k=36,levels=2 >"$dir/tree.topo"
bring_up "54 switches" "$dir/tree.topo" "$(ibsim_hosts "$dir/tree.topo" | head -n 1)" 11287
lib_end
