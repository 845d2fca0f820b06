/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * discover_place.c - NodeInfo: which node is behind a port.
 * Room: fabric/discover.  Pure.
 * In: ended looks, port states.  Out: looks, new nodes, claims of cables (discover_cable.c).
 * Every number in NodeInfo that sizes or indexes something is checked here, and nowhere else.
 */
#include <config.h>
#include <string.h>
#include "fabric/discover/discover_impl.h"
#include "util/xalloc.h"

bool
discover_forwards(const struct discover *d, struct place p)
{
	const struct found *n = found_at(d, p.node);

	if (n->type == NODE_TYPE_SWITCH)
		return p.port > 0;
	return p.node == 0 && p.port == n->entry && !d->conf.from_hops;
}

unsigned
discover_distance(const struct discover *d, uint32_t node)
{
	return (unsigned)found_at(d, node)->route->hops - d->conf.from_hops;
}

bool
discover_reaches(const struct discover *d, uint32_t node)
{
	return !d->conf.reach || discover_distance(d, node) < d->conf.reach;
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
	const struct route *via = place_none(at) ? NULL : found_at(d, at.node)->route;
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
	if (!via) {
		k->hops = d->conf.from_hops;
		memcpy(k->path, d->conf.from, k->hops + 1u);
		return number;
	}
	k->gen = via->gen;
	k->hops = via->hops;
	memcpy(k->path, via->path, via->hops + 1u);
	if (why != LOOK_SELF) {
		found_port(d, at)->looks++;
		k->path[++k->hops] = at.port;
	}
	return number;
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
	bool own_switch = k->why == LOOK_ROOT && i->node_type == NODE_TYPE_SWITCH;

	if (i->node_type < NODE_TYPE_CA || i->node_type > NODE_TYPE_ROUTER)
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
	struct route *r = discover_route_alloc(d, k->hops, 0);

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
	n->ends = arena_array(&d->arena, n->type == NODE_TYPE_SWITCH ? 1 : n->nports + 1u,
		sizeof(*n->ends));
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
	known = n->ends[n->type == NODE_TYPE_SWITCH ? 0 : i->local_port].guid;
	return !known || known == i->port_guid;
}

/* Called when the own node has responded: its own port needs no link to be queried. */
static void
root_found(struct discover *d, struct found *n)
{
	if (n->type == NODE_TYPE_SWITCH)
		return;
	n->ends[n->entry].route = n->route;
	discover_ask_end(d, n->index, n->entry);
}

/* Who answered, as a place; none when that is impossible, or contradicts what is known of the
 * node. */
struct place
discover_who(struct discover *d, const struct look *k, const uint8_t *image)
{
	struct node_info i = node_info_decode(image);
	struct place who = { NO_NODE, i.local_port };
	struct found *n;

	if (!info_possible(d, k, &i))
		return PLACE_NONE;
	n = discover_find(d, i.node_guid);
	if (n && !same_node(n, &i)) {
		if (k->why == LOOK_FIRST)
			discover_twice(d, k->at, (struct place){ n->index, n->entry });
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
	n->ends[n->type == NODE_TYPE_SWITCH ? 0 : i.local_port].guid = i.port_guid;
	who.node = n->index;
	return who;
}

static void
look_failed(struct discover *d, const struct look *k, const struct txn_end *e)
{
	struct remark *r;

	if (k->why != LOOK_ROOT && found_at(d, k->at.node)->route->gen != k->gen &&
	    found_port(d, k->at)->looks < LOOKS_MAX && k->why == LOOK_FIRST) {
		discover_push(d, (struct job){ k->at.node, k->at.port, 1, ASK_LOOK });
		return;
	}
	if (k->why == LOOK_SELF) {
		discover_self_seen(d, k, PLACE_NONE);
		return;
	}
	if (k->why != LOOK_ROOT && k->why != LOOK_FIRST) {
		discover_again_other(d, k, PLACE_NONE);
		return;
	}
	r = discover_remark_end(d, e);
	if (r->kind == FAB_UNANSWERED)
		r->kind = FAB_UNRESPONSIVE;
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
		/* its target number may be that of a unresponsive node: used up */
		look_failed(d, &k, e);
		return;
	}
	if (k.why == LOOK_FIRST && discover_park(d, &k, dgram_smp_image(e->reply->mad)))
		/* with its target, which may become the node's */
		return;
	struct place who = discover_who(d, &k, dgram_smp_image(e->reply->mad));

	if (d->nnodes == known)
		discover_target_put(d, k.target);       /* else it is the new node's now */
	if (k.why == LOOK_ROOT) {
		if (!place_none(who))
			root_found(d, found_at(d, who.node));
	} else if (k.why == LOOK_FIRST) {
		if (!place_none(who) && !(d->seeding && discover_seed_claim(d, &k, who,
		    dgram_smp_image(e->reply->mad))))
			discover_claim(d, k.at, who);
	} else if (k.why == LOOK_SELF) {
		discover_self_seen(d, &k, who);
	} else if (!place_none(who) && place_equal(who, k.expect)) {
		discover_again_same(d, &k);
	} else {
		discover_again_other(d, &k, who);
	}
}

void
discover_port_state(struct discover *d, struct place at, const struct port_info *info)
{
	const struct found_port *p = found_port(d, at);
	bool port0 = found_at(d, at.node)->type == NODE_TYPE_SWITCH && at.port == 0;

	if (!port0 && (info->state < PORT_STATE_DOWN || info->state > PORT_STATE_MAX)) {
		struct remark *r = discover_remark(d, FAB_BAD_REPLY, WHY_STATE);

		r->at = at;
		r->guid = found_at(d, at.node)->guid;
		r->port = at.port;
		r->attr_id = PORT_INFO_ID;
		r->modifier = at.port;
		r->value = info->state;
		return;
	}
	if (port0 || !discover_forwards(d, at))
		return;
	if (info->state >= PORT_STATE_INIT) {
		if ((info->phys_state == PHYS_STATE_LINK_UP ||
		    info->phys_state == PHYS_STATE_ERROR_RECOVERY) &&
		    place_none(p->peer) && !p->looks && discover_reaches(d, at.node))
			discover_push(d, (struct job){ at.node, at.port, 0, ASK_LOOK });
	} else if (found_at(d, at.node)->type == NODE_TYPE_SWITCH && !place_none(p->peer)) {
		discover_look_again(d, LOOK_DOWN, at, p->peer, PLACE_NONE, PLACE_NONE);
	}
}
