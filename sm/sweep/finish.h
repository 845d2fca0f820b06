/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * finish.h - the end of a sweep: serves what it found and planned.
 * Room: sm/sweep.  Pure.
 *
 * The served snapshot, plan and index (struct served of subnet.h) are replaced together, so the SA
 * and the documents never combine data of two sweeps.  A sweep that has not applied a plan leaves
 * no plan to serve: then the SA does not answer.
 */
#ifndef HEDDLE_SM_SWEEP_FINISH_H
#define HEDDLE_SM_SWEEP_FINISH_H

#include "sm/sweep/sweep_parts.h"

/* Ends the sweep.  'j' has the index to serve from; without one (NULL) nothing was applied. */
void sweep_finish(struct sweep *w, enum sweep_outcome outcome, struct sweep_job *j);
/*
 * Ends a sweep without configuring, as standby: drops the plan, if any.
 */
void sweep_finish_looking(struct sweep *w);
/*
 * Ends it in the same way, and this SM is no longer master: clears all registrations, and what is
 * known of the tables of nodes, because another SM may change them.
 */
void sweep_stop_leading(struct sweep *w);
/* Frees what the sweep in progress owns. */
void sweep_abandon(struct sweep *w);
/* Schedules the next sweep; none is in progress. */
void sweep_schedule(struct sweep *w);
/*
 * Sets the QoS levels of paths by the configuration and what is served; 'on' false: removes them.
 */
void sweep_set_qos(struct sweep *w, bool on);

#endif
