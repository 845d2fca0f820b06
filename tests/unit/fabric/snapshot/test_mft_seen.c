/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_mft_seen.c - rows of multicast tables, remembered by switch from sweep to sweep.
 */
#include <config.h>
#include <string.h>
#include "fabric/snapshot/mft_seen.h"
#include "tests/unit/test.h"

enum { SWITCHES = 3 };

static struct fab_node nodes[SWITCHES + 1];
static uint32_t switches[SWITCHES] = { 1, 2, 3 };
static struct snapshot s;
static struct mft_seen *t;

static int
setup(void **state)
{
	(void)state;
	memset(nodes, 0, sizeof(nodes));
	for (unsigned i = 0; i <= SWITCHES; i++)
		nodes[i] = (struct fab_node){ .guid = 0x10 + i, .type = i ? 2 : 1 };
	s = (struct snapshot){ .nodes = nodes, .switches = switches };
	s.nnodes = SWITCHES + 1;
	s.nswitches = SWITCHES;
	t = mft_seen_new();
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	mft_seen_free(t);
	mft_seen_free(NULL);
	return 0;
}

static void
multicast_rows(void **state)
{
	uint8_t a[MFT_BLOCK_BYTES] = { 1 }, b[MFT_BLOCK_BYTES] = { 2 };
	uint64_t all = UINT64_MAX, second = 2;
	uint32_t row = 0;

	(void)state;
	mft_seen_put(t, 0x11, 5, a);           /* of no switch that anybody asked about */
	assert_null(mft_seen_row(t, 0x11, 5));
	mft_seen_keep(t, &s, &all);
	mft_seen_put(t, 0x11, 7, a);
	mft_seen_put(t, 0x11, 5, b);
	mft_seen_put(t, 0x12, 5, a);
	assert_memory_equal(mft_seen_row(t, 0x11, 7), a, sizeof(a));
	assert_memory_equal(mft_seen_at(t, 0x11, 0, &row), b, sizeof(b));
	assert_int_equal(row, 5);                       /* in the order of their numbers */
	assert_null(mft_seen_at(t, 0x11, 2, &row));
	mft_seen_put(t, 0x11, 5, NULL);
	assert_null(mft_seen_row(t, 0x11, 5));
	mft_seen_keep(t, &s, &second);
	assert_null(mft_seen_row(t, 0x11, 7));
	assert_non_null(mft_seen_row(t, 0x12, 5));
	mft_seen_clear(t);
	assert_null(mft_seen_row(t, 0x12, 5));
	mft_seen_put(t, 0x12, 5, a);
	assert_null(mft_seen_row(t, 0x12, 5));
}

/* A row's number holds its block and its position. */
static void
numbers_of_rows(void **state)
{
	(void)state;
	for (uint32_t block = 0; block < 512; block += 73)
		for (uint32_t position = 0; position < MFT_POSITIONS_MAX; position++) {
			uint32_t row = mft_row_of(block, position);

			assert_int_equal(mft_row_block(row), block);
			assert_int_equal(mft_row_position(row), position);
		}
}

/* Put in any order, they are there in the order of their numbers, until they are unknown. */
static void
many_rows(void **state)
{
	uint64_t all = UINT64_MAX;
	uint8_t image[MFT_BLOCK_BYTES] = { 0 };
	uint32_t row = 0, before = 0, n = 0;

	(void)state;
	mft_seen_keep(t, &s, &all);
	for (uint32_t i = 0; i < 200; i++) {
		image[0] = (uint8_t)(i * 77 % 200);
		mft_seen_put(t, 0x12, mft_row_of(i * 77 % 200, 15), image);
	}
	for (const uint8_t *p; (p = mft_seen_at(t, 0x12, n, &row)) != NULL; n++, before = row) {
		assert_true(!n || row > before);
		assert_int_equal(mft_row_block(row), n);
		assert_int_equal(p[0], n);
	}
	assert_int_equal(n, 200);
	for (uint32_t i = 0; i < 200; i += 2)
		mft_seen_put(t, 0x12, mft_row_of(i, 15), NULL);
	mft_seen_put(t, 0x12, mft_row_of(1, 14), NULL);         /* was never known */
	assert_non_null(mft_seen_at(t, 0x12, 99, &row));
	assert_int_equal(mft_row_block(row), 199);
	assert_null(mft_seen_at(t, 0x12, 100, &row));
	image[0] = 9;
	mft_seen_put(t, 0x12, mft_row_of(199, 15), image);      /* again, with other bytes */
	assert_int_equal(mft_seen_row(t, 0x12, mft_row_of(199, 15))[0], 9);
	assert_null(mft_seen_at(t, 0x12, 100, &row));
}

/* A switch that is gone takes its rows with it, whatever 'known' says; one that comes has none. */
static void
other_switches(void **state)
{
	uint64_t all = UINT64_MAX;
	uint8_t image[MFT_BLOCK_BYTES] = { 3 };

	(void)state;
	mft_seen_keep(t, &s, &all);
	mft_seen_put(t, 0x11, 1, image);
	mft_seen_put(t, 0x13, 1, image);
	nodes[2].guid = 0x14;                   /* another one in its place: 0x11, 0x13, 0x14 */
	switches[1] = 3;
	switches[2] = 2;
	mft_seen_keep(t, &s, &all);
	switches[1] = 2;
	switches[2] = 3;
	assert_non_null(mft_seen_row(t, 0x11, 1));
	assert_non_null(mft_seen_row(t, 0x13, 1));
	assert_null(mft_seen_row(t, 0x14, 1));
	mft_seen_put(t, 0x12, 1, image);
	assert_null(mft_seen_row(t, 0x12, 1));
	s.nswitches = 0;
	mft_seen_keep(t, &s, &all);
	assert_null(mft_seen_row(t, 0x11, 1));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(multicast_rows, setup, teardown),
		cmocka_unit_test_setup_teardown(numbers_of_rows, setup, teardown),
		cmocka_unit_test_setup_teardown(many_rows, setup, teardown),
		cmocka_unit_test_setup_teardown(other_switches, setup, teardown),
	};

	return cmocka_run_group_tests_name("fabric/mft_seen", tests, NULL, NULL);
}
