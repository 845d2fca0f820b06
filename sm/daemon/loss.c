/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * loss.c - how many tries a request gets: measures how many are lost, and how many requests a sweep has.
 * Room: sm/daemon.  In: the tries of requests that were answered.  Out: the configuration of txn.
 *
 * Only answered requests count: an unresponsive node adds nothing to them.  With 5 % lost each way, 10 % of their tries are in vain; four tries
 * then fail for one request in 10,000, so the sweep of a larger fabric would leave something out.  As soon as requests are expected to fail, they
 * get more tries, closer together: what is lost does not come sooner by waiting longer.  The tries of an unresponsive node take as long as before.
 */
#include <config.h>
#include "sm/daemon/manager_int.h"

#define ANSWERS_MIN 50          /* fewer tell nothing */
#define IN_VAIN_MIN 3
#define FAILURES_MAX 0.001      /* so many requests of a sweep are expected to fail at most */
#define TRIES_MAX 60
#define CLOSER 4                /* 50 ms for 200: answers that come later count, too */
#define LATE_US 20000           /* what is not answered by then is likely to be lost, and takes no place on the wire from others */
#define LATE_FACTOR 7           /* times as many such requests as others */
#define LATE_MAX 16384
#define LOSS_PER_1000 5         /* what is called loss when a sweep has left something out */

static unsigned
base_tries(const struct conf *c)
{
	return c->transaction_retries + 1;
}

/* Tries that are closer together by CLOSER and take as long as 'base' tries, of which each but the first waits twice the timeout. */
static unsigned
close_tries(unsigned base)
{
	return CLOSER * (1 + 2 * (base - 1));
}

unsigned
loss_tries(const struct manager *m)
{
	return m->tries > base_tries(m->net.conf) ? m->tries : base_tries(m->net.conf);
}

struct txn_conf
loss_txn_conf(const struct manager *m)
{
	const struct conf *c = m->net.conf;
	struct txn_conf t = txn_conf_default();

	t.window_total = c->max_wire_smps;
	t.tries = loss_tries(m);
	t.timeout_first_us = (int64_t)c->transaction_timeout_ms * 1000;
	if (t.timeout_floor_us > t.timeout_first_us)
		t.timeout_floor_us = t.timeout_first_us;
	if (t.timeout_max_us < t.timeout_first_us * 2)
		t.timeout_max_us = t.timeout_first_us * 2;
	if (t.tries > base_tries(c)) {
		t.steady = true;
		t.window_late = LATE_FACTOR * t.window_total < LATE_MAX ? LATE_FACTOR * t.window_total : LATE_MAX;
		t.late_us = LATE_US;
		t.timeout_first_us = (t.timeout_first_us + CLOSER - 1) / CLOSER;
		t.timeout_floor_us = (t.timeout_floor_us + CLOSER / 2 - 1) / (CLOSER / 2);
		if (t.timeout_floor_us > t.timeout_first_us)
			t.timeout_floor_us = t.timeout_first_us;
	}
	return t;
}

void
loss_begin(struct manager *m)
{
	if (m->answered)
		m->answered_before = m->answered;
	m->answered = m->answered_tries = 0;
}

bool
loss_measured(const struct manager *m)
{
	uint64_t in_vain = m->answered_tries - m->answered;

	return in_vain >= IN_VAIN_MIN && in_vain * 1000 > m->answered_tries * LOSS_PER_1000;
}

/* The tries that the requests of this sweep need; 0: no more than any request gets. */
static unsigned
needed_tries(const struct manager *m)
{
	uint64_t in_vain = m->answered_tries - m->answered, n = m->answered + txn_pending(m->net.txn);
	unsigned tries = 0, base = base_tries(m->net.conf);
	double failing, share;

	if (m->answered < ANSWERS_MIN || in_vain < IN_VAIN_MIN)
		return 0;
	failing = (double)(n > m->answered_before ? n : m->answered_before);
	share = (double)in_vain / (double)m->answered_tries;
	for (; failing > FAILURES_MAX && tries < TRIES_MAX; tries++)
		failing *= share;
	if (tries <= base)
		return 0;
	return tries > close_tries(base) ? tries : close_tries(base);
}

void
loss_adapt(struct manager *m)
{
	unsigned tries = needed_tries(m);
	bool known = m->answered >= ANSWERS_MIN;
	struct txn_conf t;

	if (tries == m->tries || (tries < m->tries && (m->state != MAN_IDLE || !known)))
		return;                 /* only at its end a sweep tells that little was lost */
	log_line(m->net.log, (tries > 0) != (m->tries > 0) ? LOG_NOTE : LOG_DETAIL, "sweep",
		"%llu requests needed %llu tries: up to %u tries each from now on", (unsigned long long)m->answered,
		(unsigned long long)m->answered_tries, tries ? tries : base_tries(m->net.conf));
	m->tries = tries;
	t = loss_txn_conf(m);
	txn_set_conf(m->net.txn, &t);
}
