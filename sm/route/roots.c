/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * roots.c - which switches are the top of this fabric, and what to do when they do not serve all.
 * Room: sm/route.  Pure.  In: the model, perhaps a list.  Out: roots, ranks.
 *
 * sm/intended/ranks.c finds the roots; here they become fewer, or switches are placed below all
 * others, when damage leaves switches without a path.
 */
#include <config.h>
#include <string.h>
#include "sm/intended/ranks.h"
#include "sm/route/roots.h"
#include "util/bits.h"

static void
make_parts(struct roots *t, const struct route_model *m, struct arena *a)
{
	uint32_t *queue = arena_array(a, m->g.nsw, sizeof(*queue));
	uint16_t *dist = arena_array(a, m->g.nsw, sizeof(*dist)), part = 0;

	t->part = arena_array(a, m->g.nsw, sizeof(*t->part));
	for (uint32_t sw = 0; sw < m->g.nsw; sw++) {
		uint32_t n;

		if (t->part[sw])
			continue;
		n = swgraph_distances(&m->g, &sw, 1, dist, queue);
		part++;
		while (n)
			t->part[queue[--n]] = part;
	}
}

static void
take_ranks(struct roots *t, const struct intended_ranks *r)
{
	t->rule = r->rule;
	t->sw = r->sw;
	t->n = r->n;
	t->rank = r->rank;
	t->max_rank = r->max_rank;
	t->sum = r->sum;
	t->reach = r->reach;
}

enum route_code
roots_find(struct roots *t, const struct route_model *m, const struct route_conf *c,
	struct arena *a, struct route_report *r)
{
	struct intended_ranks ranks;

	memset(t, 0, sizeof(*t));
	make_parts(t, m, a);
	if (!intended_ranks_find(&ranks, m->s, &m->g, c ? c->roots : NULL, c ? c->nroots : 0, a))
		return route_refuse(r, ROUTE_INPUT,
			"none of the %u given roots is a switch of this fabric", c->nroots);
	take_ranks(t, &ranks);
	return ROUTE_OK;
}

bool
roots_single(struct roots *t, const struct route_model *m, struct arena *a)
{
	struct intended_ranks r = { .sw = t->sw, .n = 1, .rank = t->rank, .sum = t->sum,
		.reach = t->reach, .rule = "single" };
	uint32_t *all = arena_array(a, m->g.nsw, sizeof(*all));
	bool given = strcmp(t->rule, "given") == 0;

	if (t->n == 1)
		return false;
	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		all[sw] = sw;
	t->sw[0] = intended_ranks_center(&r, given ? t->sw : all, given ? t->n : m->g.nsw);
	t->lowered = 0;
	intended_ranks_renew(&r, &m->g, a);
	take_ranks(t, &r);
	return true;
}

bool
roots_lower(struct roots *t, const struct route_model *m, const uint64_t *lost)
{
	uint16_t below = (uint16_t)(t->max_rank + 1);

	for (size_t c = bits_next(lost, m->ncols, 0); c < m->ncols;
		c = bits_next(lost, m->ncols, c + 1))
		if (swgraph_is_leaf(&m->g, m->col_sw[c]))
			return false;
	for (size_t c = bits_next(lost, m->ncols, 0); c < m->ncols;
		c = bits_next(lost, m->ncols, c + 1)) {
		t->lowered += t->rank[m->col_sw[c]] < below;
		t->rank[m->col_sw[c]] = below;
	}
	return true;
}

void
roots_report(
	const struct roots *t, const struct route_model *m, struct arena *a, struct route_report *r)
{
	r->root_rule = t->rule;
	r->roots = arena_array(a, t->n, sizeof(*r->roots));
	r->nroots = t->n;
	for (uint32_t i = 0; i < t->n; i++)
		r->roots[i] = route_node(m, t->sw[i]);
	r->rank = arena_array(a, (size_t)m->g.nsw + 1, sizeof(*r->rank));
	memcpy(r->rank, t->rank, m->g.nsw * sizeof(*r->rank));
	r->max_rank = t->max_rank;
	r->lowered = t->lowered;
}
