/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * schedule.h - the time of the next sweep, and its reason.
 * Room: sm/subnet.  Pure.
 *
 * Any room can request a sweep, but only sm/manager begins one: when the schedule says that a sweep
 * is due and no sweep is in progress.  After a report of a change (a trap), use
 * schedule_look_again(): the hold-down time (sweep_holddown) delays the sweep, and one sweep covers
 * all reports until then.  If the sweep in progress is known to be insufficient, use
 * schedule_want(): another one follows at once.
 *
 * If it is known which nodes changed, use schedule_look_at(): when all reports since the last sweep
 * name nodes, the next sweep may read those nodes only (sm/sweep/targeted.h).
 */
#ifndef HEDDLE_SM_SUBNET_SCHEDULE_H
#define HEDDLE_SM_SUBNET_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>
#include "util/monotime.h"

struct subnet;

/* Nodes that are named before a sweep begins; for more, the sweep reads everything. */
#define SCHEDULE_PLACES_MAX 128

/* Where a sweep because of a report is to look. */
struct schedule_places {
	uint64_t guids[SCHEDULE_PLACES_MAX];    /* of nodes */
	unsigned n;
	bool whole;                     /* a report named no node, or there are too many */
};

struct schedule {
	/* At the configured interval: a light sweep, or a heavy one where that is insufficient. */
	struct monotime next_sweep;
	struct monotime trap_sweep;     /* a heavy sweep because of a report */
	struct monotime last_start;     /* start of the last heavy sweep */
	/* Sweeps that other SMs caused (schedule_election()): the next one; the last one. */
	struct monotime election, last_election;
	bool want;                      /* a heavy sweep as soon as none is in progress */
	struct schedule_places places;  /* of 'trap_sweep' */
	char why[96];                   /* reason for 'want' or 'trap_sweep' */
};

void schedule_init(struct schedule *s);
/* Requests a heavy sweep as soon as no sweep is in progress. */
void schedule_want(struct subnet *n, const char *why);
/*
 * As master, requests a heavy sweep because of a report: at once, but not before the hold-down time
 * after the start of the last heavy sweep.  No effect in other states.
 */
void schedule_look_again(struct subnet *n, const char *why);
/* The same, where the report is about the node with that GUID. */
void schedule_look_at(struct subnet *n, const char *why, uint64_t node_guid);
/*
 * Requests an election because of a trusted SM: at once, but not before the hold-down time after
 * the last one (as master, ten times that).
 */
void schedule_election(struct subnet *n);
/* A heavy sweep begins: clears all requests. */
void schedule_begun(struct subnet *n);
/* Clears all requests: no sweep is due until one is requested. */
void schedule_clear(struct subnet *n);

#endif
