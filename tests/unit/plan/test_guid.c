/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_guid.c - GUID tables: what is wanted, against what is known.
 */
#include <config.h>
#include <string.h>
#include "libmad/wire/wire.h"
#include "sm/plan/guid.h"
#include "tests/unit/test.h"

static void
nothing_is_wanted_of_strangers(void **state)
{
	struct guid_tables *t = guid_tables_new();
	struct guid_seen *seen = guid_seen_new();
	uint8_t image[GUID_INFO_BYTES] = { 1 };

	(void)state;
	guid_seen_put(seen, 5, 0, image);
	guid_seen_doubt(seen, 5);
	assert_int_equal(guid_tables_blocks(t, 5), 0);
	assert_false(guid_tables_differ(t, seen, 5, 0));
	assert_null(guid_tables_wanted(t, 5, 0));
	guid_tables_free(t);
	guid_seen_free(seen);
	guid_tables_free(NULL);
}

static void
wanted_and_known(void **state)
{
	static const uint64_t guids[8] = { 0x77, 0x11, 0, 0x33 };
	struct guid_tables *t = guid_tables_new();
	struct guid_seen *seen = guid_seen_new();
	uint8_t image[GUID_INFO_BYTES] = { 0 };

	(void)state;
	guid_tables_want(t, 5, 1, guids);
	assert_int_equal(guid_tables_blocks(t, 5), 2);
	assert_true(guid_tables_any(t));
	assert_false(guid_tables_differ(t, seen, 5, 0));        /* nobody asked for anything there */
	assert_null(guid_tables_wanted(t, 5, 0));
	assert_true(guid_tables_differ(t, seen, 5, 1));
	assert_int_equal(wire_get64(guid_tables_wanted(t, 5, 1)), 0x77);
	guid_tables_want(t, 5, 0, guids);
	assert_int_equal(wire_get64(guid_tables_wanted(t, 5, 0)), 5);   /* its own */
	assert_int_equal(wire_get64(guid_tables_wanted(t, 5, 0) + 24), 0x33);
	memcpy(image, guid_tables_wanted(t, 5, 0), sizeof(image));
	image[0] = 0xff;                                        /* what nobody writes */
	guid_seen_put(seen, 5, 0, image);
	assert_false(guid_tables_differ(t, seen, 5, 0));
	image[8] ^= 1;
	guid_seen_put(seen, 5, 0, image);
	assert_true(guid_tables_differ(t, seen, 5, 0));
	memcpy(image, guid_tables_wanted(t, 5, 1), sizeof(image));
	guid_seen_put(seen, 5, 1, image);
	assert_false(guid_tables_differ(t, seen, 5, 1));
	image[0] ^= 1;
	guid_seen_put(seen, 5, 1, image);
	assert_true(guid_tables_differ(t, seen, 5, 1));
	image[0] ^= 1;
	guid_seen_put(seen, 5, 1, image);
	guid_seen_doubt(seen, 5);
	assert_true(guid_tables_differ(t, seen, 5, 1));
	guid_seen_put(seen, 5, 1, image);
	guid_seen_put(seen, 5, 1, NULL);
	assert_true(guid_tables_differ(t, seen, 5, 1));
	guid_tables_free(t);
	guid_seen_free(seen);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_wanted_of_strangers), cmocka_unit_test(wanted_and_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
