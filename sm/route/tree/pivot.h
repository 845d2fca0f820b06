/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pivot.h - completes entries that have no up/down path, through one leaf switch (the pivot).
 * Room: sm/route/tree.  Pure; private to the room.  docs/routing.md.
 *
 * In a damaged tree, up/down may find no path between some switches.  Such packets first go to the
 * pivot, which turns them from down to up.  New turns are kept only if the channel dependency graph
 * stays acyclic; entries that would close a cycle remain 255.  pivot.c has the algorithm, anchor.h
 * the first pivot.
 */
#ifndef HEDDLE_SM_ROUTE_TREE_PIVOT_H
#define HEDDLE_SM_ROUTE_TREE_PIVOT_H

#include "sm/route/tree/frame.h"
#include "sm/route/tree/roots.h"
#include "sm/route/model/updown.h"

/* Fills entries at 255 in 'out' as far as the channel dependencies stay acyclic.  Counts in 'r'
 * the completed entries, the entries that remain declared, and the pairs that are unreachable
 * from switches with hosts (with evidence).  'lost' [ncols bits, zero]: receives the columns
 * that some switch with hosts cannot reach.  Returns whether anything but the anchor was needed: then
 * tables in force may have had a part in the result. */
bool pivot_complete(const struct frame *f, const struct updown *u, const struct roots *roots,
	const struct route_in *in, struct fwd_tables *out, struct route_report *r, uint64_t *lost);

#endif
