/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lines.h - what managers log at the default level, kept for tests.
 * Room: tests.
 */
#ifndef HEDDLE_TESTS_SCENARIO_LINES_H
#define HEDDLE_TESTS_SCENARIO_LINES_H

#include "tests/scenario/world.h"

struct lines {
	const struct world *w;
	char *text;                     /* all lines, each with its '\n' */
	size_t bytes;
	unsigned n;                     /* of them */
};

/* From now on; before a manager starts, or in between. */
void lines_keep(struct lines *l, struct world *w);
/* How many of the lines kept contain 'what'. */
unsigned lines_with(const struct lines *l, const char *what);
/* Forgets those kept so far. */
void lines_forget(struct lines *l);
void lines_clear(struct lines *l);

#endif
