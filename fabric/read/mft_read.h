/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mft_read.h - reads the multicast forwarding tables (MFTs) of switches, as far as they are in use.
 * Room: fabric/read.  Pure: it makes requests and takes their ends; libmad/txn sends them.
 * reader.h describes what all readers have in common.
 *
 * MLIDs are assigned from the lowest up, so the first blocks are in use.  The reader reads all
 * positions of a block from every switch that may have members (hosts, or an enhanced port 0), and
 * ends MFT_READ_GAP_BLOCKS blocks after the last block in which one has an entry.  Of the other
 * switches it reads the blocks in which one of those has entries; all, if one of those cannot be
 * read.  Each switch has one outstanding request, and its first
 * unanswered request is its last, so an unresponsive switch does not delay others.
 */
#ifndef HEDDLE_FABRIC_READ_MFT_READ_H
#define HEDDLE_FABRIC_READ_MFT_READ_H

#include "fabric/snapshot/mkeys.h"
#include "fabric/snapshot/snapshot.h"
#include "libmad/txn/txn.h"

#define MFT_READ_GAP_BLOCKS 4u          /* 128 MLIDs in a row without an entry anywhere */
#define MFT_READ_BLOCK_MLIDS 32u

struct mft_read_row {
	uint32_t sw;                    /* ordinal of the switch */
	uint32_t row;                   /* block and position, as the attribute modifier has them */
	uint8_t image[64];
};

struct mft_reader;

/*
 * Reads the switches of 's', which is borrowed, for at most 'mlids' MLIDs from 0xC000 on, and at
 * least for the first 'hint'.  Skips switches that were never configured (LinearFDBTop 0), that
 * have no MFT, or whose MulticastFDBTop shows that it is empty.
 */
struct mft_reader *mft_reader_new(const struct snapshot *s, uint32_t mlids, uint32_t hint,
	struct mkeys mkeys);
void mft_reader_free(struct mft_reader *r);     /* NULL is fine */
/* The next request; false: none now.  Its target is the node's index. */
bool mft_reader_next(struct mft_reader *r, struct txn_req *q);
void mft_reader_end(struct mft_reader *r, const struct txn_end *e);
/* True when every request has ended. */
bool mft_reader_done(const struct mft_reader *r);
/* The rows that were answered, in order of arrival. */
const struct mft_read_row *mft_reader_rows(const struct mft_reader *r, uint32_t *n);
/* The next switch (ordinal) from 'sw' on that left a request unanswered or refused it; FAB_NONE:
 * no more. */
uint32_t mft_reader_unread(const struct mft_reader *r, uint32_t sw);

#endif
