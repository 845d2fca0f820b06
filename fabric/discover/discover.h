/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * discover.h - the directed-route sweep as a state machine.
 * Room: fabric/discover.  Pure: it hands out questions and takes in answers; txn sends them.
 *
 * Asks each node NodeInfo once per cable end that leads to it (E + 1 in all), then NodeDescription,
 * SwitchInfo, PortInfo of all ports, P_Key block 0 of every host port and switch port 0, and the
 * LFT blocks of switches whose LinearFDBTop is not 0 and whose table the caller does not remember.
 * Everything in flight at once, except the PortInfos of a switch that nothing is known of: port 0
 * says whether the others are asked as somebody who supports extended speeds.
 */
#ifndef HEDDLE_FABRIC_DISCOVER_DISCOVER_H
#define HEDDLE_FABRIC_DISCOVER_DISCOVER_H

#include "fabric/discover/discover_conf.h"
#include "libmad/txn/txn.h"
#include "util/log.h"

struct discover;

struct discover *discover_new(const struct discover_conf *c, const struct log *l);
/* Not before all its requests have ended, or txn is freed too: they borrow their paths.  NULL is
 * fine. */
void discover_free(struct discover *d);
/*
 * The next question, for txn_submit(): false when there is none right now; ask again after each
 * discover_end(). 'cookie' identifies it in its low 56 bits; the top 8 are 0, and the caller's to
 * mark whose request it is. 'path' stays valid until its end is handed in.  Targets: a number for
 * each node, and one for each place behind which nobody answers, so that a unresponsive node stops
 * no other; they mean nothing after the sweep (txn_targets_reset()).
 */
bool discover_next(struct discover *d, struct txn_req *r);
/*
 * Tells that some request on the wire is overdue (txn_stats.tries_expired has grown): discovery
 * then goes on past the places it waits for.  Without it a unresponsive node may hold up the others
 * until its last try has expired.
 */
void discover_hurry(struct discover *d);
/* So many of its requests are on the wire and late (txn_stats.late_in_flight): they do not count
 * in the window. */
void discover_late(struct discover *d, uint32_t late);
/* An ended transaction with one of our cookies (the top 8 bits are ignored). */
void discover_end(struct discover *d, const struct txn_end *e);
/*
 * When all is done and 'reach' was given: one look more, behind the first port (breadth first, by
 * ascending port) of a node that is just 'reach' cables away.  Tools of old show that one too.
 * False: there is no such port.
 */
bool discover_beyond(struct discover *d);
/* True when nothing is open any more. */
bool discover_done(const struct discover *d);
/* Seals the snapshot (sorted, linked, counted) and moves it out. -ENODEV when not even the own
 * node answered. Once only, after discover_done(). */
int discover_take(struct discover *d, struct snapshot **out);
/* For progress: nodes found so far, questions answered, questions open. */
void discover_progress(const struct discover *d, uint32_t *nodes, uint64_t *answered,
	uint64_t *open);

#endif
