/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_hist.c - percentiles against sorted samples, the error that hist.h promises, bins.
 */
#include <config.h>
#include <math.h>
#include <stdlib.h>
#include "tests/unit/test.h"
#include "verbs/meas/run/hist.h"

#define SAMPLES 20000

static uint64_t seed = 20261121;

static uint64_t
random_next(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return seed >> 20;
}

static int
u64_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void
empty_histogram(void **state)
{
	struct meas_hist *h = meas_hist_new();
	struct meas_bin b;
	unsigned at = 0;

	(void)state;
	assert_int_equal(meas_hist_percentile(h, 99), 0);
	assert_false(meas_hist_bin(h, &at, &b));
	assert_true(meas_hist_stdev_ns(h) == 0);
	free(h);
}

static void
small_values_are_exact(void **state)
{
	struct meas_hist *h = meas_hist_new();

	(void)state;
	for (uint64_t v = 1; v <= 1000; v++)
		meas_hist_add(h, v);
	assert_int_equal(meas_hist_percentile(h, 50), 500);
	assert_int_equal(meas_hist_percentile(h, 99), 990);
	assert_int_equal(meas_hist_percentile(h, 99.9), 999);
	assert_int_equal(meas_hist_percentile(h, 100), 1000);
	assert_int_equal(meas_hist_percentile(h, 0), 1);
	assert_true(fabs(h->mean_ns - 500.5) < 1e-6);
	assert_true(fabs(meas_hist_stdev_ns(h) - 288.819436) < 1e-3);
	free(h);
}

static void
large_values_within_a_512th(void **state)
{
	static const double percents[] = { 1, 10, 50, 90, 99, 99.9, 99.99, 100 };
	uint64_t *v = malloc(SAMPLES * sizeof(*v));
	struct meas_hist *h = meas_hist_new();

	(void)state;
	for (int i = 0; i < SAMPLES; i++) {
		v[i] = random_next() >> (random_next() % 40);
		meas_hist_add(h, v[i]);
	}
	qsort(v, SAMPLES, sizeof(*v), u64_compare);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		uint64_t exact = v[(size_t)ceil(percents[i] / 100 * SAMPLES - 1e-9) - 1],
			got = meas_hist_percentile(h, percents[i]);

		assert_true(got >= exact);
		assert_true((double)(got - exact) <= (double)exact / 512 + 1);
	}
	assert_int_equal(h->min_ns, v[0]);
	assert_int_equal(h->max_ns, v[SAMPLES - 1]);
	free(v);
	free(h);
}

static void
the_largest_fit(void **state)
{
	struct meas_hist *h = meas_hist_new();
	struct meas_bin b;
	unsigned at = 0;

	(void)state;
	meas_hist_add(h, UINT64_MAX);
	meas_hist_add(h, INT64_MAX);
	assert_true(meas_hist_bin(h, &at, &b));
	assert_int_equal(b.count, 2);
	free(h);
}

static void
merging_is_adding(void **state)
{
	struct meas_hist *a = meas_hist_new(), *b = meas_hist_new(), *all = meas_hist_new();

	(void)state;
	for (int i = 0; i < 5000; i++) {
		uint64_t v = random_next() % 1000000;

		meas_hist_add(i % 3 ? a : b, v);
		meas_hist_add(all, v);
	}
	meas_hist_merge(a, b);
	assert_int_equal(a->count, all->count);
	assert_int_equal(meas_hist_percentile(a, 99), meas_hist_percentile(all, 99));
	assert_true(fabs(a->mean_ns - all->mean_ns) < 1e-3);
	assert_true(fabs(meas_hist_stdev_ns(a) - meas_hist_stdev_ns(all)) < 1e-3);
	free(a);
	free(b);
	free(all);
}

static void
bins_hold_all(void **state)
{
	struct meas_hist *h = meas_hist_new();
	uint64_t sum = 0, last = 0;
	struct meas_bin b;
	unsigned at = 0, n = 0;

	(void)state;
	for (int i = 0; i < SAMPLES; i++)
		meas_hist_add(h, random_next() >> (random_next() % 44));
	while (meas_hist_bin(h, &at, &b)) {
		assert_true(b.from_ns >= last && b.to_ns > b.from_ns);
		last = b.to_ns;
		sum += b.count;
		n++;
	}
	assert_int_equal(sum, SAMPLES);
	assert_true(n < 200);
	free(h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_histogram), cmocka_unit_test(small_values_are_exact),
		cmocka_unit_test(large_values_within_a_512th), cmocka_unit_test(the_largest_fit),
		cmocka_unit_test(merging_is_adding), cmocka_unit_test(bins_hold_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
