/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * steps.h - the long computations of a sweep, as jobs for another thread.
 * Room: sm/sweep.  Pure.
 *
 * A job has no access to struct sweep: its input and output are in struct sweep_job (sweep_job.h).
 * Meanwhile the manager answers requests, receives traps and writes multicast tables.  It changes
 * neither the fresh snapshot nor the parts of the fresh plan that jobs read (all but multicast).
 * If a sweep is abandoned, its job continues and its result is dropped.
 */
#ifndef HEDDLE_SM_SWEEP_STEPS_H
#define HEDDLE_SM_SWEEP_STEPS_H

#include "sm/sweep/sweep_parts.h"
#include "sm/planner/sweep_job.h"

/*
 * steps_begin() starts a step with the present w->cur and w->fresh.  It ends some ticks later, when
 * w->job->ended is set.  Then steps_take() restores w->cur and returns the job, which the caller
 * drops.
 */
void steps_begin(struct sweep *w, enum sweep_step step);
struct sweep_job *steps_take(struct sweep *w);
void steps_drop(struct sweep_job *j);
/* Abandons the step in progress: its result is dropped. */
void steps_abandon(struct sweep *w);

#endif
