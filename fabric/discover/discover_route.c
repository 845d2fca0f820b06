/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * discover_route.c - the routes of a discovery with a seed, kept as links come and go.
 * Room: fabric/discover.  Pure.
 * In: paths of the seed; ends of links that came or went.  Out: routes, entry ports, which nodes
 * are reached.
 *
 * Invariant: after discover_routes_update() the routes are those that snapshot_find_paths() finds:
 * the shortest ones, among those the first when ports are compared in turn.  The route to a node is
 * the route to the node before it, and one port more; so who loses the link that it is entered by
 * loses its route, with all that is entered through it, and nothing else does.  These take the
 * best route that a neighbour offers, the nearest first; whoever has got a route, or a better one,
 * offers it to its neighbours.  Nodes that no change concerns are not looked at.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/discover/discover_impl.h"
#include "util/grow.h"
#include "util/xalloc.h"

/* How a node is reached. */
struct way {
	const uint8_t *path;
	uint8_t hops, entry;
	bool reached;
};

/* A node whose neighbours are to be offered its route. */
struct offer {
	uint32_t node, next;            /* of the same distance, FAB_NONE */
};

struct update {
	struct discover *d;
	struct offer *offers;
	uint32_t noffers, offers_cap, first[DGRAM_HOPS_MAX + 1];
	uint32_t *moved;                /* nodes that lost their route, or have got another one */
	uint32_t nmoved, moved_cap;
};

/* ---- nodes, copied or not ---- */

static const struct fab_node *
seed_node(const struct discover *d, uint32_t node)
{
	return &d->conf.seed->nodes[discover_seed_index(d->conf.seed, node)];
}

static struct way
way_of(const struct discover *d, uint32_t node)
{
	const struct found *n = d->nodes[node];
	const struct fab_node *f;

	if (n)
		return (struct way){ n->route ? n->route->path : NULL,
			n->route ? n->route->hops : 0, n->entry, n->reached };
	f = seed_node(d, node);
	return (struct way){ f->path, f->hop_count, f->entry_port, true };
}

static bool
is_switch(const struct discover *d, uint32_t node)
{
	const struct found *n = d->nodes[node];

	return (n ? n->type : seed_node(d, node)->type) == NODE_TYPE_SWITCH;
}

/* As discover_forwards(), without a copy of the node. */
static bool
forwards(const struct discover *d, struct place p)
{
	return p.node ? p.port && is_switch(d, p.node) : discover_forwards(d, p);
}

/* Sets the route to the end of 'from' through 'port', if it is another one than before. */
static void
route_set(struct arena *a, const struct route **to, const struct way *from, uint8_t port)
{
	struct route *r;

	if (*to && (*to)->hops == from->hops + 1 && (*to)->path[(*to)->hops] == port &&
		!memcmp((*to)->path, from->path, from->hops + 1u))
		return;
	r = arena_alloc(a, sizeof(*r) + from->hops + 2u);
	r->hops = (uint8_t)(from->hops + 1);
	memcpy(r->path, from->path, from->hops + 1u);
	r->path[r->hops] = port;
	*to = r;
}

/* Sets the route to port 'to' of an adapter through 'via', the port before it. */
static void
end_route_set(const struct discover *d, struct found *n, uint8_t port)
{
	struct place via = n->ports[port].peer;
	struct way from;

	if (place_none(via) || !forwards(d, via))
		return;
	from = way_of(d, via.node);
	if (from.reached && from.hops < DGRAM_HOPS_MAX)
		route_set(&d->seeding->arena, &n->ends[port].route, &from, via.port);
}

void
discover_route_copy(const struct discover *d, struct found *n, const struct fab_node *f)
{
	struct route *r;

	if (d->seeding->whole)
		return;
	r = arena_alloc(&d->seeding->arena, sizeof(*r) + f->hop_count + 1u);
	r->hops = f->hop_count;
	memcpy(r->path, f->path, f->hop_count + 1u);
	n->route = r;
	n->reached = true;
	if (n->type == NODE_TYPE_SWITCH)
		return;
	for (unsigned p = 1; p <= n->nports && n->index; p++)
		end_route_set(d, n, (uint8_t)p);
	if (!n->index)
		n->ends[n->entry].route = n->route;
}

/* ---- what has changed ---- */

void
discover_route_touch(struct discover *d, struct place at)
{
	struct seeding *s = d->seeding;

	if (!s)
		return;
	GROW(s->touched, s->ntouched, s->touched_cap, 16);
	s->touched[s->ntouched++] = at;
}

bool
discover_routes_hold(const struct discover *d)
{
	return !d->seeding->ntouched && d->seeding->nrouted == d->nnodes;
}

static void
note_moved(struct update *u, uint32_t node)
{
	GROW(u->moved, u->nmoved, u->moved_cap, 64);
	u->moved[u->nmoved++] = node;
}

static void
lose(struct update *u, uint32_t node)
{
	struct found *n = found_at(u->d, node);

	if (!node || !n->reached)
		return;
	n->reached = false;
	note_moved(u, node);
}

/* What is entered through a node that has lost its route loses it, too. */
static void
lose_behind(struct update *u)
{
	for (uint32_t at = 0; at < u->nmoved; at++) {
		const struct found *n = found_at(u->d, u->moved[at]);

		for (unsigned p = 1; p <= n->nports; p++) {
			struct place to = n->ports[p].peer;

			if (!place_none(to) && way_of(u->d, to.node).entry == to.port)
				lose(u, to.node);
		}
	}
}

/* ---- offers ---- */

static void
offer_later(struct update *u, uint32_t node, uint8_t hops)
{
	GROW(u->offers, u->noffers, u->offers_cap, 64);
	u->offers[u->noffers] = (struct offer){ node, u->first[hops] };
	u->first[hops] = u->noffers++;
}

/* Whether the route through 'port' at the end of 'from' comes before 'have'. */
static bool
is_better(const struct way *from, uint8_t port, const struct way *have)
{
	int c;

	if (!have->reached)
		return true;
	if (from->hops + 1 != have->hops)
		return from->hops + 1 < have->hops;
	c = memcmp(from->path, have->path, from->hops + 1u);
	return c ? c < 0 : port < have->path[have->hops];
}

/* Offers 'to' the route through 'via', the port before it. */
static void
offer(struct update *u, struct place via, struct place to)
{
	struct way from, have;
	struct found *n;

	if (place_none(to) || place_none(via) || !to.node || !forwards(u->d, via))
		return;
	from = way_of(u->d, via.node);
	if (!from.reached || from.hops >= DGRAM_HOPS_MAX)
		return;
	have = way_of(u->d, to.node);
	if (!is_better(&from, via.port, &have))
		return;
	n = found_at(u->d, to.node);
	n->reached = true;
	n->entry = to.port;
	route_set(&u->d->seeding->arena, &n->route, &from, via.port);
	note_moved(u, to.node);
	offer_later(u, to.node, n->route->hops);
}

/* The neighbours of a node without a route offer it theirs. */
static void
offer_to(struct update *u, uint32_t node)
{
	const struct found *n = found_at(u->d, node);

	for (unsigned p = 1; p <= n->nports; p++)
		offer(u, n->ports[p].peer, (struct place){ node, (uint8_t)p });
}

static void
offer_all(struct update *u)
{
	for (unsigned hops = 0; hops < DGRAM_HOPS_MAX; hops++)
		for (uint32_t i = u->first[hops]; i != FAB_NONE; i = u->offers[i].next) {
			const struct found *n = found_at(u->d, u->offers[i].node);

			/* Another offer may have been better meanwhile. */
			for (unsigned p = 1; p <= n->nports && n->route->hops == hops; p++)
				offer(u, (struct place){ n->index, (uint8_t)p },
					n->ports[p].peer);
		}
}

/* ---- ports of adapters, and nodes that are not reached ---- */

/* The ports of adapters behind 'n' are reached by its new route.  Those that were not copied get it
 * when they are. */
static void
end_routes_set(struct update *u, const struct found *n)
{
	for (unsigned p = 1; p <= n->nports; p++) {
		struct place to = n->ports[p].peer;

		if (!place_none(to) && to.node && u->d->nodes[to.node] &&
			u->d->nodes[to.node]->type != NODE_TYPE_SWITCH)
			end_route_set(u->d, u->d->nodes[to.node], to.port);
	}
}

/* What cannot be reached may have changed in any way: its links do not count. */
static void
forget_unreached(struct discover *d, const struct found *n)
{
	for (unsigned p = 1; p <= n->nports && !n->reached; p++)
		if (n->ports[p].old)
			discover_seed_forget(d, (struct place){ n->index, (uint8_t)p });
}

/* ---- all of it ---- */

/* Which nodes have no route, or none that counts. */
static void
begin(struct update *u)
{
	const struct seeding *s = u->d->seeding;
	struct found *own = found_at(u->d, 0);

	memset(u->first, 0xff, sizeof(u->first));
	for (uint32_t i = 0; i < s->ntouched; i++)
		if (found_at(u->d, s->touched[i].node)->entry == s->touched[i].port)
			lose(u, s->touched[i].node);
	lose_behind(u);
	for (uint32_t i = s->nrouted; i < u->d->nnodes; i++)
		if (i) {
			found_at(u->d, i)->reached = false;
			note_moved(u, i);
		}
	if (own->route)
		return;
	own->route = discover_route_alloc(u->d, 0, 0);
	own->reached = true;
	if (own->type != NODE_TYPE_SWITCH)
		own->ends[own->entry].route = own->route;
	note_moved(u, 0);
	offer_later(u, 0, 0);
}

void
discover_routes_update(struct discover *d)
{
	struct seeding *s = d->seeding;
	struct update u = { .d = d };
	uint32_t lost;

	if (discover_routes_hold(d))
		return;
	begin(&u);
	lost = u.nmoved;
	for (uint32_t i = 0; i < lost; i++)
		offer_to(&u, u.moved[i]);
	for (uint32_t i = 0; i < s->ntouched; i++)
		offer(&u, s->touched[i], found_port(d, s->touched[i])->peer);
	offer_all(&u);
	for (uint32_t i = 0; i < s->ntouched; i++)
		end_routes_set(&u, found_at(d, s->touched[i].node));
	for (uint32_t i = 0; i < u.nmoved; i++)
		end_routes_set(&u, found_at(d, u.moved[i]));
	for (uint32_t i = 0; i < u.nmoved; i++)
		forget_unreached(d, found_at(d, u.moved[i]));
	s->ntouched = 0;
	s->nrouted = d->nnodes;
	free(u.offers);
	free(u.moved);
}
