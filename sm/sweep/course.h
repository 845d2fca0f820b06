/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * course.h - the course of a sweep: what each state does, and what follows when it has ended.
 * Room: sm/sweep.  Pure.
 */
#ifndef HEDDLE_SM_SWEEP_COURSE_H
#define HEDDLE_SM_SWEEP_COURSE_H

#include "sm/sweep/sweep_parts.h"

/* Does what the present state does now; the state has changed when it has ended. */
void sweep_pump_state(struct sweep *w);

#endif
