/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_rate.c - average, best and worst interval of runs of known shape.
 */
#include <config.h>
#include <math.h>
#include "tests/unit/test.h"
#include "verbs/meas/run/rate.h"

static bool
is_near(double a, double b)
{
	return fabs(a - b) <= fabs(b) * 0.04;
}

static void
nothing(void **state)
{
	struct meas_rate r;
	struct meas_rates o;

	(void)state;
	meas_rate_begin(&r, 1000);
	o = meas_rate_result(&r);
	assert_true(o.seconds == 0 && o.bytes_per_s == 0 && o.peak_bytes_per_s == 0);
}

static void
steady(void **state)
{
	struct meas_rate r;
	struct meas_rates o;

	(void)state;
	meas_rate_begin(&r, 5);
	for (uint64_t i = 1; i <= 100000; i++)  /* 1000 bytes a microsecond */
		meas_rate_add(&r, 5 + i * 1000, 1000, 1);
	o = meas_rate_result(&r);
	assert_true(is_near(o.bytes_per_s, 1e9) && is_near(o.messages_per_s, 1e6));
	assert_true(is_near(o.peak_bytes_per_s, 1e9) && is_near(o.min_bytes_per_s, 1e9));
}

static void
a_pause_shows_in_the_worst(void **state)
{
	struct meas_rate r;
	struct meas_rates o;
	uint64_t now = 0;

	(void)state;
	meas_rate_begin(&r, 0);
	for (int i = 0; i < 50000; i++)
		meas_rate_add(&r, now += 1000, 1000, 1);
	now += 20000000;
	for (int i = 0; i < 50000; i++)
		meas_rate_add(&r, now += 1000, 1000, 1);
	o = meas_rate_result(&r);
	assert_true(o.min_bytes_per_s == 0);
	assert_true(is_near(o.peak_bytes_per_s, 1e9));
	assert_true(is_near(o.bytes_per_s, 1e8 / 0.12));
}

static void
a_short_run_is_one_stretch(void **state)
{
	struct meas_rate r;
	struct meas_rates o;

	(void)state;
	meas_rate_begin(&r, 0);
	meas_rate_add(&r, 1000, 10, 1);
	meas_rate_add(&r, 50000, 10, 1);
	o = meas_rate_result(&r);
	assert_true(o.peak_bytes_per_s == o.bytes_per_s && o.min_bytes_per_s == o.bytes_per_s);
}

static void
time_never_goes_back(void **state)
{
	struct meas_rate r;

	(void)state;
	meas_rate_begin(&r, 1000);
	meas_rate_add(&r, 2000, 1, 1);
	meas_rate_add(&r, 1500, 1, 1);
	assert_int_equal(r.last_ns, 2000);
	meas_rate_add(&r, UINT64_C(1) << 62, 1, 1);     /* an age later */
	assert_int_equal(r.messages, 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing), cmocka_unit_test(steady),
		cmocka_unit_test(a_pause_shows_in_the_worst),
		cmocka_unit_test(a_short_run_is_one_stretch),
		cmocka_unit_test(time_never_goes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
