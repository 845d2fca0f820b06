/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * part.c - copies the nodes and links of a snapshot that remain.
 * Room: fabric/snapshot.  Pure.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/snapshot/part.h"
#include "util/xalloc.h"

static void
copy_nodes(const struct snapshot *s, const bool *node, struct snapshot *t, uint32_t *place)
{
	for (uint32_t i = 0; i < s->nnodes; i++) {
		struct fab_node *n = &t->nodes[t->nnodes];

		place[i] = node[i] ? t->nnodes++ : FAB_NONE;
		if (!node[i])
			continue;
		*n = s->nodes[i];
		n->first_port = t->nports;
		n->lft = NULL;
		n->lft_blocks = 0;
		n->flags &= (uint8_t)~FAB_NODE_LFT;
		t->nports += n->nports + 1u;
	}
}

static void
copy_ports(const struct snapshot *s, const bool *port, struct snapshot *t, const uint32_t *place)
{
	for (uint32_t i = 0; i < s->nports; i++) {
		const struct fab_port *p = &s->ports[i];
		struct fab_port *q;

		if (place[p->node] == FAB_NONE)
			continue;
		q = &t->ports[t->nodes[place[p->node]].first_port + p->num];
		*q = *p;
		q->node = place[p->node];
		q->pkeys = FAB_NONE;
		q->more_pkeys = 0;
		q->peer = FAB_NONE;
		if (port[i])
			q->peer = t->nodes[place[s->ports[p->peer].node]].first_port +
				s->ports[p->peer].num;
	}
}

/* The port that the part starts from. */
static uint32_t
own_port(const struct snapshot *s, const struct snapshot *t, const uint32_t *place)
{
	const struct fab_port *p = &s->ports[s->sm_port];
	const struct fab_node *n = &t->nodes[0];

	if (place[p->node] != FAB_NONE)
		return t->nodes[place[p->node]].first_port + p->num;
	return n->first_port + (fab_is_switch(n) ? 0 : 1u);
}

struct snapshot *
part_make(const struct snapshot *s, const bool *node, const bool *port)
{
	struct snapshot *t = xcalloc(1, sizeof(*t));
	uint32_t *place = xcalloc(s->nnodes + 1u, sizeof(*place));

	t->nodes = arena_array(&t->arena, s->nnodes, sizeof(*t->nodes));
	copy_nodes(s, node, t, place);
	t->ports = arena_array(&t->arena, t->nports, sizeof(*t->ports));
	copy_ports(s, port, t, place);
	t->problems = arena_array(&t->arena, s->nproblems, sizeof(*t->problems));
	if (s->nproblems)
		memcpy(t->problems, s->problems, s->nproblems * sizeof(*t->problems));
	t->nproblems = s->nproblems;
	t->sm_port = own_port(s, t, place);
	snapshot_seal(t);
	free(place);
	return t;
}

/* ---- what is connected ---- */

struct piece {
	uint32_t first; /* its first node */
	uint32_t hosts, switches;
};

struct pieces {
	const struct snapshot *s;
	const bool *node, *port;
	uint32_t *of; /* by node index: first node of its piece; FAB_NONE */
	uint32_t *queue;
};

static struct piece
piece_walk(struct pieces *x, uint32_t first)
{
	struct piece p = { .first = first };
	uint32_t n = 0;

	x->of[first] = first;
	x->queue[n++] = first;
	for (uint32_t at = 0; at < n; at++) {
		const struct fab_node *k = &x->s->nodes[x->queue[at]];

		p.hosts += !fab_is_switch(k);
		p.switches += fab_is_switch(k);
		for (unsigned i = 1; i <= k->nports; i++) {
			uint32_t port = k->first_port + i, peer = x->s->ports[port].peer, to;

			if (!x->port[port] || peer == FAB_NONE)
				continue;
			to = x->s->ports[peer].node;
			if (x->of[to] != FAB_NONE)
				continue;
			x->of[to] = first;
			x->queue[n++] = to;
		}
	}
	return p;
}

static bool
piece_larger(const struct piece *a, const struct piece *b)
{
	if (a->hosts != b->hosts)
		return a->hosts > b->hosts;
	return a->switches > b->switches;
}

static void
links_clear(const struct snapshot *s, const bool *node, bool *port)
{
	for (uint32_t i = 0; i < s->nports; i++) {
		uint32_t peer = s->ports[i].peer;

		if (peer == FAB_NONE || !node[s->ports[i].node] || !node[s->ports[peer].node])
			port[i] = false;
	}
}

uint32_t
part_connect(const struct snapshot *s, bool *node, bool *port)
{
	struct pieces x = { .s = s, .node = node, .port = port };
	struct piece best = { .first = FAB_NONE };
	uint32_t n = 0;

	links_clear(s, node, port);
	x.of = xcalloc(s->nnodes + 1u, sizeof(*x.of));
	x.queue = xcalloc(s->nnodes + 1u, sizeof(*x.queue));
	memset(x.of, 0xff, s->nnodes * sizeof(*x.of));
	for (uint32_t i = 0; i < s->nnodes; i++) {
		struct piece p;

		if (!node[i] || x.of[i] != FAB_NONE)
			continue;
		p = piece_walk(&x, i);
		n += p.switches > 0;
		if (best.first == FAB_NONE || piece_larger(&p, &best))
			best = p;
	}
	for (uint32_t i = 0; i < s->nnodes; i++)
		node[i] = node[i] && x.of[i] == best.first;
	links_clear(s, node, port);
	free(x.queue);
	free(x.of);
	return n;
}
