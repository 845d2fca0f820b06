/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * queue.h - the request queue: one queue per source port, served in turn.
 * Room: sm/sa.  Pure.
 *
 * A source that sends thousands of requests delays only itself: a client with one request waits for
 * one request of each other source.  A source whose requests are expensive skips turns in
 * proportion (queue.c: deficit round robin).  Each queue is bounded, and so is their total.
 */
#ifndef HEDDLE_SM_SA_QUEUE_H
#define HEDDLE_SM_SA_QUEUE_H

#include "libmad/mad/dgram.h"

#define SA_QUEUE_MAX 65536u             /* requests queued, of all sources */
/* per source; near the total limit, at most half of the remaining space */
#define SA_QUEUE_SOURCE_MAX 4096u
/* Limits in bytes of requests of several datagrams; the number limits all others. */
#define SA_QUEUE_BYTES (16u << 20)
#define SA_QUEUE_SOURCE_BYTES (SA_QUEUE_BYTES / 8)

struct sa_queue;
struct sa_queue *sa_queue_new(void);
void sa_queue_free(struct sa_queue *q); /* 'q' may be NULL */

/* A buffer to receive the next request into; sa_queue_put() from it copies nothing.  Valid until
 * the next put or take. */
struct dgram *sa_queue_room(struct sa_queue *q);
/* Appends 'req' to the queue of its source and takes req->more.  False: the queue is full, and
 * nothing was taken. */
bool sa_queue_put(struct sa_queue *q, const struct dgram *req);
/* The next request, valid until the next call; the caller owns its 'more'.  NULL: the queue is
 * empty. */
const struct dgram *sa_queue_take(struct sa_queue *q);
/* Charges the request that was taken last, in the tokens of limit.h. */
void sa_queue_charge(struct sa_queue *q, uint16_t lid, uint64_t tokens);
uint32_t sa_queue_count(const struct sa_queue *q);
uint32_t sa_queue_bytes(const struct sa_queue *q);      /* of requests of several datagrams */

#endif
