/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_test.c - descriptions of tests: there and back as JSON, every member missing or wrong,
 * impossible tests.
 */
#include <config.h>
#include <string.h>
#include "tests/unit/test.h"
#include "verbs/meas/run/test.h"

static void
there_and_back(void **state)
{
	char why[200];

	(void)state;
	for (int m = 0; m < MEAS_MODES; m++) {
		struct meas_test t = meas_test_default((enum meas_mode)m), u;
		json_t *o, *back;

		t.seed = UINT64_MAX;
		t.memory_bytes = MEAS_MEMORY_MAX;
		t.validate = true;
		o = meas_test_json(&t);
		assert_non_null(o);
		assert_int_equal(meas_test_from_json(o, &u, why, sizeof(why)), 0);
		back = meas_test_json(&u);
		assert_true(json_equal(o, back));
		json_decref(back);
		json_decref(o);
	}
}

static void
members_missing_or_wrong(void **state)
{
	struct meas_test t = meas_test_default(MEAS_BW), u;
	json_t *o = meas_test_json(&t), *copy;
	const char *key;
	json_t *v;
	char why[200];

	(void)state;
	json_object_foreach(o, key, v) {
		static const char *const wrong[] = { "-1", "1e99", "\"\"", "[]", "{}", "null",
		"9223372036854775807", "[0]", "[-1]", "[1,\"2\"]",
			"[1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9]" };

		copy = json_copy(o);
		json_object_del(copy, key);
		assert_true(meas_test_from_json(copy, &u, why, sizeof(why)) < 0);
		json_decref(copy);
		for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
			copy = json_copy(o);
			json_object_set_new(copy, key, json_loads(wrong[i], JSON_DECODE_ANY, NULL));
			assert_true(meas_test_from_json(copy, &u, why, sizeof(why)) < 0);
			json_decref(copy);
		}
	}
	assert_true(meas_test_from_json(NULL, &u, why, sizeof(why)) < 0);
	json_decref(o);
}

static void
impossible(void **state)
{
	struct meas_test ok = meas_test_default(MEAS_BW), t;

	(void)state;
	assert_null(meas_test_wrong(&ok));
#define WRONG(...) (t = ok, __VA_ARGS__, assert_non_null(meas_test_wrong(&t)))
	WRONG(t.iterations = 0);
	WRONG(t.duration_ms = 1);
	WRONG(t.mode = MEAS_LAT, t.qps = 2);
	WRONG(t.transport = MEAS_UD, t.op = MEAS_WRITE);
	WRONG(t.transport = MEAS_UC, t.op = MEAS_READ);
	WRONG(t.op = MEAS_FAA);
	WRONG(t.nsizes = 2, t.sizes[1] = t.sizes[0]);
	WRONG(t.sizes[0] = MEAS_SIZE_MAX + 1);
	WRONG(t.validate = true, t.transport = MEAS_UC, t.sizes[0] = 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back), cmocka_unit_test(members_missing_or_wrong),
		cmocka_unit_test(impossible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
