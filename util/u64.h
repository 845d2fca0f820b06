/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * u64.h - compares 64-bit numbers, for qsort() and bsearch().
 * Room: util.  Pure, header only.
 *
 * GUIDs sort by value.  A difference of two 64-bit numbers does not fit in an int, so the
 * comparison is written once here.
 */
#ifndef HEDDLE_UTIL_U64_H
#define HEDDLE_UTIL_U64_H

#include <stdint.h>

/* Compares the uint64_t at 'a' and 'b': negative, 0 or positive. */
static inline int
u64_cmp(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

#endif
