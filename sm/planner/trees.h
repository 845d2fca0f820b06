/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * trees.h - multicast trees beside the unicast tables of a plan, each plan verified.
 * Room: sm/planner.  Private to the room.
 *
 * Trees stay what they were in the served plan wherever the new unicast tables allow it.  If the
 * verifier rejects them, they are made anew from nothing; if it rejects those too, no multicast
 * table is written, so the old trees stay, and the log says why.
 * Invariant: rows that the verifier rejects are never part of a plan.
 * Where to look next: sm/mcast/mcast_spans.h, fabric/verify/verify_trees.h.
 */
#ifndef HEDDLE_SM_PLANNER_TREES_H
#define HEDDLE_SM_PLANNER_TREES_H

#include "sm/plan/plan.h"
#include "sm/planner/sweep_job.h"

/* Fills p->mcast, for the tables in p->fwd and the members in j->trees. */
void trees_make(struct sweep_job *j, struct plan *p);

#endif
