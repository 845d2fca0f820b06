/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * groups.h - multicast groups: their tables across sweeps, and joins that wait until those are
 * written.
 * Room: sm/registry.  Pure.
 *
 * sm/sub/mcast.h says who is in which group, sm/plan/mcast.h grows a tree over the members of an
 * MLID.  This file ties them together.  A membership changes at any time, so a tree is planned
 * twice if need be: in the served plan, whose tables are written at once by a round, and in the
 * plan that a sweep under way has made and not yet written. A join whose tree cannot be written is
 * taken back and answered with "no resources".
 */
#ifndef HEDDLE_SM_REGISTRY_GROUPS_H
#define HEDDLE_SM_REGISTRY_GROUPS_H

#include "sm/registry/group_trees.h"
#include "sm/registry/registry.h"

/*
 * Nobody is in a group; the groups that partitions bring along exist.  Joins that wait are counted
 * in 'stats' and forgotten.
 */
void groups_reset(struct registry *reg, struct subnet *net, struct sa_stats *stats);
void groups_free(struct registry *reg);
/*
 * Makes the groups that the configured partitions bring along; ends those of partitions that are
 * gone.
 */
void groups_set_partitions(struct registry *reg, const struct subnet *net);

/* Copies all members for a job, and notes from now on which groups change. */
void groups_copy(struct registry *reg, struct group_trees *t);
/*
 * A new plan is made, with trees as 't' had the members: plans again the trees that changed since
 * groups_copy().
 */
void groups_plan(struct registry *reg, const struct subnet *net, const struct plan *plan,
	const struct group_trees *t);

void groups_leave_served(struct registry *reg, struct subnet *net);
/* Members and services of ports that are gone end. */
void groups_swept(struct registry *reg, const struct subnet *net);
/* The SA index is new: members whose port lacks the P_Key of their group leave it. */
void groups_check_members(
	struct registry *reg, const struct subnet *net, const struct group_trees *t);

/*
 * The join bits that a member had before a Set of an MCMemberRecord; what the Set adds is waited
 * for.
 */
uint8_t groups_joined_before(const struct registry *reg, const struct dgram *req);
/* Takes the answer 'mad' (256 bytes) to a granted Set, and sends it when the tables are written. */
void groups_hold_answer(struct registry *reg, struct subnet *net, const struct dgram *req,
	const uint8_t *mad, uint8_t before);
/* Writes what has changed.  'coming': the plan that a sweep is about to write; NULL: none. */
void groups_pump(struct registry *reg, struct subnet *net, const struct plan *coming);
void groups_pause(struct registry *reg, struct subnet *net, bool pause);
/* A request of owner OWN_MFT has ended. */
void groups_end(struct registry *reg, const struct txn_end *e);

/* The least MulticastFDBCap of all switches: so many MLIDs can be used; 0: unknown. */
uint32_t groups_mlids(const struct snapshot *s);
/* The MulticastFDBTop that switches get: the last of them; 0: leave it as it is. */
uint16_t groups_mft_top(const struct snapshot *s);
/*
 * A new master has put into net->tables.mft what the switches of 's' hold: all groups are dropped.
 */
void groups_found(struct registry *reg, const struct subnet *net, const struct snapshot *s);

#endif
