/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ring.h - a ring of switches for tests of the order of writes, with tables written by hand.
 *
 * Port 1 of a switch leads to the next, port 2 to the one before, port 3 to its host.  Host i has
 * LID i + 1, switch i has LID i + 33.  Old and new entries drop everything until a test sets them.
 */
#ifndef HEDDLE_TESTS_UNIT_ORDER_RING_H
#define HEDDLE_TESTS_UNIT_ORDER_RING_H

#include "tests/unit/fabric/small.h"
#include "sm/order/order.h"

#define RING_MAX 16

enum { RING_NEXT = 1, RING_BEFORE = 2, RING_HOST = 3 };

struct ring {
	struct snapshot *s;
	struct arena arena;             /* owns the rest */
	struct lid_map lids;
	struct fwd_tables old, new;
	struct order_block *blocks;
	struct order_in in;
	struct order order;
	uint32_t n;
};

static inline struct fwd_tables
ring_tables(struct ring *r, uint16_t top)
{
	struct fwd_tables f = { .nswitches = r->n, .stride = (top / 64u + 1) * 64, .top = top,
		.vls = 1 };

	f.port = arena_array(&r->arena, r->n, f.stride);
	memset(f.port, FAB_LFT_DROP, (size_t)r->n * f.stride);
	return f;
}

/* 'hosts': which switches have one, as bits. */
static inline void
ring_make(struct ring *r, uint32_t n, uint32_t hosts, uint16_t top)
{
	struct small_node nodes[2 * RING_MAX];
	struct small_cable cables[2 * RING_MAX];
	uint32_t ncables = 0;

	assert_in_range(n, 3, RING_MAX);
	*r = (struct ring){ .n = n };
	for (uint32_t i = 0; i < n; i++) {
		nodes[i] = (struct small_node){ TOPO_SWITCH, 3 };
		nodes[n + i] = (struct small_node){ TOPO_CA, 1 };
		cables[ncables++] = (struct small_cable){ i, RING_NEXT, (i + 1) % n, RING_BEFORE };
		if (hosts >> i & 1)
			cables[ncables++] = (struct small_cable){ i, RING_HOST, n + i, 1 };
	}
	r->s = small_snapshot(nodes, 2 * n, cables, ncables);
	r->lids = (struct lid_map){ .nports = r->s->nports, .top = top };
	r->lids.owner = arena_array(&r->arena, top + 1u, sizeof(*r->lids.owner));
	memset(r->lids.owner, 0xff, (top + 1u) * sizeof(*r->lids.owner));
	for (uint32_t i = 0; i < n; i++) {
		r->lids.owner[1 + i] = small_port(r->s, n + i, 1);
		r->lids.owner[33 + i] = small_port(r->s, i, 0);
	}
	r->old = ring_tables(r, top);
	r->new = ring_tables(r, top);
	for (uint32_t i = 0; i < n; i++) {
		r->s->nodes[r->s->switches[i]].lft = fwd_row(&r->old, i);
		r->s->nodes[r->s->switches[i]].lft_blocks = top / 64u + 1;
	}
	r->in = (struct order_in){ .s = r->s, .lids = &r->lids, .wanted = &r->new,
		.scope = VERIFY_ALL };
}

static inline void
ring_free(struct ring *r)
{
	snapshot_free(r->s);
	arena_clear(&r->arena);
	memset(r, 0, sizeof(*r));
}

/* Entries for 'lid' that lead to switch 'to', and there out by 'exit': the shorter way, but never
 * over the link from switch 'cut' to the next; FAB_NONE: over any. */
static inline void
ring_lead(struct ring *r, struct fwd_tables *f, uint16_t lid, uint32_t to, uint8_t exit,
	uint32_t cut)
{
	for (uint32_t sw = 0; sw < r->n; sw++) {
		uint32_t ahead = (to + r->n - sw) % r->n;
		bool next = ahead * 2 <= r->n;

		if (cut != FAB_NONE)
			next = (cut + r->n - sw) % r->n >= ahead;
		fwd_row(f, sw)[lid] = !ahead ? exit : next ? RING_NEXT : RING_BEFORE;
	}
}

/* All LIDs of hosts and switches. */
static inline void
ring_lead_all(struct ring *r, struct fwd_tables *f, uint32_t cut)
{
	for (uint32_t i = 0; i < r->n; i++) {
		ring_lead(r, f, (uint16_t)(1 + i), i, RING_HOST, cut);
		ring_lead(r, f, (uint16_t)(33 + i), i, 0, cut);
	}
}

/* Orders the writes of all blocks that differ. */
static inline const struct order *
ring_order(struct ring *r)
{
	uint32_t n = 0, nblocks = r->new.top / 64u + 1;

	r->blocks = arena_array(&r->arena, (size_t)nblocks * r->n, sizeof(*r->blocks));
	for (uint32_t b = 0; b < nblocks; b++)
		for (uint32_t sw = 0; sw < r->n; sw++)
			if (memcmp(fwd_row(&r->old, sw) + b * 64, fwd_row(&r->new, sw) + b * 64,
				64) != 0)
				r->blocks[n++] = (struct order_block){ sw, b };
	r->in.blocks = r->blocks;
	r->in.nblocks = n;
	order_make(&r->in, &r->arena, &r->order);
	return &r->order;
}

/* The index of the first write of a switch from 'from' on; FAB_NONE. */
static inline uint32_t
ring_write(const struct ring *r, uint32_t sw, uint32_t from)
{
	for (uint32_t i = from; i < r->order.nwrites; i++)
		if (r->order.writes[i].sw == sw)
			return i;
	return FAB_NONE;
}

/* Whether write 'a' waits for write 'b', 1; and for a drain time after it, 2; 0: it does not. */
static inline int
ring_waits(const struct ring *r, uint32_t a, uint32_t b)
{
	const struct order_write *w = &r->order.writes[a];

	for (uint32_t i = 0; i < w->npreds; i++) {
		uint32_t pred = r->order.preds[w->pred_first + i];

		if (ORDER_PRED_WRITE(pred) == b)
			return ORDER_PRED_DRAINS(pred) ? 2 : 1;
	}
	return 0;
}

#endif
