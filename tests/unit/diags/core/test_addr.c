/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * Numbers, routes and addresses as operators type them and documents show them.
 */
#include <config.h>
#include "diags/core/addr.h"
#include "tests/unit/test.h"

static void
numbers(void **state)
{
	static const char *const bad[] = { "", " 1", "-1", "+1", "x", "1x", "0x", "18446744073709551616", "1 " };
	uint64_t v;

	(void)state;
	assert_true(diag_number("0", 0, &v));
	assert_int_equal(v, 0);
	assert_true(diag_number("0x10", 16, &v));
	assert_int_equal(v, 16);
	assert_true(diag_number("010", 16, &v));
	assert_int_equal(v, 8);
	assert_true(diag_number("18446744073709551615", UINT64_MAX, &v));
	assert_true(v == UINT64_MAX);
	assert_false(diag_number("17", 16, &v));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(diag_number(bad[i], UINT64_MAX, &v));
}

static void
routes(void **state)
{
	static const char *const bad[] = { "", "1", "0,", "0,0", "0,255", "0,,1", "0,1 ", "0,-1", ",1" };
	uint8_t path[DGRAM_PATH_BYTES], hops;
	char text[3 * DGRAM_PATH_BYTES] = "0";

	(void)state;
	assert_true(diag_path("0", path, &hops));
	assert_int_equal(hops, 0);
	assert_true(diag_path("0,1,254", path, &hops));
	assert_int_equal(hops, 2);
	assert_int_equal(path[2], 254);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(diag_path(bad[i], path, &hops));
	for (unsigned i = 0; i < DGRAM_HOPS_MAX; i++)
		strcat(text, ",7");
	assert_true(diag_path(text, path, &hops));
	assert_int_equal(hops, DGRAM_HOPS_MAX);
	strcat(text, ",7");
	assert_false(diag_path(text, path, &hops));
}

static void
addresses(void **state)
{
	static const uint8_t path[] = { 0, 1, 4 };
	struct diag_addr a = diag_addr_path(path, 2);
	json_t *o = diag_json_addr(&a);

	(void)state;
	assert_int_equal(a.dr_slid, 0xffff);
	assert_true(json_is_null(json_object_get(o, "lid")));
	assert_int_equal(json_array_size(json_object_get(o, "path")), 3);
	assert_int_equal(json_integer_value(json_array_get(json_object_get(o, "path"), 2)), 4);
	json_decref(o);
	a = diag_addr_lid(5);
	a.guid = 0x1234;
	o = diag_json_addr(&a);
	assert_int_equal(json_integer_value(json_object_get(o, "lid")), 5);
	assert_true(json_is_null(json_object_get(o, "path")));
	assert_string_equal(json_string_value(json_object_get(o, "guid")), "0x0000000000001234");
	json_decref(o);
	assert_int_equal(diag_addr_self().hop_count, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers), cmocka_unit_test(routes), cmocka_unit_test(addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
