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

struct naive_vls {
	uint64_t walks;
	uint64_t lost;                          /* walks that do not arrive */
	uint64_t wrong;                         /* pairs whose SL or VL the plan does not have */
	uint64_t uneven;                        /* pairs whose two directions have different SLs */
	unsigned cyclic;                        /* VLs in a cycle of (channel, VL): bit i is VL i */
	unsigned used;                          /* VLs that some walk takes: bit i is VL i */
	uint64_t turns;
	/* of the links between switches: paths of all pairs of hosts on the fullest, and on all together */
	uint64_t most, sum;
	uint32_t links;
};

/* Walks every pair of switches in both directions, every LID of the far one, with the SL of the pair and with that of the
 * opposite pair (a reply), and takes at every hop the VL that the plan of 'f' says.  'all': every pair; otherwise those with
 * hosts at one end at least. */
struct naive_vls naive_vls_check(const struct snapshot *s, const struct lid_map *l, const struct fwd_tables *f, bool all);

#endif
