/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * discover.h - the directed-route sweep as a state machine.
 * Room: fabric/discover.  Pure: it makes requests and takes their ends; libmad/txn sends them.
 *
 * A sweep starts at the local port and follows every link.  It reads NodeInfo once per link end (E
 * + 1 in all), then NodeDescription, SwitchInfo, PortInfo of all ports, P_Key block 0 of every host
 * port and of switch port 0, and the LFT blocks of switches whose LinearFDBTop is not 0 and whose
 * table the caller has not cached.  All requests may be in flight at once, except PortInfo of a
 * switch without earlier data: the answer for port 0 shows whether the other requests carry the bit
 * for extended speeds.  Invariant: the snapshot does not depend on the order of the answers.  The
 * files of this room are listed in discover_impl.h.
 */
#ifndef HEDDLE_FABRIC_DISCOVER_DISCOVER_H
#define HEDDLE_FABRIC_DISCOVER_DISCOVER_H

#include "fabric/discover/discover_conf.h"
#include "libmad/txn/txn.h"
#include "util/log.h"

struct discover;

struct discover *discover_new(const struct discover_conf *c, const struct log *l);
/* Call it only after all its requests have ended, or after txn is freed: requests borrow paths from
 * here.  'd' may be NULL. */
void discover_free(struct discover *d);
/*
 * The next request, for txn_submit().  False: none now; call again after each discover_end().  The
 * low 56 bits of 'cookie' identify the request; the top 8 are 0, for the caller's use.  'path' is
 * valid until the request's end is passed to discover_end().  Each node has a target number, and so
 * has each place where no node answers, so that an unresponsive node delays no other.  Target
 * numbers have no meaning after the sweep (call txn_targets_reset()).
 */
bool discover_next(struct discover *d, struct txn_req *r);
/*
 * Reports that a request on the wire is overdue (txn_stats.tries_expired has grown): discovery then
 * continues past the places it waits for.  Without this call an unresponsive node may delay others
 * until its last try has expired.
 */
void discover_hurry(struct discover *d);
/* Sets how many requests on the wire are late (txn_stats.late_in_flight); these do not count in the
 * window. */
void discover_late(struct discover *d, uint32_t late);
/* Takes an ended request with a cookie of this discovery; the top 8 bits are ignored. */
void discover_end(struct discover *d, const struct txn_end *e);
/*
 * After everything else, if 'reach' was given: one more look, behind the first port (breadth first,
 * by ascending port) of a node exactly 'reach' links away, because the traditional tools show that
 * node too.  False: there is no such port.
 */
bool discover_beyond(struct discover *d);
/*
 * Of a discovery with a seed: why it cannot continue, static text; NULL: it can.  Then it makes no
 * further requests, and once those that are open have ended, only a whole discovery shows the
 * fabric.
 */
const char *discover_spoiled(const struct discover *d);
/* True when no request is open or queued. */
bool discover_done(const struct discover *d);
/* Seals the snapshot (sorts, links, counts) and passes it to the caller.  -ENODEV: not even the
 * local node answered.  Call once, after discover_done(). */
int discover_take(struct discover *d, struct snapshot **out);
/* Progress: nodes found so far, requests answered, requests open. */
void discover_progress(const struct discover *d, uint32_t *nodes, uint64_t *answered,
	uint64_t *open);

#endif
