/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verify.h - checks a set of forwarding tables: every destination reached, no loop, no credit loop.
 * Room: fabric/verify.  Pure; the result is the same for any number of stripes.  Description:
 * docs/routing.md.
 *
 * The check is independent of the routing engines: it uses only the computed tables.
 *
 * Scope hosts: walks from every host port to every LID.  Scope all: from every switch as well.  The
 * tables fail if a walk from a host ends nowhere; a walk from a switch that ends at an entry of 255
 * is only counted and reported. Credit loops: the channel dependency graph must have no cycle.
 *
 * Tables with a lane plan (fabric/snapshot/lanes.h) have one channel for each (port, VL).  A path
 * from switch a to switch b is used with the SL of (a, b), and with the SL of (b, a) by the replies
 * to packets that b sent; the graph has the dependencies of both.
 *
 * A change from old to new tables is checked with the graph of all mixtures: packets that came by
 * the old table of one switch and continue by the new table of the next, or vice versa.
 */
#ifndef HEDDLE_FABRIC_VERIFY_VERIFY_H
#define HEDDLE_FABRIC_VERIFY_VERIFY_H

#include "fabric/snapshot/tables.h"
#include "util/stripes.h"

enum verify_scope { VERIFY_HOSTS, VERIFY_ALL };

#define VERIFY_EVIDENCE_MAX 10
#define VERIFY_CYCLE_MAX 64

struct verify_walk {
	uint32_t switch_node;           /* node index where the walk fails */
	uint16_t lid;
	uint8_t port;                   /* the entry there */
	uint8_t why;                    /* enum walk_end */
};

/* What is kept of tables that passed, for the proof of the next change of them.  Opaque; the
 * results do not depend on it. */
struct verify_kept;

struct verify_in {
	const struct snapshot *snapshot;
	const struct lid_map *lids;
	const struct fwd_tables *tables;
	enum verify_scope scope;
	uint8_t vls;                    /* data VLs that all links have; 0: not checked */
	const struct stripes *stripes;  /* NULL: one thread */
	/* NULL: nothing is kept.  Otherwise '*kept' is replaced when tables with one VL pass in
	 * scope all.  verify_again() goes on from any tables that '*kept' is of.  verify_change()
	 * checks only what changed if its 'old' tables are those; for that the caller forgets it
	 * (verify_kept_free(), NULL) when they are not in the switches any more. */
	struct verify_kept **kept;
	/* NULL, or where the dependencies of tables that pass go: the bits of a channel dependency
	 * graph of the snapshot, with the VLs of the lane plan.  The caller holds them.  They are
	 * of these tables alone; NULL if only what changed was checked. */
	struct fwd_rows **turns;
};

struct verify_result {
	enum verify_scope scope;
	bool ok;                        /* no host walk lost, no loop, no credit loop */
	/* (host source, LID) walks that end nowhere, counted per source switch with hosts */
	uint64_t unreachable;
	/* scope all: (switch, LID) walks that end nowhere from switches without hosts */
	uint64_t unreachable_switch;
	uint64_t loops;                 /* destinations (LIDs) whose tables hold a loop */
	uint64_t credit_loops;          /* strongly connected components of more than one channel */
	uint64_t walks;                 /* (switch, LID) pairs checked */
	/* ports times VLs; pairs of them (those to hosts not counted) */
	uint64_t channels, dependencies;
	uint8_t vls;                    /* data VLs of the graph; 1 without a lane plan */
	/* a sentence: why the lane plan is not valid; then nothing else was checked.  Empty: it
	 * is, or there is none. */
	char lanes[160];
	/* verify_change(): LIDs whose entries (or, with a lane plan, SLs or VLs) may differ */
	uint64_t changed;
	/* only LIDs that the change touches were checked; 'dependencies' may count some of earlier
	 * tables */
	bool partial;
	struct verify_walk lost[VERIFY_EVIDENCE_MAX];
	unsigned nlost;
	/* one cycle: the port indices (receiving ports) in order */
	uint32_t cycle[VERIFY_CYCLE_MAX];
	unsigned ncycle;                        /* of the first VERIFY_CYCLE_MAX channels */
	uint8_t cycle_vl[VERIFY_CYCLE_MAX];     /* the VL of each channel */
	/* a destination that makes each edge; and, with a lane plan, an SL */
	uint16_t cycle_lid[VERIFY_CYCLE_MAX];
	uint8_t cycle_sl[VERIFY_CYCLE_MAX];
};

/* Checks the tables; cannot fail on a sealed snapshot.  'r' gets the result. */
void verify_tables(const struct snapshot *s, const struct lid_map *l, const struct fwd_tables *f,
	enum verify_scope scope, struct verify_result *r);
/* The same, in stripes, and with the number of VLs that the links have. */
void verify_check(const struct verify_in *in, struct verify_result *r);
/*
 * Checks the change from the tables 'old' (rows and lane plan by the ordinals of the same snapshot,
 * which is the fabric of today) to in->tables, while each switch and each destination may follow
 * either.  Lost walks and loops are those of in->tables; channels, dependencies and credit loops
 * are those of the mixture.
 */
void verify_change(
	const struct verify_in *in, const struct fwd_tables *old, struct verify_result *r);
/*
 * Checks in->tables alone, as verify_check(), but from what '*in->kept' has of any tables that
 * passed before, of the same fabric or of one with some switches, links or hosts less or more: only
 * entries that differ are checked.  r->partial says whether that was enough; otherwise everything
 * was checked.  'changed': LIDs that were checked.
 */
void verify_again(const struct verify_in *in, struct verify_result *r);
void verify_kept_free(struct verify_kept *k);   /* NULL is fine */
/* The turns of the tables that 'k' is of, and perhaps of some before: the bits of a channel
 * dependency graph of their snapshot, which has no cycle.  The caller holds them.  NULL is fine. */
struct fwd_rows *verify_kept_turns(const struct verify_kept *k);
/* {ok, scope, unreachable, loops, credit_loops, ...}: owned by the caller. */
json_t *verify_to_json(const struct snapshot *s, const struct verify_result *r);

#endif
