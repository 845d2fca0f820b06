/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * groups.h - tables of one engine for the whole fabric, and of others for groups of switches.
 * Room: sm/route (prefix groups_).  Pure.
 *
 * LIDs of a group are those of its switches and of the hosts attached to them.  At switches of the
 * group, entries to LIDs of the group are those of the group's engine, which sees the group alone
 * (group_part.h).  All other entries are those of the engine of the whole fabric.  So a packet to
 * the group follows the tables of the whole fabric to the first switch of the group, and then the
 * group's, which never leave it: every packet arrives, without a loop.  Credit loops are possible:
 * the caller verifies the tables as any others.
 *
 * Groups use one VL, and need a fabric that uses one VL.  A group whose engine refuses, or which
 * its own links do not connect, keeps the entries of the whole fabric; other groups stay in force.
 *
 * An engine that keeps present entries must find its own.  Those that groups replaced are in struct
 * groups_kept; without it, after a restart, the engine gets the tables in force.
 * Where to look next: sm/conf/routing/groups.h (the file), sm/planner/routes.c (who calls it).
 */
#ifndef HEDDLE_SM_ROUTE_GROUPS_H
#define HEDDLE_SM_ROUTE_GROUPS_H

#include "sm/conf/routing/groups.h"
#include "sm/route/route.h"

/* A switch whose entries a group replaced: its row as the engine of the whole fabric made it, and
 * as the group left it. */
struct groups_row {
	uint64_t guid;
	uint8_t *own, *made;
};

/* What is kept of tables until the next run; zeros: nothing. */
struct groups_kept {
	struct arena arena;
	const char *engine; /* of the whole fabric; static text */
	uint32_t stride; /* bytes of each row */
	struct groups_row *row;
	uint32_t n, room;
};

void groups_kept_clear(struct groups_kept *k);

/* Whether in->conf has groups. */
bool groups_configured(const struct route_in *in);
/* Runs 'whole' on the fabric without its state, and the engine of each group in in->conf on the
 * group, and fills '*out' and '*r' as an engine does; r->groups has what became of the groups.
 * 'before' is of the tables that in->previous may have; '*after' is filled, and the caller clears
 * it.  Both may be NULL.  Returns r->code, which is that of 'whole'. */
enum route_code groups_run(const struct route_in *in, const struct route_engine *whole,
	const struct groups_kept *before, struct groups_kept *after, struct arena *a,
	struct fwd_tables *out, struct route_report *r);
/* The scope that tables with these groups must pass. */
enum verify_scope groups_scope(const struct route_engine *whole, const struct route_groups *r);
/* Notes that the tables of '*r' are not used because of 'why', a sentence: no group is in force. */
void groups_refuse(const struct routing_groups *g, struct route_groups *r, const char *why);

#endif
