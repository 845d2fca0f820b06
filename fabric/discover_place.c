/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * discover_place.c - NodeInfo: who is behind a port, which cables there are, who was seen twice.
 * Room: fabric.  Pure.
 *
 * A look from port A that is answered by (GUID, local port) makes the cable A - (GUID, local port).  When that
 * contradicts a cable we know, the place where the node was first is looked at again:
 *   - it still answers there: two nodes have one GUID, unless a cable was moved in the routes that we asked by, and
 *     they lead elsewhere now; so both routes must prove themselves.  Then both places are reported, the first is kept.
 *     A switch is audited: every cable that others saw is looked at from the switch itself (by its first route), because some of
 *     them may lead to its double; what a node's own look says wins.
 *   - it does not: the cable was moved while we looked.  The new place counts, routes through the old one are changed,
 *     and questions that failed on them, or fail later, are asked again (discover.c).
 * No port is looked at more than LOOKS_MAX times, so that the sweep ends whatever the nodes say.
 */
#include <config.h>
#include <string.h>
#include "fabric/discover_impl.h"
#include "util/xalloc.h"

static bool
is_switch(const struct discover *d, uint32_t node)
{
	return d->nodes[node]->type == NODE_SWITCH;
}

bool
discover_forwards(const struct discover *d, struct place p)
{
	const struct found *n = d->nodes[p.node];

	if (n->type == NODE_SWITCH)
		return p.port > 0;
	return p.node == 0 && p.port == n->entry;
}

/* ---- routes ---- */

static struct route *
route_alloc(struct discover *d, uint8_t hops, uint8_t gen)
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
	r = route_alloc(d, (uint8_t)(from->hops + 1), gen);
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
route_moved(struct discover *d, const struct route *r, const struct route *old, const struct route *to)
{
	unsigned rest, hops;
	struct route *moved;

	if (!r || !route_begins(r, old))
		return r;
	rest = r->hops - (unsigned)old->hops;
	hops = to->hops + rest;
	if (hops > DGRAM_HOPS_MAX)
		return r;
	moved = route_alloc(d, (uint8_t)hops, (uint8_t)(r->gen + 1));
	memcpy(moved->path, to->path, to->hops + 1u);
	memcpy(moved->path + to->hops + 1, r->path + old->hops + 1, rest);
	return moved;
}

/* The cable that led to 'to' is now behind 'from': changes all routes through it. */
static void
reroute(struct discover *d, struct place to, struct place from)
{
	struct found *n = d->nodes[to.node];
	const struct route *old = n->type == NODE_SWITCH ? n->route : n->ends[to.port].route, *new;

	if (to.node == 0 || (n->type == NODE_SWITCH && n->entry != to.port))
		return;                                 /* not the way in */
	if (!old || route_begins(d->nodes[from.node]->route, old))
		return;                                 /* behind itself */
	new = route_through(d, from, 0);
	if (!new)
		return;
	for (uint32_t i = 0; i < d->nnodes; i++) {
		struct found *each = d->nodes[i];
		const struct route *before = each->route;
		unsigned last = each->type == NODE_SWITCH ? 0 : each->nports;

		each->route = route_moved(d, each->route, old, new);
		for (unsigned p = 1; p <= last; p++)
			each->ends[p].route = route_moved(d, each->ends[p].route, old, new);
		if (each->route != before)
			discover_ask_again(d, i);
	}
}

/* ---- looks ---- */

static uint32_t
look_alloc(struct discover *d)
{
	if (d->nfree_looks)
		return d->free_looks[--d->nfree_looks];
	if (d->nlooks == d->looks_cap) {
		d->looks_cap = d->looks_cap ? d->looks_cap * 2 : 64;
		d->looks = xreallocarray(d->looks, d->looks_cap, sizeof(struct look *));
		d->free_looks = xreallocarray(d->free_looks, d->looks_cap, sizeof(*d->free_looks));
	}
	d->looks[d->nlooks] = arena_alloc(&d->arena, sizeof(struct look));
	return d->nlooks++;
}

uint32_t
discover_look(struct discover *d, struct place at, enum look_why why)
{
	const struct route *via = place_none(at) ? NULL : d->nodes[at.node]->route;
	uint32_t number;
	struct look *k;

	if (via && why != LOOK_SELF && via->hops >= DGRAM_HOPS_MAX) {
		struct remark *r = discover_remark(d, FAB_TOO_FAR, WHY_FAR);

		r->at = at;
		r->behind = true;
		r->attr_id = NODE_INFO_ID;
		return FAB_NONE;
	}
	number = look_alloc(d);
	k = d->looks[number];
	memset(k, 0, sizeof(*k));
	k->at = at;
	k->expect = k->from = k->to = PLACE_NONE;
	k->why = (uint8_t)why;
	k->target = discover_target(d);
	if (!via)
		return number;
	k->gen = via->gen;
	k->hops = via->hops;
	memcpy(k->path, via->path, via->hops + 1u);
	if (why != LOOK_SELF) {
		found_port(d, at)->looks++;
		k->path[++k->hops] = at.port;
	}
	return number;
}

/* Looks at 'at' again, whatever is known.  False: it was looked at too often, or nobody can look from there. */
static bool
look_again(struct discover *d, enum look_why why, struct place at, struct place expect, struct place from,
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

	if (n->type == NODE_SWITCH || n->ends[end.port].route || !discover_forwards(d, via))
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

static void
unlink_port(struct discover *d, struct place a)
{
	struct place b = found_port(d, a)->peer;

	if (place_none(b))
		return;
	found_port(d, a)->peer = PLACE_NONE;
	found_port(d, b)->peer = PLACE_NONE;
}

/* ---- nodes seen twice, moved cables ---- */

static void
audit(struct discover *d, uint32_t node)
{
	struct found *n = d->nodes[node];

	if (n->type != NODE_SWITCH || n->audited)
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
	log_line(d->log, LOG_WARN, "discover", "two nodes have the GUID 0x%016llx", (unsigned long long)r->guid);
	audit(d, first.node);
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
 * 'from' sees a node that has the GUID of 'first': two nodes, unless a route that told us so leads elsewhere now.  So
 * the routes to 'from', to what was before 'first', and to 'first' itself must prove themselves, one after the other.
 */
static void
prove(struct discover *d, struct place from, struct place first, unsigned stage)
{
	for (; stage < 3; stage++) {
		uint32_t node = stage == 0 ? from.node : stage == 1 ? found_port(d, first)->peer.node : first.node;

		if (node == NO_NODE || (stage && node == from.node))
			continue;
		if (look_self(d, node, from, first, (uint8_t)stage))
			return;
	}
	report_twice(d, from, first);
}

static void
twice(struct discover *d, struct place from, struct place first)
{
	prove(d, from, first, 0);
}

/* The cable to 'who' is not behind 'old' any more, but behind 'now' (which may be unknown). */
static void
moved(struct discover *d, struct place who, struct place now, struct place old)
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
static void
claim(struct discover *d, struct place from, struct place to)
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
	if (!place_none(old)) {                         /* the own look wins: what did the other see? */
		unlink_port(d, from);
		if (!look_again(d, LOOK_CLAIM, old, from, PLACE_NONE, PLACE_NONE))
			moved(d, old, PLACE_NONE, from);
	}
	old = t->peer;
	if (!place_none(old)) {
		if (!look_again(d, LOOK_OLD, old, to, from, to) && !look_again(d, LOOK_OLD, to, old, from, to))
			twice(d, from, to);
		return;
	}
	link_ports(d, from, to);
	if (is_switch(d, to.node) && (t->flags & FAB_PORT_INFO) && port_info_decode(t->info).state == PORT_STATE_DOWN)
		look_again(d, LOOK_DOWN, to, from, PLACE_NONE, PLACE_NONE);
}

/* The answer to prove(): 'who' is at the end of the route to the node in question. */
static void
self_seen(struct discover *d, const struct look *k, struct place who)
{
	struct remark *r;

	if (who.node == k->at.node) {
		prove(d, k->from, k->to, k->stage + 1u);
		return;
	}
	r = discover_remark(d, FAB_MOVED_CABLE, WHY_STALE);
	r->at = k->at;
	r->guid = d->nodes[k->at.node]->guid;
	r->attr_id = NODE_INFO_ID;
	if (k->stage == 0)
		return;                                 /* what 'from' saw means nothing */
	unlink_port(d, k->to);
	reroute(d, k->to, k->from);
	claim(d, k->from, k->to);
}

/* The port that was looked at again still has 'expect' behind it. */
static void
again_same(struct discover *d, const struct look *k)
{
	switch ((enum look_why)k->why) {
	case LOOK_OLD:
		twice(d, k->from, k->to);
		break;
	case LOOK_CLAIM:
		twice(d, k->at, k->expect);
		break;
	case LOOK_DOWN:
		discover_push(d, (struct job){ k->at.node, k->at.port, k->at.port, ASK_PORT });
		break;
	case LOOK_ROOT:
	case LOOK_FIRST:
	case LOOK_SELF:
		break;
	}
}

/* The port that was looked at again has something else behind it, or ('got' none) nothing that answers. */
static void
again_other(struct discover *d, const struct look *k, struct place got)
{
	switch ((enum look_why)k->why) {
	case LOOK_OLD:
		moved(d, k->to, k->from, k->at);
		if (place_equal(found_port(d, k->at)->peer, k->expect))
			unlink_port(d, k->at);
		if (!place_equal(k->at, k->to))
			reroute(d, k->to, k->from);
		claim(d, k->from, k->to);
		break;
	case LOOK_CLAIM:
		moved(d, k->expect, PLACE_NONE, k->at);
		break;
	case LOOK_DOWN:
		if (place_equal(found_port(d, k->at)->peer, k->expect))
			unlink_port(d, k->at);
		if (!look_again(d, LOOK_CLAIM, k->expect, k->at, PLACE_NONE, PLACE_NONE))
			moved(d, k->at, PLACE_NONE, k->expect);
		break;
	case LOOK_ROOT:
	case LOOK_FIRST:
	case LOOK_SELF:
		break;
	}
	if (!place_none(got))
		claim(d, k->at, got);
}

/* ---- answers ---- */

static void
bad_info(struct discover *d, const struct look *k, enum reason why, uint32_t value, uint64_t guid)
{
	struct remark *r;

	if (k->why != LOOK_ROOT && k->why != LOOK_FIRST)
		return;                                 /* counts as nothing behind the port */
	r = discover_remark(d, FAB_BAD_REPLY, why);
	r->at = k->at;
	r->behind = true;
	r->attr_id = NODE_INFO_ID;
	r->value = value;
	r->guid = guid;
}

/* Whether 'i' can be true: every number that sizes or indexes something is checked here. */
static bool
info_possible(struct discover *d, const struct look *k, const struct node_info *i)
{
	bool own_switch = k->why == LOOK_ROOT && i->node_type == NODE_SWITCH;

	if (i->node_type < NODE_CA || i->node_type > NODE_ROUTER)
		bad_info(d, k, WHY_TYPE, i->node_type, 0);
	else if (i->num_ports < 1 || i->num_ports > 254)
		bad_info(d, k, WHY_PORTS, i->num_ports, 0);
	else if (!i->node_guid || !i->port_guid)
		bad_info(d, k, WHY_ZERO_GUID, 0, 0);
	else if (i->local_port > i->num_ports || (!i->local_port && !own_switch))
		bad_info(d, k, WHY_LOCAL_PORT, i->local_port, i->node_guid);
	else
		return true;
	return false;
}

static struct found *
node_add(struct discover *d, const struct look *k, const struct node_info *i, const uint8_t *image)
{
	struct found *n = arena_alloc(&d->arena, sizeof(*n));
	struct route *r = route_alloc(d, k->hops, 0);

	if (d->nnodes == d->nodes_cap) {
		d->nodes_cap = d->nodes_cap ? d->nodes_cap * 2 : 256;
		d->nodes = xreallocarray(d->nodes, d->nodes_cap, sizeof(struct found *));
	}
	n->index = d->nnodes;
	d->nodes[d->nnodes++] = n;
	d->nports += i->num_ports + 1u;
	n->guid = i->node_guid;
	n->type = i->node_type;
	n->nports = i->num_ports;
	n->entry = i->local_port;
	n->target = k->target;
	memcpy(r->path, k->path, k->hops + 1u);
	n->route = r;
	memcpy(n->node_info, image, NODE_INFO_BYTES);
	n->ports = arena_array(&d->arena, n->nports + 1u, sizeof(*n->ports));
	for (unsigned p = 0; p <= n->nports; p++)
		n->ports[p].peer = PLACE_NONE;
	n->ends = arena_array(&d->arena, n->type == NODE_SWITCH ? 1 : n->nports + 1u, sizeof(*n->ends));
	HASH_ADD(hh, d->by_guid, guid, sizeof(n->guid), n);
	return n;
}

/* Whether 'i' came from the node that we know by that GUID. */
static bool
same_node(const struct found *n, const struct node_info *i)
{
	uint64_t known;

	if (n->type != i->node_type || n->nports != i->num_ports)
		return false;
	known = n->ends[n->type == NODE_SWITCH ? 0 : i->local_port].guid;
	return !known || known == i->port_guid;
}

/* The own node has answered: its own port needs no cable to be asked. */
static void
root_found(struct discover *d, struct found *n)
{
	if (n->type == NODE_SWITCH)
		return;
	n->ends[n->entry].route = n->route;
	discover_ask_end(d, n->index, n->entry);
}

/* Who answered, as a place; none when that is impossible, or contradicts what is known of the node. */
static struct place
who_answered(struct discover *d, const struct look *k, const uint8_t *image)
{
	struct node_info i = node_info_decode(image);
	struct place who = { NO_NODE, i.local_port };
	struct found *n;

	if (!info_possible(d, k, &i))
		return PLACE_NONE;
	HASH_FIND(hh, d->by_guid, &i.node_guid, sizeof(i.node_guid), n);
	if (n && !same_node(n, &i)) {
		if (k->why == LOOK_FIRST)
			twice(d, k->at, (struct place){ n->index, n->entry });
		return PLACE_NONE;
	}
	if (!n) {
		if (d->nnodes >= NODES_MAX || d->nports + i.num_ports >= PORTS_MAX) {
			bad_info(d, k, WHY_TOO_MANY, d->nnodes, i.node_guid);
			return PLACE_NONE;
		}
		n = node_add(d, k, &i, image);
		discover_ask_node(d, n->index);
	}
	n->ends[n->type == NODE_SWITCH ? 0 : i.local_port].guid = i.port_guid;
	who.node = n->index;
	return who;
}

static void
look_failed(struct discover *d, const struct look *k, const struct txn_end *e)
{
	struct remark *r;

	if (k->why != LOOK_ROOT && d->nodes[k->at.node]->route->gen != k->gen &&
	    found_port(d, k->at)->looks < LOOKS_MAX && k->why == LOOK_FIRST) {
		discover_push(d, (struct job){ k->at.node, k->at.port, 1, ASK_LOOK });
		return;
	}
	if (k->why == LOOK_SELF) {
		self_seen(d, k, PLACE_NONE);
		return;
	}
	if (k->why != LOOK_ROOT && k->why != LOOK_FIRST) {
		again_other(d, k, PLACE_NONE);
		return;
	}
	r = discover_remark_end(d, e);
	if (r->kind == FAB_UNANSWERED)
		r->kind = FAB_MUTE;
	r->at = k->at;
	r->behind = true;
}

void
discover_look_end(struct discover *d, uint32_t number, const struct txn_end *e)
{
	struct look k = *d->looks[number];
	uint32_t known = d->nnodes;

	d->free_looks[d->nfree_looks++] = number;
	if (e->kind != TXN_END_OK) {
		look_failed(d, &k, e);                  /* its target number may be that of a mute node: used up */
		return;
	}
	struct place who = who_answered(d, &k, e->reply->mad + 64);

	if (d->nnodes == known)
		discover_target_put(d, k.target);       /* else it is the new node's now */
	if (k.why == LOOK_ROOT) {
		if (!place_none(who))
			root_found(d, d->nodes[who.node]);
	} else if (k.why == LOOK_FIRST) {
		if (!place_none(who))
			claim(d, k.at, who);
	} else if (k.why == LOOK_SELF) {
		self_seen(d, &k, who);
	} else if (!place_none(who) && place_equal(who, k.expect)) {
		again_same(d, &k);
	} else {
		again_other(d, &k, who);
	}
}

void
discover_port_state(struct discover *d, struct place at, const struct port_info *info)
{
	const struct found_port *p = found_port(d, at);
	bool port0 = is_switch(d, at.node) && at.port == 0;

	if (!port0 && (info->state < PORT_STATE_DOWN || info->state > PORT_STATE_MAX)) {
		struct remark *r = discover_remark(d, FAB_BAD_REPLY, WHY_STATE);

		r->at = at;
		r->guid = d->nodes[at.node]->guid;
		r->port = at.port;
		r->attr_id = PORT_INFO_ID;
		r->modifier = at.port;
		r->value = info->state;
		return;
	}
	if (port0 || !discover_forwards(d, at))
		return;
	if (info->state >= PORT_STATE_INIT) {
		if ((info->phys_state == PHYS_LINK_UP || info->phys_state == PHYS_RECOVERY) &&
		    place_none(p->peer) && !p->looks)
			discover_push(d, (struct job){ at.node, at.port, 0, ASK_LOOK });
	} else if (is_switch(d, at.node) && !place_none(p->peer)) {
		look_again(d, LOOK_DOWN, at, p->peer, PLACE_NONE, PLACE_NONE);
	}
}
