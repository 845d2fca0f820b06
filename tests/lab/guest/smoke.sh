# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=sh disable=SC2154
#
# smoke - the machine is what the other tests take it for: modules, two adapters that are up, device files, our programs.
# shellcheck source-path=SCRIPTDIR source=network.sh
. /lab/network.sh
rxe_up >/run/lab/out 2>&1
judge adapters $? "two rxe adapters cannot be made" /run/lab/out
for file in uverbs0 uverbs1 umad0 umad1 issm0 rdma_cm; do
	run "device-$file" test -c /dev/infiniband/$file
done
for dev in rxe0 rxe1; do
	run "active-$dev" grep ACTIVE /sys/class/infiniband/$dev/ports/1/state
done
before=$(cat /sys/class/net/v1/statistics/rx_packets)
ping -c 2 -W 2 -I 10.1.0.1 10.1.0.2 >/run/lab/out 2>&1 && [ "$(cat /sys/class/net/v1/statistics/rx_packets)" -ge $((before + 2)) ]
judge packets-take-the-wire $? "no packets from v0 to v1" /run/lab/out
run devinfo ibv_devinfo -d rxe0
run distribution-ibstat ibstat rxe0
run our-ibstat "$ours/ibstat" rxe0
run our-ibstat-json "$ours/ibstat" --json rxe0
run our-heddled "$ours/heddled" --version
run our-heddle-sim "$ours/heddle-sim" --version
run our-ibhcatest "$ours/ibhcatest" --version
