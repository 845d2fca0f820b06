/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * guid.h - GUID tables of end ports: what they shall hold.
 * Room: sm/plan.  Pure.  Lives longer than a plan, and names ports by GUID.
 *
 * Only blocks that were wanted once are kept: a port that never got an alias costs nothing and is
 * never written.  What the tables are known to hold is observed (fabric/snapshot/guid_seen.h).
 */
#ifndef HEDDLE_SM_PLAN_GUID_H
#define HEDDLE_SM_PLAN_GUID_H

#include <stdbool.h>
#include <stdint.h>
#include "fabric/snapshot/guid_seen.h"
#include "libmad/attr/sm_attr.h"

struct guid_tables;
struct guid_tables *guid_tables_new(void);
void guid_tables_free(struct guid_tables *t);   /* NULL is fine */
/*
 * From now on a block (below GUID_BLOCKS_MAX) shall hold these; entry 0 of block 0 is the port's
 * own GUID, whatever is given.
 */
void guid_tables_want(struct guid_tables *t, uint64_t port_guid, uint8_t block,
	const uint64_t guids[static GUID_BLOCK_GUIDS]);
/* How many blocks, from 0 on, may have something to be written; 0: the port is not known here. */
uint8_t guid_tables_blocks(const struct guid_tables *t, uint64_t port_guid);
/* The wanted image; NULL: nothing is wanted there. */
const uint8_t *guid_tables_wanted(const struct guid_tables *t, uint64_t port_guid, uint8_t block);
/* Whether the block is wanted and not known to hold what it shall. */
bool guid_tables_differ(const struct guid_tables *t, const struct guid_seen *seen,
	uint64_t port_guid, uint8_t block);
/*
 * Whether two images of a block are equal; the port's own GUID, which nobody writes, does not
 * count.
 */
bool guid_block_equal(uint8_t block, const uint8_t *a, const uint8_t *b);

#endif
