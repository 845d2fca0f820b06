/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sweep.h - from "look" to "as planned": discovery, election, reading, planning, applying, serving.
 * Room: sm/sweep.  Pure: ends of transactions and jobs come in, requests and jobs go out.
 *
 *      start -> DISCOVER -> (seal) -> ELECT -> (look) [-> READ_PKEYS] -> READ_QOS
 *            [-> READ_GUIDS -> READ_MFTS] -> (plan) -> (diff) -> APPLY -> (index) -> finish
 *
 * In round brackets: WORK, a step that a job computes (steps.h) while the manager goes on.  A sweep
 * is in one state at a time; the table of states in sweep.c has what is done in each, and only
 * sweep_set_state() changes it.  Light sweeps (sm/watch) are a state too: nothing else is swept
 * meanwhile.
 *
 * The sweep owns the fresh snapshot and plan until they are served, the readers of what discovery
 * does not read, and the apply that writes. What is served changes hands in one step (finish.c).  A
 * sweep that is given up leaves nothing behind but 'served.unsure', when it was writing.
 *      sweep.c     life, states                 course.c    what follows from each step
 *      finish.c    serving, the end             steps.c     steps as jobs
 *      planner.c   LIDs, engines, verifier      problems.c  what could not be done
 *      release.c   giving the ports back        loss.c      how many tries a request gets
 */
#ifndef HEDDLE_SM_SWEEP_SWEEP_H
#define HEDDLE_SM_SWEEP_SWEEP_H

#include "sm/sweep/sweep_parts.h"

/* 'w' is zero.  The rows are copied. */
void sweep_init(struct sweep *w, const struct lid_id *lids, uint32_t nlids);
/* Gives up the sweep under way and frees all. */
void sweep_free(struct sweep *w);
/* The configuration was read again. */
void sweep_set_conf(struct sweep *w);

bool sweep_works(const struct sweep *w);        /* waits for a job */

/* A heavy sweep begins; none is under way. */
void sweep_start(struct sweep *w, const char *why);
/* The configured interval is over: a light sweep begins, or a heavy one. */
void sweep_on_interval(struct sweep *w);
/* Moves the sweep on as far as it goes now. */
void sweep_pump(struct sweep *w);
/* Gives up the sweep under way; its transactions have been cancelled. */
void sweep_give_up(struct sweep *w);
void sweep_on_discover_end(struct sweep *w, const struct txn_end *e);
void sweep_on_apply_end(struct sweep *w, const struct txn_end *e);
void sweep_on_read_end(struct sweep *w, const struct txn_end *e);
/* 'j' was run.  True: it was the sweep's.  False: nobody waits for it. */
bool sweep_take_job(struct sweep *w, struct job *j);
/* What has happened since the last call: bits of enum sweep_event. */
unsigned sweep_take_events(struct sweep *w);

/* What a sweep is about to write, for registry_pump(). */
struct registry_sweep sweep_for_registry(const struct sweep *w);

#endif
