/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pkey_read.h - reads more of the P_Key tables than discovery does: further blocks, and tables of a
 * switch's cabled ports.
 * Room: fabric/read.  Pure: it hands out questions and takes in answers; txn sends them.
 * Only a manager with partitions to keep needs them, so that nobody else pays for them.
 */
#ifndef HEDDLE_FABRIC_READ_PKEY_READ_H
#define HEDDLE_FABRIC_READ_PKEY_READ_H

#include "fabric/snapshot/mkeys.h"
#include "libmad/txn/txn.h"

#define PKEY_BLOCK_KEYS 32u
/* Whatever a device says it has room for, no more blocks of one table are read or written (1,024
 * P_Keys). */
#define PKEY_BLOCKS_MAX 32u

/* Blocks first..last of the table of a port.  'first' is 1 where block 0 is known, else 0. */
struct pkey_ask {
	uint32_t port;
	uint8_t first, last;            /* last < PKEY_BLOCKS_MAX */
};

struct pkey_reader;

/* Copies the asks.  Borrows the snapshot, whose pkey_blocks it makes anew. */
struct pkey_reader *pkey_reader_new(struct snapshot *s, const struct pkey_ask *asks, uint32_t n,
	struct mkeys mkeys);
void pkey_reader_free(struct pkey_reader *r);   /* NULL is fine */
/* The next question; false: all are out.  Its target is the node's index. */
bool pkey_reader_next(struct pkey_reader *r, struct txn_req *q);
void pkey_reader_end(struct pkey_reader *r, const struct txn_end *e);
/*
 * True when every question has ended: then each port of an ask has as many blocks as were answered
 * in a row (fab_port.more_pkeys), and what was not answered is among the snapshot's problems.
 */
bool pkey_reader_done(struct pkey_reader *r);

#endif
