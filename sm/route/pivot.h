/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pivot.h - entries without an up/down path, filled by way of one leaf.
 * Room: sm/route.  Pure; private to the room.  docs/routing.md.
 */
#ifndef HEDDLE_SM_ROUTE_PIVOT_H
#define HEDDLE_SM_ROUTE_PIVOT_H

#include "sm/route/roots.h"
#include "sm/route/updown.h"

/* Fills what it can of the entries at 255 in 'out', so that the dependencies stay acyclic; counts
 * in 'r' what was completed, what stays declared, and what is unreachable from switches with hosts
 * (with evidence); 'lost' [ncols bits, zero]: the columns that are unreachable from some switch
 * with hosts. */
void pivot_complete(const struct route_model *m, const struct updown *u, const struct roots *roots,
	struct fwd_tables *out, struct route_report *r, uint64_t *lost);

#endif
