/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_link.c - what ports should say, and the default partition.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/plan/lid.h"
#include "sm/plan/link.h"
#include "sm/plan/pkey.h"
#include "tests/unit/route/made.h"

static struct snapshot *s;
static struct arena arena;
static struct lid_map m;
static struct link_conf conf = LINK_CONF_DEFAULTS;
static struct link_plan plan;

static int
setup(void **state)
{
	struct lid_conf lc = { 0 };
	struct lid_report lr;

	(void)state;
	s = made_snapshot("fattree:k=4,levels=3", NULL);
	assert_int_equal(plan_lids(s, NULL, &lc, &arena, &m, &lr), 0);
	conf = (struct link_conf)LINK_CONF_DEFAULTS;
	plan = (struct link_plan){ s, &m, &conf, 9, NULL };
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	made_free(s);
	s = NULL;
	arena_clear(&arena);
	return 0;
}

static struct port_info
image(uint32_t port)
{
	return port_info_decode(s->ports[port].info);
}

/* Gives the port another image, every field of it. */
static void
show(uint32_t port, struct port_info pi)
{
	port_info_encode(s->ports[port].info, &pi);
}

/* A host's port and the leaf's port it is cabled to. */
static void
host_cable(uint32_t *host, uint32_t *leaf)
{
	for (*host = 0; fab_is_switch(&s->nodes[s->ports[*host].node]) || s->ports[*host].num != 1; (*host)++)
		;
	*leaf = s->ports[*host].peer;
}

static void
mtu_and_lanes(void **state)
{
	static const struct { uint8_t a, b, want; } mtu[] = { { 5, 5, 5 }, { 4, 5, 4 }, { 5, 1, 1 }, { 0, 5, 0 },
		{ 15, 15, 5 } };
	static const struct { uint8_t a, b, max, want; } vls[] = { { 4, 4, 5, 4 }, { 4, 2, 5, 2 }, { 5, 5, 1, 1 },
		{ 0, 4, 5, 0 }, { 15, 15, 5, 5 } };
	uint32_t h, l;

	(void)state;
	host_cable(&h, &l);
	for (size_t i = 0; i < 5; i++) {
		struct port_info a = image(h), b = image(l);

		a.mtu_cap = mtu[i].a;
		b.mtu_cap = mtu[i].b;
		a.vl_cap = vls[i].a;
		b.vl_cap = vls[i].b;
		show(h, a);
		show(l, b);
		conf.max_op_vls = vls[i].max;
		assert_int_equal(plan_link_mtu(s, h), mtu[i].want);
		assert_int_equal(plan_link_mtu(s, l), mtu[i].want);
		assert_int_equal(plan_link_vls(s, &conf, h), vls[i].want);
		assert_int_equal(plan_link_vls(s, &conf, l), vls[i].want);
	}
	s->ports[l].flags = 0;                  /* the far end never told: nothing to agree on */
	assert_int_equal(plan_link_mtu(s, h), 0);
	assert_int_equal(plan_link_vls(s, &conf, h), 0);
}

static void
host_port(void **state)
{
	struct port_info w, have;
	uint32_t h, l;

	(void)state;
	host_cable(&h, &l);
	conf.mkeys = mkeys_one(0x1122);
	conf.mkey_protect = 2;
	conf.mkey_lease_period_s = 60;
	have = image(h);
	have.hoq_life = 3;
	have.max_credit_hint = 77;
	have.vl_high_limit = 5;
	have.operational_vls = 1;
	show(h, have);
	assert_true(plan_port(&plan, h, &w));
	assert_int_equal(w.lid, m.base[h]);
	assert_int_equal(w.lmc, 0);
	assert_int_equal(w.master_sm_lid, 9);
	assert_int_equal(w.gid_prefix >> 32, 0xfe800000);
	assert_int_equal(w.mkey, 0x1122);
	assert_int_equal(w.mkey_protect, 2);
	assert_int_equal(w.mkey_lease_period_s, 60);
	assert_int_equal(w.neighbor_mtu, 5);
	assert_int_equal(w.operational_vls, 4);
	assert_int_equal(w.subnet_timeout, 18);
	assert_int_equal(w.local_phy_errors, 8);
	assert_int_equal(w.overrun_errors, 8);
	/* What is no business of ours stays; what 0 leaves alone is 0. */
	assert_int_equal(w.hoq_life, 3);
	assert_int_equal(w.max_credit_hint, 77);
	assert_int_equal(w.vl_high_limit, 5);
	assert_int_equal(w.state, 0);
	assert_int_equal(w.phys_state, 0);
	assert_int_equal(w.link_down_default, 0);
	assert_int_equal(w.width_enabled, 0);
	assert_int_equal(w.speed_enabled, 0);
	/* Once it says so, nothing is asked for any more. */
	have = w;
	have.operational_vls = 4;
	have.state = 4;
	show(h, have);
	assert_true(plan_port(&plan, h, &w));
	assert_int_equal(w.operational_vls, 0);
	{
		uint8_t patched[PORT_INFO_BYTES];

		memcpy(patched, s->ports[h].info, sizeof(patched));
		port_info_patch(patched, &w);
		assert_true(port_info_set_equal(patched, s->ports[h].info));
	}
}

static void
switch_ports(void **state)
{
	const struct fab_node *n;
	struct port_info w;
	uint32_t h, l;

	(void)state;
	host_cable(&h, &l);
	n = &s->nodes[s->ports[l].node];
	conf.hoq_life = 17;
	conf.leaf_hoq_life = 12;
	conf.vl_stall_count = 6;
	conf.leaf_vl_stall_count = 3;
	assert_true(plan_port(&plan, l, &w));
	assert_int_equal(w.hoq_life, 12);
	assert_int_equal(w.vl_stall_count, 3);
	assert_int_equal(w.lid, m.base[n->first_port]);         /* never 0: a Set would be refused */
	assert_int_equal(w.subnet_timeout, 0);
	assert_true(plan_port(&plan, n->first_port + 4, &w));   /* up */
	assert_int_equal(w.hoq_life, 17);
	assert_int_equal(w.vl_stall_count, 6);
	assert_int_equal(w.neighbor_mtu, 5);
	/* Base port 0: an address, no link. */
	assert_true(plan_port(&plan, n->first_port, &w));
	assert_int_equal(w.lid, m.base[n->first_port]);
	assert_int_equal(w.neighbor_mtu, 4);
	assert_int_equal(w.operational_vls, 0);
	assert_int_equal(w.hoq_life, 0);
	assert_int_equal(w.subnet_timeout, 18);
	/* Not planned: no PortInfo, no cable, port 0 of a host. */
	assert_false(plan_port(&plan, h - 1, &w));
	s->ports[n->first_port + 4].flags = 0;
	assert_false(plan_port(&plan, n->first_port + 4, &w));
	s->ports[n->first_port + 3].peer = FAB_NONE;
	assert_false(plan_port(&plan, n->first_port + 3, &w));
}

static void
enhanced_port0(void **state)
{
	struct fab_node *n = &s->nodes[s->switches[0]];
	struct switch_info si = switch_info_decode(n->switch_info);
	struct port_info w;

	(void)state;
	si.enhanced_port0 = 1;
	switch_info_encode(n->switch_info, &si);
	assert_true(plan_port(&plan, n->first_port, &w));
	assert_int_equal(w.neighbor_mtu, 5);
	assert_int_equal(w.operational_vls, 4);
}

static void
forced_speed(void **state)
{
	struct port_info w, have;
	uint32_t h, l;

	(void)state;
	host_cable(&h, &l);
	have = image(h);
	have.width_supported = 11;
	have.width_enabled = 2;
	have.speed_enabled = 1;
	have.capability_mask = 1u << 14;
	have.speed_ext_supported = 7;
	have.speed_ext_enabled = 1;
	show(h, have);
	assert_true(plan_port(&plan, h, &w));
	assert_int_equal(w.width_enabled, 11);
	assert_int_equal(w.speed_enabled, 7);
	assert_int_equal(w.speed_ext_enabled, 7);
	conf.force_width = 8;
	conf.force_speed = 0;
	conf.force_speed_ext = 30;
	assert_true(plan_port(&plan, h, &w));
	assert_int_equal(w.width_enabled, 8);
	assert_int_equal(w.speed_enabled, 0);
	assert_int_equal(w.speed_ext_enabled, 30);
	have.speed_ext_enabled = 0;
	show(h, have);
	assert_true(plan_port(&plan, h, &w));
	assert_int_equal(w.speed_ext_enabled, 0);               /* it is off */
}

static void
default_keys(void **state)
{
	static const struct { uint16_t have[5], want[5]; } rows[] = {
		{ { 0xffff, 0, 0, 0, 0 }, { 0xffff, 0, 0, 0, 0 } },
		{ { 0x7fff, 0, 0, 0, 0 }, { 0xffff, 0, 0, 0, 0 } },
		{ { 0xffff, 0x8001, 0xffff, 0, 0 }, { 0xffff, 0x8001, 0, 0, 0 } },
		{ { 0, 0, 0, 0, 0 }, { 0xffff, 0, 0, 0, 0 } },
		{ { 0xffff, 0x7fff, 0x8001, 0, 0 }, { 0xffff, 0x7fff, 0x8001, 0, 0 } },
		{ { 0x7fff, 0xffff, 0x8001, 0, 0 }, { 0xffff, 0, 0x8001, 0, 0 } },
		{ { 0x8001, 0xffff, 0x8002, 0, 0 }, { 0xffff, 0x8001, 0x8002, 0, 0 } },
		{ { 0x8001, 0x8002, 0x8001, 0, 0 }, { 0xffff, 0x8002, 0x8001, 0, 0 } },
		{ { 0xffff, 0x7fff, 0, 0x7fff, 0 }, { 0xffff, 0x7fff, 0, 0, 0 } },
		{ { 0x8001, 0x8002, 0x8003, 0x8004, 0 }, { 0xffff, 0x8002, 0x8003, 0x8004, 0 } },      /* no room */
	};
	uint8_t block[PKEY_TABLE_BYTES], want[PKEY_TABLE_BYTES];
	struct node_info ni;
	uint32_t h, l;

	(void)state;
	host_cable(&h, &l);
	ni = node_info_decode(s->nodes[s->ports[h].node].node_info);
	ni.partition_cap = 4;
	node_info_encode(s->nodes[s->ports[h].node].node_info, &ni);
	s->pkey_blocks = &block;
	assert_false(plan_pkeys(s, h, want));                   /* it was never read */
	s->ports[h].pkeys = 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pkey_table t = { { 0 } };

		memcpy(t.pkey, rows[i].have, sizeof(rows[i].have));
		pkey_table_encode(block, &t);
		assert_true(plan_pkeys(s, h, want));
		t = pkey_table_decode(want);
		for (unsigned k = 0; k < 32; k++)
			assert_int_equal(t.pkey[k], k < 5 ? rows[i].want[k] : 0);
	}
	s->ports[l].pkeys = 0;
	assert_false(plan_pkeys(s, l, want));                   /* a switch's cabled port is no end port */
	ni.partition_cap = 0;
	node_info_encode(s->nodes[s->ports[h].node].node_info, &ni);
	assert_false(plan_pkeys(s, h, want));
	s->pkey_blocks = NULL;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(mtu_and_lanes, setup, teardown),
		cmocka_unit_test_setup_teardown(host_port, setup, teardown),
		cmocka_unit_test_setup_teardown(switch_ports, setup, teardown),
		cmocka_unit_test_setup_teardown(enhanced_port0, setup, teardown),
		cmocka_unit_test_setup_teardown(forced_speed, setup, teardown),
		cmocka_unit_test_setup_teardown(default_keys, setup, teardown),
	};

	return cmocka_run_group_tests_name("sm/plan/link", tests, NULL, NULL);
}
