/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sa_requests.h - requests to subnet administration: who waits, whose turn it is, what an answer
 * costs.
 * Room: sm/manager.  Pure.
 *
 * sm/sa makes the answers.  Here is what keeps one requester from holding up the others: each
 * source has a line of its own (sm/sa/queue.h), gets answers at its rate (sm/sa/limit.h), and BUSY
 * when its line is full; and a turn answers so much, then the device is looked at again.  An answer
 * that depends on tables is held by the registry until these are written.
 */
#ifndef HEDDLE_SM_MANAGER_SA_REQUESTS_H
#define HEDDLE_SM_MANAGER_SA_REQUESTS_H

#include "sm/registry/registry.h"
#include "sm/sa/limit.h"
#include "sm/sa/queue.h"

struct sa_requests {
	struct sa_limit *limit;
	struct sa_queue *queue;         /* requests that wait for their turn */
	struct sa_stats stats;
	unsigned answers_left;          /* of this turn */
	/* Likewise: BUSY to those whose line is full; more are only counted. */
	unsigned busy_left;
	/* A Set or Delete was answered since the turn began: there may be tables to write. */
	bool registered;
};

void sa_requests_init(struct sa_requests *q);
void sa_requests_free(struct sa_requests *q);
/* A turn begins. */
void sa_requests_begin_turn(struct sa_requests *q);
/* A request came in.  True: it waits for its turn, with d->more. */
bool sa_requests_receive(struct sa_requests *q, struct subnet *n, struct dgram *d);
/*
 * Answers one of the requests that wait, and takes what that cost off the turn; false: none waits.
 * '*made': 'out' is the answer, whose 'more' is the caller's; otherwise there is none, or it comes
 * later.
 */
bool sa_requests_answer_next(struct sa_requests *q, struct subnet *n, struct registry *reg,
	struct dgram *out, bool *made);
/* Requests wait, or what was answered goes on. */
bool sa_requests_wait(const struct sa_requests *q);

#endif
