/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * discover_cable.c - finds links, links moved during the sweep, and duplicate GUIDs.
 * Room: fabric/discover.  Pure.
 *
 * A look from port A that is answered by (GUID, local port) claims the cable A - (GUID, local
 * port).  When that contradicts a cable we know, the place where the node was first is looked at
 * again:
 *   - it still answers there: two nodes have one GUID, unless a cable was moved in the routes that
 *     we asked by, and
 *     they lead elsewhere now; so both routes must prove themselves.  Then both places are
 *     reported, the first is kept.
 *     A switch is audited: every cable that others saw is looked at from the switch itself (by its
 *     first route),
 *     because some of them may lead to its double; what a node's own look says wins.
 *   - it does not: the cable was moved while we looked.  The new place counts, routes through the
 *     old one are changed,
 *     and questions that failed on them, or fail later, are asked again (discover.c).
 * No port is looked at more than LOOKS_MAX times, so that the sweep ends whatever the nodes say.
 */
#include <config.h>
#include <string.h>
#include "fabric/discover/discover_impl.h"

static bool
is_switch(const struct discover *d, uint32_t node)
{
	return d->nodes[node]->type == NODE_TYPE_SWITCH;
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
	const struct route *from = d->nodes[via.node]->route;
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
	struct found *n = d->nodes[to.node];
	const struct route *old = n->type == NODE_TYPE_SWITCH ? n->route : n->ends[to.port].route,
		*new;

	if (to.node == 0 || (n->type == NODE_TYPE_SWITCH && n->entry != to.port))
		return;                                 /* not the way in */
	if (!old || route_begins(d->nodes[from.node]->route, old))
		return;                                 /* behind itself */
	new = route_through(d, from, 0);
	if (!new)
		return;
	for (uint32_t i = 0; i < d->nnodes; i++) {
		struct found *each = d->nodes[i];
		const struct route *before = each->route;
		unsigned last = each->type == NODE_TYPE_SWITCH ? 0 : each->nports;

		each->route = route_moved(d, each->route, old, new);
		for (unsigned p = 1; p <= last; p++)
			each->ends[p].route = route_moved(d, each->ends[p].route, old, new);
		if (each->route != before)
			discover_ask_again(d, i);
	}
}

/* ---- looks that settle doubts ---- */

/* Looks at 'at' again, whatever is known.  False: it was looked at too often, or nobody can look
 * from there. */
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

/* An end port got its cable: it can be asked through it. */
static void
end_reached(struct discover *d, struct place end, struct place via)
{
	struct found *n = d->nodes[end.node];

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
}

/* ---- nodes seen twice, moved cables ---- */

static void
links_audit(struct discover *d, uint32_t node)
{
	struct found *n = d->nodes[node];

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
	r->guid = d->nodes[first.node]->guid;
	r->port = first.port;
	r->attr_id = NODE_INFO_ID;
	log_line(d->log, LOG_DETAIL, "discover", "two nodes have the GUID 0x%016llx",
		(unsigned long long)r->guid);
	discover_decide(d, from, first);
	links_audit(d, first.node);
}

/* Looks whether the route to 'node' still leads there.  False: that was proved often enough. */
static bool
look_self(struct discover *d, uint32_t node, struct place from, struct place first, uint8_t stage)
{
	struct found *n = d->nodes[node];
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

/*
 * 'from' sees a node that has the GUID of 'first': two nodes, unless a route that told us so leads
 * elsewhere now.  So the routes to 'from', to what was before 'first', and to 'first' itself must
 * prove themselves, one after the other.
 */
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
	r->guid = d->nodes[who.node]->guid;
	r->port = who.port;
	r->attr_id = NODE_INFO_ID;
}

static void
looped(struct discover *d, struct place at)
{
	struct remark *r = discover_remark(d, FAB_BAD_REPLY, WHY_LOOPED);

	r->at = at;
	r->guid = d->nodes[at.node]->guid;
	r->port = at.port;
	r->attr_id = NODE_INFO_ID;
}

/* A look from 'from' was answered by port 'to'. */
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
	/* the own look wins: what did the other see? */
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

/* The answer to look_prove(): 'who' is at the end of the route to the node in question. */
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
	r->guid = d->nodes[k->at.node]->guid;
	r->attr_id = NODE_INFO_ID;
	if (k->stage == 0)
		return;                                 /* what 'from' saw means nothing */
	discover_unlink(d, k->to);
	reroute(d, k->to, k->from);
	discover_claim(d, k->from, k->to);
}

/* The port that was looked at again still has 'expect' behind it. */
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

/* The port that was looked at again has something else behind it, or ('got' none) nothing that
 * answers. */
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
