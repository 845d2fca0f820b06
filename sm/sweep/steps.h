/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * steps.h - the steps of a sweep that take long, as jobs for another thread.
 * Room: sm/sweep.  Pure.
 *
 * A job touches no struct sweep: what it needs is in struct sweep_job.  Meanwhile the manager
 * answers, takes traps in, writes multicast tables; it changes neither the fresh snapshot nor what
 * of the fresh plan a job reads (all but multicast).  Who gives a sweep up only forgets its job.
 */
#ifndef HEDDLE_SM_SWEEP_STEPS_H
#define HEDDLE_SM_SWEEP_STEPS_H

#include "sm/sweep/sweep_parts.h"
#include "sm/sweep/sweep_job.h"

/*
 * A step begins with w->cur and w->fresh as they are, and ends some ticks later: then
 * w->job->ended.  steps_take() gives w->cur back and the job, which the caller drops.
 */
void steps_begin(struct sweep *w, enum sweep_step step);
struct sweep_job *steps_take(struct sweep *w);
void steps_drop(struct sweep_job *j);
/* Nobody waits for the step under way any more. */
void steps_abandon(struct sweep *w);

#endif
