/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_roots.c - which switches are roots, and the ranks that follow from them.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/route/tree/roots.h"
#include "tests/unit/route/modelled.h"
#include "util/bits.h"

static struct modelled x;
static struct roots t;

static int
teardown(void **state)
{
	(void)state;
	modelled_clear(&x);
	return 0;
}

/* A switch's rank is its distance from the nearest root. */
static void
check_ranks(void)
{
	uint16_t most = 0;

	for (uint32_t sw = 0; sw < x.m.g.nsw; sw++) {
		uint32_t least = UINT32_MAX;

		for (uint32_t i = 0; i < t.n; i++) {
			uint32_t hops = modelled_hops(&x, t.sw[i], sw);

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
find(const char *spec, const struct made_how *how)
{
	modelled_make(&x, spec, how, 0);
	assert_int_equal(roots_find(&t, &x.m, NULL, &x.arena, &x.r), ROUTE_OK);
	assert_true(t.n > 0);
	check_ranks();
}

static uint64_t
guid_of(uint32_t sw)
{
	return x.s->nodes[route_node(&x.m, sw)].guid;
}

static void
the_top_of_a_tree_is_found(void **state)
{
	(void)state;
	find("fattree:k=8,levels=2", NULL);
	assert_int_equal(t.n, x.m.g.nsw - x.m.g.nleaves);
	for (uint32_t sw = 0; sw < x.m.g.nsw; sw++)
		assert_int_equal(t.rank[sw], swgraph_is_leaf(&x.m.g, sw));
	find("fattree:k=4,levels=3", NULL);
	assert_int_equal(t.n, 4);
	assert_int_equal(t.max_rank, 2);
}

/* Where nothing is a tree, the most central switch is the root. */
static void
without_a_tree_the_center_is_the_root(void **state)
{
	(void)state;
	find("mesh:5x5,hosts=1", NULL);
	assert_string_equal(t.rule, "center");
	assert_int_equal(t.n, 1);
	for (uint32_t sw = 0; sw < x.m.g.nsw; sw++)
		assert_true(t.reach[t.sw[0]] <= t.reach[sw]);
	assert_int_equal(t.reach[t.sw[0]], 4);
}

static void
given_roots_are_taken(void **state)
{
	uint64_t guids[3];
	struct route_conf c = { guids, 3 };

	(void)state;
	modelled_make(&x, "torus:4x4,hosts=1", NULL, 0);
	guids[0] = guid_of(9);
	guids[1] = 0xdead;              /* it is not there */
	guids[2] = guid_of(2);
	assert_int_equal(roots_find(&t, &x.m, &c, &x.arena, &x.r), ROUTE_OK);
	assert_string_equal(t.rule, "given");
	assert_int_equal(t.n, 2);
	assert_int_equal(t.sw[0], 2);
	assert_int_equal(t.sw[1], 9);
	check_ranks();
	guids[0] = guids[2] = 0xdead;
	assert_int_equal(roots_find(&t, &x.m, &c, &x.arena, &x.r), ROUTE_INPUT);
	assert_non_null(strstr(x.r.sentence, "3 given roots"));
}

/* Each connected part has switches of rank 0, so each can be routed. */
static void
every_part_has_a_top(void **state)
{
	struct made_how how = { .cut_percent = 60 };
	bool parted = false;

	(void)state;
	for (how.seed = 0; how.seed < 10; how.seed++) {
		find("torus:4x4,hosts=1", &how);
		for (uint32_t sw = 0; sw < x.m.g.nsw; sw++) {
			bool top = false;

			assert_in_range(t.part[sw], 1, x.m.g.nsw);
			for (uint32_t to = 0; to < x.m.g.nsw; to++) {
				bool one = modelled_hops(&x, sw, to) != UINT32_MAX;

				assert_int_equal(one, t.part[sw] == t.part[to]);
				top |= one && t.rank[to] == 0;
				parted |= !one;
			}
			assert_true(top);
		}
	}
	assert_true(parted);
}

static void
distances_are_summed(void **state)
{
	(void)state;
	find("mesh:3x4,hosts=1", NULL);
	for (uint32_t sw = 0; sw < x.m.g.nsw; sw++) {
		uint32_t sum = 0, reach = 0;

		for (uint32_t to = 0; to < x.m.g.nsw; to++) {
			uint32_t hops = modelled_hops(&x, sw, to);

			sum += hops;
			reach = hops > reach ? hops : reach;
		}
		assert_int_equal(t.sum[sw], sum);
		assert_int_equal(t.reach[sw], reach);
	}
}

static void
a_single_root_is_the_most_central(void **state)
{
	uint64_t guids[2];
	struct route_conf c = { guids, 2 };

	(void)state;
	find("fattree:k=4,levels=3", NULL);
	assert_true(roots_single(&t, &x.m, &x.arena));
	assert_int_equal(t.n, 1);
	assert_string_equal(t.rule, "single");
	check_ranks();
	assert_false(roots_single(&t, &x.m, &x.arena));
	modelled_make(&x, "mesh:7,hosts=1", NULL, 0);
	guids[0] = guid_of(0);          /* of given roots, one of them */
	guids[1] = guid_of(1);
	assert_int_equal(roots_find(&t, &x.m, &c, &x.arena, &x.r), ROUTE_OK);
	assert_true(roots_single(&t, &x.m, &x.arena));
	assert_true(t.sw[0] == 0 || t.sw[0] == 1);
	assert_int_equal(t.reach[t.sw[0]],
		t.reach[0] < t.reach[1] ? t.reach[0] : t.reach[1]);
}

/* Switches without hosts go below all others; one with hosts stays, and so do the others then. */
static void
only_switches_without_hosts_are_lowered(void **state)
{
	uint64_t *lost;
	uint32_t c, sw;

	(void)state;
	find("fattree:k=4,levels=3", NULL);
	lost = arena_array(&x.arena, BITS_WORDS(x.m.ncols), sizeof(*lost));
	c = x.m.ncols - 1;
	sw = x.m.col_sw[c];
	bits_set(lost, c);
	bits_set(lost, 0);
	assert_false(roots_lower(&t, &x.m, lost));
	check_ranks();
	bits_clear(lost, 0);
	assert_true(roots_lower(&t, &x.m, lost));
	assert_int_equal(t.lowered, 1);
	for (uint32_t i = 0; i < x.m.g.nsw; i++)
		assert_true(i == sw || t.rank[i] < t.rank[sw]);
	assert_true(roots_lower(&t, &x.m, lost));
	assert_int_equal(t.lowered, 1);         /* it is there already */
}

static void
the_report_names_nodes(void **state)
{
	struct made_how how = { .scramble = true, .seed = 3 };
	struct route_report r = { .engine = "x" };

	(void)state;
	find("fattree:k=4,levels=3", &how);
	roots_report(&t, &x.m, &x.arena, &r);
	assert_string_equal(r.root_rule, t.rule);
	assert_int_equal(r.nroots, t.n);
	for (uint32_t i = 0; i < t.n; i++)
		assert_int_equal(r.roots[i], route_node(&x.m, t.sw[i]));
	assert_memory_equal(r.rank, t.rank, x.m.g.nsw * sizeof(*r.rank));
	assert_int_equal(r.max_rank, t.max_rank);
	assert_int_equal(r.lowered, 0);
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
		T(a_single_root_is_the_most_central),
		T(only_switches_without_hosts_are_lowered),
		T(the_report_names_nodes),
	};

	return cmocka_run_group_tests_name("sm/route/roots", tests, NULL, NULL);
}
