/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * registry.h - the registrations of hosts with the subnet manager, and the tables that depend on
 * them.
 * Room: sm/registry.  Pure.
 *
 * Hosts register four kinds of things by SA requests: memberships of multicast groups, alias GUIDs,
 * services, and subscriptions to notices.  sm/sub has the data structures of each and the rules by
 * which a request is granted; sm/sa calls them.  This room owns the instances and does the rest:
 *   groups.c        memberships become multicast tables; joins wait until those are written
 *   group_trees.c   the members of all groups, copied so that another thread can plan their trees
 *   aliases.c       alias GUIDs become GUID tables of ports; requests wait likewise
 *   grace.c         after a takeover: keeps the existing trees until hosts have registered again
 *   table_round.c   how groups.c and aliases.c write tables beside the sweeps
 *   gid_events.c    GIDs that came and went, queued for sm/notify
 *
 * The registry belongs to the master: hosts register with the SM that leads.  A manager that stops
 * leading resets it (registry_reset()).  Each kind has a reset of its own, which leaves the other
 * kinds alone.  Only the MLIDs that MGIDs had (mgids) outlive a reset; the daemon stores them on
 * disk.
 *
 * A sweep calls the registry in this order: aliases_reader() and grace_reader() return readers for
 * the tables that a new master has to read; aliases_found() and grace_found() take the results;
 * grace_look() before the plan is computed, groups_copy() for the jobs, aliases_plan() and
 * groups_plan() after the plan was made; registry_leave_served() and registry_swept() when the plan
 * becomes the served one.
 */
#ifndef HEDDLE_SM_REGISTRY_REGISTRY_H
#define HEDDLE_SM_REGISTRY_REGISTRY_H

#include "sm/plan/plan.h"
#include "sm/registry/gid_events.h"
#include "sm/sa/sa.h"
#include "sm/subnet/subnet.h"

struct aliases;
struct grace;
struct groups;

struct registry {
	struct mcast *mcast;            /* multicast groups and their members */
	struct groups *groups;          /* their tables, and joins that wait for them */
	struct grace *grace;            /* the trees that a new master inherited */
	struct alias_table *alias;      /* alias GUIDs; a new master reads them from the ports */
	struct aliases *aliases;        /* their tables, and requests that wait for them */
	struct inform *inform;          /* subscriptions to notices */
	struct services *services;
	struct gid_events gid_events;   /* not reported to subscribers yet */
	struct mgid_map *mgids;         /* MLIDs that MGIDs had, in earlier runs too; never reset */
	struct mgid_row *mgid_rows;     /* returned by registry_take_mgids() */
	struct monotime mgids_taken;
};

/* Creates an empty registry; 'rows' are the MLIDs of earlier runs, copied. */
void registry_begin(
	struct registry *reg, struct subnet *net, const struct mgid_row *rows, uint32_t n);
void registry_free(struct registry *reg);
/*
 * Clears everything except 'mgids'.  Held answers are dropped, and counted in 'stats'.
 */
void registry_reset(struct registry *reg, struct subnet *net, struct sa_stats *stats);

/*
 * The served snapshot and plan are about to be replaced: cancels the rounds that use their routes.
 */
void registry_leave_served(struct registry *reg, struct subnet *net);
/*
 * The served snapshot and plan have been replaced: ends registrations of ports that are gone.
 * Requires a plan.
 */
void registry_swept(struct registry *reg, struct subnet *net);
/*
 * The served snapshot and plan have been replaced: queues events for ports that came or went since
 * 'old', and ends the subscriptions of ports that are gone.
 */
void registry_compare_ports(struct registry *reg, const struct subnet *net,
	const struct snapshot *old, const struct lid_map *old_lids);
/*
 * While paused, no table is written and no held answer sent.  Pausing cancels the rounds under way.
 */
void registry_pause(struct registry *reg, struct subnet *net, bool pause);

/*
 * What the sweep in progress is about to write.  Rounds keep the trees of its plan up to date; no
 * round of aliases begins while it writes GUID tables.
 */
struct registry_sweep {
	const struct plan *plan;        /* not served yet; NULL: there is none */
	bool writes_guids;
};
/*
 * Ends the grace time when it is over, writes tables that changed, and answers the requests that
 * waited for them.
 */
void registry_pump(struct registry *reg, struct subnet *net, struct registry_sweep sweep);
bool registry_deadline(const struct registry *reg, const struct subnet *net, struct monotime *at);

/*
 * The MLIDs of all MGIDs, the oldest first, when they have changed since the last call, and no more
 * often than every 100 ms unless 'last' is set.  '*rows' is the registry's until the next call.
 * False: nothing to store.
 */
bool registry_take_mgids(struct registry *reg, struct monotime now, bool last,
	const struct mgid_row **rows, uint32_t *n);

#endif
