/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_options_take.c - what the common options set, and what they refuse.
 */
#include <config.h>
#include <errno.h>
#include "diags/core/context.h"
#include "diags/core/options.h"
#include "diags/core/status.h"
#include "tests/unit/diags/core/tools.h"

static void
settings(void **state)
{
	(void)state;
	tools_expect(&tools_plain, "", 0, "- -1 0 0 0 0 0 0 0 |\n");
	tools_expect(&tools_plain, "-C mlx5_0 -P 2 -D -t 50 -s 7 -vv -Y 3 -K -y 0x1f a b", 0,
		"mlx5_0 2 1 50 7 2 3 1 1f | a b\n");
	/* Options may follow operands; -P 0 means any. */
	tools_expect(&tools_plain, "a -G b -P 0", 0, "- -1 2 0 0 0 0 0 0 | a b\n");
	tools_expect(&tools_plain, "-G -L -- -v", 0, "- -1 0 0 0 0 0 0 0 | -v\n");
}

static void
refused(void **state)
{
	static const char *const bad[] = {
		"-P 255", "-P x", "-P -1", "-P 1x", "-o 0", "-o 16385", "-t 2147483648",  "-t 0",
			"-s 0", "-s 49152", "-Y 65536", "--nonsense", "-C", "--json=yaml",
			"--json-u64 no", "--csv",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct outcome o = fake_run(&tools_plain, bad[i]);

		assert_int_equal(o.status, EXIT_USAGE);
		assert_true(*o.err);
		outcome_clear(&o);
	}
}

/* Options of the run, taken one by one. */
static struct diag d;

static int
options_take_begin(void **state)
{
	(void)state;
	diag_begin(&d, &tools_plain, NULL, "tool");
	return 0;
}

static int
options_take_end(void **state)
{
	(void)state;
	diag_clear(&d);
	return 0;
}

/* Each option sets its member and no other is needed for it; a text is replaced by the next one. */
static void
members(void **state)
{
	(void)state;
	assert_int_equal(diag_options_take(&d, 'e', NULL), 0);
	assert_int_equal(diag_options_take(&d, 'v', NULL), 0);
	assert_int_equal(diag_options_take(&d, 'v', NULL), 0);
	assert_int_equal(d.set.verbose, 2);
	assert_int_equal(diag_options_take(&d, 'd', NULL), 0);
	assert_true(d.set.debug);
	assert_int_equal(diag_options_take(&d, 'C', "mlx5_0"), 0);
	assert_int_equal(diag_options_take(&d, 'C', "mlx5_1"), 0);
	assert_string_equal(d.set.ca, "mlx5_1");
	assert_int_equal(diag_options_take(&d, 'P', "254"), 0);
	assert_int_equal(d.set.port, 254);
	assert_int_equal(diag_options_take(&d, 's', "49151"), 0);
	assert_int_equal(d.set.sm_lid, 49151);
	assert_int_equal(diag_options_take(&d, 'o', "16384"), 0);
	assert_int_equal(d.set.outstanding, 16384);
	assert_int_equal(diag_options_take(&d, 't', "2147483647"), 0);
	assert_int_equal(d.set.timeout_ms, 2147483647);
	assert_int_equal(diag_options_take(&d, 'Y', "0xffff"), 0);
	assert_int_equal(d.set.pkey_index, 0xffff);
	assert_int_equal(diag_options_take(&d, 'y', "0xffffffffffffffff"), 0);
	assert_true(d.set.mkey == UINT64_MAX);
	assert_int_equal(diag_options_take(&d, 'D', NULL), 0);
	assert_int_equal(d.set.addressing, DIAG_BY_PATH);
	assert_int_equal(diag_options_take(&d, 'G', NULL), 0);
	assert_int_equal(d.set.addressing, DIAG_BY_GUID);
	assert_int_equal(diag_options_take(&d, 'L', NULL), 0);
	assert_int_equal(d.set.addressing, DIAG_BY_LID);
}

/* What infiniband-diags does not have. */
static void
our_members(void **state)
{
	(void)state;
	assert_int_equal(diag_options_take(&d, OPT_COMPAT, NULL), 0);
	assert_true(d.set.errors_on_stdout);
	assert_int_equal(diag_options_take(&d, OPT_NAMES, "map"), 0);
	assert_string_equal(d.set.names_file, "map");
	assert_int_equal(diag_options_take(&d, OPT_LOAD, "file"), 0);
	assert_string_equal(d.set.load, "file");
	assert_int_equal(diag_options_take(&d, OPT_SELECT, "a and b"), 0);
	assert_string_equal(d.set.select, "a and b");
	assert_int_equal(diag_options_take(&d, OPT_LIVE, NULL), 0);
	assert_true(d.set.live);
	assert_int_equal(diag_options_take(&d, OPT_U64, "string"), 0);
	assert_true(d.set.u64_strings);
	assert_int_equal(diag_options_take(&d, OPT_U64, "integer"), 0);
	assert_false(d.set.u64_strings);
	assert_int_equal(diag_options_take(&d, 'Z', NULL), -ENOENT);
	assert_int_equal(diag_options_take(&d, DIAG_LONG, NULL), -ENOENT);
}

static void
json_forms(void **state)
{
	static const struct { const char *how; enum diag_format format; bool pretty; } rows[] = {
		{ "pretty", DIAG_JSON, true }, { "compact", DIAG_JSON, false }, { "lines",
			DIAG_LINES, false },
	};

	(void)state;
	assert_int_equal(diag_options_take(&d, 'j', NULL), 0);
	assert_int_equal(d.set.format, DIAG_JSON);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(diag_options_take(&d, 'j', rows[i].how), 0);
		assert_int_equal(d.set.format, rows[i].format);
		assert_int_equal(d.set.pretty, rows[i].pretty);
	}
	d.set.format = DIAG_TEXT;
	assert_int_equal(diag_options_take(&d, OPT_NDJSON, NULL), 0);
	assert_int_equal(d.set.format, DIAG_LINES);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings),
		cmocka_unit_test(refused),
		cmocka_unit_test_setup_teardown(members, options_take_begin, options_take_end),
		cmocka_unit_test_setup_teardown(our_members, options_take_begin, options_take_end),
		cmocka_unit_test_setup_teardown(json_forms, options_take_begin, options_take_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
