/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * guid.h - the wanted GUID tables of end ports.
 * Room: sm/plan.  Pure.  Outlives a plan, and names ports by GUID.
 *
 * Holds only blocks that were wanted at least once: a port that never got an alias costs nothing,
 * and heddled never writes its table.  fabric/snapshot/guid_seen.h holds what the tables are known
 * to contain; sm/diff compares the two.
 */
#ifndef HEDDLE_SM_PLAN_GUID_H
#define HEDDLE_SM_PLAN_GUID_H

#include <stdbool.h>
#include <stdint.h>
#include "fabric/snapshot/guid_seen.h"
#include "libmad/attr/sm_attr.h"

struct guid_tables;
struct guid_tables *guid_tables_new(void);
void guid_tables_free(struct guid_tables *t);   /* 't' may be NULL */
/*
 * Sets the wanted entries of a block (below GUID_BLOCKS_MAX).  Entry 0 of block 0 is always the
 * port's own GUID, whatever the caller passes.
 */
void guid_tables_want(struct guid_tables *t, uint64_t port_guid, uint8_t block,
	const uint64_t guids[static GUID_BLOCK_GUIDS]);
/* Whether anything is wanted of any port. */
bool guid_tables_any(const struct guid_tables *t);
/* The number of blocks, from block 0 on, that may have to be written; 0: the port has none. */
uint8_t guid_tables_blocks(const struct guid_tables *t, uint64_t port_guid);
/* The wanted image; NULL: nothing is wanted there. */
const uint8_t *guid_tables_wanted(const struct guid_tables *t, uint64_t port_guid, uint8_t block);
/* Whether the block is wanted and is not known to hold the wanted entries. */
bool guid_tables_differ(const struct guid_tables *t, const struct guid_seen *seen,
	uint64_t port_guid, uint8_t block);
/*
 * Whether two images of a block are equal.  Ignores the port's own GUID, which is never written.
 */
bool guid_block_equal(uint8_t block, const uint8_t *a, const uint8_t *b);

#endif
