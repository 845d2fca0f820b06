/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * trees.c - multicast trees of a plan, verified together with its unicast tables.
 * Room: sm/planner.  In: unicast tables, members, the trees served.  Out: rows, or a sentence.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include "fabric/verify/verify_trees.h"
#include "sm/conf/conf.h"
#include "sm/planner/trees.h"

static int64_t
clock_us(const struct sweep_job *j)
{
	return j->in.clock ? j->in.clock(j->in.clock_arg).us : j->in.given.us;
}

static struct verify_in
unicast_of(const struct sweep_job *j, const struct plan *p)
{
	return (struct verify_in){ .snapshot = j->fresh, .lids = &p->lids, .tables = &p->fwd,
		.scope = j->cur.verify.scope, .stripes = j->in.stripes };
}

static const uint8_t *
planned_row(const void *plan, uint32_t sw, uint32_t row)
{
	return plan_mcast_row(plan, sw, row);
}

/* The members of a tree that the plan says it connects; appended to 'v' at '*n'. */
static struct verify_tree
claimed_tree(const struct sweep_job *j, const struct mcast_plan *m, uint32_t i, uint32_t first,
	struct verify_member *v)
{
	const struct group_tree *t = &j->trees.v[i];
	struct verify_tree x = { .mlid = t->mlid, .sls = t->sls, .members = v };

	for (uint32_t k = first; k < t->end; k++) {
		const struct group_member *r = &j->trees.members[k];

		if (r->port != FAB_NONE && plan_mcast_reaches(m, t->mlid, r->port))
			v[x.nmembers++] = (struct verify_member){ r->port, r->hears };
	}
	return x;
}

static bool
verify(struct sweep_job *j, const struct plan *p, const struct mcast_plan *m)
{
	struct arena a = ARENA_INIT;
	struct verify_trees_in in = { .unicast = unicast_of(j, p),
		.turns = p->step.exact ? p->step.exact : p->step.turns,
		.row = planned_row, .rows = m };
	struct verify_tree *trees = arena_array(&a, (size_t)j->trees.n + 1, sizeof(*trees));
	struct verify_member *v = arena_array(&a, (size_t)j->trees.nmembers + 1, sizeof(*v));
	struct verify_trees_result r = { .ok = true };
	bool any = !p->step.turns;      /* trees without members add nothing to turns that are proven */

	for (uint32_t i = 0, first = 0; i < j->trees.n; first = j->trees.v[i++].end) {
		trees[i] = claimed_tree(j, m, i, first, v + first);
		any |= trees[i].nmembers > 0;
	}
	in.trees = trees;
	in.ntrees = j->trees.n;
	if (any)
		verify_trees(&in, &r);
	snprintf(j->refusals.trees, sizeof(j->refusals.trees), "%s", r.sentence);
	arena_clear(&a);
	return r.ok;
}

/* SLs of all groups there are. */
static uint16_t
group_sls(const struct sweep_job *j)
{
	uint16_t sls = 1;

	for (uint32_t i = 0; i < j->trees.n; i++)
		sls |= j->trees.v[i].sls;
	return sls;
}

/* Members that no tree reaches. */
static uint32_t
count_beyond(const struct sweep_job *j)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < j->trees.n; i++)
		n += j->trees.v[i].beyond;
	return n;
}

static struct mcast_plan *
plan_all(struct sweep_job *j, struct plan *p, const struct mcast_spans_in *in)
{
	struct mcast_plan *m = plan_mcast_new(in, &p->arena);

	plan_mcast_prepare(m);
	group_trees_plan(&j->trees, m);
	return m;
}

/* Trees for every SL that the routing knows, so that a new group finds one; if these leave members
 * out, trees for the SLs of the groups that there are. */
static struct mcast_plan *
plan_some(struct sweep_job *j, struct plan *p, struct mcast_spans_in *in)
{
	struct mcast_plan *all, *few;
	uint32_t beyond;

	in->sls = group_sls(j) | (in->lanes ? in->lanes->sls : 0);
	all = plan_all(j, p, in);
	beyond = count_beyond(j);
	if (!beyond || in->rank || !in->lanes || in->sls == group_sls(j))
		return all;
	in->sls = group_sls(j);
	few = plan_all(j, p, in);
	if (count_beyond(j) < beyond)
		return few;
	group_trees_plan(&j->trees, all);     /* counts again */
	return all;
}

/* Trees by the turns that the unicast tables leave, instead of by ranks. */
static void
plan_by_turns(struct sweep_job *j, struct plan *p, struct mcast_spans_in *in)
{
	struct arena a = ARENA_INIT;
	struct chan_graph g;
	struct verify_in unicast = unicast_of(j, p);

	if (j->fresh->nswitches && verify_unicast_graph(&unicast, p->step.exact, &g, &a)) {
		in->unicast = &g;
		in->rank = NULL;
	}
	p->mcast = plan_some(j, p, in);
	in->unicast = NULL;
	arena_clear(&a);
}

/*
 * By ranks, where the engine has them and the trees served are by ranks.  If those leave switches
 * with hosts out, trees by turns may reach them: they begin with the trees served, or with these.
 */
static void
plan_trees(struct sweep_job *j, struct plan *p, const struct mcast_spans *before)
{
	struct mcast_spans_in in = { .s = j->fresh,
		.rank = before && before->by_turns ? NULL : j->cur.route.rank,
		.lanes = p->fwd.lanes, .before = before,
		.roots = { j->in.conf->mc_primary_root_guid,
			j->in.conf->mc_secondary_root_guid } };

	if (!in.rank) {
		plan_by_turns(j, p, &in);
		return;
	}
	p->mcast = plan_some(j, p, &in);
	if (!plan_mcast_spans(p->mcast)->lacking)
		return;
	if (!before)
		in.before = plan_mcast_spans(p->mcast);
	plan_by_turns(j, p, &in);
}

/* Members are out of reach: trees that are made from nothing may reach more of them.  Otherwise the
 * others do not move for nothing. */
static void
plan_anew(struct sweep_job *j, struct plan *p)
{
	struct mcast_plan *kept = p->mcast;
	uint32_t beyond = count_beyond(j);

	plan_trees(j, p, NULL);
	if (count_beyond(j) < beyond)
		return;
	p->mcast = kept;
	group_trees_plan(&j->trees, kept);    /* counts again */
}

void
trees_make(struct sweep_job *j, struct plan *p)
{
	bool rebalances = j->topology.deed == TOPOLOGY_REBALANCED;
	const struct mcast_spans *before = rebalances ? NULL : j->in.spans;
	int64_t t = clock_us(j);
	bool ok;

	group_trees_find(&j->trees, j->fresh);
	plan_trees(j, p, before);
	if (before && count_beyond(j))
		plan_anew(j, p);
	ok = !j->trees.n || verify(j, p, p->mcast);
	if (!ok && before) {
		plan_trees(j, p, NULL);
		ok = verify(j, p, p->mcast);
	}
	if (!ok)
		plan_mcast_refuse(p->mcast);
	snprintf(j->refusals.root, sizeof(j->refusals.root), "%s",
		plan_mcast_spans(p->mcast)->remark);
	fwd_rows_drop(p->step.exact);
	p->step.exact = NULL;
	j->cur.phase_us[PHASE_VERIFY] += clock_us(j) - t;
}
