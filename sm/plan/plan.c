/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * plan.c - the wanted state of the whole subnet.
 * Room: sm/plan.  Pure.  In: what lid, route, link and pkey decided.  Out: the wanted image of one
 * port or switch.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/plan/plan.h"
#include "util/bits.h"

void
plan_drop_tables(struct plan *p)
{
	fwd_rows_drop(p->fwd.rows);
	fwd_rows_drop(p->step.from);
	fwd_rows_drop(p->step.turns);
	memset(&p->fwd, 0, sizeof(p->fwd));
	memset(&p->step, 0, sizeof(p->step));
	arena_clear(&p->fwd_arena);
}

void
plan_free(const struct plan *made)
{
	/* the caller that frees a plan owns it */
	struct plan *p = (struct plan *)(uintptr_t)made;

	if (!p)
		return;
	plan_drop_tables(p);
	arena_clear(&p->arena);
	free(p);
}

bool
plan_port_wanted(const struct plan *plan, uint32_t p, struct port_info *want)
{
	struct link_plan l = { plan->snapshot, &plan->lids, &plan->links, plan->sm_lid };
	const struct fab_port *port = &plan->snapshot->ports[p];

	if (!plan_port(&l, p, want))
		return false;
	qos_lanes_sl(plan->fwd.lanes, plan->snapshot, p, plan->snapshot->sm_port,
		&want->master_sm_sl);
	/* A host that keeps its joins and services from a previous master would never register
	 * them with this one. */
	want->client_reregister = plan->reregister && bits_test(plan->reregister, p) &&
		!fab_is_switch(&plan->snapshot->nodes[port->node]) &&
		want->capability_mask & PORT_CAP_CLIENT_REREGISTRATION;
	if (p < plan->pkeys.nports && port->num &&
	    fab_is_switch(&plan->snapshot->nodes[port->node])) {
		want->partition_enforce_in = plan->pkeys.enforce[p] & CONF_ENFORCE_IN ? 1 : 0;
		want->partition_enforce_out = plan->pkeys.enforce[p] & CONF_ENFORCE_OUT ? 1 : 0;
	}
	if (plan->qos.on && plan->qos.vls[p])
		want->vl_high_limit = qos_plan_high_limit(&plan->qos, p);
	return true;
}

static bool
knows_mft_top(const struct snapshot *s, uint32_t sw)
{
	const struct fab_port *p = &s->ports[s->nodes[s->switches[sw]].first_port];

	return p->flags & FAB_PORT_INFO &&
		port_info_decode(p->info).capability_mask & PORT_CAP_MFT_TOP;
}

struct switch_info
plan_switch_wanted(const struct plan *plan, uint32_t sw)
{
	const struct snapshot *s = plan->snapshot;
	struct switch_info si = switch_info_decode(s->nodes[s->switches[sw]].switch_info);

	si.lft_top = plan->fwd.top;
	si.life_time = plan->packet_life_time;
	if (plan->mft_top && si.mft_cap && knows_mft_top(s, sw))
		si.mft_top = plan->mft_top;
	/* Writing 1 clears the bit and confirms that all ports were read; writing 0 leaves it. */
	return si;
}
