/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * bits.h - sets of small integers in arrays of 64-bit words.
 * Room: util.  Pure, header only.
 *
 * The caller owns the words: BITS_WORDS(n) of them hold the integers 0..n-1, and zeros are the
 * empty set.  No function checks an index against the size.
 */
#ifndef HEDDLE_UTIL_BITS_H
#define HEDDLE_UTIL_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BITS_WORDS(n) (((size_t)(n) + 63) / 64)

static inline bool
bits_test(const uint64_t *w, size_t i)
{
	return w[i / 64] >> (i % 64) & 1;
}

static inline void
bits_set(uint64_t *w, size_t i)
{
	w[i / 64] |= (uint64_t)1 << (i % 64);
}

static inline void
bits_clear(uint64_t *w, size_t i)
{
	w[i / 64] &= ~((uint64_t)1 << (i % 64));
}

/* The first member at or after 'from'; 'n' if there is none below 'n'. */
static inline size_t
bits_next(const uint64_t *w, size_t n, size_t from)
{
	size_t k = from / 64;
	uint64_t m;

	if (from >= n)
		return n;
	m = w[k] & (~(uint64_t)0 << (from % 64));
	while (!m) {
		if (++k >= BITS_WORDS(n))
			return n;
		m = w[k];
	}
	k = k * 64 + (size_t)__builtin_ctzll(m);
	return k < n ? k : n;
}

#endif
