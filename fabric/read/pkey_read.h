/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pkey_read.h - reads P_Key tables that discovery does not read: further blocks, and tables of
 * switch ports.
 * Room: fabric/read.  Pure: it makes requests and takes their ends; libmad/txn sends them.
 *
 * Only a manager that manages partitions needs these blocks, so they are not part of every sweep.
 * reader.h describes what all readers have in common.
 */
#ifndef HEDDLE_FABRIC_READ_PKEY_READ_H
#define HEDDLE_FABRIC_READ_PKEY_READ_H

#include "fabric/snapshot/mkeys.h"
#include "libmad/txn/txn.h"

#define PKEY_BLOCK_KEYS 32u
/* Maximum number of blocks read or written per table (1,024 P_Keys), even if a device reports
 * more. */
#define PKEY_BLOCKS_MAX 32u

/* Blocks first..last of the table of a port.  'first' is 1 where block 0 is known, else 0. */
struct pkey_ask {
	uint32_t port;
	uint8_t first, last;            /* last < PKEY_BLOCKS_MAX */
};

struct pkey_reader;

/* Copies the asks.  Borrows the snapshot and replaces its pkey_blocks. */
struct pkey_reader *pkey_reader_new(struct snapshot *s, const struct pkey_ask *asks, uint32_t n,
	struct mkeys mkeys);
void pkey_reader_free(struct pkey_reader *r);   /* NULL is fine */
/* The next request; false: all were returned.  Its target is the node's index. */
bool pkey_reader_next(struct pkey_reader *r, struct txn_req *q);
void pkey_reader_end(struct pkey_reader *r, const struct txn_end *e);
/*
 * True when every request has ended.  Then each port of an ask has as many blocks as were answered
 * in a row (fab_port.more_pkeys), and the snapshot's problems include the unanswered ones.
 */
bool pkey_reader_done(struct pkey_reader *r);

#endif
