/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verify_scan.c - one pass over every table entry.
 * Room: fabric/verify.  Pure.  In: tables.  Out: turns, LIDs with a wrong entry.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/verify/verify_scan.h"
#include "util/bits.h"
#include "util/xalloc.h"

#define PORT_CODES 256
/* LIDs scanned at a time: keeps the rows of all neighbours in the cache */
#define SLICE 4096

/* Turns met at the neighbours of one switch: met[port][the neighbour's entry]. */
struct turns {
	uint8_t met[PORT_CODES][PORT_CODES];
	const uint8_t *next[PORT_CODES];        /* the neighbour's row, NULL: no switch there */
};

enum walk_end
verify_exit(const struct snapshot *s, const struct lid_map *l, uint32_t sw, uint32_t lid,
	uint8_t port)
{
	const struct fab_node *n = &s->nodes[s->switches[sw]];
	uint32_t at = n->first_port + port, owner = lid <= l->top ? l->owner[lid] : FAB_NONE, peer;

	if (port == FAB_LFT_DROP)
		return WALK_DROPPED;
	if (port > n->nports)
		return WALK_DEAD_PORT;
	if (port == 0)
		return owner == at ? WALK_ARRIVED : WALK_WRONG_PORT;
	peer = s->ports[at].peer;
	if (peer == FAB_NONE || s->nodes[s->ports[peer].node].sw != FAB_NONE)
		return WALK_DEAD_PORT;
	return owner == peer ? WALK_ARRIVED : WALK_WRONG_PORT;
}

static void
find_neighbours(const struct chan_graph *g, const struct fwd_tables *f, uint32_t sw,
	struct turns *t)
{
	memset(t->next, 0, sizeof(t->next));
	for (uint32_t port = 1; port < g->first[sw + 1] - g->first[sw]; port++) {
		const struct chan_hop *h = chan_graph_hop(g, sw, port);

		if (h->sw != FAB_NONE)
			t->next[port] = fwd_row(f, h->sw);
	}
}

static void
keep_turns(struct chan_graph *g, uint32_t sw, struct turns *t)
{
	for (uint32_t port = 1; port < g->first[sw + 1] - g->first[sw]; port++) {
		const struct chan_hop *h = chan_graph_hop(g, sw, port);

		if (!t->next[port])
			continue;
		for (uint32_t out = 0; out < PORT_CODES; out++)
			if (t->met[port][out])
				chan_graph_add(g, h->sw, h->chan - g->first[h->sw], out);
		memset(t->met[port], 0, sizeof(t->met[port]));
	}
}

void
verify_scan(struct chan_graph *g, const struct snapshot *s, const struct lid_map *l,
	const struct fwd_tables *f,
	uint64_t *bad)
{
	uint32_t end = (f->top < l->top ? f->top : l->top) + 1u;
	struct turns *t = xcalloc(1, sizeof(*t));

	for (uint32_t lo = 1; lo < end; lo += SLICE) {
		uint32_t hi = lo + SLICE < end ? lo + SLICE : end;

		for (uint32_t sw = 0; sw < g->nsw; sw++) {
			const uint8_t *row = fwd_row(f, sw);

			find_neighbours(g, f, sw, t);
			for (uint32_t lid = lo; lid < hi; lid++) {
				uint8_t port = row[lid];
				const uint8_t *next = t->next[port];

				if (l->owner[lid] == FAB_NONE)
					continue;
				if (next)
					t->met[port][next[lid]] = 1;
				else if (bad && verify_exit(s, l, sw, lid, port) != WALK_ARRIVED)
					bits_set(bad, lid);
			}
			keep_turns(g, sw, t);
		}
	}
	for (uint32_t lid = end; bad && lid <= l->top; lid++)    /* no table reaches so far */
		bits_set(bad, lid);
	free(t);
}
