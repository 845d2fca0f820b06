/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_guid_seen.c - blocks of GUID tables, remembered by port from sweep to sweep.
 */
#include <config.h>
#include <string.h>
#include "fabric/snapshot/guid_seen.h"
#include "tests/unit/test.h"

static struct guid_seen *t;

static int
setup(void **state)
{
	(void)state;
	t = guid_seen_new();
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	guid_seen_free(t);
	guid_seen_free(NULL);
	return 0;
}

static void
guid_blocks(void **state)
{
	uint8_t a[GUID_INFO_BYTES] = { 1 }, b[GUID_INFO_BYTES] = { 2 };

	(void)state;
	guid_seen_put(t, 7, 3, NULL);        /* costs nothing */
	assert_null(guid_seen_block(t, 7, 3));
	guid_seen_put(t, 7, 3, a);
	assert_null(guid_seen_block(t, 7, 2));
	assert_memory_equal(guid_seen_block(t, 7, 3), a, sizeof(a));
	guid_seen_put(t, 7, 31, b);
	guid_seen_put(t, 8, 0, b);
	assert_memory_equal(guid_seen_block(t, 7, 3), a, sizeof(a));
	guid_seen_put(t, 7, 3, NULL);
	assert_null(guid_seen_block(t, 7, 3));
	assert_non_null(guid_seen_block(t, 7, 31));
	guid_seen_doubt(t, 7);
	assert_null(guid_seen_block(t, 7, 31));
	assert_memory_equal(guid_seen_block(t, 8, 0), b, sizeof(b));
	guid_seen_clear(t);
	assert_null(guid_seen_block(t, 8, 0));
	guid_seen_doubt(t, 8);
}

/* Every block of many ports, put in any order; a second image replaces the first. */
static void
many_ports(void **state)
{
	uint8_t image[GUID_INFO_BYTES] = { 0 };

	(void)state;
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < 100 * GUID_BLOCKS_MAX; i++) {
			unsigned k = i * 7 % (100 * GUID_BLOCKS_MAX);

			image[0] = (uint8_t)(k + round);
			image[1] = (uint8_t)(k >> 8);
			guid_seen_put(t, 1000 + k / GUID_BLOCKS_MAX,
				(uint8_t)(k % GUID_BLOCKS_MAX), image);
		}
	for (unsigned k = 0; k < 100 * GUID_BLOCKS_MAX; k++) {
		const uint8_t *b = guid_seen_block(t, 1000 + k / GUID_BLOCKS_MAX,
			(uint8_t)(k % GUID_BLOCKS_MAX));

		assert_non_null(b);
		assert_int_equal(b[0], (uint8_t)(k + 1));
		assert_int_equal(b[1], (uint8_t)(k >> 8));
	}
	assert_null(guid_seen_block(t, 1100, 0));
	assert_null(guid_seen_block(t, 1000, GUID_BLOCKS_MAX));
	guid_seen_doubt(t, 1050);
	assert_null(guid_seen_block(t, 1050, 5));
	assert_non_null(guid_seen_block(t, 1051, 5));
	guid_seen_put(t, 1050, 5, image);               /* one is read again */
	assert_non_null(guid_seen_block(t, 1050, 5));
	assert_null(guid_seen_block(t, 1050, 4));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(guid_blocks, setup, teardown),
		cmocka_unit_test_setup_teardown(many_ports, setup, teardown),
	};

	return cmocka_run_group_tests_name("fabric/guid_seen", tests, NULL, NULL);
}
