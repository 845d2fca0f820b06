/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * work.h - the worker: a thread that runs jobs one after the other, in the order of submission.
 * Room: sm/daemon. Only the thread that made the worker calls these functions; the worker calls
 * only a job's run().
 *
 * There is only one worker, because each step of a sweep needs the result of the one before, and
 * because shared data is freed by a job after all jobs that may read it (sm/subnet/job.h).
 */
#ifndef HEDDLE_SM_DAEMON_WORK_H
#define HEDDLE_SM_DAEMON_WORK_H

#include <stdbool.h>
#include "sm/subnet/job.h"
#include "util/stripes.h"

#define WORK_LOOK_US 50000
#define WORK_WAITING_MAX 1024           /* queued jobs; the manager never has more than a few */

struct work;

/* Starts the worker. Returns 0 and stores it in '*out', or a negative errno. */
int work_new(struct work **out);
/* Waits for the running job, drops all others, and frees the worker. Accepts NULL. */
void work_free(struct work *w);
/* Queues 'j', which the worker owns until work_take(). The queue never holds more than
 * WORK_WAITING_MAX jobs. */
void work_put(struct work *w, struct job *j);
/* Checks that the running job gets enough processor time: if it had less than a quarter of a
 * processor since the last call, it leaves the idle class. Returns whether jobs wait or run; while
 * it does, the caller repeats the call every WORK_LOOK_US. */
bool work_look(struct work *w);
/* Reports whether jobs run in the idle scheduling class. */
bool work_gives_way(const struct work *w);
/* Returns threads for jobs that work in parts; only the running job may use them. */
const struct stripes *work_stripes(const struct work *w);
/* Returns a descriptor that is readable while work_take() has a job. */
int work_fd(const struct work *w);
/* Returns the next job that has run, in order, which the caller then owns; NULL if there is
 * none. */
struct job *work_take(struct work *w);

#endif
