/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mcast_down.h - how many switches packets reach from a top, if they only go down.
 * Room: sm/mcast.  Private to the room.  Pure.
 *
 * With ranks, a span reaches exactly these switches.  So their number says whether a span of the
 * plan before still has all that it can have, whether one that grows is complete, and whether
 * another root is needed, and no span is walked for that.
 *
 * A top is a switch that forwards and has no higher neighbour that does.
 */
#ifndef HEDDLE_SM_MCAST_MCAST_DOWN_H
#define HEDDLE_SM_MCAST_MCAST_DOWN_H

#include "sm/mcast/mcast_edges.h"

struct mcast_down {
	const struct mcast_edges *e;
	struct arena *a;
	uint32_t *order;                /* all switches, each after those that are higher */
	uint32_t *first, *up;           /* by place in 'order': its higher neighbours that forward */
	uint32_t *top, ntops;           /* ordinals, ascending */
	uint32_t *at;                   /* per switch: its place among the tops; FAB_NONE */
	/* by place among the tops; 'switches' is 0 until one of its 64 is asked for */
	uint32_t *switches, *leaves;
	uint64_t *mask;                 /* scratch, per switch: which of 64 tops lead to it */
};

/* 'e' must have ranks; everything is owned by 'a'. */
void mcast_down_init(struct mcast_down *d, const struct mcast_edges *e, struct arena *a);
bool mcast_down_is_top(const struct mcast_down *d, uint32_t sw);
/* Number of switches below a top, itself included; of those of them that have hosts. */
uint32_t mcast_down_switches(struct mcast_down *d, uint32_t top);
uint32_t mcast_down_leaves(struct mcast_down *d, uint32_t top);

#endif
