/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * notify.h - traps in, reports out.
 * Room: sm/notify.  Pure.
 *
 * Devices send traps to the master SM.  A trap has two consequences.  First, something in the
 * subnet may have changed.  A trap can be forged, so its contents are never used as facts: they
 * only say what to check.  Therefore notify_trap() does not act; it returns a struct trap_look, and
 * its caller reads the ports of the switch, reads the description, or schedules a sweep.  Second,
 * the notice is reported to subscribers: hosts subscribe to notices in the SA (sm/sub/inform.h),
 * and a notice goes to every host whose subscription matches and that shares a partition with the
 * port concerned.
 *
 * Notices have three sources: traps of devices; GIDs that came into service or went out of it
 * (sm/registry/gid_events.h); multicast groups that were created or deleted (mcast_next_event()).
 * notify_pump() takes them from there, a bounded number at one time, and queues a report for each
 * subscriber (sm/sub/reports.h).  A subscriber that does not answer a report loses its
 * subscription.
 *
 * traps.c receives traps, reports.c sends reports.  This room reads the registry and ends
 * subscriptions in it; the registry does not call this room.
 */
#ifndef HEDDLE_SM_NOTIFY_NOTIFY_H
#define HEDDLE_SM_NOTIFY_NOTIFY_H

#include "libmad/attr/sm_attr.h"
#include "sm/registry/registry.h"
#include "sm/sub/reports.h"
#include "sm/sub/traps.h"
#include "sm/subnet/subnet.h"

struct notify {
	struct reports *reports;                /* queued, or sent and not answered yet */
	uint16_t reports_gen; /* incremented by a reset; older ends are ignored */
	uint32_t report_sub[REPORTS_SLOTS];     /* the subscription whose report a slot holds */
	struct traps *trap_kinds;               /* recent traps, to limit repeated ones */
	uint64_t traps, traps_forged;           /* received; not sent by the port they name */
};

void notify_begin(struct notify *t);
void notify_free(struct notify *t);
/* Drops all queued reports and all recorded traps. */
void notify_reset(struct notify *t);

/* What to check after a trap. */
enum trap_look_kind {
	TRAP_LOOK_NOTHING,
	TRAP_LOOK_SUBNET,               /* sweep */
	TRAP_LOOK_SWITCH,               /* read its ports; sweep unless it only flaps */
	TRAP_LOOK_PORT,                 /* sweep unless the link of that port flaps */
	TRAP_LOOK_NODE,                 /* sweep: read the node, not what it is connected to */
	TRAP_LOOK_DESCRIPTION,          /* read the description of the node again */
};
struct trap_look {
	enum trap_look_kind kind;
	const char *why;                /* for the log of a sweep; static text */
	uint32_t node;                  /* of the served snapshot: all kinds but SUBNET */
	uint8_t port;                   /* PORT */
	uint64_t tid;                   /* SWITCH: of the trap; 0: the trap is of another port */
};
/*
 * A trap was received.  As master: represses it, reports it to subscribers, and returns what to
 * check.  As standby: does nothing.  Only the master may repress a trap; until it does, the device
 * repeats it.
 */
struct trap_look notify_trap(
	struct notify *t, const struct registry *reg, struct subnet *net, struct dgram *d);

/* Whether notices are left for another call of notify_pump(). */
bool notify_waits(const struct registry *reg, const struct subnet *net);
/* When a delayed trap is reported next; false: none is delayed. */
bool notify_deadline(const struct notify *t, struct monotime *at);
/* Makes reports from notices, and sends those that are due. */
void notify_pump(struct notify *t, struct registry *reg, struct subnet *net);
/* A report (owner OWN_REPORT) has ended. */
void notify_end(
	struct notify *t, struct registry *reg, struct subnet *net, const struct txn_end *e);

/*
 * For the files of this room: reports a trap to subscribers, at once or when its repetition limit
 * allows.
 */
void notify_tell_trap(struct notify *t, const struct registry *reg, const struct subnet *net,
	const struct notice *trap, uint64_t tid);

#endif
