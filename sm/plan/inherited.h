/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * inherited.h - members of MLIDs, derived from multicast tables that an earlier manager wrote.
 * Room: sm/plan.  Pure.  In: tables that were read, each new snapshot.  Out: MLIDs in use, end
 * ports on their trees.
 *
 * A new master does not know the members of existing groups until hosts register again, but the
 * tables show where multicast packets go.  This module keeps only the ends of those trees: switch
 * ports with their bit set that lead to a host or are port 0.  plan_mcast_group() plans the links
 * between switches anew, over these ends and the registered members.  So the result is always a
 * tree, whatever happened to the fabric; in an unchanged fabric it delivers to the same ports.
 */
#ifndef HEDDLE_SM_PLAN_INHERITED_H
#define HEDDLE_SM_PLAN_INHERITED_H

#include "fabric/snapshot/snapshot.h"
#include "sm/mcast/mcast.h"

struct inherited;

/* Takes 'rows', which hold what the switches of 's' are known to contain.  'mlids': the number
 * of MLIDs from 0xC000 on that are considered. */
struct inherited *inherited_new(struct mft_seen *rows, const struct snapshot *s, uint32_t mlids);
void inherited_free(struct inherited *h);               /* 'h' may be NULL */
/*
 * Processes a new snapshot.  A port whose link is down, or that leads to another host than before,
 * is no longer a member.  A port whose host did not answer remains one for later snapshots.
 */
void inherited_look(struct inherited *h, const struct snapshot *s);
uint32_t inherited_count(const struct inherited *h);
/* The first inherited MLID from 'mlid' on; 0: none. */
uint16_t inherited_next(const struct inherited *h, uint32_t mlid);
bool inherited_has(const struct inherited *h, uint16_t mlid);

/* A member that is known by its port only. */
struct inherited_member {
	/* an end port; a switch's own GUID stands for hosts behind it that only send */
	uint64_t port_guid;
	bool hears;
};
struct inherited_members {
	struct inherited_member *v;
	uint32_t n, cap;
};
/* Lists the members of 'mlid'; the caller frees 'l->v'. */
void inherited_members(const struct inherited *h, uint16_t mlid, struct inherited_members *l);
/* Removes that end port of 's' from the inherited members of 'mlid': it has registered, or may
 * not be a member. */
void inherited_release(struct inherited *h, const struct snapshot *s, uint16_t mlid, uint32_t port);

#endif
