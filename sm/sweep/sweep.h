/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sweep.h - sweeps: discovery, election, reading, planning, applying, serving.
 * Room: sm/sweep.  Pure: ends of transactions and jobs come in, requests and jobs go out.
 *
 *      start -> DISCOVER -> (seal) -> ELECT -> (look) [-> READ_PKEYS] -> READ_QOS
 *            [-> READ_GUIDS -> READ_MFTS] -> (plan) -> (diff) -> APPLY -> (index) -> finish
 *
 * Steps in round brackets are computed by a job (steps.h) in state WORK, while the manager goes on.
 * A sweep is in one state at a time, and only sweep_set_state() changes it; sweep_pump_state()
 * (course.c) has a table with the work of each state.  Light sweeps (sm/watch) are a state too: no
 * heavy sweep runs at the same time.
 *
 * The sweep owns the fresh snapshot and plan until they are served, the readers of tables that
 * discovery does not read, and the struct apply that writes.  The served data are replaced in one
 * step (finish.c).  An abandoned sweep has no effect except 'served.unsure' if it was writing.
 *      begin.c     whole and targeted sweeps  targeted.c  when a targeted one is sufficient
 *      sweep.c     creation, events             course.c    the states and their order
 *      finish.c    serving, the end             steps.c     steps as jobs
 *      planner.c   LIDs, engines, verifier      problems.c  problems, and their log
 *      release.c   removing M_Keys              loss.c      number of tries of a request
 */
#ifndef HEDDLE_SM_SWEEP_SWEEP_H
#define HEDDLE_SM_SWEEP_SWEEP_H

#include "sm/sweep/begin.h"
#include "sm/sweep/sweep_parts.h"

/* 'w' is zero.  The rows are copied. */
void sweep_init(struct sweep *w, const struct lid_id *lids, uint32_t nlids);
/* Abandons the sweep in progress and frees everything. */
void sweep_free(struct sweep *w);
/* The configuration was reloaded. */
void sweep_set_conf(struct sweep *w);

bool sweep_works(const struct sweep *w);        /* a job is in progress */
/* A job makes a snapshot, and may take over what the served one has of each node. */
bool sweep_reads_served(const struct sweep *w);

/* The configured interval has ended: begins a light sweep, or a heavy one if that is needed. */
void sweep_on_interval(struct sweep *w);
/* Continues the sweep as far as possible now. */
void sweep_pump(struct sweep *w);
/* When the sweep goes on though nothing has ended: writes that wait for packets to drain. */
bool sweep_deadline(const struct sweep *w, struct monotime *at);
/* Abandons the sweep in progress; its transactions have been cancelled. */
void sweep_give_up(struct sweep *w);
void sweep_on_discover_end(struct sweep *w, const struct txn_end *e);
void sweep_on_apply_end(struct sweep *w, const struct txn_end *e);
void sweep_on_lft_end(struct sweep *w, const struct txn_end *e);
void sweep_on_read_end(struct sweep *w, const struct txn_end *e);
/* 'j' has ended.  True: the sweep has taken it.  False: the sweep does not need it. */
bool sweep_take_job(struct sweep *w, struct job *j);
/* The events since the last call: bits of enum sweep_event. */
unsigned sweep_take_events(struct sweep *w);

/* What a sweep is about to write, for registry_pump(). */
struct registry_sweep sweep_for_registry(const struct sweep *w);

#endif
