/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * tables.c - the forwarding tables of the simulated switches at one time, and what has moved.
 * Room: tests.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sim/phys/phys.h"
#include "tests/scenario/registers.h"
#include "tests/scenario/tables.h"
#include "util/xalloc.h"

#define HOPS_MAX 64

void
tables_take(const struct world *w, struct tables *t)
{
	*t = (struct tables){ .nnodes = hw_nodes(w->hw) };
	for (uint32_t i = 0; i < t->nnodes; i++)
		if (w->hw->nodes[i].type == TOPO_SWITCH && w->hw->nodes[i].lft_top >= t->stride)
			t->stride = w->hw->nodes[i].lft_top + 1u;
	t->port = xcalloc(t->nnodes, t->stride ? t->stride : 1);
	memset(t->port, 255, (size_t)t->nnodes * t->stride);
	for (uint32_t i = 0; i < t->nnodes; i++) {
		const struct hw_node *n = &w->hw->nodes[i];

		if (n->type == TOPO_SWITCH && n->powered && n->lft)
			memcpy(t->port + (size_t)i * t->stride, n->lft,
				n->lft_len <= n->lft_top ? n->lft_len : n->lft_top + 1u);
	}
}

void
tables_clear(struct tables *t)
{
	free(t->port);
	*t = (struct tables){ 0 };
}

bool
tables_next(const struct world *w, const uint8_t *row, uint32_t node, uint16_t lid,
	uint32_t *next, uint8_t *port)
{
	const struct hw_node *n = &w->hw->nodes[node];
	const struct hw_link *l = &w->hw->links[n->first_port + row[lid]];

	if (!n->powered || !row[lid] || row[lid] > n->nports || l->node == HW_NOWHERE)
		return false;
	*next = l->node;
	*port = l->port;
	return true;
}

/* Whether 't' leads from 'node' to the host 'to'; the nodes of the path, 'to' not included. */
static bool
leads_to(const struct world *w, const struct tables *t, uint32_t node, uint16_t lid, uint32_t to,
	uint32_t path[static HOPS_MAX], unsigned *n)
{
	uint8_t port;

	for (*n = 0; *n < HOPS_MAX; ++*n) {
		if (node == to)
			return true;
		if (w->hw->nodes[node].type != TOPO_SWITCH || lid >= t->stride)
			return false;
		path[*n] = node;
		if (!tables_next(w, t->port + (size_t)node * t->stride, node, lid, &node, &port))
			return false;
	}
	return false;
}

static uint8_t
entry(const struct tables *t, uint32_t node, uint16_t lid)
{
	return lid < t->stride ? t->port[(size_t)node * t->stride + lid] : 255;
}

/* The first node of the path of 'a' where 'b' goes on by another port; HW_NOWHERE: none. */
static uint32_t
differs_at(const struct tables *a, const struct tables *b, const uint32_t *path, unsigned n,
	uint16_t lid)
{
	for (unsigned i = 0; i < n; i++)
		if (entry(a, path[i], lid) != entry(b, path[i], lid))
			return path[i];
	return HW_NOWHERE;
}

static void
compare_pair(const struct world *w, const struct tables *t[static 3], uint32_t leaf, uint16_t lid,
	uint32_t host, struct table_moves *m)
{
	uint32_t path[HOPS_MAX], other[HOPS_MAX], at;
	unsigned n, k;
	bool was = leads_to(w, t[0], leaf, lid, host, path, &n);
	bool is = leads_to(w, t[1], leaf, lid, host, other, &k);

	at = was ? differs_at(t[0], t[1], path, n, lid) : HW_NOWHERE;

	m->lost += !is;
	m->pairs += entry(t[0], leaf, lid) != 255;
	if (!was)
		m->broken += entry(t[0], leaf, lid) != 255;
	else if (at == HW_NOWHERE)
		return;
	else if (is && t[2] && entry(t[1], at, lid) == entry(t[2], at, lid))
		m->back++;
	else
		m->needless++;
}

/* The switch of a host that is on and linked; HW_NOWHERE. */
static uint32_t
leaf_of(const struct world *w, uint32_t node)
{
	const struct hw_node *n = &w->hw->nodes[node];
	uint32_t leaf = n->type == TOPO_SWITCH || !n->powered ? HW_NOWHERE :
		w->hw->links[n->first_port + 1].node;

	return leaf != HW_NOWHERE && w->hw->nodes[leaf].type == TOPO_SWITCH ? leaf : HW_NOWHERE;
}

void
tables_moves(const struct world *w, const struct tables *before, const struct tables *now,
	const struct tables *intended, struct table_moves *m)
{
	const struct tables *t[3] = { before, now, intended };
	bool *source = xcalloc(now->nnodes, sizeof(*source));

	*m = (struct table_moves){ 0 };
	for (uint32_t i = 0; i < now->nnodes; i++)
		if (leaf_of(w, i) != HW_NOWHERE)
			source[leaf_of(w, i)] = true;
	for (uint32_t i = 0; i < now->nnodes; i++) {
		uint16_t lid;

		if (leaf_of(w, i) == HW_NOWHERE)
			continue;
		lid = wire_get16(hw_port(w->hw, i, 1)->info + PI_LID);
		for (uint32_t leaf = 0; lid && leaf < now->nnodes; leaf++)
			if (source[leaf])
				compare_pair(w, t, leaf, lid, i, m);
	}
	free(source);
}
