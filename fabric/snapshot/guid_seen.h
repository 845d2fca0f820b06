/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * guid_seen.h - what the GUID tables of end ports are known to hold.
 * Room: fabric/snapshot.  Pure.
 *
 * Blocks are kept by port GUID, so that they outlive the snapshot they were found with.  Only
 * blocks that were read or written take memory: most ports have no alias GUIDs, and nobody looks at
 * theirs.
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
/* Nothing is known any more. */
void guid_seen_clear(struct guid_seen *t);
/* Notes what a block (below GUID_BLOCKS_MAX) holds, GUID_INFO_BYTES; 'image' NULL: nobody knows. */
void guid_seen_put(struct guid_seen *t, uint64_t port_guid, uint8_t block, const uint8_t *image);
/* Nobody knows any more what the port's blocks hold. */
void guid_seen_doubt(struct guid_seen *t, uint64_t port_guid);
/* The image of a block; NULL: not known. */
const uint8_t *guid_seen_block(const struct guid_seen *t, uint64_t port_guid, uint8_t block);

#endif
