/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_table.c - the tables of the store in memory: order, clashes, equality.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/store/table.h"

static void
grows_and_sorts(void **state)
{
	struct table t = { 0 };
	size_t room = 0;

	(void)state;
	for (uint64_t guid = 1000; guid > 0; guid--) {
		struct store_lid *row = table_grow(TABLE_LIDS, &t, &room);

		*row = (struct store_lid){ .port_guid = guid, .base_lid = (uint16_t)guid };
		t.n++;
	}
	table_sort(TABLE_LIDS, &t);
	for (size_t i = 0; i < t.n; i++)
		assert_true(((const struct store_lid *)table_row(TABLE_LIDS, &t, i))->port_guid == i + 1);
	table_clear(&t);
	assert_null(t.rows);
}

static void
clashes_are_dropped(void **state)
{
	const struct store_lid rows[] = {
		{ 5, 8, 2 },            /* 8..11 */
		{ 3, 4, 0 }, { 3, 7, 0 },       /* one port twice */
		{ 9, 10, 0 },           /* inside the first range */
		{ 1, 12, 0 },
	};
	struct table t = table_of_rows(TABLE_LIDS, rows, sizeof(rows) / sizeof(rows[0]));
	const struct store_lid *v;

	(void)state;
	assert_int_equal(table_settle(TABLE_LIDS, &t), 2);
	assert_int_equal(t.n, 3);
	v = table_row(TABLE_LIDS, &t, 0);
	assert_true(v->port_guid == 1 && v->base_lid == 12);
	v = table_row(TABLE_LIDS, &t, 2);
	assert_true(v->port_guid == 5 && v->base_lid == 8);
	table_clear(&t);
}

static void
equality(void **state)
{
	const struct store_group rows[2] = { { { 0xff, 1 }, 0xc001 }, { { 0xff, 2 }, 0xc000 } };
	struct table a = table_of_rows(TABLE_GROUPS, rows, 2), b = table_copy(TABLE_GROUPS, &a);

	(void)state;
	assert_true(table_same(TABLE_GROUPS, &a, &b));
	((struct store_group *)b.rows)[1].mlid++;
	assert_false(table_same(TABLE_GROUPS, &a, &b));
	((struct store_group *)b.rows)[1].mlid--;
	b.n = 1;
	assert_false(table_same(TABLE_GROUPS, &a, &b));
	table_clear(&a);
	table_clear(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows_and_sorts),
		cmocka_unit_test(clashes_are_dropped),
		cmocka_unit_test(equality),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
