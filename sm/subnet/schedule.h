/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * schedule.h - when the subnet is swept next, and why.
 * Room: sm/subnet.  Pure.
 *
 * Every room may ask for a sweep, none begins one: sm/manager does, when the schedule says that one
 * is due and none is under way. A report of a change asks with schedule_look_again(), which the
 * hold-down delays; all reports until then are one sweep. Whoever knows that the present sweep is
 * not enough asks with schedule_want().
 */
#ifndef HEDDLE_SM_SUBNET_SCHEDULE_H
#define HEDDLE_SM_SUBNET_SCHEDULE_H

#include <stdbool.h>
#include "util/monotime.h"

struct subnet;

struct schedule {
	/* At the configured interval, a light one if that is enough. */
	struct monotime next_sweep;
	struct monotime trap_sweep;     /* a heavy one that a report asks for */
	struct monotime last_start;     /* of a heavy sweep */
	/* When one that others asked for is due; when the last such began. */
	struct monotime election, last_election;
	bool want;                      /* a heavy one as soon as none is under way */
	char why[96];                   /* of 'want' or 'trap_sweep' */
};

void schedule_init(struct schedule *s);
/* A heavy sweep as soon as none is under way. */
void schedule_want(struct subnet *n, const char *why);
/*
 * As master, a heavy sweep that a report asks for: at once, but not oftener than the hold-down
 * allows.
 */
void schedule_look_again(struct subnet *n, const char *why);
/* Somebody who may made us look who leads: at once, but not oftener than the hold-down allows. */
void schedule_election(struct subnet *n);
/* A sweep begins: nothing is due. */
void schedule_begun(struct subnet *n);
/* Nothing is due until somebody asks. */
void schedule_clear(struct subnet *n);

#endif
