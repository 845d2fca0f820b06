/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * swept.h - a sweep with all its rooms on simulated hardware, for the tests of sm/sweep.
 *
 * The bed is what sm/manager makes a sweep with, without the manager: the test begins sweeps, sends
 * requests and runs jobs, so it can stop a sweep at any place.  Requests are answered by the
 * hardware at once.  Jobs wait until swept_run_job().
 */
#ifndef HEDDLE_TESTS_UNIT_SWEEP_SWEPT_H
#define HEDDLE_TESTS_UNIT_SWEEP_SWEPT_H

#include "fabric/topo/topo.h"
#include "sim/hw/hw.h"
#include "sm/conf/conf.h"
#include "sm/sweep/sweep.h"
#include "sm/planner/sweep_job.h"

struct swept_bed {
	struct topo topo;
	struct hw *hw;
	uint32_t node;                  /* the first host, at whose port 1 the SM is */
	struct conf *conf;
	struct log log;
	char said[512];                 /* the last line of the log: "room: text" */
	unsigned lines;                 /* of the log, so far */
	char course[512];               /* the states and steps since swept_start(), in order */
	struct job *jobs;               /* handed out, not run; the oldest first */
	struct subnet net;
	struct election election;
	struct watch watch;
	struct registry registry;
	struct sa_stats sa_stats;
	struct sweep w;
	uint64_t sets;                  /* SMPs that the hardware got, by kind */
	uint64_t lft_gets;
	/* A program on the last host answers Get(SMInfo) with this; .guid 0: there is none. */
	struct sm_info rival;
};

void swept_make(struct swept_bed *b, const char *spec);
void swept_clear(struct swept_bed *b);
/* Another run on the same hardware, which knows nothing of this one. */
void swept_restart(struct swept_bed *b);
/* Begins a heavy sweep as the manager does: when the schedule has a reason. */
void swept_start(struct swept_bed *b);
/*
 * Sends what is to be sent, hands in the ends, pumps; until the sweep waits for a job or has ended.
 */
void swept_turn(struct swept_bed *b);
/* Runs the oldest job and hands it back.  False: there is none. */
bool swept_run_job(struct swept_bed *b);
/* Goes on until a job of that step has been handed out, which is not run. */
void swept_reach_step(struct swept_bed *b, enum sweep_step step);
/* Goes on until the sweep is in that state; requests that it has made are not sent. */
void swept_reach_state(struct swept_bed *b, enum sweep_state state);
/* Goes on to the end of the sweep. */
void swept_finish(struct swept_bed *b);
/* A whole sweep. */
void swept_sweep(struct swept_bed *b);
void swept_pass(struct swept_bed *b, int64_t us);
/* The last host says that it is an SM, or no longer (NULL). */
void swept_set_rival(struct swept_bed *b, const struct sm_info *si);
/* The host with the port of that index in the served snapshot subscribes to all notices. */
void swept_subscribe(struct swept_bed *b, uint32_t port);

#endif
