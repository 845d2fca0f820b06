/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * tabled.h - LIDs and an engine's tables for a snapshot, and the pools with which a check of them
 * is repeated: a result must not depend on the number of stripes.
 */
#ifndef HEDDLE_TESTS_UNIT_FABRIC_TABLED_H
#define HEDDLE_TESTS_UNIT_FABRIC_TABLED_H

#include "tests/unit/test.h"
#include "sm/plan/lid.h"
#include "sm/route/route.h"
#include "tests/unit/route/made.h"
#include "util/pool.h"

static inline void
tabled_lids(struct snapshot *s, struct arena *a, struct lid_map *out)
{
	struct lid_conf c = { 0 };
	struct lid_report r;

	assert_int_equal(plan_lids(s, NULL, &c, a, out, &r), 0);
}

static inline enum route_code
tabled_route(const char *engine, struct snapshot *s, const struct lid_map *lids, struct arena *a,
	struct fwd_tables *out)
{
	struct route_in in = { .snapshot = s, .lids = lids };
	struct route_report r;
	char why[200];

	return route_find(engine, why, sizeof(why))->run(&in, a, out, &r);
}

/* Of 2 and 8 stripes. */
static inline void
tabled_pools_make(struct pool *pools[static 2])
{
	pools[0] = pool_new(2);
	pools[1] = pool_new(8);
}

static inline void
tabled_pools_free(struct pool *pools[static 2])
{
	pool_free(pools[0]);
	pool_free(pools[1]);
}

#endif
