/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lanes_naive.h - a plain verifier for tables with lanes, and plain all-to-all loads, for tests:
 * walks every pair, hop by hop.
 */
#ifndef HEDDLE_TESTS_UNIT_ROUTE_LANES_NAIVE_H
#define HEDDLE_TESTS_UNIT_ROUTE_LANES_NAIVE_H

#include "fabric/snapshot/tables.h"

struct lanes_naive {
	uint64_t walks;
	uint64_t lost; /* walks that end nowhere though switches are connected */
	uint64_t apart; /* walks between parts of the fabric that are not connected */
	uint64_t astray; /* walks with a VL that the plan does not have */
	bool cyclic;
};

/* Walks from every switch with hosts to every LID, with the SLs of both directions. */
struct lanes_naive lanes_naive_check(
	const struct snapshot *s, const struct lid_map *l, const struct fwd_tables *f);
/* All hosts send to all: 1000 times the greatest load of a cable's direction by the mean one. */
uint32_t lanes_naive_load(
	const struct snapshot *s, const struct lid_map *l, const struct fwd_tables *f);

#endif
