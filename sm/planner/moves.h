/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * moves.h - the effect of a sweep on traffic: paths between hosts that moved, and why.
 * Room: sm/planner.  Pure.  fabric/score/score_moves.h defines what is counted.
 */
#ifndef HEDDLE_SM_PLANNER_MOVES_H
#define HEDDLE_SM_PLANNER_MOVES_H

#include "sm/planner/sweep_job.h"

/* The last sweep that wrote other forwarding tables while some were in use. */
struct moves_last {
	unsigned sweep; /* its number; 0: there was none */
	struct monotime ended;
	char why[96];
	struct score_moves moves;
};

/* STEP_INDEX: compares what is served with what was written, if tables in use were:
 * j->cur.moves. */
void moves_count(struct sweep_job *j);
/* Logs it, if it was counted. */
void moves_log(const struct log *log, const struct sweep_result *r);
/* Notes the sweep in '*last' if it changed entries. */
void moves_keep(
	struct moves_last *last, const struct sweep_result *r, unsigned sweep, struct monotime now);

#endif
