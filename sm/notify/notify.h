/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * notify.h - traps in, reports out.
 * Room: sm/notify.  Pure.
 *
 * Devices send traps to the SM of their master.  Two things follow from a trap.  First, something
 * in the subnet may have changed.  Nothing in a trap is believed, it only says where to look: so
 * notify_trap() does not act, it returns a struct trap_look, and its caller asks the switch, reads
 * the description, or schedules a sweep.  Second, subscribers want to be told: hosts subscribe to
 * notices in the SA (sm/sub/inform.h), and each notice goes to all whose subscription matches and
 * who share a partition with what it is about.
 *
 * Notices have three sources: traps of devices; GIDs that came into service or went out of it
 * (sm/registry/gid_events.h); multicast groups that were created or deleted (mcast_next_event()).
 * notify_pump() takes them from there, a bounded number at one time, and puts a report into the
 * line of each subscriber (sm/sub/reports.h).  A subscriber that does not answer its report loses
 * its subscription.
 *
 * traps.c is the way in, reports.c the way out.  This room reads the registry and ends
 * subscriptions in it; the registry knows nothing of this room.
 */
#ifndef HEDDLE_SM_NOTIFY_NOTIFY_H
#define HEDDLE_SM_NOTIFY_NOTIFY_H

#include "libmad/attr/sm_attr.h"
#include "sm/registry/registry.h"
#include "sm/sub/reports.h"
#include "sm/sub/traps.h"
#include "sm/subnet/subnet.h"

struct notify {
	struct reports *reports;                /* that wait for their turn, or for an answer */
	uint16_t reports_gen; /* counts the resets: ends of older ones are ignored */
	uint32_t report_sub[REPORTS_SLOTS];     /* the subscription whose report a slot holds */
	struct traps *trap_kinds;               /* traps that were told lately, and repeat */
	uint64_t traps, traps_forged;           /* received; of them not from the port they name */
};

void notify_begin(struct notify *t);
void notify_free(struct notify *t);
/* No report waits, and no trap was told. */
void notify_reset(struct notify *t);

/* What a trap says is worth a look. */
enum trap_look_kind {
	TRAP_LOOK_NOTHING,
	TRAP_LOOK_SUBNET,               /* sweep */
	TRAP_LOOK_SWITCH,               /* read its ports; sweep unless it only flaps */
	TRAP_LOOK_PORT,                 /* sweep unless the link of that port flaps */
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
 * A trap came in.  As master: represses it, tells subscribers, and returns what is worth a look.
 * As a standby: nothing.  Only the master may silence a trap; until it does, the device repeats it.
 */
struct trap_look notify_trap(
	struct notify *t, const struct registry *reg, struct subnet *net, struct dgram *d);

/* Whether there is more to tell than one call of notify_pump() did. */
bool notify_waits(const struct registry *reg, const struct subnet *net);
/* When a trap that was held back is told; false: none is. */
bool notify_deadline(const struct notify *t, struct monotime *at);
/* Turns what happened into reports and sends those whose turn it is. */
void notify_pump(struct notify *t, struct registry *reg, struct subnet *net);
/* A report (owner OWN_REPORT) has ended. */
void notify_end(
	struct notify *t, struct registry *reg, struct subnet *net, const struct txn_end *e);

/*
 * Between the files of this room: tells subscribers of a trap, at once or when its like may be told
 * again.
 */
void notify_tell_trap(struct notify *t, const struct registry *reg, const struct subnet *net,
	const struct notice *trap, uint64_t tid);

#endif
