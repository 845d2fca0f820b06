/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_score_json.c - the document of a score: every key, and null where there is no number.
 */
#include <config.h>
#include <math.h>
#include "fabric/score/score.h"
#include "fabric/score/score_moves.h"
#include "tests/unit/fabric/small.h"

/* Two switches with a cable, a host at each. */
static struct snapshot *
pair(void)
{
	static const struct small_node nodes[] = {
		{ TOPO_SWITCH, 4 }, { TOPO_SWITCH, 4 }, { TOPO_CA, 1 }, { TOPO_CA, 1 },
	};
	static const struct small_cable cables[] = {
		{ 0, 1, 2, 1 }, { 1, 1, 3, 1 }, { 0, 2, 1, 2 },
	};

	return small_snapshot(nodes, 4, cables, 3);
}

static json_int_t
whole(const json_t *j, const char *key)
{
	json_t *v = json_object_get(j, key);

	assert_true(json_is_integer(v));
	return json_integer_value(v);
}

static void
expect_real(const json_t *j, const char *key, double value)
{
	json_t *v = json_object_get(j, key);

	assert_true(json_is_real(v));
	assert_true(fabs(json_real_value(v) - value) < 1e-9);
}

static void
expect_null(const json_t *j, const char *key)
{
	assert_true(json_is_null(json_object_get(j, key)));
}

static struct score_result
filled(const struct snapshot *s)
{
	struct score_result r = {
		.switches = 2, .hosts = 5, .ports = 4, .vls = 3, .pairs = 20, .unreachable = 4,
		.a2a_max = 9, .a2a_port = small_port(s, 1, 2), .a2a_sum = 12,
		.shift = { .n = 4, .max = 7, .worst = 3, .sum = 10 },
		.rp = { .n = 8, .max = 6, .worst = 5, .sum = 20 },
		.matchings = 2, .ebb_ppm = 625000, .ebb_error_ppm = 1500,
		.hops_sum = 24, .shortest_sum = 16, .nlevels = 1,
	};

	r.hops[0] = 4;
	r.hops[2] = 12;
	r.levels[0] = (struct score_level){ 1, 2, 4, 1, 9, 12 };
	return r;
}

static void
numbers(void **state)
{
	struct snapshot *s = pair();
	struct score_result r = filled(s);
	json_t *j = score_to_json(s, &r), *worst = json_object_get(j, "a2a_worst");

	(void)state;
	assert_int_equal(whole(j, "switches"), 2);
	assert_int_equal(whole(j, "hosts"), 5);
	assert_int_equal(whole(j, "ports"), 4);
	assert_int_equal(whole(j, "vls"), 3);
	assert_int_equal(whole(j, "pairs"), 20);
	assert_int_equal(whole(j, "unreachable"), 4);
	assert_int_equal(whole(j, "a2a_max"), 9);
	expect_real(j, "a2a_mean", 3);
	expect_real(j, "a2a_ratio", 3);
	assert_string_equal(json_string_value(json_object_get(worst, "switch_guid")),
		"0x0000000000002000");
	assert_int_equal(whole(worst, "port"), 2);
	assert_int_equal(whole(j, "shift_max"), 7);
	expect_real(j, "shift_mean", 2.5);
	assert_int_equal(whole(j, "shift_worst"), 3);
	assert_int_equal(whole(j, "shift_tried"), 4);
	assert_int_equal(whole(j, "rp_max"), 6);
	expect_real(j, "rp_mean", 2.5);
	assert_int_equal(whole(j, "rp_worst"), 5);
	assert_int_equal(whole(j, "rp_tried"), 8);
	expect_real(j, "ebb", 0.625);
	expect_real(j, "ebb_error", 0.0015);
	assert_int_equal(whole(j, "ebb_tried"), 2);
	json_decref(j);
	snapshot_free(s);
}

/* The list ends with the longest path; means are over the pairs that have a path. */
static void
hops_and_levels(void **state)
{
	struct snapshot *s = pair();
	struct score_result r = filled(s);
	json_t *j = score_to_json(s, &r), *hops = json_object_get(j, "hops"), *list, *level;

	(void)state;
	list = json_object_get(hops, "pairs");
	assert_int_equal(json_array_size(list), 3);
	assert_int_equal(json_integer_value(json_array_get(list, 0)), 4);
	assert_int_equal(json_integer_value(json_array_get(list, 1)), 0);
	assert_int_equal(json_integer_value(json_array_get(list, 2)), 12);
	assert_int_equal(whole(hops, "max"), 2);
	expect_real(hops, "mean", 1.5);
	expect_real(hops, "shortest_mean", 1);
	expect_real(hops, "stretch", 1.5);
	assert_int_equal(json_array_size(json_object_get(j, "levels")), 1);
	level = json_array_get(json_object_get(j, "levels"), 0);
	assert_int_equal(whole(level, "from"), 1);
	assert_int_equal(whole(level, "to"), 2);
	assert_int_equal(whole(level, "ports"), 4);
	assert_int_equal(whole(level, "min"), 1);
	assert_int_equal(whole(level, "max"), 9);
	expect_real(level, "mean", 3);
	json_decref(j);
	r.hops[SCORE_HOPS_MAX] = 1;
	j = score_to_json(s, &r);
	hops = json_object_get(j, "hops");
	assert_int_equal(whole(hops, "max"), SCORE_HOPS_MAX);
	assert_int_equal(json_array_size(json_object_get(hops, "pairs")), SCORE_HOPS_MAX + 1);
	json_decref(j);
	snapshot_free(s);
}

/* Nothing was tried, and there is nothing to divide by: the same keys, with null. */
static void
nothing(void **state)
{
	static const char *const nulls[] = { "a2a_mean", "a2a_ratio", "a2a_worst", "shift_max",
		"shift_mean", "shift_worst", "rp_max", "rp_mean", "rp_worst", "ebb", "ebb_error" };
	struct snapshot *s = pair();
	struct score_result r = filled(s), none = { .a2a_port = FAB_NONE };
	json_t *full = score_to_json(s, &r), *j = score_to_json(s, &none), *value;
	const char *key;

	(void)state;
	json_object_foreach(full, key, value)
		assert_non_null(json_object_get(j, key));
	assert_int_equal(json_object_size(j), json_object_size(full));
	for (size_t i = 0; i < sizeof(nulls) / sizeof(nulls[0]); i++)
		expect_null(j, nulls[i]);
	assert_int_equal(whole(j, "a2a_max"), 0);
	assert_int_equal(whole(j, "shift_tried"), 0);
	value = json_object_get(j, "hops");
	expect_null(value, "mean");
	expect_null(value, "stretch");
	assert_int_equal(whole(value, "max"), 0);
	assert_int_equal(json_array_size(json_object_get(value, "pairs")), 1);
	assert_int_equal(json_array_size(json_object_get(j, "levels")), 0);
	json_decref(j);
	none.matchings = 1; /* one matching has a mean, but no interval */
	j = score_to_json(s, &none);
	expect_real(j, "ebb", 0);
	expect_null(j, "ebb_error");
	json_decref(j);
	json_decref(full);
	snapshot_free(s);
}

/* Numbers beyond 32 bits arrive whole. */
static void
large(void **state)
{
	struct snapshot *s = pair();
	struct score_result r = {
		.pairs = 3000000000000, .unreachable = 5000000000, .ports = UINT32_MAX,
		.a2a_max = UINT32_MAX, .a2a_sum = 1ull << 62, .a2a_port = FAB_NONE,
	};
	json_t *j = score_to_json(s, &r);

	(void)state;
	assert_true(whole(j, "pairs") == 3000000000000);
	assert_true(whole(j, "unreachable") == 5000000000);
	assert_true(whole(j, "ports") == UINT32_MAX);
	assert_true(whole(j, "a2a_max") == UINT32_MAX);
	expect_real(j, "a2a_ratio",
		(double)((uint64_t)UINT32_MAX * UINT32_MAX) / (double)(1ull << 62));
	json_decref(j);
	snapshot_free(s);
}

/* Every member has the key of its own name. */
static void
moves(void **state)
{
	struct score_moves m = { .entries = 1, .entries_broken = 2, .entries_restored = 3,
		.entries_needless = 4, .blocks = 5, .blocks_needed = 6, .switches_lost = 7,
		.switches_new = 8, .pairs = 9, .moved = 10, .broken = 11, .needless = 12,
		.lost = 13, .restored = 14, .pairs_gone = 15, .pairs_new = 5000000000 };
	static const char *const keys[] = { "entries", "entries_broken", "entries_restored",
		"entries_needless", "blocks", "blocks_needed", "switches_lost", "switches_new",
		"pairs", "moved", "broken", "needless", "lost", "restored", "pairs_gone" };
	json_t *j = score_moves_to_json(&m);

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		assert_int_equal(whole(j, keys[i]), i + 1);
	assert_true(whole(j, "pairs_new") == 5000000000);
	assert_int_equal(json_object_size(j), 16);
	json_decref(j);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(hops_and_levels),
		cmocka_unit_test(nothing),
		cmocka_unit_test(large),
		cmocka_unit_test(moves),
	};

	return cmocka_run_group_tests_name("fabric/score/json", tests, NULL, NULL);
}
