/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * weighted.c - least costs to every switch, by buckets of equal cost.
 * Room: sm/route.  Pure.  In: the model, a weight per group of links.  Out: costs, candidates.
 *
 * From a destination outwards the switches are taken in the order of their costs.  Those that wait
 * have costs of at most the greatest weight above the present one, so a ring of buckets holds them.
 */
#include <config.h>
#include <string.h>
#include "sm/conf/routing/lines.h"
#include "sm/route/model/chanorder.h"
#include "sm/route/weighted.h"

#define RING (ROUTING_WEIGHT_MAX + 1)
#define NONE UINT32_MAX

struct search {
	const struct weighted *w;
	const struct chanorder_net *net;
	uint32_t *cost; /* per switch: to the destination */
	/* lists of the switches that wait, by cost modulo RING */
	uint32_t head[RING], *next, *prev, waiting;
};

static void
bucket_leave(struct search *x, uint32_t sw)
{
	if (x->prev[sw] == NONE)
		x->head[x->cost[sw] % RING] = x->next[sw];
	else
		x->next[x->prev[sw]] = x->next[sw];
	if (x->next[sw] != NONE)
		x->prev[x->next[sw]] = x->prev[sw];
	x->waiting--;
}

static void
bucket_enter(struct search *x, uint32_t sw, uint32_t cost)
{
	uint32_t *head = &x->head[cost % RING];

	x->cost[sw] = cost;
	x->prev[sw] = NONE;
	x->next[sw] = *head;
	if (*head != NONE)
		x->prev[*head] = sw;
	*head = sw;
	x->waiting++;
}

/* The neighbours of a switch whose cost is known: over the links that lead to it. */
static void
search_expand(struct search *x, uint32_t sw)
{
	const struct swgraph *g = &x->w->m->g;

	for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++) {
		uint32_t from = g->groups[k].to;
		uint32_t cost = x->cost[sw] + route_weight(x->w->m, x->net->rev[k]);

		if (x->cost[from] <= cost)
			continue;
		if (x->cost[from] != WEIGHTED_FAR)
			bucket_leave(x, from);
		bucket_enter(x, from, cost);
	}
}

static void
search_run(struct search *x, uint32_t to)
{
	memset(x->cost, 0xff, x->w->m->g.nsw * sizeof(*x->cost));
	memset(x->head, 0xff, sizeof(x->head));
	bucket_enter(x, to, 0);
	for (uint32_t cost = 0; x->waiting; cost++)
		for (uint32_t sw; (sw = x->head[cost % RING]) != NONE;) {
			bucket_leave(x, sw);
			search_expand(x, sw);
		}
}

void
weighted_make(struct weighted *w, const struct route_model *m, struct arena *a)
{
	struct arena scratch = ARENA_INIT;
	struct chanorder_net net;
	struct search x = { .w = w, .net = &net };
	uint32_t nsw = m->g.nsw;

	*w = (struct weighted){ .m = m };
	w->cost = arena_array(a, (size_t)nsw * m->ncols + 1, sizeof(*w->cost));
	chanorder_net_make(&net, &m->g, &scratch);
	x.cost = arena_array(&scratch, (size_t)nsw + 1, sizeof(*x.cost));
	x.next = arena_array(&scratch, (size_t)nsw + 1, sizeof(*x.next));
	x.prev = arena_array(&scratch, (size_t)nsw + 1, sizeof(*x.prev));
	for (uint32_t c = 0; c < m->ncols; c++) {
		search_run(&x, m->col_sw[c]);
		for (uint32_t sw = 0; sw < nsw; sw++)
			w->cost[(size_t)sw * m->ncols + c] = x.cost[sw];
	}
	arena_clear(&scratch);
}

void
weighted_candidates(const struct weighted *w, struct fill *f)
{
	const struct route_model *m = w->m;
	const uint32_t *own = w->cost + (size_t)f->sw * m->ncols;

	for (uint32_t k = 0; k < f->ngroups; k++) {
		const uint32_t *to = w->cost + (size_t)f->order[k]->to * m->ncols;
		uint32_t weight = route_weight(m, (uint32_t)(f->order[k] - m->g.groups));
		uint8_t *mask = f->mask + (size_t)(k / 8) * m->stride;

		for (uint32_t c = 0; c < m->ncols; c++)
			if (to[c] != WEIGHTED_FAR && to[c] + weight == own[c])
				mask[c] |= (uint8_t)(1u << k % 8);
	}
}
