/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verify_kept.h - what a verification keeps, so that the next change costs what it changes.
 * Room: fabric/verify.  Private to the room.
 *
 * Kept are the turns of the tables, the links and owners of LIDs that they were made for, and the
 * LIDs with wrong entries; in scope all, with one VL.  A LID is *touched* by a change if its
 * entries differ, its owner is elsewhere, it had a wrong entry, or some switch sends it by a port
 * whose far end is another one.  All other LIDs make the turns that they made, and no others; so
 * the kept turns, without those over links that are gone, and the turns of all mixtures of touched
 * LIDs contain every turn of the change.  If they have no cycle, the change is safe.  If they have,
 * the turns that old tables left behind may be the reason, and everything is checked anew.
 */
#ifndef HEDDLE_FABRIC_VERIFY_VERIFY_KEPT_H
#define HEDDLE_FABRIC_VERIFY_VERIFY_KEPT_H

#include "fabric/verify/verify_run.h"

/* True if 'k' (may be NULL) is of the same switches and LIDs. */
bool verify_kept_fits(const struct verify_kept *k, const struct verify_run *v);
/* Takes the kept turns into the graph, and adds all touched LIDs to v->changed. */
void verify_kept_apply(const struct verify_kept *k, struct verify_run *v);
/* Keeps what this run found, instead of '*k'. */
void verify_kept_store(struct verify_kept **k, const struct verify_run *v);

#endif
