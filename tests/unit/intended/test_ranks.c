/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_ranks.c - which switches are roots, and the ranks that follow from them.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/intended/ranks.h"
#include "tests/unit/route/made.h"

static struct snapshot *s;
static struct arena arena;
static struct swgraph g;
static struct intended_ranks t;

static int
teardown(void **state)
{
	(void)state;
	made_free(s);
	s = NULL;
	arena_clear(&arena);
	return 0;
}

static void
bed_make(const char *spec, const struct made_how *how)
{
	teardown(NULL);
	s = made_snapshot(spec, how);
	swgraph_make(s, &arena, &g);
}

/* A switch's rank is its distance from the nearest root. */
static void
check_ranks(void)
{
	uint16_t most = 0;

	for (uint32_t sw = 0; sw < g.nsw; sw++) {
		uint32_t least = UINT32_MAX;

		for (uint32_t i = 0; i < t.n; i++) {
			uint32_t hops = made_hops(s, t.sw[i], sw);

			least = hops < least ? hops : least;
		}
		if (least != UINT32_MAX)
			assert_int_equal(t.rank[sw], least);
		most = t.rank[sw] > most ? t.rank[sw] : most;
	}
	assert_int_equal(t.max_rank, most);
	for (uint32_t i = 1; i < t.n; i++)
		assert_true(t.sw[i - 1] < t.sw[i]);
}

static void
ranks_find(const char *spec, const struct made_how *how)
{
	bed_make(spec, how);
	assert_true(intended_ranks_find(&t, s, &g, NULL, 0, &arena));
	assert_true(t.n > 0);
	check_ranks();
}

static uint64_t
guid_of(uint32_t sw)
{
	return s->nodes[s->switches[sw]].guid;
}

static void
the_top_of_a_tree_is_found(void **state)
{
	(void)state;
	ranks_find("fattree:k=8,levels=2", NULL);
	assert_string_equal(t.rule, "histogram");
	assert_int_equal(t.n, g.nsw - g.nleaves);
	for (uint32_t sw = 0; sw < g.nsw; sw++)
		assert_int_equal(t.rank[sw], swgraph_is_leaf(&g, sw));
	ranks_find("fattree:k=4,levels=3", NULL);
	assert_string_equal(t.rule, "histogram");
	assert_int_equal(t.n, 4);
	assert_int_equal(t.max_rank, 2);
}

/* Where nothing is a tree, the most central switch is the root. */
static void
without_a_tree_the_center_is_the_root(void **state)
{
	(void)state;
	ranks_find("mesh:5x5,hosts=1", NULL);
	assert_string_equal(t.rule, "center");
	assert_int_equal(t.n, 1);
	for (uint32_t sw = 0; sw < g.nsw; sw++)
		assert_true(t.reach[t.sw[0]] <= t.reach[sw]);
	assert_int_equal(t.reach[t.sw[0]], 4);
}

static void
given_roots_are_taken(void **state)
{
	uint64_t guids[3];

	(void)state;
	bed_make("torus:4x4,hosts=1", NULL);
	guids[0] = guid_of(9);
	guids[1] = 0xdead;              /* it is not there */
	guids[2] = guid_of(2);
	assert_true(intended_ranks_find(&t, s, &g, guids, 3, &arena));
	assert_string_equal(t.rule, "given");
	assert_int_equal(t.n, 2);
	assert_int_equal(t.sw[0], 2);
	assert_int_equal(t.sw[1], 9);
	check_ranks();
	guids[0] = guids[2] = 0xdead;
	assert_false(intended_ranks_find(&t, s, &g, guids, 3, &arena));
}

/* Each connected part has switches of rank 0, so each can be routed. */
static void
every_part_has_a_top(void **state)
{
	struct made_how how = { .cut_percent = 60 };
	bool parted = false;

	(void)state;
	for (how.seed = 0; how.seed < 10; how.seed++) {
		ranks_find("torus:4x4,hosts=1", &how);
		for (uint32_t sw = 0; sw < g.nsw; sw++) {
			bool top = false;

			for (uint32_t to = 0; to < g.nsw; to++) {
				bool one = made_hops(s, sw, to) != UINT32_MAX;

				top |= one && t.rank[to] == 0;
				parted |= !one;
			}
			assert_true(top);
		}
	}
	assert_true(parted);
}

/* Sums and greatest distances of 't' are those of a plain search; what is not connected adds
 * nothing. */
static void
check_measures(void)
{
	for (uint32_t sw = 0; sw < g.nsw; sw++) {
		uint32_t sum = 0, reach = 0;

		for (uint32_t to = 0; to < g.nsw; to++) {
			uint32_t hops = made_hops(s, sw, to);

			if (hops == UINT32_MAX)
				continue;
			sum += hops;
			reach = hops > reach ? hops : reach;
		}
		assert_int_equal(t.sum[sw], sum);
		assert_int_equal(t.reach[sw], reach);
	}
}

static void
distances_are_summed(void **state)
{
	struct made_how how = { .cut_percent = 60 };
	bool parted = false;

	(void)state;
	ranks_find("mesh:3x4,hosts=1", NULL);
	check_measures();
	for (how.seed = 0; how.seed < 10; how.seed++) {
		bed_make("torus:4x4,hosts=1", &how);
		parted |= !made_connected(s);
		t = (struct intended_ranks){ .n = 0 };
		intended_ranks_measure(&t, &g, &arena);
		check_measures();
	}
	assert_true(parted);
}

/* Least greatest distance, then least sum, then the first. */
static void
the_center_is_the_nearest_to_all(void **state)
{
	uint8_t reach[] = { 5, 4, 4, 4, 3 };
	uint32_t sum[] = { 1, 9, 8, 8, 20 }, sw[] = { 0, 1, 2, 3, 4 };

	(void)state;
	t = (struct intended_ranks){ .sum = sum, .reach = reach };
	assert_int_equal(intended_ranks_center(&t, sw, 1), 0);
	assert_int_equal(intended_ranks_center(&t, sw, 2), 1);
	assert_int_equal(intended_ranks_center(&t, sw, 4), 2);
	assert_int_equal(intended_ranks_center(&t, sw, 5), 4);
}

int
main(void)
{
#define T(name) cmocka_unit_test_teardown(name, teardown)
	const struct CMUnitTest tests[] = {
		T(the_top_of_a_tree_is_found),
		T(without_a_tree_the_center_is_the_root),
		T(given_roots_are_taken),
		T(every_part_has_a_top),
		T(distances_are_summed),
		T(the_center_is_the_nearest_to_all),
	};

	return cmocka_run_group_tests_name("sm/intended/ranks", tests, NULL, NULL);
}
