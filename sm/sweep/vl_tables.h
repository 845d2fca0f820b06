/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * vl_tables.h - SL-to-VL and VL arbitration tables across sweeps: what is known of them, reading
 * the rest, planning them.
 * Room: sm/sweep.  Pure.
 *
 * Without qos nothing is asked, kept or planned.
 */
#ifndef HEDDLE_SM_SWEEP_VL_TABLES_H
#define HEDDLE_SM_SWEEP_VL_TABLES_H

#include "sm/plan/plan.h"
#include "sm/subnet/subnet.h"
#include "sm/sweep/sweep_job.h"

struct vl_tables {
	struct qos_reader *reader;      /* NULL: nothing is being read */
};

/* On any thread: which tables of j->fresh are known. */
void vl_tables_look(struct sweep_job *j);
/* Takes over what that found: tables that are known go to what is observed. */
void vl_tables_take(struct vl_tables *v, struct observed *o, struct look_made *l);
/* Reads what is not known.  True: nothing more is to be read, the subnet may be planned. */
bool vl_tables_pump(struct vl_tables *v, struct subnet *n);
void vl_tables_on_end(struct vl_tables *v, const struct txn_end *e);
/* On any thread: the part of the plan that is about VLs. */
void vl_tables_plan(const struct conf *c, struct plan *p);
/* Logs SLs whose VL has no weight. */
void vl_tables_log(const struct log *l, const struct qos_plan *q);
/* The plan is new, and may want tables that nobody has read. */
void vl_tables_planned(struct observed *o, const struct plan *p);
void vl_tables_abandon(struct vl_tables *v, struct subnet *n);

#endif
