/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * loss.c - how many tries a request gets.
 * Room: sm/sweep.  In: the tries of requests that were answered.  Out: the configuration of txn.
 */
#include <config.h>
#include <limits.h>
#include "libmad/txn/retry.h"
#include "sm/conf/conf.h"
#include "sm/sweep/loss.h"

#define ANSWERS_MIN 50          /* fewer tell nothing */
#define IN_VAIN_MIN 3
#define LOSS_PER_1000 5         /* what is called loss when a sweep has left something out */

static struct retry_conf
retry_conf_of(const struct conf *c)
{
	return (struct retry_conf){
		.window = c->max_wire_smps,
		.timeout_ms = c->transaction_timeout_ms,
		.retries = c->transaction_retries,
	};
}

static unsigned
base_tries(const struct conf *c)
{
	struct retry_conf r = retry_conf_of(c);

	return retry_base_tries(&r);
}

unsigned
loss_tries(const struct loss *l, const struct conf *c)
{
	return l->tries > base_tries(c) ? l->tries : base_tries(c);
}

struct txn_conf
loss_txn_conf(const struct loss *l, const struct conf *c)
{
	struct retry_conf r = retry_conf_of(c);

	return retry_manager(&r, loss_tries(l, c));
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
	struct retry_conf c = retry_conf_of(n->conf);

	if (l->answered < ANSWERS_MIN || in_vain < IN_VAIN_MIN)
		return 0;
	if (requests < l->answered_before)
		requests = l->answered_before;
	return retry_tries_for_loss(&c, (double)requests, (double)in_vain / (double)l->tries_answered);
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
