/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * work.h - the worker: a thread that runs jobs one after the other, in the order they were handed
 * out.
 * Room: sm/daemon.  Only the thread that made it calls these functions; a job's run() alone is
 * called by the worker.
 *
 * There is only one worker, because each step of a sweep needs the result of the one before, and
 * because shared data is freed by a job after all jobs that may read it (sm/subnet/job.h).
 */
#ifndef HEDDLE_SM_DAEMON_WORK_H
#define HEDDLE_SM_DAEMON_WORK_H

#include <stdbool.h>
#include "sm/subnet/job.h"

#define WORK_LOOK_US 50000
#define WORK_WAITING_MAX 1024           /* queued jobs; the manager never has more than a few */

struct work;

/* 0, or a negative errno. */
int work_new(struct work **out);
/* Waits for the job that runs, drops all others; NULL is fine. */
void work_free(struct work *w);
/* Takes 'j'. */
void work_put(struct work *w, struct job *j);
/*
 * To be called every WORK_LOOK_US while it returns true: jobs wait or run.  A job that has had less
 * than a quarter of a processor since the last call no longer gives way to others.
 */
bool work_look(struct work *w);
/* Whether jobs run in the idle scheduling class. */
bool work_gives_way(const struct work *w);
/* Readable while work_take() has something. */
int work_fd(const struct work *w);
/* The next job that was run, in order; the caller's now.  NULL: none. */
struct job *work_take(struct work *w);

#endif
