/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_options.c - command lines: which options a tool has, and the format of its output.
 */
#include <config.h>
#include "diags/core/options.h"
#include "diags/core/status.h"
#include "tests/unit/diags/core/tools.h"

static void
masks(void **state)
{
	struct option_rows r = diag_options_join(&tools_masking);
	bool seen = false;

	(void)state;
	tools_expect(&tools_masking, "-s 5", 0, "own s 5\n- -1 0 0 0 0 0 0 0 |\n");
	tools_expect(&tools_masking, "-D", EXIT_USAGE, "");
	for (size_t i = 0; i < r.n; i++) {
		assert_string_not_equal(r.row[i]->name, "sm_port");
		assert_string_not_equal(r.row[i]->name, "load");
		seen |= diag_option_is_tools(&tools_masking, r.row[i]);
	}
	assert_true(seen);
}

static void
formats(void **state)
{
	struct outcome o = fake_run(&tools_plain, "--json -P 999");
	json_t *doc = outcome_document(&o);

	(void)state;
	/* A document is owed also where the command line is wrong. */
	assert_int_equal(json_integer_value(json_object_get(doc, "exit_status")), EXIT_USAGE);
	assert_string_equal(json_string_value(json_object_get(json_object_get(doc, "options"),
		"Port")), "999");
	json_decref(doc);
	outcome_clear(&o);
	o = fake_run(&tools_plain, "-j -y 0x1234");
	doc = outcome_document(&o);
	assert_string_equal(json_string_value(json_object_get(json_object_get(doc, "options"),
		"m_key")), "hidden");
	json_decref(doc);
	outcome_clear(&o);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(masks),
		cmocka_unit_test(formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
