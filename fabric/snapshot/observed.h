/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * observed.h - every table that is known of the hardware, and which of them are not known.
 * Room: fabric/snapshot.  Pure.
 *
 * The plan (sm/plan) says what the fabric shall hold, and is const once made.  This is the other
 * side: what it is known to hold.  It begins with what a sweep read, and changes only by answers to
 * Sets, and by the lack of one.  The difference between the two is what is sent (sm/diff); whoever
 * serves or verifies takes a const pointer.
 *
 *   PortInfo, SwitchInfo, P_Keys   images in the snapshot, as last received
 *   LFT                            node.lft in the snapshot; lft_unknown says whose writing failed
 *   SLtoVL, VLArb                  qos, copied from sweep to sweep (qos_tables.h)
 *   MFT, GUID tables               tables, by GUID, which are the same object in all sweeps
 *
 * There are two at a time while a sweep is under way: of the subnet that is served and of the fresh
 * one.
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_OBSERVED_H
#define HEDDLE_FABRIC_SNAPSHOT_OBSERVED_H

#include "fabric/snapshot/guid_seen.h"
#include "fabric/snapshot/mft_seen.h"
#include "fabric/snapshot/qos_tables.h"
#include "fabric/snapshot/snapshot.h"
#include "fabric/snapshot/tables.h"
#include "util/bits.h"

/* Tables that are known by GUID and outlive a sweep: they are written beside sweeps too. */
struct observed_tables {
	struct mft_seen *mft;           /* owned */
	struct guid_seen *guids;        /* owned */
};
void observed_tables_init(struct observed_tables *t);
void observed_tables_clear(struct observed_tables *t);

struct observed {
	struct snapshot *s;             /* borrowed: what the sweep found */
	struct observed_tables *tables; /* borrowed */
	uint64_t *lft_unknown;          /* owned, by switch ordinal: some block was not confirmed */
	struct qos_tables *qos;         /* owned; NULL: nobody has asked for these tables */
};

/* What is known when a sweep has found 's'; both are borrowed until observed_free(). */
struct observed *observed_new(struct snapshot *s, struct observed_tables *t);
void observed_free(struct observed *o);                 /* NULL is fine */

/* Whether every LFT block that was written to this switch (ordinal) was confirmed. */
static inline bool
observed_lft_known(const struct observed *o, uint32_t sw)
{
	return !bits_test(o->lft_unknown, sw);
}

/*
 * The tables 'fwd' were written: from now on they are what switches hold, without a copy (the
 * snapshot borrows the rows), but for switches whose writing was not confirmed: nothing is known of
 * theirs. NULL: nothing was written, and what the sweep has read is forgotten.
 */
void observed_adopt_lfts(struct observed *o, const struct fwd_tables *fwd);

#endif
