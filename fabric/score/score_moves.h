/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * score_moves.h - the effect of a change of forwarding tables: entries and blocks to write, host
 * pairs whose path moves, and how many of these moves were necessary.
 * Room: fabric/score.  Pure.  Description: docs/routing.md.
 *
 * The old tables belong to the old snapshot and its LIDs, the new tables to the new ones; nodes and
 * ports correspond by GUID and port number.  A path is the sequence of links from one host port to
 * another.  An old path is *valid* if all its links exist in the new snapshot.  A path that moves
 * is *broken* if the old path is not valid, and *needless* if it is.  The ideal change moves the
 * broken paths and no other.
 */
#ifndef HEDDLE_FABRIC_SCORE_SCORE_MOVES_H
#define HEDDLE_FABRIC_SCORE_SCORE_MOVES_H

#include "fabric/snapshot/tables.h"
#include "util/stripes.h"

struct score_side {
	const struct snapshot *snapshot;
	const struct lid_map *lids;
	const struct fwd_tables *tables;
};

struct score_moves {
	/* Entries that differ, of switches in both snapshots and LIDs that have an owner in either:
	 * by what the old tables did with a packet for the LID at that switch.  LIDs that have
	 * another owner, or none, now count as broken. */
	uint64_t entries;
	uint64_t entries_broken;        /* the path from there on was not valid any more */
	uint64_t entries_restored;      /* there was no path from there on */
	uint64_t entries_needless;      /* the path from there on is still valid */
	uint64_t blocks;                /* LFT blocks that hold an entry that differs */
	uint64_t blocks_needed;         /* those with one that is broken or restored */
	uint32_t switches_lost, switches_new;

	/* Ordered pairs of hosts that are in both snapshots. */
	uint64_t pairs;
	uint64_t moved;                 /* had a path, and have another one or none: the sum of: */
	uint64_t broken, needless;
	uint64_t lost;                  /* of those moved: have no path now */
	uint64_t restored;              /* had no path, have one now */
	/* Ordered pairs of hosts one of which is in one snapshot only. */
	uint64_t pairs_gone, pairs_new;
};

void score_moves(const struct score_side *from, const struct score_side *to,
	const struct stripes *stripes, struct score_moves *r);
/* {entries, blocks, moved, broken, needless, ...}: owned by the caller. */
json_t *score_moves_to_json(const struct score_moves *r);

#endif
