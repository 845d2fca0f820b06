/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mcast.h - one tree per multicast LID, and the multicast forwarding tables (MFTs) that implement
 * it.
 * Room: sm/mcast.  Pure.  In: snapshot, the ranks of the unicast routing, the members that receive
 * and those that only send. Out: table rows.
 *
 * A few spanning trees of the fabric are built once for each plan (mcast_spans.h); each MLID
 * uses one of them, cut down to the links between its members.  A row is one position of one
 * block of a switch's MFT: the bits of 16 ports for 32 MLIDs.  This module holds the wanted
 * rows; fabric/snapshot/mft_seen.h holds the rows that the tables are known to contain.
 * sm/diff/kind_mft.c compares them.  docs/routing.md: multicast.
 */
#ifndef HEDDLE_SM_MCAST_MCAST_H
#define HEDDLE_SM_MCAST_MCAST_H

#include "fabric/snapshot/mft_seen.h"
#include "sm/mcast/mcast_spans.h"

struct mcast_plan;
/* What 'in' points to is borrowed until plan_mcast_prepare(), the snapshot longer; the plan is owned
 * by 'a'. */
struct mcast_plan *plan_mcast_new(const struct mcast_spans_in *in, struct arena *a);
/* The same with ranks only: per switch ordinal, as in struct route_report; NULL: hops from
 * the middle of the fabric. */
struct mcast_plan *plan_mcast_make(const struct snapshot *s, const uint16_t *rank, struct arena *a);
/* Builds the spanning trees, which takes milliseconds; otherwise the first group does it. */
void plan_mcast_prepare(struct mcast_plan *p);
/* The spanning trees, for the next plan; NULL: they are not made yet. */
const struct mcast_spans *plan_mcast_spans(const struct mcast_plan *p);
/* From now on no row differs and no join extends a tree: the tables do not change. */
void plan_mcast_refuse(struct mcast_plan *p);

struct mcast_leaf {
	uint32_t port;                  /* snapshot index of an end port */
	bool hears;                     /* receives; otherwise it only sends */
	bool inherited;                 /* has not registered; not counted if no tree reaches it */
};
/*
 * Sets the members of an MLID; none: the group has ended.  Returns the number of members that the
 * tree does not reach; these are left out.  plan_mcast_take() then yields the rows that changed.
 */
uint32_t plan_mcast_group(
	struct mcast_plan *p, uint16_t mlid, const struct mcast_leaf *members, uint32_t n);
/* Yields the next row that has changed since it was last taken; false: none. */
bool plan_mcast_take(struct mcast_plan *p, uint32_t *sw, uint32_t *row);
/* Whether a changed row remains to be taken. */
bool plan_mcast_has_changed(const struct mcast_plan *p);
/* The wanted row; NULL: zeros. */
const uint8_t *plan_mcast_row(const struct mcast_plan *p, uint32_t sw, uint32_t row);
/* Whether a Set is due for the row: it is known to differ, or it is unknown and its block is
 * wanted. */
bool plan_mcast_differs(
	const struct mcast_plan *p, const struct mft_seen *t, uint32_t sw, uint32_t row);
/* The same in two parts.  'removes': known entries must be removed.  'adds': entries must be
 * added, or the row is unknown. */
void plan_mcast_compare(const struct mcast_plan *p, const struct mft_seen *t, uint32_t sw,
	uint32_t row, bool *removes, bool *adds);
/* The wanted row without entries that the switch does not hold yet; the whole wanted row if the
 * present row is unknown. */
void plan_mcast_cut(const struct mcast_plan *p, const struct mft_seen *t, uint32_t sw, uint32_t row,
	uint8_t image[static MFT_BLOCK_BYTES]);
/* Number of blocks, and of positions, that may have rows; no blocks before the first group. */
uint32_t plan_mcast_blocks(const struct mcast_plan *p);
/* Whether any row of that block has ever been wanted on that switch. */
bool plan_mcast_wants(const struct mcast_plan *p, uint32_t sw, uint32_t block);
uint32_t plan_mcast_positions(const struct mcast_plan *p, uint32_t sw);
/* Whether the span of that MLID reaches the switch that an end port is at. */
bool plan_mcast_reaches(const struct mcast_plan *p, uint16_t mlid, uint32_t port);
/* Whether the spans are legal for packets of these SLs (bits). */
bool plan_mcast_serves(struct mcast_plan *p, uint16_t sls);
/* Whether the tree of 'mlid' passes through that switch. */
bool plan_mcast_passes(const struct mcast_plan *p, uint16_t mlid, uint32_t sw);
/* Whether every switch of the tree is known to hold the wanted rows. */
bool plan_mcast_settled(const struct mcast_plan *p, const struct mft_seen *t, uint16_t mlid);
/* Makes plan_mcast_take() yield the rows of this tree again. */
void plan_mcast_again(struct mcast_plan *p, uint16_t mlid);

#endif
