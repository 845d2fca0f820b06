/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * planner.h - computes a plan: LIDs, routes, partitions, multicast trees and VL tables.
 * Room: sm/planner.  Pure.
 *
 * The routes are those of the first configured engine whose tables the verifier accepts.  The
 * planner runs as a job, on any thread: it has no access to struct sweep and logs nothing;
 * planner_log() logs on the event loop.  Invariant: a plan that the verifier rejects is never
 * returned.
 */
#ifndef HEDDLE_SM_PLANNER_PLANNER_H
#define HEDDLE_SM_PLANNER_PLANNER_H

#include "sm/plan/plan.h"
#include "sm/planner/sweep_job.h"

/*
 * STEP_PLAN: 0 and j->plan; -EINVAL in j->err and j->cur.refusal when no engine's tables were
 * accepted.
 */
void planner_make_plan(struct sweep_job *j);
/*
 * Logs the results of the planner after its job has ended.  'before' is the chain of the sweep
 * before.  'limited_logged' is 1 + the conf_age for which the limited membership of our own port
 * was logged.
 */
void planner_log(const struct subnet *n, const struct sweep_job *j, const struct chain *before,
	unsigned *limited_logged);
struct pkey_conf planner_pkey_conf(const struct conf *c);
const char *planner_pkey_text(enum pkey_problem_kind k);

#endif
