# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# What --show prints while it sweeps: each new node without the route on which it was found, because two routes may be equally
# short, and without LID and description, which the distribution's tool does not know at that time; no line for a known node.
/ -> known /d
s/^DR path .* -> (new .*) lid [0-9]+-[0-9]+ ".*"$/\1/
