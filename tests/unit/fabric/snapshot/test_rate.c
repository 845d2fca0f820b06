/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_rate.c - the order of rate codes, against the data rates that they stand for.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "fabric/snapshot/rate.h"

/* Tenths of Gb/s by code. */
static const unsigned tenths[] = {
	0, 0, 25, 100, 300, 50, 200, 400, 600, 800, 1200, 140, 560, 1120, 1680, 250, 1000, 2000,
	3000, 280, 500, 4000, 6000, 8000, 12000, 16000, 24000,
};

/* What is left for data: codes 2 to 10 belong to links that send ten bits for eight. */
static unsigned
data_tenths(unsigned code)
{
	return code <= 10 ? tenths[code] * 8 / 10 : tenths[code];
}

/* The ranks are a permutation of the codes, slow to fast; reserved codes have none. */
static void
order(void **state)
{
	(void)state;
	assert_int_equal(sizeof(tenths) / sizeof(tenths[0]), FAB_RATE_CODE_MAX + 1);
	for (unsigned code = 0; code < 256; code++) {
		uint8_t rank = fab_rate_rank((uint8_t)code);

		if (code < 2 || code > FAB_RATE_CODE_MAX) {
			assert_int_equal(rank, 0);
			continue;
		}
		assert_in_range(rank, 1, FAB_RATE_RANK_MAX);
		assert_int_equal(fab_rate_code(rank), code);
		for (unsigned other = 2; other <= FAB_RATE_CODE_MAX; other++)
			assert_int_equal(rank < fab_rate_rank((uint8_t)other),
				data_tenths(code) < data_tenths(other));
	}
}

/* No rank is no code, and ranks beyond the last are the fastest rate. */
static void
ranks(void **state)
{
	(void)state;
	assert_int_equal(fab_rate_code(0), 0);
	assert_int_equal(fab_rate_code(1), 2);
	for (unsigned rank = 1; rank <= FAB_RATE_RANK_MAX; rank++)
		assert_int_equal(fab_rate_rank(fab_rate_code((uint8_t)rank)), rank);
	for (unsigned rank = FAB_RATE_RANK_MAX; rank < 256; rank++)
		assert_int_equal(fab_rate_code((uint8_t)rank), 26);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order),
		cmocka_unit_test(ranks),
	};

	return cmocka_run_group_tests_name("fabric/snapshot/rate", tests, NULL, NULL);
}
