/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * state.h - the one place where a sweep changes its state, and where its phases are timed.
 * Room: sm/sweep.  Pure.
 */
#ifndef HEDDLE_SM_SWEEP_STATE_H
#define HEDDLE_SM_SWEEP_STATE_H

#include "sm/sweep/sweep_parts.h"

const char *sweep_state_text(enum sweep_state s);
/* Traced at log level trace. */
void sweep_set_state(struct sweep *w, enum sweep_state to);

/* The time that phases take: the clock is read where one begins and ends. */
void sweep_phase_begin(struct sweep *w);
void sweep_phase_end(struct sweep *w, enum sweep_phase p);
/* Adds to a phase what has passed since the last of these calls. */
void sweep_phase_add(struct sweep *w, enum sweep_phase p);

#endif
