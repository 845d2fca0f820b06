/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * problems.h - what a sweep could not do, named by its place, and logged once.
 * Room: sm/sweep.  Pure.
 *
 * A node that does not say who it is, or whose word is not to be taken for it, is named by the port
 * before it.
 */
#ifndef HEDDLE_SM_SWEEP_PROBLEMS_H
#define HEDDLE_SM_SWEEP_PROBLEMS_H

#include "sm/apply/apply.h"
#include "sm/sweep/result.h"
#include "sm/watch/watch.h"

/* Where problems of a sweep are found. */
struct problem_sources {
	const struct snapshot *s;
	const struct plan *plan;        /* NULL: none was made */
	const struct apply *apply;      /* NULL: nothing was written */
	const uint32_t *isolated;       /* nodes that were left out */
	uint32_t nisolated;
	const struct watch *watch;      /* names of what was there before */
};

void problems_collect(struct sweep_result *r, const struct problem_sources *from);
/* Logs what 'r' has and 'last', of the sweep before, had not. */
void problems_log(const struct sweep_result *r, const struct sweep_result *last,
	const struct watch *w, const struct log *log);

#endif
