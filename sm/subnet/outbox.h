/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * outbox.h - answers that wait to be sent: a bounded ring, first in first out.
 * Room: sm/subnet.  Pure.
 *
 * Requests of our own wait in txn; here are only answers to others, which nobody repeats.  A full
 * outbox drops the answer and counts it: the requester asks again.
 */
#ifndef HEDDLE_SM_SUBNET_OUTBOX_H
#define HEDDLE_SM_SUBNET_OUTBOX_H

#include "libmad/mad/dgram.h"

#define OUTBOX_MAX 65536                /* answers that wait; more are dropped and counted */

struct outbox {
	struct dgram *v;                /* a ring */
	uint32_t head, n, cap;
	uint64_t dropped, sent;         /* answers, ever */
	uint8_t *sent_more;             /* of the last answer handed out; owned */
};

void outbox_free(struct outbox *o);
/* Queues an answer to where 'to' came from.  Takes 'more'. */
void outbox_put(struct outbox *o, const struct dgram *to, const uint8_t *mad, uint8_t *more,
	uint32_t bytes);
/*
 * The oldest answer; its 'more' stays the outbox's until the next call of outbox_settle().  False:
 * none waits.
 */
bool outbox_next(struct outbox *o, struct dgram *d);
/* What was handed out last has been sent. */
void outbox_settle(struct outbox *o);
/*
 * An answer that never waited is about to be sent: its 'more' is kept and counted like those of
 * outbox_next().
 */
void outbox_sending(struct outbox *o, uint8_t *more);

#endif
