/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * txn_pool.c - free lists filled in chunks, so that in steady state no request calls the allocator.
 * Room: libmad/txn.  Pure.  txn_free() releases the memory.
 */
#include <config.h>
#include <string.h>
#include "libmad/txn/txn_impl.h"
#include "util/xalloc.h"

#define CHUNK_BYTES 32768

/* The usable bytes of a new chunk; the list of chunks is for txn_free(). */
static void *
chunk_new(struct txn *t)
{
	struct txn_chunk *c = xmalloc(64 + CHUNK_BYTES);

	c->next = t->chunks;
	t->chunks = c;
	/* keeps items on cache lines as far as the allocator does */
	return (char *)c + 64;
}

#define POOL_TAKE(t, list, type) do { \
	if (!(t)->list) { \
		type *v_ = chunk_new(t); \
		for (size_t n_ = CHUNK_BYTES / sizeof *v_; n_--;) { \
			v_[n_].next = (t)->list; \
			(t)->list = &v_[n_]; \
		} \
	} \
} while (0)

struct txn_item *
txn_item_take(struct txn *t)
{
	struct txn_item *i;

	POOL_TAKE(t, items_free, struct txn_item);
	i = t->items_free;
	t->items_free = i->next;
	return i;
}

struct txn_extra *
txn_extra_take(struct txn *t)
{
	struct txn_extra *x;

	POOL_TAKE(t, extras_free, struct txn_extra);
	x = t->extras_free;
	t->extras_free = x->next;
	return x;
}

struct txn_block *
txn_block_take(struct txn *t)
{
	struct txn_block *b;

	POOL_TAKE(t, blocks_free, struct txn_block);
	b = t->blocks_free;
	t->blocks_free = b->next;
	return b;
}

struct txn_reply *
txn_reply_take(struct txn *t)
{
	struct txn_reply *r;

	POOL_TAKE(t, replies_free, struct txn_reply);
	r = t->replies_free;
	t->replies_free = r->next;
	return r;
}

void
txn_item_release(struct txn *t, struct txn_item *i)
{
	if (i->flags & ITEM_EXTRA) {
		i->extra->next = t->extras_free;
		t->extras_free = i->extra;
	}
	if (i->flags & ITEM_BLOCK) {
		i->block->next = t->blocks_free;
		t->blocks_free = i->block;
	}
	i->flags = 0;
	i->reply = NULL;
	i->payload = NULL;
}
