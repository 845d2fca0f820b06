/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * finish.h - the end of a sweep: what it found and planned is served from then on, or nothing is.
 * Room: sm/sweep.  Pure.
 */
#ifndef HEDDLE_SM_SWEEP_FINISH_H
#define HEDDLE_SM_SWEEP_FINISH_H

#include "sm/sweep/sweep_parts.h"

/* Ends the sweep.  'j' has the index to serve from; without one (NULL) nothing was applied. */
void sweep_finish(struct sweep *w, enum sweep_outcome outcome, struct sweep_job *j);
/*
 * Ends it as one that only looks: the plan, if any, goes, and another manager leads or nobody does.
 */
void sweep_finish_looking(struct sweep *w);
/*
 * Ends it likewise.  What hosts registered and what was written is forgotten: somebody else may
 * lead from now on.
 */
void sweep_stop_leading(struct sweep *w);
/* Frees what belongs to the sweep under way. */
void sweep_abandon(struct sweep *w);
/* When the next sweep is due; none is under way. */
void sweep_schedule(struct sweep *w);
/*
 * What quality of service makes of paths, by the configuration and what is served; 'on' false:
 * nothing.
 */
void sweep_set_qos(struct sweep *w, bool on);

#endif
