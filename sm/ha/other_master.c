/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * other_master.c - whether another master has configured ports since the last sweep.
 * Room: sm/ha.
 */
#include <config.h>
#include "sm/plan/plan.h"
#include "sm/ha/other_master.h"

/* Ports that we could not set keep the LID that they had; they are no evidence. */
static bool
is_evidence(const struct snapshot *fresh, uint32_t port, const struct served *v)
{
	const struct fab_port *fp = &fresh->ports[port];
	uint64_t now = ATTR_GET(port_info, master_sm_lid, fp->info);
	uint32_t before;

	if (!now || now == v->plan->sm_lid ||
		ATTR_GET(port_info, state, fp->info) < PORT_STATE_ARMED)
		return false;
	before = snapshot_port_by_guid(v->s, fp->guid);
	return before != FAB_NONE &&
		ATTR_GET(port_info, master_sm_lid, v->s->ports[before].info) != now;
}

bool
other_master_seen(const struct snapshot *fresh, const struct served *v)
{
	if (!v->s || !v->plan)
		return false;
	for (uint32_t i = 0; i < fresh->nnodes; i++) {
		const struct fab_node *n = &fresh->nodes[i];

		if (n->flags & FAB_NODE_KEPT)           /* as it is served */
			continue;
		for (uint32_t p = n->first_port; p <= n->first_port + n->nports; p++)
			if (snapshot_is_endport(fresh, &fresh->ports[p]) &&
				is_evidence(fresh, p, v))
				return true;
	}
	return false;
}
