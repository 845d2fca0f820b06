/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_sma.c - what agents answer, attribute by attribute, and what they refuse.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/hw/rig.h"

static void
shows_node_info(void **state)
{
	struct rig *r = *state;
	struct node_info ni;

	assert_true(rig_get(r, NODE_INFO_ID, 0, "12"));
	ni = node_info_decode(rig_data(r));
	assert_int_equal(ni.base_version, 1);
	assert_int_equal(ni.class_version, 1);
	assert_int_equal(ni.node_type, 2);
	assert_int_equal(ni.num_ports, 5);
	assert_int_equal(ni.sys_guid, GUID_S2);
	assert_int_equal(ni.node_guid, GUID_S2);
	assert_int_equal(ni.port_guid, GUID_S2);
	assert_int_equal(ni.partition_cap, 32);
	assert_int_equal(ni.local_port, 3);
	for (unsigned i = NODE_INFO_BYTES; i < 64; i++)
		assert_int_equal(rig_data(r)[i], 0);
	rig_get(r, NODE_INFO_ID, 0, "13");
	assert_int_equal(node_info_decode(rig_data(r)).local_port, 1);
	rig_get(r, NODE_INFO_ID, 5, "1");
	assert_int_equal(rig_status(r), 0x1c);
}

static void
refuses_with_a_status(void **state)
{
	static const struct { uint8_t method, version; uint16_t attr; const char *path; unsigned status; } asks[] = {
		{ 1, 1, 0x0019, "124", 0x0c }, { 1, 1, 0x0012, "124", 0x0c }, { 1, 1, 0x001b, "", 0x0c },
		{ 1, 1, 0x001a, "1", 0x0c }, { 1, 1, 0x0030, "1", 0x0c }, { 1, 1, 0x0034, "1", 0x0c },
		{ 1, 1, 0xff90, "1", 0x0c }, { 1, 1, 0x0000, "1", 0x0c }, { 1, 1, 0x000f, "1", 0x0c },
		{ 1, 1, 0xffff, "1", 0x0c }, { 2, 1, 0x0011, "1", 0x0c },
		{ 3, 1, 0x0011, "1", 0x08 }, { 6, 1, 0x0011, "1", 0x08 }, { 0, 1, 0x0011, "1", 0x08 },
		{ 0x12, 1, 0x0011, "1", 0x08 }, { 1, 2, 0x0011, "1", 0x04 }, { 1, 0, 0x0011, "1", 0x04 },
	};
	struct rig *r = *state;

	for (unsigned i = 0; i < sizeof(asks) / sizeof(asks[0]); i++) {
		rig_dr_make(r, asks[i].method, asks[i].attr, 0, asks[i].path, NULL);
		r->p.mad[2] = asks[i].version;
		assert_true(rig_send(r, A, 1));
		assert_int_equal(rig_status(r), asks[i].status);
		assert_int_equal(r->p.mad[3], asks[i].method == 2 ? 0x81 : asks[i].method | 0x80);
		assert_int_equal(r->p.mad[4] & 0x80, 0x80);
	}
	rig_dr_make(r, METHOD_GET, NODE_INFO_ID, 0, "1", NULL);
	r->p.mad[0] = 2;                        /* unknown base version: silence */
	assert_false(rig_send(r, A, 1));
}

static void
leaves_sminfo_to_the_client(void **state)
{
	struct rig *r = *state;
	struct hw_packet p;

	assert_false(rig_get(r, SM_INFO_ID, 0, "12"));
	assert_true(rig_delivered(r, S2, 0, &p));
	assert_int_equal(p.mad[3], METHOD_GET);
	assert_int_equal(p.mad[6], 3);          /* pointer: count + 1 */
	dgram_smp_respond(p.mad, 0);            /* the client answers */
	assert_int_equal(hw_send(r->h, S2, 0, &p, r->now), 0);
	assert_true(rig_delivered(r, A, 1, &p));
	assert_int_equal(p.mad[3], METHOD_GET_RESP);
	assert_int_equal(p.mad[6], 0);
	assert_false(rig_dr(r, METHOD_SET, SM_INFO_ID, 1, "124", NULL));
	assert_true(rig_delivered(r, B, 1, &p));
	dgram_smp_respond(p.mad, 0);
	assert_int_equal(hw_send_take(r->h, B, 1, &p, r->now), 0);
	assert_true(rig_delivered(r, A, 1, NULL));
	assert_true(rig_get(r, SM_INFO_ID, 0, ""));     /* its own: the request is the delivery */
	assert_int_equal(r->p.mad[3], METHOD_GET);
}

static void
stores_descriptions(void **state)
{
	struct rig *r = *state;
	uint8_t desc[64];

	memset(desc, 0xe4, sizeof(desc));
	assert_true(rig_get(r, NODE_DESC_ID, 0, "124"));
	assert_string_equal((char *)rig_data(r), "host b");
	assert_true(rig_dr(r, METHOD_SET, NODE_DESC_ID, 0, "124", desc));
	assert_int_equal(rig_status(r), 0);
	rig_get(r, NODE_DESC_ID, 0, "122");
	assert_memory_equal(rig_data(r), desc, 64);
}

static void
keeps_switch_info(void **state)
{
	struct rig *r = *state;
	struct switch_info si;
	uint8_t w[64] = { 0 };

	rig_get(r, SWITCH_INFO_ID, 0, "1");
	si = switch_info_decode(rig_data(r));
	assert_int_equal(si.lft_cap, 49152);
	assert_int_equal(si.mft_cap, 1024);
	assert_int_equal(si.port_state_change, 1);
	assert_int_equal(si.enhanced_port0, 0);
	si.lft_top = 0xbfff;
	si.mft_top = 0xc000 + 1023;
	si.life_time = 18;
	si.lft_cap = 1;
	switch_info_encode(w, &si);
	assert_true(rig_dr(r, METHOD_SET, SWITCH_INFO_ID, 0, "1", w));
	assert_int_equal(rig_status(r), 0);
	si = switch_info_decode(rig_data(r));
	assert_int_equal(si.lft_cap, 49152);
	assert_int_equal(si.lft_top, 0xbfff);
	assert_int_equal(si.life_time, 18);
	assert_int_equal(si.port_state_change, 0);
	si.lft_top = 0xc000;
	si.mft_top = 0xc400;
	si.life_time = 9;
	switch_info_encode(w, &si);
	assert_true(rig_dr(r, METHOD_SET, SWITCH_INFO_ID, 0, "1", w));
	assert_int_equal(rig_status(r), 0x1c);
	si = switch_info_decode(rig_data(r));
	assert_int_equal(si.lft_top, 0xbfff);
	assert_int_equal(si.mft_top, 0xc000 + 1023);
	assert_int_equal(si.life_time, 9);
}

/* Writes 64 bytes of 'fill' under 'mod', reads them back; the status of both. */
static unsigned
store(struct rig *r, uint16_t attr, uint32_t mod, const char *path, uint8_t fill)
{
	uint8_t w[64];
	unsigned status;

	memset(w, fill, sizeof(w));
	assert_true(rig_dr(r, METHOD_SET, attr, mod, path, w));
	status = rig_status(r);
	assert_true(rig_get(r, attr, mod, path));
	assert_int_equal(rig_status(r), status);
	return status;
}

static void
keeps_forwarding_tables(void **state)
{
	struct rig *r = *state;

	rig_get(r, LFT_BLOCK_ID, 700, "1");
	assert_int_equal(rig_data(r)[63], 255);
	assert_int_equal(store(r, LFT_BLOCK_ID, 767, "1", 7), 0);
	assert_int_equal(rig_data(r)[63], 7);
	rig_get(r, LFT_BLOCK_ID, 766, "1");
	assert_int_equal(rig_data(r)[63], 255);
	assert_int_equal(store(r, LFT_BLOCK_ID, 768, "1", 7), 0x1c);
	assert_int_equal(store(r, LFT_BLOCK_ID, 0xffffffff, "1", 7), 0x1c);
	assert_int_equal(store(r, LFT_BLOCK_ID, 0, "12", 3), 0);
	rig_get(r, LFT_BLOCK_ID, 0, "1");
	assert_int_equal(rig_data(r)[0], 255);

	assert_int_equal(store(r, MFT_BLOCK_ID, 31, "1", 0x11), 0);
	assert_int_equal(rig_data(r)[62], 0x11);
	rig_get(r, MFT_BLOCK_ID, 30, "1");
	assert_int_equal(rig_data(r)[0], 0);
	assert_int_equal(store(r, MFT_BLOCK_ID, 32, "1", 0x11), 0x1c);
	assert_int_equal(store(r, MFT_BLOCK_ID, 0x10000000, "1", 0x11), 0x1c);  /* 5 ports: one position */
}

static void
keeps_pkeys(void **state)
{
	struct rig *r = *state;

	rig_get(r, PKEY_TABLE_ID, 0, "124");
	assert_int_equal(wire_get16(rig_data(r)), 0xffff);
	assert_int_equal(wire_get16(rig_data(r) + 2), 0);
	rig_get(r, PKEY_TABLE_ID, 3 << 16, "1");
	assert_int_equal(wire_get16(rig_data(r)), 0);
	assert_int_equal(store(r, PKEY_TABLE_ID, 3 << 16, "1", 0x81), 0);
	assert_int_equal(wire_get16(rig_data(r) + 62), 0x8181);
	rig_get(r, PKEY_TABLE_ID, 2 << 16, "1");
	assert_int_equal(wire_get16(rig_data(r)), 0);
	assert_int_equal(store(r, PKEY_TABLE_ID, 1, "124", 0x81), 0x1c);        /* 32 entries: one block */
	assert_int_equal(store(r, PKEY_TABLE_ID, 5 << 16, "1", 0x81), 0x1c);
	assert_int_equal(store(r, PKEY_TABLE_ID, 0, "124", 0x82), 0);           /* each port of B its own */
	rig_get(r, PKEY_TABLE_ID, 0, "122");
	assert_int_equal(wire_get16(rig_data(r)), 0xffff);
}

static void
keeps_guids(void **state)
{
	struct rig *r = *state;

	rig_get(r, GUID_INFO_ID, 0, "124");
	assert_int_equal(wire_get64(rig_data(r)), GUID_B + 1);
	assert_int_equal(store(r, GUID_INFO_ID, 0, "124", 0x22), 0);
	assert_int_equal(wire_get64(rig_data(r)), GUID_B + 1);                  /* entry 0 is read only */
	assert_int_equal(wire_get64(rig_data(r) + 56), UINT64_C(0x2222222222222222));
	assert_int_equal(store(r, GUID_INFO_ID, 1, "124", 0x22), 0x1c);
	assert_int_equal(store(r, GUID_INFO_ID, 0, "1", 0x22), 0);              /* one entry */
	assert_int_equal(wire_get64(rig_data(r) + 8), 0);
}

static unsigned
vl_of_sl3(struct rig *r, unsigned in, unsigned out, const char *path)
{
	assert_true(rig_get(r, SLVL_TABLE_ID, in << 8 | out, path));
	assert_int_equal(rig_status(r), 0);
	return rig_data(r)[1] & 0x0f;
}

static void
keeps_sl_to_vl(void **state)
{
	struct rig *r = *state;

	assert_int_equal(vl_of_sl3(r, 1, 2, "1"), 3);
	assert_int_equal(store(r, SLVL_TABLE_ID, 1 << 8 | 2, "1", 0x55), 0);
	assert_int_equal(vl_of_sl3(r, 1, 2, "1"), 5);
	assert_int_equal(vl_of_sl3(r, 2, 1, "1"), 3);
	assert_int_equal(store(r, SLVL_TABLE_ID, 5 << 8 | 1, "1", 0x55), 0x1c);
	assert_int_equal(store(r, SLVL_TABLE_ID, 5, "1", 0x55), 0x1c);
	/* wildcards, Set only */
	assert_true(rig_dr(r, METHOD_SET, SLVL_TABLE_ID, 0x10000 | 3 << 8, "1", (const uint8_t[64]){ 0, 0x11 }));
	assert_int_equal(rig_status(r), 0);
	assert_int_equal(vl_of_sl3(r, 3, 1, "1"), 1);
	assert_int_equal(vl_of_sl3(r, 3, 4, "1"), 1);
	assert_int_equal(vl_of_sl3(r, 2, 4, "1"), 3);
	assert_true(rig_dr(r, METHOD_SET, SLVL_TABLE_ID, 0x20000 | 4, "1", (const uint8_t[64]){ 0, 0x22 }));
	assert_int_equal(vl_of_sl3(r, 0, 4, "1"), 2);
	assert_int_equal(vl_of_sl3(r, 3, 1, "1"), 1);
	assert_true(rig_dr(r, METHOD_SET, SLVL_TABLE_ID, 0x30000, "1", (const uint8_t[64]){ 0, 0x44 }));
	assert_int_equal(vl_of_sl3(r, 1, 2, "1"), 4);
	rig_get(r, SLVL_TABLE_ID, 0x30000, "1");
	assert_int_equal(rig_status(r), 0x1c);
	assert_int_equal(store(r, SLVL_TABLE_ID, 0, "124", 0x66), 0);           /* an adapter: one a port */
	assert_int_equal(vl_of_sl3(r, 0, 0, "124"), 6);
	assert_int_equal(vl_of_sl3(r, 0, 0, "122"), 3);
	/* VL0 to VL7 are there: no other can be named, but 15 drops */
	assert_true(rig_dr(r, METHOD_SET, SLVL_TABLE_ID, 1 << 8 | 2, "1", (const uint8_t[64]){ 0x08 }));
	assert_int_equal(rig_status(r), 0x1c);
	assert_int_equal(vl_of_sl3(r, 1, 2, "1"), 4);
	assert_true(rig_dr(r, METHOD_SET, SLVL_TABLE_ID, 0x30000, "1", (const uint8_t[64]){ 0, 0x08 }));
	assert_int_equal(rig_status(r), 0x1c);
	assert_int_equal(store(r, SLVL_TABLE_ID, 0, "124", 0x77), 0);
	assert_true(rig_dr(r, METHOD_SET, SLVL_TABLE_ID, 0, "124", (const uint8_t[64]){ 0, 0, 0, 0, 0, 0, 0, 0xe0 }));
	assert_int_equal(rig_status(r), 0x1c);
	assert_int_equal(store(r, SLVL_TABLE_ID, 1 << 8 | 2, "1", 0xff), 0);
	assert_int_equal(vl_of_sl3(r, 1, 2, "1"), 15);
}

static void
keeps_vl_arbitration(void **state)
{
	struct rig *r = *state;

	rig_get(r, VLARB_TABLE_ID, 1 << 16 | 2, "1");
	assert_memory_equal(rig_data(r), ((const uint8_t[18]){ 0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 1, 7, 1 }), 18);
	assert_int_equal(store(r, VLARB_TABLE_ID, 1 << 16 | 2, "1", 0x01), 0);
	assert_int_equal(rig_data(r)[9], 0x01);
	assert_int_equal(rig_data(r)[15], 0x01);
	assert_int_equal(rig_data(r)[16], 0);           /* there are 8 entries */
	assert_int_equal(store(r, VLARB_TABLE_ID, 3 << 16 | 2, "1", 0x02), 0);
	rig_get(r, VLARB_TABLE_ID, 1 << 16 | 2, "1");
	assert_int_equal(rig_data(r)[9], 0x01);
	assert_int_equal(store(r, VLARB_TABLE_ID, 2 << 16 | 2, "1", 1), 0x1c);  /* 8 entries: no second block */
	assert_int_equal(store(r, VLARB_TABLE_ID, 4 << 16 | 2, "1", 1), 0x1c);
	assert_int_equal(store(r, VLARB_TABLE_ID, 0 << 16 | 2, "1", 1), 0x1c);
	assert_int_equal(store(r, VLARB_TABLE_ID, 5 << 16 | 2, "1", 1), 0x1c);
	assert_int_equal(store(r, VLARB_TABLE_ID, 1 << 16 | 5, "1", 1), 0x1c);
	assert_int_equal(store(r, VLARB_TABLE_ID, 1 << 16, "124", 3), 0);
}

static void
switches_a_led(void **state)
{
	struct rig *r = *state;

	assert_true(rig_dr(r, METHOD_SET, 0x31, 2, "1", (const uint8_t[64]){ 0x80 }));
	rig_get(r, 0x31, 2, "1");
	assert_int_equal(rig_data(r)[0], 0x80);
	rig_get(r, 0x31, 1, "1");
	assert_int_equal(rig_data(r)[0], 0);
}

/* What a kernel would show of its own port. */
static void
shows_a_client_its_port(void **state)
{
	struct rig *r = *state;
	struct hw_port_view v;

	rig_bring_up(r);
	assert_int_equal(hw_port_view(r->h, B, 2, &v), 0);
	assert_int_equal(port_info_decode(v.info).lid, 6);
	assert_int_equal(port_info_decode(v.info).state, 4);
	assert_int_equal(port_info_decode(v.info).local_port, 2);
	assert_int_equal(v.guid, GUID_B + 2);
	assert_int_equal(node_info_decode(v.node_info).node_guid, GUID_B);
	assert_int_equal(v.npkeys, 32);
	assert_int_equal(v.pkeys[0], 0xffff);
	assert_string_equal((char *)v.desc, "host b");
	assert_true(hw_port_view(r->h, B, 3, &v) < 0);
	assert_true(hw_port_view(r->h, S1, 1, &v) < 0);
	assert_int_equal(hw_port_view(r->h, S1, 0, &v), 0);
	hw_set_issm(r->h, B, 2, true, r->now);
	hw_port_view(r->h, B, 2, &v);
	assert_int_equal(port_info_decode(v.info).capability_mask & 2, 2);
	hw_port_view(r->h, B, 1, &v);
	assert_int_equal(port_info_decode(v.info).capability_mask & 2, 0);
	hw_set_issm(r->h, B, 2, false, r->now);
	hw_port_view(r->h, B, 2, &v);
	assert_int_equal(port_info_decode(v.info).capability_mask & 2, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(shows_node_info), RIG_TEST(refuses_with_a_status), RIG_TEST(leaves_sminfo_to_the_client),
		RIG_TEST(stores_descriptions), RIG_TEST(keeps_switch_info), RIG_TEST(keeps_forwarding_tables),
		RIG_TEST(keeps_pkeys), RIG_TEST(keeps_guids), RIG_TEST(keeps_sl_to_vl), RIG_TEST(keeps_vl_arbitration),
		RIG_TEST(switches_a_led), RIG_TEST(shows_a_client_its_port),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
