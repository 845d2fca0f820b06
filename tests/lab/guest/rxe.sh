# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=sh disable=SC2154
#
# rxe - real libibverbs, real uverbs and rdma_cm, two rxe adapters. Each transfer is made by the distribution's program and by
# ours: when theirs cannot, the laboratory is broken, and not what is tested in it. Both must have moved the same messages.
# All runs are short: both ends share one emulated processor. No speed is judged or shown here: it would be the emulator's.
# shellcheck source-path=SCRIPTDIR source=network.sh
. /lab/network.sh
rxe_up
hca=$ours/ibhcatest

for kind in rc uc ud srq; do
	pair "distribution-${kind}-pingpong" "listening 18515" "ibv_${kind}_pingpong -d rxe0 -g 1 -n 50" \
		"ibv_${kind}_pingpong -d rxe1 -g 1 -n 50 127.0.0.1"
done
cm_listens() {
	rdma resource show cm_id | grep -q LISTEN
}
pair distribution-rping cm_listens "rping -s -a 10.1.0.1 -C 5" "rping -c -a 10.1.0.1 -C 5 -v"

# both MODE OP TRANSPORT BYTES NUMBER: by perftest and by ours
both() {
	name=$1-$2-$3
	type=
	[ "$3" = RC ] || type="-c $3"
	size="-s $4"
	[ "$2" != atomic ] || size=
	validate=--validate
	[ "$1-$2" != lat-write ] || validate=   # the last byte is what the other end waits for
	pair "distribution-$name" "listening 18515" "ib_$2_$1 -d rxe0 -x 1 -n $5 -F $size $type" "ib_$2_$1 -d rxe1 -x 1 -n $5 -F $size $type 127.0.0.1"
	grep -Eq "^ *$4 +$5 " /run/lab/out
	judge "distribution-$name-amount" $? "not $5 messages of $4 bytes" /run/lab/out
	pair "ours-$name" "listening 18515" "$hca $1 -d rxe0" \
		"$hca $1 -d rxe1 --op $2 -n $5 $size $type $validate --json=pretty 127.0.0.1"
	grep -q "^ *\"size\": $4,\$" /run/lab/out && grep -q "^ *\"iterations\": $5,\$" /run/lab/out &&
		grep -q '^ *"lost": 0,$' /run/lab/out && ! grep -Eq '^ *"(lost|corrupt|errors)": [1-9]' /run/lab/out
	judge "ours-$name-amount" $? "not $5 messages of $4 bytes, whole" /run/lab/out
}
for op in send write read; do
	both bw $op RC 4096 100
	both lat $op RC 64 50
done
both bw atomic RC 8 100
both lat atomic RC 8 50
both bw send UC 4096 100
both bw write UC 4096 100
both bw send UD 2048 100
both lat send UD 64 50
# Connected by the kernel's rdma_cm instead of what both ends tell one another.
pair ours-rdma_cm "listening 18515" "$hca bw -d rxe0" "$hca bw -d rxe1 --rdma_cm -n 100 -s 4096 --validate 10.1.0.1"
