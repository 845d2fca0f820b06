/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * arena.h - memory of a phase: allocate many, free once.
 * Room: util.  Out of memory aborts, so nothing here returns NULL.
 */
#ifndef HEDDLE_UTIL_ARENA_H
#define HEDDLE_UTIL_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena_block;

struct arena {
	struct arena_block *head;       /* newest block; the older ones hang below it */
	size_t bytes;                   /* all that was taken from the system */
};

#define ARENA_INIT { NULL, 0 }

/* 'size' zeroed bytes aligned for any type, owned by 'a' until arena_clear(). */
void *arena_alloc(struct arena *a, size_t size);
/* Room for 'n' elements of 'size' bytes, zeroed; aborts on overflow. */
void *arena_array(struct arena *a, size_t n, size_t size);
/* The array 'v' with room for one element behind the 'n' that are used: itself while '*cap' allows
 * it, else a copy of twice the capacity ('first' for the first one), which goes to '*cap'.  The old
 * array stays in the arena.  For arrays that are freed one by one, see grow.h. */
void *arena_grow(struct arena *a, void *v, uint32_t n, uint32_t *cap, uint32_t first, size_t size);
/* A copy of the NUL-terminated 's'. */
char *arena_strdup(struct arena *a, const char *s);
/* Frees everything; 'a' may be used again. */
void arena_clear(struct arena *a);

#endif
