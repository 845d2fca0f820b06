/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * anchor.c - the pivot that damage does not move.
 * Room: sm/route/tree.  Pure.  In: the frame, the order of switches.  Out: the anchor, and whether it
 * may be used.
 *
 * The graph that is searched for cycles has one channel per pair of neighbours and direction, so
 * that parallel links are one.  It is that of the intended topology; if the fabric has links
 * between other pairs of switches, that of the present fabric.  If a switch counts as farther away
 * than in the intended topology, its old path, now lost, can close a cycle with the new one:
 * then the present fabric decides, and of the turns from down to up only those that are taken in it.
 * That is done while such switches are few; with many of them, or when the anchor has lost a neighbour
 * of its own, they have no path to it and stay with other pivots, and all others keep theirs.
 */
#include <config.h>
#include <string.h>
#include "fabric/verify/verify_graph.h"
#include "sm/route/tree/anchor.h"
#include "util/bisect.h"
#include "util/bits.h"

#define DISTANCE_MAX 255
/* One of so many switches may be stranded before the anchor is given up. */
#define STRANDED_SHARE 32

/* Whether 'g' has all pairs of neighbours of 'part'. */
static bool
has_pairs(const struct swgraph *g, const struct swgraph *part)
{
	for (uint32_t sw = 0; sw < part->nsw; sw++) {
		uint32_t k = g->group_first[sw];

		for (uint32_t i = part->group_first[sw]; i < part->group_first[sw + 1]; i++) {
			while (k < g->group_first[sw + 1] && g->groups[k].to < part->groups[i].to)
				k++;
			if (k == g->group_first[sw + 1] || g->groups[k].to != part->groups[i].to)
				return false;
		}
	}
	return true;
}

/* The place of 'to' among the neighbours of 'sw'. */
static uint32_t
place_of(const struct swgraph *g, uint32_t sw, uint32_t to)
{
	uint32_t k;

	BISECT_FROM(k, g->group_first[sw], g->group_first[sw + 1], g->groups[k].to < to);
	return k - g->group_first[sw];
}

/* Channels are numbered as the groups: channel k is the one that comes in over group k. */
static void
make_channels(struct chan_graph *c, const struct swgraph *g, struct arena *a)
{
	uint32_t words = 0;

	memset(c, 0, sizeof(*c));
	c->nsw = g->nsw;
	c->first = g->group_first;
	c->nchans = g->group_first[g->nsw];
	c->word = arena_array(a, (size_t)g->nsw + 1, sizeof(*c->word));
	c->sw = arena_array(a, c->nchans, sizeof(*c->sw));
	c->hop = arena_array(a, c->nchans, sizeof(*c->hop));
	for (uint32_t sw = 0; sw < g->nsw; sw++) {
		uint32_t n = g->group_first[sw + 1] - g->group_first[sw];

		c->word[sw] = words;
		words += n * ((n + 63) / 64);
		for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++) {
			uint32_t to = g->groups[k].to;

			c->sw[k] = sw;
			c->hop[k] = (struct chan_hop){ to,
				g->group_first[to] + place_of(g, to, sw) };
		}
	}
	c->word[g->nsw] = words;
	c->bits = arena_array(a, words, sizeof(*c->bits));
}

/* Whether a packet may come down from 'from' to 'sw' only to climb again. */
static bool
may_turn(const struct anchor *t, uint32_t from, uint32_t sw)
{
	const struct swgraph_group *g;

	if (t->dist[from] == SWGRAPH_FAR || t->dist[from] != t->dist[sw] + 1 ||
	    !updown_is_up(t->u, sw, from))
		return false;
	if (!t->exact)
		return true;
	g = anchor_parent(t, from);
	return g && g->to == sw;
}

/* The turns at one switch: from below to all, from above to below, and from above where the rule
 * of the anchor turns a packet; never back. */
static void
add_turns(const struct anchor *t, struct chan_graph *c, uint32_t sw)
{
	const struct swgraph *g = t->g;
	uint32_t first = g->group_first[sw], n = g->group_first[sw + 1] - first;
	uint64_t down[4] = { 0 }, all[4] = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		bits_set(all, i);
		if (!updown_is_up(t->u, sw, g->groups[first + i].to))
			bits_set(down, i);
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t from = g->groups[first + i].to;
		bool any = !updown_is_up(t->u, sw, from) || may_turn(t, from, sw);
		uint64_t *row = chan_graph_row(c, sw, i);

		memcpy(row, any ? all : down, chan_graph_words(c, sw) * sizeof(*row));
		bits_clear(row, i);
	}
}

static bool
rule_acyclic(const struct anchor *t)
{
	struct arena scratch = ARENA_INIT;
	struct chan_graph c;
	uint32_t *comp, n;

	make_channels(&c, t->g, &scratch);
	for (uint32_t sw = 0; sw < c.nsw; sw++)
		add_turns(t, &c, sw);
	comp = arena_array(&scratch, c.nchans, sizeof(*comp));
	n = chan_graph_components(&c, &scratch, comp);
	arena_clear(&scratch);
	return n == 0;
}

/* The first leaf that is there, with a link. */
static uint32_t
find_root(const struct frame *f)
{
	const struct route_model *m = &f->now;

	for (uint32_t c = 0; c < m->ncols; c++) {
		uint32_t sw = m->col_sw[c];

		if (f->node[sw] != FAB_NONE &&
		    (swgraph_is_leaf(&m->g, sw) || swgraph_is_leaf(&f->whole.g, sw)) &&
		    m->g.group_first[sw + 1] > m->g.group_first[sw])
			return sw;
	}
	return FAB_NONE;
}

static bool
has_parent(const struct anchor *t, uint32_t sw)
{
	return sw == t->root || t->dist[sw] == SWGRAPH_FAR || t->f->node[sw] == FAB_NONE ||
		anchor_parent(t, sw) != NULL;
}

/* One more hop than the nearest neighbour that is farther away than 'sw' seems. */
static uint16_t
next_distance(const struct anchor *t, uint32_t sw)
{
	const struct swgraph *g = &t->f->now.g;
	uint16_t least = SWGRAPH_FAR;

	for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++) {
		uint16_t d = t->dist[g->groups[k].to];

		if (d != SWGRAPH_FAR && d + 1 > t->dist[sw] && d + 1 < least)
			least = (uint16_t)(d + 1);
	}
	return least < DISTANCE_MAX ? least : SWGRAPH_FAR;
}

/* A switch that lost all neighbours nearer to the anchor counts as farther away, so that one of the
 * others is nearer.  Those behind it may follow. */
static void
move_stranded(struct anchor *t)
{
	bool any = true;

	while (any) {
		any = false;
		for (uint32_t i = 0; i < t->nqueue; i++)
			if (!has_parent(t, t->queue[i])) {
				t->dist[t->queue[i]] = next_distance(t, t->queue[i]);
				any = true;
				t->moved++;
			}
	}
}

/* Nearest first again. */
static void
sort_queue(struct anchor *t, struct arena *a)
{
	uint32_t first[DISTANCE_MAX + 1] = { 0 }, n = 0;
	uint32_t *queue = arena_array(a, t->nqueue, sizeof(*queue));

	for (uint32_t i = 0; i < t->nqueue; i++)
		if (t->dist[t->queue[i]] < DISTANCE_MAX)
			first[t->dist[t->queue[i]] + 1]++;
	for (uint32_t d = 0; d < DISTANCE_MAX; d++)
		first[d + 1] += first[d];
	for (uint32_t i = 0; i < t->nqueue; i++)
		if (t->dist[t->queue[i]] < DISTANCE_MAX) {
			queue[first[t->dist[t->queue[i]]]++] = t->queue[i];
			n++;
		}
	t->queue = queue;
	t->nqueue = n;
}

/* Whether the anchor is next to all that it is next to in the intended topology. */
static bool
has_neighbours(const struct anchor *t)
{
	const uint32_t *whole = t->f->whole.g.group_first, *now = t->f->now.g.group_first;

	return now[t->root + 1] - now[t->root] == whole[t->root + 1] - whole[t->root];
}

static void
find_distances(struct anchor *t, struct arena *a)
{
	t->dist = arena_array(a, t->f->now.g.nsw, sizeof(*t->dist));
	t->queue = arena_array(a, t->f->now.g.nsw, sizeof(*t->queue));
	t->nqueue = swgraph_distances(t->g, &t->root, 1, t->dist, t->queue);
}

void
anchor_find(struct anchor *t, const struct frame *f, const struct updown *u, bool today,
	struct arena *a)
{
	const struct swgraph *now = &f->now.g, *g;

	memset(t, 0, sizeof(*t));
	t->f = f;
	t->u = u;
	t->g = g = f->same || has_pairs(&f->whole.g, now) ? &f->whole.g : now;
	t->root = find_root(f);
	if (t->root == FAB_NONE)
		return;
	find_distances(t, a);
	move_stranded(t);
	if (t->moved)
		sort_queue(t, a);
	t->sound = rule_acyclic(t);
	if (t->sound || !t->moved)
		return;
	if (today && t->moved <= t->nqueue / STRANDED_SHARE && g != now && has_neighbours(t)) {
		t->g = now; /* the distances hold for these losses only */
		t->exact = true;
		t->sound = rule_acyclic(t);
	}
	if (!t->sound) {
		t->g = g;
		t->exact = false;
		find_distances(t, a);
		t->sound = rule_acyclic(t);
	}
}

const struct swgraph_group *
anchor_parent(const struct anchor *t, uint32_t sw)
{
	const struct swgraph *g = &t->f->now.g;
	const struct swgraph_group *best = NULL;

	for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++) {
		const struct swgraph_group *gr = &g->groups[k];

		if (t->dist[sw] == SWGRAPH_FAR || t->dist[gr->to] + 1 != t->dist[sw])
			continue;
		if (!best || t->f->plane[gr->to] < t->f->plane[best->to])
			best = gr;
	}
	return best;
}

uint8_t
anchor_port(const struct anchor *t, uint32_t sw, uint32_t c, const struct swgraph_group *g)
{
	const struct swgraph *whole = &t->f->whole.g;
	const uint8_t *ports = &t->f->now.g.ports[g->first_port];
	uint32_t id = t->f->own_id[t->f->now.col_sw[c]], k = whole->group_first[sw];

	if (g->nports == 1)
		return ports[0];
	while (k < whole->group_first[sw + 1] && whole->groups[k].to != g->to)
		k++;
	if (k < whole->group_first[sw + 1]) {
		const struct swgraph_group *w = &whole->groups[k];
		uint8_t want = whole->ports[w->first_port + id % w->nports];

		for (uint32_t i = 0; i < g->nports; i++)
			if (ports[i] == want)
				return want;
	}
	return ports[id % g->nports];
}

bool
anchor_covers(const struct anchor *t)
{
	if (!t->sound || t->moved || t->root != find_root(t->f) || !has_pairs(t->g, &t->f->now.g))
		return false;
	for (uint32_t i = 0; i < t->nqueue; i++)
		if (!has_parent(t, t->queue[i]))
			return false;
	return true;
}
