/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * grow.h - growing arrays: a pointer, the number of elements in use, and the capacity.
 * Room: util (prefix grow_).  Pure, header only; memory comes from xalloc.h.
 *
 * A growing array is three members of the caller's struct (or three variables): the pointer, the
 * count and the capacity, of any unsigned type.  Initialize all three to zero; release the array
 * with free().  Capacities double, so n appended elements cost O(n) copies.  Pointers into the
 * array are valid until the next append.  Neither macro can fail: the program aborts if a capacity
 * cannot be represented or allocated, as in xalloc.h.
 *
 * 	GROW(l->v, l->n, l->cap, 16);
 * 	l->v[l->n++] = value;
 */
#ifndef HEDDLE_UTIL_GROW_H
#define HEDDLE_UTIL_GROW_H

#include <stddef.h>
#include "util/xalloc.h"

/* The next capacity after 'cap' that holds 'need' elements: starts at 'first' and doubles, limited
 * to 'most'.  Aborts if 'need' exceeds 'most'. */
static inline size_t
grow_capacity(size_t cap, size_t need, size_t first, size_t most)
{
	if (need > most)
		xalloc_overflow();
	if (!cap)
		cap = first < most ? first : most;
	while (cap < need)
		cap = cap > most / 2 ? most : cap * 2;
	return cap;
}

/* Makes room for at least 'need' elements in the array 'v' of capacity 'cap', whose first capacity
 * is 'first' (not 0). 'v' and 'cap' are lvalues and are evaluated more than once. */
#define GROW_TO(v, need, cap, first) \
	do { \
		size_t grow_need_ = (need); \
		_Static_assert((__typeof__(cap))-1 > 0, "the capacity is unsigned"); \
		if (__builtin_expect(grow_need_ > (cap), 0)) { \
			size_t grow_cap_ = grow_capacity((cap), grow_need_, (first), (__typeof__(cap))-1); \
			(v) = xreallocarray((v), grow_cap_, sizeof(*(v))); \
			(cap) = (__typeof__(cap))grow_cap_; \
		} \
	} while (0)

/* Makes room for one element after the 'n' in use. */
#define GROW(v, n, cap, first) GROW_TO(v, (size_t)(n) + 1, cap, first)

#endif
