# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# ibqueryerrors 44 prints the details of PortRcvErrors under names of those of PortXmitDiscards, and the reverse.
s/PortInactiveDiscards/RCV/g
s/PortLocalPhysicalErrors/PortInactiveDiscards/g
s/RCV/PortLocalPhysicalErrors/g
s/PortSwHOQLifetimeLimitDiscards/RCV/g
s/PortDLIDMappingErrors/PortSwHOQLifetimeLimitDiscards/g
s/RCV/PortDLIDMappingErrors/g
