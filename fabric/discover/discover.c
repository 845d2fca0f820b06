/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * discover.c - chooses the next request, and handles answers about known nodes.
 * Room: fabric/discover.  Pure.
 * In: ended requests (discover_end).  Out: requests (discover_next), at the end a snapshot
 * (discover_take).
 *
 * A cookie contains the whole request: kind, node, port or
 * block, and the generation of its route.  Only looks allocate memory, because their path belongs
 * to no node yet.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/discover/discover.h"
#include "fabric/discover/discover_impl.h"
#include "util/xalloc.h"

#define GEN_MASK 15

static uint64_t
cookie_make(enum ask ask, uint8_t gen, uint16_t sub, uint32_t node)
{
	return (uint64_t)ask << 52 | (uint64_t)(gen & GEN_MASK) << 48 | (uint64_t)sub << 32 | node;
}

/* ---- requests ---- */

/* Returns the route of request 'ask' about 'sub' of 'n': requests about a port of a host go through
 * the link of that port. */
static const struct route *
route_for(const struct found *n, enum ask ask, uint16_t sub)
{
	if (n->type != NODE_TYPE_SWITCH && (ask == ASK_PORT || ask == ASK_PKEYS))
		return n->ends[sub].route;
	return n->route;
}

/* Returns the GUID of the port whose M_Key such a request must carry. */
static uint64_t
guid_for(const struct found *n, enum ask ask, uint16_t sub)
{
	if (n->type == NODE_TYPE_SWITCH)
		return n->ends[0].guid;
	return n->ends[ask == ASK_PORT || ask == ASK_PKEYS ? sub : n->entry].guid;
}

static void
fill_question(struct discover *d, enum ask ask, uint32_t node, uint16_t sub, struct txn_req *r)
{
	static const uint16_t ids[] = {
		[ASK_PORT] = PORT_INFO_ID, [ASK_SWITCH] = SWITCH_INFO_ID, [ASK_DESC] = NODE_DESC_ID,
		[ASK_PKEYS] = PKEY_TABLE_ID, [ASK_LFT] = LFT_BLOCK_ID,
	};
	const struct found *n = found_at(d, node);
	const struct route *route = route_for(n, ask, sub);

	r->target = n->target;
	r->cookie = cookie_make(ask, route->gen, sub, node);
	r->attr_id = ids[ask];
	r->mkey = mkeys_of_again(&d->conf.mkeys, &d->last_key, guid_for(n, ask, sub));
	r->modifier = ask == ASK_PORT || ask == ASK_LFT ? sub : 0;
	if (ask == ASK_PORT && n->extended == DISCOVER_EXTENDED_YES)
		r->modifier |= PORT_INFO_EXTENDED_SPEEDS;
	r->hop_count = route->hops;
	r->path = route->path;
}

static void
fill_look(const struct discover *d, uint32_t number, struct txn_req *r)
{
	const struct look *k = d->looks[number];

	r->target = k->target;
	r->cookie = cookie_make(ASK_AGAIN, 0, 0, number);
	r->attr_id = NODE_INFO_ID;
	r->mkey = mkeys_of(&d->conf.mkeys, 0);
	r->hop_count = k->hops;
	r->path = k->path;
}

/* Returns the number of the look for job 'j', or FAB_NONE if it is not needed any more or the route
 * is too long. */
static uint32_t
look_for(struct discover *d, const struct job *j)
{
	struct place at = { j->node, (uint8_t)j->next };
	const struct found_port *p = found_port(d, at);
	bool again = j->end != 0;

	if (again ? p->looks >= LOOKS_MAX : !place_none(p->peer) || p->looks)
		return FAB_NONE;
	return discover_look(d, at, LOOK_FIRST);
}

/* Returns the nearest level that has looks to send, or LEVELS if none has; because of this order
 * the sweep is breadth first. */
static unsigned
looks_nearest(const struct discover *d)
{
	unsigned level = 0;

	while (d->nlooks_to_go && !d->levels[level].to_look.len)
		level++;
	return d->nlooks_to_go ? level : LEVELS;
}

/* Moves a look from 'node' to the head of the queue, if one is near the head. */
static void
jobs_bring(struct jobs *q, uint32_t node)
{
	for (uint32_t i = 0; i < q->len && i < LEVEL_PROBES; i++) {
		struct job *at = &q->ring[(q->head + i) & (q->cap - 1)], j = *at;

		if (j.ask == ASK_LOOK && j.node == node) {
			*at = *jobs_head(q);
			*jobs_head(q) = j;
			return;
		}
	}
}

/*
 * Whether the next look, from 'level', may be sent.  If two neighbours are queried at the same
 * time, the link between them is discovered from both ends, which costs a request.  In trees and
 * many other shapes, nodes at equal distance are not neighbours: so the first looks of a level are
 * sent from one node at a time, and if they find no link within the level, the others are sent
 * together.  The next level waits for their end, while other requests fill the window.  A look that
 * was overtaken by a later one, or that discover_hurry() declared overdue, waits for an
 * unresponsive node and delays no other look; the same holds for a single look when there is
 * nothing else left to do.
 */
static bool
look_turn(const struct discover *d, unsigned level)
{
	uint32_t fresh = d->looks_sent - d->looks_ended;
	const struct level *l = &d->levels[level];
	const struct job *j = jobs_head(&l->to_look);

	if (!fresh || j->ask == ASK_AGAIN)
		return true;
	if (d->looks_level == level && (d->looks_node == j->node || (l->ended >= LEVEL_PROBES &&
	    !l->meshed)))
		return true;
	return fresh == 1 && !d->to_ask.len && d->open == d->looks_open;
}

void
discover_hurry(struct discover *d)
{
	d->looks_ended = d->looks_sent;
}

void
discover_late(struct discover *d, uint32_t late)
{
	d->late = late;
}

static void
request_begin(struct txn_req *r)
{
	memset(r, 0, sizeof(*r));
	r->mgmt_class = CLASS_SM_DR;
	r->method = METHOD_GET;
}

/* Makes the request of the next look.  False: the look is not needed any more. */
static bool
next_look(struct discover *d, unsigned level, struct txn_req *r)
{
	struct job j = *jobs_head(&d->levels[level].to_look);
	uint32_t number = j.ask == ASK_AGAIN ? j.node : look_for(d, &j);

	jobs_pop(&d->levels[level].to_look);
	d->nlooks_to_go--;
	if (number == FAB_NONE)
		return false;
	request_begin(r);
	fill_look(d, number, r);
	d->looks_open++;
	d->looks_level = level;
	d->looks_node = d->looks[number]->at.node;
	d->looks[number]->sent = ++d->looks_sent;
	return true;
}

/*
 * Takes the next block of a table, and puts the others behind all that waits: txn has only a few
 * requests to one node on the wire, so the blocks of many tables are read side by side.
 */
static void
next_question(struct discover *d, struct txn_req *r)
{
	struct job j = *jobs_head(&d->to_ask);

	request_begin(r);
	fill_question(d, j.ask, j.node, j.next, r);
	if (j.next++ < j.end && j.ask != ASK_LFT) {
		jobs_head(&d->to_ask)->next++;
		return;
	}
	jobs_pop(&d->to_ask);
	if (j.next <= j.end)
		discover_push(d, j);
}

/* Discards what was found, and sends a look to the own node again. */
static void
search_begin(struct discover *d)
{
	HASH_CLEAR(hh, d->by_guid);
	snapshot_free(d->snap);
	arena_clear(&d->arena);
	d->snap = xcalloc(1, sizeof(*d->snap));
	d->nnodes = d->nports = d->nlooks = d->nfree_looks = d->nfree_targets = d->nremarks =
		d->nparked = 0;
	d->looks_ended = d->looks_sent;
	for (unsigned i = 0; i < LEVELS; i++) {
		d->levels[i].ended = 0;
		d->levels[i].meshed = false;
	}
	d->begin_again = false;
	d->beginnings++;
	if (d->conf.seed) {
		discover_seed(d);
		discover_seed_continue(d);
		return;
	}
	discover_push(d, (struct job){ discover_look(d, PLACE_NONE, LOOK_ROOT), 0, 0, ASK_AGAIN });
}

/* Whether no request is open and none is left to send. */
static bool
queues_empty(const struct discover *d)
{
	return !d->open && !d->nlooks_to_go && !d->to_ask.len;
}

/*
 * Nothing is open: takes up what waits for that, or begins again because a GUID was given to the
 * wrong node.  False: discovery has ended.
 */
static bool
search_continue(struct discover *d)
{
	if (d->seeding)
		return discover_seed_continue(d);
	if (discover_take_parked(d))
		return true;
	if (!d->begin_again)
		return false;
	search_begin(d);
	return true;
}

bool
discover_next(struct discover *d, struct txn_req *r)
{
	if ((d->conf.window && d->open >= d->conf.window + d->late) || discover_spoiled(d))
		return false;
	for (;;) {
		unsigned level = looks_nearest(d);

		if (level < LEVELS)
			jobs_bring(&d->levels[level].to_look, d->looks_node);
		if (level < LEVELS && look_turn(d, level)) {
			if (!next_look(d, level, r))
				continue;
		} else if (d->to_ask.len) {
			next_question(d, r);
		} else if (!queues_empty(d) || !search_continue(d)) {
			return false;
		} else {
			continue;
		}
		d->open++;
		return true;
	}
}

/* ---- responses ---- */

/* Called when the request to port 0 of a switch has ended, whatever its result: sends the requests
 * to the other ports. */
static void
ask_waiting_ports(struct discover *d, struct found *n)
{
	if (!n->ports_wait)
		return;
	n->ports_wait = false;
	if (n->nports)
		discover_push(d, (struct job){ n->index, 1, n->nports, ASK_PORT });
}

/* Whether the speed of a link is, or may be, higher than the image shows: devices hide extended
 * speeds from requests without the bit for them. */
static bool
hides_speed(const struct port_info *i)
{
	if (!i->speed_ext_supported && !i->speed_ext_supported2)
		return true;
	return i->state >= PORT_STATE_INIT && !i->speed_ext_active && !i->speed_ext_active2 &&
		i->speed_active == LINK_SPEED_QDR;
}

/* Takes from a PortInfo response whether the node supports the bit for extended speeds, and sends
 * the request again with it if the response without it does not show the speed. */
static void
learn_extended(struct discover *d, struct place at, const struct port_info *info, bool asked)
{
	struct found *n = found_at(d, at.node);
	bool port0 = n->type == NODE_TYPE_SWITCH && !at.port,
		can = info->capability_mask & PORT_CAP_EXTENDED_SPEEDS;

	if (asked)
		found_port(d, at)->flags |= FAB_PORT_EXTENDED;
	if (asked || n->extended == DISCOVER_EXTENDED_REFUSED)
		return;
	if (port0) {                    /* no link ends here */
		n->extended = can ? DISCOVER_EXTENDED_YES : DISCOVER_EXTENDED_NO;
		return;
	}
	if (!(can || n->extended == DISCOVER_EXTENDED_YES) || !hides_speed(info))
		return;
	n->extended = DISCOVER_EXTENDED_YES;
	discover_push(d, (struct job){ at.node, at.port, at.port, ASK_PORT });
}

static void
port_answered(struct discover *d, struct place at, const uint8_t *data, bool extended)
{
	struct found_port *p = found_port(d, at);
	struct port_info info = port_info_decode(data);

	if (d->seeding)
		discover_seed_port(d, at, &info);
	memcpy(p->info, data, PORT_INFO_BYTES);
	p->flags |= FAB_PORT_INFO;
	if (d->conf.want_ports)
		learn_extended(d, at, &info, extended);
	if (!at.port)
		ask_waiting_ports(d, found_at(d, at.node));
	discover_port_state(d, at, &info);
}

/* Handles a PortInfo request that was refused because of the bit for extended speeds: from now on,
 * requests to the node do not carry it. */
static bool
refused_extended(struct discover *d, uint32_t node, uint16_t sub, const struct txn_end *e)
{
	struct found *n = found_at(d, node);

	if (e->kind != TXN_END_STATUS || e->attr_id != PORT_INFO_ID ||
	    !(e->modifier & PORT_INFO_EXTENDED_SPEEDS))
		return false;
	n->extended = DISCOVER_EXTENDED_REFUSED;
	n->flags |= FAB_NODE_NOT_EXTENDED;
	if (!(n->ports[sub].flags & FAB_PORT_INFO))
		discover_push(d, (struct job){ node, sub, sub, ASK_PORT });
	return true;
}

static void
ask_lft(struct discover *d, struct found *n, uint32_t node)
{
	struct switch_info info = switch_info_decode(n->switch_info);
	uint32_t need = info.lft_top / LFT_BLOCK_BYTES + 1u, have = 0;
	const uint8_t *cached = NULL;

	if (!d->conf.want_lft || !info.lft_top || n->lft)
		return;
	if (info.lft_top > LID_UCAST_MAX || info.lft_top >= info.lft_cap) {
		struct remark *r = discover_remark(d, FAB_BAD_REPLY, WHY_LFT_TOP);

		r->at = (struct place){ node, 0 };
		r->guid = n->guid;
		r->attr_id = SWITCH_INFO_ID;
		r->value = info.lft_top;
		return;
	}
	if (d->conf.cached_lft)
		cached = d->conf.cached_lft(d->conf.arg, n->guid, info.lft_top, &have);
	n->lft_blocks = need;
	if (cached && have >= need) {
		n->lft = cached;
		n->flags |= FAB_NODE_LFT | FAB_NODE_LFT_KEPT;
		return;
	}
	if (d->conf.lft_later)
		return;
	n->lft_read = arena_array(&d->snap->arena, need, LFT_BLOCK_BYTES);
	n->lft = n->lft_read;
	n->lft_open = need;
	discover_push(d, (struct job){ node, 0, (uint16_t)(need - 1), ASK_LFT });
}

static void
switch_answered(struct discover *d, struct found *n, uint32_t node, const uint8_t *data)
{
	memcpy(n->switch_info, data, SWITCH_INFO_BYTES);
	n->flags |= FAB_NODE_SWITCH_INFO;
	ask_lft(d, n, node);
}

static void
pkeys_answered(struct discover *d, struct place at, const uint8_t *data)
{
	struct found_end *end = &found_at(d, at.node)->ends[at.port];

	if (!end->pkeys)
		end->pkeys = arena_alloc(&d->arena, PKEY_TABLE_BYTES);
	memcpy(end->pkeys, data, PKEY_TABLE_BYTES);
	found_port(d, at)->flags |= FAB_PORT_PKEYS;
}

static void
lft_answered(struct found *n, uint32_t block, const uint8_t *data)
{
	memcpy(n->lft_read + (size_t)block * LFT_BLOCK_BYTES, data, LFT_BLOCK_BYTES);
	if (--n->lft_open == 0)
		n->flags |= FAB_NODE_LFT;
}

static void
question_answered(struct discover *d, enum ask ask, uint32_t node, uint16_t sub, uint32_t modifier,
	const uint8_t *data)
{
	struct found *n = found_at(d, node);
	struct place at = { node, (uint8_t)sub };

	switch (ask) {
	case ASK_PORT:
		port_answered(d, at, data, modifier & PORT_INFO_EXTENDED_SPEEDS);
		break;
	case ASK_SWITCH:
		switch_answered(d, n, node, data);
		break;
	case ASK_DESC:
		memcpy(n->desc, data, NODE_DESC_BYTES);
		n->flags |= FAB_NODE_DESC;
		break;
	case ASK_PKEYS:
		pkeys_answered(d, at, data);
		break;
	case ASK_LFT:
		lft_answered(n, sub, data);
		break;
	case ASK_LOOK:
	case ASK_AGAIN:
		break;
	}
}

/* Handles a failed request.  If the node no longer has the route that it took, it is sent again;
 * otherwise it is a problem. */
static void
question_failed(struct discover *d, enum ask ask, uint8_t gen, uint32_t node, uint16_t sub,
	const struct txn_end *e)
{
	struct found *n = found_at(d, node);
	struct remark *r;

	if (refused_extended(d, node, sub, e))
		return;
	if ((route_for(n, ask, sub)->gen & GEN_MASK) != gen) {
		discover_push(d, (struct job){ node, sub, sub, (uint8_t)ask });
		return;
	}
	if (ask == ASK_PORT && !sub)
		ask_waiting_ports(d, n);
	n->flags |= FAB_NODE_FAILED;
	if (ask == ASK_PORT || ask == ASK_PKEYS)
		n->ports[sub].flags |= FAB_PORT_FAILED;
	r = discover_remark_end(d, e);
	r->guid = n->guid;
	r->at = (struct place){ node, (uint8_t)(ask == ASK_LFT ? 0 : sub) };
	r->port = r->at.port;
}

static void
look_end(struct discover *d, uint32_t number, const struct txn_end *e)
{
	struct place at = d->looks[number]->at, peer;
	unsigned hops;

	d->looks_open--;
	if (d->looks[number]->sent > d->looks_ended)
		d->looks_ended = d->looks[number]->sent;
	discover_look_end(d, number, e);
	if (place_none(at))
		return;
	hops = found_at(d, at.node)->route->hops;
	peer = found_port(d, at)->peer;
	d->levels[hops].ended++;
	if (!place_none(peer) && found_at(d, peer.node)->route->hops == hops)
		d->levels[hops].meshed = true;
}

void
discover_end(struct discover *d, const struct txn_end *e)
{
	enum ask ask = e->cookie >> 52 & 15;
	uint8_t gen = e->cookie >> 48 & GEN_MASK;
	uint16_t sub = e->cookie >> 32 & 0xffff;
	uint32_t node = (uint32_t)e->cookie;

	if (!d->open || ask > ASK_LFT || ask == ASK_LOOK || node >= (ask == ASK_AGAIN ? d->nlooks :
	    d->nnodes))
		bug("discover: cookie %016llx is not ours", (unsigned long long)e->cookie);
	d->open--;
	d->answered += e->kind == TXN_END_OK;
	if (ask == ASK_AGAIN) {
		look_end(d, node, e);
	} else if (e->kind == TXN_END_OK) {
		question_answered(d, ask, node, sub, e->modifier, dgram_smp_image(e->reply->mad));
	} else {
		question_failed(d, ask, gen, node, sub, e);
	}
	while (queues_empty(d) && search_continue(d))
		;
}

/* ---- life ---- */

const char *
discover_spoiled(const struct discover *d)
{
	return d->seeding ? discover_seed_spoiled(d) : NULL;
}

struct discover *
discover_new(const struct discover_conf *c, const struct log *l)
{
	struct discover *d = xcalloc(1, sizeof(*d));

	d->conf = *c;
	d->log = l;
	d->next_target = c->target_base;
	if (c->nknown)
		d->decided = xmemdup(c->known, c->nknown * sizeof(*c->known));
	d->ndecided = c->nknown;
	d->conf.known = NULL;
	search_begin(d);
	return d;
}

void
discover_free(struct discover *d)
{
	if (!d)
		return;
	HASH_CLEAR(hh, d->by_guid);
	snapshot_free(d->snap);
	arena_clear(&d->arena);
	free(d->nodes);
	free(d->looks);
	free(d->free_looks);
	free(d->free_targets);
	for (unsigned i = 0; i < LEVELS; i++)
		free(d->levels[i].to_look.ring);
	free(d->to_ask.ring);
	free(d->remarks);
	discover_guid_free(d);
	discover_seed_free(d);
	free(d);
}

/* Returns the first port of 'n' that has a link, other than the port by which the sweep reached
 * 'n'; 0: none. */
static unsigned
first_cabled(const struct discover *d, const struct found *n, uint8_t came_by)
{
	for (unsigned p = 1; p <= n->nports; p++) {
		struct place at = { n->index, (uint8_t)p };
		struct port_info i = port_info_decode(n->ports[p].info);

		if (p != came_by && discover_forwards(d, at) && n->ports[p].flags & FAB_PORT_INFO &&
		    i.state >= PORT_STATE_INIT &&
		    (i.phys_state == PHYS_STATE_LINK_UP ||
		    i.phys_state == PHYS_STATE_ERROR_RECOVERY))
			return p;
	}
	return 0;
}

/* Nodes in the order of a walk, each with the port it is entered by; 'queue' and 'by' have room
 * for all.  Their number. */
static uint32_t
walk_out(const struct discover *d, uint32_t *queue, uint8_t *by)
{
	bool *seen = xcalloc(d->nnodes, sizeof(*seen));
	uint32_t end = 1;

	queue[0] = by[0] = 0;
	seen[0] = true;
	for (uint32_t at = 0; at < end; at++) {
		const struct found *n = found_at(d, queue[at]);

		for (unsigned p = 1; p <= n->nports; p++) {
			struct place to = n->ports[p].peer;

			if (place_none(to) || seen[to.node] || !discover_forwards(d,
			    (struct place){ n->index, (uint8_t)p }))
				continue;
			seen[to.node] = true;
			by[end] = to.port;
			queue[end++] = to.node;
		}
	}
	free(seen);
	return end;
}

bool
discover_beyond(struct discover *d)
{
	uint32_t *queue, n;
	unsigned port = 0;
	uint8_t *by;

	if (!d->conf.reach || !d->nnodes || !discover_done(d))
		return false;
	queue = xcalloc(d->nnodes, sizeof(*queue));
	by = xcalloc(d->nnodes, sizeof(*by));
	n = walk_out(d, queue, by);
	for (uint32_t i = 0; i < n && !port; i++) {
		const struct found *f = found_at(d, queue[i]);

		if (discover_distance(d, queue[i]) != d->conf.reach ||
		    !(port = first_cabled(d, f, by[i])))
			continue;
		if (place_none(f->ports[port].peer) && !f->ports[port].looks)
			discover_push(d, (struct job){ queue[i], (uint16_t)port, 0, ASK_LOOK });
	}
	free(queue);
	free(by);
	return port != 0;
}

bool
discover_done(const struct discover *d)
{
	return queues_empty(d) && !d->nparked && !d->begin_again;
}

int
discover_take(struct discover *d, struct snapshot **out)
{
	if (!d->snap || !discover_done(d))
		bug("discover: taken twice, or before its end");
	if (!d->nnodes)
		return -ENODEV;
	return discover_seal(d, out);
}

void
discover_progress(const struct discover *d, uint32_t *nodes, uint64_t *answered, uint64_t *open)
{
	*nodes = d->nnodes;
	*answered = d->answered;
	*open = d->open;
}
