/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_report.c - differences as lines and rows: what is known, what is not selected.
 */
#include <config.h>
#include <unistd.h>
#include "diags/core/tool.h"
#include "diags/topo/report.h"
#include "tests/unit/diags/world.h"

static bool plan, changed;
static const char *select_text, *suppress_text;

static int
report(struct diag *d, int argc, char **argv)
{
	struct diag_fabric was = { .s = NULL }, is = { .s = NULL };
	struct topo_report t = { .d = d, .was = &was, .is = &is, .plan = plan };
	struct suppress *s = NULL;
	struct selection *only = NULL;
	struct topo_comparison c;
	int status;

	(void)argc;
	(void)argv;
	world_fabric(&was, fake_snapshot());
	world_fabric(&is, fake_snapshot());
	if (changed) {
		world_unplug(is.s, 0x200, 1);
		memcpy(world_node(is.s, 0x400)->desc, "other", 6);
	}
	if (suppress_text) {
		char *path = fake_file(suppress_text);

		suppress_read(d, path, &s);
		unlink(path);
		free(path);
	}
	if (select_text)
		only = select_parse(d, &was, select_text, &status);
	t.suppress = s;
	t.was_only = only;
	t.is_only = only;
	topo_compare(&was, &is, TOPO_ASPECTS_ALL, false, &c);
	topo_report_show(&t, &c, "plan.topo", "fabric");
	topo_comparison_clear(&c);
	suppress_free(s);
	select_free(only);
	diag_fabric_clear(&was);
	diag_fabric_clear(&is);
	return EXIT_OK;
}

static const struct diag_tool tool = {
	.name = "test", .rows = "differences", .run = report, .masked = ""
};

static int
differences_begin(void **state)
{
	(void)state;
	plan = true;
	changed = true;
	select_text = suppress_text = NULL;
	return 0;
}

static void
as_planned(void **state)
{
	struct outcome o;

	(void)state;
	changed = false;
	o = fake_run(&tool, "");
	assert_int_equal(o.status, EXIT_OK);
	assert_string_equal(o.out,
		"plan.topo: 5 nodes, 4 links; fabric: 5 nodes, 4 links; "
		"4 links are the same\nAS PLANNED\n");
	outcome_clear(&o);
	plan = false;
	o = fake_run(&tool, "");
	assert_non_null(strstr(o.out, "\nTHE SAME\n"));
	outcome_clear(&o);
}

static void
differences(void **state)
{
	struct outcome o = fake_run(&tool, "");

	(void)state;
	assert_int_equal(o.status, EXIT_FINDINGS);
	assert_non_null(strstr(o.out, "MISSING    link leaf-0 port 1 - host-0 port 1, 4x HDR"));
	assert_non_null(strstr(o.out, "\nNOT AS PLANNED: 2 differences\n"));
	outcome_clear(&o);
	plan = false;
	o = fake_run(&tool, "");
	assert_non_null(strstr(o.out, "GONE       link"));
	assert_non_null(strstr(o.out, "\nCHANGED: 2 differences\n"));
	outcome_clear(&o);
}

static void
known(void **state)
{
	struct outcome o;

	(void)state;
	suppress_text = "cable_missing host-0:1\n";
	o = fake_run(&tool, "");
	assert_null(strstr(o.out, "link leaf-0"));
	assert_non_null(strstr(o.out, "NOT AS PLANNED: 1 difference, and 1 that is known\n"));
	outcome_clear(&o);
	suppress_text = "cable_missing\nnode_renamed\n";
	o = fake_run(&tool, "");
	assert_non_null(strstr(o.out, "AS PLANNED, and 2 that are known\n"));
	assert_int_equal(o.status, EXIT_OK);
	outcome_clear(&o);
}

static void
not_selected(void **state)
{
	struct outcome o;

	(void)state;
	select_text = "node:host-0";
	o = fake_run(&tool, "");
	assert_non_null(
		strstr(o.out, "NOT AS PLANNED: 1 difference, and 1 that is not selected\n"));
	outcome_clear(&o);
}

static void
document(void **state)
{
	struct outcome o = fake_run(&tool, "--json");
	json_t *doc = outcome_document(&o);
	const json_t *summary = json_object_get(doc, "summary"), *row;

	(void)state;
	assert_int_equal(json_array_size(json_object_get(doc, "differences")), 2);
	assert_int_equal(json_array_size(json_object_get(doc, "findings")), 2);
	assert_int_equal(json_integer_value(json_object_get(summary, "differences")), 2);
	assert_int_equal(json_integer_value(json_object_get(summary, "same_cables")), 3);
	assert_int_equal(json_object_size(json_object_get(summary, "by_code")), TOPO_NCHANGES);
	for (size_t i = 0; i < 2; i++) {
		row = json_array_get(json_object_get(doc, "differences"), i);
		if (!strcmp(json_string_value(json_object_get(row, "code")), "cable_missing")) {
			assert_string_equal(
				json_string_value(json_object_get(row, "severity")), "error");
			assert_int_equal(json_array_size(json_object_get(row, "was")), 2);
			assert_int_equal(json_array_size(json_object_get(row, "is")), 0);
		}
	}
	json_decref(doc);
	outcome_clear(&o);
	changed = false;
	o = fake_run(&tool, "--json");
	doc = outcome_document(&o);
	assert_true(json_is_array(json_object_get(doc, "differences"))); /* it never goes */
	json_decref(doc);
	outcome_clear(&o);
}

/* Nothing is an error between two states that are only different. */
static void
severities(void **state)
{
	(void)state;
	for (int i = 0; i < TOPO_NCHANGES; i++)
		assert_string_equal(topo_severity((enum topo_change)i, false), "warning");
	assert_string_equal(topo_severity(TOPO_CABLE_SWAPPED, true), "error");
	assert_string_equal(topo_severity(TOPO_CABLE_EXTRA, true), "warning");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(as_planned, differences_begin),
		cmocka_unit_test_setup(differences, differences_begin),
		cmocka_unit_test_setup(known, differences_begin),
		cmocka_unit_test_setup(not_selected, differences_begin),
		cmocka_unit_test_setup(document, differences_begin),
		cmocka_unit_test_setup(severities, differences_begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
