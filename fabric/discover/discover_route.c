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

/* ---- what has changed ---- */

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
route_lose(struct update *u, uint32_t node)
{
	struct found *n = found_at(u->d, node);

	if (!node || !n->reached)
		return;
	n->reached = false;
	note_moved(u, node);
}

/* What is entered through a node that has lost its route loses it, too. */
static void
routes_lose_behind(struct update *u)
{
	for (uint32_t at = 0; at < u->nmoved; at++) {
		const struct found *n = found_at(u->d, u->moved[at]);

		for (unsigned p = 1; p <= n->nports; p++) {
			struct place to = n->ports[p].peer;

			if (!place_none(to) && discover_way_of(u->d, to.node).entry == to.port)
				route_lose(u, to.node);
		}
	}
}

/* ---- offers ---- */

static void
offer_put(struct update *u, uint32_t node, uint8_t hops)
{
	GROW(u->offers, u->noffers, u->offers_cap, 64);
	u->offers[u->noffers] = (struct offer){ node, u->first[hops] };
	u->first[hops] = u->noffers++;
}

/* Whether the route through 'port' at the end of 'from' comes before 'have'. */
static bool
is_better(const struct discover_way *from, uint8_t port, const struct discover_way *have)
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
route_offer(struct update *u, struct place via, struct place to)
{
	struct discover_way from, have;
	struct found *n;

	if (place_none(to) || place_none(via) || !to.node || !discover_way_through(u->d, via))
		return;
	from = discover_way_of(u->d, via.node);
	if (!from.reached || from.hops >= DGRAM_HOPS_MAX)
		return;
	have = discover_way_of(u->d, to.node);
	if (!is_better(&from, via.port, &have))
		return;
	n = found_at(u->d, to.node);
	n->reached = true;
	n->entry = to.port;
	discover_route_set(u->d, &n->route, &from, via.port);
	note_moved(u, to.node);
	offer_put(u, to.node, n->route->hops);
}

/* The neighbours of a node without a route offer it theirs. */
static void
neighbours_offer(struct update *u, uint32_t node)
{
	const struct found *n = found_at(u->d, node);

	for (unsigned p = 1; p <= n->nports; p++)
		route_offer(u, n->ports[p].peer, (struct place){ node, (uint8_t)p });
}

static void
offers_spread(struct update *u)
{
	for (unsigned hops = 0; hops < DGRAM_HOPS_MAX; hops++)
		for (uint32_t i = u->first[hops]; i != FAB_NONE; i = u->offers[i].next) {
			const struct found *n = found_at(u->d, u->offers[i].node);

			/* Another offer may have been better meanwhile. */
			for (unsigned p = 1; p <= n->nports && n->route->hops == hops; p++)
				route_offer(u, (struct place){ n->index, (uint8_t)p },
					n->ports[p].peer);
		}
}

/* ---- ports of adapters ---- */

/* The ports of adapters behind 'n' are reached by its new route.  Those that were not copied get it
 * when they are. */
static void
end_routes_set(struct update *u, const struct found *n)
{
	for (unsigned p = 1; p <= n->nports; p++) {
		struct place to = n->ports[p].peer;

		if (!place_none(to) && to.node && u->d->nodes[to.node] &&
			u->d->nodes[to.node]->type != NODE_TYPE_SWITCH)
			discover_end_route_set(u->d, u->d->nodes[to.node], to.port);
	}
}

/* ---- all of it ---- */

/* Which nodes have no route, or none that counts. */
static void
routes_lose(struct update *u)
{
	struct seeding *s = u->d->seeding;
	struct found *own = found_at(u->d, 0);

	memset(u->first, 0xff, sizeof(u->first));
	for (uint32_t i = 0; i < s->ntouched; i++)
		if (found_at(u->d, s->touched[i].node)->entry == s->touched[i].port)
			route_lose(u, s->touched[i].node);
	routes_lose_behind(u);
	for (uint32_t i = s->nrouted; i < u->d->nnodes; i++)
		if (i) {
			found_at(u->d, i)->reached = false;
			note_moved(u, i);
		}
	if (own->route)
		return;
	own->route = arena_alloc(&s->arena, sizeof(*own->route) + 1u);
	own->reached = true;
	if (own->type != NODE_TYPE_SWITCH)
		own->ends[own->entry].route = own->route;
	note_moved(u, 0);
	offer_put(u, 0, 0);
}

uint32_t *
discover_routes_update(struct discover *d, uint32_t *n)
{
	struct seeding *s = d->seeding;
	struct update u = { .d = d };
	uint32_t lost;

	routes_lose(&u);
	lost = u.nmoved;
	for (uint32_t i = 0; i < lost; i++)
		neighbours_offer(&u, u.moved[i]);
	for (uint32_t i = 0; i < s->ntouched; i++)
		route_offer(&u, s->touched[i], found_port(d, s->touched[i])->peer);
	offers_spread(&u);
	for (uint32_t i = 0; i < s->ntouched; i++)
		end_routes_set(&u, found_at(d, s->touched[i].node));
	for (uint32_t i = 0; i < u.nmoved; i++)
		end_routes_set(&u, found_at(d, u.moved[i]));
	s->ntouched = 0;
	s->nrouted = d->nnodes;
	free(u.offers);
	*n = u.nmoved;
	return u.moved;
}
