/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pkey.c - the default partition.
 * Room: sm/plan.  Pure.  In: the block that was read.  Out: the block that is wanted.
 */
#include <config.h>
#include <string.h>
#include "sm/plan/pkey.h"

#define BLOCK_KEYS 32u

bool
plan_pkeys(const struct snapshot *s, uint32_t port, uint8_t want[static PKEY_TABLE_BYTES])
{
	const struct fab_port *p = &s->ports[port];
	unsigned cap = node_info_decode(s->nodes[p->node].node_info).partition_cap;
	struct pkey_table t;
	uint16_t moved;
	bool limited = false;

	if (!snapshot_is_endport(s, p) || p->pkeys == FAB_NONE || cap == 0)
		return false;
	cap = cap < BLOCK_KEYS ? cap : BLOCK_KEYS;
	memcpy(want, s->pkey_blocks[p->pkeys], PKEY_TABLE_BYTES);
	t = pkey_table_decode(want);
	moved = t.pkey[0];
	t.pkey[0] = PKEY_DEFAULT_FULL;
	for (unsigned i = 1; i < cap; i++) {
		if (t.pkey[i] == PKEY_DEFAULT_FULL || (t.pkey[i] == PKEY_DEFAULT_LIMITED && limited))
			t.pkey[i] = 0;
		limited |= t.pkey[i] == PKEY_DEFAULT_LIMITED;
		if (t.pkey[i] == moved)
			moved = 0;              /* it has a second place */
	}
	if ((moved & PKEY_DEFAULT_LIMITED) == PKEY_DEFAULT_LIMITED)
		moved = 0;
	for (unsigned i = 1; i < cap && moved; i++)
		if (!t.pkey[i]) {
			t.pkey[i] = moved;
			moved = 0;
		}
	pkey_table_patch(want, &t);
	return true;
}
