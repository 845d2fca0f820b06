/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * slots.h - the intended hosts as LIDs, for engines that fill the least loaded port.
 * Room: sm/route/tree.  Pure; private to the room.
 *
 * What fill.h gives to one LID depends on all LIDs before it.  So that hosts that come and go move
 * nothing, rows are filled for slots instead: one for each host of the intended topology (with
 * LMC, one per LID), whether it is there or not.  A LID then takes what its slot has.
 */
#ifndef HEDDLE_SM_ROUTE_TREE_SLOTS_H
#define HEDDLE_SM_ROUTE_TREE_SLOTS_H

#include "sm/route/model/fill.h"
#include "sm/route/tree/frame.h"

struct slots {
	const struct frame *f;
	/* f->whole with slots in place of LIDs; column by column */
	struct route_model m;
	uint16_t *of;                   /* per f->now.host_lids[]: its slot; 0: none */
	/* per column: its LIDs are consecutive, and so are their slots */
	bool *run;
};

/* 'conf': what is preferred among slots; may be NULL.  Owned by 'a'. */
void slots_make(
	struct slots *t, const struct frame *f, const struct route_conf *conf, struct arena *a);
/* Writes the row of LIDs from 'from', the row of slots: 255 where there is no slot. */
void slots_copy(const struct slots *t, const struct fill *c, const uint8_t *from, uint8_t *row);

#endif
