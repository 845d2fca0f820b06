/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * queue.h - requests that wait: a line for each source port, served in turn.
 * Room: sm/sa.  Pure.
 *
 * A source that sends thousands delays itself: whoever comes with one request waits for one of each
 * other source, not for the thousands.  Whose requests cost much stands back for so many turns.
 * Lines are bounded, and all of them together.
 */
#ifndef HEDDLE_SM_SA_QUEUE_H
#define HEDDLE_SM_SA_QUEUE_H

#include "libmad/mad/dgram.h"

#define SA_QUEUE_MAX 65536u             /* requests that wait, of all sources */
/* of one; less when there is little room: no more than half of what is left */
#define SA_QUEUE_SOURCE_MAX 4096u
/* The same in bytes, of requests of several datagrams; all others are bounded by their number. */
#define SA_QUEUE_BYTES (16u << 20)
#define SA_QUEUE_SOURCE_BYTES (SA_QUEUE_BYTES / 8)

struct sa_queue;
struct sa_queue *sa_queue_new(void);
void sa_queue_free(struct sa_queue *q); /* NULL is fine */

/* Where the next request may be received: putting it from there copies nothing.  Until the next put
 * or take. */
struct dgram *sa_queue_room(struct sa_queue *q);
/* Puts 'req' at the end of its source's line and takes req->more.  False: the line is full, nothing
 * was taken. */
bool sa_queue_put(struct sa_queue *q, const struct dgram *req);
/* The next one, there until the next call; its 'more' is the caller's.  NULL: nobody waits. */
const struct dgram *sa_queue_take(struct sa_queue *q);
/* What the request that was taken last has cost, in the tokens of limit.h. */
void sa_queue_charge(struct sa_queue *q, uint16_t lid, uint64_t tokens);
uint32_t sa_queue_count(const struct sa_queue *q);
uint32_t sa_queue_bytes(const struct sa_queue *q);      /* of requests of several datagrams */

#endif
