/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mft_seen.h - what the multicast forwarding tables (MFTs) of the switches are known to hold.
 * Room: fabric/snapshot.  Pure.
 *
 * A row is what one Set writes: the masks of 16 ports (a position) for 32 MLIDs (a block).  Rows
 * are kept by switch GUID, so that they outlive the snapshot they were found with; few of the
 * thousands that a switch has are known, and only those take memory.
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_MFT_SEEN_H
#define HEDDLE_FABRIC_SNAPSHOT_MFT_SEEN_H

#include "fabric/snapshot/snapshot.h"

#define MFT_BLOCK_MLIDS 32
#define MFT_POSITION_PORTS 16
#define MFT_POSITIONS_MAX 16

/* Which row: as the attribute modifier says it. */
static inline uint32_t
mft_row_of(uint32_t block, uint32_t position)
{
	return block | position << 28;
}
static inline uint32_t mft_row_block(uint32_t row) { return row & 0x1ff; }
static inline uint32_t mft_row_position(uint32_t row) { return row >> 28; }

struct mft_seen;
struct mft_seen *mft_seen_new(void);
void mft_seen_free(struct mft_seen *t);                 /* NULL is fine */
/* Nothing is known any more, and of no switch. */
void mft_seen_clear(struct mft_seen *t);
/*
 * From now on about the switches of 's'.  Of those whose bit (by ordinal) is not set in 'known',
 * nothing is known any more.
 */
void mft_seen_keep(struct mft_seen *t, const struct snapshot *s, const uint64_t *known);
/* The 64 bytes of a row, NULL: not known. */
const uint8_t *mft_seen_row(const struct mft_seen *t, uint64_t guid, uint32_t row);
/*
 * Row 'i' of those that are known of a switch, in the order of their numbers; NULL: there is none.
 */
const uint8_t *mft_seen_at(const struct mft_seen *t, uint64_t guid, uint32_t i, uint32_t *row);
/* Notes what a row holds; 'image' NULL: nobody knows. */
void mft_seen_put(struct mft_seen *t, uint64_t guid, uint32_t row, const uint8_t *image);

#endif
