/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * order_int.h - shared by the files of the room.
 * Room: sm/order, inside only.  Pure.
 *
 * All files process one block number of all switches at a time (struct order_view): 64 LIDs, for
 * which the old and the new entries of a switch fit into one cache line each.  To go to another
 * block costs as much as switches change it.
 */
#ifndef HEDDLE_SM_ORDER_ORDER_INT_H
#define HEDDLE_SM_ORDER_ORDER_INT_H

#include "fabric/verify/verify_graph.h"
#include "sm/order/order.h"

/* One block number in all switches. */
struct order_view {
	uint32_t block;
	const struct order_block *list; /* the switches that are written, ascending */
	uint32_t n;
	uint64_t *changed;              /* by switch ordinal: LIDs whose entry changes */
	uint32_t *local;                /* by switch ordinal: index in list[]; only if changed */
};

/* The table that a switch holds now. */
struct order_held {
	const uint8_t *lft;
	uint32_t blocks;                /* those behind are unknown, and count as drops */
};

/* Why an entry waits for more than its new path. */
struct order_hold {
	uint32_t block, sw;
	uint8_t lid;                    /* index in the block */
	/* the switch that must have replaced its entry, plus a drain time; FAB_NONE: all writes
	 * that are not late */
	uint32_t after;
	bool keeps;                     /* it has its old value until then; false: it drops */
};

struct order_ctx {
	const struct order_in *in;
	struct arena *scratch;
	struct order_block *sorted;     /* in->blocks by block, then switch */
	uint32_t *block_first;          /* [nblocks + 1] into sorted[] */
	uint32_t nblocks;               /* block numbers of the wanted tables */
	struct chan_graph graph;        /* links; its dependencies are those of order_mixed.c */
	struct order_view view;
	struct order_held *held;        /* by switch ordinal */
	uint32_t sm_sw;                 /* the switch the SM's port belongs or is linked to */
	/* entries that wait for a drain, by block */
	struct order_hold *holds;
	uint32_t nholds, holds_cap;
};

/* Points ctx->view at a block number. */
void order_view_set(struct order_ctx *ctx, uint32_t block);

/* The switch behind a port of 'sw'; FAB_NONE: a host, nothing, or the port does not exist. */
static inline uint32_t
order_next(const struct order_ctx *ctx, uint32_t sw, uint8_t port)
{
	const struct chan_hop *h = chan_graph_hop(&ctx->graph, sw, port);

	return h ? h->sw : FAB_NONE;
}

/* Returns the block that a switch holds, or NULL if it is unknown. */
static inline const uint8_t *
order_held_block(const struct order_ctx *ctx, uint32_t sw, uint32_t block)
{
	const struct order_held *h = &ctx->held[sw];

	return block < h->blocks ? h->lft + (size_t)block * ORDER_BLOCK_LIDS : NULL;
}

/* The entry of the view's block that a switch holds now; 'lid' is the index in the block. */
static inline uint8_t
order_old(const struct order_ctx *ctx, uint32_t sw, unsigned lid)
{
	const uint8_t *block = order_held_block(ctx, sw, ctx->view.block);

	return block ? block[lid] : FAB_LFT_DROP;
}

/* The entry that it has at the end. */
static inline uint8_t
order_fresh(const struct order_ctx *ctx, uint32_t sw, unsigned lid)
{
	size_t block = (size_t)ctx->view.block * ORDER_BLOCK_LIDS;

	return ctx->view.changed[sw] >> lid & 1 ? fwd_row(ctx->in->wanted, sw)[block + lid] :
						  order_old(ctx, sw, lid);
}

/* ---- order_mixed.c ---- */

/* Finds the entries that must wait so that old and new tables together make no cycle: into
 * ctx->holds, by block. */
void order_mixed_find(struct order_ctx *ctx, struct order_report *r);

/* ---- order_block.c ---- */

/* The writes as they are made; indices are in the order in which they could be sent one by one. */
struct order_list {
	struct arena *a;                /* owns what follows */
	struct order_write *v;
	uint32_t n, cap;
	uint32_t *wave;                 /* [cap]: length of the longest chain before */
	uint32_t *preds;
	uint32_t npreds, preds_cap;
	uint8_t (*images)[ORDER_BLOCK_LIDS];
	uint32_t nimages, images_cap;
};

struct order_scheduler;
struct order_scheduler *order_scheduler_new(struct order_ctx *ctx);
/* Adds the writes of the block that ctx->view shows. */
void order_block_schedule(
	struct order_scheduler *sc, struct order_list *out, struct order_report *r);

#endif
