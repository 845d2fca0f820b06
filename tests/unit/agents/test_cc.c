/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_cc.c - congestion control, and the vendor class, by their offsets in the datagram.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/hw/rig.h"

#define KEY 24                  /* in the datagram */
#define LOG 32
#define DATA 64
#define LID_S2 3
#define LID_B 4

/* Asks (LID) with a key; true: an answer.  It stands in r->p.mad. */
static bool
ask(struct rig *r, uint8_t method, uint16_t attr, uint32_t mod, uint16_t dlid, uint64_t key, const uint8_t *data)
{
	rig_lid_make(r, CLASS_CC, method, attr, mod, 1, dlid);
	r->p.mad[2] = 2;
	wire_put64(r->p.mad + KEY, key);
	if (data)
		memcpy(r->p.mad + DATA, data, 192);
	return rig_send(r, A, 1);
}

static void
says_what_it_can(void **state)
{
	struct rig *r = *state;

	rig_bring_up(r);
	assert_true(ask(r, METHOD_GET, 0x01, 0, LID_S2, 0, NULL));
	assert_int_equal(r->p.mad[DATA + 1], 2);
	assert_true(ask(r, METHOD_GET, 0x11, 0, LID_B, 0, NULL));
	assert_int_equal(rig_status(r), 0);
	assert_int_equal(r->p.mad[DATA + 2], 2);                        /* blocks of the table */
	assert_true(ask(r, METHOD_GET, 0x11, 0, LID_S2, 0, NULL));
	assert_int_equal(r->p.mad[DATA + 2], 0);
	ask(r, METHOD_GET, 0x14, 0, LID_B, 0, NULL);
	assert_int_equal(rig_status(r), 0x0c);
	ask(r, METHOD_GET, 0x16, 0, LID_S2, 0, NULL);
	assert_int_equal(rig_status(r), 0x0c);
	ask(r, METHOD_GET, 0x17, 2, LID_B, 0, NULL);
	assert_int_equal(rig_status(r), 0x1c);
	ask(r, METHOD_GET, 0x15, 1, LID_S2, 0, NULL);
	assert_int_equal(rig_status(r), 0x1c);
	ask(r, METHOD_GET, 0x99, 0, LID_S2, 0, NULL);
	assert_int_equal(rig_status(r), 0x0c);
	rig_lid_make(r, CLASS_CC, METHOD_GET, 0x11, 0, 1, LID_B);
	rig_send(r, A, 1);
	assert_int_equal(rig_status(r), 0x04);                          /* class version 1 */
	r->now.us += 128;
	ask(r, METHOD_GET, 0x18, 0, LID_B, 0, NULL);
	assert_int_equal(wire_get32(r->p.mad + DATA), (uint64_t)r->now.us * 1000 / 1024);
}

static void
keys_protect(void **state)
{
	uint8_t k[192] = { 0 }, table[192] = { 0, 1 };
	struct rig *r = *state;

	rig_bring_up(r);
	wire_put64(k, 0x1234);
	wire_put16(k + 10, 5);                                          /* lease: seconds */
	k[8] = 0x80;
	assert_true(ask(r, METHOD_SET, 0x12, 0, LID_B, 0, k));
	assert_int_equal(wire_get64(r->p.mad + DATA), 0x1234);
	assert_false(ask(r, METHOD_SET, 0x17, 0, LID_B, 0x9999, table));
	assert_false(ask(r, METHOD_SET, 0x12, 0, LID_B, 0, (const uint8_t[192]){ 0 }));
	assert_true(ask(r, METHOD_GET, 0x12, 0, LID_B, 0, NULL));
	assert_int_equal(wire_get64(r->p.mad + DATA), 0);               /* hidden */
	assert_int_equal(r->p.mad[DATA + 8], 0x80);
	assert_int_equal(wire_get16(r->p.mad + DATA + 12), 2);          /* violations */
	assert_true(ask(r, METHOD_SET, 0x17, 0, LID_B, 0x1234, table));
	assert_int_equal(rig_status(r), 0);
	assert_false(ask(r, METHOD_SET, 0x17, 0, LID_B, 0, table));
	r->now.us += 5000001;                                           /* nobody with the key came by */
	assert_true(ask(r, METHOD_SET, 0x17, 0, LID_B, 0, table));
	wire_put16(k + 12, 0xffff);
	ask(r, METHOD_SET, 0x12, 0, LID_B, 0x1234, k);
	assert_int_equal(wire_get16(r->p.mad + DATA + 12), 3);
	wire_put16(k + 12, 0);
	ask(r, METHOD_SET, 0x12, 0, LID_B, 0x1234, k);
	assert_int_equal(wire_get16(r->p.mad + DATA + 12), 0);
}

static void
takes_settings(void **state)
{
	uint8_t d[192] = { 0 };
	struct rig *r = *state;

	rig_bring_up(r);
	wire_put32(d, 0x14);                                            /* threshold and packet size, marking rate */
	memset(d + 4, 0xff, 64);
	d[68] = 0xf0;
	d[69] = 8;
	d[70] = 0xf0;
	wire_put16(d + 74, 0x102);
	ask(r, METHOD_SET, 0x14, 0, LID_S2, 0, d);
	ask(r, METHOD_GET, 0x14, 0, LID_S2, 0, NULL);
	assert_int_equal(r->p.mad[DATA + 4], 0);
	assert_int_equal(r->p.mad[DATA + 68], 0xf0);
	assert_int_equal(r->p.mad[DATA + 69], 8);
	assert_int_equal(r->p.mad[DATA + 70], 0);
	assert_int_equal(wire_get16(r->p.mad + DATA + 74), 0x102);
	memset(d, 0, sizeof(d));
	wire_put16(d, 1);
	wire_put16(d + 2, 1 << 3);                                      /* SL 3 */
	memset(d + 4, 0x11, 128);
	ask(r, METHOD_SET, 0x16, 0, LID_B, 0, d);
	ask(r, METHOD_GET, 0x16, 0, LID_B, 0, NULL);
	assert_int_equal(wire_get16(r->p.mad + DATA + 4 + 2 * 8), 0);
	assert_int_equal(wire_get16(r->p.mad + DATA + 4 + 3 * 8), 0x1111);
	memset(d, 0, sizeof(d));
	wire_put16(d, 127);
	wire_put16(d + 4 + 2 * 63, 0xc00f);
	ask(r, METHOD_SET, 0x17, 1, LID_B, 0, d);
	ask(r, METHOD_GET, 0x17, 1, LID_B, 0, NULL);
	assert_int_equal(wire_get16(r->p.mad + DATA), 127);
	assert_int_equal(wire_get16(r->p.mad + DATA + 4 + 2 * 63), 0xc00f);
	memset(d, 0xff, sizeof(d));
	ask(r, METHOD_SET, 0x15, 0, LID_S2, 0, d);
	ask(r, METHOD_GET, 0x15, 0, LID_S2, 0, NULL);
	assert_int_equal(wire_get32(r->p.mad + DATA + 4 * 5), 0xffffffff);
	assert_int_equal(wire_get32(r->p.mad + DATA + 4 * 6), 0);       /* it has five ports */
}

/* With a threshold the switch marks one of four on the full port; the receiver sees marks, senders are told. */
static void
marks_and_logs(void **state)
{
	struct hw_traffic t = { .kind = HW_TRAFFIC_HOTSPOT, .share_ppm = 1000000, .hot_node = B, .hot_port = 1 };
	struct rig *r = *state;
	uint64_t packets = UINT64_C(6250000000) / 518, v = 0;
	uint8_t d[192] = { 0 };

	rig_bring_up(r);
	hw_traffic_start(r->h, &t, r->now);
	wire_put32(d, 0x14);
	d[68] = 0xf0;
	wire_put16(d + 74, 3);
	ask(r, METHOD_SET, 0x14, 0, LID_S2, 0, d);
	r->now.us += 1000000;
	hw_counter_get(r->h, B, 1, (unsigned)hw_counter_find("PortPktRcvFECN"), r->now, &v);
	assert_in_range(v, packets / 4 - 1, packets / 4 + 1);
	hw_counter_get(r->h, A, 1, (unsigned)hw_counter_find("PortPktRcvBECN"), r->now, &v);
	assert_in_range(v, packets / 8 - 1, packets / 8 + 1);
	hw_counter_get(r->h, S2, 4, (unsigned)hw_counter_find("SWPortVLCongestion0"), r->now, &v);
	assert_in_range(v, packets / 4 - 1, packets / 4 + 1);
	assert_true(ask(r, METHOD_GET, 0x13, 0, LID_S2, 0, NULL));
	assert_int_equal(r->p.mad[LOG], 1);
	assert_int_equal(wire_get16(r->p.mad + LOG + 2), 0xffff);       /* events, saturated */
	assert_int_equal(r->p.mad[LOG + 8], 1 << 4);                    /* port 4 */
	assert_int_equal(wire_get16(r->p.mad + LOG + 40 + 2), LID_B);
	assert_true(ask(r, METHOD_GET, 0x13, 0, 1, 0, NULL));           /* A about itself */
	assert_int_equal(r->p.mad[LOG], 2);
	assert_int_equal(wire_get16(r->p.mad + LOG + 4), 1);            /* SL 0 */
	assert_int_equal(wire_get16(r->p.mad + LOG + 12 + 8), 1);
	assert_int_equal(wire_get16(r->p.mad + LOG + 12 + 10), LID_B);
}

static bool
vendor(struct rig *r, uint8_t method, uint16_t attr, uint32_t mod, uint16_t dlid)
{
	rig_lid_make(r, CLASS_VENDOR_A, method, attr, mod, 1, dlid);
	return rig_send(r, A, 1);
}

static void
vendor_tells(void **state)
{
	struct rig *r = *state;

	rig_bring_up(r);
	r->now.us += 90 * INT64_C(1000000);
	assert_true(vendor(r, METHOD_GET, 0x01, 0, LID_S2));
	assert_int_equal(r->p.mad[25], 1);
	assert_true(vendor(r, METHOD_GET, 0x17, 0, LID_S2));
	assert_int_equal(rig_status(r), 0);
	assert_int_equal(wire_get32(r->p.mad + 24 + 36), (uint32_t)(r->now.us / 1000000));
	assert_memory_equal(r->p.mad + 24 + 56, "HEDDLE_SIM", 11);
	vendor(r, METHOD_GET, 0x90, 6, LID_S2);
	assert_int_equal(rig_status(r), 0x1c);
	vendor(r, METHOD_GET, 0x90, 5, LID_S2);
	assert_int_equal(r->p.mad[24 + 11], 2);
	assert_int_equal(wire_get32(r->p.mad + 24 + 16), 0x106);
	rig_lid_make(r, CLASS_VENDOR_A, METHOD_SET, 0x91, 5, 1, LID_S2);
	r->p.mad[24 + 15] = 2;
	r->p.mad[24 + 19] = 8;
	assert_true(rig_send(r, A, 1));
	assert_int_equal(rig_status(r), 0);
	vendor(r, METHOD_GET, 0x91, 5, LID_S2);
	assert_int_equal(r->p.mad[24 + 15], 2);
	assert_int_equal(r->p.mad[24 + 19], 8);
	rig_lid_make(r, CLASS_VENDOR_A, METHOD_SET, 0x91, 5, 1, LID_S2);
	r->p.mad[24 + 15] = 77;
	rig_send(r, A, 1);
	assert_int_equal(rig_status(r), 0x1c);
	vendor(r, METHOD_GET, 0x50, 2u << 22 | 16u << 16, LID_S2);      /* not the device that has such registers */
	assert_int_equal(rig_status(r), 0x1c);
	vendor(r, METHOD_GET, 0x50, 63u << 16, LID_S2);
	assert_int_equal(rig_status(r), 0x1c);
}

/* Requests of the three classes with any bytes behind the header: an answer with a known status, or none. */
static void
survives_anything(void **state)
{
	static const uint8_t classes[] = { CLASS_PM, CLASS_CC, CLASS_VENDOR_A };
	struct hw_traffic t = { .kind = HW_TRAFFIC_UNIFORM, .share_ppm = 900000 };
	struct rig *r = *state;
	uint64_t dice = 99;
	unsigned answers = 0;

	rig_bring_up(r);
	hw_traffic_start(r->h, &t, r->now);
	for (unsigned i = 0; i < 60000; i++) {
		uint16_t dlid = i & 1 ? LID_B : LID_S2, attr = (uint16_t)(i / 6 % 0x98);

		rig_lid_make(r, classes[i % 3], i & 4 ? METHOD_SET : METHOD_GET, attr, 0, 1, dlid);
		for (unsigned k = 24; k < 256; k += 8) {
			dice = dice * UINT64_C(6364136223846793005) + 1442695040888963407u;
			wire_put64(r->p.mad + k, i & 8 ? dice : i & 16 ? dice >> 56 : UINT64_MAX);
		}
		if (classes[i % 3] == CLASS_CC)
			r->p.mad[2] = 2;
		r->p.mad[65] = i & 32 ? 0xff : (uint8_t)(i >> 6 & 7);           /* PortSelect */
		if (i & 64)
			wire_put32(r->p.mad + 20, (uint32_t)(dice >> (i & 128 ? 60 : 32)));
		r->now.us += 100;
		if (rig_send(r, A, 1)) {
			unsigned s = rig_status(r);

			answers++;
			assert_true(s == 0 || s == 0x0c || s == 0x1c);
		}
		while (!rig_quiet(r))
			;
	}
	assert_true(answers > 20000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(says_what_it_can), RIG_TEST(keys_protect), RIG_TEST(takes_settings), RIG_TEST(marks_and_logs),
		RIG_TEST(vendor_tells), RIG_TEST(survives_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
