/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_auto.c - a manager without a word about routing: what it sees, what it takes, and what it does
 * when engines refuse.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/scenario/world.h"

#define SECOND 1000000

static struct world w;
static struct world_manager *s;

static void
up(const char *spec, const char *const *args)
{
	world_init(&w, spec, 1);
	s = world_manager_start(&w, NULL, args);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	world_run(&w, 15 * SECOND);
}

/* The engine in force, and what Status says of the choice: 'shape' begins so; NULL: nothing was seen. */
static void
expect_choice(const char *engine, const char *shape, const char *chosen)
{
	json_t *o = manager_status(s->m, w.now), *c = json_object_get(o, "choice");
	const char *said = json_string_value(json_object_get(c, "shape"));

	assert_string_equal(json_string_value(json_object_get(o, "engine")), engine);
	if (shape)
		assert_ptr_equal(strstr(said, shape), said);
	else
		assert_null(said);
	assert_string_equal(json_string_value(json_object_get(c, "chosen")), chosen);
	json_decref(o);
}

/* Some engine that was tried refused so; false: none did. */
static bool
refused(const char *engine, const char *text)
{
	json_t *o = manager_status(s->m, w.now), *row;
	bool found = false;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(o, "choice"), "tried"), i, row) {
		const char *said = json_string_value(json_object_get(row, "refusal"));

		found |= said && strstr(said, text) &&
			strcmp(json_string_value(json_object_get(row, "engine")), engine) == 0;
	}
	json_decref(o);
	return found;
}

/* The port of 'a' whose cable leads to 'b'. */
static uint8_t
cable(uint32_t a, uint32_t b)
{
	for (unsigned p = 1; p <= w.topo.nodes[a].nports; p++)
		if (topo_port(&w.topo, a, (uint8_t)p)->peer_node == b)
			return (uint8_t)p;
	fail_msg("no cable");
	return 0;
}

static void
shapes(void **arg)
{
	static const char *const row[][4] = {
		{ "fattree:k=4,levels=3", "ftree", "tree of 3 levels and 20 switches", "shape" },
		{ "mesh:4x3,hosts=2", "dor", "mesh 4x3 of 12 switches", "shape" },
		{ "hypercube:d=4,hosts=2", "dor", "hypercube of 4 dimensions", "shape" },
		{ "random:switches=30,cables=60,hosts=2,seed=7", "nue", "no known shape: 30 switches", "general" },
	};

	(void)arg;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		up(row[i][0], NULL);
		assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
		assert_true(world_is_right(&w));
		expect_choice(row[i][1], row[i][2], row[i][3]);
		world_clear(&w);
	}
}

/* Shapes whose engine needs lanes: it serves where it gets them, and refuses by itself where not. */
static void
shapes_with_lanes(void **arg)
{
	static const char *const row[][3] = {
		{ "torus:5x5,hosts=2", "torus-2qos", "torus 5x5 of 25 switches" },
		{ "dragonfly:a=4,h=2,p=2", "dragonfly", "dragonfly of 9 groups" },
	};

	(void)arg;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		static const char *const one_vl[] = { "--set", "max_op_vls=1", NULL };

		up(row[i][0], NULL);
		assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
		assert_true(world_is_right(&w));
		if (refused(row[i][1], "VLS"))
			expect_choice("nue", row[i][2], "general");
		else
			expect_choice(row[i][1], row[i][2], "shape");
		world_clear(&w);
		up(row[i][0], one_vl);
		assert_true(world_is_right(&w));
		assert_true(refused(row[i][1], "VLS"));
		expect_choice("nue", row[i][2], "general");
		world_clear(&w);
	}
}

/* A fabric falls into two pieces: the manager's is routed as part of what is intended, and when both
 * are joined again so is the whole. */
static void
two_pieces(void **arg)
{
	static const char *const rows[] = { "sw-0-1", "sw-1-1", "sw-2-1" };
	static const char *const next[] = { "sw-0-2", "sw-1-2", "sw-2-2" };
	uint32_t node[3], peer[3];

	(void)arg;
	up("mesh:3x4,hosts=1", NULL);
	expect_choice("dor", "mesh 3x4", "shape");
	for (unsigned i = 0; i < 3; i++) {
		node[i] = world_node(&w, rows[i]);
		peer[i] = world_node(&w, next[i]);
		assert_int_equal(hw_cable_pull(w.hw, node[i], cable(node[i], peer[i]), w.now), 0);
	}
	world_run(&w, 30 * SECOND);
	assert_int_not_equal(manager_outcome(s->m), OUTCOME_REFUSED);
	expect_choice("dor", "mesh 3x4", "shape");
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(hw_cable_plug(w.hw, node[i], cable(node[i], peer[i]), peer[i],
			cable(peer[i], node[i]), w.now), 0);
	world_run(&w, 30 * SECOND);
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
	assert_true(world_is_right(&w));
	expect_choice("dor", "mesh 3x4", "shape");
	world_clear(&w);
}

/* A list without no_fallback ends with nue; with it, nothing is written, and the last tables stay. */
static void
the_end_of_a_list(void **arg)
{
	static const char *const open[] = { "-R", "minhop", NULL };
	static const char *const closed[] = { "-R", "minhop,no_fallback", NULL };
	uint64_t tables;

	(void)arg;
	up("torus:5x5,hosts=1", open);
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
	assert_true(world_is_right(&w));
	expect_choice("nue", NULL, "fallback");
	assert_true(refused("minhop", "credit loops"));
	tables = world_tables(&w);
	world_manager_reload(&w, s, closed);
	world_run(&w, 30 * SECOND);
	assert_int_equal(manager_outcome(s->m), OUTCOME_REFUSED);
	assert_true(world_tables(&w) == tables);
	assert_true(world_is_right(&w));
	assert_true(refused("minhop", "credit loops"));
	world_clear(&w);
}

/* A fabric whose links are all as fast as they can be has the same routes whether slow ones are
 * avoided or not. */
static void
no_link_is_throttled(void **arg)
{
	static const char *const avoid[] = { "--set", "avoid_throttled_links=TRUE", NULL };
	uint64_t tables;

	(void)arg;
	up("fattree:k=4,levels=3", NULL);
	tables = world_tables(&w);
	world_clear(&w);
	up("fattree:k=4,levels=3", avoid);
	assert_true(world_is_right(&w));
	assert_true(world_tables(&w) == tables);
	world_clear(&w);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes),
		cmocka_unit_test(shapes_with_lanes),
		cmocka_unit_test(two_pieces),
		cmocka_unit_test(the_end_of_a_list),
		cmocka_unit_test(no_link_is_throttled),
	};

	return cmocka_run_group_tests_name("auto", tests, NULL, NULL);
}
