/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * discover_cable.c - finds links, links moved during the sweep, and duplicate GUIDs.
 * Room: fabric/discover.  Pure.
 *
 * A look from port A whose response has (GUID, local port) claims the link A - (GUID, local port).
 * If the claim contradicts a known link, discovery sends a look to the place where the node was
 * found first:
 *   - The node still responds there.  Then two nodes have one GUID, unless a link in one of the
 *     routes was moved and the route leads elsewhere now; so a look along each route checks it.
 *     Both places are reported, and the first is kept.  If the node is a switch, its links are
 *     audited: each link that was found from the other end is checked from the switch itself (by
 *     its first route), because some of them may lead to the duplicate.  The result of a node's
 *     own look has precedence.
 *   - The node does not respond there.  Then the link was moved during the sweep.  The new place
 *     counts, routes through the old one are changed, and requests that failed on them, or fail
 *     later, are sent again (discover.c).
 * Discovery sends at most LOOKS_MAX looks from a port, so the sweep ends whatever nodes respond.
 */
#include <config.h>
#include <string.h>
#include "fabric/discover/discover_impl.h"

static bool
is_switch(const struct discover *d, uint32_t node)
{
	return found_at(d, node)->type == NODE_TYPE_SWITCH;
}

/* ---- routes ---- */

struct route *
discover_route_alloc(struct discover *d, uint8_t hops, uint8_t gen)
{
	struct route *r = arena_alloc(&d->arena, sizeof(*r) + hops + 1u);

	r->hops = hops;
	r->gen = gen;
	return r;
}

/* The route through port 'via' to what is behind it; NULL when that is too far. */
static const struct route *
route_through(struct discover *d, struct place via, uint8_t gen)
{
	const struct route *from = found_at(d, via.node)->route;
	struct route *r;

	if (from->hops >= DGRAM_HOPS_MAX)
		return NULL;
	r = discover_route_alloc(d, (uint8_t)(from->hops + 1), gen);
	memcpy(r->path, from->path, from->hops + 1u);
	r->path[r->hops] = via.port;
	return r;
}

static bool
route_begins(const struct route *r, const struct route *with)
{
	return r->hops >= with->hops && !memcmp(r->path, with->path, with->hops + 1u);
}

/* 'r' with 'to' for its beginning 'old'. */
static const struct route *
route_moved(struct discover *d, const struct route *r, const struct route *old,
	const struct route *to)
{
	unsigned rest, hops;
	struct route *moved;

	if (!r || !route_begins(r, old))
		return r;
	rest = r->hops - (unsigned)old->hops;
	hops = to->hops + rest;
	if (hops > DGRAM_HOPS_MAX)
		return r;
	moved = discover_route_alloc(d, (uint8_t)hops, (uint8_t)(r->gen + 1));
	memcpy(moved->path, to->path, to->hops + 1u);
	memcpy(moved->path + to->hops + 1, r->path + old->hops + 1, rest);
	return moved;
}

/* The cable that led to 'to' is now behind 'from': changes all routes through it. */
static void
reroute(struct discover *d, struct place to, struct place from)
{
	struct found *n = found_at(d, to.node);
	const struct route *old = n->type == NODE_TYPE_SWITCH ? n->route : n->ends[to.port].route,
		*new;

	if (to.node == 0 || (n->type == NODE_TYPE_SWITCH && n->entry != to.port))
		return;                                 /* not the way in */
	if (!old || route_begins(found_at(d, from.node)->route, old))
		return;                                 /* behind itself */
	new = route_through(d, from, 0);
	if (!new)
		return;
	for (uint32_t i = 0; i < d->nnodes; i++) {
		struct found *each = found_at(d, i);
		const struct route *before = each->route;
		unsigned last = each->type == NODE_TYPE_SWITCH ? 0 : each->nports;

		each->route = route_moved(d, each->route, old, new);
		for (unsigned p = 1; p <= last; p++)
			each->ends[p].route = route_moved(d, each->ends[p].route, old, new);
		if (each->route != before)
			discover_ask_again(d, i);
	}
}

/* ---- looks that resolve contradictions ---- */

/* Sends a look from 'at' again, even if its link is known.  False: there were too many looks from
 * 'at', or none can be sent from there. */
bool
discover_look_again(struct discover *d, enum look_why why, struct place at, struct place expect,
	struct place from,
	struct place to)
{
	uint32_t number;

	if (!discover_forwards(d, at) || found_port(d, at)->looks >= LOOKS_MAX)
		return false;
	number = discover_look(d, at, why);
	if (number == FAB_NONE)
		return false;
	d->looks[number]->expect = expect;
	d->looks[number]->from = from;
	d->looks[number]->to = to;
	discover_push(d, (struct job){ number, 0, 0, ASK_AGAIN });
	return true;
}

/* ---- cables ---- */

/* Called when the link of an end port is known: requests to the port can go through it. */
static void
end_reached(struct discover *d, struct place end, struct place via)
{
	struct found *n = found_at(d, end.node);

	if (n->type == NODE_TYPE_SWITCH || n->ends[end.port].route || !discover_forwards(d, via))
		return;
	n->ends[end.port].route = n->entry == end.port ? n->route : route_through(d, via, 0);
	if (n->ends[end.port].route)
		discover_ask_end(d, end.node, end.port);
}

static void
link_ports(struct discover *d, struct place a, struct place b)
{
	found_port(d, a)->peer = b;
	found_port(d, b)->peer = a;
	discover_route_touch(d, a);
	discover_route_touch(d, b);
	end_reached(d, a, b);
	end_reached(d, b, a);
}

void
discover_unlink(struct discover *d, struct place a)
{
	struct place b = found_port(d, a)->peer;

	if (place_none(b))
		return;
	found_port(d, a)->peer = PLACE_NONE;
	found_port(d, b)->peer = PLACE_NONE;
	discover_route_touch(d, a);
	discover_route_touch(d, b);
}

/* ---- nodes seen twice, moved cables ---- */

static void
links_audit(struct discover *d, uint32_t node)
{
	struct found *n = found_at(d, node);

	if (n->type != NODE_TYPE_SWITCH || n->audited)
		return;
	n->audited = true;
	for (unsigned p = 1; p <= n->nports; p++)
		if (!place_none(n->ports[p].peer) && !n->ports[p].looks)
			discover_push(d, (struct job){ node, (uint16_t)p, 1, ASK_LOOK });
}

/* Behind 'from' there is a second node with the GUID of 'first'. */
static void
report_twice(struct discover *d, struct place from, struct place first)
{
	struct remark *r = discover_remark(d, FAB_DUPLICATE_GUID, WHY_TWICE);

	r->at = from;
	r->behind = true;
	r->other = first;
	r->guid = found_at(d, first.node)->guid;
	r->port = first.port;
	r->attr_id = NODE_INFO_ID;
	log_line(d->log, LOG_DETAIL, "discover", "two nodes have the GUID 0x%016llx",
		(unsigned long long)r->guid);
	discover_decide(d, from, first);
	links_audit(d, first.node);
}

/* Sends a look that checks whether the route to 'node' still leads there.  False: that was checked
 * often enough. */
static bool
look_self(struct discover *d, uint32_t node, struct place from, struct place first, uint8_t stage)
{
	struct found *n = found_at(d, node);
	uint32_t number;

	if (n->selves >= SELVES_MAX)
		return false;
	n->selves++;
	number = discover_look(d, (struct place){ node, n->entry }, LOOK_SELF);
	d->looks[number]->from = from;
	d->looks[number]->to = first;
	d->looks[number]->stage = stage;
	discover_push(d, (struct job){ number, 0, 0, ASK_AGAIN });
	return true;
}

/* A look from 'from' found a node with the GUID of 'first': these are two nodes, unless a route
 * that was used leads elsewhere now.  So looks check the routes to 'from', to the node before
 * 'first', and to 'first' itself, one after the other. */
static void
look_prove(struct discover *d, struct place from, struct place first, unsigned stage)
{
	for (; stage < 3; stage++) {
		uint32_t node = stage == 0 ? from.node : stage == 1 ? found_port(d,
			first)->peer.node : first.node;

		if (node == NO_NODE || (stage && node == from.node))
			continue;
		if (look_self(d, node, from, first, (uint8_t)stage))
			return;
	}
	report_twice(d, from, first);
}

void
discover_twice(struct discover *d, struct place from, struct place first)
{
	look_prove(d, from, first, 0);
}

/* The cable to 'who' is not behind 'old' any more, but behind 'now' (which may be unknown). */
static void
link_moved(struct discover *d, struct place who, struct place now, struct place old)
{
	struct remark *r = discover_remark(d, FAB_MOVED_CABLE, WHY_MOVED);

	r->at = place_none(now) ? old : now;
	r->behind = true;
	r->other = old;
	r->guid = found_at(d, who.node)->guid;
	r->port = who.port;
	r->attr_id = NODE_INFO_ID;
}

static void
looped(struct discover *d, struct place at)
{
	struct remark *r = discover_remark(d, FAB_BAD_REPLY, WHY_LOOPED);

	r->at = at;
	r->guid = found_at(d, at.node)->guid;
	r->port = at.port;
	r->attr_id = NODE_INFO_ID;
}

/* Handles a look from 'from' that port 'to' answered. */
void
discover_claim(struct discover *d, struct place from, struct place to)
{
	struct found_port *f = found_port(d, from), *t = found_port(d, to);
	struct place old;

	if (place_equal(from, to)) {
		looped(d, from);
		return;
	}
	if (place_equal(f->peer, to) && place_equal(t->peer, from))
		return;
	old = f->peer;
	/* the own look has precedence; a look from the other end checks its claim */
	if (!place_none(old)) {
		discover_unlink(d, from);
		if (!discover_look_again(d, LOOK_CLAIM, old, from, PLACE_NONE, PLACE_NONE))
			link_moved(d, old, PLACE_NONE, from);
	}
	old = t->peer;
	if (!place_none(old)) {
		if (!discover_look_again(d, LOOK_OLD, old, to, from, to) &&
		    !discover_look_again(d, LOOK_OLD, to, old, from, to))
			discover_twice(d, from, to);
		return;
	}
	link_ports(d, from, to);
	if (is_switch(d, to.node) && (t->flags & FAB_PORT_INFO) &&
	    port_info_decode(t->info).state == PORT_STATE_DOWN)
		discover_look_again(d, LOOK_DOWN, to, from, PLACE_NONE, PLACE_NONE);
}

/* Handles the response to look_prove(): 'who' is the end of the route to the node in question. */
void
discover_self_seen(struct discover *d, const struct look *k, struct place who)
{
	struct remark *r;

	if (who.node == k->at.node) {
		look_prove(d, k->from, k->to, k->stage + 1u);
		return;
	}
	r = discover_remark(d, FAB_MOVED_CABLE, WHY_STALE);
	r->at = k->at;
	r->guid = found_at(d, k->at.node)->guid;
	r->attr_id = NODE_INFO_ID;
	if (k->stage == 0)
		return;                                 /* what 'from' saw means nothing */
	discover_unlink(d, k->to);
	reroute(d, k->to, k->from);
	discover_claim(d, k->from, k->to);
}

/* Handles a repeated look whose port still leads to 'expect'. */
void
discover_again_same(struct discover *d, const struct look *k)
{
	switch ((enum look_why)k->why) {
	case LOOK_OLD:
		discover_twice(d, k->from, k->to);
		break;
	case LOOK_CLAIM:
		discover_twice(d, k->at, k->expect);
		break;
	case LOOK_DOWN:
		discover_push(d, (struct job){ k->at.node, k->at.port, k->at.port, ASK_PORT });
		break;
	case LOOK_BACK:
		discover_claim(d, k->expect, k->at);
		break;
	case LOOK_ROOT:
	case LOOK_FIRST:
	case LOOK_SELF:
		break;
	}
}

/* Handles a repeated look whose port leads to another place, or ('got' none) to nothing that
 * responds. */
void
discover_again_other(struct discover *d, const struct look *k, struct place got)
{
	switch ((enum look_why)k->why) {
	case LOOK_OLD:
		link_moved(d, k->to, k->from, k->at);
		if (place_equal(found_port(d, k->at)->peer, k->expect))
			discover_unlink(d, k->at);
		if (!place_equal(k->at, k->to))
			reroute(d, k->to, k->from);
		discover_claim(d, k->from, k->to);
		break;
	case LOOK_CLAIM:
		link_moved(d, k->expect, PLACE_NONE, k->at);
		break;
	case LOOK_DOWN:
		if (place_equal(found_port(d, k->at)->peer, k->expect))
			discover_unlink(d, k->at);
		if (!discover_look_again(d, LOOK_CLAIM, k->expect, k->at, PLACE_NONE, PLACE_NONE))
			link_moved(d, k->at, PLACE_NONE, k->expect);
		break;
	case LOOK_BACK:
		discover_twice(d, k->expect, k->at);
		break;
	case LOOK_ROOT:
	case LOOK_FIRST:
	case LOOK_SELF:
		break;
	}
	if (!place_none(got))
		discover_claim(d, k->at, got);
}
