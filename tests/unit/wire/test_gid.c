/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_gid.c - the halves of a GID.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "libmad/wire/gid.h"

static const uint8_t link_local[16] = { 0xfe, 0x80, 0, 0, 0, 0, 0, 0x01,
	0x00, 0x02, 0xc9, 0x03, 0x00, 0x5a, 0xbc, 0xde };

static void
halves(void **state)
{
	(void)state;
	assert_true(gid_prefix(link_local) == UINT64_C(0xfe80000000000001));
	assert_true(gid_guid(link_local) == UINT64_C(0x0002c903005abcde));
}

static void
both_are_set(void **state)
{
	uint8_t gid[18];

	(void)state;
	memset(gid, 0xa5, sizeof(gid));
	gid_set(gid + 1, UINT64_C(0xfe80000000000001), UINT64_C(0x0002c903005abcde));
	assert_memory_equal(gid + 1, link_local, sizeof(link_local));
	assert_int_equal(gid[0], 0xa5);
	assert_int_equal(gid[17], 0xa5);
}

static void
multicast_begins_with_ones(void **state)
{
	uint8_t gid[16] = { 0xff };

	(void)state;
	assert_true(gid_is_multicast(gid));
	assert_false(gid_is_multicast(link_local));
	gid[0] = 0xfe;
	gid[1] = 0xff;
	assert_false(gid_is_multicast(gid));
}

static void
link_local_is_ten_bits(void **state)
{
	uint8_t gid[16] = { 0xfe, 0xbf, 0xff };

	(void)state;
	assert_true(gid_is_link_local(link_local));
	assert_true(gid_is_link_local(gid));
	gid[1] = 0xc0;
	assert_false(gid_is_link_local(gid));
	gid[1] = 0x7f;
	assert_false(gid_is_link_local(gid));
	gid[0] = 0xff;
	gid[1] = 0x80;
	assert_false(gid_is_link_local(gid));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(halves),
		cmocka_unit_test(both_are_set),
		cmocka_unit_test(multicast_begins_with_ones),
		cmocka_unit_test(link_local_is_ten_bits),
	};

	return cmocka_run_group_tests_name("gid", tests, NULL, NULL);
}
