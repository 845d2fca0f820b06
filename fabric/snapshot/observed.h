/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * observed.h - the tables that the hardware is known to hold, and which are unknown.
 * Room: fabric/snapshot.  Pure.
 *
 * The plan (sm/plan) is the wanted state, and const once made.  This is the observed state.  It
 * begins with what a sweep read, and changes only when a Set is answered or fails.  sm/diff
 * computes the difference between the two, which is then sent.  Rooms that serve or verify take a
 * const pointer.
 *
 *   PortInfo, SwitchInfo, P_Keys   images in the snapshot, as last received
 *   LFT                            node.lft in the snapshot; lft_unknown marks failed writes
 *   SLtoVL, VLArb                  qos, copied from sweep to sweep (qos_tables.h)
 *   MFT, GUID tables               tables, by GUID, which are the same object in all sweeps
 *
 * During a sweep there are two: one of the subnet that is served, one of the new sweep.
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
	struct qos_tables *qos;         /* owned; NULL: these tables are not used */
	/* owned, by port index: ports that need no Set under the plan that was written, noted for
	 * the next sweep (sm/diff/settled.h); NULL: none is known to */
	uint64_t *settled;
};

/* The observed state after a sweep found 's'; borrows both until observed_free(). */
struct observed *observed_new(struct snapshot *s, struct observed_tables *t);
void observed_free(struct observed *o);                 /* NULL is fine */

/* Whether every LFT block that was written to this switch (ordinal) was confirmed. */
static inline bool
observed_lft_known(const struct observed *o, uint32_t sw)
{
	return !bits_test(o->lft_unknown, sw);
}

/*
 * The tables 'fwd' were written, and become the observed LFTs without a copy (the snapshot borrows
 * the rows, and holds those that can be held), except for switches with an unconfirmed write, whose tables are unknown.  NULL:
 * nothing was written; the LFTs that the sweep read are dropped.
 */
void observed_adopt_lfts(struct observed *o, const struct fwd_tables *fwd);

#endif
