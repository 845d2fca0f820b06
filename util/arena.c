/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * arena.c - memory of a phase: allocate many, free once.
 * Room: util.  In: sizes.  Out: zeroed memory that lives until arena_clear().
 *
 * Small requests share blocks of 64 KiB.  A large request gets its own block, so a table of 200 MB
 * costs no copy and returns to the system with arena_clear().
 */
#include <config.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "util/arena.h"
#include "util/grow.h"
#include "util/xalloc.h"

#define BLOCK_BYTES ((size_t)64 * 1024)
#define ALIGN_BYTES ((size_t)16)

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	_Alignas(16) unsigned char data[];
};

static struct arena_block *
block_new(struct arena *a, size_t size)
{
	struct arena_block *b = xcalloc(1, sizeof(*b) + size);

	b->size = size;
	a->bytes += sizeof(*b) + size;
	return b;
}

void *
arena_alloc(struct arena *a, size_t size)
{
	struct arena_block *b = a->head;

	if (size > SIZE_MAX / 2)
		xalloc_overflow();
	size = (size + ALIGN_BYTES - 1) & ~(ALIGN_BYTES - 1);
	if (!b || b->size - b->used < size) {
		bool own = size > BLOCK_BYTES / 4;

		b = block_new(a, own ? size : BLOCK_BYTES);
		if (own && a->head) {           /* keep the partly used block first */
			b->next = a->head->next;
			a->head->next = b;
		} else {
			b->next = a->head;
			a->head = b;
		}
	}
	b->used += size;
	return b->data + b->used - size;
}

void *
arena_array(struct arena *a, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / size)
		xalloc_overflow();
	return arena_alloc(a, n * size);
}

void *
arena_grow(struct arena *a, void *v, uint32_t n, uint32_t *cap, uint32_t first, size_t size)
{
	void *more;

	if (n < *cap)
		return v;
	*cap = (uint32_t)grow_capacity(*cap, (size_t)n + 1, first, UINT32_MAX);
	more = arena_array(a, *cap, size);
	if (n)
		memcpy(more, v, n * size);
	return more;
}

void *
arena_copy(struct arena *a, const void *v, size_t n, size_t size)
{
	void *to = arena_array(a, n, size);

	if (n)
		memcpy(to, v, n * size);
	return to;
}

char *
arena_strdup(struct arena *a, const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(arena_alloc(a, n), s, n);
}

void
arena_clear(struct arena *a)
{
	while (a->head) {
		struct arena_block *b = a->head;

		a->head = b->next;
		free(b);
	}
	a->bytes = 0;
}
