/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * guid_read.h - reads GUID tables of ports, block by block, while a block holds more than the
 * port's own GUID.
 * Room: fabric/read.  Pure: it makes requests and takes their ends; libmad/txn sends them.
 * reader.h describes what all readers have in common.
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

/* Clears the entries of an image of block 'block' beyond the port's 'cap' entries (GUIDCap), where
 * a device may return anything. */
void guid_image_trim(uint8_t image[static GUID_INFO_BYTES], unsigned block, unsigned cap);

struct guid_reader;

/* A reader for the tables of 'n' ports; copies their indices, borrows the snapshot. */
struct guid_reader *guid_reader_new(const struct snapshot *s, const uint32_t *ports, uint32_t n,
	struct mkeys mkeys);
void guid_reader_free(struct guid_reader *r);   /* NULL is fine */
/* The next request; false: none now.  Its target is the node's index. */
bool guid_reader_next(struct guid_reader *r, struct txn_req *q);
void guid_reader_end(struct guid_reader *r, const struct txn_end *e);
/* True when every request has ended. */
bool guid_reader_done(const struct guid_reader *r);
/* The blocks that hold an alias GUID, trimmed, in order of arrival.  Rows of a table end at the
 * first block without an answer. */
const struct guid_row *guid_reader_rows(const struct guid_reader *r, uint32_t *n);

#endif
