/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_attr.c - elements of a struct by row.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "libmad/attr/attr.h"
#include "libmad/attr/sm_attr.h"

static void
get_and_put_every_size(void **state)
{
	struct port_info p = { .mkey = UINT64_C(0x8877665544332211), .lid = 0x1234, .lmc = 5,
			       .capability_mask = 0xdeadbeef };
	struct pkey_table k = { .pkey = { [31] = 0x8007 } };

	(void)state;
	assert_true(attr_get(attr_field_find(&port_info_desc, "mkey"), &p, 0) == p.mkey);
	assert_true(attr_get(attr_field_find(&port_info_desc, "lid"), &p, 0) == 0x1234);
	assert_true(attr_get(attr_field_find(&port_info_desc, "lmc"), &p, 0) == 5);
	assert_true(attr_get(attr_field_find(&port_info_desc, "capability_mask"), &p, 0) == 0xdeadbeef);
	assert_true(attr_get(attr_field_find(&pkey_table_desc, "pkey"), &k, 31) == 0x8007);

	attr_put(attr_field_find(&port_info_desc, "mkey"), &p, 0, 1);
	attr_put(attr_field_find(&port_info_desc, "lid"), &p, 0, 0x5678);
	attr_put(attr_field_find(&port_info_desc, "lmc"), &p, 0, 0xff);
	attr_put(attr_field_find(&port_info_desc, "capability_mask"), &p, 0, 2);
	attr_put(attr_field_find(&pkey_table_desc, "pkey"), &k, 30, 0x7fff);
	assert_true(p.mkey == 1);
	assert_int_equal(p.lid, 0x5678);
	assert_int_equal(p.lmc, 7);             /* cut to the row's three bits */
	assert_int_equal(p.capability_mask, 2);
	assert_int_equal(k.pkey[30], 0x7fff);
	assert_int_equal(k.pkey[31], 0x8007);
}

static void
field_found_by_name(void **state)
{
	(void)state;
	assert_string_equal(attr_field_find(&port_info_desc, "lmc")->label, "LMC");
	assert_null(attr_field_find(&port_info_desc, "no_such"));
}

/* A Set patches the last image: RO rows and bits without a row stay, whatever the struct says. */
static void
patch_keeps_what_is_not_ours(void **state)
{
	uint8_t w[PORT_INFO_BYTES], before[PORT_INFO_BYTES];
	struct port_info p;

	(void)state;
	memset(w, 0xff, sizeof(w));
	memcpy(before, w, sizeof(w));
	p = port_info_decode(w);
	p.capability_mask = 0;          /* RO */
	p.lid = 0x0029;                 /* RW */
	p.state = 0;                    /* ZK */
	port_info_patch(w, &p);
	before[16] = 0x00;
	before[17] = 0x29;
	before[32] = 0xf0;
	assert_memory_equal(w, before, sizeof(w));
}

static void
set_equal_looks_at_what_is_set(void **state)
{
	uint8_t a[PORT_INFO_BYTES] = { 0 }, b[PORT_INFO_BYTES] = { 0 };

	(void)state;
	b[20] = 0xff;                   /* CapabilityMask: RO */
	b[32] = 0x04;                   /* PortState: ZK */
	b[56] = 0x80;                   /* no row */
	assert_true(port_info_set_equal(a, b));
	b[36] = 0x40;                   /* NeighborMTU: RW */
	assert_false(port_info_set_equal(a, b));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(get_and_put_every_size),
		cmocka_unit_test(field_found_by_name),
		cmocka_unit_test(patch_keeps_what_is_not_ours),
		cmocka_unit_test(set_equal_looks_at_what_is_set),
	};

	return cmocka_run_group_tests_name("attr", tests, NULL, NULL);
}
