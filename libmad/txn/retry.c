/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * retry.c - the numbers of the retry policy.
 * Room: libmad/txn.  Pure.
 */
#include <config.h>
#include "libmad/txn/retry.h"

/* ---- the manager ---- */

#define TRIES_MAX 60
#define FAILURES_MAX 0.001      /* requests of a sweep that are expected to fail, at most */
#define CLOSER 4                /* 50 ms for 200: answers that come later count, too */
/* What is not answered by then is likely to be lost, and takes no place on the wire from others. */
#define LATE_US 20000
#define LATE_FACTOR 7           /* times as many such requests as others */
#define LATE_MAX 16384

unsigned
retry_base_tries(const struct retry_conf *c)
{
	return c->retries + 1;
}

/*
 * Tries that are closer together by CLOSER and take as long as 'base' tries, of which each but the
 * first waits twice the time-out.
 */
static unsigned
close_tries(unsigned base)
{
	return CLOSER * (1 + 2 * (base - 1));
}

static unsigned
late_window(unsigned window)
{
	return LATE_FACTOR * window < LATE_MAX ? LATE_FACTOR * window : LATE_MAX;
}

struct txn_conf
retry_manager(const struct retry_conf *c, unsigned tries)
{
	struct txn_conf t = txn_conf_default();

	t.window_total = c->window;
	t.tries = tries;
	t.timeout_first_us = (int64_t)c->timeout_ms * 1000;
	if (t.timeout_floor_us > t.timeout_first_us)
		t.timeout_floor_us = t.timeout_first_us;
	if (t.timeout_max_us < t.timeout_first_us * 2)
		t.timeout_max_us = t.timeout_first_us * 2;
	if (tries <= retry_base_tries(c))
		return t;
	t.steady = true;
	t.window_late = late_window(t.window_total);
	t.late_us = LATE_US;
	t.timeout_first_us = (t.timeout_first_us + CLOSER - 1) / CLOSER;
	t.timeout_floor_us = (t.timeout_floor_us + CLOSER / 2 - 1) / (CLOSER / 2);
	if (t.timeout_floor_us > t.timeout_first_us)
		t.timeout_floor_us = t.timeout_first_us;
	return t;
}

unsigned
retry_tries_for_loss(const struct retry_conf *c, double requests, double share)
{
	unsigned tries = 0, base = retry_base_tries(c);
	double failing = requests;

	for (; failing > FAILURES_MAX && tries < TRIES_MAX; tries++)
		failing *= share;
	if (tries <= base)
		return 0;
	return tries > close_tries(base) ? tries : close_tries(base);
}

/* ---- who leads ---- */

/* A poll that is answered so late still shows that the master lives. */
#define POLL_TIMEOUT_US 1000000
/* A master that was silent gets so long to answer in the election, and so many tries. */
#define SILENT_WAIT_US 300000
#define SILENT_TRIES 3

void
retry_as_poll(struct txn_req *r)
{
	r->tries = 1;
	r->timeout_us = POLL_TIMEOUT_US;
	r->urgent = true;
}

void
retry_as_silent_master(struct txn_req *r)
{
	r->tries = SILENT_TRIES;
	r->timeout_us = SILENT_WAIT_US / SILENT_TRIES;
}

/* ---- the tools ---- */

#define TOOL_TRIES 3
#define TOOL_PER_TARGET 4
#define TOOL_LATE_US 20000
#define TOOL_FLOOR_US 100000

/*
 * First and longest time-out of one try, by what is asked: in a sweep many places are unresponsive;
 * an SA may have much to collect.
 */
static const struct { int64_t first_us, max_us; } patience[] = {
	[RETRY_TOOL_SINGLE] = { 500000, 1000000 }, [RETRY_TOOL_SWEEP] = { 100000, 400000 },
	[RETRY_TOOL_SA] = { 1000000, 4000000 },
};

struct txn_conf
retry_tool_conf(enum retry_tool how, unsigned window, int64_t timeout_us, bool late)
{
	struct txn_conf t = txn_conf_default();

	t.window_total = window ? window : RETRY_TOOL_WINDOW;
	t.window_target = TOOL_PER_TARGET;
	t.window_late = late ? RETRY_TOOL_LATE_FACTOR * t.window_total : 0;
	t.late_us = TOOL_LATE_US;
	t.tries = TOOL_TRIES;
	t.timeout_first_us = timeout_us ? timeout_us : patience[how].first_us;
	t.timeout_floor_us = timeout_us ? timeout_us : TOOL_FLOOR_US;
	t.timeout_max_us = timeout_us ? timeout_us : patience[how].max_us;
	t.breaker_ends = 0;
	return t;
}
