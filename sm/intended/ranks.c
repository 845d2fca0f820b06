/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ranks.c - finds the switches at the top, the roots.
 * Room: sm/intended.  Pure.  In: the graph of switches, perhaps a list.  Out: roots, ranks.
 *
 * Without a list, the first of these that finds any:
 * histogram  A switch is a candidate when more than 90 % of all hosts are at one distance from it
 *            and no other distance has more than 5 %.  In a large tree that is true of every switch
 *            (nearly all hosts are equally far from any leaf), so only the candidates are used
 *            whose many hosts are nearest.  Switches without hosts at the same height above the
 *            switches with hosts are added: in a tree that lost links they can be slightly below
 *            these limits.
 * tree       Of the switches without hosts those that have no neighbour higher than themselves, at
 *            the height that most of them have.  The rule applies only if at most 5 % of the
 *            links connect equal heights, as in a tree.
 * center     The most central switch.
 */
#include <config.h>
#include <string.h>
#include "sm/intended/ranks.h"

/* In a connected part that no root reaches, the first switch becomes a root. */
void
intended_ranks_renew(struct intended_ranks *t, const struct swgraph *g, struct arena *a)
{
	uint32_t *queue = arena_array(a, g->nsw, sizeof(*queue));
	uint32_t *from = arena_array(a, g->nsw, sizeof(*from));
	uint32_t n = t->n;

	memcpy(from, t->sw, n * sizeof(*from));
	for (uint32_t sw = 0; sw <= g->nsw; sw++) {
		swgraph_distances(g, from, n, t->rank, queue);
		while (sw < g->nsw && t->rank[sw] != SWGRAPH_FAR)
			sw++;
		if (sw == g->nsw)
			break;
		from[n++] = sw;
	}
	t->max_rank = 0;
	for (uint32_t sw = 0; sw < g->nsw; sw++)
		t->max_rank = t->rank[sw] > t->max_rank ? t->rank[sw] : t->max_rank;
}

/* Returns the distance of most hosts according to the rule "histogram", or SWGRAPH_NO_PATH if the
 * switch is no candidate. */
static uint8_t
nearest_bar(const uint64_t hist[static SWGRAPH_NO_PATH + 1], uint64_t hosts)
{
	unsigned many = 0, some = 0;
	uint8_t bar = SWGRAPH_NO_PATH;

	for (unsigned d = 0; d < SWGRAPH_NO_PATH; d++) {
		some += hist[d] * 20 > hosts;
		if (hist[d] * 10 > hosts * 9) {
			many++;
			bar = (uint8_t)d;
		}
	}
	return many == 1 && some == 1 ? bar : SWGRAPH_NO_PATH;
}

/* Adds up one row of distances, and counts hosts by distance. */
static void
measure_row(struct intended_ranks *t, const struct swgraph *g, uint32_t sw, const uint8_t *row,
	uint64_t hist[static SWGRAPH_NO_PATH + 1])
{
	for (uint32_t to = 0; to < g->nsw; to++) {
		if (row[to] == SWGRAPH_NO_PATH)
			continue;
		t->sum[sw] += row[to];
		t->reach[sw] = row[to] > t->reach[sw] ? row[to] : t->reach[sw];
		hist[row[to]] += g->host_first[to + 1] - g->host_first[to];
	}
}

/* 'bar': receives the bar of every switch; NULL: not wanted. */
static void
measure_distances(struct intended_ranks *t, const struct swgraph *g, uint8_t *bar, struct arena *a)
{
	struct arena scratch = ARENA_INIT;
	uint32_t stride = (g->nsw + 63) / 64 * 64;
	const uint8_t *dist = swgraph_all_distances(g, NULL, stride, &scratch);

	t->sum = arena_array(a, g->nsw, sizeof(*t->sum));
	t->reach = arena_alloc(a, g->nsw);
	for (uint32_t sw = 0; sw < g->nsw; sw++) {
		uint64_t hist[SWGRAPH_NO_PATH + 1] = { 0 };

		measure_row(t, g, sw, dist + (size_t)sw * stride, hist);
		if (bar)
			bar[sw] = nearest_bar(hist, g->host_first[g->nsw]);
	}
	arena_clear(&scratch);
}

void
intended_ranks_measure(struct intended_ranks *t, const struct swgraph *g, struct arena *a)
{
	measure_distances(t, g, NULL, a);
}

static void
by_histogram(struct intended_ranks *t, const struct swgraph *g, const uint8_t *bar,
	const uint16_t *height)
{
	uint8_t nearest = SWGRAPH_NO_PATH;
	uint16_t top = SWGRAPH_FAR;

	for (uint32_t sw = 0; sw < g->nsw; sw++)
		nearest = bar[sw] < nearest ? bar[sw] : nearest;
	if (nearest == SWGRAPH_NO_PATH)
		return;
	t->rule = "histogram";
	for (uint32_t sw = 0; sw < g->nsw; sw++)
		if (bar[sw] == nearest && height[sw] && height[sw] < top)
			top = height[sw];
	for (uint32_t sw = 0; sw < g->nsw; sw++)
		if (bar[sw] == nearest || (height[sw] >= top && height[sw] != SWGRAPH_FAR))
			t->sw[t->n++] = sw;
}

/* Returns true if a switch without hosts has no higher neighbour.  Counts its links, and those to
 * switches of equal height. */
static bool
is_top(const struct swgraph *g, const uint16_t *height, uint32_t sw, uint64_t *cables,
	uint64_t *level)
{
	bool top = height[sw] > 0 && height[sw] != SWGRAPH_FAR;

	for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++) {
		const struct swgraph_group *gr = &g->groups[k];

		*cables += gr->nports;
		*level += height[gr->to] == height[sw] ? gr->nports : 0;
		top &= height[gr->to] <= height[sw];
	}
	return top;
}

static void
by_height(struct intended_ranks *t, const struct swgraph *g, const uint16_t *height,
	struct arena *a)
{
	uint32_t *count = arena_array(a, (size_t)g->nsw + 1, sizeof(*count)), most = 0;
	uint64_t cables = 0, level = 0, unused = 0;

	for (uint32_t sw = 0; sw < g->nsw; sw++)
		if (is_top(g, height, sw, &cables, &level))
			count[height[sw]]++;
	if (level * 20 > cables)
		return;
	for (uint32_t h = 1; h <= g->nsw; h++)
		if (count[h] > count[most])
			most = h;
	for (uint32_t sw = 0; most && sw < g->nsw; sw++)
		if (height[sw] == most && is_top(g, height, sw, &unused, &unused))
			t->sw[t->n++] = sw;
	t->rule = "tree";
}

uint32_t
intended_ranks_center(const struct intended_ranks *t, const uint32_t *sw, uint32_t n)
{
	uint32_t best = sw[0];

	for (uint32_t i = 1; i < n; i++)
		if (t->reach[sw[i]] < t->reach[best] ||
		    (t->reach[sw[i]] == t->reach[best] && t->sum[sw[i]] < t->sum[best]))
			best = sw[i];
	return best;
}

static void
by_center(struct intended_ranks *t, const struct swgraph *g, struct arena *a)
{
	uint32_t *all = arena_array(a, g->nsw, sizeof(*all));

	for (uint32_t sw = 0; sw < g->nsw; sw++)
		all[sw] = sw;
	t->rule = "center";
	t->sw[t->n++] = intended_ranks_center(t, all, g->nsw);
}

static void
find_roots(struct intended_ranks *t, const struct swgraph *g, const uint8_t *bar,
	struct arena *scratch)
{
	uint16_t *height = arena_array(scratch, g->nsw, sizeof(*height));
	uint32_t *queue = arena_array(scratch, g->nsw, sizeof(*queue));
	uint32_t *leaves = arena_array(scratch, g->nsw, sizeof(*leaves)), n = 0;

	for (uint32_t sw = 0; sw < g->nsw; sw++)
		if (swgraph_is_leaf(g, sw))
			leaves[n++] = sw;
	swgraph_distances(g, leaves, n, height, queue);
	by_histogram(t, g, bar, height);
	if (!t->n)
		by_height(t, g, height, scratch);
	if (!t->n)
		by_center(t, g, scratch);
}

static void
take_given(struct intended_ranks *t, const struct snapshot *s, const uint64_t *given, uint32_t n)
{
	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		for (uint32_t i = 0; i < n; i++)
			if (s->nodes[s->switches[sw]].guid == given[i]) {
				t->sw[t->n++] = sw;
				break;
			}
	t->rule = "given";
}

bool
intended_ranks_find(struct intended_ranks *t, const struct snapshot *s, const struct swgraph *g,
	const uint64_t *given, uint32_t ngiven, struct arena *a)
{
	struct arena scratch = ARENA_INIT;
	uint8_t *bar = arena_alloc(&scratch, g->nsw);

	memset(t, 0, sizeof(*t));
	t->sw = arena_array(a, g->nsw, sizeof(*t->sw));
	t->rank = arena_array(a, g->nsw, sizeof(*t->rank));
	measure_distances(t, g, bar, a);
	if (ngiven)
		take_given(t, s, given, ngiven);
	else
		find_roots(t, g, bar, &scratch);
	if (t->n)
		intended_ranks_renew(t, g, &scratch);
	arena_clear(&scratch);
	return t->n > 0;
}
