/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_reach.c - routes through the forwarding tables, and the cache of them.
 */
#include <config.h>
#include "fabric/snapshot/walk.h"
#include "tests/unit/sa/small.h"
#include "sm/sa/sa_int.h"

static void
assert_same_route(struct small *b, uint32_t src, uint16_t lid, const struct sa_route *before, bool arrives)
{
	struct sa_route r;

	assert_int_equal(sa_reach(b->x, sa_index_path_cache(b->x), src, lid, &r), arrives);
	if (!arrives)
		return;
	assert_int_equal(r.mtu, before->mtu);
	assert_int_equal(r.rank, before->rank);
	assert_int_equal(r.sls, before->sls);
	assert_int_equal(r.loopback, before->loopback);
}

/* The compact walk goes where walk_lid() goes, from everywhere to every LID, over tables of noise,
 * and the cache says the same. */
static void
test_reach_is_walk(void **state)
{
	struct small *b = *state;
	uint32_t seed = 99, arrived = 0;

	for (unsigned round = 0; round < 500; round++) {
		for (uint32_t sw = 0; sw < 2; sw++)
			for (unsigned lid = 0; lid < 12; lid++) {
				seed = seed * 1103515245 + 12345;
				fwd_row(&b->fwd, sw)[lid] = seed >> 16 & 7 ? (uint8_t)(seed >> 20 & 7) : FAB_LFT_DROP;
			}
		small_forget(b);
		for (uint32_t i = 0; i < b->s->nendports; i++)
			for (uint16_t lid = 0; lid < 14; lid++) {
				struct sa_route r;
				struct walk w;

				walk_lid(b->s, &b->lids, &b->fwd, b->s->endports[i], lid, &w);
				assert_int_equal(sa_reach(b->x, NULL, b->s->endports[i], lid, &r), w.end == WALK_ARRIVED);
				for (int again = 0; again < 2; again++)
					assert_same_route(b, b->s->endports[i], lid, &r, w.end == WALK_ARRIVED);
				arrived += w.end == WALK_ARRIVED;
			}
	}
	assert_in_range(arrived, 1000, 500 * 6 * 12);
}

/* There is room for so many different routes; others get no number, nor are they mistaken for
 * those. */
static void
test_routes_are_bounded(void **state)
{
	struct sa_route_table t = { 0 };

	(void)state;
	for (unsigned i = 0; i < 2 * SA_ROUTES_MAX; i++) {
		struct sa_route r = { .mtu = (uint8_t)(i % 5), .rank = (uint8_t)(i / 5), .sls = 1 };
		unsigned wanted = i % 5 == 0 ? 1 : i / 5 * 4 + i % 5 + 1;       /* what does not arrive is one route */

		for (int again = 0; again < 2; again++)
			assert_int_equal(sa_route_number(&t, &r), wanted <= SA_ROUTES_MAX ? wanted : 0);
	}
	assert_int_equal(t.n, SA_ROUTES_MAX);
}

/* The cache holds the routes of switches with hosts, and an index without it gives the same. */
static void
test_cache(void **state)
{
	struct small *b = *state;
	struct sa_index *x = sa_index_borrow(b->x);
	struct sa_route r, s;

	assert_non_null(b->x->cache);
	assert_null(x->cache);
	assert_true(sa_path_cache_bytes(b->x->cache, b->s->nswitches) > b->x->cache->bytes);
	assert_int_equal(sa_path_cache_bytes(NULL, 2), 0);
	for (uint16_t lid = 0; lid < 14; lid++)
		for (int again = 0; again < 2; again++) {
			assert_int_equal(sa_reach(b->x, sa_index_path_cache(b->x), b->one, lid, &r),
				sa_reach(x, sa_index_path_cache(x), b->one, lid, &s));
			if (again && r.mtu)
				assert_true(sa_same_route(&r, &s));
		}
	assert_true(b->x->cache->different.n > 0);
	free(x);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, small_setup, small_teardown)
		T(test_reach_is_walk), T(test_routes_are_bounded), T(test_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
