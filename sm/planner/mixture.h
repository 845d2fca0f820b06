/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mixture.h - whether old and new tables that use several VLs have a credit loop together.
 * Room: sm/planner.  Pure.
 *
 * While tables are written, packets follow old entries at some switches and new ones at others.
 * Tables of one VL are written in an order that avoids cycles of such mixtures (sm/order).  With
 * several VLs, the order avoids loops only: what the mixture does is computed here, from all
 * dependencies that old and new entries, SLs and SLtoVL tables can make, and reported.
 */
#ifndef HEDDLE_SM_PLANNER_MIXTURE_H
#define HEDDLE_SM_PLANNER_MIXTURE_H

#include "sm/planner/sweep_job.h"

struct route_in;

/* Fills j->cur.mixture for the tables of 'p' that replace in->previous.  It stays clear (vls 0) if
 * nothing is replaced, or both use one VL only. */
void mixture_check(struct sweep_job *j, const struct plan *p, const struct route_in *in);
/* Adds what was found to the report of the order of writes. */
void mixture_report(const struct verify_result *mixture, struct order_report *r);

#endif
