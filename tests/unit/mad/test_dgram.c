/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_dgram.c - headers against literal bytes.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "libmad/mad/dgram.h"

/* A directed-route Get(PortInfo) of port 3, two hops out (ports 1, 7), as a requester hands it over. */
static const uint8_t dr_get[DGRAM_BYTES] = {
	0x01, 0x81, 0x01, 0x01, 0x00, 0x00, 0x00, 0x02,
	0x00, 0x00, 0x00, 0x00, 0x12, 0x34, 0x56, 0x78,
	0x00, 0x15, 0x00, 0x00, 0x80, 0x00, 0x00, 0x03,
	0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
	0xff, 0xff, 0xff, 0xff,
	[128] = 0x00, 0x01, 0x07,
};

/* A LID-routed Set(P_KeyTable), block 1 of port 4, two keys. */
static const uint8_t lid_set[DGRAM_BYTES] = {
	0x01, 0x01, 0x01, 0x02, 0x00, 0x00, 0x00, 0x00,
	0xaa, 0xbb, 0xcc, 0xdd, 0x00, 0x00, 0x00, 0x01,
	0x00, 0x16, 0x00, 0x00, 0x00, 0x04, 0x00, 0x01,
	[64] = 0xff, 0xff, 0x80, 0x01,
};

static void
head_decodes(void **state)
{
	struct dgram_head h = dgram_head_decode(dr_get);

	(void)state;
	assert_int_equal(h.base_version, 1);
	assert_int_equal(h.mgmt_class, CLASS_SM_DR);
	assert_int_equal(h.class_version, 1);
	assert_int_equal(h.method, METHOD_GET);
	assert_int_equal(h.status, 0);
	assert_false(h.direction);
	assert_int_equal(h.hop_ptr, 0);
	assert_int_equal(h.hop_count, 2);
	assert_true(h.tid == 0x12345678);
	assert_int_equal(h.attr_id, 0x15);
	assert_true(h.modifier == 0x80000003);
}

static void
direction_is_no_status(void **state)
{
	uint8_t w[24] = { 1, 0x81, 1, 0x81, 0x80, 0x1c, 3, 2 };
	uint8_t again[24];
	struct dgram_head h = dgram_head_decode(w);

	(void)state;
	assert_int_equal(h.status, STATUS_BAD_VALUE);
	assert_true(h.direction);
	assert_int_equal(dgram_status(w), STATUS_BAD_VALUE);
	memset(again, 0xee, sizeof(again));
	dgram_head_encode(again, &h);
	assert_memory_equal(again, w, sizeof(w));

	w[1] = CLASS_SM_LID;            /* elsewhere the top bit belongs to the status */
	h = dgram_head_decode(w);
	assert_int_equal(h.status, 0x801c);
	assert_false(h.direction);
	assert_int_equal(dgram_status(w), 0x801c);
}

static void
status_set_keeps_direction(void **state)
{
	uint8_t w[24] = { 1, 0x81, 1, 0x81, 0x80, 0x00 };

	(void)state;
	dgram_set_status(w, STATUS_BAD_METHOD);
	assert_int_equal(w[4], 0x80);
	assert_int_equal(w[5], 0x08);
	w[1] = CLASS_SA;
	dgram_set_status(w, STATUS_SA_NO_RECORDS);
	assert_int_equal(w[4], 0x03);
	assert_int_equal(w[5], 0x00);
}

static void
head_round_trip(void **state)
{
	struct dgram_head h = {
		.base_version = 1, .mgmt_class = CLASS_SA, .class_version = 2, .method = METHOD_GET_TABLE,
		.status = 0x8300, .tid = UINT64_C(0x1122334455667788), .attr_id = 0x35, .modifier = 0xdeadbeef,
	};
	static const uint8_t want[24] = {
		0x01, 0x03, 0x02, 0x12, 0x83, 0x00, 0x00, 0x00,
		0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
		0x00, 0x35, 0x00, 0x00, 0xde, 0xad, 0xbe, 0xef,
	};
	uint8_t w[24];

	(void)state;
	memset(w, 0xff, sizeof(w));
	dgram_head_encode(w, &h);
	assert_memory_equal(w, want, sizeof(want));
}

static void
makes_directed_get(void **state)
{
	static const uint8_t path[3] = { 0, 1, 7 };
	struct dgram_smp s = {
		.method = METHOD_GET, .attr_id = 0x15, .modifier = 0x80000003, .tid = 0x12345678,
		.mkey = UINT64_C(0x0102030405060708), .hop_count = 2, .path = path,
	};
	uint8_t w[DGRAM_BYTES];

	(void)state;
	memset(w, 0xa5, sizeof(w));     /* old contents must not shine through */
	dgram_smp_make(w, &s);
	assert_memory_equal(w, dr_get, sizeof(w));
	assert_true(dgram_mkey(w) == s.mkey);
}

static void
makes_longest_path(void **state)
{
	uint8_t path[DGRAM_PATH_BYTES], w[DGRAM_BYTES];
	struct dgram_smp s = { .method = METHOD_GET, .attr_id = 0x11, .hop_count = 63, .path = path };

	(void)state;
	path[0] = 0;
	for (unsigned i = 1; i < sizeof(path); i++)
		path[i] = (uint8_t)(i + 100);
	memset(w, 0xa5, sizeof(w));
	dgram_smp_make(w, &s);
	assert_int_equal(w[7], 63);
	assert_memory_equal(dgram_initial_path(w), path, sizeof(path));
	for (unsigned i = 192; i < 256; i++)
		assert_int_equal(w[i], 0);
}

static void
makes_lid_set(void **state)
{
	uint8_t data[64] = { 0xff, 0xff, 0x80, 0x01 };
	struct dgram_smp s = {
		.method = METHOD_SET, .attr_id = 0x16, .modifier = 0x00040001,
		.tid = UINT64_C(0xaabbccdd00000001), .data = data,
	};
	uint8_t w[DGRAM_BYTES];

	(void)state;
	memset(w, 0xa5, sizeof(w));
	dgram_smp_make(w, &s);
	assert_memory_equal(w, lid_set, sizeof(w));
}

static void
responds(void **state)
{
	uint8_t w[DGRAM_BYTES], want[DGRAM_BYTES];

	(void)state;
	memcpy(w, dr_get, sizeof(w));
	w[6] = 3;                       /* arrived: the pointer is one past the count */
	memcpy(want, w, sizeof(w));
	want[3] = 0x81;
	want[4] = 0x80;
	want[5] = 0x1c;
	dgram_smp_respond(w, STATUS_BAD_VALUE);
	assert_memory_equal(w, want, sizeof(w));

	memcpy(w, lid_set, sizeof(w));
	memcpy(want, w, sizeof(w));
	want[3] = 0x81;                 /* the answer to a Set is a GetResp */
	dgram_smp_respond(w, 0);
	assert_memory_equal(w, want, sizeof(w));
}

static void
represses_without_response_bit(void **state)
{
	uint8_t w[DGRAM_BYTES] = { 1, 0x81, 1, METHOD_TRAP };

	(void)state;
	dgram_smp_respond(w, 0);
	assert_int_equal(w[3], METHOD_TRAP_REPRESS);
	assert_int_equal(w[4], 0x80);
	dgram_smp_respond(w, 0);
	assert_int_equal(w[3], METHOD_TRAP_REPRESS);
}

static void
sa_head(void **state)
{
	static const uint8_t want[20] = {
		0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x00, 0x0e, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x0c,
	};
	struct dgram_sa_head h = { UINT64_C(0x1112131415161718), 14, 0x200c }, again;
	uint8_t w[SA_HEAD_BYTES];

	(void)state;
	memset(w, 0x77, sizeof(w));
	dgram_sa_head_encode(w, &h);
	assert_memory_equal(w + 36, want, sizeof(want));
	for (unsigned i = 0; i < 36; i++)
		assert_int_equal(w[i], 0x77);   /* MAD and RMPP headers are not its business */
	again = dgram_sa_head_decode(w);
	assert_true(again.sm_key == h.sm_key && again.comp_mask == h.comp_mask);
	assert_int_equal(again.attr_offset, 14);
}

static void
rmpp_head(void **state)
{
	static const uint8_t want[12] = { 1, 1, 0x7b, 0, 0, 0, 0, 1, 0, 0, 1, 0x90 };
	struct dgram_rmpp_head h = {
		.version = 1, .type = RMPP_DATA, .resp_time = 15, .flags = RMPP_FLAG_ACTIVE | RMPP_FLAG_FIRST,
		.segment = 1, .length = 400,
	}, again;
	uint8_t w[36];

	(void)state;
	memset(w, 0x77, sizeof(w));
	dgram_rmpp_head_encode(w, &h);
	assert_memory_equal(w + 24, want, sizeof(want));
	again = dgram_rmpp_head_decode(w);
	assert_int_equal(again.version, 1);
	assert_int_equal(again.type, RMPP_DATA);
	assert_int_equal(again.resp_time, 15);
	assert_int_equal(again.flags, 3);
	assert_int_equal(again.status, 0);
	assert_int_equal(again.segment, 1);
	assert_int_equal(again.length, 400);
}

static void
rmpp_classes(void **state)
{
	static const struct { uint8_t c; unsigned bytes; } rows[] = {
		{ 0x01, 0 }, { 0x81, 0 }, { 0x03, 56 }, { 0x04, 0 }, { 0x05, 0 }, { 0x06, 64 }, { 0x07, 0 },
		{ 0x09, 0 }, { 0x0f, 0 }, { 0x10, 64 }, { 0x11, 0 }, { 0x12, 64 }, { 0x21, 0 }, { 0x2f, 0 },
		{ 0x30, 40 }, { 0x32, 40 }, { 0x33, 40 }, { 0x4f, 40 }, { 0x50, 0 }, { 0xff, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(dgram_rmpp_header_bytes(rows[i].c), rows[i].bytes);
		assert_int_equal(dgram_class_has_rmpp(rows[i].c), rows[i].bytes != 0);
	}
}

/* Every single field, against the head as a whole and against the places of docs/wire.md. */
static void
single_fields(void **state)
{
	uint8_t w[DGRAM_BYTES];
	struct dgram_head h;

	(void)state;
	for (unsigned i = 0; i < sizeof(w); i++)
		w[i] = (uint8_t)i;
	dgram_set_method(w, METHOD_SET);
	dgram_set_tid(w, UINT64_C(0x1122334455667788));
	dgram_set_attr_id(w, 0x0015);
	dgram_set_modifier(w, 0x80000007);
	dgram_set_hop_ptr(w, 3);
	dgram_set_hop_count(w, 5);
	h = dgram_head_decode(w);
	assert_int_equal(h.method, METHOD_SET);
	assert_true(h.tid == UINT64_C(0x1122334455667788) && h.modifier == 0x80000007);
	assert_int_equal(h.attr_id, 0x0015);
	assert_int_equal(h.hop_ptr, dgram_hop_ptr(w));
	assert_int_equal(h.hop_count, dgram_hop_count(w));
	assert_int_equal(h.hop_ptr, 3);
	assert_int_equal(h.hop_count, 5);
	dgram_set_mkey(w, UINT64_C(0xa0a1a2a3a4a5a6a7));
	assert_int_equal(w[24], 0xa0);
	assert_int_equal(w[31], 0xa7);
	assert_true(dgram_mkey(w) == UINT64_C(0xa0a1a2a3a4a5a6a7) && dgram_class_key(w) == dgram_mkey(w));
	dgram_set_class_key(w, 7);
	assert_true(dgram_mkey(w) == 7);
	dgram_set_dr_slid(w, 0x1234);
	dgram_set_dr_dlid(w, 0x5678);
	assert_int_equal(dgram_dr_slid(w), 0x1234);
	assert_int_equal(dgram_dr_dlid(w), 0x5678);
	assert_int_equal(w[33], 0x34);
	assert_int_equal(w[35], 0x78);
	assert_int_equal(w[36], 36);
	dgram_set_oui(w, 0xff001405);
	assert_int_equal(dgram_oui(w), 0x001405);
	assert_int_equal(w[37], 0x00);
	assert_int_equal(w[39], 0x05);
}

static void
places_of_data(void **state)
{
	uint8_t w[DGRAM_BYTES];

	(void)state;
	for (unsigned i = 0; i < sizeof(w); i++)
		w[i] = (uint8_t)i;
	assert_int_equal(*dgram_smp_data(w), 64);
	assert_int_equal(*dgram_gmp_data(w), 64);
	assert_int_equal(*dgram_sa_data(w), 56);
	assert_int_equal(*dgram_vendor2_data(w), 40);
	assert_int_equal(*dgram_keyed_data(w), 24);
	assert_int_equal(*dgram_cm_image(w), 24);
	assert_int_equal(*dgram_initial_path(w), 128);
	assert_int_equal(*dgram_return_path(w), 192);
	assert_ptr_equal(dgram_smp_image(w), dgram_smp_data(w));
	assert_ptr_equal(dgram_gmp_image(w), dgram_gmp_data(w));
	assert_ptr_equal(dgram_sa_image(w), dgram_sa_data(w));
	assert_ptr_equal(dgram_vendor2_image(w), dgram_vendor2_data(w));
	assert_ptr_equal(dgram_keyed_image(w), dgram_keyed_data(w));
	assert_ptr_equal(dgram_initial_hops(w), dgram_initial_path(w));
	assert_ptr_equal(dgram_return_hops(w), dgram_return_path(w));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(head_decodes),
		cmocka_unit_test(direction_is_no_status),
		cmocka_unit_test(status_set_keeps_direction),
		cmocka_unit_test(head_round_trip),
		cmocka_unit_test(makes_directed_get),
		cmocka_unit_test(makes_longest_path),
		cmocka_unit_test(makes_lid_set),
		cmocka_unit_test(responds),
		cmocka_unit_test(represses_without_response_bit),
		cmocka_unit_test(sa_head),
		cmocka_unit_test(rmpp_head),
		cmocka_unit_test(rmpp_classes),
		cmocka_unit_test(single_fields),
		cmocka_unit_test(places_of_data),
	};

	return cmocka_run_group_tests_name("dgram", tests, NULL, NULL);
}
