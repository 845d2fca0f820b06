/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_rows.c - the rows of an answer: in the datagram, beyond it, up to the limit; and whose paths
 * may be seen.
 */
#include <config.h>
#include "sm/sa/sa_int.h"
#include "tests/unit/sa/small.h"

static struct dgram out;
static struct sa_index index_of_all;
static struct sa_ctx c;

static int
sa_rows_setup(void **state)
{
	(void)state;
	memset(&out, 0, sizeof(out));
	memset(&index_of_all, 0, sizeof(index_of_all));
	c = (struct sa_ctx){ .x = &index_of_all, .out = &out, .buf = out.mad, .bytes = 56,
		.room = DGRAM_BYTES, .stride = 64, .table = true };
	return 0;
}

static int
sa_rows_teardown(void **state)
{
	(void)state;
	if (c.buf != out.mad)
		free(c.buf);
	return 0;
}

/* Rows follow each other, each begun with zeros; what was written stays when the answer moves. */
static void
rows_in_a_row(void **state)
{
	(void)state;
	memset(out.mad, 0xa5, 56);
	for (unsigned i = 0; i < 500; i++) {
		uint8_t *w = sa_add_row(&c);

		assert_non_null(w);
		assert_int_equal(c.nrows, i + 1);
		assert_int_equal(c.bytes, 56 + 64 * (i + 1));
		assert_true(c.room >= c.bytes);
		assert_int_equal(c.buf == out.mad, c.bytes <= DGRAM_BYTES);
		for (unsigned k = 0; k < 64; k++)
			assert_int_equal(w[k], 0);
		memset(w, (int)i, 64);
	}
	for (unsigned k = 0; k < 56; k++)
		assert_int_equal(c.buf[k], 0xa5);
	for (unsigned i = 0; i < 500; i++)
		for (unsigned k = 0; k < 64; k++)
			assert_int_equal(c.buf[56 + 64 * i + k], (uint8_t)i);
	assert_false(c.too_much);
}

/* A record shorter than the stride is filled up with zeros; a Get needs two rows to know that there
 * is more than one. */
static void
records(void **state)
{
	uint8_t record[60];

	(void)state;
	memset(record, 0x77, sizeof(record));
	c.table = false;
	assert_true(sa_wants_row(&c));
	assert_true(sa_put_row(&c, record, sizeof(record)));
	assert_false(sa_put_row(&c, record, 10));
	assert_false(sa_wants_row(&c));
	assert_int_equal(c.buf[56 + 59], 0x77);
	assert_int_equal(c.buf[56 + 60], 0);
	assert_int_equal(c.buf[56 + 64 + 9], 0x77);
	assert_int_equal(c.buf[56 + 64 + 10], 0);
	c.table = true;
	assert_true(sa_wants_row(&c));
	assert_true(sa_put_row(&c, record, 64 - 4));
}

/* The limit of an answer: no row beyond it, and what is there stays as it is. */
static void
too_much(void **state)
{
	uint8_t record[64] = { 1 };
	uint32_t n = 0;

	(void)state;
	c.stride = 1 << 20;
	while (sa_add_row(&c))
		n++;
	assert_true(c.too_much);
	assert_int_equal(n, (SA_ANSWER_BYTES_MAX - 56) / c.stride);
	assert_int_equal(c.nrows, n);
	assert_false(sa_put_row(&c, record, sizeof(record)));
	assert_int_equal(c.nrows, n);
	assert_true(c.bytes <= SA_ANSWER_BYTES_MAX);
}

/* With enhanced trust, an untrusted host sees the paths that begin or end at itself. */
static void
own_paths(void **state)
{
	(void)state;
	c.requester = 7;
	assert_true(sa_own_paths(&c, 1, 2));
	index_of_all.v.enhanced_trust = true;
	c.trusted = true;
	assert_true(sa_own_paths(&c, 1, 2));
	c.trusted = false;
	assert_false(sa_own_paths(&c, 1, 2));
	assert_true(sa_own_paths(&c, 7, 2));
	assert_true(sa_own_paths(&c, 1, 7));
	assert_false(sa_own_paths(&c, 7, FAB_NONE));            /* to all: a table of the subnet */
	assert_false(sa_own_paths(&c, FAB_NONE, 7));
	c.table = false;
	assert_true(sa_own_paths(&c, 7, FAB_NONE));
	assert_false(sa_own_paths(&c, FAB_NONE, FAB_NONE));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rows_in_a_row, sa_rows_setup, sa_rows_teardown),
		cmocka_unit_test_setup_teardown(records, sa_rows_setup, sa_rows_teardown),
		cmocka_unit_test_setup_teardown(too_much, sa_rows_setup, sa_rows_teardown),
		cmocka_unit_test_setup_teardown(own_paths, sa_rows_setup, sa_rows_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
