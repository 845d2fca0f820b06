/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * discover_copy.c - nodes of the seed of a discovery, copied when something looks at them.
 * Room: fabric/discover.  Pure.
 * In: the seed.  Out: nodes as discovery has them, with their routes.
 *
 * Invariant: whoever was not copied is as in the seed: its ports, its links, and the path to it.
 * What changes a node gets it by found_at() and so makes the copy; what changes routes copies all
 * nodes whose routes change (discover_route.c).
 */
#include <config.h>
#include <string.h>
#include "fabric/discover/discover_impl.h"
#include "util/grow.h"

/* ---- numbers ---- */

/* Discovery has the own node first, the snapshot the node with the lowest GUID. */
uint32_t
discover_seed_number(const struct snapshot *s, uint32_t node)
{
	uint32_t own = s->ports[s->sm_port].node;

	return node == own ? 0 : node < own ? node + 1 : node;
}

uint32_t
discover_seed_index(const struct snapshot *s, uint32_t number)
{
	uint32_t own = s->ports[s->sm_port].node;

	return !number ? own : number <= own ? number - 1 : number;
}

/* ---- ways ---- */

static const struct fab_node *
node_of_seed(const struct discover *d, uint32_t node)
{
	return &d->conf.seed->nodes[discover_seed_index(d->conf.seed, node)];
}

struct discover_way
discover_way_of(const struct discover *d, uint32_t node)
{
	const struct found *n = d->nodes[node];
	const struct fab_node *f;

	if (n)
		return (struct discover_way){ n->route ? n->route->path : NULL,
			n->route ? n->route->hops : 0, n->entry, n->reached };
	f = node_of_seed(d, node);
	return (struct discover_way){ f->path, f->hop_count, f->entry_port, true };
}

static bool
is_switch(const struct discover *d, uint32_t node)
{
	const struct found *n = d->nodes[node];

	return (n ? n->type : node_of_seed(d, node)->type) == NODE_TYPE_SWITCH;
}

bool
discover_way_through(const struct discover *d, struct place p)
{
	if (is_switch(d, p.node))
		return p.port > 0;
	return !p.node && p.port == discover_way_of(d, 0).entry && !d->conf.from_hops;
}

void
discover_route_set(const struct discover *d, const struct route **to,
	const struct discover_way *from, uint8_t port)
{
	struct route *r;

	if (*to && (*to)->hops == from->hops + 1 && (*to)->path[(*to)->hops] == port &&
		!memcmp((*to)->path, from->path, from->hops + 1u))
		return;
	r = arena_alloc(&d->seeding->arena, sizeof(*r) + from->hops + 2u);
	r->hops = (uint8_t)(from->hops + 1);
	memcpy(r->path, from->path, from->hops + 1u);
	r->path[r->hops] = port;
	*to = r;
}

void
discover_end_route_set(const struct discover *d, struct found *n, uint8_t port)
{
	struct place via = n->ports[port].peer;
	struct discover_way from;

	if (place_none(via) || !discover_way_through(d, via))
		return;
	from = discover_way_of(d, via.node);
	if (from.reached && from.hops < DGRAM_HOPS_MAX)
		discover_route_set(d, &n->ends[port].route, &from, via.port);
}

static void
route_copy(const struct discover *d, struct found *n, const struct fab_node *f)
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
		discover_end_route_set(d, n, (uint8_t)p);
	if (!n->index)
		n->ends[n->entry].route = n->route;
}

/* ---- copies ---- */

uint8_t
discover_seed_flags(const struct fab_node *f)
{
	unsigned kept = f->flags & ~(unsigned)(FAB_NODE_LFT | FAB_NODE_LFT_KEPT);

	return (uint8_t)(kept | FAB_NODE_KEPT | (f->lft ? FAB_NODE_LFT | FAB_NODE_LFT_KEPT : 0));
}

static void
seed_port(const struct discover *d, struct found *n, const struct fab_port *p)
{
	const struct snapshot *s = d->conf.seed;
	struct found_port *fp = &n->ports[p->num];
	const struct fab_port *peer = p->peer == FAB_NONE ? NULL : &s->ports[p->peer];

	fp->peer = peer ? (struct place){ discover_seed_number(s, peer->node), peer->num } :
		PLACE_NONE;
	fp->old = peer != NULL;
	fp->flags = p->flags;
	memcpy(fp->info, p->info, PORT_INFO_BYTES);
	if (n->type == NODE_TYPE_SWITCH && p->num) {
		fp->flags &= (uint8_t)~FAB_PORT_PKEYS;
		return;
	}
	n->ends[p->num].guid = p->guid;
	if (p->pkeys != FAB_NONE)
		n->ends[p->num].pkeys = s->pkey_blocks[p->pkeys];
}

static void
seed_node(struct found *n, const struct fab_node *f)
{
	n->guid = f->guid;
	n->type = f->type;
	n->nports = f->nports;
	n->entry = f->entry_port;
	n->seeded = true;
	n->flags = discover_seed_flags(f);
	memcpy(n->node_info, f->node_info, NODE_INFO_BYTES);
	memcpy(n->desc, f->desc, NODE_DESC_BYTES);
	memcpy(n->switch_info, f->switch_info, SWITCH_INFO_BYTES);
	if (f->lft) {
		n->lft = f->lft;
		n->lft_blocks = f->lft_blocks;
	}
}

struct found *
discover_seed_copy(const struct discover *d, uint32_t node)
{
	const struct snapshot *s = d->conf.seed;
	const struct fab_node *f = &s->nodes[discover_seed_index(s, node)];
	struct arena *a = &d->seeding->arena;
	struct found *n = arena_alloc(a, sizeof(*n));

	d->nodes[node] = n;
	n->index = node;
	n->target = d->seeding->target + node;
	seed_node(n, f);
	n->ports = arena_array(a, n->nports + 1u, sizeof(*n->ports));
	n->ends = arena_array(
		a, n->type == NODE_TYPE_SWITCH ? 1 : n->nports + 1u, sizeof(*n->ends));
	for (unsigned p = 0; p <= n->nports; p++)
		seed_port(d, n, &s->ports[f->first_port + p]);
	route_copy(d, n, f);
	return n;
}

struct found *
discover_find(const struct discover *d, uint64_t guid)
{
	struct found *n;
	uint32_t node;

	HASH_FIND(hh, d->by_guid, &guid, sizeof(guid), n);
	if (n || !d->seeding)
		return n;
	node = snapshot_node_by_guid(d->conf.seed, guid);
	return node == FAB_NONE ? NULL : found_at(d, discover_seed_number(d->conf.seed, node));
}

/* ---- links ---- */

void
discover_route_touch(struct discover *d, struct place at)
{
	struct seeding *s = d->seeding;

	if (!s)
		return;
	GROW(s->touched, s->ntouched, s->touched_cap, 16);
	s->touched[s->ntouched++] = at;
}
