/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_links.c - cables pulled and plugged, links set down and disabled, speeds agreed, nodes rebooted and added.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/test.h"
#include "tests/unit/hw/rig.h"

static unsigned
state_of(struct rig *r, uint32_t port, const char *path)
{
	return rig_port_info(r, port, path).state;
}

static bool
psc(struct rig *r, const char *path)
{
	assert_true(rig_get(r, SWITCH_INFO_ID, 0, path));
	return switch_info_decode(rig_data(r)).port_state_change;
}

static void
clear_psc(struct rig *r, const char *path)
{
	uint8_t w[64] = { 0 };

	rig_get(r, SWITCH_INFO_ID, 0, path);
	memcpy(w, rig_data(r), SWITCH_INFO_BYTES);
	w[11] |= 0x04;
	rig_dr(r, METHOD_SET, SWITCH_INFO_ID, 0, path, w);
}

static int
set_states(struct rig *r, uint32_t port, const char *path, uint8_t state, uint8_t phys)
{
	struct port_info pi = rig_no_change(r, port, path);

	pi.state = state;
	pi.phys_state = phys;
	return rig_set_port(r, port, path, pi);
}

static void
a_pulled_cable_takes_both_ends_down(void **state)
{
	struct rig *r = *state;
	struct port_info pi;

	clear_psc(r, "1");
	clear_psc(r, "12");
	assert_false(psc(r, "1"));
	assert_int_equal(hw_cable_pull(r->h, S1, 2, r->now), 0);
	pi = rig_port_info(r, 2, "1");
	assert_int_equal(pi.state, 1);
	assert_int_equal(pi.phys_state, 2);
	assert_int_equal(state_of(r, 3, "13"), 1);
	assert_true(psc(r, "1"));
	assert_true(psc(r, "13"));
	assert_false(rig_get(r, NODE_INFO_ID, 0, "12"));
	assert_int_equal(hw_cable_pull(r->h, S1, 2, r->now), -EINVAL);
	assert_int_equal(hw_cable_pull(r->h, S1, 5, r->now), -ENOENT);
	assert_int_equal(hw_cable_pull(r->h, S1, 0, r->now), -ENOENT);
	assert_int_equal(hw_cable_plug(r->h, S1, 3, S2, 3, r->now), -EEXIST);
	assert_int_equal(hw_cable_plug(r->h, S1, 2, S2, 5, r->now), 0);  /* elsewhere */
	assert_int_equal(state_of(r, 2, "1"), 1);
	rig_wait(r, 9999);
	assert_int_equal(state_of(r, 2, "1"), 1);
	rig_wait(r, 1);
	assert_int_equal(state_of(r, 2, "1"), 2);
	assert_int_equal(state_of(r, 5, "12"), 2);
	assert_int_equal(state_of(r, 3, "12"), 1);
}

static void
a_cable_pulled_in_training_does_not_come_up(void **state)
{
	struct rig *r = *state;

	hw_cable_pull(r->h, S1, 2, r->now);
	hw_cable_plug(r->h, S1, 2, S2, 3, r->now);
	rig_wait(r, 5000);
	hw_cable_pull(r->h, S1, 2, r->now);
	rig_wait(r, 20000);
	assert_int_equal(state_of(r, 2, "1"), 1);
	hw_cable_plug(r->h, S1, 2, S2, 3, r->now);
	rig_wait(r, 10000);
	assert_int_equal(state_of(r, 2, "1"), 2);
}

/* The port that was told is not reported by its own switch, what the link then does is; the neighbour reports both. */
static void
a_set_down_restarts_the_link(void **state)
{
	struct rig *r = *state;

	clear_psc(r, "1");
	clear_psc(r, "12");
	assert_int_equal(set_states(r, 2, "1", 1, 0), 0);
	assert_int_equal(port_info_decode(rig_data(r)).state, 2);       /* the answer leaves before the link goes */
	rig_wait(r, 1);                                         /* and both ends find each other again at once */
	assert_int_equal(state_of(r, 2, "1"), 2);
	assert_true(psc(r, "1"));
	assert_true(psc(r, "13"));
	assert_int_equal(set_states(r, 2, "1", 3, 2), 0x1c);    /* a physical state goes with 0 or DOWN only */
	assert_int_equal(state_of(r, 2, "1"), 2);
	assert_int_equal(set_states(r, 2, "1", 3, 0), 0);
	assert_int_equal(set_states(r, 2, "1", 0, 2), 0);       /* Polling alone does it too */
	rig_wait(r, 1);
	assert_int_equal(state_of(r, 3, "13"), 2);
}

static void
arming_is_no_port_state_change(void **state)
{
	struct rig *r = *state;

	clear_psc(r, "1");
	assert_int_equal(set_states(r, 2, "1", 3, 0), 0);
	assert_int_equal(set_states(r, 2, "1", 4, 0), 0);
	assert_false(psc(r, "1"));
	hw_cable_pull(r->h, S1, 2, r->now);
	assert_true(psc(r, "1"));
	rig_get(r, SWITCH_INFO_ID, 0, "1");
	rig_data(r)[11] &= 0xfb;
	assert_true(rig_dr(r, METHOD_SET, SWITCH_INFO_ID, 0, "1", memcpy((uint8_t[64]){ 0 }, rig_data(r), 20)));
	assert_true(psc(r, "1"));                               /* writing 0 leaves it */
	clear_psc(r, "1");
	assert_false(psc(r, "1"));
}

static void
a_disabled_port_stays_down(void **state)
{
	struct rig *r = *state;

	assert_int_equal(set_states(r, 2, "1", 1, 3), 0);
	rig_wait(r, 50000);
	assert_int_equal(rig_port_info(r, 2, "1").phys_state, 3);
	assert_int_equal(state_of(r, 3, "13"), 1);
	assert_int_equal(set_states(r, 2, "1", 1, 0), 0);       /* DOWN does not enable */
	rig_wait(r, 50000);
	assert_int_equal(state_of(r, 2, "1"), 1);
	assert_int_equal(set_states(r, 2, "1", 0, 2), 0);
	rig_wait(r, 50000);
	assert_int_equal(state_of(r, 2, "1"), 2);
}

/* The answer leaves before its link restarts, and shows the port as it is about to be. */
static void
restarting_the_way_home_spares_the_answer(void **state)
{
	struct rig *r = *state;

	rig_bring_up(r);
	clear_psc(r, "12");
	assert_int_equal(set_states(r, 0, "124", 1, 0), 0);
	assert_int_equal(port_info_decode(rig_data(r)).state, 2);
	assert_int_equal(state_of(r, 4, "12"), 4);
	rig_wait(r, 1);
	assert_int_equal(state_of(r, 4, "12"), 2);
	assert_int_equal(state_of(r, 0, "124"), 2);
	assert_true(psc(r, "12"));
}

static void
disabling_the_way_home_loses_the_answer(void **state)
{
	struct rig *r = *state;

	assert_int_equal(set_states(r, 3, "12", 1, 3), -1);
	assert_false(rig_get(r, NODE_INFO_ID, 0, "12"));
	assert_int_equal(rig_port_info(r, 3, "13").phys_state, 3);
	assert_int_equal(set_states(r, 3, "13", 0, 2), 0);
	rig_wait(r, 10000);
	assert_true(rig_get(r, NODE_INFO_ID, 0, "12"));
}

/* Two sleepers do not wake each other. */
static void
sleepers(void **state)
{
	struct rig *r = *state;

	assert_int_equal(set_states(r, 2, "1", 1, 1), 0);
	rig_wait(r, 10000);
	assert_int_equal(state_of(r, 2, "1"), 2);               /* the other end polls */
	assert_int_equal(set_states(r, 2, "1", 1, 3), 0);
	assert_int_equal(set_states(r, 3, "13", 1, 1), 0);
	assert_int_equal(set_states(r, 2, "1", 1, 1), 0);
	rig_wait(r, 50000);
	assert_int_equal(state_of(r, 2, "1"), 1);
	assert_int_equal(rig_port_info(r, 2, "1").phys_state, 1);
}

static void
speeds_are_agreed_on_training(void **state)
{
	struct rig *r = *state;
	struct port_info pi = rig_no_change(r, 2, "1");

	assert_int_equal(pi.speed_ext_active, 4);
	assert_int_equal(pi.width_active, 2);
	pi.speed_ext_enabled = 3;
	pi.width_enabled = 1;
	assert_int_equal(rig_set_port(r, 2, "1", pi), 0);
	assert_int_equal(rig_port_info(r, 2, "1").speed_ext_active, 4);  /* not before a retrain */
	set_states(r, 2, "1", 1, 0);
	rig_wait(r, 10000);
	pi = rig_port_info(r, 3, "13");
	assert_int_equal(pi.speed_ext_active, 2);
	assert_int_equal(pi.width_active, 1);
	pi = rig_no_change(r, 3, "13");
	pi.speed_ext_enabled = 30;
	pi.speed_enabled = 3;
	rig_set_port(r, 3, "13", pi);
	set_states(r, 2, "1", 1, 0);
	rig_wait(r, 10000);
	pi = rig_port_info(r, 2, "1");
	assert_int_equal(pi.speed_ext_active, 0);
	assert_int_equal(pi.speed_active, 2);
}

/* After its reboot a node knows nothing it was told. */
static void
a_reboot_forgets(void **state)
{
	struct rig *r = *state;
	struct port_info pi;
	uint8_t desc[64] = "told";
	uint8_t pkeys[64] = { 0xff, 0xff, 0x80, 0x01 };

	rig_bring_up(r);
	rig_dr(r, METHOD_SET, NODE_DESC_ID, 0, "12", desc);
	rig_dr(r, METHOD_SET, PKEY_TABLE_ID, 0, "12", pkeys);
	pi = rig_no_change(r, 0, "12");
	pi.mkey = 7;
	pi.mkey_protect = 1;
	rig_set_port(r, 0, "12", pi);
	assert_int_equal(hw_node_reboot(r->h, S2, 100000, r->now), 0);
	assert_int_equal(state_of(r, 2, "1"), 1);
	rig_wait(r, 99999);
	assert_false(rig_get(r, NODE_INFO_ID, 0, "12"));
	rig_wait(r, 1);
	rig_wait(r, 10000);
	pi = rig_port_info(r, 0, "12");
	assert_int_equal(pi.lid, 0);
	assert_int_equal(pi.mkey, 0);
	assert_int_equal(pi.mkey_protect, 0);
	rig_get(r, NODE_DESC_ID, 0, "12");
	assert_string_equal((char *)rig_data(r), "leaf");
	rig_get(r, PKEY_TABLE_ID, 0, "12");
	assert_int_equal(wire_get16(rig_data(r) + 2), 0);
	rig_get(r, LFT_BLOCK_ID, 0, "12");
	assert_int_equal(rig_data(r)[1], 255);
	assert_true(psc(r, "12"));
	assert_int_equal(state_of(r, 4, "12"), 2);
	assert_int_equal(state_of(r, 0, "124"), 2);
	assert_int_equal(rig_port_info(r, 0, "124").lid, 4);    /* the neighbour keeps its own */
	assert_int_equal(hw_node_reboot(r->h, 99, 1, r->now), -ENOENT);
}

static void
power(void **state)
{
	struct rig *r = *state;

	assert_int_equal(hw_node_reboot(r->h, S2, 1000, r->now), 0);
	assert_int_equal(hw_node_power(r->h, S2, true, r->now), 0);     /* the operator was quicker */
	assert_int_equal(hw_node_power(r->h, S2, false, r->now), 0);
	rig_wait(r, 100000);
	assert_false(rig_get(r, NODE_INFO_ID, 0, "12"));
	assert_int_equal(hw_node_power(r->h, S2, true, r->now), 0);
	rig_wait(r, 10000);
	assert_true(rig_get(r, NODE_INFO_ID, 0, "12"));
	hw_node_power(r->h, A, false, r->now);
	assert_false(rig_get(r, NODE_INFO_ID, 0, ""));
}

static void
a_new_host_is_plugged_in(void **state)
{
	struct rig *r = *state;
	struct node_info ni;
	uint32_t node;

	assert_int_equal(hw_node_add(r->h, TOPO_CA, 2, GUID_A, "x", &node), -EEXIST);
	assert_int_equal(hw_node_add(r->h, TOPO_CA, 2, GUID_B + 1, "x", &node), -EEXIST);
	assert_int_equal(hw_node_add(r->h, 4, 2, 0xc0, "x", &node), -EINVAL);
	assert_int_equal(hw_node_add(r->h, TOPO_CA, 2, 0xc0, "host c", &node), 0);
	assert_int_equal(node, RIG_NODES);
	assert_int_equal(hw_nodes(r->h), RIG_NODES + 1);
	assert_string_equal(hw_node_topo(r->h, node)->desc, "host c");
	assert_int_equal(hw_cable_plug(r->h, node, 2, S1, 4, r->now), 0);
	rig_wait(r, 10000);
	assert_true(rig_get(r, NODE_INFO_ID, 0, "14"));
	ni = node_info_decode(rig_data(r));
	assert_int_equal(ni.node_guid, 0xc0);
	assert_int_equal(ni.port_guid, 0xc2);
	assert_int_equal(rig_port_info(r, 4, "1").speed_ext_active, 4);
	for (unsigned i = 0; i < 40; i++)       /* the arrays grow under way */
		assert_int_equal(hw_node_add(r->h, TOPO_SWITCH, 36, 0x10000 + i * 0x100, "more", &node), 0);
	assert_true(rig_get(r, NODE_INFO_ID, 0, "124"));
	assert_int_equal(hw_node_find(r->h, "H-00000000000000c0", &node), 0);
	assert_int_equal(node, RIG_NODES);
}

static void
nodes_are_found(void **state)
{
	struct rig *r = *state;
	uint32_t node;

	assert_int_equal(hw_node_find(r->h, "S-52", &node), 0);
	assert_int_equal(node, S2);
	assert_int_equal(hw_node_find(r->h, "0xa0", &node), 0);
	assert_int_equal(node, A);
	assert_int_equal(hw_node_find(r->h, "0xb2", &node), 0);         /* a port GUID */
	assert_int_equal(node, B);
	assert_int_equal(hw_node_find(r->h, "host b", &node), 0);
	assert_int_equal(node, B);
	assert_int_equal(hw_node_find(r->h, "leaf", &node), -ENOTUNIQ);
	assert_int_equal(hw_node_find(r->h, "0x99", &node), -ENOENT);
	assert_int_equal(hw_node_find(r->h, "nobody", &node), -ENOENT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(a_pulled_cable_takes_both_ends_down),
		RIG_TEST(a_cable_pulled_in_training_does_not_come_up),
		RIG_TEST(a_set_down_restarts_the_link),
		RIG_TEST(arming_is_no_port_state_change),
		RIG_TEST(a_disabled_port_stays_down),
		RIG_TEST(restarting_the_way_home_spares_the_answer),
		RIG_TEST(disabling_the_way_home_loses_the_answer),
		RIG_TEST(sleepers),
		RIG_TEST(speeds_are_agreed_on_training),
		RIG_TEST(a_reboot_forgets),
		RIG_TEST(power),
		RIG_TEST(a_new_host_is_plugged_in),
		RIG_TEST(nodes_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
