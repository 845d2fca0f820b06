/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * layers.c - assigns pairs of switches to layers without cycles.
 * Room: sm/route/weights.  Pure.  In: trees, previous tables with their lane plan.  Out: an SL
 * per pair.
 */
#include <config.h>
#include <string.h>
#include "sm/route/weights/layers.h"

#define DEPS_FIRST 1024

/* ---- the dependencies of a unit ---- */

static void
dep_add(struct layers *l, uint32_t x, uint32_t y)
{
	l->deps = arena_grow(l->a, l->deps, l->ndeps, &l->cap, DEPS_FIRST, sizeof(*l->deps));
	l->deps[l->ndeps++] = (struct layers_dep){ x, y };
}

/* The dependencies of one path. */
static void
path_deps(struct layers *l, uint32_t tree, uint32_t from)
{
	const uint8_t *next = weights_tree(l->w, tree);
	uint32_t x = weights_hop(l->w, next, from), y;

	for (; x != FAB_NONE; x = y) {
		y = weights_hop(l->w, next, chanorder_to(&l->w->net, x));
		if (y != FAB_NONE)
			dep_add(l, x, y);
	}
}

/* All paths of the unit, in both directions. */
static void
unit_deps(struct layers *l, uint32_t a, uint32_t b)
{
	const struct weights *w = l->w;

	l->ndeps = 0;
	for (uint32_t i = w->tree_first[b]; i < w->tree_first[b + 1]; i++)
		path_deps(l, w->tree_of[i], a);
	for (uint32_t i = w->tree_first[a]; i < w->tree_first[a + 1]; i++)
		path_deps(l, w->tree_of[i], b);
}

/* True if the layer accepts the unit in hand; otherwise it is as before. */
static bool
layer_accept(struct layers *l, uint8_t sl)
{
	struct chanorder *o = &l->order[sl];
	uint32_t mark, i;

	if (!o->net)
		chanorder_init(o, &l->w->net, l->a);
	for (i = 0; i < l->ndeps; i++)
		if (chanorder_state(o, l->deps[i].x, l->deps[i].y) == CHANORDER_BLOCKED)
			return false;
	mark = chanorder_mark(o);
	for (i = 0; i < l->ndeps; i++)
		if (!chanorder_add(o, l->deps[i].x, l->deps[i].y)) {
			chanorder_undo(o, mark);
			return false;
		}
	chanorder_commit(o);
	return true;
}

static uint8_t *
unit_sl(const struct layers *l, uint32_t a, uint32_t b)
{
	return &l->sl[(size_t)a * l->w->m->g.nsw + b];
}

static void
unit_set(struct layers *l, uint32_t a, uint32_t b, uint8_t sl)
{
	*unit_sl(l, a, b) = *unit_sl(l, b, a) = sl;
	l->units[sl]++;
	if (sl >= l->n)
		l->n = (uint8_t)(sl + 1);
}

/* The SL of the pair in the previous plan; LAYERS_NONE: none that can be kept. */
static uint8_t
unit_old(const struct layers *l, uint32_t a, uint32_t b)
{
	uint8_t sl;

	if (!l->previous)
		return LAYERS_NONE;
	sl = lanes_sl(l->previous->lanes, a, b);
	return sl >= l->first && sl < l->limit ? sl : LAYERS_NONE;
}

static bool
path_same(const struct layers *l, uint32_t tree, uint32_t from)
{
	const struct weights *w = l->w;
	const uint8_t *next = weights_tree(w, tree);
	uint16_t lid = w->trees[tree].lid;
	uint32_t sw = from, c;

	if (!lid || lid > l->previous->top)
		return false;
	for (; (c = weights_hop(w, next, sw)) != FAB_NONE; sw = chanorder_to(&w->net, c))
		if (w->behind[(size_t)sw * 256 + fwd_row(l->previous, sw)[lid]] != next[sw])
			return false;
	return true;
}

/* Whether no path of the unit has changed. */
static bool
unit_same(const struct layers *l, uint32_t a, uint32_t b)
{
	const struct weights *w = l->w;

	for (uint32_t i = w->tree_first[b]; i < w->tree_first[b + 1]; i++)
		if (!path_same(l, w->tree_of[i], a))
			return false;
	for (uint32_t i = w->tree_first[a]; i < w->tree_first[a + 1]; i++)
		if (!path_same(l, w->tree_of[i], b))
			return false;
	return true;
}

static void
unit_keep(struct layers *l, uint32_t a, uint32_t b)
{
	uint8_t old = unit_old(l, a, b);

	if (old == LAYERS_NONE || !unit_same(l, a, b))
		return;
	unit_deps(l, a, b);
	if (layer_accept(l, old))
		unit_set(l, a, b, old);
}

static void
unit_place(struct layers *l, uint32_t a, uint32_t b)
{
	uint8_t sl = l->first, old = unit_old(l, a, b);

	if (!layers_fit(l) || *unit_sl(l, a, b) != LAYERS_NONE)
		return;
	unit_deps(l, a, b);
	if (old != LAYERS_NONE && layer_accept(l, old)) {
		unit_set(l, a, b, old);
		return;
	}
	while (sl < l->limit && !layer_accept(l, sl))
		sl++;
	if (sl < l->limit) {
		unit_set(l, a, b, sl);
	} else {
		l->left_a = a;
		l->left_b = b;
	}
}

/* ---- units ---- */

typedef void unit_fn(struct layers *l, uint32_t a, uint32_t b);

/* Lists the units of switches that are 'hops' apart: with 'leaves' those of two switches with
 * hosts, otherwise all others. */
static void
units_at(struct layers *l, unit_fn *fn, uint8_t hops, bool leaves)
{
	const struct weights *w = l->w;
	const struct route_model *m = w->m;

	for (uint32_t i = 0; i < m->ncols; i++) {
		uint32_t a = m->col_sw[i];
		const uint8_t *dist = w->dist + (size_t)a * m->stride;

		for (uint32_t j = i + 1; j < m->ncols; j++) {
			uint32_t b = m->col_sw[j];

			if (dist[j] == hops && (w->sources[a] && w->sources[b]) == leaves &&
			    (l->all || w->sources[a] || w->sources[b]))
				fn(l, a, b);
		}
	}
}

/* Lists every unit once.  Pairs of leaves come first; among these and among the others, the longest
 * paths, which are the hardest to place.  Equal ones are in the order of columns. */
static void
units_each(struct layers *l, unit_fn *fn)
{
	for (uint8_t hops = l->longest; hops; hops--)
		units_at(l, fn, hops, true);
	for (uint8_t hops = l->longest; hops; hops--)
		units_at(l, fn, hops, false);
}

static uint8_t
longest_path(const struct weights *w)
{
	const struct route_model *m = w->m;
	uint8_t most = 0;

	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		for (uint32_t c = 0; c < m->ncols; c++) {
			uint8_t hops = w->dist[(size_t)sw * m->stride + c];

			most = hops != ROUTE_INF && hops > most ? hops : most;
		}
	return most;
}

/* A plan whose SLs have the same meaning here: a VL each. */
static bool
plan_is_ours(const struct fwd_tables *t, uint32_t nsw)
{
	const struct lane_plan *p = t ? t->lanes : NULL;

	if (!p || !p->sl || p->nclasses != 1 || p->nswitches != nsw || t->nswitches != nsw)
		return false;
	for (uint8_t sl = 0; sl < LANE_SLS; sl++)
		if (p->sls >> sl & 1 && p->vl[0][0][sl] != sl)
			return false;
	return true;
}

void
layers_make(struct layers *l, const struct weights *w, const struct route_in *in, uint8_t first,
	bool all, struct arena *a)
{
	uint32_t nsw = w->m->g.nsw;

	memset(l, 0, sizeof(*l));
	l->w = w;
	l->a = a;
	l->all = all;
	l->first = l->n = first;
	l->limit = in->vls > LANE_VLS_MAX ? LANE_VLS_MAX : in->vls ? in->vls : 1;
	l->left_a = l->left_b = FAB_NONE;
	l->longest = longest_path(w);
	l->sl = arena_array(a, nsw, nsw);
	memset(l->sl, LAYERS_NONE, (size_t)nsw * nsw);
	if (plan_is_ours(in->previous, nsw)) {
		l->previous = in->previous;
		units_each(l, unit_keep);
	}
	units_each(l, unit_place);
}

/* ---- use of the VLs ---- */

static uint8_t
emptiest(const struct layers *l)
{
	uint8_t least = l->first;

	for (uint8_t sl = l->first; sl < l->n; sl++)
		least = l->units[sl] < l->units[least] ? sl : least;
	return least;
}

static void
unit_even(struct layers *l, uint32_t a, uint32_t b)
{
	uint8_t sl = *unit_sl(l, a, b), least = emptiest(l);

	if (l->units[least] + 1 >= l->units[sl])
		return;
	unit_deps(l, a, b);
	if (!layer_accept(l, least))
		return;
	l->units[sl]--;
	unit_set(l, a, b, least);
}

void
layers_even(struct layers *l)
{
	if (!l->previous && l->n - l->first > 1)
		units_each(l, unit_even);
}

/* Returns a fixed number for a pair, independent of its order. */
static uint32_t
pair_hash(uint64_t a, uint64_t b)
{
	uint64_t x = (a < b ? a : b) * 0x9e3779b97f4a7c15u ^ (a < b ? b : a);

	x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
	return (uint32_t)(x >> 32);
}

void
layers_split(struct layers *l)
{
	const struct route_model *m = l->w->m;
	uint8_t share[LANE_SLS], base[LANE_SLS] = { 0 }, spare = (uint8_t)(l->limit - l->n);

	if (l->previous || l->n >= l->limit || l->n == l->first)
		return;
	memset(share, 1, sizeof(share));
	while (spare--) {
		uint8_t full = l->first;

		for (uint8_t sl = l->first; sl < l->n; sl++)
			if (l->units[sl] * share[full] > l->units[full] * share[sl])
				full = sl;
		share[full]++;
	}
	base[l->first] = l->first;
	for (uint8_t sl = l->first; sl + 1 < l->n; sl++)
		base[sl + 1] = (uint8_t)(base[sl] + share[sl]);
	for (uint32_t a = 0; a < m->g.nsw; a++)
		for (uint32_t b = 0; b < m->g.nsw; b++) {
			uint8_t *sl = unit_sl(l, a, b);

			if (*sl != LAYERS_NONE)
				*sl = (uint8_t)(base[*sl] + pair_hash(
					m->s->nodes[route_node(m, a)].guid,
					m->s->nodes[route_node(m, b)].guid) % share[*sl]);
		}
	l->n = l->limit;
}

struct lane_plan *
layers_plan(const struct layers *l, struct arena *a)
{
	uint32_t nsw = l->w->m->g.nsw;
	struct lane_plan *p = arena_alloc(a, sizeof(*p));

	p->nvls = l->n > l->first ? l->n : (uint8_t)(l->first + 1);
	p->nswitches = nsw;
	p->nclasses = 1;
	p->sl = arena_array(a, nsw, nsw);
	for (uint8_t sl = 0; sl < LANE_SLS; sl++)
		p->vl[0][0][sl] = sl < p->nvls ? sl : 0;
	for (uint8_t sl = l->first; sl < p->nvls; sl++)
		p->sls |= (uint16_t)(1u << sl);
	for (size_t i = 0; i < (size_t)nsw * nsw; i++)
		p->sl[i] = l->sl[i] == LAYERS_NONE ? l->first : l->sl[i];
	return p;
}

enum route_code
layers_refuse(const struct layers *l, struct route_report *r)
{
	const struct route_model *m = l->w->m;
	uint32_t a = route_node(m, l->left_a), b = route_node(m, l->left_b);

	r->nevidence = 0;
	route_evidence_add(r, a, b, 0, l->limit);
	return route_refuse(r, ROUTE_VLS,
		"more than %u VLs are needed%s; the first pair of switches that fits into none: "
		"0x%016llx and 0x%016llx",
		l->limit,
		l->previous ? ", as long as pairs that are not broken keep their SLs" : "",
		(unsigned long long)m->s->nodes[a].guid, (unsigned long long)m->s->nodes[b].guid);
}
