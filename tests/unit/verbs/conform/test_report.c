/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_report.c - TAP lines of every verdict, and the document of a failed command line.
 */
#include <config.h>
#include <errno.h>
#include <jansson.h>
#include "tests/unit/test.h"
#include "verbs/conform/report.h"

static char *text;
static size_t bytes;

static void
assert_tap(const struct conform_result *r, const char *want)
{
	FILE *f = open_memstream(&text, &bytes);

	conform_report_tap_case(f, 7, r);
	fclose(f);
	assert_string_equal(text, want);
	free(text);
}

static void
tap_lines(void **state)
{
	struct conform_result r = { .name = "cq/order", .expected = "a|b", .status = CONFORM_PASS };

	(void)state;
	assert_tap(&r, "ok 7 - cq/order\n");
	r.status = CONFORM_SKIP;
	strcpy(r.reason, "needs it");
	assert_tap(&r, "ok 7 - cq/order # SKIP needs it\n");
	r.status = CONFORM_DEVIATION;
	strcpy(r.got, "c");
	assert_tap(&r, "not ok 7 - cq/order # TODO known deviation: needs it\n"
		"# expected: a|b\n# got:      c\n");
	r.status = CONFORM_FAIL;
	*r.got = '\0';
	assert_tap(&r, "not ok 7 - cq/order\n# expected: a|b\n# got:      (not run)\n# needs it\n");
}

static void
tap_totals(void **state)
{
	struct conform_report r = { .backend = "soft", .device = "soft0", .peer = "soft1", .n = 4,
		.totals = { 1, 1, 1, 1 }, .cut_short = true };
	FILE *f = open_memstream(&text, &bytes);

	(void)state;
	conform_report_tap_end(f, &r);
	fclose(f);
	assert_non_null(strstr(text, "1..4\n# soft soft0 and soft1: 1 passed, 1 failed, 1 skipped, "
		"1 known deviations\n"));
	assert_non_null(strstr(text, "time limit"));
	free(text);
}

static void
error_document(void **state)
{
	FILE *f = open_memstream(&text, &bytes);
	json_t *doc;

	(void)state;
	assert_int_equal(conform_report_json_error(f, "soft", "usage", "no \"x\"", 2), 0);
	fclose(f);
	doc = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(doc);
	assert_int_equal(json_integer_value(json_object_get(doc, "exit_status")), 2);
	assert_non_null(strstr(text, "no \\\"x\\\""));
	json_decref(doc);
	free(text);
	f = fopen("/dev/full", "w");
	if (f) {
		assert_int_equal(conform_report_json_error(f, "soft", "usage", "x", 2), -EIO);
		fclose(f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(tap_lines),
	cmocka_unit_test(tap_totals),
		cmocka_unit_test(error_document) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
