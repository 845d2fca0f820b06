/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_sm_attr.c - whole images, and the details of notices.  Single rows are judged by tests/oracle.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "libmad/attr/sa_attr.h"
#include "libmad/attr/sm_attr.h"

/* NodeInfo of a switch with 36 ports that was asked through port 7. */
static void
node_info(void **state)
{
	static const uint8_t w[NODE_INFO_BYTES] = {
		0x01, 0x01, 0x02, 0x24, 0xa1, 0xb2, 0x00, 0x03, 0x00, 0xf0, 0xe0, 0x03,
		0xa1, 0xb2, 0x00, 0x03, 0x00, 0xf0, 0xe0, 0x00, 0xa1, 0xb2, 0x00, 0x03,
		0x00, 0xf0, 0xe0, 0x00, 0x00, 0x08, 0xd2, 0xf0, 0x00, 0x00, 0x00, 0xa0,
		0x07, 0x00, 0x02, 0xc9,
	};
	struct node_info n = node_info_decode(w);

	(void)state;
	assert_int_equal(n.base_version, 1);
	assert_int_equal(n.node_type, 2);
	assert_int_equal(n.num_ports, 36);
	assert_true(n.sys_guid == UINT64_C(0xa1b2000300f0e003));
	assert_true(n.node_guid == UINT64_C(0xa1b2000300f0e000));
	assert_int_equal(n.partition_cap, 8);
	assert_int_equal(n.device_id, 0xd2f0);
	assert_int_equal(n.revision, 0xa0);
	assert_int_equal(n.local_port, 7);
	assert_int_equal(n.vendor_id, 0x2c9);
}

static void
notice_details_by_number(void **state)
{
	(void)state;
	for (unsigned trap = 0; trap < 65536; trap++) {
		const struct attr_desc *d = notice_details((uint16_t)trap);

		if (trap >= 64 && trap <= 67)
			assert_ptr_equal(d, &trap_gid_desc);
		else if (trap == 128)
			assert_ptr_equal(d, &trap_link_change_desc);
		else if (trap >= 129 && trap <= 131)
			assert_ptr_equal(d, &trap_threshold_desc);
		else if (trap == 144)
			assert_ptr_equal(d, &trap_local_change_desc);
		else if (trap == 145)
			assert_ptr_equal(d, &trap_sys_guid_desc);
		else if (trap == 256)
			assert_ptr_equal(d, &trap_bad_mkey_desc);
		else if (trap == 257 || trap == 258)
			assert_ptr_equal(d, &trap_bad_key_desc);
		else if (trap == 259)
			assert_ptr_equal(d, &trap_switch_pkey_desc);
		else
			assert_null(d);
	}
}

/* Trap 129 of port 33 of the switch with LID 12. */
static void
trap_129(void **state)
{
	static const uint8_t w[NOTICE_BYTES] = {
		0x81, 0x00, 0x00, 0x02, 0x00, 0x81, 0x00, 0x0c, 0x80, 0x05, 0x00, 0x00, 0x00, 0x0c, 0x21,
	};
	struct notice n = notice_decode(w);
	struct trap_threshold t = trap_threshold_decode(w);

	(void)state;
	assert_int_equal(n.is_generic, 1);
	assert_int_equal(n.type, 1);
	assert_int_equal(n.producer_type, 2);
	assert_int_equal(n.trap_number, 129);
	assert_int_equal(n.issuer_lid, 12);
	assert_int_equal(n.toggle, 1);
	assert_int_equal(n.notice_count, 5);
	assert_int_equal(t.lid, 12);
	assert_int_equal(t.port, 33);
	assert_int_equal(n.details[4], 33);
	assert_int_equal(NOTICE_GET(&n, trap_threshold, lid), 12);
	assert_int_equal(NOTICE_GET(&n, trap_threshold, port), 33);
	assert_int_equal(n.details[NOTICE_AT(trap_threshold, port)], 33);
}

/* A record carries the attribute's own image at its offset, and patches of it keep the record. */
static void
records_embed(void **state)
{
	uint8_t w[PORT_INFO_RECORD_BYTES], info[PORT_INFO_BYTES];
	struct port_info_record r;

	(void)state;
	for (unsigned i = 0; i < sizeof(w); i++)
		w[i] = (uint8_t)(i * 37 + 11);
	r = port_info_record_decode(w);
	assert_int_equal(r.lid, w[0] << 8 | w[1]);
	assert_int_equal(r.port, w[2]);
	memset(info, 0, sizeof(info));
	port_info_encode(info, &r.info);
	for (unsigned i = 0; i < sizeof(info); i++)
		assert_int_equal(info[i] & w[4 + i], info[i]);  /* nothing that does not stand there */
	assert_int_equal(info[0], w[4]);
	assert_int_equal(info[61], w[65]);
}

/* One row of an image, read and written without the others. */
static void
single_rows(void **state)
{
	uint8_t w[PORT_INFO_BYTES], other[PORT_INFO_BYTES];
	struct port_info p;

	(void)state;
	memset(w, 0x5a, sizeof(w));
	p = port_info_decode(w);
	assert_int_equal(ATTR_GET(port_info, state, w), p.state);
	assert_true(ATTR_GET(port_info, mkey, w) == p.mkey);
	assert_int_equal(ATTR_GET(port_info, client_reregister, w), p.client_reregister);
	assert_int_equal(ATTR_AT(port_info, lid), 16);
	memcpy(other, w, sizeof(w));
	ATTR_SET(port_info, state, w, PORT_STATE_ACTIVE);
	p.state = PORT_STATE_ACTIVE;
	port_info_encode(other, &p);
	assert_memory_equal(w, other, sizeof(w));
}

/* One element of an array in an image: elements of whole bytes, and of half a byte. */
static void
single_items(void **state)
{
	uint8_t w[GUID_INFO_BYTES], other[GUID_INFO_BYTES];
	struct pkey_table p;
	struct guid_info g;
	struct slvl_table l;

	(void)state;
	for (unsigned i = 0; i < sizeof(w); i++)
		w[i] = (uint8_t)(i * 37 + 11);
	p = pkey_table_decode(w);
	g = guid_info_decode(w);
	l = slvl_table_decode(w);
	for (unsigned i = 0; i < 32; i++)
		assert_int_equal(ATTR_GET_ITEM(pkey_table, pkey, w, i), p.pkey[i]);
	for (unsigned i = 0; i < 8; i++)
		assert_true(ATTR_GET_ITEM(guid_info, guid, w, i) == g.guid[i]);
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(ATTR_GET_ITEM(slvl_table, vl, w, i), l.vl[i]);
	for (unsigned i = 0; i < 16; i++) {
		memcpy(other, w, sizeof(w));
		ATTR_SET_ITEM(pkey_table, pkey, w, i, p.pkey[i] = (uint16_t)(0x8123 + i));
		pkey_table_encode(other, &p);
		assert_memory_equal(w, other, sizeof(w));
		l = slvl_table_decode(w);
		ATTR_SET_ITEM(slvl_table, vl, w, i, l.vl[i] = (uint8_t)(15 - i));
		slvl_table_encode(other, &l);
		assert_memory_equal(w, other, sizeof(w));
		p = pkey_table_decode(w);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(node_info),
		cmocka_unit_test(notice_details_by_number),
		cmocka_unit_test(trap_129),
		cmocka_unit_test(records_embed),
		cmocka_unit_test(single_rows),
		cmocka_unit_test(single_items),
	};

	return cmocka_run_group_tests_name("sm_attr", tests, NULL, NULL);
}
