# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=sh disable=SC2154
#
# kmod - the real MAD layer over an InfiniBand link: three nodes of a simulated fabric are adapters of this kernel (vca0 to vca2 are host-0
# to host-2 of twelve switches and 32 hosts). heddled, the diagnostics and the distribution's programs run over /dev/infiniband/umad*.
# The judge is `heddle-sim ctl summary`, which reads the registers of switches and ports; and the same scenario over the preloaded library in
# place of the kernel, which must end in the same state.
work=/run/lab/kmod
spec=fattree:k=8,levels=2
ports=128               # that are cabled
mkdir -p $work
sim=$ours/heddle-sim
echo 'force_log_flush TRUE' >$work/opensm.conf

fabric_start() {        # fabric_start NAME [OPTION...]; its process is $fabric
	fabric_name=$1
	shift
	: >$work/ready
	"$sim" serve --name "$fabric_name" --topology $spec "$@" >$work/ready 2>$work/sim &
	fabric=$!
	await 20 grep -qx ready $work/ready
}
fabric_end() {
	kill "$fabric"
	wait "$fabric" 2>/dev/null
}
summary() {
	"$sim" ctl --name "$fabric_name" summary >$work/summary 2>&1
}
value() {
	sed -n "s/^$1: //p" $work/summary
}
right() {               # right PORTS: everything linked is ACTIVE, LIDs are unique, every walk arrives
	summary && [ "$(value 'ports linked')" = "$1" ] && [ "$(value 'ports active')" = "$1" ] && [ "$(value 'lids missing')" = 0 ] &&
		[ "$(value 'lids duplicate')" = 0 ] && [ "$(value 'walks lost')" = 0 ]
}
comes_right() {         # a case: comes_right NAME SECONDS [PORTS]
	await "$2" right "${3:-$ports}"
	judge "$1" $? "the fabric is not right after $2 s" $work/summary
}
manager_start() {       # manager_start CA [OPTION...]; its process is $manager, its output $work/CA
	manager_ca=$1
	shift
	RUNTIME_DIRECTORY=$work/run-$manager_ca STATE_DIRECTORY=$work/state-$manager_ca "$ours/heddled" -F /dev/null -C "$manager_ca" \
		--set sm_key=1 --set m_key=0 "$@" >"$work/$manager_ca" 2>&1 &
	manager=$!
}
manager_says() {        # manager_says CA: the state of that manager
	"$ours/heddlectl" --socket $work/run-"$1"/heddled.sock status >$work/status 2>&1
	sed -n 's/^SM State *: *\([A-Za-z]*\).*/\1/p' $work/status
}
is_state() {
	[ "$(manager_says "$1")" = "$2" ]
}
opensm_start() {        # opensm_start CA [OPTION...]; its process is $manager
	manager_ca=$1
	shift
	rm -rf $work/cache
	mkdir -p $work/cache
	OSM_CACHE_DIR=$work/cache OSM_TMP_DIR=$work/cache opensm -F $work/opensm.conf -g "$(guid_of "$manager_ca")" -f "$work/opensm-$manager_ca.log" "$@" \
		>$work/opensm 2>&1 &
	manager=$!
}
gone() {                # gone PID
	! kill -0 "$1" 2>/dev/null
}
manager_end() {         # manager_end PID
	kill "$1" 2>/dev/null
	await 20 gone "$1" || kill -9 "$1"
	wait "$1" 2>/dev/null
}
guid_of() {
	echo "0x$(sed 's/.*fe80:0000:0000:0000:\(.*\)/\1/; s/://g' "/sys/class/infiniband/$1/ports/1/gids/0")"
}
lid_of() {
	printf %d "$(cat "/sys/class/infiniband/$1/ports/1/lid")"
}
is_sm() {               # is_sm CA: bit 1 of the capabilities that the kernel shows
	[ $(($(cat "/sys/class/infiniband/$1/ports/1/cap_mask") & 2)) -ne 0 ]
}
says() {                # a case: says NAME PATTERN COMMAND...: it succeeds and prints that
	says_name=$1 says_pattern=$2
	shift 2
	have "$1" || { skip "$says_name" "no ${1##*/} here"; return; }
	timeout -k 2 "${LIMIT:-30}" "$@" >/run/lab/out 2>&1 && grep -q -- "$says_pattern" /run/lab/out
	judge "$says_name" $? "no '$says_pattern' from $*" /run/lab/out
}
same() {                # a case: same NAME COMMAND...: the distribution's program and ours print the same
	same_name=$1 same_tool=$2
	shift 2
	have "$same_tool" || { skip "$same_name" "no $same_tool here"; return; }
	timeout -k 2 "${LIMIT:-30}" "$same_tool" "$@" >$work/theirs 2>$work/theirs.err
	same_status=$?
	timeout -k 2 "${LIMIT:-30}" "$ours/$same_tool" "$@" >$work/ours 2>$work/ours.err
	[ $? = $same_status ] && grep -v '^# .*20[0-9][0-9]' $work/theirs >$work/a && grep -v '^# .*20[0-9][0-9]' $work/ours >$work/b && diff $work/a $work/b >/run/lab/out
	judge "$same_name" $? "$same_tool $* differs (<: theirs)" /run/lab/out
}

# ---- adapters ----
run module insmod /lab/heddle_vca.ko
run device test -c /dev/heddle-vca
if ! fabric_start kmod --vca host-0,host-1,host-2; then
	judge adapters 1 "heddle-sim does not start" $work/sim
	return 0
fi
run adapters test -c /dev/infiniband/umad2 -a -c /dev/infiniband/issm2
says before-a-manager Initializing ibstat vca1
says route-to-itself host-0 smpquery -C vca0 -D nodedesc 0
says route-to-others host-1 "$ours/smpquery" -C vca0 -D nodedesc 0,1,2
run a-route-that-ends-nowhere sh -c "! $ours/smpquery -C vca0 -t 200 -D nodedesc 0,1,99"

# ---- heddled ----
manager_start vca0
heddled=$manager
comes_right heddled-brings-it-up 60
await 10 grep -q 'SUBNET UP' $work/vca0
judge heddled-says-so $? "no SUBNET UP" $work/vca0
for ca in vca0 vca1 vca2; do
	says "active-$ca" ACTIVE cat /sys/class/infiniband/$ca/ports/1/state
done
is_sm vca0 && ! is_sm vca1
judge issm-of-the-manager-only $? "cap_mask" /sys/class/infiniband/vca0/ports/1/cap_mask
says sysfs-sm-lid "^0x$(printf %x "$(lid_of vca0)")$" cat /sys/class/infiniband/vca1/ports/1/sm_lid
says sysfs-pkey 0xffff cat /sys/class/infiniband/vca1/ports/1/pkeys/0

# ---- diagnostics, theirs and ours ----
export LIMIT=60
here=$(lid_of vca1) there=$(lid_of vca2)
"$ours/heddlectl" --socket $work/run-vca0/heddled.sock snapshot >$work/switches 2>/dev/null
same same-ibstat ibstat vca1
same same-ibnetdiscover ibnetdiscover -C vca1
same same-iblinkinfo iblinkinfo -C vca1
says sminfo SMINFO_MASTER sminfo -C vca1
says our-sminfo SMINFO_MASTER "$ours/sminfo" -C vca1
same same-smpquery-portinfo smpquery -C vca1 portinfo "$there" 1
same same-smpquery-nodeinfo smpquery -C vca1 nodeinfo "$there"
same same-smpquery-pkeys smpquery -C vca1 pkeys "$there" 1
same same-smpquery-sl2vl smpquery -C vca1 sl2vl "$there" 1
same same-smpquery-D-portinfo smpquery -C vca1 -D portinfo 0,1 1
same same-ibtracert ibtracert -C vca1 "$here" "$there"
same same-ibroute ibroute -C vca1 "$(awk '$1 == "0" && $3 == "LID" { print $4; exit }' $work/switches)"
same same-saquery-N saquery -C vca1 -N
same same-saquery-s saquery -C vca1 -s
says perfquery PortXmitPkts perfquery -C vca1 "$there" 1
says our-perfquery PortXmitPkts "$ours/perfquery" -C vca1 "$there" 1
says ibstat "Active" ibstat vca2
timeout 60 saquery -C vca1 -p >$work/theirs 2>&1 && timeout 60 "$ours/saquery" -C vca1 -p >$work/ours 2>&1 && cmp $work/theirs $work/ours >/run/lab/out 2>&1 &&
	[ "$(grep -c dlid $work/ours)" -ge 1024 ]
judge table-of-all-paths $? "$(wc -l <$work/theirs) and $(wc -l <$work/ours) lines" /run/lab/out

ping_pair() {           # ping_pair NAME SERVER SERVER_CA CLIENT CLIENT_CA; SERVER and CLIENT are words of a command
	# shellcheck disable=SC2086
	$2 -C "$3" -S >$work/server 2>&1 &
	ping_server=$!
	sleep 0.5
	# shellcheck disable=SC2086
	says "$1" '0% packet loss' $4 -C "$5" -c 2 "$(lid_of "$3")"
	kill $ping_server
	wait $ping_server 2>/dev/null
}
ping_pair ping-theirs ibping vca1 ibping vca2
ping_pair ping-ours "$ours/ibping" vca2 "$ours/ibping" vca1
ping_pair ping-ours-to-theirs ibping vca2 "$ours/ibping" vca1
ping_pair ping-theirs-to-ours "$ours/ibping" vca1 ibping vca2

# ---- what only a kernel says ----
"$ours/ibping" -C vca1 -S >$work/server 2>&1 &
server=$!
sleep 1
timeout 10 "$ours/ibping" -C vca1 -S >/run/lab/out 2>&1
[ $? -eq 255 ]
judge class-is-taken $? "a second server of one class on one port is refused" /run/lab/out
kill -9 $server
wait $server 2>/dev/null
ping_pair class-is-free-when-its-holder-is-killed "$ours/ibping" vca1 "$ours/ibping" vca2
timeout 20 "$ours/heddled" -F /dev/null -C vca0 >/run/lab/out 2>&1
[ $? -eq 255 ] && grep -q 'refused management class' /run/lab/out
judge second-manager-on-one-port $? "is refused in a sentence" /run/lab/out
run nobody-answers sh -c "! $ours/smpquery -C vca1 -t 300 nodeinfo 4000"
run nobody-answers-theirs sh -c "! smpquery -C vca1 -t 300 nodeinfo 4000"

# ---- the same over the preloaded library ----
export LIMIT=30
"$ours/ibnetdiscover" -C vca1 2>/dev/null | grep -v '^#' >$work/net.kernel
"$ours/iblinkinfo" -C vca1 >$work/links.kernel 2>/dev/null
snapshot() {            # without the number of the sweep, and by which of several ways a switch was found
	sed '1d; s/ path [0-9,]*$//'
}
"$ours/heddlectl" --socket $work/run-vca0/heddled.sock snapshot 2>/dev/null | snapshot >$work/snapshot.kernel

grep -H . /sys/class/infiniband/vca*/frames_* >/run/lab/out
grep -q 'frames_lost:0' /run/lab/out && ! grep -q ':[1-9]' /run/lab/out
judge no-frame-dropped $? "frames" /run/lab/out

# ---- two managers ----
manager_start vca1 -p 5
other=$manager
await 40 is_state vca1 Master
judge higher-priority-takes-over $? "is '$(manager_says vca1)'" $work/vca1
await 40 is_state vca0 Standby
judge the-other-stands-by $? "is '$(manager_says vca0)'" $work/vca0
await 40 grep -q 'SUBNET UP' $work/vca1         # a master says so before it has told all ports
says sminfo-of-the-master "SMINFO_MASTER" sminfo -C vca2
kill -9 $other
wait $other 2>/dev/null
await 60 is_state vca0 Master
judge standby-takes-over $? "is '$(manager_says vca0)'" $work/vca0
comes_right and-the-fabric-is-right 30
! is_sm vca1
judge issm-goes-with-its-holder $? "a killed manager's port says it is one" /sys/class/infiniband/vca1/ports/1/cap_mask
if have opensm; then
	opensm_start vca2 -p 9
	other=$manager
	await 60 is_state vca0 Standby
	judge hands-over-to-opensm $? "is '$(manager_says vca0)'" $work/vca0
	manager_end $other
	await 60 is_state vca0 Master
	judge takes-over-from-opensm $? "is '$(manager_says vca0)'" $work/vca0
	comes_right and-it-is-right-again 30
else
	skip hands-over-to-opensm "no opensm here"
fi

# ---- devices that go ----
"$ours/ibping" -C vca1 -S >$work/server 2>&1 &
server=$!
sleep 1
run unplug "$sim" ctl --name kmod power host-1 off
run unplugged test ! -e /sys/class/infiniband/vca1
await 10 gone $server
judge a-server-notices $? "ibping -S goes on without a device" $work/server
comes_right the-fabric-goes-on 30 $((ports - 2))
run plug "$sim" ctl --name kmod power host-1 on
comes_right plugged-in-again 60
run unplug-the-manager "$sim" ctl --name kmod power host-0 off
await 20 grep -q 'waiting for an InfiniBand port' $work/vca0
judge heddled-survives-and-says-so $? "heddled without its device" $work/vca0
kill -0 $heddled 2>/dev/null
judge heddled-lives $? "it ended" $work/vca0
run plug-the-manager "$sim" ctl --name kmod power host-0 on
comes_right heddled-comes-back 90
manager_end $heddled

# ---- partitions and keys: the kernel sends with a P_Key by its index, the adapter takes what matches its table ----
printf '%s\n' "Default=0x7fff, ipoib: ALL, SELF=full;" "both=0x0007: $(guid_of vca1)=full, $(guid_of vca2)=full;" >$work/partitions.conf
manager_start vca0 --Pconfig $work/partitions.conf --set m_key=0x0123456789abcdef
heddled=$manager
await 60 grep -q 0x7fff /sys/class/infiniband/vca1/ports/1/pkeys/0
comes_right with-partitions 60
says sysfs-pkey-limited 0x7fff cat /sys/class/infiniband/vca1/ports/1/pkeys/0
says sysfs-pkey-second 0x8007 cat /sys/class/infiniband/vca1/ports/1/pkeys/1
ping_pair ping-by-the-second-pkey "$ours/ibping -Y 1" vca2 "$ours/ibping -Y 1" vca1
"$ours/ibping" -C vca2 -S >$work/server 2>&1 &
server=$!
sleep 0.5
timeout 20 "$ours/ibping" -C vca1 -t 300 -c 2 "$(lid_of vca2)" >/run/lab/out 2>&1
grep -q '100% packet loss' /run/lab/out
judge limited-members-do-not-talk $? "ibping by P_Key 0x7fff" /run/lab/out
kill $server
wait $server 2>/dev/null
await 10 grep -q 'trap 257' $work/vca0
judge a-bad-pkey-is-reported $? "no trap 257" $work/vca0
run a-set-without-the-key sh -c "! $ours/ibportstate -C vca1 -t 300 $(lid_of vca2) 1 reset"
comes_right changes-nothing 1

# ---- unplugged again and again, under programs that use it ----
(while :; do "$ours/ibnetdiscover" -C vca1 -t 100; "$ours/ibping" -C vca1 -t 50 -f -c 100 "$(lid_of vca2)"; done >/dev/null 2>&1) &
user=$!
for turn in 1 2 3 4 5 6 7 8; do
	"$sim" ctl --name kmod reboot "host-$((turn % 3))" --down $((turn * 20)) >/dev/null
	sleep 0.4
done
kill $user
wait $user 2>/dev/null
comes_right after-eight-times 90
manager_end $heddled
! is_sm vca0 && ! is_sm vca1
judge issm-is-cleared $? "cap_mask" /sys/class/infiniband/vca0/ports/1/cap_mask
"$sim" ctl --name kmod stats >$work/stats
grep -q '^H-.* frames_in: [1-9]' $work/stats && ! grep -q '^H-.* \(refused\|lost\): [1-9]' $work/stats
judge every-frame-makes-sense $? "frames" $work/stats
fabric_end
await 10 test ! -e /sys/class/infiniband/vca0
judge all-adapters-go $? "they stay" $work/sim

# ---- the distribution's manager from scratch ----
if have opensm; then
	fabric_start kmod --vca host-0,host-1,host-2
	opensm_start vca0
	other=$manager
	comes_right opensm-brings-it-up 90
	"$ours/ibnetdiscover" -C vca1 2>/dev/null | grep -v '^#' | sed 's/ lid [0-9]*//g' >$work/net.opensm
	sed 's/ lid [0-9]*//g' $work/net.kernel | sort >$work/a
	sort $work/net.opensm | diff $work/a - >/run/lab/out && [ -s $work/net.opensm ]
	judge opensm-makes-the-same-fabric $? "links differ (>: opensm)" /run/lab/out
	same same-saquery-N saquery -C vca1 -N
	manager_end $other
	fabric_end
else
	skip opensm-brings-it-up "no opensm here"
fi

# ---- an adapter with two ports, and ports with four LIDs each ----
cat >$work/two <<'END'
switchguid=0x51(51)
Switch	4 "S-0000000000000051"		# "sw" base port 0 lid 0 lmc 0
[1]	"H-00000000000000a0"[1](a1)	# "dual" lid 0 4xHDR
[2]	"H-00000000000000a0"[2](a2)	# "dual" lid 0 4xHDR
[3]	"H-00000000000000b0"[1](b1)	# "single" lid 0 4xHDR

caguid=0xa0
Ca	2 "H-00000000000000a0"		# "dual"
[1](a1)	"S-0000000000000051"[1]		# lid 0 lmc 0 "sw" lid 0 4xHDR
[2](a2)	"S-0000000000000051"[2]		# lid 0 lmc 0 "sw" lid 0 4xHDR

caguid=0xb0
Ca	1 "H-00000000000000b0"		# "single"
[1](b1)	"S-0000000000000051"[3]		# lid 0 lmc 0 "sw" lid 0 4xHDR
END
usual=$spec
spec=$work/two
fabric_start two --vca dual,single
spec=$usual
manager_start vca1 --lmc 2
comes_right two-ports-with-four-lids 60 6
second=$(printf %d "$(cat /sys/class/infiniband/vca0/ports/2/lid)")
"$ours/ibping" -C vca0 -P 2 -S >$work/server 2>&1 &
server=$!
sleep 0.5
says ping-the-second-port "(Lid $((second + 3)))" "$ours/ibping" -C vca1 -c 2 $((second + 3))
says ping-from-the-first-to-the-second '0% packet loss' ibping -C vca0 -P 1 -c 2 $((second + 1))
run the-first-does-not-answer sh -c "! $ours/ibping -C vca1 -t 300 -c 1 $(lid_of vca0)"
kill $server
wait $server 2>/dev/null
says route-from-the-second-port single "$ours/smpquery" -C vca0 -P 2 -D nodedesc 0,2,3
manager_end $manager
fabric_end

# ---- and once more without a kernel ----
if [ -e "$ours/libheddle-umad.so" ]; then
	export HEDDLE_SIM_SHIM="$ours/libheddle-umad.so"
	fabric_start plain
	"$sim" exec --name plain --node host-0 -- "$ours/heddled" -F /dev/null --set sm_key=1 >$work/plain 2>&1 &
	manager=$!
	comes_right preloaded-heddled-brings-it-up 60
	"$sim" exec --name plain --node host-1 -- "$ours/ibnetdiscover" 2>/dev/null | grep -v '^#' >$work/net.plain
	diff $work/net.kernel $work/net.plain >/run/lab/out && [ -s $work/net.plain ]
	judge kernel-and-library-end-alike $? "ibnetdiscover differs (<: kernel)" /run/lab/out
	"$sim" exec --name plain --node host-1 -- "$ours/iblinkinfo" >$work/links.plain 2>/dev/null
	diff $work/links.kernel $work/links.plain >/run/lab/out && [ -s $work/links.plain ]
	judge links-are-alike $? "iblinkinfo differs (<: kernel)" /run/lab/out
	"$sim" exec --name plain --node host-0 -- "$ours/heddlectl" snapshot 2>/dev/null | snapshot >$work/snapshot.plain
	diff $work/snapshot.kernel $work/snapshot.plain >/run/lab/out && [ -s $work/snapshot.plain ]
	judge snapshots-are-alike $? "heddlectl snapshot differs (<: kernel)" /run/lab/out
	manager_end $manager
	fabric_end
else
	skip kernel-and-library-end-alike "no library to preload here"
fi

# ---- what libibumad's functions say, over a device and over the library ----
if [ -x /lab/shim-client ]; then
	# It wants to be alone: which device is the first, and how many there are, is among its questions.
	rxe=$(cd /sys/class/infiniband && ls -d rxe* 2>/dev/null)
	for dev in $rxe; do rdma link delete "$dev"; done
	fabric_start calls --vca host-0
	LIMIT=120 TAIL=90 run every-call-of-libibumad /lab/shim-client
	fabric_end
	for dev in $rxe; do rdma link add "$dev" type rxe netdev "v${dev#rxe}"; done
else
	skip every-call-of-libibumad "no client here"
fi
run module-unloads rmmod heddle_vca
