/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * group_part.h - a group of switches as a fabric of its own: what an engine gets to route it.
 * Room: sm/route (prefix group_part_).  Pure.
 *
 * The part has the switches of the group that are in the fabric, the hosts attached to them, and
 * the links among all of these.  LIDs are those of the whole fabric; those of other ports have no
 * owner.  Present tables and the intended topology are narrowed likewise, so that an engine keeps
 * entries of a group as it keeps those of a fabric.
 *
 * Invariant: entries that leave the group are unknown in the part, because its links do.
 * Where to look next: groups.h, which puts the results together.
 */
#ifndef HEDDLE_SM_ROUTE_GROUP_PART_H
#define HEDDLE_SM_ROUTE_GROUP_PART_H

#include "sm/conf/routing/groups.h"
#include "sm/route/model/engine.h"

struct group_part {
	struct arena arena;
	struct snapshot *s;
	struct intended *intended; /* of the group; NULL: the part is taken as intended */
	struct lid_map lids;
	struct route_conf conf;
	struct fwd_tables previous;
	struct route_in in; /* all of the above */
	uint32_t *whole_sw; /* per switch ordinal: that of the whole fabric */
	uint64_t *lid; /* bits: LIDs of the group, those of absent hosts too */
};

/* Makes the part of in->snapshot for 'g'.  False: 'why' has a sentence.  To be cleared either
 * way. */
bool group_part_make(struct group_part *p, const struct route_in *in, const struct routing_group *g,
	char *why, size_t why_len);
void group_part_clear(struct group_part *p);

#endif
