/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * naive.h - a second, plain verifier for tests: walks every pair, hop by hop, and knows nothing of the first.
 */
#ifndef HEDDLE_TESTS_UNIT_ROUTE_NAIVE_H
#define HEDDLE_TESTS_UNIT_ROUTE_NAIVE_H

#include "fabric/snapshot/tables.h"

struct naive {
	uint64_t walks;
	uint64_t lost_host, lost_switch;        /* walks that do not arrive, by kind of source switch */
	uint64_t looping_lids;
	bool cyclic;                            /* the turns of all walks close a cycle */
	uint64_t turns;
};

/* 'all': walks from every switch; else from switches with hosts. */
struct naive naive_check(const struct snapshot *s, const struct lid_map *l, const struct fwd_tables *f, bool all);

#endif
