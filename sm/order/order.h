/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * order.h - the order in which blocks of forwarding tables are written while packets use them.
 * Room: sm/order.  Pure.  docs/routing.md, "The order of writes".
 *
 * While new tables are written, some switches already forward by them and others still by the old
 * ones.  Two rules make every such state safe, whatever write is confirmed first:
 *
 *   loops    For each LID, a switch takes its new entry only after the changed switches on its new
 *            path have taken theirs.  So a packet that has met a new entry stays on the new path,
 *            and before that it follows the old one.
 *   cycles   A packet that arrived by an old entry may leave by a new one.  Such turns, with those
 *            of both tables, can close a cycle of channel dependencies.  The entries that close it
 *            are written after the packets that would make the turn have left: a drain time after
 *            the entries that sent them were replaced, or after all other writes.
 *
 * The rules apply to entries, but a write has 64 of them.  If two switches would wait for each
 * other because of different LIDs, one writes its block twice, first with the entries that may
 * move.  An entry that must not keep its old value while others move first becomes 255, which
 * drops packets.
 *
 * Invariants: the predecessors of a write make no cycle; the last write of a (switch, block) has
 * the wanted bytes; a block without an old path in any of its entries waits for nothing.
 * Where to look next: order_block.c (the first rule), order_mixed.c (the second),
 * sm/diff/kind_lft.c and sm/apply (the users).
 */
#ifndef HEDDLE_SM_ORDER_ORDER_H
#define HEDDLE_SM_ORDER_ORDER_H

#include "fabric/snapshot/tables.h"
#include "fabric/verify/verify.h"

#define ORDER_BLOCK_LIDS 64

/* A block of a switch (ordinal) that differs from what the switch holds. */
struct order_block {
	uint32_t sw, block;
};

struct order_in {
	/* its nodes have the tables that the switches hold; a table or block that is unknown counts
	 * as one that drops everything */
	const struct snapshot *s;
	const struct lid_map *lids;
	const struct fwd_tables *wanted;
	const struct order_block *blocks;
	uint32_t nblocks;
	/* hosts: only entries that a packet from a host can meet make dependencies */
	enum verify_scope scope;
	/* Only the first rule: the tables have a lane plan, so dependencies are those of VLs, and
	 * a cycle of links is not one of channels. */
	bool loops_only;
	uint16_t sm_lid;                /* its block, and the SM's own switch, are written last */
	uint32_t images_max;            /* writes that carry a part of a block; 0: any number */
	/* scope all: turns without a cycle that contain all those of the wanted tables, as
	 * verify_kept_turns() gives them for 's'; NULL: they are collected */
	struct fwd_rows *turns;
};

struct order_write {
	uint32_t sw, block;
	/* 0: the wanted bytes; else 1 + index into images[]: an earlier write of this block */
	uint32_t image;
	uint32_t pred_first, npreds;    /* into order.preds[] */
	bool last;                      /* after all others that are ready */
	bool late;                      /* a drain time after all writes that are not late */
};

/* An element of order.preds[]: the index of a write, and whether a drain time follows it. */
#define ORDER_PRED(index, drain) ((uint32_t)(index) << 1 | ((drain) ? 1u : 0u))
#define ORDER_PRED_WRITE(pred) ((pred) >> 1)
#define ORDER_PRED_DRAINS(pred) ((pred) & 1)

#define ORDER_CYCLE_MAX 16

struct order_report {
	bool ordered;                   /* false: no block had an old path, nothing is ordered */
	uint32_t writes, waves;         /* waves: writes of the longest chain */
	uint32_t double_writes;         /* writes beyond one for each block */
	/* cycles of dependencies (components) of old and new together */
	uint32_t mixed_cycles;
	uint32_t turns;                 /* turns that were suppressed because they closed one */
	uint64_t drained;               /* entries that wait for a drain time */
	uint32_t drains;                /* drain times that follow each other at most */
	uint64_t dropped;               /* entries that drop meanwhile */
	/* No safe order was found: one cycle, as port indices of the receiving ports. */
	bool unsafe;
	uint32_t cycle[ORDER_CYCLE_MAX];
	uint32_t ncycle;                /* its length, which may exceed ORDER_CYCLE_MAX */
};

struct order {
	/* in order of priority: of the writes that may be sent, the first should be */
	struct order_write *writes;
	uint32_t nwrites;
	uint32_t *preds;
	uint8_t (*images)[ORDER_BLOCK_LIDS];
	uint32_t nimages;
	struct order_report report;
};

/* Orders the writes of in->blocks; the result is owned by 'a'. */
void order_make(const struct order_in *in, struct arena *a, struct order *out);

#endif
