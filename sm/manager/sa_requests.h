/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sa_requests.h - requests to the SA: queues, rate limits, and the work of a turn.
 * Room: sm/manager.  Pure.
 *
 * sm/sa makes the answers.  This file ensures that one requester cannot delay the others.  Each
 * source has its own queue (sm/sa/queue.h) and its own rate (sm/sa/limit.h); requests to a full
 * queue are answered with BUSY.  The work of a turn is limited, so that the device is polled again
 * soon.  If an answer depends on tables, the registry holds it until they are written.
 */
#ifndef HEDDLE_SM_MANAGER_SA_REQUESTS_H
#define HEDDLE_SM_MANAGER_SA_REQUESTS_H

#include "sm/registry/registry.h"
#include "sm/sa/limit.h"
#include "sm/sa/queue.h"

struct sa_requests {
	struct sa_limit *limit;
	struct sa_queue *queue;         /* queued requests */
	struct sa_stats stats;
	unsigned answers_left;          /* of this turn */
	/* BUSY answers left of this turn; further requests to full queues are only counted. */
	unsigned busy_left;
	/* A Set or Delete was answered since the turn began: there may be tables to write. */
	bool registered;
};

void sa_requests_init(struct sa_requests *q);
void sa_requests_free(struct sa_requests *q);
/* A turn begins. */
void sa_requests_begin_turn(struct sa_requests *q);
/* A request was received.  True: it was queued, with d->more. */
bool sa_requests_receive(struct sa_requests *q, struct subnet *n, struct dgram *d);
/*
 * Answers one of the queued requests, and subtracts its cost from the turn; false: none is left.
 * '*made': 'out' is the answer, and its 'more' belongs to the caller.  Otherwise there is no
 * answer, or the registry holds it.
 */
bool sa_requests_answer_next(struct sa_requests *q, struct subnet *n, struct registry *reg,
	struct dgram *out, bool *made);
/* Whether requests are queued, or an answered request causes further work. */
bool sa_requests_wait(const struct sa_requests *q);

#endif
