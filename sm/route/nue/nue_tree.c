/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * nue_tree.c - parts of a fabric and their escape trees.
 * Room: sm/route/nue.  Pure.
 */
#include <config.h>
#include <string.h>
#include "sm/route/nue/nue_search.h"
#include "sm/route/nue/nue_tree.h"

#define ROOTS_MAX 64                    /* roots tried, at most */

/* Numbers the parts by their least switch. */
static void
find_parts(struct nue_tree *t)
{
	const struct swgraph *g = t->net->g;

	memset(t->part, 0xff, g->nsw * sizeof(*t->part));
	for (uint32_t first = 0; first < g->nsw; first++) {
		uint32_t n = 1;

		if (t->part[first] != NUE_NONE)
			continue;
		t->part[first] = t->nparts;
		t->root[t->nparts] = first;
		t->queue[0] = first;
		for (uint32_t i = 0; i < n; i++) {
			uint32_t sw = t->queue[i];

			for (uint32_t c = g->group_first[sw]; c < g->group_first[sw + 1]; c++)
				if (t->part[g->groups[c].to] == NUE_NONE) {
					t->part[g->groups[c].to] = t->nparts;
					t->queue[n++] = g->groups[c].to;
				}
		}
		t->size[t->nparts++] = n;
	}
}

/* Switches with hosts come first, then the least sum of distances, then the least GUID.  Switches
 * of other parts add the same to each sum. */
static void
find_roots(struct nue_tree *t, const struct route_model *m)
{
	struct arena scratch = ARENA_INIT;
	const uint8_t *dist = route_distances(m, &scratch);
	uint64_t *least = arena_array(&scratch, t->nparts, sizeof(*least));

	memset(least, 0xff, t->nparts * sizeof(*least));
	for (uint32_t sw = 0; sw < m->g.nsw; sw++) {
		uint64_t sum = swgraph_is_leaf(&m->g, sw) ? 0 : (uint64_t)1 << 32;

		for (uint32_t c = 0; c < m->ncols; c++)
			sum += dist[(size_t)sw * m->stride + c];
		if (sum >= least[t->part[sw]])
			continue;
		least[t->part[sw]] = sum;
		t->root[t->part[sw]] = sw;
	}
	arena_clear(&scratch);
}

void
nue_tree_make(struct nue_tree *t, const struct route_model *m, const struct chanorder_net *net,
	struct arena *a)
{
	memset(t, 0, sizeof(*t));
	t->net = net;
	t->part = arena_array(a, m->g.nsw, sizeof(*t->part));
	t->size = arena_array(a, m->g.nsw, sizeof(*t->size));
	t->root = arena_array(a, m->g.nsw, sizeof(*t->root));
	t->reserved = arena_array(a, m->g.nsw, sizeof(*t->reserved));
	t->parent = arena_array(a, m->g.nsw, sizeof(*t->parent));
	t->queue = arena_array(a, m->g.nsw, sizeof(*t->queue));
	find_parts(t);
	find_roots(t, m);
}

/* Whether channel 'c' belongs to a tree. */
static bool
on_tree(const struct nue_tree *t, uint32_t c)
{
	return t->parent[t->net->from[c]] == c ||
		t->parent[chanorder_to(t->net, c)] == t->net->rev[c];
}

/* Adds the switch that channel 'c' leads to as a leaf of the tree: it can be reached from all
 * channels into the switch where 'c' begins, and reaches all that leave it. */
static bool
attach(struct nue_tree *t, uint32_t c, struct chanorder *o)
{
	const struct swgraph *g = t->net->g;
	uint32_t sw = t->net->from[c], back = t->net->rev[c], mark = chanorder_mark(o);

	for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++)
		if (on_tree(t, k) &&
		    (!chanorder_add(o, back, k) || !chanorder_add(o, t->net->rev[k], c))) {
			chanorder_undo(o, mark);
			return false;
		}
	t->parent[chanorder_to(t->net, c)] = back;
	return true;
}

/* Grows a tree, breadth first, over links whose dependencies close no cycle with those in use. */
static bool
grow(struct nue_tree *t, uint32_t root, struct chanorder *o)
{
	const struct swgraph *g = t->net->g;
	uint32_t n = 1, part = t->part[root];

	for (uint32_t sw = 0; sw < g->nsw; sw++)
		if (t->part[sw] == part)
			t->parent[sw] = NUE_NONE;
	t->parent[root] = NUE_HERE;
	t->queue[0] = root;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t sw = t->queue[i];

		for (uint32_t c = g->group_first[sw]; c < g->group_first[sw + 1]; c++)
			if (t->parent[g->groups[c].to] == NUE_NONE && attach(t, c, o))
				t->queue[n++] = g->groups[c].to;
	}
	return n == t->size[part];
}

bool
nue_tree_reserve(struct nue_tree *t, uint32_t part, struct chanorder *o)
{
	uint32_t nsw = t->net->g->nsw, tried = 0;

	for (uint32_t i = 0; i <= nsw && tried < ROOTS_MAX; i++) {
		uint32_t root = i ? i - 1 : t->root[part];

		if (t->part[root] != part)
			continue;
		tried++;
		if (grow(t, root, o)) {
			chanorder_commit(o);
			t->reserved[part] = true;
			return true;
		}
		chanorder_undo(o, 0);
	}
	return false;
}

void
nue_tree_column(const struct nue_tree *t, uint32_t dest, uint32_t *next)
{
	uint32_t sw = dest, down = NUE_HERE;

	for (uint32_t i = 0; i < t->net->g->nsw; i++)
		next[i] = t->part[i] == t->part[dest] ? t->parent[i] : NUE_NONE;
	for (;;) {                              /* from the destination to the root: downwards */
		uint32_t up = next[sw];

		next[sw] = down;
		if (up == NUE_HERE)
			return;
		down = t->net->rev[up];
		sw = chanorder_to(t->net, up);
	}
}
