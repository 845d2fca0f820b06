/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * engine.c - the loop that sends requests and receives answers, many at the same time.
 * Room: diags/ask. libmad/txn decides what is sent when; libmad/io sends.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include "diags/ask/engine.h"
#include "diags/ask/debug.h"
#include "diags/ask/engine_int.h"
#include "diags/core/progress.h"
#include "diags/core/settings.h"
#include "diags/core/signals.h"
#include "diags/core/status.h"

#define WAIT_MAX_MS 100

static struct monotime
time_now(void)
{
	return (struct monotime){ diag_now_us() };
}

static int
receive_all(struct engine *e)
{
	struct dgram g;
	int r;

	while ((r = io_recv(e->io, &g)) == 1) {
		if (e->debug)
			debug_dgram("received", &g, diag_now_us() - e->since_us);
		txn_receive(e->txn, &g, time_now());
		free(g.more);
	}
	return r;
}

static int
wait_ms(struct engine *e)
{
	struct monotime at;
	int64_t us;

	if (!txn_deadline(e->txn, &at))
		return WAIT_MAX_MS;
	us = monotime_sub_us(at, time_now());
	if (us <= 0)
		return 0;
	us = (us + 999) / 1000;
	return us > WAIT_MAX_MS ? WAIT_MAX_MS : (int)us;
}

static void
send_all(struct engine *e)
{
	struct dgram g;
	int timeout_ms, r;

	while (txn_next_send(e->txn, &g, &timeout_ms, time_now())) {
		if (e->debug)
			debug_dgram("sent", &g, diag_now_us() - e->since_us);
		if ((r = io_send(e->io, &g, timeout_ms)) < 0)
			txn_send_failed(e->txn, &g, -r, time_now());
	}
}

int
engine_turn(struct diag *d, void (*take)(void *arg, const struct txn_end *e),
	void (*give)(void *arg), void *arg)
{
	struct engine *e = engine_of(d);
	struct txn_end end;
	struct monotime at;
	int r;

	if (diag_interrupted())
		return -EINTR;
	do {
		while (txn_next_end(e->txn, &end))
			if (end.cookie >> 56)
				take(arg, &end);
			else
				engine_finish(d, &end);
		if (give)
			give(arg);
		send_all(e);
	} while (txn_ends_waiting(e->txn));
	if (!txn_pending(e->txn))
		return 0;
	/* All datagrams that have arrived are received before time-outs are checked. */
	at = time_now();
	r = receive_all(e);
	if (r == 0 && !txn_ends_waiting(e->txn)) {
		io_wait(e->io, wait_ms(e));
		at = time_now();
		r = receive_all(e);
	}
	txn_tick(e->txn, at);
	return r < 0 ? r : 0;
}

static void
drop_end(void *arg, const struct txn_end *e)
{
	(void)arg;
	(void)e;
}

int
engine_failed(struct diag *d, int r)
{
	txn_cancel_all(engine_of(d)->txn);
	if (r != -EINTR)
		return diag_fail(d, EXIT_FATAL, "io", "the device is gone");
	if (diag_signals_are_end(d))
		return EXIT_OK;
	if (!engine_of(d)->reported_interrupted)
		diag_warn(d, EXIT_PARTIAL, "io", NULL, "interrupted: what follows is not complete");
	engine_of(d)->reported_interrupted = true;
	return EXIT_PARTIAL;
}

int
diag_run(struct diag *d)
{
	struct txn_end end;
	int r = 0;

	while (engine_of(d)->io && engine_of(d)->pending && !r)
		r = engine_turn(d, drop_end, NULL, NULL);
	if (!r)
		return 0;
	engine_failed(d, r);
	while (txn_next_end(engine_of(d)->txn, &end))
		if (!(end.cookie >> 56))
			engine_finish(d, &end);
	return r;
}

int
diag_run_many(struct diag *d)
{
	int r;

	if (!engine_of(d)->io)
		return 0;
	engine_conf(d, diag_settings(d)->outstanding, RETRY_TOOL_SWEEP);
	r = diag_run(d);
	engine_conf(d, diag_settings(d)->outstanding, RETRY_TOOL_SINGLE);
	return r;
}
