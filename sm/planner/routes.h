/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * routes.h - the forwarding tables of a plan.
 * Room: sm/planner.  Pure.
 *
 * Routing engines are tried in the order of the chain (sm/route/chain.h).  The first one whose
 * tables the verifier accepts makes the routes; j->cur.chain has the refusals of the others.
 * Invariant: tables that the verifier rejects are never returned.
 * Where to look next: inputs.h (what engines get), sm/route/model/engine.h (engines).
 */
#ifndef HEDDLE_SM_PLANNER_ROUTES_H
#define HEDDLE_SM_PLANNER_ROUTES_H

#include "sm/plan/plan.h"
#include "sm/planner/sweep_job.h"

/* Fills p->fwd, for the LIDs of 'p'.  False: no engine's tables were accepted; j->cur.refusal has
 * the last reason. */
bool routes_make(struct sweep_job *j, struct plan *p);

#endif
