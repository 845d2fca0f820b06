/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * guid_read.h - reads GUID tables of ports: a block, and the next as long as the one before holds
 * more than the port's own GUID.
 * Room: fabric/read.  Pure: it hands out questions and takes in answers; txn sends them.
 */
#ifndef HEDDLE_FABRIC_READ_GUID_READ_H
#define HEDDLE_FABRIC_READ_GUID_READ_H

#include "fabric/snapshot/mkeys.h"
#include "libmad/txn/txn.h"

struct guid_row {
	uint32_t port;
	uint8_t block;
	uint8_t image[GUID_INFO_BYTES];
};

/* Zeros in an image of block 'block' for what is behind the 'cap' entries that a port has
 * (GUIDCap): it may show anything there. */
void guid_image_trim(uint8_t image[static GUID_INFO_BYTES], unsigned block, unsigned cap);

struct guid_reader;

/* Asks for the tables of 'n' ports; copies their indices, borrows the snapshot. */
struct guid_reader *guid_reader_new(const struct snapshot *s, const uint32_t *ports, uint32_t n,
	struct mkeys mkeys);
void guid_reader_free(struct guid_reader *r);   /* NULL is fine */
/* The next question; false: none right now.  Its target is the node's index. */
bool guid_reader_next(struct guid_reader *r, struct txn_req *q);
void guid_reader_end(struct guid_reader *r, const struct txn_end *e);
/* Every question has ended. */
bool guid_reader_done(const struct guid_reader *r);
/* The blocks that hold an alias, trimmed, in the order they came.  A table that was not answered
 * has no more rows. */
const struct guid_row *guid_reader_rows(const struct guid_reader *r, uint32_t *n);

#endif
