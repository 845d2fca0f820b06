/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * Small values of documents.
 */
#include <config.h>
#include "diags/core/json.h"
#include "tests/unit/test.h"

static void
expect(json_t *o, const char *text)
{
	assert_string_equal(json_string_value(o), text);
	json_decref(o);
}

static void
values(void **state)
{
	static const uint8_t gid[16] = { 0xfe, 0x80, [15] = 1 };

	(void)state;
	expect(diag_json_guid(0), "0x0000000000000000");
	expect(diag_json_guid(UINT64_MAX), "0xffffffffffffffff");
	expect(diag_json_hex(0x1c, 4), "0x001c");
	expect(diag_json_hex(0x12345, 4), "0x12345");
	expect(diag_json_gid(gid), "fe80:0000:0000:0000:0000:0000:0000:0001");
	expect(diag_json_text("leaf"), "leaf");
	expect(diag_json_text("a\xff" "b"), "a\xef\xbf\xbd" "b");
	expect(diag_json_text(""), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(values) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
