/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mft_seen.h - cached contents of the multicast forwarding tables (MFTs) of switches.
 * Room: fabric/snapshot.  Pure.
 *
 * A row is what one Set writes: the masks of 16 ports (a position) for 32 MLIDs (a block).  Rows
 * are cached by switch GUID, so they survive from sweep to sweep.  Only known rows, few of the
 * thousands that a switch has, take memory.
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_MFT_SEEN_H
#define HEDDLE_FABRIC_SNAPSHOT_MFT_SEEN_H

#include "fabric/snapshot/snapshot.h"

#define MFT_BLOCK_MLIDS 32
#define MFT_POSITION_PORTS 16
#define MFT_POSITIONS_MAX 16

/* The number of a row, as in the attribute modifier. */
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
/* Removes all rows and all switches. */
void mft_seen_clear(struct mft_seen *t);
/*
 * Keeps only the switches of 's'.  Removes the rows of those whose bit (by ordinal) is not set in
 * 'known'.
 */
void mft_seen_keep(struct mft_seen *t, const struct snapshot *s, const uint64_t *known);
/* The 64 bytes of a row; NULL: unknown. */
const uint8_t *mft_seen_row(const struct mft_seen *t, uint64_t guid, uint32_t row);
/*
 * The 'i'-th known row of a switch, in order of their numbers; NULL: there is none.
 */
const uint8_t *mft_seen_at(const struct mft_seen *t, uint64_t guid, uint32_t i, uint32_t *row);
/* Stores the contents of a row; 'image' NULL: unknown. */
void mft_seen_put(struct mft_seen *t, uint64_t guid, uint32_t row, const uint8_t *image);

#endif
