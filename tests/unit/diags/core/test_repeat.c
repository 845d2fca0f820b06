/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * Intervals that do not drift, and an end that is asked for.
 */
#include <config.h>
#include "diags/core/progress.h"
#include "diags/core/repeat.h"
#include "diags/core/signals.h"
#include "diags/core/status.h"
#include "tests/unit/diags/fake.h"

static int
read_interval(struct diag *d, int argc, char **argv)
{
	int64_t us = 0;
	int r = argc ? repeat_interval(d, argv[0], &us) : EXIT_FATAL;

	return r ? r : us == 500000 ? 0 : EXIT_FINDINGS;
}

static const struct diag_tool tool = { .name = "tool", .flags = DIAG_NO_PORT, .run = read_interval };

static void
intervals(void **state)
{
	static const char *const bad[] = { "0.04", "86401", "x", "1s", "nan", "0" };
	struct outcome o = fake_run(&tool, "0.5");

	(void)state;
	assert_int_equal(o.status, 0);
	outcome_clear(&o);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		o = fake_run(&tool, bad[i]);
		assert_int_equal(o.status, EXIT_USAGE);
		outcome_clear(&o);
	}
}

static void
next_times(void **state)
{
	int64_t now = diag_now_us(), at;

	(void)state;
	/* On the grid of the last one, and never in the past. */
	at = repeat_next(now - 2500000, 1000000);
	assert_int_equal(at, now + 500000);
	at = repeat_next(now + 10000000, 1000000);
	assert_int_equal(at, now + 11000000);
}

static void
ends(void **state)
{
	(void)state;
	assert_false(repeat_wait(diag_now_us() - 1, -1));
	assert_false(repeat_stopped());
	repeat_stop();
	assert_true(repeat_stopped());
	assert_false(signals_cut());            /* nothing that is open is given up */
	assert_false(repeat_wait(diag_now_us() + 60000000, -1));
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(intervals), cmocka_unit_test(next_times), cmocka_unit_test(ends) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
