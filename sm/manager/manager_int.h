/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * manager_int.h - what a manager is made of: one owner for each piece of state.
 * Room: sm/manager.
 */
#ifndef HEDDLE_SM_MANAGER_MANAGER_INT_H
#define HEDDLE_SM_MANAGER_MANAGER_INT_H

#include "sm/echo/echo.h"
#include "sm/ha/election.h"
#include "sm/manager/manager.h"
#include "sm/manager/sa_requests.h"
#include "sm/notify/notify.h"
#include "sm/registry/registry.h"
#include "sm/status/documents.h"
#include "sm/subnet/subnet.h"
#include "sm/sweep/sweep.h"
#include "sm/watch/watch.h"

struct manager {
	struct subnet net;              /* what all rooms work with */
	struct election election;       /* who leads */
	struct watch watch;             /* between sweeps */
	struct registry registry;       /* what hosts registered */
	struct sweep sweep;
	struct notify notify;           /* traps in, reports out */
	struct echo echo;               /* the CM echo service */
	struct sa_requests requests;
	struct documents documents;     /* that jobs make */
	struct monotime last_tick;
	uint64_t unknown_mads;
	void (*process_facts)(void *arg, struct process_facts *f);      /* may be NULL */
	void *process_arg;
};

/*
 * dispatch.c: a datagram that is no answer to a request of ours.  True: it waits for its turn, with
 * d->more.
 */
bool dispatch_request(struct manager *m, struct dgram *d);
/*
 * Hands the ends of transactions to their owners.  'between_sweeps': only those of owners that go
 * on when a sweep is given up; the others' are dropped.
 */
void dispatch_ends(struct manager *m, bool between_sweeps);

/* life.c: gives up whatever is under way, and looks first who leads.  The caller says why. */
void manager_start_over(struct manager *m);

#endif
