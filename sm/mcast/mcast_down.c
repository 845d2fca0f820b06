/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mcast_down.c - counts the switches below tops.
 * Room: sm/mcast.  Pure.  In: edges with ranks.  Out: numbers.
 *
 * Switches are looked at from the highest to the lowest; each gets what its higher neighbours have:
 * one bit for each of 64 tops.
 */
#include <config.h>
#include <string.h>
#include "sm/mcast/mcast_down.h"

enum { TOPS = 64 };

/* All switches, those of smaller rank first; of equal ranks the later switch is higher. */
static void
sort_switches(struct mcast_down *d)
{
	const uint16_t *rank = d->e->rank;
	uint32_t nsw = d->e->g.nsw, last = 0, at = 0, *count;

	for (uint32_t sw = 0; sw < nsw; sw++)
		if (rank[sw] != SWGRAPH_FAR && rank[sw] > last)
			last = rank[sw];
	count = arena_array(d->a, last + 2, sizeof(*count));
	for (uint32_t sw = 0; sw < nsw; sw++)
		count[rank[sw] == SWGRAPH_FAR ? last + 1 : rank[sw]]++;
	for (uint32_t r = 0; r < last + 2; r++) {
		uint32_t n = count[r];

		count[r] = at;
		at += n;
	}
	for (uint32_t sw = nsw; sw-- > 0;)
		d->order[count[rank[sw] == SWGRAPH_FAR ? last + 1 : rank[sw]]++] = sw;
}

/* Puts the higher neighbours of a switch that forward at the end of up[]. */
static uint32_t
list_higher(struct mcast_down *d, uint32_t sw, uint32_t n)
{
	const struct swgraph *g = &d->e->g;

	for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++) {
		uint32_t to = g->groups[k].to;

		if (mcast_edges_leads_up(d->e, sw, to) && mcast_edges_forwards(d->e, to))
			d->up[n++] = to;
	}
	return n;
}

void
mcast_down_init(struct mcast_down *d, const struct mcast_edges *e, struct arena *a)
{
	size_t n = (size_t)e->g.nsw + 1;

	*d = (struct mcast_down){ .e = e, .a = a };
	d->order = arena_array(a, n, sizeof(*d->order));
	d->first = arena_array(a, n, sizeof(*d->first));
	d->up = arena_array(a, (size_t)e->g.group_first[e->g.nsw] + 1, sizeof(*d->up));
	d->top = arena_array(a, n, sizeof(*d->top));
	d->at = arena_array(a, n, sizeof(*d->at));
	d->mask = arena_array(a, n, sizeof(*d->mask));
	sort_switches(d);
	for (uint32_t i = 0; i < e->g.nsw; i++) {
		uint32_t sw = d->order[i];

		d->first[i + 1] = list_higher(d, sw, d->first[i]);
		d->at[sw] = d->first[i + 1] == d->first[i] && mcast_edges_forwards(e, sw) ? 0 :
											    FAB_NONE;
	}
	for (uint32_t sw = 0; sw < e->g.nsw; sw++)
		if (d->at[sw] != FAB_NONE) {
			d->at[sw] = d->ntops;
			d->top[d->ntops++] = sw;
		}
	d->switches = arena_array(a, (size_t)d->ntops + 1, sizeof(*d->switches));
	d->leaves = arena_array(a, (size_t)d->ntops + 1, sizeof(*d->leaves));
}

bool
mcast_down_is_top(const struct mcast_down *d, uint32_t sw)
{
	return d->at[sw] != FAB_NONE;
}

/* Counts for the tops first, first + 1 and so on, at most 64. */
static void
count_below(struct mcast_down *d, uint32_t first)
{
	uint32_t nsw = d->e->g.nsw;

	for (uint32_t i = 0; i < nsw; i++) {
		uint32_t sw = d->order[i], own = d->at[sw] - first, leaf;
		uint64_t m = d->at[sw] != FAB_NONE && own < TOPS ? (uint64_t)1 << own : 0;

		for (uint32_t k = d->first[i]; k < d->first[i + 1]; k++)
			m |= d->mask[d->up[k]];
		if (!mcast_edges_forwards(d->e, sw))
			m = 0;
		d->mask[sw] = m;
		leaf = swgraph_is_leaf(&d->e->g, sw);
		for (; m; m &= m - 1) {
			d->switches[first + (uint32_t)__builtin_ctzll(m)]++;
			d->leaves[first + (uint32_t)__builtin_ctzll(m)] += leaf;
		}
	}
}

/* The place of a top, whose numbers are there then. */
static uint32_t
place_of(struct mcast_down *d, uint32_t top)
{
	uint32_t at = d->at[top];

	if (!d->switches[at])
		count_below(d, at / TOPS * TOPS);
	return at;
}

uint32_t
mcast_down_switches(struct mcast_down *d, uint32_t top)
{
	return d->switches[place_of(d, top)];
}

uint32_t
mcast_down_leaves(struct mcast_down *d, uint32_t top)
{
	return d->leaves[place_of(d, top)];
}
