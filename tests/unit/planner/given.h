/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * given.h - forwarding tables for the engine "file" without a file, which the verifier must refuse.
 *
 * On a ring of switches: every packet goes the same way round, so each host is reached and the
 * channels of the ring form a cycle.  Tests then take entries away, or turn them back.
 */
#ifndef HEDDLE_TESTS_UNIT_PLANNER_GIVEN_H
#define HEDDLE_TESTS_UNIT_PLANNER_GIVEN_H

#include "fabric/snapshot/tables.h"
#include "sm/conf/routing/lfts.h"

struct given {
	struct arena a;
	struct lfts l;
	uint8_t *onward; /* per switch ordinal: the port that goes on round the ring */
	uint8_t *back; /* the port that goes the other way round */
};

/* 's' is a ring ("torus:5,hosts=1"). */
void given_make(struct given *g, const struct snapshot *s, const struct lid_map *lids);
void given_clear(struct given *g);
/* The entry of a switch, to change it. */
uint8_t *given_entry(struct given *g, uint32_t sw, uint32_t lid);

#endif
