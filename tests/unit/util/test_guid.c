/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_guid.c - GUIDs in JSON: there and back, and what is not one.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "util/guid.h"

static const struct {
	uint64_t guid;
	const char *text;
} rows[] = {
	{ 0, "0x0000000000000000" },
	{ 1, "0x0000000000000001" },
	{ UINT64_C(0x0123456789abcdef), "0x0123456789abcdef" },
	{ UINT64_C(0xfe80000000000000), "0xfe80000000000000" },
	{ UINT64_MAX, "0xffffffffffffffff" },
};

static void
there_and_back(void **state)
{
	char text[GUID_TEXT_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *o = guid_to_json(rows[i].guid);
		uint64_t guid = 42;

		assert_string_equal(json_string_value(o), rows[i].text);
		assert_string_equal(guid_to_text(rows[i].guid, text), rows[i].text);
		assert_true(guid_from_json(o, &guid));
		assert_true(guid == rows[i].guid);
		json_decref(o);
	}
}

static void
null_for_none(void **state)
{
	json_t *none = guid_or_null_to_json(0), *one = guid_or_null_to_json(1);

	(void)state;
	assert_true(json_is_null(none));
	assert_string_equal(json_string_value(one), "0x0000000000000001");
	json_decref(none);
	json_decref(one);
}

static void
not_guids(void **state)
{
	static const char *const texts[] = {
		"", "0x", "0x1", "0x000000000000001", "0x00000000000000001", "000000000000000001", "0X0000000000000001",
		"0x000000000000000g", "0x00000000000000 1", "0x-000000000000001", "0x000000000000ABCD", "0x0000000000000001 ",
	};
	uint64_t guid = 42;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		json_t *o = json_string(texts[i]);

		assert_false(guid_from_json(o, &guid));
		json_decref(o);
	}
	assert_false(guid_from_json(NULL, &guid));
	assert_false(guid_from_json(json_null(), &guid));
	assert_true(guid == 42);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(null_for_none),
		cmocka_unit_test(not_guids),
	};

	return cmocka_run_group_tests_name("guid", tests, NULL, NULL);
}
