/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * discover.h - the directed-route sweep as a state machine.
 * Room: fabric/discover.  Pure: it hands out questions and takes in answers; txn sends them.
 *
 * Asks each node NodeInfo once per cable end that leads to it (E + 1 in all), then NodeDescription, SwitchInfo,
 * PortInfo of all ports, P_Key block 0 of every host port and switch port 0, and the LFT blocks of switches whose
 * LinearFDBTop is not 0 and whose table the caller does not remember.  Everything in flight at once, except the PortInfos of a switch
 * that nothing is known of: port 0 says whether the others are asked as somebody who supports extended speeds.
 */
#ifndef HEDDLE_FABRIC_DISCOVER_DISCOVER_H
#define HEDDLE_FABRIC_DISCOVER_DISCOVER_H

#include "fabric/snapshot/mkeys.h"
#include "libmad/txn/txn.h"
#include "util/log.h"

/* Whether a node takes PORT_INFO_EXTENDED_SPEEDS.  NO: its CapabilityMask does not say so; REFUSED: it does, but the node refused it. */
enum discover_extended { DISCOVER_EXTENDED_UNKNOWN, DISCOVER_EXTENDED_NO, DISCOVER_EXTENDED_YES, DISCOVER_EXTENDED_REFUSED };
/* A node GUID, and the port of a switch behind which the node with that GUID is. */
struct discover_place {
	uint64_t guid, at_guid;
	uint8_t at_port;
};

struct discover_conf {
	bool want_desc, want_pkeys, want_lft;
	bool want_ports;                /* false: PortInfo only where it tells what is cabled (not port 0, not hosts) */
	struct mkeys mkeys;             /* for reading protected ports, and for renewing the lease of their keys */
	/* Questions open at once, 0 no limit.  A few times txn's window keeps it busy, and the fewer are open, the fewer
	 * cables are looked at from both ends at the same time. */
	uint32_t window;
	uint32_t target_base;           /* the requests' 'target' numbers begin here */
	/*
	 * A part of the fabric: the sweep begins at the end of this route (0 hops: at our own port) and looks behind ports of nodes
	 * less than 'reach' cables away from there; 0: of all.  sm_port of the snapshot is then where the route ends, which need not be ours.
	 */
	uint8_t from_hops, from[DGRAM_PATH_BYTES];
	unsigned reach;
	/* What is known of a node from an earlier sweep; may be NULL. */
	enum discover_extended (*known_extended)(void *arg, uint64_t node_guid);
	/* Remembers the LFT of a switch from an earlier sweep: returns blocks * 64 bytes that stay as they are until
	 * discover_take() (which copies them), or NULL.  Too few blocks for 'lft_top' count as NULL.  May be NULL. */
	const uint8_t *(*remembered_lft)(void *arg, uint64_t node_guid, uint16_t lft_top, uint32_t *blocks);
	void *arg;
	/*
	 * One node for each GUID, one end port for each port GUID: of several, the one that 'before' (or 'known', which counts
	 * first) has in that place stays, if it still answers; it also stays while its link is up and it is silent.  Where neither
	 * knows the GUID: the one whose link is furthest up (a link that was never configured is INIT), then the one behind the switch
	 * with the lowest GUID, then behind its lowest port.  All others are left out and reported.  False: the node that was met first; end ports all stay.
	 */
	bool one_per_guid;
	const struct snapshot *before;  /* stays as it is until discover_take(); NULL: none */
	const struct discover_place *known;     /* copied */
	uint32_t nknown;
};

struct discover;

struct discover *discover_new(const struct discover_conf *c, const struct log *l);
/* Not before all its requests have ended, or txn is freed too: they borrow their paths.  NULL is fine. */
void discover_free(struct discover *d);
/*
 * The next question, for txn_submit(): false when there is none right now; ask again after each discover_end().
 * 'cookie' identifies it in its low 56 bits; the top 8 are 0, and the caller's to mark whose request it is.
 * 'path' stays valid until its end is handed in.  Targets: a number for each node, and one for each place behind which
 * nobody answers, so that a mute node stops no other; they mean nothing after the sweep (txn_targets_reset()).
 */
bool discover_next(struct discover *d, struct txn_req *r);
/*
 * Tells that some request on the wire is overdue (txn_stats.tries_expired has grown): discovery then goes on past the
 * places it waits for.  Without it a mute node may hold up the others until its last try has expired.
 */
void discover_hurry(struct discover *d);
/* So many of its requests are on the wire and late (txn_stats.late_in_flight): they do not count in the window. */
void discover_late(struct discover *d, uint32_t late);
/* An ended transaction with one of our cookies (the top 8 bits are ignored). */
void discover_end(struct discover *d, const struct txn_end *e);
/*
 * When all is done and 'reach' was given: one look more, behind the first port (breadth first, by ascending port) of a node that
 * is just 'reach' cables away.  Tools of old show that one too.  False: there is no such port.
 */
bool discover_beyond(struct discover *d);
/* True when nothing is open any more. */
bool discover_done(const struct discover *d);
/* Seals the snapshot (sorted, linked, counted) and moves it out. -ENODEV when not even the own node answered.
 * Once only, after discover_done(). */
int discover_take(struct discover *d, struct snapshot **out);
/* For progress: nodes found so far, questions answered, questions open. */
void discover_progress(const struct discover *d, uint32_t *nodes, uint64_t *answered, uint64_t *open);

#endif
