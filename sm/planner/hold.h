/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * hold.h - whether a plan follows the intended topology, or keeps the entries that it found.
 * Room: sm/planner.  Pure.
 *
 * Managers share no state, so one that begins to lead may know less than the one before: it has no
 * intended topology, or that of another fabric, or one from before the other led.  Then damage may
 * look intended, and what follows from the topology would move paths that nothing is wrong with.
 * The forwarding tables decide, because the manager before made them.
 * - If the topology leads to the tables in force, it is the one that they were made for.
 * - If it does not, it is in doubt: legal entries stay as they are, and only broken ones are
 *   replaced, until it does or an operator decides (heddlectl topology adopt or rebalance).
 *
 * Invariant: a plan in doubt moves no entry whose path is there and free of cycles together with
 * the others.
 * Where to look next: topology.h (the topology over the life of a manager), routes.c (the user).
 */
#ifndef HEDDLE_SM_PLANNER_HOLD_H
#define HEDDLE_SM_PLANNER_HOLD_H

#include "sm/planner/sweep_job.h"

/* Whether the topology of this plan is in doubt.  in->previous has been found. */
bool hold_doubts(const struct sweep_job *j, const struct route_in *in);
/* Adds to in->absent the LIDs that no port has, and that the tables lead to a port without a link:
 * those of hosts that are off, which the stored LIDs or the topology do not know.  Owned by 'a'. */
void hold_find_absent(const struct sweep_job *j, struct arena *a, struct route_in *in);
/* Whether two tables agree on all LIDs that are in use or absent. */
bool hold_tables_agree(
	const struct route_in *in, const struct fwd_tables *a, const struct fwd_tables *b);
/* A copy of the tables in force, owned by 'a', if the verifier accepts them; false: it does not. */
bool hold_present(const struct sweep_job *j, const struct route_in *in, enum verify_scope scope,
	struct arena *a, struct fwd_tables *out, struct verify_result *v);

#endif
