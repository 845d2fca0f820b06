/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_pma.c - counters that packets move, by their offsets in the datagram; partitions of those who ask.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/hw/rig.h"

#define COUNTERS 0x12
#define EXTENDED 0x1d
#define WORDS 72                /* LRH 8, BTH 12, DETH 8, MAD 256, ICRC 4 bytes */
#define XMIT_DATA 24            /* PortCounters: 32 bits each */
#define RCV_DATA 28
#define XMIT_PKTS 32
#define RCV_PKTS 36
#define DISCARDS 14             /* 16 bits */
#define RELAY 12

/* One packet of CM from A to B's port 1, by S1.2 and S2. */
static void
one_packet(struct rig *r)
{
	rig_by_lid(r, CLASS_CM, METHOD_SEND, 0x10, 0, 4);
	while (!rig_quiet(r))
		;
}

/* The counters of one port as they stand, without asking by MAD (which would move them). */
static uint8_t *
ask(struct rig *r, uint8_t method, uint16_t attr, uint16_t dlid, uint8_t port, uint16_t select, const uint8_t *values)
{
	uint8_t *d = rig_data(r);

	rig_lid_make(r, CLASS_PM, method, attr, 0, 1, dlid);
	if (values)
		memcpy(d, values, 192);
	d[1] = port;
	wire_put16(d + 2, select);
	assert_true(rig_send(r, A, 1));
	return d;
}

static void
packets_move_counters(void **state)
{
	struct rig *r = *state;
	uint8_t *d;

	rig_bring_up(r);
	for (unsigned i = 0; i < 5; i++)
		one_packet(r);
	/* S2.4 to B: the five, and not the answer it is about to give, which leaves by port 3. */
	d = ask(r, METHOD_GET, COUNTERS, 3, 4, 0, NULL);
	assert_int_equal(rig_status(r), 0);
	assert_int_equal(r->p.mad[3], 0x81);
	assert_int_equal(wire_get32(d + XMIT_DATA), 5 * WORDS);
	assert_int_equal(wire_get32(d + XMIT_PKTS), 5);
	assert_int_equal(wire_get32(d + RCV_PKTS), 0);
	d = ask(r, METHOD_GET, COUNTERS, 4, 1, 0, NULL);        /* B: five and the question itself */
	assert_int_equal(wire_get32(d + RCV_DATA), 6 * WORDS);
	assert_int_equal(wire_get32(d + RCV_PKTS), 6);
	assert_int_equal(wire_get32(d + XMIT_PKTS), 0);
	d = ask(r, METHOD_GET, COUNTERS, 2, 1, 0, NULL);        /* S1.1: A sent 5 + 3, got 2 answers */
	assert_int_equal(wire_get32(d + RCV_PKTS), 8);
	assert_int_equal(wire_get32(d + XMIT_PKTS), 2);
}

static void
subnet_management_does_not_count(void **state)
{
	struct rig *r = *state;

	rig_bring_up(r);
	assert_int_equal(wire_get32(ask(r, METHOD_GET, COUNTERS, 3, 4, 0, NULL) + XMIT_PKTS), 0);
}

static void
sets_what_is_selected(void **state)
{
	struct rig *r = *state;
	uint8_t v[192] = { 0 }, *d;

	rig_bring_up(r);
	for (unsigned i = 0; i < 5; i++)
		one_packet(r);
	wire_put32(v + XMIT_DATA, 0);
	wire_put32(v + XMIT_PKTS, 1000);
	ask(r, METHOD_SET, COUNTERS, 3, 4, 1 << 14, v);         /* XmitPkts only */
	d = ask(r, METHOD_GET, COUNTERS, 3, 4, 0, NULL);
	assert_int_equal(wire_get32(d + XMIT_PKTS), 1000);
	assert_int_equal(wire_get32(d + XMIT_DATA), 5 * WORDS);
	one_packet(r);
	d = ask(r, METHOD_GET, COUNTERS, 3, 4, 0, NULL);
	assert_int_equal(wire_get32(d + XMIT_PKTS), 1001);
	d = ask(r, METHOD_GET, EXTENDED, 3, 4, 0, NULL);        /* the other view has its own zero */
	assert_int_equal(wire_get64(d + 24), 6);
	assert_int_equal(wire_get64(d + 8), 6 * WORDS);
	assert_int_equal(wire_get64(d + 40), 6);                /* unicast */
	assert_int_equal(wire_get64(d + 56), 0);
	memset(v, 0, sizeof(v));
	ask(r, METHOD_SET, EXTENDED, 3, 4, 0xff, v);
	d = ask(r, METHOD_GET, EXTENDED, 3, 4, 0, NULL);
	assert_int_equal(wire_get64(d + 24), 0);
	d = ask(r, METHOD_GET, COUNTERS, 3, 4, 0, NULL);
	assert_int_equal(wire_get32(d + XMIT_PKTS), 1001);
}

static void
saturates(void **state)
{
	struct rig *r = *state;
	uint8_t v[192] = { 0 }, *d;

	rig_bring_up(r);
	wire_put32(v + XMIT_PKTS, 0xfffffffe);
	v[7] = 0xff;                                            /* LinkDowned, 8 bits */
	v[19] = 0xf0;                                           /* LocalLinkIntegrity, 4 bits */
	ask(r, METHOD_SET, COUNTERS, 3, 4, 1 << 14 | 1 << 2 | 1 << 9, v);
	for (unsigned i = 0; i < 3; i++)
		one_packet(r);
	d = ask(r, METHOD_GET, COUNTERS, 3, 4, 0, NULL);
	assert_int_equal(wire_get32(d + XMIT_PKTS), 0xffffffff);
	assert_int_equal(d[7], 0xff);
	assert_int_equal(d[19], 0xf0);
}

static void
selects_ports(void **state)
{
	struct rig *r = *state;
	uint8_t *d;

	rig_bring_up(r);
	one_packet(r);
	d = ask(r, METHOD_GET, COUNTERS, 3, 0xff, 0, NULL);     /* all: in by 3, out by 4, and the question in by 3 */
	assert_int_equal(wire_get32(d + XMIT_PKTS), 1);
	assert_int_equal(wire_get32(d + RCV_PKTS), 2);
	assert_int_equal(d[1], 0xff);
	d = ask(r, METHOD_GET, COUNTERS, 4, 0xff, 0, NULL);
	assert_int_equal(wire_get32(d + RCV_PKTS), 2);
	ask(r, METHOD_GET, COUNTERS, 3, 6, 0, NULL);
	assert_int_equal(rig_status(r), 0x1c);
	ask(r, METHOD_GET, COUNTERS, 4, 2, 0, NULL);            /* an adapter's: the receiving one */
	assert_int_equal(rig_status(r), 0x1c);
	ask(r, METHOD_GET, COUNTERS, 3, 0, 0, NULL);
	assert_int_equal(rig_status(r), 0);
	ask(r, METHOD_SET, COUNTERS, 3, 0xff, 0xffff, (const uint8_t[192]){ 0 });
	d = ask(r, METHOD_GET, COUNTERS, 3, 4, 0, NULL);
	assert_int_equal(wire_get32(d + XMIT_PKTS), 0);
}

static void
counts_what_is_dropped(void **state)
{
	struct rig *r = *state;
	struct port_info pi;
	uint8_t *d;

	rig_bring_up(r);
	rig_dr(r, METHOD_SET, SLVL_TABLE_ID, 3 << 8 | 4, "12", (const uint8_t[64]){ 0xf0 });
	one_packet(r);                                          /* SL 0 is discarded from 3 to 4 */
	d = ask(r, METHOD_GET, COUNTERS, 3, 4, 0, NULL);
	assert_int_equal(wire_get16(d + DISCARDS), 1);
	rig_dr(r, METHOD_SET, SLVL_TABLE_ID, 3 << 8 | 4, "12", (const uint8_t[64]){ 0 });
	rig_lft(r, "12", (const uint8_t[]){ 3, 3, 0, 255, 4, 2 }, 6);
	one_packet(r);
	d = ask(r, METHOD_GET, COUNTERS, 3, 3, 0, NULL);
	assert_int_equal(wire_get16(d + RELAY), 1);
	rig_lft(r, "12", (const uint8_t[]){ 3, 3, 0, 4, 4, 2 }, 6);
	pi = rig_no_change(r, 0, "124");
	pi.state = 1;
	rig_set_port(r, 0, "124", pi);
	rig_wait(r, 1);
	one_packet(r);
	d = ask(r, METHOD_GET, COUNTERS, 3, 4, 0, NULL);
	assert_int_equal(wire_get16(d + DISCARDS), 2);
	assert_int_equal(d[7], 1);                              /* LinkDowned */
}

/* Each detail attribute: its counter moves by what is injected, is selected by its bit, stops at all ones. */
static void
shows_details(void **state)
{
	static const struct { uint16_t attr; const char *name; uint8_t at, bytes; uint16_t select; } rows[] = {
		{ 0x15, "PortLocalPhysicalErrors", 4, 2, 1 << 0 }, { 0x15, "PortLoopingErrors", 14, 2, 1 << 5 },
		{ 0x16, "PortInactiveDiscards", 4, 2, 1 << 0 }, { 0x16, "PortSwHOQLifetimeLimitDiscards", 10, 2, 1 << 3 },
		{ 0x18, "PortXmitFlowPkts", 4, 4, 1 << 0 }, { 0x18, "PortRcvFlowPkts", 8, 4, 1 << 1 },
		{ 0x1c, "PortVLXmitWait0", 4, 2, 1 << 0 }, { 0x1c, "PortVLXmitWait15", 34, 2, 1 << 15 },
		{ 0x30, "SWPortVLCongestion7", 18, 2, 1 << 7 }, { 0x31, "PortPktRcvFECN", 4, 4, 1 << 0 },
		{ 0x31, "PortPktRcvBECN", 8, 4, 1 << 1 }, { 0x32, "PortSLRcvFECN2", 12, 4, 1 << 2 },
		{ 0x33, "PortSLRcvBECN15", 64, 4, 1 << 15 }, { 0x34, "PortXmitTimeCong", 4, 4, 1 << 0 },
		{ 0x35, "PortVLXmitTimeCong14", 60, 4, 1 << 14 }, { 0x36, "XmtDataSL9", 40, 4, 1 << 9 },
		{ 0x37, "RcvDataSL15", 64, 4, 1 << 15 },
	};
	struct rig *r = *state;

	rig_bring_up(r);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned c = (unsigned)hw_counter_find(rows[i].name);
		uint64_t all = rows[i].bytes == 2 ? 0xffff : 0xffffffff;
		uint8_t *d, zero[192] = { 0 };

		assert_int_equal(hw_error_add(r->h, S2, 4, c, 77, r->now), 0);
		d = ask(r, METHOD_GET, rows[i].attr, 3, 4, 0, NULL);
		assert_int_equal(rig_status(r), 0);
		assert_int_equal(wire_bits_get(d, rows[i].at * 8u, rows[i].bytes * 8u), 77);
		d = ask(r, METHOD_SET, rows[i].attr, 3, 4, (uint16_t)~rows[i].select, zero);
		assert_int_equal(wire_bits_get(d, rows[i].at * 8u, rows[i].bytes * 8u), 77);
		d = ask(r, METHOD_SET, rows[i].attr, 3, 4, rows[i].select, zero);
		assert_int_equal(wire_bits_get(d, rows[i].at * 8u, rows[i].bytes * 8u), 0);
		hw_error_add(r->h, S2, 4, c, all + 5, r->now);
		d = ask(r, METHOD_GET, rows[i].attr, 3, 4, 0, NULL);
		assert_int_equal(wire_bits_get(d, rows[i].at * 8u, rows[i].bytes * 8u), all);
	}
	ask(r, METHOD_GET, 0x30, 4, 1, 0, NULL);                /* of switches only */
	assert_int_equal(rig_status(r), 0x0c);
}

static void
shows_lanes(void **state)
{
	struct rig *r = *state;
	uint8_t *d, v[192] = { 0 };

	topo_port(&r->topo, S2, 4)->speed_ext = topo_port(&r->topo, B, 1)->speed_ext = 2;       /* EDR */
	hw_free(r->h);
	r->h = hw_new(&r->topo, &(struct hw_conf){ .seed = 1 });
	rig_bring_up(r);
	hw_error_add(r->h, S2, 4, (unsigned)hw_counter_find("SyncHeaderErrorCounter"), 3, r->now);
	hw_error_add(r->h, S2, 4, (unsigned)hw_counter_find("ErrorDetectionCounterLane11"), 4, r->now);
	hw_error_add(r->h, S2, 4, (unsigned)hw_counter_find("FECCorrectableBlockCtrLane3"), 5, r->now);
	hw_error_add(r->h, S2, 4, (unsigned)hw_counter_find("FECUncorrectableBlockCtrLane11"), 6, r->now);
	d = ask(r, METHOD_GET, 0x1f, 3, 4, 0, NULL);
	assert_int_equal(wire_get16(d + 16), 3);
	assert_int_equal(wire_get16(d + 42), 4);
	assert_int_equal(wire_get32(d + 56), 5);
	assert_int_equal(wire_get32(d + 136), 6);
	wire_put64(v + 8, UINT64_C(1) << 17 | UINT64_C(1) << 37);       /* lane 3 correctable, lane 11 uncorrectable */
	d = ask(r, METHOD_SET, 0x1f, 3, 4, 0, v);
	assert_int_equal(wire_get16(d + 16), 3);
	assert_int_equal(wire_get32(d + 56), 0);
	assert_int_equal(wire_get32(d + 136), 0);
}

/* HDR has Reed-Solomon: symbols by lane, blocks of the port. */
static void
shows_symbols(void **state)
{
	struct rig *r = *state;
	uint8_t *d, v[192] = { 0 };

	rig_bring_up(r);
	hw_error_add(r->h, S2, 4, (unsigned)hw_counter_find("ErrorDetectionCounterLane11"), 4, r->now);
	hw_error_add(r->h, S2, 4, (unsigned)hw_counter_find("FECCorrectableSymbolCtrLane3"), 5, r->now);
	hw_error_add(r->h, S2, 4, (unsigned)hw_counter_find("PortFECCorrectableBlockCtr"), 6, r->now);
	hw_error_add(r->h, S2, 4, (unsigned)hw_counter_find("PortFECUncorrectableBlockCtr"), 7, r->now);
	hw_error_add(r->h, S2, 4, (unsigned)hw_counter_find("PortFECCorrectedSymbolCtr"), 8, r->now);
	d = ask(r, METHOD_GET, 0x1f, 3, 4, 0, NULL);
	assert_int_equal(wire_get16(d + 42), 4);
	assert_int_equal(wire_get32(d + 56), 5);
	assert_int_equal(wire_get32(d + 140), 6);
	assert_int_equal(wire_get32(d + 144), 7);
	assert_int_equal(wire_get32(d + 148), 8);
	wire_put64(v + 8, UINT64_C(1) << 17 | UINT64_C(1) << 39);
	d = ask(r, METHOD_SET, 0x1f, 3, 4, 0, v);
	assert_int_equal(wire_get32(d + 56), 0);
	assert_int_equal(wire_get32(d + 140), 6);
	assert_int_equal(wire_get32(d + 144), 0);
}

/* By the op code that was asked for: MADs are UD SEND only, 0x64. */
static void
counts_op_codes(void **state)
{
	struct rig *r = *state;
	uint8_t *d, v[192] = { 0x64 };

	rig_bring_up(r);
	ask(r, METHOD_SET, 0x17, 4, 1, 0, v);
	ask(r, METHOD_SET, 0x19, 4, 1, 0, v);
	ask(r, METHOD_SET, 0x1a, 4, 1, 0, v);
	one_packet(r);
	d = ask(r, METHOD_GET, 0x19, 4, 1, 0, NULL);
	assert_int_equal(d[0], 0x64);
	assert_int_equal(wire_get16(d + 4), 3);                 /* the Set of 0x1a, the packet, this question */
	d = ask(r, METHOD_GET, 0x1a, 4, 1, 0, NULL);
	assert_int_equal(wire_get32(d + 4), 3 * WORDS);
	d = ask(r, METHOD_GET, 0x17, 4, 1, 0, NULL);
	assert_int_equal(wire_get32(d + 4), 6);
	assert_int_equal(wire_get32(d + 8), 6 * WORDS);
}

static void
samples(void **state)
{
	struct rig *r = *state;
	uint8_t *d, v[192] = { 0 };

	rig_bring_up(r);
	wire_put32(v + 28, 1000);                               /* starts after 1 ms, takes 10 ms */
	wire_put32(v + 32, 10000);
	wire_put16(v + 36, 0x4711);
	wire_put16(v + 38, 3);                                  /* XmitPkts */
	wire_put16(v + 40, 1);                                  /* XmitData */
	d = ask(r, METHOD_SET, 0x10, 3, 4, 0, v);
	assert_int_equal(rig_status(r), 0);
	assert_int_equal(d[11] & 3, 1);                         /* started */
	one_packet(r);
	rig_wait(r, 1500);
	d = ask(r, METHOD_GET, 0x10, 3, 4, 0, NULL);
	assert_int_equal(d[11] & 3, 2);                         /* running */
	ask(r, METHOD_SET, 0x10, 3, 4, 0, v);
	assert_int_equal(rig_status(r), 0x1c);
	one_packet(r);
	one_packet(r);
	rig_wait(r, 10000);
	one_packet(r);
	d = ask(r, METHOD_GET, 0x11, 3, 0, 0, NULL);
	assert_int_equal(wire_get16(d), 0x4711);
	assert_int_equal(d[3] & 3, 0);
	assert_int_equal(wire_get32(d + 4), 2);
	assert_int_equal(wire_get32(d + 8), 2 * WORDS);
	d = ask(r, METHOD_GET, 0x1e, 3, 0, 0, NULL);
	assert_int_equal(wire_get64(d + 8), 2);
	assert_int_equal(wire_get64(d + 16), 2 * WORDS);
}

static void
says_what_it_can(void **state)
{
	struct rig *r = *state;
	uint8_t *d;

	rig_bring_up(r);
	d = ask(r, METHOD_GET, 1, 4, 0, 0, NULL);
	assert_int_equal(d[0], 1);
	assert_int_equal(d[1], 1);
	assert_int_equal(wire_get16(d + 2) & 0x0300, 0x0300);   /* all ports, extended */
	assert_int_equal(wire_get32(d + 4) >> 5, 1u << 26 | 2);
	ask(r, METHOD_GET, 0x20, 4, 1, 0, NULL);
	assert_int_equal(rig_status(r), 0x0c);
	ask(r, 6, COUNTERS, 4, 1, 0, NULL);
	assert_int_equal(rig_status(r), 0x08);
	rig_lid_make(r, CLASS_PM, METHOD_GET, COUNTERS, 5, 1, 4);
	rig_send(r, A, 1);
	assert_int_equal(rig_status(r), 0x1c);
	rig_lid_make(r, CLASS_PM, METHOD_GET, COUNTERS, 0, 1, 4);
	r->p.mad[2] = 2;
	rig_send(r, A, 1);
	assert_int_equal(rig_status(r), 0x04);
}

/* Full and limited members talk, two limited ones do not; the answer comes under the answerer's own key. */
static void
partitions_match(void **state)
{
	static const struct { uint16_t sent; bool answered; uint16_t back; } asks[] = {
		{ 0xffff, true, 0x7fff }, { 0x7fff, false, 0 }, { 0x8001, true, 0x8001 }, { 0x0001, true, 0x8001 },
		{ 0x8002, false, 0 }, { 0x8000, false, 0 }, { 0, false, 0 },
	};
	struct rig *r = *state;

	rig_bring_up(r);
	rig_dr(r, METHOD_SET, PKEY_TABLE_ID, 0, "124", (const uint8_t[64]){ 0x7f, 0xff, 0, 1, 0x80, 1 });
	rig_dr(r, METHOD_SET, PKEY_TABLE_ID, 0, "", (const uint8_t[64]){ 0xff, 0xff, 0x80, 1 });
	for (unsigned i = 0; i < sizeof(asks) / sizeof(asks[0]); i++) {
		rig_lid_make(r, CLASS_PM, METHOD_GET, COUNTERS, 0, 1, 4);
		rig_data(r)[1] = 1;
		r->p.pkey = asks[i].sent;
		assert_int_equal(rig_send(r, A, 1), asks[i].answered);
		if (asks[i].answered)
			assert_int_equal(r->p.pkey, asks[i].back);
	}
	assert_int_equal(rig_port_info(r, 0, "124").pkey_violations, 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(packets_move_counters), RIG_TEST(subnet_management_does_not_count),
		RIG_TEST(sets_what_is_selected), RIG_TEST(saturates), RIG_TEST(selects_ports),
		RIG_TEST(counts_what_is_dropped), RIG_TEST(shows_details), RIG_TEST(shows_lanes), RIG_TEST(shows_symbols), RIG_TEST(counts_op_codes),
		RIG_TEST(samples), RIG_TEST(says_what_it_can), RIG_TEST(partitions_match),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
