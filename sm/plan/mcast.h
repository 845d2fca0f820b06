/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mcast.h - one tree per multicast LID, and the multicast forwarding tables (MFTs) that make it.
 * Room: sm/plan.  Pure.  In: snapshot, the ranks of the routing, who listens and who only sends.
 * Out: table rows.
 *
 * What the tables shall hold, by rows; what they are known to hold is observed
 * (fabric/snapshot/mft_seen.h).  docs/routing.md: multicast.
 */
#ifndef HEDDLE_SM_PLAN_MCAST_H
#define HEDDLE_SM_PLAN_MCAST_H

#include "fabric/snapshot/mft_seen.h"

struct mcast_plan;
/* 'rank': per switch ordinal, as struct route_report has it; NULL: hops from the middle of the
 * fabric.  Both are borrowed; the plan is owned by 'a'. */
struct mcast_plan *plan_mcast_make(const struct snapshot *s, const uint16_t *rank, struct arena *a);
/* Grows the trees to choose from, which takes milliseconds; else the first group does. */
void plan_mcast_prepare(struct mcast_plan *p);

struct mcast_leaf {
	uint32_t port;                  /* snapshot index of an end port */
	bool hears;                     /* else it only sends */
	bool inherited;                 /* it has not registered: it does not count as left out */
};
/*
 * The members of an MLID are these now; none: the group is gone.  Returns how many of them no tree
 * reaches: they are left out.  Rows that differ from before are taken by plan_mcast_take().
 */
uint32_t plan_mcast_group(
	struct mcast_plan *p, uint16_t mlid, const struct mcast_leaf *members, uint32_t n);
/* The next row that has changed since it was last taken; false: none. */
bool plan_mcast_take(struct mcast_plan *p, uint32_t *sw, uint32_t *row);
/* Whether there is one. */
bool plan_mcast_has_changed(const struct mcast_plan *p);
/* The wanted row; NULL: zeros. */
const uint8_t *plan_mcast_row(const struct mcast_plan *p, uint32_t sw, uint32_t row);
/* Whether a Set is due there: it is known to hold something else, or nobody knows and its block is
 * wanted. */
bool plan_mcast_differs(
	const struct mcast_plan *p, const struct mft_seen *t, uint32_t sw, uint32_t row);
/* Likewise in parts: whether known entries must go; whether new ones must come, or the row is
 * unknown. */
void plan_mcast_compare(const struct mcast_plan *p, const struct mft_seen *t, uint32_t sw,
	uint32_t row, bool *removes, bool *adds);
/* The wanted row without what is not there yet; all of it when nobody knows what is there. */
void plan_mcast_cut(const struct mcast_plan *p, const struct mft_seen *t, uint32_t sw, uint32_t row,
	uint8_t image[static MFT_BLOCK_BYTES]);
/* Blocks and positions that may have rows of their own; no blocks before the first group. */
uint32_t plan_mcast_blocks(const struct mcast_plan *p);
/* Whether some row of that block has been wanted there. */
bool plan_mcast_wants(const struct mcast_plan *p, uint32_t sw, uint32_t block);
uint32_t plan_mcast_positions(const struct mcast_plan *p, uint32_t sw);
/* Whether the tree of 'mlid' passes that switch. */
bool plan_mcast_passes(const struct mcast_plan *p, uint16_t mlid, uint32_t sw);
/* Whether every switch of its tree is known to hold what it shall. */
bool plan_mcast_settled(const struct mcast_plan *p, const struct mft_seen *t, uint16_t mlid);
/* The rows of its tree are to be looked at again by plan_mcast_take(). */
void plan_mcast_again(struct mcast_plan *p, uint16_t mlid);

#endif
