/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * groups.h - multicast groups: their tables across sweeps, and joins whose answers are held until
 * the tables are written.
 * Room: sm/registry.  Pure.
 *
 * sm/sub/mcast.h has the members of each group, sm/mcast/mcast.h computes the tree that connects the
 * members of an MLID.  This file connects the two.  Memberships change at any time, also during a
 * sweep.  Then the tree is planned twice: in the served plan, whose tables a round writes at once,
 * and in the plan that the sweep has made and not yet written.  If the tree of a join cannot be
 * written, the join is undone and answered with "no resources".
 */
#ifndef HEDDLE_SM_REGISTRY_GROUPS_H
#define HEDDLE_SM_REGISTRY_GROUPS_H

#include "sm/registry/group_trees.h"
#include "sm/registry/registry.h"

/*
 * Removes all members and all groups except those of the configured partitions.  Held answers are
 * dropped and counted in 'stats'.
 */
void groups_reset(struct registry *reg, struct subnet *net, struct sa_stats *stats);
void groups_free(struct registry *reg);
/*
 * Creates the groups of the configured partitions; deletes those of partitions that were removed.
 */
void groups_set_partitions(struct registry *reg, const struct subnet *net);

/* Copies all members for a job, and records from now on which groups change. */
void groups_copy(struct registry *reg, struct group_trees *t);
/*
 * A new plan was made with the members in 't': plans those trees again whose groups have changed
 * since groups_copy().
 */
void groups_plan(struct registry *reg, const struct subnet *net, const struct plan *plan,
	const struct group_trees *t);

void groups_leave_served(struct registry *reg, struct subnet *net);
/* Removes the members and services of ports that are gone. */
void groups_swept(struct registry *reg, const struct subnet *net);
/* The SA index is new: members whose port lacks the P_Key of their group leave it. */
void groups_check_members(
	struct registry *reg, const struct subnet *net, const struct group_trees *t);

/*
 * The join bits that a member had before a Set of an MCMemberRecord; the answer waits for the bits
 * that the Set adds.
 */
uint8_t groups_joined_before(const struct registry *reg, const struct dgram *req);
/* Holds the answer 'mad' (256 bytes) to a granted Set until the tables are written. */
void groups_hold_answer(struct registry *reg, struct subnet *net, const struct dgram *req,
	const uint8_t *mad, uint8_t before);
/* Writes changed trees.  'coming': the plan that a sweep is about to write; NULL: none. */
void groups_pump(struct registry *reg, struct subnet *net, const struct plan *coming);
void groups_pause(struct registry *reg, struct subnet *net, bool pause);
/* A request of owner OWN_MFT has ended. */
void groups_end(struct registry *reg, const struct txn_end *e);

/* The number of usable MLIDs: the least MulticastFDBCap of all switches; 0: unknown. */
uint32_t groups_mlids(const struct snapshot *s);
/* The MulticastFDBTop for all switches: the last usable MLID; 0: leave it as it is. */
uint16_t groups_mft_top(const struct snapshot *s);
/*
 * A new master has put into net->tables.mft what the switches of 's' hold: all groups are dropped.
 */
void groups_found(struct registry *reg, const struct subnet *net, const struct snapshot *s);

#endif
