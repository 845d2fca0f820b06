/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * arena.h - memory of a phase: allocate many, free once.
 * Room: util.
 *
 * Everything that one phase of work allocates, such as a snapshot, belongs to one
 * arena and is freed with it, so no function frees single objects on its error paths.  Pointers
 * into an arena are valid until arena_clear().  All memory is zeroed.  When memory runs out the
 * program aborts (xalloc.h), so nothing here returns NULL.  For arrays that are freed one by one,
 * see grow.h.
 */
#ifndef HEDDLE_UTIL_ARENA_H
#define HEDDLE_UTIL_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena_block;

struct arena {
	struct arena_block *head;       /* newest block; each links to the one before */
	size_t bytes;                   /* total taken from the system */
};

#define ARENA_INIT { NULL, 0 }

/* 'size' zeroed bytes aligned for any type, owned by 'a' until arena_clear(). */
void *arena_alloc(struct arena *a, size_t size);
/* Room for 'n' elements of 'size' bytes, zeroed; aborts on overflow. */
void *arena_array(struct arena *a, size_t n, size_t size);
/* Returns the array 'v' with room for one element after the 'n' in use.  If '*cap' is too small the
 * result is a copy of twice the capacity ('first' for a new array), and '*cap' is updated.  The old
 * array stays in the arena. */
void *arena_grow(struct arena *a, void *v, uint32_t n, uint32_t *cap, uint32_t first, size_t size);
/* A copy of 'n' elements of 'size' bytes; 'v' may be NULL if there are none. */
void *arena_copy(struct arena *a, const void *v, size_t n, size_t size);
/* A copy of the NUL-terminated 's'. */
char *arena_strdup(struct arena *a, const char *s);
/* Frees everything; 'a' can be used again. */
void arena_clear(struct arena *a);

#endif
