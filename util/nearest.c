/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * nearest.c - edit distance (optimal string alignment) over three rows of a table.
 * Room: util.  Pure.
 */
#include <config.h>
#include <string.h>
#include "util/nearest.h"

#define LETTERS_MAX 63

static char
fold_case(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c == '-' ? '_' : c;
}

static unsigned
least_of(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned
nearest_distance(const char *a, const char *b)
{
	unsigned rows[3][LETTERS_MAX + 1];
	unsigned *before = rows[0], *last = rows[1], *row = rows[2], *t;
	size_t m = strlen(a), n = strlen(b);

	if (m > LETTERS_MAX || n > LETTERS_MAX)
		return m > n ? (unsigned)m : (unsigned)n;
	for (size_t j = 0; j <= n; j++)
		last[j] = (unsigned)j;
	for (size_t i = 1; i <= m; i++) {
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= n; j++) {
			unsigned same = fold_case(a[i - 1]) == fold_case(b[j - 1]);

			row[j] = least_of(least_of(last[j], row[j - 1]) + 1, last[j - 1] + !same);
			if (i > 1 && j > 1 && fold_case(a[i - 1]) == fold_case(b[j - 2]) &&
			    fold_case(a[i - 2]) == fold_case(b[j - 1]))
				row[j] = least_of(row[j], before[j - 2] + 1);
		}
		t = before, before = last, last = row, row = t;
	}
	return last[n];
}

struct nearest
nearest_start(const char *word)
{
	size_t len = strlen(word);

	/* Up to a third of the letters may be wrong, and at least one. */
	return (struct nearest){ word, NULL, len < 3 ? 2 : (unsigned)(len / 3) + 1 };
}

void
nearest_offer(struct nearest *n, const char *known)
{
	unsigned d = nearest_distance(n->word, known);

	if (d < n->distance) {
		n->distance = d;
		n->best = known;
	}
}
