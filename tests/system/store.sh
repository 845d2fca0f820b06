#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# A fabric keeps its LIDs after a power cycle if the store of heddled cannot be written (the disk is
# full), or is damaged.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
spec="fattree:k=4,levels=2"
state=$dir/state

lids() {        # lids FILE: writes "description port lid" of every end port to FILE
	on host-0 "$build/heddlectl" snapshot 2>&1 | awk '/ path /{name = $3} / LID /{print name, $1, $4}' | sort >"$1"
}

cold() {        # cold NAME [SETUP]: power on, evaluates SETUP, starts heddled, compares LIDs
	fabric_start "$spec"
	# The output goes through a pipe: the limit of the file size applies to a log, too.
	spawn host-0 "$dir/manager" bash -c "exec > >(cat) 2>&1; ${2:-:}; exec $build/heddled -F /dev/null --state-dir $state"
	manager=$last
	lib_await "$dir/manager" 'SUBNET UP' "$manager" || { cp "$dir/manager" "$dir/out"; lib_bail "heddled does not bring the subnet up"; }
	within 20 fabric_right
	report $? "$1: the subnet is up" "$dir/summary"
	lids "$dir/have"
	same "$dir/want" "$dir/have" "$1: every port has the LID that it had"
	on host-0 "$build/heddlectl" status >"$dir/out" 2>&1
}

# LIDs that differ from those of a new fabric: those of LMC 2.
fabric_start "$spec"
manager_start host-0 -F /dev/null --state-dir "$state" -l 2
within 20 fabric_right
lids "$dir/want"
[ "$(sort -u "$dir/want" | wc -l)" -gt 8 ] && grep -q '"host-1" 1 8$' "$dir/want"
report $? "LIDs of LMC 2" "$dir/want"
within 10 grep -q "Store.*ok" <(on host-0 "$build/heddlectl" status)
sleep 1
fabric_stop             # kill -9: the newest rows are only in the WAL
[ -s "$state/heddle.db-wal" ]
report $? "the store as a crash leaves it"
cp -r "$state" "$dir/crashed"

# ThreadSanitizer writes a file before main(), so the signal is ignored from the start.
cold "a full disk" "${TSAN_OPTIONS:+trap '' XFSZ; }ulimit -f 0"
grep -q "Store *: READ ONLY: .*changes are kept in memory only" "$dir/out"
report $? "heddlectl status: the store is read-only"
grep -q "heddle.db cannot be written: .*; what it holds was read" "$dir/manager"
report $? "the log reports that" "$dir/manager"
fabric_stop

# One page of the file is overwritten; the rows are on another page.
rm -rf "$state"
cp -r "$dir/crashed" "$state"
cold "after the crash"
kill "$manager"
within 10 test ! -e "$state/heddle.db-wal"
fabric_stop
head -c 4096 /dev/zero | tr '\0' '\245' | dd of="$state/heddle.db" bs=4096 seek=2 conv=notrunc 2>"$dir/out"
cold "a damaged page of another table"
grep -q "is damaged: moved to .*; 0 multicast groups were read from it, others are lost" "$dir/manager"
report $? "the log reports what was read" "$dir/manager"
grep -q "Store *: ok" "$dir/out"
report $? "the store works again"
fabric_stop
lib_end
