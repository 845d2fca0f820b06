/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * roots.c - finds the root switches and ranks all switches.
 * Room: sm/route. Pure. In: the model, and the configured roots if there are any. Out: roots,
 * ranks.
 *
 * Without configured roots, the first of these rules that finds any:
 * histogram  A switch is a candidate if more than 90 % of all hosts are at one distance from it and
 *            no other distance has more than 5 %. In a large tree that is true of every switch,
 *            because nearly all hosts are equally far from any leaf; so only the candidates with
 *            the least such distance become roots. Switches without hosts that are at least as far
 *            from the switches with hosts become roots too, because in a tree with missing links
 *            they may be just below these percentages.
 * tree       Among the switches without hosts, those without a neighbour that is higher, at the
 *            height that most of them have. This rule applies only if the fabric is a tree: at most
 *            5 % of the links join switches of equal height.
 * center     The most central switch.
 */
#include <config.h>
#include <string.h>
#include "sm/route/roots.h"
#include "util/bits.h"

/* Ranks all switches by their distance from the roots. In a connected part without a root, its
 * first switch becomes a root for this purpose. */
static void
make_ranks(struct roots *t, const struct route_model *m, struct arena *a)
{
	uint32_t *queue = arena_array(a, m->g.nsw, sizeof(*queue));
	uint32_t *from = arena_array(a, m->g.nsw, sizeof(*from));
	uint32_t n = t->n;

	memcpy(from, t->sw, n * sizeof(*from));
	for (uint32_t sw = 0; sw <= m->g.nsw; sw++) {
		swgraph_distances(&m->g, from, n, t->rank, queue);
		while (sw < m->g.nsw && t->rank[sw] != SWGRAPH_FAR)
			sw++;
		if (sw == m->g.nsw)
			break;
		from[n++] = sw;
	}
	t->max_rank = 0;
	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		t->max_rank = t->rank[sw] > t->max_rank ? t->rank[sw] : t->max_rank;
}

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

/* Computes the sum and the maximum of the distances of every switch. bar[sw] is the distance of
 * most hosts from the switch, or ROUTE_INF if the switch is no candidate. */
static void
measure_distances(struct roots *t, const struct route_model *m, const uint8_t *dist, uint8_t *bar)
{
	uint64_t hosts = m->g.host_first[m->g.nsw];

	for (uint32_t sw = 0; sw < m->g.nsw; sw++) {
		const uint8_t *row = dist + (size_t)sw * m->stride;
		uint64_t hist[ROUTE_INF + 1] = { 0 };
		unsigned many = 0, some = 0;

		for (uint32_t c = 0; c < m->ncols; c++) {
			if (row[c] == ROUTE_INF)
				continue;
			t->sum[sw] += row[c];
			t->reach[sw] = row[c] > t->reach[sw] ? row[c] : t->reach[sw];
			if (c < m->g.nleaves)
				hist[row[c]] += m->g.host_first[m->col_sw[c] + 1] -
					m->g.host_first[m->col_sw[c]];
		}
		bar[sw] = ROUTE_INF;
		for (unsigned d = 0; d < ROUTE_INF; d++) {
			some += hist[d] * 20 > hosts;
			if (hist[d] * 10 > hosts * 9) {
				many++;
				bar[sw] = (uint8_t)d;
			}
		}
		if (many != 1 || some != 1)
			bar[sw] = ROUTE_INF;
	}
}

/* Computes the height of each switch: its distance from the nearest switch with hosts. */
static void
make_heights(const struct route_model *m, uint16_t *height, struct arena *a)
{
	uint32_t *queue = arena_array(a, m->g.nsw, sizeof(*queue));

	swgraph_distances(&m->g, m->col_sw, m->g.nleaves, height, queue);
}

static void
by_histogram(
	struct roots *t, const struct route_model *m, const uint8_t *bar, const uint16_t *height)
{
	uint8_t nearest = ROUTE_INF;
	uint16_t top = SWGRAPH_FAR;

	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		nearest = bar[sw] < nearest ? bar[sw] : nearest;
	if (nearest == ROUTE_INF)
		return;
	t->rule = "histogram";
	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		if (bar[sw] == nearest && height[sw] && height[sw] < top)
			top = height[sw];
	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		if (bar[sw] == nearest || (height[sw] >= top && height[sw] != SWGRAPH_FAR))
			t->sw[t->n++] = sw;
}

/* Reports whether a switch without hosts has no higher neighbour. Adds its links to '*cables', and
 * those to switches of equal height to '*level'. */
static bool
is_top(const struct route_model *m, const uint16_t *height, uint32_t sw, uint64_t *cables,
	uint64_t *level)
{
	bool top = height[sw] > 0 && height[sw] != SWGRAPH_FAR;

	for (uint32_t k = m->g.group_first[sw]; k < m->g.group_first[sw + 1]; k++) {
		const struct swgraph_group *g = &m->g.groups[k];

		*cables += g->nports;
		*level += height[g->to] == height[sw] ? g->nports : 0;
		top &= height[g->to] <= height[sw];
	}
	return top;
}

static void
by_height(struct roots *t, const struct route_model *m, const uint16_t *height, struct arena *a)
{
	uint32_t *count = arena_array(a, (size_t)m->g.nsw + 1, sizeof(*count)), most = 0;
	uint64_t cables = 0, level = 0, unused = 0;

	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		if (is_top(m, height, sw, &cables, &level))
			count[height[sw]]++;
	if (level * 20 > cables)
		return;
	for (uint32_t h = 1; h <= m->g.nsw; h++)
		if (count[h] > count[most])
			most = h;
	for (uint32_t sw = 0; most && sw < m->g.nsw; sw++)
		if (height[sw] == most && is_top(m, height, sw, &unused, &unused))
			t->sw[t->n++] = sw;
	t->rule = "tree";
}

/* Returns the most central of 'n' switches: the one with the least maximum distance, then the least
 * sum of distances, then the lowest GUID. */
static uint32_t
most_central(const struct roots *t, const uint32_t *sw, uint32_t n)
{
	uint32_t best = sw[0];

	for (uint32_t i = 1; i < n; i++)
		if (t->reach[sw[i]] < t->reach[best] ||
		    (t->reach[sw[i]] == t->reach[best] && t->sum[sw[i]] < t->sum[best]))
			best = sw[i];
	return best;
}

static uint32_t
all_switches(const struct route_model *m, struct arena *a, uint32_t **out)
{
	*out = arena_array(a, m->g.nsw, sizeof(**out));
	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		(*out)[sw] = sw;
	return m->g.nsw;
}

static enum route_code
take_given(struct roots *t, const struct route_model *m, const struct route_conf *c,
	struct route_report *r)
{
	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		for (uint32_t i = 0; i < c->nroots; i++)
			if (m->s->nodes[route_node(m, sw)].guid == c->roots[i]) {
				t->sw[t->n++] = sw;
				break;
			}
	if (!t->n)
		return route_refuse(r, ROUTE_INPUT,
			"none of the %u given roots is a switch of this fabric", c->nroots);
	t->rule = "given";
	return ROUTE_OK;
}

enum route_code
roots_find(struct roots *t, const struct route_model *m, const struct route_conf *c,
	struct arena *a, struct route_report *r)
{
	struct arena scratch = ARENA_INIT;
	uint8_t *bar = arena_alloc(&scratch, m->g.nsw);

	memset(t, 0, sizeof(*t));
	t->sw = arena_array(a, m->g.nsw, sizeof(*t->sw));
	t->rank = arena_array(a, m->g.nsw, sizeof(*t->rank));
	t->sum = arena_array(a, m->g.nsw, sizeof(*t->sum));
	t->reach = arena_alloc(a, m->g.nsw);
	make_parts(t, m, a);
	measure_distances(t, m, route_distances(m, &scratch), bar);
	if (c && c->nroots) {
		if (take_given(t, m, c, r) != ROUTE_OK) {
			arena_clear(&scratch);
			return r->code;
		}
	} else {
		uint16_t *height = arena_array(&scratch, m->g.nsw, sizeof(*height));

		make_heights(m, height, &scratch);
		by_histogram(t, m, bar, height);
		if (!t->n)
			by_height(t, m, height, &scratch);
	}
	if (!t->n) {
		uint32_t *all, n = all_switches(m, &scratch, &all);

		t->rule = "center";
		t->sw[t->n++] = most_central(t, all, n);
	}
	make_ranks(t, m, a);
	arena_clear(&scratch);
	return ROUTE_OK;
}

bool
roots_single(struct roots *t, const struct route_model *m, struct arena *a)
{
	uint32_t *all, n = all_switches(m, a, &all);

	if (t->n == 1)
		return false;
	t->sw[0] = strcmp(t->rule, "given") == 0 ? most_central(t, t->sw, t->n) :
						   most_central(t, all, n);
	t->n = 1;
	t->rule = "single";
	t->lowered = 0;
	make_ranks(t, m, a);
	return true;
}

bool
roots_lower(struct roots *t, const struct route_model *m, const uint64_t *lost)
{
	uint16_t below = (uint16_t)(t->max_rank + 1);

	if (bits_next(lost, m->g.nleaves, 0) < m->g.nleaves)
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
