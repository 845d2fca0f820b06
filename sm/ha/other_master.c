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
	struct port_info now = port_info_decode(fp->info);
	uint32_t before;

	if (now.state < PORT_STATE_ARMED || !now.master_sm_lid ||
		now.master_sm_lid == v->plan->sm_lid)
		return false;
	before = snapshot_port_by_guid(v->s, fp->guid);
	return before != FAB_NONE &&
		port_info_decode(v->s->ports[before].info).master_sm_lid != now.master_sm_lid;
}

bool
other_master_seen(const struct snapshot *fresh, const struct served *v)
{
	if (!v->s || !v->plan)
		return false;
	for (uint32_t i = 0; i < fresh->nports; i++)
		if (snapshot_is_endport(fresh, &fresh->ports[i]) && is_evidence(fresh, i, v))
			return true;
	return false;
}
