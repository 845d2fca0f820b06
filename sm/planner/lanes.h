/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lanes.h - the VLs that a routing engine may use, and which lane plans can be written.
 * Room: sm/planner.  Pure.
 *
 * An engine gets the number of data VLs that every link between switches has, divided among the QoS
 * levels (sm/plan/qos_lanes.h), and the switches that cannot map SLs to VLs.  A lane plan that the
 * fabric or the configuration cannot carry out refuses the engine, and the next one is tried.
 *
 * A switch may say that it has SLtoVL tables and then not take them.  Nothing of a plan is written
 * if a switch does not accept its SLtoVL tables (sm/diff/kind_qos.c); the switch is noted, and
 * later plans count it among those that cannot map SLs.
 */
#ifndef HEDDLE_SM_PLANNER_LANES_H
#define HEDDLE_SM_PLANNER_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include "sm/plan/qos_lanes.h"

#define LANE_FAULTS_MAX 64              /* beyond it, no switch is trusted to map SLs */
/* A refused table counts two, one that was not answered counts one. */
#define LANE_FAULT_FINAL 2

/* The switches that did not accept SLtoVL tables, by GUID. */
struct lane_faults {
	unsigned n, conf_age;           /* a reload of the configuration clears them */
	bool many;                      /* more than fit */
	struct {
		uint64_t guid;
		unsigned weight;
	} v[LANE_FAULTS_MAX];
};

struct apply;
struct arena;
struct conf;
struct log;
struct plan;
struct route_in;
struct snapshot;
struct sweep_job;

/* The QoS levels of the configuration; '.plan' is NULL. */
void lanes_levels(const struct conf *c, struct qos_lanes *out);
/* Fills vls, no_sl2vl and the lane plan of in->previous.  Owned by 'a'. */
void lanes_inputs(const struct sweep_job *j, const struct plan *p, struct arena *a,
	struct route_in *in);
/* Whether the lane plan in p->fwd can be written; false: j->cur.refusal says why not.  Removes a
 * lane plan of one VL, which has no effect. */
bool lanes_accept(struct sweep_job *j, struct plan *p, const struct route_in *in,
	const char *engine);
/* Logs that routing begins to set SLs of paths, or sets others than before. */
void lanes_log(const struct log *l, const struct sweep_job *j);
/* Adds the switches that did not take their tables in this run, and forgets those that did. */
void lanes_note_faults(struct lane_faults *f, const struct apply *a, const struct snapshot *s,
	unsigned conf_age);

#endif
