/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * u64.h - compares 64-bit numbers, for qsort() and bsearch().
 * Room: util.  Pure, header only.
 */
#ifndef HEDDLE_UTIL_U64_H
#define HEDDLE_UTIL_U64_H

#include <stdint.h>

static inline int
u64_cmp(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

#endif
