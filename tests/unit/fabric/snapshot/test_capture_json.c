/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_capture_json.c - a capture comes back from JSON; anything else is refused with a sentence.
 */
#include <config.h>
#include <string.h>
#include "fabric/snapshot/capture_json.h"
#include "fabric/topo/snapshot_topo.h"
#include "fabric/topo/topo.h"
#include "sim/gen/gen.h"
#include "tests/unit/fabric/snapshot/answers.h"

static struct snapshot *
made(void)
{
	struct topo_error e;
	struct snapshot *s;
	struct topo t;

	assert_int_equal(gen_topology("fattree:k=4,levels=2", &t, &e), 0);
	assert_int_equal(topo_to_snapshot(&t, FAB_NONE, 4, &s), 0);
	topo_clear(&t);
	return s;
}

static void
comes_back(void **state)
{
	char why[CAPTURE_WHY_BYTES] = "";
	struct capture *c = capture_new(), *again;
	struct snapshot *s = made();
	json_t *o, *p;

	(void)state;
	answers_fill(c);
	o = capture_to_json(c, s);
	assert_int_equal(json_array_size(o), 4);
	assert_int_equal(capture_from_json(o, s, &again, why), 0);
	answers_check(again);
	p = capture_to_json(again, s);
	assert_true(json_equal(o, p));
	json_decref(o);
	json_decref(p);
	capture_free(c);
	capture_free(again);
	snapshot_free(s);
}

static void
refuses(void **state)
{
#define HEAD "[{\"node\": \"0x00fe1d0000000000\", \"port\": 0, \"runs\": ["
#define RUN(step, count, data) "{\"class\": 1, \"attribute\": 25, \"modifier\": 4294967295, \"select\": 0, \"step\": " step \
	", \"count\": " count ", \"status\": 0, \"data\": " data "}"
	static const char *const bad[] = {
		"{}", "[1]", "[{}]", "[{\"node\": \"0x1\", \"port\": 0, \"runs\": []}]",
			"[{\"node\": \"0x00fe1d0000000000\", \"port\": 99, \"runs\": []}]",
		"[{\"node\": \"0x00fe1d0000000000\", \"port\": 0}]", HEAD "{}]}]",
		HEAD RUN("0", "0", "\"\"") "]}]", HEAD RUN("0", "2", "\"aabb\"") "]}]",
			HEAD RUN("256", "2", "\"aabb\"") "]}]",
		HEAD RUN("0", "1", "\"a\"") "]}]", HEAD RUN("0", "1", "\"xy\"") "]}]",
			HEAD RUN("0", "1", "7") "]}]",
		HEAD RUN("0", "99999", "\"aa\"") "]}]", HEAD RUN("-1", "1", "\"aa\"") "]}]",
	};
	struct snapshot *s = made();

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char why[CAPTURE_WHY_BYTES] = "";
		json_t *o = json_loads(bad[i], 0, NULL);
		struct capture *c;

		assert_non_null(o);
		assert_true(capture_from_json(o, s, &c, why) < 0);
		assert_null(c);
		assert_true(why[0]);
		json_decref(o);
	}
	snapshot_free(s);
}

/* Answers that follow each other are one run; a gap, another length of step, or another status ends
 * it. */
static void
runs(void **state)
{
	static const uint32_t modifiers[] = { 0, 1, 2, 4, 6, 8, 9 };
	struct capture *c = capture_new();
	struct snapshot *s = made();
	struct capture_key k = answers_key(2, 1, 0x19, 20, 0);
	json_t *o, *list;

	(void)state;
	for (size_t i = 0; i < sizeof(modifiers) / sizeof(modifiers[0]); i++)
		answers_add(c, answers_key(2, 1, 0x19, modifiers[i], 0), (uint8_t)i, 2);
	capture_add(c, &k, 0x1c, NULL, 0);
	o = capture_to_json(c, s);
	assert_int_equal(json_array_size(o), 1);
	list = json_object_get(json_array_get(o, 0), "runs");
	assert_int_equal(json_array_size(list), 4);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 0), "count")), 3);
	assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "data")),
		"000101020203");
	assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 1), "modifier")),
		4);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 1), "step")),
		2 << 8);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 2), "count")), 1);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 3), "status")),
		0x1c);
	json_decref(o);
	capture_free(c);
	snapshot_free(s);
}

static int
take_two(void *arg, size_t i, json_t *entry)
{
	size_t *n = arg;

	assert_int_equal(i, (*n)++);
	assert_true(json_is_object(entry));
	json_decref(entry);
	return *n == 2 ? -7 : 0;
}

/* One element for each node and port, until somebody has enough; each can be read alone. */
static void
one_by_one(void **state)
{
	char why[CAPTURE_WHY_BYTES] = "";
	struct capture *c = capture_new(), *again = capture_new();
	struct snapshot *s = made();
	const json_t *entry;
	json_t *o;
	size_t n = 0;

	(void)state;
	answers_fill(c);
	assert_int_equal(capture_each_json(c, s, take_two, &n), -7);
	assert_int_equal(n, 2);
	o = capture_to_json(c, s);
	json_array_foreach(o, n, entry)
		assert_int_equal(capture_entry_from_json(again, s, n, entry, why), 0);
	answers_check(again);
	assert_int_equal(capture_entry_from_json(again, s, 17, json_array_get(o, 99), why), -22);
	assert_string_equal(why, "answers number 17 are of no node and port of the fabric");
	json_decref(o);
	capture_free(c);
	capture_free(again);
	snapshot_free(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back), cmocka_unit_test(refuses), cmocka_unit_test(runs),
		cmocka_unit_test(one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
