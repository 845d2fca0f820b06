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
plan_end_step(const struct plan *made)
{
	struct plan *p = (struct plan *)(uintptr_t)made;        /* as plan_free() */

	fwd_rows_drop(p->step.from);
	fwd_rows_drop(p->step.turns);
	fwd_rows_drop(p->step.exact);
	memset(&p->step, 0, sizeof(p->step));
}

void
plan_drop_tables(struct plan *p)
{
	fwd_rows_drop(p->fwd.rows);
	memset(&p->fwd, 0, sizeof(p->fwd));
	plan_end_step(p);
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

static bool
must_reregister(const struct plan *plan, uint32_t p)
{
	return plan->reregister && bits_test(plan->reregister, p);
}

static uint8_t
enforcement(const struct plan *plan, uint32_t p)
{
	return p < plan->pkeys.nports ? plan->pkeys.enforce[p] : 0;
}

static bool
has_high_limit(const struct plan *plan, uint32_t p)
{
	return plan->qos.on && plan->qos.vls[p];
}

bool
plan_port_wanted_next(
	const struct plan *plan, struct mkeys_last *last, uint32_t p, struct port_info *want)
{
	struct link_plan l = { plan->snapshot, &plan->lids, &plan->links, plan->sm_lid, last };
	const struct fab_port *port = &plan->snapshot->ports[p];

	if (!plan_port(&l, p, want))
		return false;
	qos_lanes_sl(plan->fwd.lanes, plan->snapshot, p, plan->snapshot->sm_port,
		&want->master_sm_sl);
	/* A host that keeps its joins and services from a previous master would never register
	 * them with this one. */
	want->client_reregister = must_reregister(plan, p) &&
		!fab_is_switch(&plan->snapshot->nodes[port->node]) &&
		want->capability_mask & PORT_CAP_CLIENT_REREGISTRATION;
	if (p < plan->pkeys.nports && port->num &&
	    fab_is_switch(&plan->snapshot->nodes[port->node])) {
		want->partition_enforce_in = enforcement(plan, p) & CONF_ENFORCE_IN ? 1 : 0;
		want->partition_enforce_out = enforcement(plan, p) & CONF_ENFORCE_OUT ? 1 : 0;
	}
	if (has_high_limit(plan, p))
		want->vl_high_limit = qos_plan_high_limit(&plan->qos, p);
	return true;
}

bool
plan_port_wanted(const struct plan *plan, uint32_t p, struct port_info *want)
{
	return plan_port_wanted_next(plan, NULL, p, want);
}

/* Of lanes, the SL to the manager follows from the way to it. */
static bool
asks_for_sl(const struct plan *p)
{
	return p->fwd.lanes && p->fwd.lanes->sl;
}

bool
plan_rules_alike(const struct plan *a, const struct plan *b)
{
	/* Padding that differs costs time only. */
	return !memcmp(&a->links, &b->links, sizeof(a->links)) && a->sm_lid == b->sm_lid &&
		!asks_for_sl(a) && !asks_for_sl(b) && !a->pkeys.nports == !b->pkeys.nports;
}

static bool
limits_alike(const struct plan *a, uint32_t p, const struct plan *b, uint32_t q)
{
	if (has_high_limit(a, p) != has_high_limit(b, q))
		return false;
	return !has_high_limit(a, p) ||
		qos_plan_high_limit(&a->qos, p) == qos_plan_high_limit(&b->qos, q);
}

bool
plan_ports_alike(const struct plan *a, uint32_t p, const struct plan *b, uint32_t q, uint32_t n)
{
	if (memcmp(&a->lids.base[p], &b->lids.base[q], n * sizeof(*a->lids.base)) ||
		memcmp(&a->lids.lmc[p], &b->lids.lmc[q], n * sizeof(*a->lids.lmc)))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (must_reregister(a, p + i) != must_reregister(b, q + i) ||
			enforcement(a, p + i) != enforcement(b, q + i))
			return false;
	for (uint32_t i = 0; i < n && (a->qos.on || b->qos.on); i++)
		if (!limits_alike(a, p + i, b, q + i))
			return false;
	return true;
}

static bool
knows_mft_top(const struct snapshot *s, uint32_t sw)
{
	const struct fab_port *p = &s->ports[s->nodes[s->switches[sw]].first_port];

	return p->flags & FAB_PORT_INFO &&
		ATTR_GET(port_info, capability_mask, p->info) & PORT_CAP_MFT_TOP;
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
