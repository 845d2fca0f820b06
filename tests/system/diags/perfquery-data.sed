# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# What a port carries while the test runs.
s/^((Port(Unicast)?(Xmit|Rcv)(Data|Pkts)):\.+)[0-9]+$/\1N/
