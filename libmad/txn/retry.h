/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * retry.h - the retry policy: how often and how long each kind of request is tried.
 * Room: libmad/txn.  Pure.
 *
 * txn.h sends, waits and sends again, by numbers that it is given.  Tries, time-outs and patience are
 * chosen here, for the manager and for the tools, so that they can be compared and changed in one
 * place; txn_conf_default() (txn.c) has the limits of the back-off.  Three rules hold for all: a
 * request ends after a known time; an unresponsive node costs its own tries and holds up no other;
 * where datagrams are lost, tries are added, not waiting time.
 */
#ifndef HEDDLE_LIBMAD_TXN_RETRY_H
#define HEDDLE_LIBMAD_TXN_RETRY_H

#include "libmad/txn/txn.h"

/* Sets of one phase that timed out are sent again in this many rounds, the first one included. */
#define RETRY_APPLY_ROUNDS 3

/* What an operator configures of the manager's requests. */
struct retry_conf {
	unsigned window;                /* max_wire_smps */
	unsigned timeout_ms;            /* transaction_timeout: of the first try */
	unsigned retries;               /* transaction_retries: after the first try */
};

/* How many tries a request of the manager gets where nothing is lost. */
unsigned retry_base_tries(const struct retry_conf *c);
/*
 * The manager's requests.  'tries' are as many as its losses call for; more than retry_base_tries()
 * are sent closer together, so that a request takes no longer.
 */
struct txn_conf retry_manager(const struct retry_conf *c, unsigned tries);

/*
 * How many tries a request needs so that at most one of 1,000 sweeps leaves something out by loss
 * alone: 'requests' are those of a sweep, 'share' (0..1) of the tries are lost.  0: retry_base_tries()
 * are enough.
 */
unsigned retry_tries_for_loss(const struct retry_conf *c, double requests, double share);

/* Who of the tools asks: one node; a whole fabric, where many nodes may be unresponsive; an SA. */
enum retry_tool { RETRY_TOOL_SINGLE, RETRY_TOOL_SWEEP, RETRY_TOOL_SA };
#define RETRY_TOOL_WINDOW 64            /* requests on the wire, unless asked otherwise */
#define RETRY_TOOL_LATE_FACTOR 7        /* in a sweep: late requests for each that may be open */
/*
 * A tool's requests.  'window' 0: as above.  'timeout_us' 0: by 'how'; otherwise each try waits so
 * long.  'late': requests that are late take no place on the wire from others.
 */
struct txn_conf retry_tool_conf(enum retry_tool how, unsigned window, int64_t timeout_us, bool late);

/* A combined route's request, which the tool itself sends again. */
#define RETRY_COMBINED_TRIES 3
#define RETRY_COMBINED_MS 1000

/* A poll of a standby: one try, which is sent at once and counts however late its answer is. */
void retry_as_poll(struct txn_req *r);
/* A question in an election to a master that did not answer polls: it does not hold up the takeover. */
void retry_as_silent_master(struct txn_req *r);

#endif
