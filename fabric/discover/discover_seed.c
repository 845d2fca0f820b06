/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * discover_seed.c - discovery of what has changed since an earlier snapshot.
 * Room: fabric/discover.  Pure.
 * In: an earlier snapshot (the seed), nodes that may have changed (suspects).  Out: requests to the
 * suspects and to what is new behind them; the rest is taken from the seed.
 *
 * All nodes and links of the seed count as found.  Then the suspects are read, the nearest first.
 * A port that is no longer ACTIVE has lost its link: the link is removed, the switch at its other
 * end becomes a suspect, and if the port is up, a look goes out behind it, as in a whole discovery.
 * A known node found there is read again, an unknown one is discovered with all that is behind it.
 * Nodes that no link reaches any more are left out at the end.
 *
 * Invariants: a suspect is asked only after the last link of its route was seen ACTIVE in this
 * discovery, so that a switch that was switched off is noticed from its neighbours, without waiting
 * for answers that never come.  Routes change only while nothing is outstanding.  Every round reads
 * a port or a node that was not read before, so discovery ends.  Whatever contradicts the seed, and
 * every failed request, spoils the discovery (discover_spoiled()): only a whole one can settle it.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/discover/discover_impl.h"
#include "util/grow.h"
#include "util/xalloc.h"

/* So many switches are read again in any fabric; of a larger one no more than half. */
#define SWITCHES_ALWAYS 8

/* ---- the seed ---- */

static void
suspect(struct discover *d, uint32_t node)
{
	struct seeding *s = d->seeding;

	if (found_at(d, node)->suspect)
		return;
	found_at(d, node)->suspect = true;
	GROW(s->suspects, s->nsuspects, s->suspects_cap, 16);
	s->suspects[s->nsuspects++] = node;
}

/* Whether the seed shows less than a sealed snapshot does, or this is no discovery of the whole
 * fabric from our own port, with one node for each GUID. */
static bool
is_special(const struct discover_conf *c)
{
	return c->seed->unplugged || c->one_per_guid || c->from_hops || c->reach;
}

void
discover_seed(struct discover *d)
{
	const struct snapshot *s = d->conf.seed;
	struct seeding *g = d->seeding = xcalloc(1, sizeof(*d->seeding));

	g->whole = is_special(&d->conf);
	g->target = d->next_target;
	d->nodes_cap = d->nnodes = s->nnodes;
	free(d->nodes);
	d->nodes = xcalloc(d->nodes_cap, sizeof(struct found *));
	d->nports = s->nports;
	d->next_target += s->nnodes;
	for (uint32_t i = 0; i < s->nnodes && g->whole; i++)
		found_at(d, i);
	g->nrouted = g->whole ? 0 : s->nnodes;
	for (uint32_t i = 0; i < d->conf.nsuspects; i++) {
		uint32_t node = snapshot_node_by_guid(s, d->conf.suspects[i]);

		if (node != FAB_NONE)
			suspect(d, discover_seed_number(s, node));
		else
			g->why = "a node that is not known was reported";
	}
	d->conf.suspects = NULL;
}

void
discover_seed_free(struct discover *d)
{
	if (!d->seeding)
		return;
	arena_clear(&d->seeding->arena);
	free(d->seeding->suspects);
	free(d->seeding->later);
	free(d->seeding->touched);
	free(d->seeding);
}

/* ---- links ---- */

/* Forgets the link at 'at', and what was known of an adapter's port through it. */
static void
end_forget(struct discover *d, struct place at)
{
	struct found *n = found_at(d, at.node);

	found_port(d, at)->old = false;
	if (n->type == NODE_TYPE_SWITCH)
		return;
	n->ends[at.port] = (struct found_end){ 0 };
	found_port(d, at)->flags = 0;
	memset(found_port(d, at)->info, 0, PORT_INFO_BYTES);
}

static void
link_forget(struct discover *d, struct place at)
{
	struct place peer = found_port(d, at)->peer;

	discover_unlink(d, at);
	end_forget(d, at);
	end_forget(d, peer);
}

/* What cannot be reached may have changed in any way: its links do not count. */
static void
forget_unreached(struct discover *d, const struct found *n)
{
	for (unsigned p = 1; p <= n->nports && !n->reached; p++)
		if (n->ports[p].old)
			link_forget(d, (struct place){ n->index, (uint8_t)p });
}

static void
routes_update(struct discover *d)
{
	uint32_t *moved, n;

	if (discover_routes_hold(d))
		return;
	moved = discover_routes_update(d, &n);
	for (uint32_t i = 0; i < n; i++)
		forget_unreached(d, found_at(d, moved[i]));
	d->seeding->ntouched = 0;       /* no route led over these links */
	free(moved);
}

/* ---- suspects ---- */

/* Reads everything of a known node again. */
static void
read_again(struct discover *d, struct found *n)
{
	n->flags &= (uint8_t) ~(FAB_NODE_KEPT | FAB_NODE_LFT | FAB_NODE_LFT_KEPT | FAB_NODE_FAILED);
	n->lft = n->lft_read = NULL;
	n->lft_blocks = 0;
	for (unsigned p = 0; p <= n->nports; p++)
		if (n->type == NODE_TYPE_SWITCH || n->ends[p].route)
			n->ports[p].flags = 0;
	for (unsigned p = 0; p <= (n->type == NODE_TYPE_SWITCH ? 0 : n->nports); p++)
		n->ends[p].pkeys = NULL;
	discover_ask_node(d, n->index);
	for (unsigned p = 1; p <= n->nports && n->type != NODE_TYPE_SWITCH; p++)
		if (n->ends[p].route)
			discover_ask_end(d, n->index, (uint8_t)p);
	d->seeding->nread += n->type == NODE_TYPE_SWITCH;
	if (d->seeding->nread > SWITCHES_ALWAYS && d->seeding->nread * 2 > d->conf.seed->nswitches)
		d->seeding->why = "too many switches have changed";
}

/* Whether the last link of the route to 'n' was seen in this discovery. */
static bool
is_confirmed(const struct discover *d, const struct found *n)
{
	struct place via = n->ports[n->entry].peer;

	if (!n->index || found_at(d, via.node)->type != NODE_TYPE_SWITCH)
		return true;
	return found_port(d, via)->read;
}

/* Reads the port before 'n'.  Others that lead there may be of switches that are off. */
static void
confirm(struct discover *d, const struct found *n)
{
	struct place via = n->ports[n->entry].peer;

	discover_recall_extended(d, found_at(d, via.node));
	discover_push(d, (struct job){ via.node, via.port, via.port, ASK_PORT });
}

static unsigned
nearest_suspect(const struct discover *d)
{
	unsigned best = UINT8_MAX;

	for (uint32_t i = 0; i < d->seeding->nsuspects; i++) {
		const struct found *n = found_at(d, d->seeding->suspects[i]);

		if (n->reached && n->route->hops < best)
			best = n->route->hops;
	}
	return best;
}

/* Reads the nearest suspects, or what leads to them.  False: none can be reached. */
static bool
read_suspects(struct discover *d)
{
	struct seeding *s = d->seeding;
	unsigned near = nearest_suspect(d);
	uint32_t kept = 0, n = s->nsuspects;

	if (near == UINT8_MAX)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		struct found *f = found_at(d, s->suspects[i]);
		bool turn = f->reached && f->route->hops == near;

		if (turn && is_confirmed(d, f)) {
			read_again(d, f);
			continue;
		}
		if (turn)
			confirm(d, f);
		s->suspects[kept++] = f->index;
	}
	s->nsuspects = kept;
	return true;
}

static bool
look_later(struct discover *d)
{
	struct seeding *s = d->seeding;
	uint32_t n = s->nlater;

	for (uint32_t i = 0; i < n; i++)
		discover_push(d, (struct job){ s->later[i].node, s->later[i].port, 1, ASK_LOOK });
	s->nlater = 0;
	return n > 0;
}

bool
discover_seed_continue(struct discover *d)
{
	if (discover_seed_spoiled(d))
		return false;
	routes_update(d);
	return read_suspects(d) || look_later(d);
}

/* ---- answers ---- */

void
discover_seed_port(struct discover *d, struct place at, const struct port_info *info)
{
	struct found_port *p = found_port(d, at);
	struct place peer = p->peer;

	p->read = true;
	if (found_at(d, at.node)->type != NODE_TYPE_SWITCH || !p->old ||
		info->state == PORT_STATE_ACTIVE)
		return;
	suspect(d, at.node);
	if (found_at(d, peer.node)->type == NODE_TYPE_SWITCH)
		suspect(d, peer.node);
	if (!peer.node)
		d->seeding->why = "the link of our own port has changed";
	link_forget(d, at);
}

/* The node 'n' of the seed was found at a place where it was not: what is known of it is old. */
static void
node_refresh(struct discover *d, const struct look *k, struct place who, const uint8_t *image)
{
	struct found *n = found_at(d, who.node);
	struct route *r;

	memcpy(n->node_info, image, NODE_INFO_BYTES);
	discover_recall_extended(d, n);
	if (n->type == NODE_TYPE_SWITCH) {
		if (!found_port(d, who)->read)
			found_port(d, who)->flags &= (uint8_t)~FAB_PORT_INFO;
		suspect(d, who.node);
		return;
	}
	if (!n->suspect && d->conf.want_desc)
		discover_push(d, (struct job){ who.node, 0, 0, ASK_DESC });
	n->suspect = true; /* not to be read once more */
	n->flags &= (uint8_t)~FAB_NODE_KEPT;
	n->entry = who.port;
	r = discover_route_alloc(d, k->hops, 0);
	memcpy(r->path, k->path, k->hops + 1u);
	n->route = r;
}

bool
discover_seed_claim(
	struct discover *d, const struct look *k, struct place who, const uint8_t *image)
{
	struct seeding *s = d->seeding;
	const struct found_port *t = found_port(d, who);

	discover_route_touch(d, who);
	if (!found_at(d, who.node)->seeded)
		return false;
	if (!who.node) {                /* all routes begin there, and not at this port */
		s->why = "a link of our own node has changed";
		return true;
	}
	if (t->old && !place_equal(t->peer, k->at)) {
		struct place was = t->peer;

		/* Its switch may not have said yet that the link is gone. */
		if (found_at(d, was.node)->type == NODE_TYPE_SWITCH && !found_port(d, was)->read) {
			suspect(d, was.node);
			GROW(s->later, s->nlater, s->later_cap, 16);
			s->later[s->nlater++] = k->at;
			return true;
		}
		s->why = "a node is at two places";
		return true;
	}
	node_refresh(d, k, who, image);
	return false;
}

/* ---- problems ---- */

/* Whether nothing has answered behind 'at' in the seed either. */
static bool
was_silent(const struct discover *d, struct place at)
{
	const struct snapshot *s = d->conf.seed;
	uint64_t guid = place_none(at) ? 0 : found_at(d, at.node)->guid;

	for (uint32_t i = 0; i < s->nproblems; i++)
		if (s->problems[i].kind == FAB_UNRESPONSIVE && s->problems[i].guid == guid &&
			s->problems[i].port == at.port)
			return true;
	return false;
}

const char *
discover_seed_spoiled(const struct discover *d)
{
	for (uint32_t i = 0; i < d->nremarks && !d->seeding->why; i++) {
		const struct remark *r = &d->remarks[i];

		if (r->kind == FAB_UNRESPONSIVE && r->behind && was_silent(d, r->at))
			continue;
		d->seeding->why = r->kind == FAB_UNRESPONSIVE || r->kind == FAB_UNANSWERED ?
			"a request was not answered" :
			"an answer contradicts what is known";
	}
	return d->seeding->why;
}

void
discover_seed_remark(struct discover *d)
{
	const struct snapshot *s = d->conf.seed;

	for (uint32_t i = 0; d->seeding && i < s->nproblems; i++) {
		const struct fab_problem *f = &s->problems[i];
		struct found *n = f->kind == FAB_UNRESPONSIVE ? discover_find(d, f->guid) : NULL;
		struct remark *r;

		if (!n || !(n->flags & FAB_NODE_KEPT) || !n->reached || f->port > n->nports)
			continue;
		r = discover_remark(d, FAB_UNRESPONSIVE, WHY_NO_ANSWER);
		r->at = (struct place){ n->index, f->port };
		r->behind = true;
		r->attr_id = f->attr_id;
		r->modifier = f->modifier;
	}
}
