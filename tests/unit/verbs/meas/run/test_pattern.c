/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_pattern.c - every byte that is changed is found, and a message of another number or
 * stream is no match.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "verbs/meas/run/pattern.h"

static void
every_byte_counts(void **state)
{
	static const size_t sizes[] = { 1, 2, 7, 8, 9, 64, 255, 4096 };
	uint64_t s = meas_pattern_stream(1, 2, 0);
	uint8_t b[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t n = sizes[i];

		meas_pattern_fill(b, n, s, 77);
		assert_int_equal(meas_pattern_check(b, n, s, 77), n);
		for (size_t k = 0; k < n; k++) {
			b[k] ^= 0x10;
			assert_int_equal(meas_pattern_check(b, n, s, 77), k);
			b[k] ^= 0x10;
			assert_int_equal(meas_pattern_byte(n, k, s, 77), b[k]);
		}
	}
}

static void
others_do_not_match(void **state)
{
	uint64_t s = meas_pattern_stream(1, 2, 0);
	uint8_t b[64];

	(void)state;
	meas_pattern_fill(b, sizeof(b), s, 5);
	assert_int_equal(meas_pattern_number(b), 5);
	assert_true(meas_pattern_check(b, sizeof(b), s, 6) < sizeof(b));
	assert_true(meas_pattern_check(b, sizeof(b), meas_pattern_stream(1, 2, 1), 5) < sizeof(b));
	assert_true(meas_pattern_check(b, sizeof(b), meas_pattern_stream(1, 3, 0), 5) < sizeof(b));
	assert_true(meas_pattern_check(b, sizeof(b), meas_pattern_stream(2, 2, 0), 5) < sizeof(b));
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(every_byte_counts),
		cmocka_unit_test(others_do_not_match) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
