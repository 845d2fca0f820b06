/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_settings.c - the settings of a run: what they are without options, and who sees a change.
 */
#include <config.h>
#include "diags/core/context.h"
#include "diags/core/out.h"
#include "diags/core/tool.h"
#include "tests/unit/diags/fake.h"

static int
settings_show(struct diag *d, int argc, char **argv)
{
	const struct diag_settings *set = diag_settings(d);

	(void)argc;
	(void)argv;
	diag_text(d, "%d %d %u %#x\n", set->timeout_ms, (int)set->format, set->verbose,
		set->sm_lid);
	diag_settings_mut(d)->sm_lid = 77;
	diag_text(d, "%u\n", set->sm_lid);
	return 0;
}

static const struct diag_tool tool = {
	.name = "show", .flags = DIAG_NO_PORT, .run = settings_show
};

/* Without an option, everything is to be chosen. */
static void
defaults(void **state)
{
	const struct diag_settings *set;
	struct diag d;

	(void)state;
	diag_begin(&d, &tool, NULL, "show");
	set = diag_settings(&d);
	assert_int_equal(set->port, -1);
	assert_null(set->ca);
	assert_int_equal(set->addressing, DIAG_BY_LID);
	assert_int_equal(set->format, DIAG_TEXT);
	assert_int_equal(set->timeout_ms, 0);
	assert_int_equal(set->outstanding, 0);
	assert_true(set->mkey == 0 && set->sa_key == 0);
	assert_true(set->mlx_epi);
	assert_false(set->show_keys || set->debug || set->live || set->mkey_of_daemon);
	assert_null(set->load);
	assert_null(set->select);
	assert_null(set->names_file);
	diag_clear(&d);
}

/* Both functions return the settings of this run, and no other's. */
static void
changes(void **state)
{
	struct diag a, b;

	(void)state;
	diag_begin(&a, &tool, NULL, "a");
	diag_begin(&b, &tool, NULL, "b");
	diag_settings_mut(&a)->mkey = 0x1234;
	diag_settings_mut(&b)->port = 2;
	assert_true(diag_settings(&a)->mkey == 0x1234);
	assert_true(diag_settings(&b)->mkey == 0);
	assert_int_equal(diag_settings(&a)->port, -1);
	assert_int_equal(diag_settings(&b)->port, 2);
	assert_ptr_equal(diag_settings(&a), diag_settings_mut(&a));
	assert_ptr_not_equal(diag_settings(&a), diag_settings(&b));
	diag_clear(&a);
	diag_clear(&b);
}

/* The options are in the settings before the tool runs, and the tool sees what it changes. */
static void
options(void **state)
{
	struct outcome o = fake_run(&tool, "-t 250 -v -v");

	(void)state;
	assert_int_equal(o.status, 0);
	assert_string_equal(o.out, "250 0 2 0\n77\n");
	outcome_clear(&o);
	o = fake_run(&tool, "");
	assert_string_equal(o.out, "0 0 0 0\n77\n");
	outcome_clear(&o);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(changes),
		cmocka_unit_test(options),
	};

	return cmocka_run_group_tests_name("diags/core/settings", tests, NULL, NULL);
}
