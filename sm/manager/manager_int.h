/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * manager_int.h - the parts of a manager: one owner for each piece of state.
 * Room: sm/manager.
 *
 * Each member belongs to one room, and other rooms get a const view of it or call its owner.
 * dispatch.c passes datagrams and ends of transactions to the owners; manager.c has the turns;
 * views.c has the read-only functions.
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
	struct subnet net;              /* state shared by all rooms */
	struct election election;       /* SM election, polls, handover */
	struct watch watch;             /* monitoring between sweeps */
	struct registry registry;       /* what hosts registered */
	struct sweep sweep;
	struct notify notify;           /* traps in, reports out */
	struct echo echo;               /* the CM echo service */
	struct sa_requests requests;
	struct documents documents;     /* long documents, made by jobs */
	struct monotime last_tick;
	uint64_t unknown_mads;
	void (*process_facts)(void *arg, struct process_facts *f);      /* may be NULL */
	void *process_arg;
};

/*
 * dispatch.c: handles a datagram that is not a response to one of our requests.  True: it was
 * queued, with d->more.
 */
bool dispatch_request(struct manager *m, struct dgram *d);
/*
 * Passes ended transactions to their owners.  'between_sweeps': drops those of owners that belong
 * to a sweep.
 */
void dispatch_ends(struct manager *m, bool between_sweeps);

/* views.c: keeps node descriptions that were read, if no job reads those that are served. */
void manager_keep_descriptions(struct manager *m);
/* manager.c: abandons all work in progress; the next sweep repeats the election. */
void manager_start_over(struct manager *m);

#endif
