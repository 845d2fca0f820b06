/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verify_kept.h - what a verification keeps, so that the next change costs what it changes.
 * Room: fabric/verify.  Private to the room.
 *
 * Kept are the turns of the tables, the links and owners of LIDs that they were made for, and the
 * LIDs with wrong entries; in scope all, with one VL.  A LID is *touched* by a change if its
 * entries differ, its owner is elsewhere, it had a wrong entry, or some switch sends it by a port
 * whose far end is another one.  All other LIDs make the turns that they made, and no others; so
 * the kept turns, without those over lost links, and the turns of all mixtures of touched
 * LIDs contain every turn of the change.  If they have no cycle, the change is safe.  If they have,
 * the turns that old tables left behind may be the reason, and everything is checked anew.
 * verify_again.c does the same entry by entry, for tables that are checked without mixtures.
 */
#ifndef HEDDLE_FABRIC_VERIFY_VERIFY_KEPT_H
#define HEDDLE_FABRIC_VERIFY_VERIFY_KEPT_H

#include "fabric/verify/verify_run.h"

struct verify_kept {
	uint32_t nsw, nports, top;
	uint64_t *guid;                 /* [nsw]: of the switches, ascending */
	uint32_t *first;                /* [nsw + 1]: as in the graph */
	uint32_t *far;                  /* [nports]: the port behind a port, FAB_NONE */
	uint64_t *owner;                /* [top + 1]: GUID of the node that owns a LID, 0 */
	uint32_t *at;                   /* [top + 1]: the port by which it is reached, FAB_NONE */
	uint64_t *bad;                  /* LIDs with a wrong entry */
	struct fwd_rows *turns;         /* held: the bits of the graph */
	struct fwd_tables tables;       /* the tables that they are of; its rows are held */
};

/* The GUID of the node that owns 'lid', 0: none; and the port (numbered as in the graph) of a switch
 * by which it is reached, FAB_NONE. */
uint64_t verify_owner_guid(const struct verify_run *v, uint32_t lid);
uint32_t verify_owner_at(const struct verify_run *v, uint32_t lid);
/* True if 'k' (may be NULL) is of the same switches and LIDs. */
bool verify_kept_fits(const struct verify_kept *k, const struct verify_run *v);
/* Takes the kept turns into the graph, and adds all touched LIDs to v->changed. */
void verify_kept_apply(const struct verify_kept *k, struct verify_run *v);
/* verify_again.c: takes the kept turns into the graph, changes them to those of the run's tables
 * where these differ from the kept ones, and finds the LIDs with a wrong entry.  'k' may be of other
 * switches and LIDs.  Kept turns have no cycle: a new one goes through a channel of 'starts'.  False:
 * too much differs; nothing is done. */
bool verify_kept_follow(const struct verify_kept *k, struct verify_run *v, uint64_t *starts);
/* Keeps what this run found, instead of '*k'. */
void verify_kept_store(struct verify_kept **k, const struct verify_run *v);

#endif
