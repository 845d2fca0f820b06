/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * inputs.c - the input of routing engines besides the snapshot.
 * Room: sm/planner.  In: the snapshot, stored LIDs, the intended topology.  Out: struct route_in.
 */
#include <config.h>
#include "sm/planner/inputs.h"
#include "util/bisect.h"

/* Whether a plan is to move entries to the intended ports, whatever they are now. */
static bool
forgets_tables(const struct sweep_job *j)
{
	return j->topology.deed == TOPOLOGY_REBALANCED || j->topology.deed == TOPOLOGY_ADOPTED;
}

/* Whether all switches hold the tables that are served, so that nothing need be copied. */
static bool
hold_served(const struct sweep_job *j, const struct lid_map *lids)
{
	const struct fwd_tables *f = j->in.served_plan ? &j->in.served_plan->fwd : NULL;
	const struct snapshot *s = j->fresh;

	if (!f || !f->rows || s->lft_rows != f->rows || f->nswitches != s->nswitches ||
		lids->top > f->top)
		return false;
	for (uint32_t i = 0; i < s->nswitches; i++) {
		const struct fab_node *n = &s->nodes[s->switches[i]];

		if (n->lft != fwd_row(f, i) ||
			switch_info_decode(n->switch_info).lft_top != f->top)
			return false;
	}
	return true;
}

static const struct fwd_tables *
tables_now(const struct sweep_job *j, const struct lid_map *lids, struct arena *a)
{
	struct fwd_tables *f;
	bool any = false;

	for (uint32_t i = 0; i < j->fresh->nswitches; i++)
		any |= j->fresh->nodes[j->fresh->switches[i]].lft != NULL;
	if (!any || forgets_tables(j))
		return NULL;
	f = arena_alloc(a, sizeof(*f));
	if (hold_served(j, lids)) {
		*f = j->in.served_plan->fwd;
		f->lanes = NULL;
		f->vls = 1;
		return f;
	}
	fwd_tables_observed(j->fresh, lids, a, f);
	return f;
}

/* The hosts of the topology that are not there, by GUID; '*n' of them. */
static const struct intended_change *
missing_hosts(const struct intended_diff *d, uint32_t *n)
{
	uint32_t first = d->count[INTENDED_MISSING_SWITCH] + d->count[INTENDED_MISSING_LINK];

	*n = d->count[INTENDED_MISSING_HOST];
	return *n ? &d->v[first] : NULL;
}

/* The ordinal of the switch where the topology has a host that is not there; FAB_NONE: the host is
 * there, is not known, or its place is not free. */
static uint32_t
absent_place(const struct sweep_job *j, const struct intended *t, uint64_t guid, uint8_t *port)
{
	const struct snapshot *s = j->fresh;
	const struct intended_change *missing;
	const struct intended_host *h;
	uint32_t n, at, node;

	missing = missing_hosts(j->topology.diff, &n);
	BISECT(at, n, missing[at].guid < guid);
	if (at == n || missing[at].guid != guid)
		return FAB_NONE;
	h = &t->hosts[intended_host_find(t, guid)];
	node = snapshot_node_by_guid(s, t->sw[h->sw].guid);
	if (node == FAB_NONE || s->nodes[node].sw == FAB_NONE || h->port > s->nodes[node].nports ||
		!intended_switch_there(s, s->nodes[node].sw) ||
		snapshot_port(s, node, h->port)->peer != FAB_NONE)
		return FAB_NONE;
	*port = h->port;
	return s->nodes[node].sw;
}

/* Whether another port has one of these LIDs by now. */
static bool
is_owned(const struct lid_map *lids, uint32_t lo, uint32_t end)
{
	for (uint32_t lid = lo; lid < end && lid <= lids->top; lid++)
		if (lids->owner[lid] != FAB_NONE)
			return true;
	return false;
}

static void
find_absent(const struct sweep_job *j, const struct intended *t, const struct lid_map *lids,
	struct arena *a, struct route_in *in)
{
	struct route_absent *v = NULL;
	uint32_t n = 0, cap = 0, any;

	missing_hosts(j->topology.diff, &any);
	for (uint32_t i = 0; i < j->nlids && any; i++) {
		uint8_t port = 0;
		uint32_t lo, end, sw;

		if (j->lids[i].lost)
			continue;
		sw = absent_place(j, t, j->lids[i].port_guid, &port);
		end = sw == FAB_NONE ? 0 : lid_id_range(&j->lids[i], &lo);
		if (sw == FAB_NONE || is_owned(lids, lo, end))
			continue;
		for (uint32_t lid = lo; lid < end; lid++) {
			v = arena_grow(a, v, n, &cap, 64, sizeof(*v));
			v[n++] = (struct route_absent){ (uint16_t)lid, sw, port };
		}
	}
	in->absent = v;
	in->nabsent = n;
}

void
inputs_make(const struct sweep_job *j, const struct intended *t, const struct lid_map *lids,
	struct arena *a, struct route_in *in)
{
	in->intended = t;
	in->stripes = j->in.stripes;
	in->previous = tables_now(j, lids, a);
	if (t && !j->in.reassign)
		find_absent(j, t, lids, a, in);
}
