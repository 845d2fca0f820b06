/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * nearest.h - "did you mean": the known word that is closest to one that was mistyped.
 * Room: util.  Pure.
 */
#ifndef HEDDLE_UTIL_NEAREST_H
#define HEDDLE_UTIL_NEAREST_H

#include <stddef.h>

/* Letters to insert, delete, change or swap with their neighbour to make 'a' of 'b', case and the
 * difference of '-' and '_' aside.  Words of more than 63 letters are as far apart as they are
 * long. */
unsigned nearest_distance(const char *a, const char *b);

/* A search over words that are handed in one by one: the first of the closest wins. */
struct nearest {
	const char *word;
	const char *best;               /* NULL: none is near enough to be worth naming */
	unsigned distance;
};

struct nearest nearest_start(const char *word);
void nearest_offer(struct nearest *n, const char *known);

#endif
