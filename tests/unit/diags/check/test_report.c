/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_report.c - findings of all checks as text and as a document: order, counts, the verdict.
 */
#include <config.h>
#include "diags/core/tool.h"
#include "diags/fabric/fabric_int.h"
#include "tests/unit/diags/check/checks.h"

static const struct check *const all[NCHECKS] = CHECKS;
static struct check_options opt;
/* What a run reports: errors, warnings and notes of two codes. */
static unsigned errors, warnings, notes;
static bool partial, problem, suppressed;

static int
report(struct diag *d, int argc, char **argv)
{
	struct check_run c = { .d = d, .checks = all, .opt = &opt };

	(void)argc;
	(void)argv;
	world_fabric(&c.f, fake_snapshot());
	levels_make(c.f.s, &c.levels);
	for (unsigned i = 0; i < NCHECKS; i++)
		c.result[i].end = i < 6 ? CHECK_DONE : i == 6 ? CHECK_SKIPPED : CHECK_NOT_ASKED;
	c.at = 5;
	for (unsigned i = 0; i < notes; i++)
		check_find(&c, CHECK_INFO, "a_note", &(struct check_about){ .a = &c.f.s->ports[i] },
			"note %u", i);
	for (unsigned i = warnings; i-- > 0;)
		check_find(&c, CHECK_WARNING, "a_warning",
			&(struct check_about){ .a = &c.f.s->ports[i] }, "warning %u", i);
	c.at = 4;
	check_looked(&c, "4 links");
	for (unsigned i = 0; i < errors; i++)
		check_find(&c, CHECK_ERROR, "an_error",
			&(struct check_about){ .object = "fabric", .value = json_integer(i) },
			"error %u", i);
	if (partial)
		check_partial(&c, "no time");
	c.result[4].suppressed = suppressed ? 3 : 0;
	if (problem) {
		c.f.s->problems = arena_array(&c.f.s->arena, 1, sizeof(*c.f.s->problems));
		c.f.s->nproblems = 1;
	}
	check_report(&c, all);
	check_run_clear(&c);
	return EXIT_OK;
}

static const struct diag_tool tool = {
	.name = "test", .rows = "checks", .run = report, .masked = ""
};

static struct outcome
report_run(const char *args)
{
	return fake_run(&tool, args);
}

static int
check_report_begin(void **state)
{
	(void)state;
	opt = (struct check_options){ .most = 0 };
	errors = warnings = notes = 0;
	partial = problem = suppressed = false;
	return 0;
}

static bool
has_line(const char *text, const char *line)
{
	const char *at = strstr(text, line);

	return at && (at == text || at[-1] == '\n') && at[strlen(line)] == '\n';
}

static void
verdicts(void **state)
{
	struct outcome o = report_run("");

	(void)state;
	assert_int_equal(o.status, EXIT_OK);
	assert_true(has_line(o.out, "FABRIC OK: no findings"));
	assert_true(has_line(o.out, "2 switches, 3 adapters, 4 links, seen from host-0 port 1"));
	outcome_clear(&o);
	problem = true;
	o = report_run("");
	assert_true(has_line(o.out, "FABRIC CHECKED INCOMPLETELY: no findings"));
	outcome_clear(&o);
	problem = false;
	partial = suppressed = true;
	notes = 1;
	o = report_run("");
	assert_true(has_line(o.out, "FABRIC CHECKED INCOMPLETELY: 1 note (3 suppressed)"));
	assert_int_equal(o.status, EXIT_PARTIAL);
	outcome_clear(&o);
	partial = suppressed = false;
	warnings = 2;
	o = report_run("");
	assert_true(has_line(o.out, "FABRIC HAS WARNINGS: 2 warnings, 1 note"));
	assert_int_equal(o.status, EXIT_FINDINGS);
	outcome_clear(&o);
	errors = 1;
	o = report_run("");
	assert_true(has_line(o.out, "FABRIC HAS ERRORS: 1 error, 2 warnings, 1 note"));
	outcome_clear(&o);
}

/* The worst first; of one code in the order of ports. */
static void
order(void **state)
{
	struct outcome o;
	const char *e, *w0, *w1, *n;

	(void)state;
	errors = 1;
	warnings = notes = 2;
	o = report_run("");
	e = strstr(o.out, "error 0");
	w0 = strstr(o.out, "warning 0");
	w1 = strstr(o.out, "warning 1");
	n = strstr(o.out, "note 0");
	assert_true(e && w0 && w1 && n);
	assert_true(e < w0 && w0 < w1 && w1 < n);
	outcome_clear(&o);
}

static void
most_of_a_code(void **state)
{
	struct outcome o;

	(void)state;
	errors = 5;
	warnings = 2;
	opt.most = 3;
	o = report_run("");
	assert_non_null(strstr(o.out, "error 2"));
	assert_null(strstr(o.out, "error 3"));
	assert_non_null(strstr(o.out, "... and 2 more (--all shows them)"));
	assert_non_null(strstr(o.out, "warning 1"));
	assert_non_null(strstr(o.out, "FABRIC HAS ERRORS: 5 errors, 2 warnings"));
	outcome_clear(&o);
	opt.summary = true;
	o = report_run("");
	assert_null(strstr(o.out, "error 0"));
	assert_null(strstr(o.out, "more"));
	assert_non_null(strstr(o.out, "FABRIC HAS ERRORS: 5 errors, 2 warnings"));
	outcome_clear(&o);
}

static void
table(void **state)
{
	struct outcome o;

	(void)state;
	errors = 2;
	o = report_run("");
	assert_true(has_line(o.out, "links      2 errors                 4 links"));
	assert_non_null(strstr(o.out, "\nsettings   skipped"));
	assert_null(strstr(o.out, "\npkeys")); /* it was not asked for */
	outcome_clear(&o);
	errors = 0;
	partial = true;
	o = report_run("");
	assert_true(has_line(o.out, "links      incomplete               incomplete: no time"));
	outcome_clear(&o);
}

/* In a document nothing is left out, whatever is shown as text. */
static void
document(void **state)
{
	struct outcome o;
	const json_t *summary, *row;
	json_t *doc;

	(void)state;
	errors = 5;
	warnings = 1;
	opt.most = 1;
	opt.summary = suppressed = true;
	o = report_run("--json");
	doc = outcome_document(&o);
	summary = json_object_get(doc, "summary");
	assert_int_equal(json_array_size(json_object_get(doc, "findings")), 6);
	assert_int_equal(json_array_size(json_object_get(doc, "checks")), NCHECKS);
	assert_int_equal(json_integer_value(json_object_get(summary, "errors")), 5);
	assert_int_equal(json_integer_value(json_object_get(summary, "suppressed")), 3);
	assert_int_equal(json_integer_value(
				 json_object_get(json_object_get(summary, "by_code"), "an_error")),
		5);
	row = json_array_get(json_object_get(doc, "checks"), 4);
	assert_string_equal(json_string_value(json_object_get(row, "check")), "links");
	assert_string_equal(json_string_value(json_object_get(row, "status")), "done");
	assert_string_equal(json_string_value(json_object_get(row, "looked_at")), "4 links");
	row = json_array_get(json_object_get(doc, "checks"), 7);
	assert_string_equal(json_string_value(json_object_get(row, "status")), "not_asked");
	assert_true(json_is_null(json_object_get(row, "looked_at")));
	json_decref(doc);
	outcome_clear(&o);
}

/* A run that ended before it found anything, too. */
static void
cleared_early(void **state)
{
	struct check_run c = { .checks = all, .opt = &opt };

	(void)state;
	check_run_clear(&c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(verdicts, check_report_begin),
		cmocka_unit_test_setup(order, check_report_begin),
		cmocka_unit_test_setup(most_of_a_code, check_report_begin),
		cmocka_unit_test_setup(table, check_report_begin),
		cmocka_unit_test_setup(document, check_report_begin),
		cmocka_unit_test_setup(cleared_early, check_report_begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
