/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * tree.h - what the engines ftree, updn and dnup have in common.
 * Room: sm/route/tree.  Pure; private to the room.
 *
 * Their steps are: the frame (frame.h), up/down costs of the intended topology and of the present
 * fabric (updown.h), for each switch the intended row, made legal (settle.h), completion through
 * pivots (pivot.h).  They differ in ranks, and in how the intended row is made.
 */
#ifndef HEDDLE_SM_ROUTE_TREE_TREE_H
#define HEDDLE_SM_ROUTE_TREE_TREE_H

#include "sm/route/tree/frame.h"
#include "sm/route/model/updown.h"

struct tree_kind {
	const char *name;
	/* Writes ranks of all switches; 0 is the top.  NULL: those of the intended topology. */
	void (*ranks)(const struct frame *f, uint16_t *rank, struct arena *a);
	/* Refuses fabrics that are no trees.  NULL: takes any. */
	enum route_code (*check)(const struct frame *f, const struct route_in *in,
		struct route_report *r);
	/* Writes the intended row of switch c->sw from its candidates.  NULL: fill_row(), in the
	 * intended topology. */
	void (*row)(const struct frame *f, struct fill *c, uint8_t *row);
	/* The same for one column.  NULL: every run is a full one. */
	void (*column)(const struct frame *f, struct fill *c, uint32_t col, uint8_t *row);
	bool single;                    /* the last attempt: one root */
};

enum route_code tree_run(const struct tree_kind *kind, const struct route_in *in, struct arena *a,
	struct fwd_tables *out, struct route_report *r);

#endif
