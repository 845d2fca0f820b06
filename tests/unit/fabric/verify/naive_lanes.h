/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * naive_lanes.h - a second, plain check of lanes for tests: sends every packet of every pair of
 * ports, hop by hop.
 */
#ifndef HEDDLE_TESTS_UNIT_FABRIC_VERIFY_NAIVE_LANES_H
#define HEDDLE_TESTS_UNIT_FABRIC_VERIFY_NAIVE_LANES_H

#include "fabric/snapshot/tables.h"

struct naive_lanes {
	const struct snapshot *s;
	const struct lid_map *l;
	const struct fwd_tables
		*f[2]; /* packets follow either at each switch; and the lanes of either */
	unsigned ntables;
	bool all; /* switches send too */
	bool no_replies; /* leaves out what the reply rule adds */
	/* result */
	bool cyclic;
	uint64_t dependencies;
};

void naive_lanes_check(struct naive_lanes *n);

#endif
