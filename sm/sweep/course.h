/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * course.h - the states of a sweep: what each does, and which state follows.
 * Room: sm/sweep.  Pure.
 *
 * sweep.h has the diagram of the states, sweep_parts.h the structure they work on.
 */
#ifndef HEDDLE_SM_SWEEP_COURSE_H
#define HEDDLE_SM_SWEEP_COURSE_H

#include "sm/sweep/sweep_parts.h"

/* Does the work of the present state that is possible now; enters the next state when it ends. */
void sweep_pump_state(struct sweep *w);

#endif
