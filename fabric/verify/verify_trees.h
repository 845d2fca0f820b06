/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verify_trees.h - checks multicast tables: each group is a tree, and no tree closes a cycle of
 * channel dependencies with the others or with unicast.
 * Room: fabric/verify.  Pure.  Description: docs/routing.md, multicast.
 *
 * The check does not depend on how trees are made.  It has the rows of the multicast tables, the
 * members, and the unicast tables in force; it follows packets from every member, on every VL that
 * its SL may get, over every bit that is set.  What packets cross must be a tree (one that crossed
 * a cycle of links would come back, or arrive twice), every member must reach every member that
 * receives, and no other port may get a copy.
 *
 * A copy that came in by one channel and goes out by another holds the first while it waits for the
 * second, exactly as a unicast packet does; a switch that makes three copies waits for three
 * channels.  So the turns of all trees are added to the graph of verify_graph.h that has the turns
 * of the unicast tables, and there must be no cycle.
 *
 * Where to look next: sm/mcast/mcast.h makes the trees.
 */
#ifndef HEDDLE_FABRIC_VERIFY_VERIFY_TREES_H
#define HEDDLE_FABRIC_VERIFY_VERIFY_TREES_H

#include "fabric/verify/verify.h"
#include "fabric/verify/verify_graph.h"

struct verify_member {
	uint32_t port;                  /* snapshot index of an end port */
	bool hears;                     /* receives; otherwise it only sends */
};

struct verify_tree {
	uint16_t mlid;
	uint16_t sls;                   /* bits: SLs of its packets; not used without a lane plan */
	const struct verify_member *members;    /* those that the tree is said to connect */
	uint32_t nmembers;
};

struct verify_trees_in {
	struct verify_in unicast;       /* tables NULL: only the trees are checked */
	/* Turns of unicast.tables and perhaps of others, which have no cycle (verify_kept_turns(),
	 * or struct verify_in).
	 * NULL: unicast.tables are looked at.  If they make a cycle with the trees, the tables are
	 * looked at, too, so the findings do not depend on it. */
	struct fwd_rows *turns;
	/* The 64 bytes of a row (fabric/snapshot/mft_seen.h) of switch 'sw'; NULL: zeros. */
	const uint8_t *(*row)(const void *rows, uint32_t sw, uint32_t row);
	const void *rows;
	const struct verify_tree *trees;
	uint32_t ntrees;
};

struct verify_trees_result {
	bool ok;
	/* findings: packets cross a cycle of links; an entry lacks that a member needs; a port
	 * that receives nothing gets copies */
	uint64_t looping, lacking, straying;
	uint64_t credit_loops;          /* as in struct verify_result, trees and unicast together */
	uint64_t turns;                 /* dependencies that only trees make */
	uint16_t mlid;                  /* the first tree that is wrong by itself; 0: none */
	char sentence[256];             /* what is wrong first; empty if ok */
	/* one cycle, as in struct verify_result */
	uint32_t cycle[VERIFY_CYCLE_MAX];
	uint8_t cycle_vl[VERIFY_CYCLE_MAX];
	unsigned ncycle;
};

/* 'r' gets the result; cannot fail on a sealed snapshot. */
void verify_trees(const struct verify_trees_in *in, struct verify_trees_result *r);

/*
 * The channel dependencies of unicast tables, owned by 'a'.  False: their lane plan is not valid;
 * '*g' is not filled.  'turns': those that a verification of the same tables found (struct
 * verify_in); NULL: the tables are looked at.
 */
bool verify_unicast_graph(const struct verify_in *in, struct fwd_rows *turns, struct chan_graph *g,
	struct arena *a);

#endif
