/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * wire.h - a port whose other end is the test: it sees each datagram that a tool sends, and says
 * what arrives.
 *
 * It is a back end of libmad/io.  Nothing in it takes time: what is not answered comes back to its
 * sender as timed out when the test says so, and waiting for nothing calls 'idle' or fails the
 * test.
 */
#ifndef HEDDLE_TESTS_UNIT_DIAGS_ASK_WIRE_H
#define HEDDLE_TESTS_UNIT_DIAGS_ASK_WIRE_H

#include "diags/ask/asking.h"
#include "diags/ask/engine.h"
#include "diags/core/context.h"
#include "diags/core/status.h"
#include "tests/unit/test.h"

#define WIRE_SENT_MAX 128
#define WIRE_QUEUE_MAX 256

struct wire {
	struct io io; /* first: the handle points to it */
	struct diag d; /* the tool that uses it, hushed; engine_open() was called */
	struct io_port port;
	/* Called for each datagram that is sent; returns what io_send() does.  NULL: 0. */
	int (*on_send)(struct wire *w, const struct dgram *g, int timeout_ms);
	/* Called when the tool waits and nothing has arrived.  NULL: the test fails. */
	void (*idle)(struct wire *w);
	struct dgram sent[WIRE_SENT_MAX]; /* as they were at io_send(); 'more' is not kept */
	unsigned nsent;
	struct dgram queue[WIRE_QUEUE_MAX];
	unsigned first, n;
	unsigned classes, closed; /* how often the functions were called */
	bool refuses; /* io_add_class() fails */
	bool gone; /* io_recv() fails when the queue is empty */
	void *arg; /* of the test */
};

/* Setup and teardown of a test. */
int wire_begin(void **state);
int wire_end(void **state);
/* A datagram arrives. */
void wire_arrive(struct wire *w, const struct dgram *g);
/* The answer to 'g' arrives: Get and Set become GetResp; 'data' (may be NULL) replaces 64 bytes of
 * an SMP. */
void wire_answer(struct wire *w, const struct dgram *g, uint16_t status, const uint8_t *data);
/* 'g' comes back to its sender: no answer came. */
void wire_return(struct wire *w, const struct dgram *g);
/* For requests that are sent again: each try waits a millisecond, and so does the tool. */
void wire_hasten(struct wire *w);

#endif
