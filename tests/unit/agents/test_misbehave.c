/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_misbehave.c - agents that answer wrongly, late or never, as they were told to.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/hw/rig.h"
#include "sim/agents/agents.h"

static void
misbehave(struct rig *r, enum hw_misbehaviour m, uint16_t attr_id, uint64_t arg)
{
	assert_int_equal(hw_misbehave(r->h, S1, m, attr_id, arg), 0);
}

static void
applies(void **state)
{
	struct hw_node n = { .misbehaviour = HW_MUTE };

	(void)state;
	assert_true(misbehave_applies(&n, HW_MUTE, NODE_INFO_ID));
	assert_false(misbehave_applies(&n, HW_NO_SET, NODE_INFO_ID));
	n.mis_attr = PORT_INFO_ID;
	assert_true(misbehave_applies(&n, HW_MUTE, PORT_INFO_ID));
	assert_false(misbehave_applies(&n, HW_MUTE, NODE_INFO_ID));
}

/* Only the attribute that is named, and only that node. */
static void
mute(void **state)
{
	struct rig *r = *state;

	misbehave(r, HW_MUTE, NODE_DESC_ID, 0);
	assert_false(rig_get(r, NODE_DESC_ID, 0, "1"));
	assert_true(rig_get(r, NODE_INFO_ID, 0, "1"));
	assert_true(rig_get(r, NODE_DESC_ID, 0, "12"));
	misbehave(r, HW_MUTE, 0, 0);
	assert_false(rig_get(r, NODE_INFO_ID, 0, "1"));
	misbehave(r, HW_NONE, 0, 0);
	assert_true(rig_get(r, NODE_DESC_ID, 0, "1"));
}

/* Header fields: the next value by default, else the argument. */
static void
wrong_headers(void **state)
{
	struct rig *r = *state;

	misbehave(r, HW_WRONG_MODIFIER, 0, 0);
	assert_true(rig_get(r, PORT_INFO_ID, 2, "1"));
	assert_int_equal(dgram_modifier(r->p.mad), 3);
	misbehave(r, HW_WRONG_MODIFIER, 0, 77);
	assert_true(rig_get(r, PORT_INFO_ID, 2, "1"));
	assert_int_equal(dgram_modifier(r->p.mad), 77);
	misbehave(r, HW_WRONG_ATTRIBUTE, 0, 0);
	assert_true(rig_get(r, NODE_INFO_ID, 0, "1"));
	assert_int_equal(dgram_attr_id(r->p.mad), NODE_INFO_ID + 1);
	misbehave(r, HW_WRONG_STATUS, 0, 0);
	assert_true(rig_get(r, NODE_INFO_ID, 0, "1"));
	assert_int_equal(rig_status(r), STATUS_BAD_VALUE);
	misbehave(r, HW_WRONG_TID, 0, 0);
	assert_true(rig_get(r, NODE_INFO_ID, 0, "1"));
	assert_int_equal(dgram_tid(r->p.mad), 77 ^ 1);
}

/* Whatever the argument is: two such agents must not answer each other without end. */
static void
wrong_method(void **state)
{
	struct rig *r = *state;

	misbehave(r, HW_WRONG_METHOD, 0, 0);
	assert_true(rig_get(r, NODE_INFO_ID, 0, "1"));
	assert_int_equal(dgram_method(r->p.mad), METHOD_GET_TABLE_RESP);
	misbehave(r, HW_WRONG_METHOD, 0, METHOD_SET);
	assert_true(rig_get(r, NODE_INFO_ID, 0, "1"));
	assert_int_equal(dgram_method(r->p.mad), METHOD_SET | METHOD_RESP);
}

static void
wrong_data(void **state)
{
	struct rig *r = *state;
	uint8_t first[64], zeros[64] = { 0 };

	misbehave(r, HW_ZERO_PAYLOAD, 0, 0);
	assert_true(rig_get(r, NODE_INFO_ID, 0, "1"));
	assert_memory_equal(rig_data(r), zeros, 64);
	misbehave(r, HW_RANDOM_BYTES, 0, 0);
	assert_true(rig_get(r, NODE_INFO_ID, 0, "1"));
	memcpy(first, rig_data(r), 64);
	assert_true(rig_get(r, NODE_INFO_ID, 0, "1"));
	assert_memory_not_equal(rig_data(r), first, 64);
	assert_memory_not_equal(rig_data(r) + 56, zeros, 8);
}

static void
big_counts(void **state)
{
	struct rig *r = *state;

	misbehave(r, HW_BIG_COUNTS, 0, 0);
	assert_true(rig_get(r, NODE_INFO_ID, 0, "1"));
	assert_int_equal(node_info_decode(rig_data(r)).num_ports, 255);
	assert_int_equal(node_info_decode(rig_data(r)).node_guid, GUID_S1);
	assert_true(rig_get(r, SWITCH_INFO_ID, 0, "1"));
	assert_int_equal(switch_info_decode(rig_data(r)).lft_cap, 0xffff);
	assert_true(rig_get(r, PORT_INFO_ID, 1, "1"));
	assert_int_equal(port_info_decode(rig_data(r)).lmc, 7);
	assert_true(rig_get(r, NODE_DESC_ID, 0, "1"));
	assert_int_equal(rig_data(r)[63], 0xff);
}

/* The first other node, or the one that is named; the port of a switch is port 0's. */
static void
duplicate_guid(void **state)
{
	struct rig *r = *state;

	misbehave(r, HW_DUPLICATE_GUID, 0, 0);
	assert_true(rig_get(r, NODE_INFO_ID, 0, "1"));
	assert_int_equal(node_info_decode(rig_data(r)).node_guid, GUID_A);
	assert_int_equal(node_info_decode(rig_data(r)).port_guid, GUID_A + 1);
	misbehave(r, HW_DUPLICATE_GUID, 0, GUID_S2);
	assert_true(rig_get(r, NODE_INFO_ID, 0, "1"));
	assert_int_equal(node_info_decode(rig_data(r)).node_guid, GUID_S2);
	assert_int_equal(node_info_decode(rig_data(r)).port_guid, GUID_S2);
	assert_true(rig_get(r, PORT_INFO_ID, 1, "1")); /* other attributes are right */
	assert_int_equal(port_info_decode(rig_data(r)).local_port, 1);
}

static void
no_set(void **state)
{
	struct rig *r = *state;
	struct port_info pi = rig_no_change(r, 0, "1");

	misbehave(r, HW_NO_SET, 0, 0);
	pi.lid = 17;
	assert_int_equal(rig_set_port(r, 0, "1", pi), 0);
	assert_int_not_equal(rig_port_info(r, 0, "1").lid, 17);
	misbehave(r, HW_NONE, 0, 0);
	assert_int_equal(rig_set_port(r, 0, "1", pi), 0);
	assert_int_equal(rig_port_info(r, 0, "1").lid, 17);
}

/* The answer leaves when its time has come, and not before. */
static void
late(void **state)
{
	struct rig *r = *state;
	struct hw_packet p;

	misbehave(r, HW_LATE, 0, 3000);
	assert_false(rig_get(r, NODE_INFO_ID, 0, "1"));
	rig_wait(r, 2999);
	assert_true(rig_quiet(r));
	rig_wait(r, 1);
	assert_true(rig_delivered(r, A, 1, &p));
	assert_int_equal(dgram_tid(p.mad), 77);
	assert_int_equal(node_info_decode(dgram_smp_data(p.mad)).node_guid, GUID_S1);
	assert_true(rig_quiet(r));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(applies),
		RIG_TEST(mute),
		RIG_TEST(wrong_headers),
		RIG_TEST(wrong_method),
		RIG_TEST(wrong_data),
		RIG_TEST(big_counts),
		RIG_TEST(duplicate_guid),
		RIG_TEST(no_set),
		RIG_TEST(late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
