/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * begin.h - begins sweeps: whole ones and targeted ones.
 * Room: sm/sweep.  Pure.
 *
 * A sweep begins with discovery.  What is known from earlier sweeps (forwarding tables that this
 * manager wrote, the served snapshot) is given to it, so that it is not read again.  A targeted
 * sweep (targeted.h) that is not sufficient begins again as a whole one.
 */
#ifndef HEDDLE_SM_SWEEP_BEGIN_H
#define HEDDLE_SM_SWEEP_BEGIN_H

#include "sm/sweep/sweep_parts.h"

/* Begins a heavy sweep; no sweep is in progress. */
void sweep_start(struct sweep *w, const char *why);
/* The same because of reports of changes: reads only what they name, if that is sufficient. */
void sweep_start_after_report(struct sweep *w, const char *why);

/* Begins the sweep again as a whole one. */
void sweep_widen(struct sweep *w, const char *why);
/* The same without stored tables: a plan was made with them, but the switches have others. */
void sweep_do_without_stored(struct sweep *w);

/*
 * The discovery in progress: true if it continues.  False: it is given up, and its requests are
 * being cancelled; when they have ended, a whole one begins in its place.
 */
bool sweep_discover_continues(struct sweep *w);

#endif
