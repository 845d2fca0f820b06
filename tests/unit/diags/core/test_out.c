/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * One tool in all formats: text, documents compact and pretty, lines, a table.
 */
#include <config.h>
#include "diags/core/out.h"
#include "diags/core/status.h"
#include "tests/unit/diags/fake.h"

#define BIG INT64_C(9007199254740993)   /* 2^53 + 1 */

static int
tell(struct diag *d, int argc, char **argv)
{
	FILE *f;

	(void)argc;
	(void)argv;
	diag_text(d, "%s\n", "text");
	diag_write(d, "more\n", 5);
	json_object_set_new(diag_doc(d), "count", json_integer(BIG));
	diag_row(d, "others", json_pack("{s:i}", "o", 1));
	diag_row(d, "rows", json_pack("{s:i, s:s}", "n", 1, "name", "a"));
	diag_row(d, "rows", json_pack("{s:i, s:s}", "n", 2, "name", "b,c"));
	diag_row(d, "others", json_pack("{s:i}", "o", 2));
	f = diag_out_member(d, "large");
	if (f)
		fputs("[7]", f);
	else
		json_object_set_new(diag_doc(d), "large", json_pack("[i]", 7));
	json_object_set_new(diag_summary(d), "rows", json_integer(2));
	diag_source_set(d, "file");
	return EXIT_FINDINGS;
}

static const struct diag_tool tool = { .name = "teller", .flags = DIAG_NO_PORT, .rows = "rows", .run = tell };

static void
text(void **state)
{
	struct outcome o = fake_run(&tool, "");

	(void)state;
	assert_int_equal(o.status, EXIT_FINDINGS);
	assert_string_equal(o.out, "text\nmore\n");
	outcome_clear(&o);
}

static void
check_document(const char *args, bool strings)
{
	struct outcome o = fake_run(&tool, args);
	json_t *doc = outcome_document(&o), *v = json_object_get(doc, "count");

	assert_int_equal(o.status, EXIT_FINDINGS);
	assert_string_equal(json_string_value(json_object_get(doc, "schema")), "heddle.teller");
	assert_string_equal(json_string_value(json_object_get(doc, "source")), "file");
	assert_int_equal(json_integer_value(json_object_get(doc, "exit_status")), EXIT_FINDINGS);
	assert_int_equal(json_array_size(json_object_get(doc, "rows")), 2);
	assert_int_equal(json_array_size(json_object_get(doc, "others")), 2);
	assert_int_equal(json_integer_value(json_array_get(json_object_get(doc, "large"), 0)), 7);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(doc, "summary"), "rows")), 2);
	if (strings)
		assert_string_equal(json_string_value(v), "9007199254740993");
	else
		assert_true(json_integer_value(v) == BIG);
	json_decref(doc);
	outcome_clear(&o);
}

static void
documents(void **state)
{
	(void)state;
	check_document("--json", false);
	check_document("--json=compact", false);
	check_document("--json=pretty", false);
	check_document("--json --json-u64 string", true);
	check_document("--json=pretty --json-u64 string", true);
}

static void
lines(void **state)
{
	static const char *const types[] = { "header", "others", "rows", "rows", "others", "trailer" };
	struct outcome o = fake_run(&tool, "--ndjson");
	char *save = NULL, *line = strtok_r(o.out, "\n", &save);
	unsigned n = 0;

	(void)state;
	for (; line; line = strtok_r(NULL, "\n", &save)) {
		json_t *v = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
		const char *type = json_string_value(json_object_get(v, "type"));

		assert_non_null(type);
		if (!strcmp(type, "large"))     /* what was set as a member, item by item */
			assert_int_equal(json_integer_value(json_object_get(v, "value")), 7);
		else
			assert_string_equal(type, types[n++]);
		json_decref(v);
	}
	assert_int_equal(n, 6);
	outcome_clear(&o);
}

static void
table(void **state)
{
	struct outcome o = fake_run(&tool, "--csv");

	(void)state;
	assert_string_equal(o.out, "n,name\n1,a\n2,\"b,c\"\n");
	outcome_clear(&o);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text), cmocka_unit_test(documents), cmocka_unit_test(lines), cmocka_unit_test(table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
