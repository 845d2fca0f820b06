/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * engine.h - the port of a tool, and many requests at a time.
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
 * Many requests at once: each is queued, diag_run() sends them, a window's worth at a time and few
 * per target, and calls 'done' as the answers come, in their order; 'done' may queue more. 'q' and
 * its payload are copied, the reply is lent for the call. diag_run() returns when all have ended:
 * 0, -EIO when the device is gone, -EINTR after a signal (both reported; what was open has ended as
 * DIAG_FAILED).
 */
typedef void diag_done(struct diag *d, void *arg, const struct diag_request *q,
	const struct diag_reply *r);
void diag_submit(struct diag *d, const struct diag_request *q, diag_done *done, void *arg);
int diag_run(struct diag *d);
/* The same where many nodes are asked and some may be unresponsive: less patience with each, and
 * one that is late holds up no other. */
int diag_run_many(struct diag *d);

/* Opens the port now (each request does so by itself); 0 or the status of a reported failure. */
int diag_open(struct diag *d);
/* False with --load when the file has no answers (ibnetdiscover --capture): only what is in the
 * snapshot is known. */
bool diag_can_ask(const struct diag *d);
/* Our port, once open. */
const struct io_port *diag_port(struct diag *d);
/* The open end, for tools that answer or send by themselves (ibping -S). */
struct io *diag_io(struct diag *d);
/* Registers a class; diag_query() does so by itself. 0 or the status of a reported failure. */
int diag_class(struct diag *d, const struct io_class *c);

/* ---- for what drives the engine itself: a sweep of the fabric ---- */

/* How patient requests are from now on (libmad/txn/retry.h); 'window' requests on the wire, 0: the
 * default. */
void engine_conf(struct diag *d, unsigned window, enum retry_tool how);
/*
 * One turn: hands ends over, sends, waits for at most 0.1 s and receives. Ends whose cookie has a
 * top byte that is not 0 go to 'take'; 'give' (NULL: nobody) may submit more to engine_txn() before
 * what is queued is sent. 0, -EINTR after a signal, or another negative errno: the device is gone.
 */
int engine_turn(struct diag *d, void (*take)(void *arg, const struct txn_end *e),
	void (*give)(void *arg), void *arg);
/* Reports why engine_turn() returned 'r' and gives all requests up; the exit status. */
int engine_failed(struct diag *d, int r);
struct txn *engine_txn(struct diag *d);
/* The first number of a target that no request of this engine has. */
uint32_t engine_target_base(struct diag *d);
/* Sends over 'io' (taken), which may be no device, from now on; 'port' NULL: as it says. */
void engine_open(struct diag *d, struct io *io, const struct io_port *port);
/* Whether engine_open() was called. */
bool engine_is_open(const struct diag *d);
/* With --load: whether the file has answers. */
void engine_answers_set(struct diag *d, bool answers);

#endif
