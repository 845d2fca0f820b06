/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_verify_json.c - the verdict as JSON.
 */
#include <config.h>
#include "tests/unit/fabric/verify/routed.h"

static struct verify_result v;

static json_t *j;

static int
end_case(void **state)
{
	json_decref(j);
	j = NULL;
	return routed_teardown(state);
}

static void
expect(const json_t *object, const char *key, uint64_t value)
{
	assert_true(json_is_integer(json_object_get(object, key)));
	assert_int_equal(json_integer_value(json_object_get(object, key)), value);
}

static void
expect_guid(const json_t *object, uint32_t node)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%016llx", (unsigned long long)rt.s->nodes[node].guid);
	assert_string_equal(json_string_value(json_object_get(object, "switch_guid")), text);
}

/* Every count under its own name; no evidence where nothing is wrong. */
static void
counts(void **state)
{
	(void)state;
	routed_make("torus:3,hosts=1,radix=4");
	v = (struct verify_result){ .ok = true, .scope = VERIFY_ALL, .unreachable = 1,
		.unreachable_switch = 2, .loops = 3, .credit_loops = 4,
			.walks = UINT64_C(5000000000),
		.channels = 6, .dependencies = 7, .vls = 8 };
	j = verify_to_json(rt.s, &v);
	assert_true(json_is_true(json_object_get(j, "ok")));
	assert_string_equal(json_string_value(json_object_get(j, "scope")), "all");
	expect(j, "unreachable", 1);
	expect(j, "unreachable_switch", 2);
	expect(j, "loops", 3);
	expect(j, "credit_loops", 4);
	expect(j, "walks", UINT64_C(5000000000));
	expect(j, "channels", 6);
	expect(j, "dependencies", 7);
	expect(j, "vls", 8);
	assert_true(json_is_null(json_object_get(j, "lanes")));
	assert_int_equal(json_array_size(json_object_get(j, "lost")), 0);
	assert_int_equal(json_array_size(json_object_get(j, "cycle")), 0);
	assert_int_equal(json_object_size(j), 13);
}

static void
evidence(void **state)
{
	const json_t *list, *row;

	(void)state;
	routed_make("torus:8,hosts=1");
	routed_run("minhop", &rt.f);
	fwd_row(&rt.f, 0)[3] = 255;
	verify_tables(rt.s, &rt.lids, &rt.f, VERIFY_HOSTS, &v);
	j = verify_to_json(rt.s, &v);
	assert_non_null(j);
	assert_false(json_is_true(json_object_get(j, "ok")));
	assert_string_equal(json_string_value(json_object_get(j, "scope")), "hosts");
	expect(j, "unreachable", v.unreachable);
	expect(j, "credit_loops", v.credit_loops);
	list = json_object_get(j, "lost");
	assert_int_equal(json_array_size(list), 1);
	row = json_array_get(list, 0);
	expect_guid(row, rt.s->switches[0]);
	expect(row, "lid", 3);
	expect(row, "port", 255);
	assert_string_equal(json_string_value(json_object_get(row, "why")),
		"dropped: no entry for the LID");
	list = json_object_get(j, "cycle");
	assert_int_equal(json_array_size(list), 8);
	for (unsigned i = 0; i < v.ncycle; i++) {
		row = json_array_get(list, i);
		expect_guid(row, rt.s->ports[v.cycle[i]].node);
		expect(row, "in_port", rt.s->ports[v.cycle[i]].num);
		expect(row, "vl", 0);
		expect(row, "lid", v.cycle_lid[i]);
		assert_true(json_is_null(json_object_get(row, "sl")));
	}
}

/* With more than one VL a row has its VL and SL; a plan that is not valid says why. */
static void
lanes(void **state)
{
	const json_t *row;

	(void)state;
	routed_make("torus:3,hosts=1,radix=4");
	v = (struct verify_result){ .vls = 2, .ncycle = 2, .lanes = "no SL is in use",
		.cycle = { 1, 1 }, .cycle_vl = { 1, 0 },
		.cycle_lid = { 40000, 5 }, .cycle_sl = { 15, 0 } };
	j = verify_to_json(rt.s, &v);
	assert_string_equal(json_string_value(json_object_get(j, "lanes")), "no SL is in use");
	row = json_array_get(json_object_get(j, "cycle"), 0);
	expect(row, "vl", 1);
	expect(row, "lid", 40000);
	expect(row, "sl", 15);
	row = json_array_get(json_object_get(j, "cycle"), 1);
	expect(row, "vl", 0);
	expect(row, "sl", 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(counts, end_case),
		cmocka_unit_test_teardown(evidence, end_case),
		cmocka_unit_test_teardown(lanes, end_case),
	};

	return cmocka_run_group_tests_name("fabric/verify json", tests, routed_setup,
		routed_group_teardown);
}
