/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * planner.h - LIDs, then the first engine whose tables the verifier accepts, then partitions,
 * multicast trees and VL tables.
 * Room: sm/sweep.  Pure.
 *
 * Runs as a job, on any thread: it logs nothing, and knows no sweep.  A plan that the verifier
 * rejects is never handed on.
 */
#ifndef HEDDLE_SM_SWEEP_PLANNER_H
#define HEDDLE_SM_SWEEP_PLANNER_H

#include "sm/plan/plan.h"
#include "sm/sweep/sweep_job.h"

/*
 * STEP_PLAN: 0 and j->plan; -EINVAL in j->err and j->cur.refusal when no engine's tables were
 * accepted.
 */
void planner_make_plan(struct sweep_job *j);
/*
 * Logs what the planner has to say, once it is back.  'limited_logged' is 1 + the age of the
 * configuration whose limited membership of our own port was logged.
 */
void planner_log(const struct subnet *n, const struct sweep_job *j, unsigned *limited_logged);
struct pkey_conf planner_pkey_conf(const struct conf *c);
const char *planner_pkey_text(enum pkey_problem_kind k);

#endif
