/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * group_trees.h - the members of all multicast groups, copied for another thread.
 * Room: sm/registry.  Pure.
 *
 * Memberships change while a job of the sweep plans all trees, so the job gets a copy (struct
 * group_trees): one tree for each MLID, in the order of MLIDs, with its members one after the other
 * in one array.  Groups that share an MLID share a tree. Members that a new master found in the
 * tables ("inherited", grace.h) are among them, without having registered. The job adds its
 * findings to the copy: members that no tree reaches, and members that lack the P_Key of their
 * group.
 */
#ifndef HEDDLE_SM_REGISTRY_GROUP_TREES_H
#define HEDDLE_SM_REGISTRY_GROUP_TREES_H

#include "fabric/snapshot/snapshot.h"
#include "sm/plan/inherited.h"
#include "sm/mcast/mcast.h"
#include "sm/sa/sa.h"

struct group_member {
	uint64_t guid, owner;           /* a port's, or an alias and the port that has it */
	uint32_t port;                  /* a snapshot index; FAB_NONE: it is not there */
	bool hears;                     /* it receives packets; other members only send */
	bool inherited;                 /* known from tables only; it has not registered */
	bool lacks_pkey;                /* its port is known not to have the P_Key of the group */
};

struct group_tree {
	uint16_t mlid;
	uint16_t pkey;                  /* 0: no group has the MLID yet */
	uint16_t sls;                   /* of its groups, as bits; SL 0 if none has the MLID yet */
	bool inherited;                 /* it was found in the tables */
	uint32_t end;                   /* of its members; they begin where the tree before ends */
	uint32_t beyond;                /* members that the tree does not reach */
};

struct group_trees {
	struct group_tree *v;
	struct group_member *members;
	uint32_t n, nmembers, cap_members;
	uint32_t nlacking;              /* members with lacks_pkey */
};

/* Fills '*t', which is zero.  'inherited' may be NULL. */
void group_trees_make(struct group_trees *t, const struct mcast *mcast,
	const struct alias_table *alias, const struct inherited *inherited);
void group_trees_clear(struct group_trees *t);
/* Finds the ports of all members. */
void group_trees_find(struct group_trees *t, const struct snapshot *s);
/*
 * Plans all trees in 'p', after group_trees_find() in its snapshot; the sweep compares all rows itself, so none is left in the plan's list of
 * changed rows.
 */
void group_trees_plan(struct group_trees *t, struct mcast_plan *p);
/* Finds the ports of all members, and the members that lack the P_Key of their group. */
void group_trees_check_pkeys(
	struct group_trees *t, const struct snapshot *s, const struct sa_index *x);
/*
 * Whether the P_Key table of that port of 's' was read and does not have the key; false for
 * FAB_NONE.
 */
bool group_trees_port_lacks_pkey(
	const struct snapshot *s, const struct sa_index *x, uint32_t port, uint16_t pkey);

#endif
