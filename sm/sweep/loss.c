/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * loss.c - how many tries a request gets.
 * Room: sm/sweep.  In: the tries of requests that were answered.  Out: the configuration of txn.
 */
#include <config.h>
#include <limits.h>
#include "sm/conf/conf.h"
#include "sm/sweep/loss.h"

#define ANSWERS_MIN 50          /* fewer tell nothing */
#define IN_VAIN_MIN 3
#define FAILURES_MAX 0.001      /* so many requests of a sweep are expected to fail at most */
#define TRIES_MAX 60
#define CLOSER 4                /* 50 ms for 200: answers that come later count, too */
/* What is not answered by then is likely to be lost, and takes no place on the wire from others. */
#define LATE_US 20000
#define LATE_FACTOR 7           /* times as many such requests as others */
#define LATE_MAX 16384
#define LOSS_PER_1000 5         /* what is called loss when a sweep has left something out */

static unsigned
base_tries(const struct conf *c)
{
	return c->transaction_retries + 1;
}

/*
 * Tries that are closer together by CLOSER and take as long as 'base' tries, of which each but the
 * first waits twice the timeout.
 */
static unsigned
close_tries(unsigned base)
{
	return CLOSER * (1 + 2 * (base - 1));
}

unsigned
loss_tries(const struct loss *l, const struct conf *c)
{
	return l->tries > base_tries(c) ? l->tries : base_tries(c);
}

struct txn_conf
loss_txn_conf(const struct loss *l, const struct conf *c)
{
	struct txn_conf t = txn_conf_default();

	t.window_total = c->max_wire_smps;
	t.tries = loss_tries(l, c);
	t.timeout_first_us = (int64_t)c->transaction_timeout_ms * 1000;
	if (t.timeout_floor_us > t.timeout_first_us)
		t.timeout_floor_us = t.timeout_first_us;
	if (t.timeout_max_us < t.timeout_first_us * 2)
		t.timeout_max_us = t.timeout_first_us * 2;
	if (t.tries > base_tries(c)) {
		t.steady = true;
		t.window_late = LATE_FACTOR * t.window_total < LATE_MAX ?
			LATE_FACTOR * t.window_total :
			LATE_MAX;
		t.late_us = LATE_US;
		t.timeout_first_us = (t.timeout_first_us + CLOSER - 1) / CLOSER;
		t.timeout_floor_us = (t.timeout_floor_us + CLOSER / 2 - 1) / (CLOSER / 2);
		if (t.timeout_floor_us > t.timeout_first_us)
			t.timeout_floor_us = t.timeout_first_us;
	}
	return t;
}

struct txn_conf
loss_txn_conf_widest(const struct conf *c)
{
	struct loss l = { .tries = UINT_MAX };

	return loss_txn_conf(&l, c);
}

void
loss_begin(struct loss *l)
{
	if (l->answered)
		l->answered_before = l->answered;
	l->answered = l->tries_answered = 0;
}

void
loss_count_end(struct loss *l, const struct txn_end *e)
{
	if (e->kind != TXN_END_OK && e->kind != TXN_END_STATUS)
		return;
	l->answered++;
	l->tries_answered += e->tries;
}

bool
loss_has_expired(struct loss *l, const struct txn *t)
{
	uint64_t was = l->expired;

	l->expired = txn_stats(t)->tries_expired;
	return l->expired != was;
}

bool
loss_is_measured(const struct loss *l)
{
	uint64_t in_vain = l->tries_answered - l->answered;

	return in_vain >= IN_VAIN_MIN && in_vain * 1000 > l->tries_answered * LOSS_PER_1000;
}

/* The tries that the requests of this sweep need; 0: no more than any request gets. */
static unsigned
needed_tries(const struct loss *l, const struct subnet *n)
{
	uint64_t in_vain = l->tries_answered - l->answered,
		 requests = l->answered + txn_pending(n->txn);
	unsigned tries = 0, base = base_tries(n->conf);
	double failing, share;

	if (l->answered < ANSWERS_MIN || in_vain < IN_VAIN_MIN)
		return 0;
	failing = (double)(requests > l->answered_before ? requests : l->answered_before);
	share = (double)in_vain / (double)l->tries_answered;
	for (; failing > FAILURES_MAX && tries < TRIES_MAX; tries++)
		failing *= share;
	if (tries <= base)
		return 0;
	return tries > close_tries(base) ? tries : close_tries(base);
}

void
loss_adapt(struct loss *l, struct subnet *n, bool ended)
{
	unsigned tries = needed_tries(l, n);
	bool known = l->answered >= ANSWERS_MIN;
	struct txn_conf t;

	if (tries == l->tries || (tries < l->tries && (!ended || !known)))
		return;                 /* only at its end a sweep tells that little was lost */
	log_line(n->log, (tries > 0) != (l->tries > 0) ? LOG_NOTE : LOG_DETAIL, "sweep",
		"%llu requests needed %llu tries: up to %u tries each from now on",
		(unsigned long long)l->answered, (unsigned long long)l->tries_answered,
		tries ? tries : base_tries(n->conf));
	l->tries = tries;
	t = loss_txn_conf(l, n->conf);
	txn_set_conf(n->txn, &t);
}
