/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mixture.c - credit loops of old and new tables together, with several VLs.
 * Room: sm/planner.  In: the tables before, the new ones.  Out: the verifier's result; members of
 * struct order_report.
 */
#include <config.h>
#include <string.h>
#include "sm/planner/mixture.h"
#include "sm/route/model/engine.h"

/* Whether a switch that has a table has other entries in 'f'. */
static bool
tables_differ(const struct fwd_tables *was, const struct fwd_tables *f)
{
	uint32_t bytes = (was->top < f->top ? was->top : f->top) + 1u;

	for (uint32_t sw = 0; sw < f->nswitches; sw++)
		if (memcmp(fwd_row(was, sw), fwd_row(f, sw), bytes) != 0)
			return true;
	return was->top != f->top;
}

static bool
lanes_differ(const struct snapshot *s, const struct lane_plan *a, const struct lane_plan *b)
{
	size_t pairs;

	if (!a || !b)
		return a != b;
	pairs = (size_t)b->nswitches * b->nswitches;
	return a->nswitches != b->nswitches || a->nvls != b->nvls || a->sls != b->sls ||
		a->nclasses != b->nclasses || a->lid_sls != b->lid_sls ||
		memcmp(a->vl, b->vl, sizeof(a->vl)) != 0 || !a->sl != !b->sl ||
		!a->port_class != !b->port_class ||
		(a->port_class && memcmp(a->port_class, b->port_class, s->nports) != 0) ||
		(a->sl && memcmp(a->sl, b->sl, pairs) != 0);
}

void
mixture_check(struct sweep_job *j, const struct plan *p, const struct route_in *in)
{
	const struct fwd_tables *was = in->previous;
	struct verify_in v = { .snapshot = j->fresh, .lids = &p->lids, .tables = &p->fwd,
		.scope = p->hosts_only ? VERIFY_HOSTS : VERIFY_ALL, .stripes = j->in.stripes };

	j->cur.mixture = (struct verify_result){ .vls = 0 };
	if (!was || (!was->lanes && !p->fwd.lanes) || was->nswitches != p->fwd.nswitches ||
		(!tables_differ(was, &p->fwd) && !lanes_differ(j->fresh, was->lanes, p->fwd.lanes)))
		return;
	verify_change(&v, was, &j->cur.mixture);
}

void
mixture_report(const struct verify_result *mixture, struct order_report *r)
{
	if (!mixture->vls)
		return;
	r->mixed_cycles = (uint32_t)mixture->credit_loops;
	r->unsafe |= mixture->credit_loops > 0;
	r->ncycle = mixture->ncycle;
	for (uint32_t i = 0; i < mixture->ncycle && i < ORDER_CYCLE_MAX && i < VERIFY_CYCLE_MAX; i++)
		r->cycle[i] = mixture->cycle[i];
}
