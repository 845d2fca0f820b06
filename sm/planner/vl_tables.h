/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * vl_tables.h - SL-to-VL and VL arbitration tables across sweeps: reads unknown ones, plans all.
 * Room: sm/planner.  Pure.
 *
 * A sweep reuses the tables known from the sweep before where they still hold, and reads the
 * others, so that only differences are written.  If QoS is disabled, nothing is read, and tables
 * are planned only if the routing uses several VLs, or did so earlier (lanes.h).
 */
#ifndef HEDDLE_SM_PLANNER_VL_TABLES_H
#define HEDDLE_SM_PLANNER_VL_TABLES_H

#include "sm/plan/plan.h"
#include "sm/subnet/subnet.h"
#include "sm/planner/sweep_job.h"

struct vl_tables {
	struct qos_reader *reader;      /* NULL: nothing is being read */
};

/* On any thread: which tables of j->fresh are known. */
void vl_tables_look(struct sweep_job *j);
/* Takes the result of vl_tables_look(): known tables are added to 'o'. */
void vl_tables_take(struct vl_tables *v, struct observed *o, struct look_made *l);
/* Reads unknown tables.  True: all have been read, the subnet can be planned. */
bool vl_tables_pump(struct vl_tables *v, struct subnet *n);
void vl_tables_on_end(struct vl_tables *v, const struct txn_end *e);
/* On any thread: the VL tables that configuration and routing need, without those that a policy
 * gives to single ports; borrows 'a'. */
void vl_tables_families(const struct conf *c, const struct plan *p, struct arena *a,
	struct qos_plan *out);
/* On any thread: plans the VL tables. */
void vl_tables_plan(const struct sweep_job *j, struct plan *p);
/* Logs SLs whose VL has weight 0 in VL arbitration. */
void vl_tables_log(const struct log *l, const struct qos_plan *q);
/* A new plan was made, and may have tables that have not been read. */
void vl_tables_planned(struct observed *o, const struct plan *p);
void vl_tables_abandon(struct vl_tables *v, struct subnet *n);

#endif
