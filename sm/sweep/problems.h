/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * problems.h - the problems of a sweep: collects them with their places, and logs each once.
 * Room: sm/sweep.  Pure.
 *
 * A node whose identity is unknown or not reliable (for example a duplicate GUID) is named by the
 * port before it.  A problem is logged in the first sweep that has it; the documents list it as
 * long as it lasts.
 */
#ifndef HEDDLE_SM_SWEEP_PROBLEMS_H
#define HEDDLE_SM_SWEEP_PROBLEMS_H

#include "sm/apply/apply.h"
#include "sm/planner/result.h"
#include "sm/watch/watch.h"

/* Where problems of a sweep are found. */
struct problem_sources {
	const struct snapshot *s;
	const struct plan *plan;        /* NULL: none was made */
	const struct apply *apply;      /* NULL: nothing was written */
	const uint32_t *isolated;       /* nodes that were left out */
	uint32_t nisolated;
	const struct watch *watch;      /* names of nodes that were present before */
};

void problems_collect(struct sweep_result *r, const struct problem_sources *from);
/* Logs the problems of 'r' that 'last', the result of the sweep before, did not have. */
void problems_log(const struct sweep_result *r, const struct sweep_result *last,
	const struct watch *w, const struct log *log);

#endif
