/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * engine.h - the port of a tool, and many requests at the same time.
 * Room: diags/ask.
 *
 * libmad/txn decides what is sent when, libmad/io sends; the engine turns the wheel. The port is
 * opened by the first request; with --load a saved fabric takes its place (replay.h), and nothing
 * else changes.
 */
#ifndef HEDDLE_DIAGS_ASK_ENGINE_H
#define HEDDLE_DIAGS_ASK_ENGINE_H

#include "diags/ask/request.h"
#include "libmad/io/io.h"
#include "libmad/txn/retry.h"
#include "libmad/txn/txn.h"

/*
 * Sends many requests. diag_submit() queues a request; 'q' and its payload are copied. diag_run()
 * sends the queue, limited by a window and to a few requests per target, and calls 'done' for each
 * answer in the order of arrival; 'done' may submit more requests, and the reply is valid only
 * during the call. diag_run() returns when all requests have ended: 0, -EIO if the device failed,
 * or -EINTR after a signal. Both failures are reported, and the requests that were open end as
 * DIAG_FAILED.
 */
typedef void diag_done(struct diag *d, void *arg, const struct diag_request *q,
	const struct diag_reply *r);
void diag_submit(struct diag *d, const struct diag_request *q, diag_done *done, void *arg);
int diag_run(struct diag *d);
/* The same for requests to many nodes, of which some may be unresponsive: with fewer retries, and
 * such that a late answer does not delay other requests. */
int diag_run_many(struct diag *d);

/* Opens the port now; otherwise the first request opens it. Returns 0 or the status of a reported
 * failure. */
int diag_open(struct diag *d);
/* Reports whether requests can be answered: false with --load if the file has no answers (it was
 * not written by ibnetdiscover --capture), so that only the snapshot is known. */
bool diag_can_ask(const struct diag *d);
/* The own port, when the engine is open. */
const struct io_port *diag_port(struct diag *d);
/* The open I/O handle, for tools that answer requests or send datagrams themselves (ibping -S). */
struct io *diag_io(struct diag *d);
/* Registers a management class; diag_query() does this itself. Returns 0 or the status of a
 * reported failure. */
int diag_class(struct diag *d, const struct io_class *c);

/* ---- for users that drive the engine themselves: discovery ---- */

/* Sets the retry policy of requests from now on (libmad/txn/retry.h), and the number of requests in
 * flight; 'window' 0: the default. */
void engine_conf(struct diag *d, unsigned window, enum retry_tool how);
/*
 * One pass of the loop: passes ended transactions on, sends, waits for at most 0.1 s and receives.
 * Transactions with a top byte of the cookie that is not 0 are passed to 'take'. 'give' (may be
 * NULL) may submit more to engine_txn() before the queue is sent. Returns 0, -EINTR after a signal,
 * or another negative errno if the device failed.
 */
int engine_turn(struct diag *d, void (*take)(void *arg, const struct txn_end *e),
	void (*give)(void *arg), void *arg);
/* Reports the failure 'r' of engine_turn(), ends all requests, and returns the exit status. */
int engine_failed(struct diag *d, int r);
/* Returns the transactions of the engine, to which discovery submits its own requests; borrowed. */
struct txn *engine_txn(struct diag *d);
/* Returns the first target number that no request of this engine uses. */
uint32_t engine_target_base(struct diag *d);
/* Makes the engine send over 'io', which it takes; 'io' may be a replay instead of a device. 'port'
 * NULL: the port that 'io' has. */
void engine_open(struct diag *d, struct io *io, const struct io_port *port);
/* Reports whether engine_open() was called. */
bool engine_is_open(const struct diag *d);
/* Records, with --load, whether the file has answers. */
void engine_answers_set(struct diag *d, bool answers);

#endif
