# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=sh
#
# network.sh - two software adapters, rxe0 (10.1.0.1) and rxe1 (10.1.0.2), whose packets to each other leave one interface
# and enter the other. Both are in one network namespace: rxe of Debian 12's kernel looks up routes in the first one only.
rxe_up() {
	[ ! -e /sys/class/infiniband/rxe1 ] || return 0
	sysctl=/proc/sys/net
	ip link set lo up
	ip link add v0 type veth peer name v1 || return 1
	for dev in v0 v1; do
		echo 0 >$sysctl/ipv6/conf/$dev/accept_dad       # or the link-local GID comes 2 s late
		echo 1 >$sysctl/ipv4/conf/$dev/accept_local
		echo 0 >$sysctl/ipv4/conf/$dev/rp_filter
		echo 1 >$sysctl/ipv4/conf/$dev/arp_ignore
	done
	echo 1 >$sysctl/ipv4/conf/all/accept_local
	echo 0 >$sysctl/ipv4/conf/all/rp_filter
	ip addr add 10.1.0.1/24 dev v0
	ip addr add 10.1.0.2/24 dev v1
	for dev in v0 v1; do
		ip link set $dev mtu 4200 up                    # room for a path MTU of 4096
	done
	# The kernel would keep packets between two addresses of its own off the interfaces. So: the table of own addresses for
	# what comes in, routes by the other interface for what goes out, and only then own addresses for all else.
	ip rule add pref 5 iif v0 lookup local
	ip rule add pref 6 iif v1 lookup local
	ip route add 10.1.0.2 dev v0 src 10.1.0.1 table 100
	ip route add 10.1.0.1 dev v1 src 10.1.0.2 table 100
	ip rule add pref 10 lookup 100
	ip rule add pref 50 lookup local
	ip rule del pref 0
	rdma link add rxe0 type rxe netdev v0 && rdma link add rxe1 type rxe netdev v1 || return 1
	# Index 1 is the GID made from the IPv4 address; it comes with an event of its own.
	await 5 gids_ready
}

gids_ready() {
	for dev in rxe0 rxe1; do
		grep -q '0a01:000' /sys/class/infiniband/$dev/ports/1/gids/1 || return 1
	done
}
