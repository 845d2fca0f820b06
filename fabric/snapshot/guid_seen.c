/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * guid_seen.c - cached contents of the GUID tables of end ports.
 * Room: fabric/snapshot.  Pure.  In: blocks that were read, or that answers to Sets showed.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/snapshot/guid_seen.h"
#include "util/xalloc.h"

#define uthash_fatal(text) bug("%s", text)
#include <uthash.h>

struct seen_block {
	uint8_t image[GUID_INFO_BYTES];
	bool known;
};

struct seen_port {
	uint64_t port_guid;
	struct seen_block *blocks;
	uint8_t nblocks;
	UT_hash_handle hh;
};

struct guid_seen {
	struct seen_port *by_guid;
};

struct guid_seen *
guid_seen_new(void)
{
	return xcalloc(1, sizeof(struct guid_seen));
}

void
guid_seen_clear(struct guid_seen *t)
{
	struct seen_port *p, *next;

	HASH_ITER(hh, t->by_guid, p, next) {
		HASH_DEL(t->by_guid, p);
		free(p->blocks);
		free(p);
	}
}

void
guid_seen_free(struct guid_seen *t)
{
	if (!t)
		return;
	guid_seen_clear(t);
	free(t);
}

static struct seen_port *
find_port(const struct guid_seen *t, uint64_t port_guid)
{
	struct seen_port *p;

	HASH_FIND(hh, t->by_guid, &port_guid, sizeof(port_guid), p);
	return p;
}

static struct seen_port *
add_port(struct guid_seen *t, uint64_t port_guid)
{
	struct seen_port *p = xcalloc(1, sizeof(*p));

	p->port_guid = port_guid;
	HASH_ADD(hh, t->by_guid, port_guid, sizeof(p->port_guid), p);
	return p;
}

static struct seen_block *
block_room(struct seen_port *p, uint8_t block)
{
	if (block >= p->nblocks) {
		p->blocks = xreallocarray(p->blocks, block + 1u, sizeof(*p->blocks));
		memset(&p->blocks[p->nblocks], 0, (block + 1u - p->nblocks) * sizeof(*p->blocks));
		p->nblocks = (uint8_t)(block + 1);
	}
	return &p->blocks[block];
}

void
guid_seen_put(struct guid_seen *t, uint64_t port_guid, uint8_t block, const uint8_t *image)
{
	struct seen_port *p = find_port(t, port_guid);
	struct seen_block *b;

	if (block >= GUID_BLOCKS_MAX)
		bug("guid: block %u", block);
	if (!image) {
		if (p && block < p->nblocks)
			p->blocks[block].known = false;
		return;
	}
	b = block_room(p ? p : add_port(t, port_guid), block);
	b->known = true;
	memcpy(b->image, image, sizeof(b->image));
}

void
guid_seen_doubt(struct guid_seen *t, uint64_t port_guid)
{
	struct seen_port *p = find_port(t, port_guid);

	for (unsigned i = 0; p && i < p->nblocks; i++)
		p->blocks[i].known = false;
}

const uint8_t *
guid_seen_block(const struct guid_seen *t, uint64_t port_guid, uint8_t block)
{
	const struct seen_port *p = find_port(t, port_guid);

	return p && block < p->nblocks && p->blocks[block].known ? p->blocks[block].image : NULL;
}
