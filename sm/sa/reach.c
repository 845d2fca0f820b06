/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * reach.c - the route of a packet through the forwarding tables, and what it can carry.
 * Room: sm/sa.  Pure.
 *
 * A route is what the LFTs make of a DLID, switch by switch; its MTU and rate are the least of all
 * its links, and an SL passes if every port on it has a VL for it.  This goes where
 * fabric/snapshot/walk.h goes (a test compares them), but over the compact arrays of the index: a
 * path query with one end left open takes tens of thousands of such routes, to one LID most of
 * them.  They touch one byte of one row for each switch, and such a column stays in the processor's
 * cache.  Single routes from a port are cached (path_cache.c); a table of all routes to one LID is
 * made by sa_reach_to(), which walks each switch once.
 */
#include <config.h>
#include <string.h>
#include "fabric/snapshot/walk.h"
#include "sm/sa/sa_int.h"

uint8_t
sa_route_number(struct sa_route_table *t, const struct sa_route *route)
{
	struct sa_route w = route->mtu ? *route : (struct sa_route){ 0 };
	unsigned i = 0;

	while (i < t->n && !sa_same_route(&t->v[i], &w))
		i++;
	if (i == SA_ROUTES_MAX)
		return 0;
	if (i == t->n)
		t->v[t->n++] = w;
	return (uint8_t)(i + 1);
}

/* Port 0 of a switch has no link, but its own MTU and rate limit what it receives. */
static inline void
narrow_port0(const struct sa_index *x, uint32_t port, struct sa_route *r)
{
	if (x->v.s->ports[port].flags & FAB_PORT_INFO)
		sa_route_narrow(r, x->ports[port].mtu, x->ports[port].rank, UINT16_MAX);
}

enum step { LOST, ARRIVED, ONWARD };

/* Moves a packet out of switch '*sw'; with ONWARD, into the next one. */
static inline enum step
step_from(const struct sa_index *x, uint32_t *sw, uint16_t lid, uint32_t owner, struct sa_route *r)
{
	const struct fwd_tables *f = x->v.fwd;
	const struct sa_switch *s = &x->switches[*sw];
	const struct sa_hop *h;
	uint8_t out;

	if (*sw >= f->nswitches)
		return LOST;
	out = fwd_row(f, *sw)[lid];
	if (out == 0) {
		narrow_port0(x, s->first_port, r);
		r->sls &= x->hops[s->first_port].sls;
		return owner == s->first_port ? ARRIVED : LOST;
	}
	if (out == FAB_LFT_DROP || out > s->nports)
		return LOST;
	h = &x->hops[s->first_port + out];
	if (h->peer == FAB_NONE)
		return LOST;
	sa_route_narrow(r, h->mtu, h->rank, h->sls);
	if (h->sw == FAB_NONE)
		return h->peer == owner ? ARRIVED : LOST;
	*sw = h->sw;
	return ONWARD;
}

/* From switch 'sw' on. */
static bool
walk_from(const struct sa_index *x, uint32_t sw, uint16_t lid, uint32_t owner, struct sa_route *r)
{
	enum step s = ONWARD;

	if (lid > x->v.fwd->top || lid >= x->v.fwd->stride)
		return false;
	for (unsigned hops = 0; hops < WALK_HOPS_MAX && s == ONWARD; hops++)
		s = step_from(x, &sw, lid, owner, r);
	return s == ARRIVED;
}

static void
narrow_by(struct sa_route *r, const struct sa_route *by)
{
	sa_route_narrow(r, by->mtu, by->rank, by->sls);
}

/* The same, from the cache; stored there if it was not. */
static bool
walk_cached(const struct sa_index *x, struct sa_path_cache *c, uint32_t sw, uint16_t lid,
	uint32_t owner, struct sa_route *r)
{
	struct sa_route part = SA_WIDEST;
	uint8_t *slot;

	if (c->row[sw] == FAB_NONE)
		return walk_from(x, sw, lid, owner, r);
	slot = &c->at[(size_t)c->row[sw] * c->stride + lid];
	if (*slot) {
		part = c->different.v[*slot - 1];
	} else {
		if (!walk_from(x, sw, lid, owner, &part))
			part.mtu = 0;
		*slot = sa_route_number(&c->different, &part);
	}
	narrow_by(r, &part);
	return part.mtu > 0;
}

bool
sa_reach(const struct sa_index *x, struct sa_path_cache *cache, uint32_t src, uint16_t lid,
	struct sa_route *r)
{
	uint32_t owner = sa_port_by_lid(x, lid), sw = FAB_NONE;
	const struct sa_hop *h = &x->hops[src];

	*r = SA_WIDEST;
	if (owner == FAB_NONE)
		return false;
	if (x->ports[src].of_switch)
		sw = x->v.s->nodes[x->v.s->ports[src].node].sw;
	if (owner == src) {
		r->loopback = true;
		r->mtu = x->ports[src].mtu;
		r->rank = x->ports[src].rank;
		return true;
	}
	if (sw == FAB_NONE) {
		if (h->peer == FAB_NONE)
			return false;
		sa_route_narrow(r, h->mtu, h->rank, h->sls);
		if (h->sw == FAB_NONE)
			return h->peer == owner;
		sw = h->sw;
	} else {
		narrow_port0(x, src, r);
	}
	return cache ? walk_cached(x, cache, sw, lid, owner, r) : walk_from(x, sw, lid, owner, r);
}

bool
sa_reach_inside(const struct sa_index *x, uint32_t sw, uint16_t lid, struct sa_route *r)
{
	uint32_t owner = sa_port_by_lid(x, lid);

	*r = SA_WIDEST;
	return owner != FAB_NONE && walk_from(x, sw, lid, owner, r);
}

/*
 * Follows the tables to a switch whose route is known, then fills in all switches before it.  If a
 * route is too long for a packet, or loops, only the first switch is filled in, because
 * the route may be short enough from a later one.
 */
static void
reach_chain(const struct sa_index *x, uint32_t sw, uint16_t lid, uint32_t owner,
	struct sa_route *all, uint8_t *hops)
{
	uint32_t chain[WALK_HOPS_MAX];
	struct sa_route part[WALK_HOPS_MAX], r = SA_WIDEST;
	enum step s = ONWARD;
	unsigned n = 0, rest = 0;

	while (s == ONWARD && !hops[sw] && n < WALK_HOPS_MAX) {
		part[n] = SA_WIDEST;
		chain[n] = sw;
		s = step_from(x, &sw, lid, owner, &part[n++]);
	}
	if (s == ONWARD) {
		if (!hops[sw] || !all[sw].mtu || n + hops[sw] > WALK_HOPS_MAX) {
			hops[chain[0]] = 1;     /* by itself, then */
			all[chain[0]].mtu = 0;
			if (sa_reach_inside(x, chain[0], lid, &r))
				all[chain[0]] = r;
			return;
		}
		r = all[sw];
		rest = hops[sw];
	}
	while (n-- > 0) {
		narrow_by(&r, &part[n]);
		if (s == LOST)
			r.mtu = 0;
		all[chain[n]] = r;
		hops[chain[n]] = (uint8_t)++rest;
	}
}

void
sa_reach_to(const struct sa_index *x, uint16_t lid, struct sa_route *all, uint8_t *hops)
{
	uint32_t owner = sa_port_by_lid(x, lid), n = x->v.s->nswitches;
	bool none = owner == FAB_NONE || lid > x->v.fwd->top || lid >= x->v.fwd->stride;

	memset(all, 0, n * sizeof(*all));
	memset(hops, 0, n);
	for (uint32_t i = 0; !none && i < n; i++)
		if (!hops[i])
			reach_chain(x, i, lid, owner, all, hops);
}
