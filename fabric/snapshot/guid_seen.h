/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * guid_seen.h - cached contents of the GUID tables of end ports.
 * Room: fabric/snapshot.  Pure.
 *
 * Blocks are cached by port GUID, so they survive from sweep to sweep.  Only blocks that were read
 * or written take memory: most ports have no alias GUIDs, and their tables are never read.
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_GUID_SEEN_H
#define HEDDLE_FABRIC_SNAPSHOT_GUID_SEEN_H

#include <stdbool.h>
#include <stdint.h>
#include "libmad/attr/sm_attr.h"

#define GUID_BLOCK_GUIDS 8
#define GUID_BLOCKS_MAX 32

struct guid_seen;
struct guid_seen *guid_seen_new(void);
void guid_seen_free(struct guid_seen *t);               /* NULL is fine */
/* Removes everything. */
void guid_seen_clear(struct guid_seen *t);
/* Notes what a block (below GUID_BLOCKS_MAX) holds, GUID_INFO_BYTES; 'image' NULL: unknown. */
void guid_seen_put(struct guid_seen *t, uint64_t port_guid, uint8_t block, const uint8_t *image);
/* Marks all blocks of the port as unknown. */
void guid_seen_doubt(struct guid_seen *t, uint64_t port_guid);
/* The image of a block; NULL: unknown. */
const uint8_t *guid_seen_block(const struct guid_seen *t, uint64_t port_guid, uint8_t block);

#endif
