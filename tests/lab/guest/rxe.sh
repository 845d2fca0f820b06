# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=sh disable=SC2154
#
# rxe - real libibverbs, real uverbs and rdma_cm, two rxe adapters. The distribution's programs first: when they cannot, the
# laboratory is broken, and not what is tested in it. All runs are short: both ends poll on one emulated processor.
# No speed is judged here, and none printed: it would be the emulator's.
# shellcheck source-path=SCRIPTDIR source=network.sh
. /lab/network.sh
rxe_up

for kind in rc uc ud srq; do
	pair "distribution-${kind}-pingpong" "listening 18515" "ibv_${kind}_pingpong -d rxe0 -g 1 -n 50" \
		"ibv_${kind}_pingpong -d rxe1 -g 1 -n 50 127.0.0.1"
done
for test in send_bw write_bw read_bw atomic_bw send_lat write_lat read_lat atomic_lat; do
	pair "distribution-$test" "listening 18515" "ib_$test -d rxe0 -x 1 -n 50 -F" "ib_$test -d rxe1 -x 1 -n 50 -F 127.0.0.1"
done
for service in UD UC; do
	pair "distribution-send_bw-$service" "listening 18515" "ib_send_bw -d rxe0 -x 1 -n 50 -F -c $service" \
		"ib_send_bw -d rxe1 -x 1 -n 50 -F -c $service 127.0.0.1"
done
cm_listens() {
	rdma resource show cm_id | grep -q LISTEN
}
pair distribution-rping cm_listens "rping -s -a 10.1.0.1 -C 5" "rping -c -a 10.1.0.1 -C 5 -v"
