/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * bisect.h - binary search: the position of a key in a sorted array.
 * Room: util.  Pure, header only.
 *
 * In a sorted array, all elements less than a key come first.  BISECT finds the first element that
 * is not less.  The condition is an expression in the index variable, so it works for arrays of
 * structs, for arrays of indices into another array, and for parallel arrays, without a comparison
 * function.
 *
 * 	uint32_t i;
 *
 * 	BISECT(i, s->n, s->v[i].guid < guid);
 * 	return i < s->n && s->v[i].guid == guid ? &s->v[i] : NULL;
 *
 * To find the end of a range of equal elements, use <= in the condition:
 *
 * 	BISECT(end, s->n, s->v[end].guid <= guid);
 */
#ifndef HEDDLE_UTIL_BISECT_H
#define HEDDLE_UTIL_BISECT_H

/* Sets the unsigned lvalue 'i' to the first index of [from, n) for which 'before', an expression in
 * 'i', is false; to 'n' if there is none.  'before' must be true up to some index and false from
 * there on. */
#define BISECT_FROM(i, from, n, before) \
	do { \
		__typeof__(i) bisect_low_ = (from), bisect_high_ = (n); \
		while (bisect_low_ < bisect_high_) { \
			(i) = (__typeof__(i))(bisect_low_ + (bisect_high_ - bisect_low_) / 2); \
			if (before) \
				bisect_low_ = (__typeof__(i))((i) + 1); \
			else \
				bisect_high_ = (i); \
		} \
		(i) = bisect_low_; \
	} while (0)

#define BISECT(i, n, before) BISECT_FROM(i, 0, n, before)

#endif
