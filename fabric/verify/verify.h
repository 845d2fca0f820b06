/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verify.h - checks a set of forwarding tables: every destination reached, no loop, no credit loop.
 * Room: fabric/verify.  Pure.  Description: docs/routing.md.
 *
 * The check is independent of the routing engines: it uses only the computed tables.
 *
 * Scope hosts: walks from every host port to every LID.  Scope all: from every switch as well.  The
 * tables fail if a walk from a host ends nowhere; a walk from a switch that ends at an entry of 255
 * is only counted and reported. Credit loops: the channel dependency graph of every VL in use,
 * replies included, must have no cycle.
 */
#ifndef HEDDLE_FABRIC_VERIFY_VERIFY_H
#define HEDDLE_FABRIC_VERIFY_VERIFY_H

#include "fabric/snapshot/tables.h"

enum verify_scope { VERIFY_HOSTS, VERIFY_ALL };

#define VERIFY_EVIDENCE_MAX 10
#define VERIFY_CYCLE_MAX 64

struct verify_walk {
	uint32_t switch_node;           /* node index where the walk fails */
	uint16_t lid;
	uint8_t port;                   /* the entry there */
	uint8_t why;                    /* enum walk_end */
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
	uint64_t channels, dependencies;
	struct verify_walk lost[VERIFY_EVIDENCE_MAX];
	unsigned nlost;
	/* one cycle: the port indices (receiving ports) in order */
	uint32_t cycle[VERIFY_CYCLE_MAX];
	unsigned ncycle;                        /* of the first VERIFY_CYCLE_MAX channels */
	uint8_t cycle_vl;
	uint16_t cycle_lid[VERIFY_CYCLE_MAX];   /* a destination that makes each edge */
};

/* Checks the tables; cannot fail on a sealed snapshot.  'r' gets the result. */
void verify_tables(const struct snapshot *s, const struct lid_map *l, const struct fwd_tables *f,
	enum verify_scope scope, struct verify_result *r);
/* {ok, scope, unreachable, loops, credit_loops, ...}: owned by the caller. */
json_t *verify_to_json(const struct snapshot *s, const struct verify_result *r);

#endif
