/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * balance.h - broken entries, placed by the loads of all links.
 * Room: sm/route/tree.  Pure; private to the room.  docs/routing.md.
 *
 * settle.h chooses for a broken entry by counts of one switch, so that an entry does not depend on
 * others far away.  Where no tables are in force, nothing can move: then what settle.h chose is
 * chosen again, with the number of host pairs on each link in view.  Entries at their intended ports
 * stay there.
 */
#ifndef HEDDLE_SM_ROUTE_TREE_BALANCE_H
#define HEDDLE_SM_ROUTE_TREE_BALANCE_H

#include "sm/route/tree/frame.h"
#include "sm/route/model/updown.h"

/* Words per switch of 'open' below. */
size_t balance_words(const struct frame *f);
/* 'open' [nsw][balance_words()]: a bit for each of host_lids[] whose entry at this switch may be
 * moved to another legal port.  'moved' [nsw], as in settle.h, is kept right; it may be NULL. */
void balance_tables(const struct frame *f, const struct updown *u, const uint64_t *open,
	struct fwd_tables *t, uint32_t (*moved)[256]);

#endif
