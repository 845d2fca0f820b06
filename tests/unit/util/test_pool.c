/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_pool.c - each part is done once, before each() returns, for any number of threads.
 */
#include <config.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include "util/pool.h"

#define ROWS 1000

struct work {
	unsigned row[ROWS];
	unsigned parts;                 /* that each part was told */
};

static void
count_rows(void *data, unsigned i, unsigned n)
{
	struct work *w = data;

	for (uint32_t r = stripes_first(ROWS, i, n); r < stripes_first(ROWS, i + 1, n); r++)
		w->row[r]++;
	if (i == n - 1)
		w->parts = n;
}

static void
check_rounds(const struct stripes *s, unsigned rounds)
{
	struct work w;

	memset(&w, 0, sizeof(w));
	for (unsigned i = 0; i < rounds; i++) {
		stripes_each(s, count_rows, &w);
		for (unsigned r = 0; r < ROWS; r++)
			assert_int_equal(w.row[r], i + 1);
	}
	assert_int_equal(w.parts, stripes_count(s));
}

static void
each_row_is_done_once_per_round(void **state)
{
	(void)state;
	check_rounds(NULL, 2);
	for (unsigned n = 1; n <= 8; n++) {
		struct pool *p = pool_new(n);

		assert_int_equal(stripes_count(pool_stripes(p)), n);
		check_rounds(pool_stripes(p), 200);
		pool_free(p);
	}
}

static void
size_is_limited(void **state)
{
	struct pool *p = pool_new(1000), *q = pool_new(0);

	(void)state;
	assert_in_range(stripes_count(pool_stripes(p)), 1, POOL_MAX);
	assert_in_range(stripes_count(pool_stripes(q)), 1, POOL_MAX);
	pool_free(p);
	pool_free(q);
	pool_free(NULL);
}

static void
stripes_cover_all_rows_without_overlap(void **state)
{
	(void)state;
	for (uint32_t rows = 0; rows < 20; rows++)
		for (unsigned n = 1; n < 9; n++) {
			assert_int_equal(stripes_first(rows, 0, n), 0);
			assert_int_equal(stripes_first(rows, n, n), rows);
			for (unsigned i = 0; i < n; i++)
				assert_true(stripes_first(rows, i, n) <=
					stripes_first(rows, i + 1, n));
		}
	assert_int_equal(stripes_first(UINT32_MAX, 7, 8), 3758096383u);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_is_done_once_per_round),
		cmocka_unit_test(size_is_limited),
		cmocka_unit_test(stripes_cover_all_rows_without_overlap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
