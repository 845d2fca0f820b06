/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * groups.c - multicast groups across sweeps.
 * Room: sm/daemon.  In: the served snapshot and plan.  Out: m->mcast without the ports that have gone.
 */
#include <config.h>
#include <stdlib.h>
#include "sm/daemon/manager_int.h"

/* What hosts expect of the broadcast group of IP over InfiniBand: MTU 2048, 10 Gb/s, link-local scope. */
enum { BROADCAST_MTU = 4, BROADCAST_RATE = 3, SCOPE_LINK = 2 };
enum { PKEY_DEFAULT = 0xffff };

void
groups_reset(struct manager *m)
{
	struct mcast_conf c = MCAST_CONF_DEFAULTS;

	mcast_free(m->mcast);
	c.gid_prefix = m->conf->subnet_prefix;
	m->mcast = mcast_new(&c);
	mcast_add_broadcast(m->mcast, PKEY_DEFAULT, BROADCAST_MTU, BROADCAST_RATE, 0, SCOPE_LINK);
}

/* As many MLIDs as every switch that knows multicast has room for. */
static void
set_room(struct manager *m)
{
	struct mcast_conf c = MCAST_CONF_DEFAULTS;
	uint32_t least = UINT32_MAX;

	for (uint32_t i = 0; i < m->served->nswitches; i++) {
		const struct fab_node *n = &m->served->nodes[m->served->switches[i]];
		uint16_t cap = n->flags & FAB_NODE_SWITCH_INFO ? switch_info_decode(n->switch_info).mft_cap : 0;

		if (cap && cap < least)
			least = cap;
	}
	c.gid_prefix = m->conf->subnet_prefix;
	if (least != UINT32_MAX)
		c.mlids = least;
	mcast_set_conf(m->mcast, &c);
}

void
groups_swept(struct manager *m)
{
	uint64_t *guids;
	uint32_t n;

	set_room(m);
	n = mcast_ports(m->mcast, &guids);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t port = snapshot_port_by_guid(m->served, guids[i]);

		if (port == FAB_NONE || !m->plan->lids.base[port])
			mcast_drop_port(m->mcast, guids[i]);
	}
	free(guids);
}
