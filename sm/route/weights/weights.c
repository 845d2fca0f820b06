/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * weights.c - trees of shortest paths, each chosen by the loads that the others make.
 * Room: sm/route/weights.  Pure.  In: model, previous tables, kinds of hosts.  Out: trees, then
 * rows.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/route/model/fill.h"
#include "sm/route/weights/weights.h"

#define ROUND_MAX 64                    /* trees chosen against the same loads */
#define ROUNDS_MIN 32                   /* small fabrics have smaller rounds */
#define PASSES_MAX 4
/* Trees times channels, of all passes together; every fabric gets at least PASSES_MIN. */
#define STEPS_MAX 1000000000u
#define PASSES_MIN 2
/* Costs in a path of up to 255 hops: the squares of its loads, then each bad turn, then each change
 * to an earlier dimension.  One of a kind costs more than all of the kinds before. */
#define LOAD_BITS 18
#define TURN_COST ((uint64_t)1 << 45)
#define BACK_COST ((uint64_t)1 << 54)
#define KIND_SHIFT 56                   /* place_key() */
#define HOPS_LOST 254                   /* tree_hops(): met, and it does not arrive */

/* Of one part of the work. */
struct scratch {
	uint8_t *hops;                  /* per switch, by the tree; ROUTE_INF: not in it */
	uint64_t *cost;                 /* per switch: of its path */
	uint32_t *flow;                 /* per switch: paths that leave it by its next hop */
	uint32_t *own;                  /* per channel: load of the tree that is chosen again */
	uint32_t *order, *left;         /* switches: nearest first; not in the tree yet */
};

struct work {
	struct weights *w;
	const struct fwd_tables *previous;
	struct scratch *parts;
	uint8_t *fresh;                 /* [ROUND_MAX][nsw]: trees of this round */
	const uint32_t *round;          /* trees to choose */
	uint32_t n;
	unsigned pass;
	bool local;                     /* the trees have a start: start_local() */
	uint32_t taken;                 /* trees that this pass changed */
	unsigned shift;                 /* makes loads small enough to be squared */
};

/* ---- destinations ---- */

struct place {
	uint64_t key;
	uint32_t sw;
	uint16_t lid;
	uint8_t via;
};

static int
place_order(const void *va, const void *vb)
{
	const struct place *a = va, *b = vb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->lid < b->lid ? -1 : a->lid > b->lid;
}

/* Kinds one after the other; of each first one host of every leaf, then the second ones, ... */
static uint64_t
place_key(const struct route_model *m, unsigned kind, uint8_t sub, uint8_t via, uint32_t sw)
{
	return (uint64_t)kind << KIND_SHIFT | (uint64_t)sub << 48 | (uint64_t)via << 32 |
		m->sw_col[sw];
}

static unsigned
present_kind(const struct route_model *m, const struct intended *t, uint16_t lid)
{
	uint64_t guid = m->s->ports[m->lids->owner[lid]].guid;
	uint32_t h = t ? intended_host_find(t, guid) : INTENDED_NONE;

	return h == INTENDED_NONE ? INTENDED_COMPUTE : t->hosts[h].kind;
}

static unsigned
absent_kind(const struct route_model *m, const struct intended *t, const struct route_absent *x)
{
	uint64_t guid = m->s->nodes[route_node(m, x->sw)].guid;
	uint32_t sw = t ? intended_switch_find(t, guid) : INTENDED_NONE;

	for (uint32_t h = 0; sw != INTENDED_NONE && h < t->nhosts; h++)
		if (t->hosts[h].sw == sw && t->hosts[h].port == x->port)
			return t->hosts[h].kind;
	return INTENDED_COMPUTE;
}

/* The LIDs of hosts, present and absent, in the order in which their trees are chosen. */
static struct place *
places_make(const struct route_model *m, const struct route_in *in, struct arena *a, uint32_t *n)
{
	struct place *p = arena_array(
		a, (size_t)m->lid_first[m->ncols] + in->nabsent + 1, sizeof(*p));

	*n = 0;
	for (uint32_t c = 0; c < m->ncols; c++)
		for (uint32_t i = m->lid_first[c]; i < m->lid_first[c + 1]; i++) {
			const struct route_lid *l = &m->host_lids[i];
			unsigned kind = present_kind(m, in->intended, l->lid);

			p[(*n)++] = (struct place){ place_key(m, kind, l->sub, l->via,
				m->col_sw[c]), m->col_sw[c], l->lid, l->via };
		}
	for (uint32_t i = 0; i < in->nabsent; i++) {
		const struct route_absent *x = &in->absent[i];

		if (x->lid > m->lids->top || m->lids->owner[x->lid] != FAB_NONE)
			continue;
		p[(*n)++] = (struct place){ place_key(m, absent_kind(m, in->intended, x), 0,
			x->port, x->sw), x->sw, x->lid, x->port };
	}
	qsort(p, *n, sizeof(*p), place_order);
	return p;
}

static uint32_t
tree_add(struct weights *w, uint32_t sw, uint16_t lid, unsigned kind)
{
	w->trees[w->ntrees] = (struct weights_tree){ sw, 0, lid, (uint8_t)kind };
	return w->ntrees++;
}

/* The LIDs of the switches themselves: they share the first tree to the switch.  'first' holds
 * it, or FAB_NONE. */
static void
own_dests(struct weights *w, uint32_t *first)
{
	const struct route_model *m = w->m;

	for (uint32_t c = 0; c < m->ncols; c++) {
		uint32_t sw = m->col_sw[c];

		if (first[sw] == FAB_NONE)
			first[sw] = tree_add(w, sw, m->own_first[c], INTENDED_KINDS);
		for (uint32_t i = 0; i < m->own_n[c]; i++)
			w->dests[w->ndests++] = (struct weights_dest){ first[sw],
				(uint16_t)(m->own_first[c] + i), 0 };
	}
}

static void
dests_make(struct weights *w, const struct route_in *in, enum weights_unit unit, struct arena *a)
{
	const struct route_model *m = w->m;
	uint32_t n, *first, own = 0;
	struct place *p = places_make(m, in, a, &n);

	w->absent = n > m->lid_first[m->ncols];

	for (uint32_t c = 0; c < m->ncols; c++)
		own += m->own_n[c];
	first = arena_array(a, (size_t)m->g.nsw + 1, sizeof(*first));
	w->trees = arena_array(a, (size_t)n + m->g.nsw, sizeof(*w->trees));
	w->dests = arena_array(a, (size_t)n + own + 1, sizeof(*w->dests));
	w->sources = arena_array(a, m->g.nsw, sizeof(*w->sources));
	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		first[sw] = FAB_NONE;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t sw = p[i].sw, tree = first[sw];

		if (tree == FAB_NONE || unit == WEIGHTS_LID)
			tree = tree_add(w, sw, p[i].lid, (unsigned)(p[i].key >> KIND_SHIFT));
		if (first[sw] == FAB_NONE)
			first[sw] = tree;
		w->trees[tree].lids++;
		w->sources[sw]++;
		w->dests[w->ndests++] = (struct weights_dest){ tree, p[i].lid, p[i].via };
	}
	own_dests(w, first);
}

static void
trees_index(struct weights *w, struct arena *a)
{
	uint32_t nsw = w->m->g.nsw, *at = arena_array(a, (size_t)nsw + 1, sizeof(*at));

	w->tree_first = arena_array(a, (size_t)nsw + 1, sizeof(*w->tree_first));
	w->tree_of = arena_array(a, (size_t)w->ntrees + 1, sizeof(*w->tree_of));
	for (uint32_t t = 0; t < w->ntrees; t++)
		w->tree_first[w->trees[t].sw + 1]++;
	for (uint32_t sw = 0; sw < nsw; sw++) {
		w->tree_first[sw + 1] += w->tree_first[sw];
		at[sw] = w->tree_first[sw];
	}
	for (uint32_t t = 0; t < w->ntrees; t++)
		w->tree_of[at[w->trees[t].sw]++] = t;
}

static void
behind_make(struct weights *w, struct arena *a)
{
	const struct swgraph *g = &w->m->g;

	w->behind = arena_array(a, g->nsw, 256);
	memset(w->behind, WEIGHTS_NONE, (size_t)g->nsw * 256);
	for (uint32_t c = 0; c < w->net.n; c++) {
		const struct swgraph_group *link = &g->groups[c];
		uint32_t sw = w->net.from[c];

		for (uint32_t i = 0; i < link->nports; i++)
			w->behind[(size_t)sw * 256 + g->ports[link->first_port + i]] =
				(uint8_t)(c - g->group_first[sw]);
	}
}

/* ---- one tree ---- */

/* The hops of every switch that 'tree' leads to its destination; ROUTE_INF for all others. */
static void
tree_hops(const struct weights *w, uint32_t dst, const uint8_t *tree, struct scratch *x)
{
	const struct swgraph *g = &w->m->g;

	memset(x->hops, ROUTE_INF, g->nsw);
	x->hops[dst] = 0;
	for (uint32_t start = 0; start < g->nsw; start++) {
		uint32_t n = 0, sw = start, hops;

		while (x->hops[sw] == ROUTE_INF && tree[sw] != WEIGHTS_NONE) {
			x->order[n++] = sw;
			x->hops[sw] = HOPS_LOST;
			sw = g->groups[g->group_first[sw] + tree[sw]].to;
		}
		hops = x->hops[sw];
		while (n && hops + 1 < HOPS_LOST)
			x->hops[x->order[--n]] = (uint8_t)++hops;
	}
	for (uint32_t sw = 0; sw < g->nsw; sw++)
		if (x->hops[sw] == HOPS_LOST)
			x->hops[sw] = ROUTE_INF;
}

/* Sorts the switches of the tree into order[], nearest first, and adds up the paths that go
 * through them.  Returns their number. */
static uint32_t
tree_flow(const struct weights *w, uint32_t tree, const uint8_t *next, struct scratch *x)
{
	const struct swgraph *g = &w->m->g;
	uint32_t at[257] = { 0 }, n;

	tree_hops(w, w->trees[tree].sw, next, x);
	for (uint32_t sw = 0; sw < g->nsw; sw++)
		at[x->hops[sw] + 1]++;
	for (unsigned i = 0; i < 256; i++)
		at[i + 1] += at[i];
	n = at[ROUTE_INF];
	for (uint32_t sw = 0; sw < g->nsw; sw++) {
		x->order[at[x->hops[sw]]++] = sw;
		x->flow[sw] = w->sources[sw] * w->trees[tree].lids;
	}
	for (uint32_t i = n; i-- > 1;)
		x->flow[chanorder_to(&w->net, weights_hop(w, next, x->order[i]))] +=
			x->flow[x->order[i]];
	return n;
}

/* Adds the tree's paths to load[], or takes them away. */
static void
tree_count(const struct weights *w, uint32_t tree, const uint8_t *next, struct scratch *x,
	uint32_t *load, bool add)
{
	uint32_t n = tree_flow(w, tree, next, x);

	for (uint32_t i = 1; i < n; i++) {
		uint32_t sw = x->order[i];

		load[weights_hop(w, next, sw)] += add ? x->flow[sw] : 0 - x->flow[sw];
	}
}

/* Entries of the previous tables that still lead to the destination. */
static void
tree_keep(const struct work *k, uint32_t tree, uint8_t *next, struct scratch *x)
{
	const struct weights *w = k->w;
	const struct weights_tree *t = &w->trees[tree];
	uint32_t nsw = w->m->g.nsw;

	memset(next, WEIGHTS_NONE, nsw);
	if (!k->previous || !t->lid || t->lid > k->previous->top || k->previous->nswitches != nsw)
		return;
	for (uint32_t sw = 0; sw < nsw; sw++)
		if (sw != t->sw)
			next[sw] = w->behind[(size_t)sw * 256 + fwd_row(k->previous, sw)[t->lid]];
	tree_hops(w, t->sw, next, x);
	for (uint32_t sw = 0; sw < nsw; sw++)
		if (x->hops[sw] == ROUTE_INF)
			next[sw] = WEIGHTS_NONE;
}

static inline uint64_t
channel_cost(const struct work *k, const struct scratch *x, uint32_t c)
{
	uint64_t load = (uint64_t)(k->w->load[c] - x->own[c]) * route_weight(k->w->m, c) /
		k->w->m->g.groups[c].nports;

	load = (load >> k->shift) + 1;
	load = load >> LOAD_BITS ? ((uint64_t)1 << LOAD_BITS) - 1 : load;
	return load * load;
}

/* Returns the cost of a packet's turn at the switch behind channel 'c', by the preference. */
static inline uint64_t
turn_cost(const struct weights *w, const uint8_t *next, uint32_t sw, uint32_t c)
{
	uint32_t to = chanorder_to(&w->net, c), then;
	uint64_t cost = 0;

	if (!w->height || next[to] == WEIGHTS_NONE)
		return 0;
	then = weights_hop(w, next, to);
	if (w->height[sw] > w->height[to] && w->height[chanorder_to(&w->net, then)] > w->height[to])
		cost += TURN_COST;
	if (w->dimension && w->dimension[c] > w->dimension[then])
		cost += BACK_COST;
	return cost;
}

/* The next hop of 'sw' among neighbours with 'hops' hops; false: there is none.  Of equal costs
 * trees take each in turn. */
static bool
tree_join(const struct work *k, struct scratch *x, uint32_t tree, uint8_t *next, uint32_t sw,
	unsigned hops)
{
	const struct swgraph *g = &k->w->m->g;
	uint32_t first = g->group_first[sw], n = g->group_first[sw + 1] - first, nbest = 0;
	uint64_t best = UINT64_MAX;
	uint8_t equal[256];

	for (uint32_t i = 0; i < n; i++) {
		uint32_t to = g->groups[first + i].to;
		uint64_t cost;

		if (x->hops[to] != hops)
			continue;
		cost = x->cost[to] + channel_cost(k, x, first + i) +
			turn_cost(k->w, next, sw, first + i);
		if (cost > best)
			continue;
		if (cost < best)
			nbest = 0;
		best = cost;
		equal[nbest++] = (uint8_t)i;
	}
	if (!nbest)
		return false;
	next[sw] = equal[tree % nbest];
	x->cost[sw] = best;
	return true;
}

/* Costs of the paths that were kept. */
static void
kept_costs(const struct work *k, uint32_t tree, const uint8_t *next, struct scratch *x)
{
	uint32_t n = tree_flow(k->w, tree, next, x);

	for (uint32_t i = 1; i < n; i++) {
		uint32_t c = weights_hop(k->w, next, x->order[i]);

		x->cost[x->order[i]] = x->cost[chanorder_to(&k->w->net, c)] + channel_cost(k, x, c) +
			turn_cost(k->w, next, x->order[i], c);
	}
}

/* Chooses a tree: switches join it in the order of their hops. */
static void
tree_choose(const struct work *k, uint32_t tree, uint8_t *next, struct scratch *x)
{
	const struct weights *w = k->w;
	uint32_t nsw = w->m->g.nsw, dst = w->trees[tree].sw, nleft = 0;
	const uint8_t *dist = w->dist + (size_t)dst * w->m->stride;

	tree_count(w, tree, weights_tree(w, tree), x, x->own, true);
	tree_keep(k, tree, next, x);
	x->cost[dst] = 0;
	kept_costs(k, tree, next, x);
	for (uint32_t sw = 0; sw < nsw; sw++)
		if (x->hops[sw] == ROUTE_INF && dist[w->m->sw_col[sw]] != ROUTE_INF)
			x->left[nleft++] = sw;
	for (unsigned hops = 1; nleft && hops < HOPS_LOST; hops++) {
		uint32_t still = 0;

		for (uint32_t i = 0; i < nleft; i++) {
			uint32_t sw = x->left[i];

			if (dist[w->m->sw_col[sw]] <= hops &&
			    tree_join(k, x, tree, next, sw, hops - 1))
				x->hops[sw] = (uint8_t)hops;
			else
				x->left[still++] = sw;
		}
		nleft = still;
	}
	tree_count(w, tree, weights_tree(w, tree), x, x->own, false);
}

/* ---- rounds ---- */

static void
round_part(void *data, unsigned i, unsigned n)
{
	struct work *k = data;

	for (uint32_t r = stripes_first(k->n, i, n); r < stripes_first(k->n, i + 1, n); r++)
		tree_choose(k, k->round[r], k->fresh + (size_t)r * k->w->m->g.nsw, &k->parts[i]);
}

/* Changes the sum of the cubes by that of one channel, whose load counts as often as it weighs. */
static void
cube_add(const struct weights *w, uint32_t c, __int128 *sum, int sign)
{
	__int128 load = (__int128)w->load[c] * route_weight(w->m, c);

	*sum += load * load * load * sign;
}

/* Replaces the tree by the fresh one.  After the first pass only if the loads are more even with
 * it, now that the earlier trees of this round are in place. */
static void
round_take(struct work *k, uint32_t tree, const uint8_t *fresh)
{
	struct weights *w = k->w;
	struct scratch *x = &k->parts[0];
	uint8_t *next = w->next + (size_t)tree * w->m->g.nsw;
	__int128 before = 0, after = 0;
	uint32_t n;

	if (memcmp(next, fresh, w->m->g.nsw) == 0)
		return;
	n = tree_flow(w, tree, next, x);
	for (uint32_t i = 1; i < n; i++) {
		uint32_t c = weights_hop(w, next, x->order[i]), flow = x->flow[x->order[i]];

		cube_add(w, c, &before, 1);
		w->load[c] -= flow;
		cube_add(w, c, &before, -1);
	}
	n = tree_flow(w, tree, fresh, x);
	for (uint32_t i = 1; i < n; i++) {
		uint32_t c = weights_hop(w, fresh, x->order[i]), flow = x->flow[x->order[i]];

		cube_add(w, c, &after, -1);
		w->load[c] += flow;
		cube_add(w, c, &after, 1);
	}
	if ((!k->pass && !k->local) || after < before) {
		memcpy(next, fresh, w->m->g.nsw);
		k->taken++;
		return;
	}
	tree_count(w, tree, fresh, x, w->load, false);
	tree_count(w, tree, next, x, w->load, true);
}

static void
round_run(struct work *k, const struct stripes *stripes)
{
	stripes_each(stripes, round_part, k);
	for (uint32_t r = 0; r < k->n; r++)
		round_take(k, k->round[r], k->fresh + (size_t)r * k->w->m->g.nsw);
}

static void
scratch_make(struct work *k, unsigned parts, struct arena *a)
{
	size_t nsw = k->w->m->g.nsw, nchan = k->w->net.n + 1;

	k->parts = arena_array(a, parts, sizeof(*k->parts));
	for (unsigned i = 0; i < parts; i++) {
		struct scratch *x = &k->parts[i];

		x->hops = arena_array(a, nsw, sizeof(*x->hops));
		x->cost = arena_array(a, nsw, sizeof(*x->cost));
		x->flow = arena_array(a, nsw, sizeof(*x->flow));
		x->order = arena_array(a, nsw + 1, sizeof(*x->order));
		x->left = arena_array(a, nsw, sizeof(*x->left));
		x->own = arena_array(a, nchan, sizeof(*x->own));
	}
	k->fresh = arena_array(a, ROUND_MAX, nsw);
}

/* Makes loads small: up to about 16 times the mean of all loads they keep their proportions. */
static unsigned
load_shift(const struct weights *w)
{
	uint64_t hosts = 0, most;
	unsigned shift = 0;

	for (uint32_t sw = 0; sw < w->m->g.nsw; sw++)
		hosts += w->sources[sw];
	most = hosts * hosts / (w->net.n + 1) * 64;
	while (most >> shift >> LOAD_BITS)
		shift++;
	return shift;
}

/* ---- another start ---- */

/* The rows that engine minhop's rule gives: each switch by itself takes its least loaded port. */
static void
local_rows(const struct weights *w, struct fwd_tables *t, struct arena *a)
{
	const struct route_model *m = w->m;
	uint8_t *bound = arena_alloc(a, m->stride);
	struct fill *f = arena_alloc(a, sizeof(*f));

	route_tables_init(m, a, t);
	fill_init(f, m, a);
	for (uint32_t sw = 0; sw < m->g.nsw; sw++) {
		const uint8_t *own = w->dist + (size_t)sw * m->stride;

		for (uint32_t c = 0; c < m->stride; c++)
			bound[c] = own[c] == ROUTE_INF ? 0 : own[c];
		fill_begin(f, sw, NULL);
		for (uint32_t k = 0; k < f->ngroups; k++)
			fill_below(f, k, w->dist + (size_t)f->order[k]->to * m->stride, bound);
		fill_row(f, fwd_row(t, sw));
	}
}

static void
local_tree(const struct weights *w, const struct fwd_tables *t, uint32_t tree, uint8_t *next)
{
	uint32_t dst = w->trees[tree].sw;

	for (uint32_t sw = 0; sw < w->m->g.nsw; sw++)
		next[sw] = sw == dst ? WEIGHTS_NONE :
			w->behind[(size_t)sw * 256 + fwd_row(t, sw)[w->trees[tree].lid]];
}

/* Starts from these rows: in an undamaged tree with them no load is above the mean. */
static void
start_local(struct work *k)
{
	struct weights *w = k->w;
	struct arena a = ARENA_INIT;
	struct fwd_tables t;

	local_rows(w, &t, &a);
	for (uint32_t i = 0; i < w->ntrees; i++) {
		uint8_t *next = w->next + (size_t)i * w->m->g.nsw;

		local_tree(w, &t, i, next);
		tree_count(w, i, next, &k->parts[0], w->load, true);
	}
	arena_clear(&a);
}

static uint32_t
gcd(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Reorders trees by steps of the golden ratio, so that those of one round share few links. */
static void
trees_mix(uint32_t *v, uint32_t first, uint32_t n)
{
	uint32_t step = (uint32_t)((uint64_t)n * 618034 / 1000000) | 1;

	while (gcd(n, step) > 1)
		step++;
	for (uint32_t i = 0; i < n; i++)
		v[i] = first + (uint32_t)((uint64_t)i * step % n);
}

/* The trees of each kind after those of the kind before. */
static uint32_t *
trees_order(const struct weights *w, struct arena *a)
{
	uint32_t *v = arena_array(a, (size_t)w->ntrees + 1, sizeof(*v));

	for (uint32_t first = 0, end; first < w->ntrees; first = end) {
		for (end = first; end < w->ntrees && w->trees[end].kind == w->trees[first].kind;)
			end++;
		trees_mix(v + first, first, end - first);
	}
	return v;
}

static uint32_t
passes_count(const struct weights *w)
{
	uint64_t steps = (uint64_t)w->ntrees * w->net.n, n = steps ? STEPS_MAX / steps : 0;

	return n < PASSES_MIN ? PASSES_MIN : n > PASSES_MAX ? PASSES_MAX : (uint32_t)n;
}

/* Dimensions for turn_cost(): links of a dimension join the same two port numbers everywhere. */
static uint16_t *
dimensions_make(const struct weights *w, struct arena *a)
{
	const struct route_model *m = w->m;
	uint16_t *dimension = arena_array(a, (size_t)w->net.n + 1, sizeof(*dimension));

	for (uint32_t c = 0; c < w->net.n; c++) {
		uint8_t p = m->g.ports[m->g.groups[c].first_port];
		uint8_t q = m->g.ports[m->g.groups[w->net.rev[c]].first_port];

		dimension[c] = (uint16_t)(p < q ? p << 8 | q : q << 8 | p);
	}
	return dimension;
}

/* Heights for turn_cost(): the nearer to the center of the fabric the higher; unique. */
static uint32_t *
heights_make(const struct weights *w, struct arena *a)
{
	const struct route_model *m = w->m;
	uint32_t *height = arena_array(a, m->g.nsw, sizeof(*height)), root = 0, n = m->g.nsw;
	uint64_t best = UINT64_MAX;

	for (uint32_t sw = 0; sw < m->g.nsw; sw++) {
		const uint8_t *dist = w->dist + (size_t)sw * m->stride;
		uint64_t sum = 0, far = 0;

		for (uint32_t c = 0; c < m->ncols; c++) {
			sum += dist[c];
			far = dist[c] > far ? dist[c] : far;
		}
		if ((far << 32 | sum) < best) {
			best = far << 32 | sum;
			root = sw;
		}
	}
	for (unsigned hops = 0; hops <= ROUTE_INF; hops++)
		for (uint32_t sw = 0; sw < m->g.nsw; sw++)
			if (w->dist[(size_t)root * m->stride + m->sw_col[sw]] == hops)
				height[sw] = --n;
	return height;
}

/* Keeps the entries of the previous tables that still lead to their destinations. */
static void
start_kept(struct work *k)
{
	struct weights *w = k->w;

	for (uint32_t t = 0; t < w->ntrees; t++) {
		uint8_t *next = w->next + (size_t)t * w->m->g.nsw;

		tree_keep(k, t, next, &k->parts[0]);
		if (k->previous)
			tree_count(w, t, next, &k->parts[0], w->load, true);
	}
}

static void
passes_run(struct work *k, const struct stripes *stripes, struct arena *a)
{
	struct weights *w = k->w;
	uint32_t passes = passes_count(w), size = w->ntrees / ROUNDS_MIN;
	const uint32_t *order = trees_order(w, a);

	size = size < 1 ? 1 : size > ROUND_MAX ? ROUND_MAX : size;
	k->local = !k->previous && !w->absent && !w->height;
	k->local ? start_local(k) : start_kept(k);
	for (k->pass = 0; k->pass < passes; k->pass++) {
		k->taken = 0;
		for (uint32_t t = 0; t < w->ntrees; t += k->n) {
			k->round = order + t;
			k->n = w->ntrees - t < size ? w->ntrees - t : size;
			round_run(k, stripes);
		}
		if (!k->taken)
			break;
	}
}

void
weights_make(struct weights *w, const struct route_model *m, const struct route_in *in,
	struct weights_how how, struct arena *a)
{
	struct work k = { .w = w, .previous = in->previous };

	memset(w, 0, sizeof(*w));
	w->m = m;
	chanorder_net_make(&w->net, &m->g, a);
	dests_make(w, in, how.unit, a);
	trees_index(w, a);
	behind_make(w, a);
	w->dist = route_distances(m, a);
	w->height = how.rule == WEIGHTS_FREE ? NULL : heights_make(w, a);
	w->dimension = how.rule == WEIGHTS_DIMENSIONS ? dimensions_make(w, a) : NULL;
	w->load = arena_array(a, (size_t)w->net.n + 1, sizeof(*w->load));
	w->next = arena_array(a, (size_t)w->ntrees + 1, m->g.nsw);
	scratch_make(&k, stripes_count(in->stripes), a);
	k.shift = load_shift(w);
	passes_run(&k, in->stripes, a);
}

/* ---- rows ---- */

struct rows {
	const struct weights *w;
	const struct fwd_tables *previous;
	struct fwd_tables *out;
};

/* Links to one neighbour take turns; a link that the previous tables name is kept. */
static void
row_write(const struct rows *r, uint32_t sw)
{
	const struct weights *w = r->w;
	const struct swgraph *g = &w->m->g;
	const uint8_t *behind = w->behind + (size_t)sw * 256;
	uint8_t *row = fwd_row(r->out, sw);
	const uint8_t *old = r->previous && r->previous->nswitches == g->nsw ?
		fwd_row(r->previous, sw) : NULL;
	uint32_t turn[256] = { 0 };

	memset(row, FAB_LFT_DROP, r->out->stride);
	for (uint32_t i = 0; i < w->ndests; i++) {
		const struct weights_dest *d = &w->dests[i];
		uint8_t k = weights_tree(w, d->tree)[sw];
		const struct swgraph_group *link;

		if (w->trees[d->tree].sw == sw) {
			row[d->lid] = d->via;
			continue;
		}
		if (k == WEIGHTS_NONE)
			continue;
		link = &g->groups[g->group_first[sw] + k];
		if (old && d->lid <= r->previous->top && behind[old[d->lid]] == k)
			row[d->lid] = old[d->lid];
		else
			row[d->lid] = g->ports[link->first_port + turn[k]++ % link->nports];
	}
}

static void
rows_part(void *data, unsigned i, unsigned n)
{
	const struct rows *r = data;
	uint32_t nsw = r->w->m->g.nsw;

	for (uint32_t sw = stripes_first(nsw, i, n); sw < stripes_first(nsw, i + 1, n); sw++)
		row_write(r, sw);
}

void
weights_tables(const struct weights *w, const struct route_in *in, struct fwd_tables *out)
{
	struct rows r = { w, in->previous, out };

	stripes_each(in->stripes, rows_part, &r);
}
