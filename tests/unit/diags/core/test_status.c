/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * Which status wins, what reaches stderr, errors[] and findings[].
 */
#include <config.h>
#include "diags/core/addr.h"
#include "diags/core/out.h"
#include "diags/core/status.h"
#include "tests/unit/diags/fake.h"

static void
order(void **state)
{
	static const int worst_last[] = { EXIT_OK, EXIT_FINDINGS, EXIT_PARTIAL, EXIT_USAGE, EXIT_FATAL };

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		for (unsigned k = 0; k < 5; k++)
			assert_int_equal(diag_status_worse(worst_last[i], worst_last[k]), worst_last[i > k ? i : k]);
	assert_int_equal(diag_status_worse(EXIT_USAGE, 77), 77);        /* not known: as bad as can be */
}

static int
failing(struct diag *d, int argc, char **argv)
{
	struct diag_addr to = diag_addr_path((const uint8_t[]){ 0, 3 }, 1);
	struct diag_where w = { .addr = &to, .port_guid = 0x201, .port = 7, .attribute = "NodeInfo", .modifier = 2, .mad_status = 0x1c };

	(void)argc;
	(void)argv;
	diag_warn(d, EXIT_OK, "config", NULL, "only a %s", "warning");
	diag_finding(d, "info", "quiet", "0x201", NULL, "nothing to worry");
	assert_int_equal(diag_status(d), EXIT_OK);
	diag_finding(d, "warning", "loud", "0x201", json_pack("{s:i}", "value", 5), "look at it");
	assert_int_equal(diag_status(d), EXIT_FINDINGS);
	diag_warn(d, EXIT_PARTIAL, "timeout", &w, "no answer");
	diag_hush(d, true);
	diag_warn(d, EXIT_PARTIAL, "timeout", &w, "hushed");
	diag_hush(d, false);
	return diag_give_up(d, "gave up");
}

static const struct diag_tool failing_tool = { .name = "failing", .flags = DIAG_NO_PORT, .run = failing };

static void
reports(void **state)
{
	struct outcome o = fake_run(&failing_tool, "--json");
	json_t *doc = outcome_document(&o), *errors = json_object_get(doc, "errors"), *e, *f;

	(void)state;
	assert_int_equal(o.status, EXIT_PARTIAL);
	assert_string_equal(o.err, "tool: only a warning\ntool: no answer\ntool: iberror: failed: gave up\n");
	assert_int_equal(json_array_size(errors), 3);
	e = json_array_get(errors, 0);
	assert_string_equal(json_string_value(json_object_get(e, "severity")), "warning");
	assert_true(json_is_null(json_object_get(e, "attribute")));
	e = json_array_get(errors, 1);
	assert_string_equal(json_string_value(json_object_get(e, "severity")), "error");
	assert_string_equal(json_string_value(json_object_get(e, "mad_status")), "0x001c");
	assert_int_equal(json_integer_value(json_object_get(e, "modifier")), 2);
	e = json_object_get(e, "target");
	assert_true(json_is_null(json_object_get(e, "lid")));
	assert_int_equal(json_integer_value(json_object_get(e, "port")), 7);
	assert_int_equal(json_array_size(json_object_get(e, "path")), 2);
	assert_true(json_is_true(json_object_get(doc, "incomplete")));
	f = json_object_get(doc, "findings");
	assert_int_equal(json_array_size(f), 2);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(f, 1), "value")), 5);
	assert_true(json_is_null(json_object_get(json_array_get(f, 1), "expected")));
	json_decref(doc);
	outcome_clear(&o);
}

/* People store the ids: they must never change. */
static void
finding_ids(void **state)
{
	(void)state;
	assert_true(diag_finding_id("link_slow", "0x201:1") == diag_finding_id("link_slow", "0x201:1"));
	assert_true(diag_finding_id("a", "bc") != diag_finding_id("ab", "c"));
	assert_true(diag_finding_id("", "") == UINT64_C(0xcbf29ce484222325) * UINT64_C(0x100000001b3));
}

static int
fatal(struct diag *d, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	diag_text(d, "before\n");
	return diag_fail(d, EXIT_FATAL, "no_device", "no %s", "device");
}

static const struct diag_tool fatal_tool = { .name = "fatal", .flags = DIAG_NO_PORT, .run = fatal };

static void
compatible(void **state)
{
	struct outcome o = fake_run(&fatal_tool, "");

	(void)state;
	assert_int_equal(o.status, EXIT_FATAL);
	assert_string_equal(o.out, "before\n");
	assert_string_equal(o.err, "tool: iberror: failed: no device\n");
	outcome_clear(&o);
	o = fake_run(&fatal_tool, "--compat-stdout-errors");
	assert_string_equal(o.out, "before\ntool: iberror: failed: no device\n");
	assert_string_equal(o.err, "");
	outcome_clear(&o);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order), cmocka_unit_test(reports), cmocka_unit_test(finding_ids), cmocka_unit_test(compatible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
