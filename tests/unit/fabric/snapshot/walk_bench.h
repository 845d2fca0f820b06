/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * walk_bench.h - a small fabric with LIDs and tables, for tests.
 */
#ifndef HEDDLE_TESTS_UNIT_FABRIC_SNAPSHOT_WALK_BENCH_H
#define HEDDLE_TESTS_UNIT_FABRIC_SNAPSHOT_WALK_BENCH_H

#include "tests/unit/test.h"
#include "tests/unit/fabric/fake.h"
#include "fabric/snapshot/tables.h"

/* own -1- x -2- y -1- far; x.3 - y.3 as well; x.5 is dead. LIDs: own 1, x 2, y 3, far 8..11 (LMC 2). */
struct bench {
	struct fake f;
	struct snapshot *s;
	struct arena arena;
	struct lid_map lids;
	struct fwd_tables fwd;
	uint32_t own, far, x, y;        /* port indices; switches: of port 0 */
	uint8_t *row_x, *row_y;
};

/* '*state' is a struct bench. */
int walk_bench_setup(void **state);
int walk_bench_teardown(void **state);

#endif
