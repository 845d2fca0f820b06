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
#define LINK_WORDS (PORT_CODES / 64)
/* LIDs scanned at a time: keeps the rows of all neighbours in the cache */
#define SLICE 2048

/* Turns met at the neighbours of one switch: met[port][the neighbour's entry]. */
struct turns {
	uint8_t met[PORT_CODES][PORT_CODES];
	const uint8_t *next[PORT_CODES];        /* the neighbour's row, NULL: no switch there */
};

enum walk_end
verify_exit(
	const struct snapshot *s, const struct lid_map *l, uint32_t sw, uint32_t lid, uint8_t port)
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
find_neighbours(
	const struct chan_graph *g, const struct fwd_tables *f, uint32_t sw, struct turns *t)
{
	memset(t->next, 0, sizeof(t->next));
	for (uint32_t port = 1; port < g->first[sw + 1] - g->first[sw]; port++) {
		const struct chan_hop *h = chan_graph_hop(g, sw, port);

		if (h->sw != FAB_NONE)
			t->next[port] = fwd_row(f, h->sw);
	}
}

/* Bit i for each byte i that is 1; the others are 0. */
static uint64_t
bits_of_bytes(const uint8_t b[8])
{
	uint64_t x = (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 |
		(uint64_t)b[3] << 24 | (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 |
		(uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;

	return x * 0x0102040810204080u >> 56;
}

/* Adds what was met at one neighbour to the row of its channel, and forgets it. 'links': the
 * neighbour's ports that lead to switches. */
static void
keep_port(struct chan_graph *g, const struct chan_hop *h, const uint64_t *links, uint8_t *met)
{
	uint32_t ports = g->first[h->sw + 1] - g->first[h->sw];
	uint64_t *row = chan_graph_row(g, h->sw, h->chan - g->first[h->sw]);

	for (uint32_t out = 0; out < ports; out += 8)
		row[out / 64] |= bits_of_bytes(met + out) << (out % 64) & links[out / 64];
	memset(met, 0, PORT_CODES);
}

struct scan {
	struct chan_graph *g;
	const struct snapshot *s;
	const struct lid_map *l;
	const struct fwd_tables *f;
	uint64_t *bad;                  /* per part, NULL: not wanted */
	size_t words;                   /* of one part's bad */
	uint64_t (*links)[LINK_WORDS];  /* per switch: ports that lead to switches */
};

static void
keep_turns(const struct scan *c, uint32_t sw, struct turns *t)
{
	for (uint32_t port = 1; port < c->g->first[sw + 1] - c->g->first[sw]; port++) {
		const struct chan_hop *h = chan_graph_hop(c->g, sw, port);

		if (t->next[port])
			keep_port(c->g, h, c->links[h->sw], t->met[port]);
	}
}

static void
find_links(const struct scan *c)
{
	for (uint32_t p = 0; p < c->g->nports; p++)
		if (c->g->hop[p].chan != FAB_NONE)
			bits_set(c->links[c->g->sw[p]], p - c->g->first[c->g->sw[p]]);
}

/* Entries lo..hi - 1 of the row of 'sw'. */
static void
scan_row(
	const struct scan *c, uint32_t sw, uint32_t lo, uint32_t hi, struct turns *t, uint64_t *bad)
{
	const uint8_t *row = fwd_row(c->f, sw);

	for (uint32_t lid = lo; lid < hi; lid++) {
		uint8_t port = row[lid];
		const uint8_t *next = t->next[port];

		if (c->l->owner[lid] == FAB_NONE)
			continue;
		if (next)
			t->met[port][next[lid]] = 1;
		else if (bad && verify_exit(c->s, c->l, sw, lid, port) != WALK_ARRIVED)
			bits_set(bad, lid);
	}
}

/* The part's switches as senders: only they write the rows of the channels that they feed. */
static void
scan_part(void *data, unsigned i, unsigned n)
{
	const struct scan *c = data;
	uint32_t first = stripes_first(c->g->nsw, i, n), last = stripes_first(c->g->nsw, i + 1, n);
	uint32_t end = (c->f->top < c->l->top ? c->f->top : c->l->top) + 1u;
	uint64_t *bad = c->bad ? c->bad + i * c->words : NULL;
	struct turns *t = xcalloc(1, sizeof(*t));

	for (uint32_t lo = 1; lo < end; lo += SLICE)
		for (uint32_t sw = first; sw < last; sw++) {
			find_neighbours(c->g, c->f, sw, t);
			scan_row(c, sw, lo, lo + SLICE < end ? lo + SLICE : end, t, bad);
			keep_turns(c, sw, t);
		}
	free(t);
}

void
verify_scan(struct chan_graph *g, const struct snapshot *s, const struct lid_map *l,
	const struct fwd_tables *f, const struct stripes *stripes, uint64_t *bad)
{
	struct scan c = { .g = g, .s = s, .l = l, .f = f, .words = BITS_WORDS(l->top + 1u) };
	unsigned n = stripes_count(stripes);
	uint32_t end = (f->top < l->top ? f->top : l->top) + 1u;

	c.links = xcalloc(g->nsw, sizeof(*c.links));
	find_links(&c);
	if (bad)
		c.bad = xcalloc(n * c.words, sizeof(*c.bad));
	stripes_each(stripes, scan_part, &c);
	for (size_t w = 0; bad && w < n * c.words; w++)
		bad[w % c.words] |= c.bad[w];
	free(c.bad);
	free(c.links);
	for (uint32_t lid = end; bad && lid <= l->top; lid++)    /* no table reaches so far */
		bits_set(bad, lid);
}
