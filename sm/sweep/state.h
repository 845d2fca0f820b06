/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * state.h - changes the state of a sweep, and times its phases.
 * Room: sm/sweep.  Pure.
 *
 * Invariant: only sweep_set_state() changes 'state' of struct sweep.
 */
#ifndef HEDDLE_SM_SWEEP_STATE_H
#define HEDDLE_SM_SWEEP_STATE_H

#include "sm/sweep/sweep_parts.h"

const char *sweep_state_text(enum sweep_state s);
/* Changes the state, and logs that at level trace. */
void sweep_set_state(struct sweep *w, enum sweep_state to);

/* Whether the tables of switches may differ from what the last sweep left: it was abandoned while
 * it wrote, or another master may have written. */
bool sweep_is_unsure(const struct sweep *w);

/* Times a phase: read the clock where it begins and where it ends. */
void sweep_phase_begin(struct sweep *w);
void sweep_phase_end(struct sweep *w, enum sweep_phase p);
/* Adds the time since the last of these calls to a phase. */
void sweep_phase_add(struct sweep *w, enum sweep_phase p);

#endif
