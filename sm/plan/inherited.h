/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * inherited.h - members of MLIDs as the multicast tables of an earlier manager show them.
 * Room: sm/plan.  Pure.  In: tables that were read, each new snapshot.  Out: MLIDs in use, end
 * ports on their trees.
 *
 * Of the trees that are found only the ends are kept: switch ports that lead to a host (or are port
 * 0) and have their bit set.  The links between switches are planned anew over these ends and the
 * registered members, so whatever became of the fabric, the result is a tree; where nothing changed
 * it is the one that was found.
 */
#ifndef HEDDLE_SM_PLAN_INHERITED_H
#define HEDDLE_SM_PLAN_INHERITED_H

#include "fabric/snapshot/snapshot.h"
#include "sm/plan/mcast.h"

struct inherited;

/* Takes 'rows', which knows what the switches of 's' hold; 'mlids': how many MLIDs from 0xC000 on
 * count. */
struct inherited *inherited_new(struct mft_seen *rows, const struct snapshot *s, uint32_t mlids);
void inherited_free(struct inherited *h);               /* NULL is fine */
/*
 * There is a new snapshot: a port whose link is down, or that leads to another host than before, is
 * no member any more.  A port whose host did not answer stays one for later snapshots.
 */
void inherited_look(struct inherited *h, const struct snapshot *s);
uint32_t inherited_count(const struct inherited *h);
/* The first inherited MLID from 'mlid' on; 0: none. */
uint16_t inherited_next(const struct inherited *h, uint32_t mlid);
bool inherited_has(const struct inherited *h, uint16_t mlid);

/* A member without a name. */
struct inherited_member {
	/* an end port; of a switch: for a host behind it that only sends */
	uint64_t port_guid;
	bool hears;
};
struct inherited_members {
	struct inherited_member *v;
	uint32_t n, cap;
};
/* Those of 'mlid'; the caller frees 'l->v'. */
void inherited_members(const struct inherited *h, uint16_t mlid, struct inherited_members *l);
/* That end port of 's' is no inherited member of 'mlid' any more: it registered, or may not be
 * one. */
void inherited_release(struct inherited *h, const struct snapshot *s, uint16_t mlid, uint32_t port);

#endif
