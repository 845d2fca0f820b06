/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_bisect.c - places in sorted arrays, against a search from the beginning.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "util/bisect.h"

enum { N = 40 };

struct item {
	uint64_t guid;
	int value;
};

/* Every array length, every key between, on and around the elements, with repeated ones. */
static void
as_a_search(void **state)
{
	struct item v[N];

	(void)state;
	for (unsigned i = 0; i < N; i++)
		v[i] = (struct item){ .guid = 10 + i / 3 * 2, .value = (int)i };
	for (uint32_t n = 0; n <= N; n++)
		for (uint64_t key = 8; key < 42; key++) {
			uint32_t first, behind, want = 0;

			BISECT(first, n, v[first].guid < key);
			while (want < n && v[want].guid < key)
				want++;
			assert_int_equal(first, want);
			BISECT(behind, n, v[behind].guid <= key);
			while (want < n && v[want].guid <= key)
				want++;
			assert_int_equal(behind, want);
		}
}

static void
from_a_place(void **state)
{
	static const int v[] = { 9, 9, 1, 2, 3, 5 };    /* sorted from [2] on */
	size_t i;

	(void)state;
	BISECT_FROM(i, 2, 6, v[i] < 3);
	assert_int_equal(i, 4);
	BISECT_FROM(i, 2, 6, v[i] < 0);
	assert_int_equal(i, 2);
	BISECT_FROM(i, 2, 6, v[i] < 6);
	assert_int_equal(i, 6);
	BISECT_FROM(i, 6, 6, v[i] < 6);
	assert_int_equal(i, 6);
}

/* Not even at the end of the index type. */
static void
no_overflow(void **state)
{
	uint8_t i;
	uint32_t k;

	(void)state;
	BISECT(i, 255, i < 254);
	assert_int_equal(i, 254);
	BISECT(k, UINT32_MAX, k < UINT32_MAX - 1);
	assert_true(k == UINT32_MAX - 1);
	BISECT(k, UINT32_MAX, true);
	assert_true(k == UINT32_MAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_a_search),
		cmocka_unit_test(from_a_place),
		cmocka_unit_test(no_overflow),
	};

	return cmocka_run_group_tests_name("bisect", tests, NULL, NULL);
}
