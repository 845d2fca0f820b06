/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_join.c - private data of connection requests: which join and queue pair a request belongs
 * to.
 */
#include <config.h>
#include <string.h>
#include "tests/unit/test.h"
#include "verbs/meas/join/join.h"

static struct meas_end end = { .test = { .qps = 5 } };

static void
there_and_back(void **state)
{
	struct meas_join j = { .e = &end, .token = UINT64_C(0xfedcba9876543210) };
	uint8_t b[MEAS_JOIN_DATA_BYTES];
	uint32_t i;

	(void)state;
	for (uint32_t k = 0; k < 5; k++) {
		meas_join_data(&j, k, b);
		assert_true(meas_join_data_read(&j, b, sizeof(b), &i));
		assert_int_equal(i, k);
	}
	meas_join_data(&j, 5, b);               /* there are 5 */
	assert_false(meas_join_data_read(&j, b, sizeof(b), &i));
	meas_join_data(&j, UINT32_MAX, b);
	assert_false(meas_join_data_read(&j, b, sizeof(b), &i));
}

static void
of_others(void **state)
{
	struct meas_join j = { .e = &end, .token = 7 }, other = { .e = &end, .token = 8 };
	uint8_t b[MEAS_JOIN_DATA_BYTES + 60] = { 0 };
	uint32_t i;

	(void)state;
	assert_false(meas_join_data_read(&j, NULL, 0, &i));
	assert_false(meas_join_data_read(&j, b, sizeof(b), &i));
	meas_join_data(&other, 0, b);
	assert_false(meas_join_data_read(&j, b, sizeof(b), &i));
	meas_join_data(&j, 0, b);
	assert_false(meas_join_data_read(&j, b, MEAS_JOIN_DATA_BYTES - 1, &i));
	for (unsigned k = 0; k < 12; k++) {     /* the mark and the token, every byte */
		meas_join_data(&j, 0, b);
		b[k] ^= 0x40;
		assert_false(meas_join_data_read(&j, b, sizeof(b), &i));
	}
	meas_join_data(&j, 0, b);
	/* bytes that a connection manager appends */
	assert_true(meas_join_data_read(&j, b, sizeof(b), &i));
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(there_and_back),
		cmocka_unit_test(of_others) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
