/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * routed.h - fabrics with tables for the tests of the verifier: made by an engine or at random,
 * judged by two plain checks (naive.h, naive_lanes.h), the same in any number of stripes.
 */
#ifndef HEDDLE_TESTS_UNIT_FABRIC_VERIFY_ROUTED_H
#define HEDDLE_TESTS_UNIT_FABRIC_VERIFY_ROUTED_H

#include "tests/unit/test.h"
#include "fabric/verify/verify.h"
#include "tests/unit/route/made.h"
#include "util/pool.h"

/* The one fabric that a test looks at. */
struct routed {
	struct snapshot *s;
	struct arena arena;             /* owns the tables, LIDs and plans */
	struct lid_map lids;
	struct fwd_tables f, old;
	struct pool *pools[2];          /* of 2 and 8 stripes */
	uint32_t rnd;
};
extern struct routed rt;

/* Of the group, with the pools; of each test. */
int routed_setup(void **state);
int routed_group_teardown(void **state);
int routed_teardown(void **state);
/* The fabric of a generator's SPEC, with LIDs; a small fabric of some shape. */
void routed_make(const char *spec);
void routed_make_random(uint32_t seed);
/* The engine's tables into 'out'. */
void routed_run(const char *engine, struct fwd_tables *out);
/* A random valid lane plan for the fabric. */
struct lane_plan *routed_plan(void);
/* Changes 'n' entries, to anything. */
void routed_spoil(struct fwd_tables *t, unsigned n);
/* Tables with entries of their own. */
void routed_copy(struct fwd_tables *to, const struct fwd_tables *from);
/* The verdict on rt.f, or on the change from 'before'; the same bytes in 1, 2 and 8 stripes. */
struct verify_result routed_verified(const struct fwd_tables *before, enum verify_scope scope);
/* Compares the verdict in both scopes with the plain checks.  True when scope 'hosts' has a cycle. */
bool routed_judge(const struct fwd_tables *before);

#endif
