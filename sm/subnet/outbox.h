/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * outbox.h - queued responses: a bounded ring, first in first out.
 * Room: sm/subnet.  Pure.
 *
 * Our own requests are queued by libmad/txn, which retries them.  The outbox has only responses to
 * requests of others; a response is sent once.  A full outbox drops the response and counts it: the
 * requester repeats its request.
 */
#ifndef HEDDLE_SM_SUBNET_OUTBOX_H
#define HEDDLE_SM_SUBNET_OUTBOX_H

#include "libmad/mad/dgram.h"

#define OUTBOX_MAX 65536                /* queued responses; further ones are dropped and counted */

struct outbox {
	struct dgram *v;                /* a ring of 'cap', 'n' used, from 'head' on */
	uint32_t head, n, cap;
	uint64_t dropped, sent;         /* responses since the start */
	uint8_t *sent_more;             /* 'more' of the last response handed out; owned */
};

void outbox_free(struct outbox *o);
/* Queues a response to the sender of 'to'.  Takes ownership of 'more'. */
void outbox_put(struct outbox *o, const struct dgram *to, const uint8_t *mad, uint8_t *more,
	uint32_t bytes);
/*
 * Takes the oldest response from the queue; its 'more' belongs to the outbox and is valid until
 * outbox_settle().  False: the queue is empty.
 */
bool outbox_next(struct outbox *o, struct dgram *d);
/* The last response handed out has been sent: frees its 'more'. */
void outbox_settle(struct outbox *o);
/*
 * A response that was not queued is about to be sent: takes ownership of its 'more' and counts it,
 * as outbox_next() does.
 */
void outbox_sending(struct outbox *o, uint8_t *more);

#endif
