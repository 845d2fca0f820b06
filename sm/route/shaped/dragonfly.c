/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dragonfly.c - engine dragonfly: to the group of the destination by one link between groups.
 * Room: sm/route/shaped.  Pure.
 *
 * dragonfly   A switch that has a link to the group of the destination uses it; any other sends
 *             first to a switch of its group that has one.  A local hop after a global one uses
 *             VL 1, so every walk ascends: local on VL 0, global on VL 0, local on VL 1.  No
 *             credit loop with two VLs, whatever the SL.
 *
 * dragonfly+  Leaf, spine, spine of the other group, leaf: up, across, down.  One VL is enough.
 *             A walk to a spine without a link from this group goes down to a leaf and up again;
 *             its second ascent uses VL 1.
 *
 * The destination selects one of several links between two groups, and the spine: by its place in
 * its group, plus one for each group farther away, so that links and spines get equal shares.  With
 * LMC, the LIDs of a port use different links.
 */
#include <config.h>
#include <string.h>
#include "sm/route/shaped/shaped.h"
#include "sm/route/shaped/shaped_engines.h"

enum { CLASS_LOCAL = 1, CLASS_UP = 1, CLASS_DOWN, CLASS_GLOBAL };

/* A link from one group to another. */
struct global {
	uint32_t u, v; /* the switch here, the switch there */
	uint32_t e; /* group of u */
};

struct dragonfly {
	uint32_t *first; /* [ngroups * ngroups + 1] into globals[] */
	struct global *globals; /* of a pair: ascending by v, then u */
	/* switches of each group, those with hosts first; and where the others begin */
	uint32_t *members_first, *members, *spines_first;
	uint32_t most_hosts; /* of a switch */
};

static uint32_t
group_to(const struct swgraph *g, uint32_t s, uint32_t to)
{
	uint32_t low = g->group_first[s], high = g->group_first[s + 1];

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (g->groups[middle].to < to)
			low = middle + 1;
		else
			high = middle;
	}
	return low < g->group_first[s + 1] && g->groups[low].to == to ? low : SHAPE_NOWHERE;
}

/* The group of 's' that leads to 'to', if it works. */
static uint32_t
link_to(const struct shaped *sh, uint32_t s, uint32_t to)
{
	uint32_t e = group_to(&sh->whole, s, to);

	return shaped_works(sh, e) ? e : SHAPE_NOWHERE;
}

static bool
is_leaf(const struct shaped *sh, uint32_t s)
{
	return swgraph_is_leaf(&sh->whole, s);
}

/* Returns a number that differs among the destinations of a group.  It advances from group to
 * group, and inside the own group from switch to switch, so that a few hosts also use all
 * spines. */
static uint32_t
dest_key(
	const struct shaped *sh, const struct dragonfly *f, uint32_t s, const struct shaped_dest *d)
{
	uint32_t n = sh->shape.ngroups, from = sh->shape.group[s], to = sh->shape.group[d->sw];

	return sh->shape.member[d->sw] * f->most_hosts + d->n +
		(from == to ? sh->shape.member[s] : (n + from - to) % n);
}

/* Whether switch 'v' of the destination's group is at most one hop from it. */
static bool
is_near(const struct shaped *sh, uint32_t v, uint32_t t)
{
	return v == t || link_to(sh, v, t) != SHAPE_NOWHERE;
}

/* Returns how good this link is for a walk from 's' to the destination's group: 0 is best, 2 means
 * that it cannot be used. */
static uint32_t
global_cost(
	const struct shaped *sh, const struct global *c, uint32_t s, const struct shaped_dest *d)
{
	bool spine = sh->shape.kind == SHAPE_DRAGONFLY_PLUS && !is_leaf(sh, d->sw);

	if (!shaped_works(sh, c->e) || (c->u != s && link_to(sh, s, c->u) == SHAPE_NOWHERE))
		return 2;
	return !is_near(sh, c->v, d->sw) || (spine && c->v != d->sw);
}

/* Chooses among a list of links, or those of 's' itself, by the destination's number; a later
 * link is used if it is better. */
static const struct global *
best_global(const struct shaped *sh, const struct global *list, uint32_t n, uint32_t key,
	uint32_t s, bool own, const struct shaped_dest *d)
{
	const struct global *best = NULL;
	uint32_t least = 2, all = 0, start;

	for (uint32_t i = 0; i < n; i++)
		all += !own || list[i].u == s;
	start = all ? key % all : 0;
	for (uint32_t i = 0, k = 0; k < start + all && least; i = i + 1 < n ? i + 1 : 0) {
		uint32_t cost;

		if (own && list[i].u != s)
			continue;
		if (k++ < start)
			continue;
		cost = global_cost(sh, &list[i], s, d);
		if (cost < least) {
			least = cost;
			best = &list[i];
		}
	}
	return best;
}

/* The link to the destination's group that the walk from 's' takes: its own before others; NULL:
 * none is left. */
static const struct global *
pick_global(
	const struct shaped *sh, const struct dragonfly *f, uint32_t s, const struct shaped_dest *d)
{
	uint32_t pair = sh->shape.group[s] * sh->shape.ngroups + sh->shape.group[d->sw];
	const struct global *list = f->globals + f->first[pair], *own;
	uint32_t n = f->first[pair + 1] - f->first[pair], key = dest_key(sh, f, s, d);

	own = best_global(sh, list, n, key, s, true, d);
	return own ? own : best_global(sh, list, n, key, s, false, d);
}

static uint32_t
to_other_group(
	const struct shaped *sh, const struct dragonfly *f, uint32_t s, const struct shaped_dest *d)
{
	const struct global *c = pick_global(sh, f, s, d);

	return !c ? SHAPE_NOWHERE : c->u == s ? c->e : link_to(sh, s, c->u);
}

/* The switches that 's' is joined to in its group: in a dragonfly+ those of the other kind. */
static uint32_t
list_middles(const struct shaped *sh, const struct dragonfly *f, uint32_t s, uint32_t *n)
{
	uint32_t k = sh->shape.group[s], first = f->members_first[k], end = f->members_first[k + 1];

	if (sh->shape.kind == SHAPE_DRAGONFLY_PLUS && is_leaf(sh, s))
		first = f->spines_first[k];
	else if (sh->shape.kind == SHAPE_DRAGONFLY_PLUS)
		end = f->spines_first[k];
	*n = end - first;
	return first;
}

/* Returns a switch of the group between 's' and 't'.  'upwards': only one greater than both, so
 * that walks around several lost links do not form a cycle. */
static uint32_t
over_third(const struct shaped *sh, const struct dragonfly *f, uint32_t s, uint32_t t, uint32_t key,
	bool upwards)
{
	uint32_t n, first = list_middles(sh, f, s, &n);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t m = f->members[first + (key + i) % n], e;

		if (m == s || m == t || (upwards && (m < s || m < t)))
			continue;
		e = link_to(sh, s, m);
		if (e != SHAPE_NOWHERE && link_to(sh, m, t) != SHAPE_NOWHERE)
			return e;
	}
	return SHAPE_NOWHERE;
}

static uint32_t
dragonfly_hop(const struct shaped *sh, const void *own, uint32_t s, const struct shaped_dest *d)
{
	const struct dragonfly *f = own;
	uint32_t e;

	if (sh->shape.group[s] != sh->shape.group[d->sw])
		return to_other_group(sh, f, s, d);
	e = link_to(sh, s, d->sw);
	if (e == SHAPE_NOWHERE && sh->shape.kind == SHAPE_DRAGONFLY)
		e = over_third(sh, f, s, d->sw, dest_key(sh, f, s, d), true);
	if (e == SHAPE_NOWHERE)
		e = over_third(sh, f, s, d->sw, dest_key(sh, f, s, d), false);
	return e;
}

/* A spine without a link to the other group: down to any leaf. */
static uint32_t
plus_hop(const struct shaped *sh, const void *own, uint32_t s, const struct shaped_dest *d)
{
	const struct dragonfly *f = own;
	uint32_t e = dragonfly_hop(sh, own, s, d), first, n, key;

	if (e != SHAPE_NOWHERE || is_leaf(sh, s))
		return e;
	first = list_middles(sh, f, s, &n);
	key = dest_key(sh, f, s, d);
	for (uint32_t i = 0; i < n && e == SHAPE_NOWHERE; i++)
		e = link_to(sh, s, f->members[first + (key + i) % n]);
	return e;
}

/* Prefers links inside the group. */
static uint32_t
dragonfly_detour(const struct shaped *sh, const void *own, uint32_t s, uint32_t e,
	const struct shaped_dest *d)
{
	uint32_t to = sh->whole.groups[e].to;

	(void)own;
	(void)d;
	return sh->shape.group[s] == sh->shape.group[to] ? 0 : 1;
}

static uint8_t
fly_class(const struct shaped *sh, uint32_t s, uint32_t e)
{
	if (sh->shape.group[s] != sh->shape.group[sh->whole.groups[e].to])
		return CLASS_GLOBAL;
	return sh->shape.kind == SHAPE_DRAGONFLY || is_leaf(sh, s) ? CLASS_UP : CLASS_DOWN;
}

static void
make_plans(const struct shaped *sh, struct shaped_plans *p, struct arena *a)
{
	bool plus = sh->shape.kind == SHAPE_DRAGONFLY_PLUS;

	memset(p, 0, sizeof(*p));
	p->n = 2;
	p->sure = !plus;
	for (unsigned i = 0; i < p->n; i++) {
		struct lane_plan *plan = &p->plan[i];

		*plan = (struct lane_plan){ .nvls = (uint8_t)(i + (plus ? 1 : 2)),
			.sls = 1,
			.nswitches = sh->m.g.nsw,
			.nclasses = CLASS_GLOBAL + 1 };
		if (plus && !i)
			continue;
		memset(plan->vl[CLASS_UP][CLASS_UP], 1, LANE_SLS);
		if (plus)
			continue;
		memset(plan->vl[CLASS_GLOBAL][CLASS_LOCAL], i ? 2 : 1, LANE_SLS);
	}
	shaped_classes(sh, a, p, fly_class);
}

/* Cables between groups, by pair of groups.  first[k + 1] is where list k begins while it is
 * filled, and ends where it ends. */
static void
list_globals(const struct shaped *sh, struct dragonfly *f, struct arena *a)
{
	const struct swgraph *w = &sh->whole;
	size_t n = sh->shape.ngroups;
	uint32_t sum = 0;

	f->first = arena_array(a, n * n + 1, sizeof(*f->first));
	f->globals = arena_array(a, (size_t)w->group_first[w->nsw] + 1, sizeof(*f->globals));
	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint32_t s = 0; s < w->nsw; s++)
			for (uint32_t e = w->group_first[s]; e < w->group_first[s + 1]; e++) {
				uint32_t u = w->groups[e].to;
				size_t pair = sh->shape.group[u] * n + sh->shape.group[s];

				if (sh->shape.group[u] == sh->shape.group[s])
					continue;
				if (pass)
					f->globals[f->first[pair + 1]] =
						(struct global){ u, s, group_to(w, u, s) };
				f->first[pair + 1]++;
			}
		for (size_t i = 1; !pass && i <= n * n; i++) {
			uint32_t count = f->first[i];

			f->first[i] = sum;
			sum += count;
		}
	}
}

static void
list_members(const struct shaped *sh, struct dragonfly *f, struct arena *a)
{
	const struct swgraph *w = &sh->whole;
	uint32_t n = sh->shape.ngroups, used = 0;

	f->members_first = arena_array(a, (size_t)n + 1, sizeof(*f->members_first));
	f->spines_first = arena_array(a, n, sizeof(*f->spines_first));
	f->members = arena_array(a, w->nsw, sizeof(*f->members));
	for (uint32_t k = 0; k < n; k++) {
		for (unsigned spine = 0; spine < 2; spine++) {
			if (spine)
				f->spines_first[k] = used;
			for (uint32_t s = 0; s < w->nsw; s++)
				if (sh->shape.group[s] == k && is_leaf(sh, s) == !spine)
					f->members[used++] = s;
		}
		f->members_first[k + 1] = used;
	}
	for (uint32_t s = 0; s < w->nsw; s++) {
		uint32_t hosts = w->host_first[s + 1] - w->host_first[s];

		f->most_hosts = hosts > f->most_hosts ? hosts : f->most_hosts;
	}
}

static enum route_code
route_dragonfly(struct shaped *sh, struct arena *a, struct fwd_tables *out, struct route_report *r)
{
	struct arena scratch = ARENA_INIT;
	struct dragonfly fly = { 0 };
	struct shaped_way way = { dragonfly_hop, dragonfly_detour, &fly, NULL };
	struct shaped_plans plans;

	if (sh->shape.kind != SHAPE_DRAGONFLY && sh->shape.kind != SHAPE_DRAGONFLY_PLUS)
		return shaped_refuse_shape(sh, r, "a dragonfly");
	if (sh->shape.kind == SHAPE_DRAGONFLY_PLUS)
		way.hop = plus_hop;
	list_globals(sh, &fly, &scratch);
	list_members(sh, &fly, &scratch);
	if (shaped_fill(sh, &way, a, out, r) == ROUTE_OK) {
		make_plans(sh, &plans, a);
		shaped_take_lanes(sh, &plans, a, out, r);
	}
	arena_clear(&scratch);
	return r->code;
}

enum route_code
dragonfly_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r)
{
	return shaped_run(in, "dragonfly", route_dragonfly, a, out, r);
}
