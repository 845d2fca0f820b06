/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * nearest.h - "did you mean": the known word closest to a mistyped one.
 * Room: util.  Pure.
 *
 * Start a search with nearest_start(), offer each known word with nearest_offer(), then read
 * 'best'.  'best' is only set if at most a third of the letters differ; one letter always may.
 */
#ifndef HEDDLE_UTIL_NEAREST_H
#define HEDDLE_UTIL_NEAREST_H

#include <stddef.h>

/* Edit distance: the number of letters to insert, delete, change or swap with a neighbour to turn
 * 'b' into 'a'.  Ignores case and the difference between '-' and '_'.  For words of more than 63
 * letters the distance is the length of the longer word. */
unsigned nearest_distance(const char *a, const char *b);

/* A search over words offered one by one.  Of equally close words the first wins. */
struct nearest {
	const char *word;
	const char *best;               /* NULL: no word is close enough to suggest */
	unsigned distance;
};

struct nearest nearest_start(const char *word);
void nearest_offer(struct nearest *n, const char *known);

#endif
