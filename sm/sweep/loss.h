/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * loss.h - how many tries a request gets: measures how many are lost, and how many requests a sweep
 * has.
 * Room: sm/sweep.  Pure.
 *
 * Only answered requests count: an unresponsive node adds nothing to them.  With 5 % lost each way,
 * 10 % of their tries are in vain; four tries then fail for one request in 10,000, so the sweep of
 * a larger fabric would leave something out.  As soon as requests are expected to fail, they get
 * more tries, closer together: what is lost does not come sooner by waiting longer.  The tries of
 * an unresponsive node take as long as before.
 */
#ifndef HEDDLE_SM_SWEEP_LOSS_H
#define HEDDLE_SM_SWEEP_LOSS_H

#include "sm/subnet/subnet.h"

struct loss {
	/* Requests of this sweep that were answered, and the tries that took. */
	uint64_t answered, tries_answered;
	uint64_t answered_before;       /* the same of the sweep before */
	/* Tries of txn that ended without an answer, when last looked at. */
	uint64_t expired;
	/* Of a request, as much is lost on the way; 0: as configured. */
	unsigned tries;
};

/* The configuration of txn for so much loss; the widest that there can be, to make a txn with. */
struct txn_conf loss_txn_conf(const struct loss *l, const struct conf *c);
struct txn_conf loss_txn_conf_widest(const struct conf *c);
/* How many tries a request gets now. */
unsigned loss_tries(const struct loss *l, const struct conf *c);
/* A sweep begins. */
void loss_begin(struct loss *l);
/* A request has ended. */
void loss_count_end(struct loss *l, const struct txn_end *e);
/*
 * Sees how much is lost in this sweep: where requests are expected to fail, they get more tries
 * before they are given up.  'ended': it is the end of the sweep, and they may get fewer again.
 */
void loss_adapt(struct loss *l, struct subnet *n, bool ended);
/* Whether anything to speak of was lost in this sweep. */
bool loss_is_measured(const struct loss *l);
/* Whether tries have expired since the call before. */
bool loss_has_expired(struct loss *l, const struct txn *t);

#endif
