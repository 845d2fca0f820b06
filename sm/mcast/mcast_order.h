/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mcast_order.h - an order of all channels that no dependency contradicts, kept while dependencies
 * are added.
 * Room: sm/mcast.  Private to the room.  Pure.
 *
 * As long as there is an order in which every dependency leads from an earlier channel to a later
 * one, there is no cycle.  A new dependency that fits costs nothing; one that contradicts the order
 * moves the channels between its two ends, if they can be moved, and is refused if they cannot: it
 * would close a cycle.  Additions can be taken back in the opposite order.
 *
 * Where to look next: fabric/verify/verify_graph.h for channels and their bits.
 */
#ifndef HEDDLE_SM_MCAST_MCAST_ORDER_H
#define HEDDLE_SM_MCAST_MCAST_ORDER_H

#include "fabric/verify/verify_graph.h"

struct mcast_turn {
	uint32_t sw, in, out;           /* (port << vl_bits) + VL */
};

struct mcast_order {
	struct chan_graph g;            /* dependencies of its own */
	struct arena *a;
	uint32_t *pos;                  /* by channel */
	struct mcast_turn *log;         /* what was added */
	uint32_t nlog, cap_log;
	/* scratch, by channel */
	uint8_t *met;                   /* by which of the two searches; 0 */
	bool crossed;                   /* they have met */
	uint32_t *later, nlater;        /* found from the far end forwards */
	uint32_t *earlier, nearlier;    /* found from the near end backwards */
	uint32_t *places;
	uint64_t *keys;
};

/* Begins with the dependencies of 'g'; owned by 'a'.  False: they have a cycle. */
bool mcast_order_init(struct mcast_order *o, const struct chan_graph *g, struct arena *a);
/* Adds a dependency.  False: it would close a cycle, and is not added. */
bool mcast_order_add(struct mcast_order *o, struct mcast_turn t);
/* Takes back all additions but the first 'n'. */
void mcast_order_undo(struct mcast_order *o, uint32_t n);

#endif
