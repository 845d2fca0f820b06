/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_mgid.c - the fields of multicast GIDs.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "libmad/attr/mgid.h"

/* ff15:601b:8001::1:ff12:3456 */
static const uint8_t solicited[16] = { 0xff, 0x15, 0x60, 0x1b, 0x80, 0x01, 0, 0,
	0, 0, 0, 0x01, 0xff, 0x12, 0x34, 0x56 };

static void
fields(void **state)
{
	uint8_t mgid[16];

	(void)state;
	assert_int_equal(mgid_flags(solicited), MGID_FLAG_TRANSIENT);
	assert_int_equal(mgid_scope(solicited), SCOPE_SITE_LOCAL);
	assert_int_equal(mgid_signature(solicited), MGID_SIGNATURE_IPV6);
	assert_int_equal(mgid_pkey(solicited), 0x8001);
	memcpy(mgid, solicited, sizeof(mgid));
	mgid_set_scope(mgid, SCOPE_GLOBAL);
	mgid_set_pkey(mgid, 0x7ffe);
	assert_memory_equal(mgid, "\xff\x1e\x60\x1b\x7f\xfe", 6);
	assert_memory_equal(mgid + 6, solicited + 6, 10);
}

static void
made(void **state)
{
	uint8_t mgid[16];

	(void)state;
	memset(mgid, 0xa5, sizeof(mgid));
	mgid_init(mgid, SCOPE_ORGANIZATION, MGID_SIGNATURE_IPV6);
	assert_memory_equal(mgid, "\xff\x18\x60\x1b\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	mgid_make_broadcast(mgid, SCOPE_LINK_LOCAL, 0x0001);
	assert_memory_equal(mgid, "\xff\x12\x40\x1b\x80\x01\0\0\0\0\0\0\xff\xff\xff\xff", 16);
	mgid_make_own(mgid, SCOPE_SITE_LOCAL, UINT64_C(0xfe80000000000001), 0x01020304);
	assert_memory_equal(mgid,
		"\xff\x15\xa0\x1b\xfe\x80\0\0\0\0\0\x01\x01\x02\x03\x04", 16);
}

static void
kinds(void **state)
{
	uint8_t mgid[16];

	(void)state;
	mgid_init(mgid, SCOPE_LINK_LOCAL, MGID_SIGNATURE_IPV4);
	assert_true(mgid_is_ip(mgid));
	mgid_init(mgid, SCOPE_LINK_LOCAL, MGID_SIGNATURE_IPV6);
	assert_true(mgid_is_ip(mgid));
	mgid_init(mgid, SCOPE_LINK_LOCAL, MGID_SIGNATURE_SA);
	assert_false(mgid_is_ip(mgid));
}

/* Every byte counts but the scope, the P_Key and the last three. */
static void
solicited_nodes(void **state)
{
	(void)state;
	assert_true(mgid_is_solicited_node(solicited));
	for (unsigned i = 0; i < 16; i++) {
		uint8_t mgid[16];

		memcpy(mgid, solicited, sizeof(mgid));
		mgid[i] ^= i == 1 ? 0x10 : 1;
		assert_int_equal(mgid_is_solicited_node(mgid), i == 4 || i == 5 || i >= 13);
	}
	for (unsigned scope = 0; scope < 16; scope++) {
		uint8_t mgid[16];

		memcpy(mgid, solicited, sizeof(mgid));
		mgid_set_scope(mgid, scope);
		assert_true(mgid_is_solicited_node(mgid));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields),
		cmocka_unit_test(made),
		cmocka_unit_test(kinds),
		cmocka_unit_test(solicited_nodes),
	};

	return cmocka_run_group_tests_name("mgid", tests, NULL, NULL);
}
