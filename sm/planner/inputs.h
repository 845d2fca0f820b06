/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * inputs.h - the input of routing engines besides the snapshot: the present tables, hosts that are
 * absent, state of the run before.
 * Room: sm/planner.  Pure.
 *
 * Its purpose is that an entry that may stay as it is stays.  The present tables are those
 * that the switches answered with, or that this manager wrote and therefore did not read again.  A
 * host is absent if a LID is stored for it, the intended topology knows its port, and nothing is
 * connected there: its entries stay, so that switching it off and on writes nothing.
 */
#ifndef HEDDLE_SM_PLANNER_INPUTS_H
#define HEDDLE_SM_PLANNER_INPUTS_H

#include "sm/planner/sweep_job.h"

/* Fills the members of '*in' that depend on earlier runs, for the plan with these LIDs.  't' is what
 * topology_plan() returned, and j->topology.diff compares it with the snapshot.  Owned by 'a'. */
void inputs_make(const struct sweep_job *j, const struct intended *t, const struct lid_map *lids,
	struct arena *a, struct route_in *in);

#endif
