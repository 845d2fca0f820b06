/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * queue.h - which changes of an ordered phase may be sent now.
 * Room: sm/apply, inside only.  Pure: the time comes in.
 *
 * Each change waits for its predecessors to be confirmed, and after some of them for a drain time.
 * There is no barrier: a change that is not confirmed holds back only what waits for it.
 */
#ifndef HEDDLE_SM_APPLY_QUEUE_H
#define HEDDLE_SM_APPLY_QUEUE_H

#include "sm/order/order.h"
#include "util/heap.h"
#include "util/monotime.h"

struct apply_queue {
	const struct order *order;      /* borrowed */
	/* by change: predecessors that are not confirmed; FAB_NONE once it was ready */
	uint32_t *waiting;
	int64_t *drained;               /* by change: when its last drain time ends, in us */
	uint32_t *follower_first;       /* [n + 1] into followers[] */
	uint32_t *followers;            /* encoded as ORDER_PRED() */
	struct heap_node *place;        /* by change: in 'ready' or in 'draining' */
	struct heap ready;              /* by index, which is the priority */
	struct heap draining;           /* by the time when they may be sent */
	uint32_t early;                 /* changes that are not late and not confirmed */
	uint32_t busy;                  /* changes in flight that are not of the last ones */
};

struct apply_queue *apply_queue_new(const struct order *o);
void apply_queue_free(struct apply_queue *q);           /* NULL is fine */
/* The next change to send; FAB_NONE: none at present. */
uint32_t apply_queue_next(struct apply_queue *q, struct monotime now);
/* A change that was sent is confirmed: those that waited only for it are ready. */
void apply_queue_confirmed(struct apply_queue *q, uint32_t index, struct monotime now);
/* A change that was sent has ended otherwise. */
void apply_queue_ended(struct apply_queue *q, uint32_t index);
/* A change that was sent is to be sent again. */
void apply_queue_again(struct apply_queue *q, uint32_t index);
/* Whether nothing is ready and nothing drains. */
bool apply_queue_is_empty(const struct apply_queue *q);
/* When the next drain time ends; false: none. */
bool apply_queue_deadline(const struct apply_queue *q, struct monotime *at);
/* Whether the change was never ready. */
bool apply_queue_is_held(const struct apply_queue *q, uint32_t index);

#endif
