/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * roots.c - ranks that change when damage leaves switches without a path.
 * Room: sm/route/tree.  Pure.  In: ranks of the intended topology, columns without a path.  Out: ranks.
 */
#include <config.h>
#include <string.h>
#include "sm/intended/ranks.h"
#include "sm/route/tree/roots.h"
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
count_ranks(struct roots *t, const struct route_model *m)
{
	t->n = 0;
	t->max_rank = 0;
	for (uint32_t sw = 0; sw < m->g.nsw; sw++) {
		if (route_node(m, sw) == FAB_NONE)
			continue;
		t->n += t->rank[sw] == 0;
		t->max_rank = t->rank[sw] > t->max_rank ? t->rank[sw] : t->max_rank;
	}
}

void
roots_init(struct roots *t, const struct route_model *m, const char *rule, const uint16_t *rank,
	struct arena *a)
{
	memset(t, 0, sizeof(*t));
	t->rule = rule;
	t->rank = arena_array(a, m->g.nsw, sizeof(*t->rank));
	memcpy(t->rank, rank, m->g.nsw * sizeof(*rank));
	make_parts(t, m, a);
	count_ranks(t, m);
}

/* The part with most switches. */
static uint16_t
largest_part(const struct roots *t, const struct route_model *m, struct arena *a)
{
	uint32_t *size = arena_array(a, (size_t)m->g.nsw + 2, sizeof(*size));
	uint16_t best = 1;

	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		size[t->part[sw]]++;
	for (uint16_t i = 2; i <= m->g.nsw; i++)
		best = size[i] > size[best] ? i : best;
	return best;
}

/* Roots that were given stay candidates, if the part has one. */
static uint32_t
list_candidates(const struct roots *t, const struct route_model *m, uint16_t part, uint32_t *out)
{
	uint32_t n = 0;

	for (uint32_t sw = 0; strcmp(t->rule, "given") == 0 && sw < m->g.nsw; sw++)
		if (t->part[sw] == part && t->rank[sw] == 0)
			out[n++] = sw;
	for (uint32_t sw = 0, none = !n; none && sw < m->g.nsw; sw++)
		if (t->part[sw] == part)
			out[n++] = sw;
	return n;
}

bool
roots_single(struct roots *t, const struct route_model *m)
{
	struct arena scratch = ARENA_INIT;
	struct intended_ranks r = { .rank = t->rank };
	uint32_t *list, n;

	if (strcmp(t->rule, "single") == 0)
		return false;
	list = arena_array(&scratch, m->g.nsw, sizeof(*list));
	n = list_candidates(t, m, largest_part(t, m, &scratch), list);
	intended_ranks_measure(&r, &m->g, &scratch);
	r.sw = arena_array(&scratch, m->g.nsw, sizeof(*r.sw));
	r.sw[r.n++] = intended_ranks_center(&r, list, n);
	intended_ranks_renew(&r, &m->g, &scratch);
	t->rule = "single";
	t->lowered = 0;
	count_ranks(t, m);
	t->n = 1;
	arena_clear(&scratch);
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
