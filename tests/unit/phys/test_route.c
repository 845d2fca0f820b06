/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_route.c - directed routes to the byte, both ways; packets by LID through right and wrong tables.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/test.h"
#include "tests/unit/hw/rig.h"

enum { PTR = 6, CNT = 7, IP = 128, RP = 192 };

/* A Get(NodeInfo) over three hops, as it lies in the answer: pointer 0, count 3, D and R set, both paths. */
static void
walks_out_and_back(void **state)
{
	static const uint8_t head[24] = { 1, 0x81, 1, 0x81, 0x80, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 77, 0, 0x11 };
	static const uint8_t slids[4] = { 0xff, 0xff, 0xff, 0xff };
	static const uint8_t out[64] = { 0, 1, 2, 4 }, back[64] = { 0, 1, 3, 1 };
	struct rig *r = *state;
	struct node_info ni;

	assert_true(rig_get(r, NODE_INFO_ID, 0, "1.2.4"));
	assert_memory_equal(r->p.mad, head, 24);
	assert_memory_equal(r->p.mad + 32, slids, 4);
	assert_memory_equal(r->p.mad + IP, out, 64);
	assert_memory_equal(r->p.mad + RP, back, 64);
	ni = node_info_decode(rig_data(r));
	assert_int_equal(ni.node_guid, GUID_B);
	assert_int_equal(ni.port_guid, GUID_B + 1);
	assert_int_equal(ni.local_port, 1);
	assert_int_equal(hw_stats(r->h)->hops, 6);
	assert_true(rig_get(r, NODE_INFO_ID, 0, "132"));
	ni = node_info_decode(rig_data(r));
	assert_int_equal(ni.port_guid, GUID_B + 2);
	assert_int_equal(ni.local_port, 2);
}

static void
answers_itself_without_hops(void **state)
{
	struct rig *r = *state;

	assert_true(rig_get(r, NODE_INFO_ID, 0, ""));
	assert_int_equal(node_info_decode(rig_data(r)).node_guid, GUID_A);
	assert_int_equal(r->p.mad[PTR], 0);
	assert_int_equal(hw_stats(r->h)->hops, 0);
	rig_dr_make(r, METHOD_GET, NODE_INFO_ID, 0, "", NULL);
	assert_true(rig_send(r, S2, 0));
	assert_int_equal(node_info_decode(rig_data(r)).node_guid, GUID_S2);
	rig_dr_make(r, METHOD_GET, NODE_INFO_ID, 0, "3.1", NULL);
	assert_true(rig_send(r, S2, 0));
	assert_int_equal(node_info_decode(rig_data(r)).node_guid, GUID_A);
}

static void
loses_what_cannot_go_on(void **state)
{
	static const char *const bad[] = {
		"1.4", "1.9", "1.0", "1.2.4.1", "1.1.1", "1.2.5",       /* free, none, 0, through B, through A, free */
	};
	struct rig *r = *state;

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(rig_get(r, NODE_INFO_ID, 0, bad[i]));
	assert_int_equal(hw_stats(r->h)->dropped_route, 4);
	assert_int_equal(hw_stats(r->h)->dropped_state, 2);
	assert_false(rig_get(r, NODE_INFO_ID, 0, "1.5"));
	assert_int_equal(hw_stats(r->h)->dropped_route, 5);
	assert_true(rig_get(r, NODE_INFO_ID, 0, "1.1"));        /* back to A by its own wire */
	assert_int_equal(node_info_decode(rig_data(r)).node_guid, GUID_A);
}

static void
refuses_what_the_kernel_refuses(void **state)
{
	struct rig *r = *state;

	rig_dr_make(r, METHOD_GET, NODE_INFO_ID, 0, "2", NULL);
	rig_send(r, A, 1);
	assert_int_equal(r->sent, -EINVAL);
	rig_dr_make(r, METHOD_GET, NODE_INFO_ID, 0, "1", NULL);
	r->p.mad[CNT] = 64;
	rig_send(r, A, 1);
	assert_int_equal(r->sent, -EINVAL);
	rig_dr_make(r, METHOD_GET, NODE_INFO_ID, 0, "1", NULL);
	r->p.mad[PTR] = 1;
	rig_send(r, A, 1);
	assert_int_equal(r->sent, -EINVAL);
	rig_dr_make(r, METHOD_GET, NODE_INFO_ID, 0, "1", NULL);
	rig_send(r, A, 2);
	assert_int_equal(r->sent, -EINVAL);
	rig_send(r, S1, 1);
	assert_int_equal(r->sent, -EINVAL);
}

/* 63 hops to and fro between the switches is the longest there is. */
static void
walks_63_hops(void **state)
{
	struct rig *r = *state;

	rig_dr_make(r, METHOD_GET, NODE_INFO_ID, 0, "1", NULL);
	r->p.mad[CNT] = 63;
	for (unsigned i = 2; i <= 63; i++)
		r->p.mad[IP + i] = i % 2 ? 3 : 2;
	assert_true(rig_send(r, A, 1));
	assert_int_equal(node_info_decode(rig_data(r)).node_guid, GUID_S1);
	assert_int_equal(r->p.mad[RP + 2], 3);
	assert_int_equal(r->p.mad[RP + 63], 2);
	assert_int_equal(hw_stats(r->h)->hops, 126);
}

/* DrSLID given, LRH DLID the first switch: by LID to S2, then out of its port 4; back to A by LID. */
static void
walks_a_leading_part_by_lid(void **state)
{
	struct rig *r = *state;

	rig_bring_up(r);
	rig_dr_make(r, METHOD_GET, NODE_INFO_ID, 0, "4", NULL);
	wire_put16(r->p.mad + 32, 1);
	r->p.slid = 1;
	r->p.dlid = 3;
	assert_true(rig_send(r, A, 1));
	assert_int_equal(node_info_decode(rig_data(r)).node_guid, GUID_B);
	assert_int_equal(r->p.mad[PTR], 0);
	assert_int_equal(r->p.slid, 3);
	assert_int_equal(r->p.dlid, 1);
	/* to an adapter that way: it cannot begin a directed part */
	rig_dr_make(r, METHOD_GET, NODE_INFO_ID, 0, "1", NULL);
	wire_put16(r->p.mad + 32, 1);
	r->p.slid = 1;
	r->p.dlid = 4;
	assert_false(rig_send(r, A, 1));
}

/* DrDLID given: directed to S1, by LID to B, the answer by LID to S1 and home along the return path. */
static void
walks_a_trailing_part_by_lid(void **state)
{
	struct rig *r = *state;

	rig_bring_up(r);
	rig_dr_make(r, METHOD_GET, NODE_INFO_ID, 0, "1", NULL);
	wire_put16(r->p.mad + 34, 6);
	assert_true(rig_send(r, A, 1));
	assert_int_equal(node_info_decode(rig_data(r)).port_guid, GUID_B + 2);
	assert_int_equal(r->p.mad[PTR], 0);
	assert_int_equal(r->p.mad[RP + 1], 1);
	/* directed part that ends in an adapter */
	rig_dr_make(r, METHOD_GET, NODE_INFO_ID, 0, "1.2.4", NULL);
	wire_put16(r->p.mad + 34, 6);
	assert_false(rig_send(r, A, 1));
}

static uint64_t
guid_at(struct rig *r, uint16_t lid)
{
	if (!rig_by_lid(r, CLASS_SM_LID, METHOD_GET, NODE_INFO_ID, 0, lid))
		return 0;
	return node_info_decode(rig_data(r)).node_guid;
}

static void
follows_the_tables(void **state)
{
	struct rig *r = *state;

	rig_bring_up(r);
	assert_int_equal(guid_at(r, 1), GUID_A);
	assert_int_equal(guid_at(r, 2), GUID_S1);
	assert_int_equal(guid_at(r, 3), GUID_S2);
	assert_int_equal(guid_at(r, 4), GUID_B);
	assert_int_equal(node_info_decode(rig_data(r)).local_port, 1);
	assert_int_equal(guid_at(r, 5), GUID_B);                /* LMC 1: the second LID of port 1 */
	assert_int_equal(r->p.slid, 5);
	assert_int_equal(guid_at(r, 6), GUID_B);
	assert_int_equal(node_info_decode(rig_data(r)).local_port, 2);
	assert_int_equal(guid_at(r, LID_PERMISSIVE), GUID_S1);  /* whoever is at the other end, by its own LID */
	assert_int_equal(r->p.slid, 2);
	assert_int_equal(r->p.dlid, 1);
	assert_int_equal(guid_at(r, 7), 0);                     /* beyond LinearFDBTop */
	assert_int_equal(guid_at(r, 0xc000), 0);
}

static void
top(struct rig *r, const char *path, uint16_t lid)
{
	uint8_t w[64] = { 0 };

	rig_get(r, SWITCH_INFO_ID, 0, path);
	memcpy(w, rig_data(r), SWITCH_INFO_BYTES);
	wire_put16(w + 6, lid);
	rig_dr(r, METHOD_SET, SWITCH_INFO_ID, 0, path, w);
}

static void
is_lost_where_tables_are_wrong(void **state)
{
	struct rig *r = *state;
	uint64_t lost;

	rig_bring_up(r);
	lost = hw_stats(r->h)->dropped_route;
	rig_lft(r, "12", (const uint8_t[]){ 3, 3, 0, 255, 2, 0 }, 6);
	assert_int_equal(guid_at(r, 4), 0);                     /* 255 */
	assert_int_equal(guid_at(r, 5), 0);                     /* to B's other port, which has not that LID */
	assert_int_equal(guid_at(r, 6), 0);                     /* port 0, whose LID is 3 */
	assert_int_equal(hw_stats(r->h)->dropped_route, lost + 3);
	rig_lft(r, "12", (const uint8_t[]){ 3, 3, 0, 5, 9, 2 }, 6);
	assert_int_equal(guid_at(r, 4), 0);                     /* a port without a cable */
	assert_int_equal(guid_at(r, 5), 0);                     /* a port it has not */
	assert_int_equal(guid_at(r, 6), GUID_B);
	rig_lft(r, "12", (const uint8_t[]){ 3, 3, 0, 3, 4, 2 }, 6);
	assert_int_equal(guid_at(r, 4), 0);                     /* to and fro */
	assert_int_equal(hw_stats(r->h)->dropped_hops, 1);
	rig_lft(r, "12", (const uint8_t[]){ 255, 3, 0, 4, 4, 2 }, 6);
	assert_int_equal(guid_at(r, 4), 0);                     /* gets there, but not back */
	rig_lft(r, "12", (const uint8_t[]){ 3, 3, 0, 4, 4, 2 }, 6);
	assert_int_equal(guid_at(r, 6), GUID_B);
	top(r, "12", 5);
	assert_int_equal(guid_at(r, 6), 0);                     /* an entry above LinearFDBTop is none */
	assert_int_equal(guid_at(r, 5), GUID_B);
}

/* SMPs pass any link that is up, data only where both ends are ACTIVE. */
static void
data_wants_active_links(void **state)
{
	struct rig *r = *state;
	struct port_info pi;

	rig_bring_up(r);
	assert_false(rig_by_lid(r, CLASS_CM, METHOD_SEND, 0x10, 0, 4));
	assert_true(rig_delivered(r, B, 1, NULL));
	pi = rig_no_change(r, 3, "12");
	pi.state = 1;
	rig_set_port(r, 3, "12", pi);
	rig_wait(r, 20000);
	assert_int_equal(rig_port_info(r, 2, "1").state, 2);
	assert_int_equal(guid_at(r, 4), GUID_B);
	while (!rig_quiet(r))
		;
	assert_false(rig_by_lid(r, CLASS_CM, METHOD_SEND, 0x10, 0, 4));
	assert_true(rig_quiet(r));
	for (uint8_t s = 3; s <= 4; s++) {
		pi = rig_no_change(r, 2, "1");
		pi.state = s;
		assert_int_equal(rig_set_port(r, 2, "1", pi), 0);
	}
	assert_false(rig_by_lid(r, CLASS_CM, METHOD_SEND, 0x10, 0, 4));
	assert_true(rig_quiet(r));                              /* the other end is still INIT */
	rig_lid_make(r, CLASS_CM, METHOD_SEND, 0x10, 0, 4, 1);
	assert_false(rig_send(r, B, 1));
	assert_true(rig_quiet(r));                              /* and sends nothing either */
	for (uint8_t s = 3; s <= 4; s++) {
		pi = rig_no_change(r, 3, "13");
		pi.state = s;
		assert_int_equal(rig_set_port(r, 3, "13", pi), 0);
	}
	assert_false(rig_by_lid(r, CLASS_CM, METHOD_SEND, 0x10, 0, 4));
	assert_true(rig_delivered(r, B, 1, NULL));
}

/* A responder sends back by the port its return path ends with, and an adapter forwards nothing. */
static void
answers_only_by_the_port_asked(void **state)
{
	struct rig *r = *state;
	struct hw_packet p;

	rig_get(r, SM_INFO_ID, 0, "124");
	assert_true(rig_delivered(r, B, 1, &p));
	dgram_smp_respond(p.mad, 0);
	hw_send(r->h, B, 2, &p, r->now);
	assert_true(rig_quiet(r));
	p.mad[PTR] = 3;
	hw_send(r->h, B, 1, &p, r->now);
	assert_true(rig_quiet(r));
	p.mad[PTR] = 5;
	hw_send(r->h, B, 1, &p, r->now);
	assert_true(rig_quiet(r));
	p.mad[PTR] = 4;
	p.mad[RP + 2] = 7;                      /* S2 has no such port */
	hw_send(r->h, B, 1, &p, r->now);
	assert_true(rig_quiet(r));
	p.mad[RP + 2] = 3;
	hw_send(r->h, B, 1, &p, r->now);
	assert_true(rig_delivered(r, A, 1, NULL));
	rig_get(r, SM_INFO_ID, 0, "12");
	assert_true(rig_delivered(r, S2, 0, &p));
	dgram_smp_respond(p.mad, 0);
	p.mad[PTR] = 2;                         /* a sender begins with count + 1 */
	hw_send(r->h, S2, 0, &p, r->now);
	assert_true(rig_quiet(r));
}

/* Subnet management is for QP0 only, and QP0 for nothing else. */
static void
keeps_queue_pairs_apart(void **state)
{
	struct rig *r = *state;

	rig_bring_up(r);
	rig_lid_make(r, CLASS_SM_LID, METHOD_GET, NODE_INFO_ID, 0, 1, 4);
	r->p.src_qp = r->p.dst_qp = 1;
	r->p.qkey = QKEY_GSI;
	r->p.pkey = 0xffff;
	assert_false(rig_send(r, A, 1));
	rig_lid_make(r, CLASS_CM, METHOD_SEND, 0x10, 0, 1, 4);
	r->p.src_qp = r->p.dst_qp = 0;
	while (!rig_quiet(r))
		;
	assert_false(rig_send(r, A, 1));
	assert_true(rig_quiet(r));
}

/* Multicast: MLID 0xc002 with these masks of ports 0 to 15 at S1 and S2. */
static void
mft(struct rig *r, uint16_t s1, uint16_t s2)
{
	uint8_t w[64] = { 0 };

	wire_put16(w + 4, s1);
	assert_true(rig_dr(r, METHOD_SET, MFT_BLOCK_ID, 0, "1", w));
	wire_put16(w + 4, s2);
	assert_true(rig_dr(r, METHOD_SET, MFT_BLOCK_ID, 0, "12", w));
}

static void
mcast_send(struct rig *r, uint32_t node, uint8_t port, uint16_t mlid)
{
	rig_lid_make(r, CLASS_PING, METHOD_GET, 0, 0, 1, mlid);
	assert_false(rig_send(r, node, port));
}

static void
copies_multicast(void **state)
{
	struct rig *r = *state;
	uint64_t route, hops;

	rig_bring_up(r);
	mft(r, 1 << 1 | 1 << 2, 1 << 0 | 1 << 2 | 1 << 3 | 1 << 4);
	mcast_send(r, A, 1, 0xc002);
	assert_true(rig_delivered(r, S2, 0, NULL));
	assert_true(rig_delivered(r, B, 2, NULL));
	assert_true(rig_delivered(r, B, 1, NULL));
	assert_true(rig_quiet(r));              /* and none comes back to A */
	mcast_send(r, B, 2, 0xc002);
	assert_true(rig_delivered(r, S2, 0, NULL));
	assert_true(rig_delivered(r, A, 1, NULL));
	assert_true(rig_delivered(r, B, 1, NULL));
	assert_true(rig_quiet(r));
	mcast_send(r, S2, 0, 0xc002);           /* from the switch itself */
	assert_true(rig_delivered(r, B, 2, NULL));
	assert_true(rig_delivered(r, A, 1, NULL));
	assert_true(rig_delivered(r, B, 1, NULL));
	assert_true(rig_quiet(r));
	route = hw_stats(r->h)->dropped_route;
	mcast_send(r, A, 1, 0xc003);            /* another MLID: no bit */
	mcast_send(r, A, 1, 0xfffe);
	assert_true(rig_quiet(r));
	assert_int_equal(hw_stats(r->h)->dropped_route, route + 2);
	mft(r, 1 << 1 | 1 << 2 | 1 << 3, 1 << 1 | 1 << 3 | 1 << 4);     /* a ring of S1.2-S2.3 and S1.3-S2.1 */
	hops = hw_stats(r->h)->dropped_hops;
	mcast_send(r, A, 1, 0xc002);
	assert_true(hw_stats(r->h)->dropped_hops > hops);
	while (!rig_quiet(r))
		;
}

/* MulticastFDBTop cuts off what is above it; 0 cuts off nothing. */
static void
heeds_the_multicast_top(void **state)
{
	static const struct { uint16_t top; bool passes; } tops[] = {
		{ 0, true }, { 0xc002, true }, { 0xc001, false }, { 0xbfff, false }, { 0xc3ff, true },
	};
	struct rig *r = *state;

	rig_bring_up(r);
	mft(r, 1 << 1 | 1 << 2, 1 << 3 | 1 << 4);
	for (unsigned i = 0; i < sizeof(tops) / sizeof(tops[0]); i++) {
		struct switch_info si;
		uint8_t w[64] = { 0 };

		assert_true(rig_get(r, SWITCH_INFO_ID, 0, "12"));
		si = switch_info_decode(rig_data(r));
		si.mft_top = tops[i].top;
		switch_info_encode(w, &si);
		assert_true(rig_dr(r, METHOD_SET, SWITCH_INFO_ID, 0, "12", w));
		assert_int_equal(rig_status(r), 0);
		mcast_send(r, A, 1, 0xc002);
		assert_int_equal(rig_delivered(r, B, 1, NULL), tops[i].passes);
		assert_true(rig_quiet(r));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(copies_multicast),
		RIG_TEST(heeds_the_multicast_top),
		RIG_TEST(walks_out_and_back),
		RIG_TEST(answers_itself_without_hops),
		RIG_TEST(loses_what_cannot_go_on),
		RIG_TEST(refuses_what_the_kernel_refuses),
		RIG_TEST(walks_63_hops),
		RIG_TEST(walks_a_leading_part_by_lid),
		RIG_TEST(walks_a_trailing_part_by_lid),
		RIG_TEST(follows_the_tables),
		RIG_TEST(is_lost_where_tables_are_wrong),
		RIG_TEST(data_wants_active_links),
		RIG_TEST(answers_only_by_the_port_asked),
		RIG_TEST(keeps_queue_pairs_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
