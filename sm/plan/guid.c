/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * guid.c - the wanted GUID tables of end ports.
 * Room: sm/plan.  Pure.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/attr/sm_attr.h"
#include "sm/plan/guid.h"
#include "util/xalloc.h"

#define uthash_fatal(text) bug("%s", text)
#include <uthash.h>

struct block {
	uint8_t want[GUID_INFO_BYTES];
	bool wanted;
};

struct table {
	uint64_t port_guid;
	struct block *blocks;
	uint8_t nblocks;
	UT_hash_handle hh;
};

struct guid_tables {
	struct table *by_port;
};

struct guid_tables *
guid_tables_new(void)
{
	return xcalloc(1, sizeof(struct guid_tables));
}

void
guid_tables_free(struct guid_tables *t)
{
	struct table *p, *next;

	if (!t)
		return;
	HASH_ITER(hh, t->by_port, p, next) {
		HASH_DEL(t->by_port, p);
		free(p->blocks);
		free(p);
	}
	free(t);
}

static struct table *
find_table(const struct guid_tables *t, uint64_t port_guid)
{
	struct table *p;

	HASH_FIND(hh, t->by_port, &port_guid, sizeof(port_guid), p);
	return p;
}

static struct block *
find_block(const struct guid_tables *t, uint64_t port_guid, uint8_t block)
{
	const struct table *p = find_table(t, port_guid);

	return p && block < p->nblocks && p->blocks[block].wanted ? &p->blocks[block] : NULL;
}

void
guid_tables_want(struct guid_tables *t, uint64_t port_guid, uint8_t block,
	const uint64_t guids[static GUID_BLOCK_GUIDS])
{
	struct table *p = find_table(t, port_guid);

	if (block >= GUID_BLOCKS_MAX)
		bug("guid: block %u", block);
	if (!p) {
		p = xcalloc(1, sizeof(*p));
		p->port_guid = port_guid;
		HASH_ADD(hh, t->by_port, port_guid, sizeof(p->port_guid), p);
	}
	if (block >= p->nblocks) {
		p->blocks = xreallocarray(p->blocks, block + 1u, sizeof(*p->blocks));
		memset(&p->blocks[p->nblocks], 0, (block + 1u - p->nblocks) * sizeof(*p->blocks));
		p->nblocks = (uint8_t)(block + 1);
	}
	p->blocks[block].wanted = true;
	for (unsigned i = 0; i < GUID_BLOCK_GUIDS; i++)
		ATTR_SET_ITEM(guid_info, guid, p->blocks[block].want, i,
			!block && !i ? port_guid : guids[i]);
}

bool
guid_tables_any(const struct guid_tables *t)
{
	return t->by_port != NULL;
}

uint8_t
guid_tables_blocks(const struct guid_tables *t, uint64_t port_guid)
{
	const struct table *p = find_table(t, port_guid);

	return p ? p->nblocks : 0;
}

const uint8_t *
guid_tables_wanted(const struct guid_tables *t, uint64_t port_guid, uint8_t block)
{
	const struct block *b = find_block(t, port_guid, block);

	return b ? b->want : NULL;
}

bool
guid_block_equal(uint8_t block, const uint8_t *a, const uint8_t *b)
{
	size_t skip = block ? 0 : 8;

	return memcmp(a + skip, b + skip, GUID_INFO_BYTES - skip) == 0;
}

bool
guid_tables_differ(const struct guid_tables *t, const struct guid_seen *seen, uint64_t port_guid,
	uint8_t block)
{
	const uint8_t *want = guid_tables_wanted(t, port_guid, block), *have;

	if (!want)
		return false;
	have = guid_seen_block(seen, port_guid, block);
	return !have || !guid_block_equal(block, want, have);
}
