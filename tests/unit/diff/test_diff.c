/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_diff.c - what is sent, in which phase, and what it carries.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/diff/bed.h"

static struct bed b;
static struct changes c;

static int
setup(void **state)
{
	(void)state;
	bed_make(&b);
	memset(&c, 0, sizeof(c));
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	changes_clear(&c);
	bed_clear(&b);
	return 0;
}

static void
look(void)
{
	changes_clear(&c);
	diff_make(b.o, &b.plan, &c);
}

/* Everything as planned. */
static void
settle(void)
{
	look();
	bed_obey_all(&b, &c);
	look();
	assert_int_equal(c.total, 0);
}

/* The only change there is. */
static void
only(enum change_phase phase, uint32_t subject, uint32_t block)
{
	assert_int_equal(c.total, 1);
	assert_int_equal(c.phase[phase].n, 1);
	assert_int_equal(c.phase[phase].v[0].subject, subject);
	assert_int_equal(c.phase[phase].v[0].block, block);
}

static struct port_info
carries(enum change_phase phase, uint32_t port)
{
	uint8_t buf[64];

	return port_info_decode(diff_payload(b.o, &b.plan, phase, &(struct change){ port, 0 }, buf));
}

static uint32_t
port_zero(uint32_t sw)
{
	return b.s->nodes[b.s->switches[sw]].first_port;
}

static void
cold_start(void **state)
{
	uint64_t sum = 0;

	(void)state;
	look();
	assert_int_equal(c.phase[CHANGE_SM_LID].n, 0);          /* it travels with ARMED */
	assert_int_equal(c.phase[CHANGE_LIDS].n, 20);           /* switches' ports 0 */
	assert_int_equal(c.phase[CHANGE_SWITCH_INFO].n, 20);
	assert_int_equal(c.phase[CHANGE_LFT_SM].n, 20);
	assert_int_equal(c.phase[CHANGE_LFT].n, 2 * 20);
	assert_int_equal(c.phase[CHANGE_LINKS].n, 0);
	assert_int_equal(c.phase[CHANGE_ARM].n, 96);
	assert_int_equal(c.phase[CHANGE_ACTIVATE].n, 96);
	for (unsigned p = 0; p < CHANGE_PHASE_COUNT; p++)
		sum += c.phase[p].n;
	assert_int_equal(c.total, sum);
	settle();
	for (uint32_t i = 0; i < b.s->nports; i++) {
		struct port_info pi = bed_port(&b, i);

		if (b.s->ports[i].peer == FAB_NONE)
			continue;
		assert_int_equal(pi.state, 4);
		assert_int_equal(pi.neighbor_mtu, 5);
		assert_int_equal(pi.operational_vls, 4);
	}
}

static void
what_a_set_carries(void **state)
{
	static const enum change_phase phases[] = { CHANGE_LIDS, CHANGE_LINKS, CHANGE_ARM, CHANGE_ACTIVATE };
	static const uint8_t states[] = { 0, 0, 3, 4 };
	uint64_t bits[64] = { 0 };

	(void)state;
	for (uint32_t i = 0; i < b.s->nports; i++)
		bits[i / 64] |= UINT64_C(1) << i % 64;
	b.plan.reregister = bits;
	struct port_info pi = bed_port(&b, b.host);

	pi.capability_mask = UINT32_C(1) << 25;
	pi.link_down_default = 2;
	bed_show(&b, b.host, pi);
	for (unsigned i = 0; i < 4; i++) {
		pi = carries(phases[i], b.host);
		assert_int_equal(pi.state, states[i]);
		assert_int_equal(pi.phys_state, 0);             /* the present state would be a command */
		assert_int_equal(pi.link_down_default, 0);
		assert_int_equal(pi.lid, b.plan.sm_lid);        /* a valid LID in every one of them */
		assert_int_equal(pi.master_sm_lid, b.plan.sm_lid);
		assert_int_equal(pi.client_reregister, phases[i] != CHANGE_ACTIVATE);
	}
	assert_int_equal(carries(CHANGE_ARM, b.leaf).client_reregister, 0);     /* a switch is no client */
	assert_int_equal(carries(CHANGE_ARM, b.leaf).lid, b.plan.lids.base[b.s->nodes[b.s->ports[b.leaf].node].first_port]);
}

/* Bits that nobody told us about come back as they were. */
static void
unknown_bits_survive(void **state)
{
	static const struct { uint8_t at, bits; } row[] = { { 56, 0x80 }, { 52, 0xe0 }, { 63, 0xe0 }, { 34, 0x38 } };
	uint8_t buf[64];
	const uint8_t *w;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		b.s->ports[b.host].info[row[i].at] |= row[i].bits;
	w = diff_payload(b.o, &b.plan, CHANGE_ARM, &(struct change){ b.host, 0 }, buf);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(w[row[i].at] & row[i].bits, row[i].bits);
}

static void
active_ports_get_one_set(void **state)
{
	uint32_t other = b.s->ports[b.leaf + 1].peer;
	struct port_info pi;

	(void)state;
	settle();
	pi = bed_port(&b, b.host);
	pi.lid = 999;
	bed_show(&b, b.host, pi);
	look();
	only(CHANGE_SM_LID, b.host, 0);                 /* the manager's own, alone and first */
	bed_obey_all(&b, &c);
	pi = bed_port(&b, other);
	pi.lid = 999;
	pi.neighbor_mtu = 1;
	bed_show(&b, other, pi);
	look();
	only(CHANGE_LIDS, other, 0);                    /* the rest travels with the LID */
	bed_obey_all(&b, &c);
	pi = bed_port(&b, other);
	pi.neighbor_mtu = 1;
	bed_show(&b, other, pi);
	look();
	only(CHANGE_LINKS, other, 0);
	bed_obey_all(&b, &c);
	pi = bed_port(&b, port_zero(3));
	pi.master_sm_lid = 7;
	bed_show(&b, port_zero(3), pi);
	look();
	only(CHANGE_LIDS, port_zero(3), 0);
}

/* What a switch's cabled port shows of the whole switch is no reason for anything. */
static void
switch_wide_fields_of_cabled_ports(void **state)
{
	struct port_info pi;

	(void)state;
	settle();
	pi = bed_port(&b, b.leaf);
	pi.lid = 0;
	pi.lmc = 3;
	pi.mkey = 77;
	pi.master_sm_lid = 0;
	pi.gid_prefix = 0;
	bed_show(&b, b.leaf, pi);
	look();
	assert_int_equal(c.total, 0);
}

static void
registration_is_owed(void **state)
{
	uint64_t bits[64] = { 0 };
	struct port_info pi;

	(void)state;
	settle();
	pi = bed_port(&b, b.host);
	pi.capability_mask = UINT32_C(1) << 25;
	bed_show(&b, b.host, pi);
	look();
	assert_int_equal(c.total, 0);
	bits[b.host / 64] = UINT64_C(1) << b.host % 64;
	b.plan.reregister = bits;
	look();
	only(CHANGE_LINKS, b.host, 0);                  /* though nothing else differs */
	assert_int_equal(carries(CHANGE_LINKS, b.host).client_reregister, 1);
	pi.capability_mask = 0;                         /* a client that does not know how is not asked */
	bed_show(&b, b.host, pi);
	look();
	assert_int_equal(c.total, 0);
}

/* Both the plan and the table in force of the port's switch send 'lid' there, or nothing at all. */
static void
lead(uint32_t port, uint16_t lid)
{
	struct fab_node *n = &b.s->nodes[b.s->ports[port].node];
	uint8_t *row = fwd_row(&b.plan.fwd, n->sw), num = b.s->ports[port].num;

	for (uint32_t i = 1; i < n->lft_blocks * 64u; i++) {
		row[i] = i == lid ? num : row[i] == num ? 255 : row[i];
		((uint8_t *)(uintptr_t)n->lft)[i] = row[i];
	}
}

/* A link between switches in a fabric in use is up before entries lead to it; if some do already,
 * after the tables; with quality of service, after the lanes. */
static void
links_that_come_back(void **state)
{
	uint32_t end[2] = { FAB_NONE };

	(void)state;
	settle();
	for (uint32_t p = 0; p < b.s->nports && end[0] == FAB_NONE; p++)
		if (b.s->ports[p].peer != FAB_NONE && fab_is_switch(&b.s->nodes[b.s->ports[p].node]) &&
			fab_is_switch(&b.s->nodes[b.s->ports[b.s->ports[p].peer].node]))
			end[0] = p;
	end[1] = b.s->ports[end[0]].peer;
	for (unsigned i = 0; i < 2; i++) {
		struct port_info pi = bed_port(&b, end[i]);

		pi.state = PORT_STATE_INIT;
		bed_show(&b, end[i], pi);
		lead(end[i], 0);
	}
	look();
	assert_int_equal(c.phase[CHANGE_ARM_BACK].n, 2);
	assert_int_equal(c.phase[CHANGE_ACTIVATE_BACK].n, 2);
	assert_int_equal(c.total, 4);
	assert_int_equal(carries(CHANGE_ARM_BACK, end[0]).state, PORT_STATE_ARMED);
	assert_int_equal(carries(CHANGE_ACTIVATE_BACK, end[0]).state, PORT_STATE_ACTIVE);
	lead(end[1], 5);
	look();
	assert_int_equal(c.phase[CHANGE_ARM].n, 2);
	assert_int_equal(c.total, 4);
	lead(end[1], 0);
	bed_lanes(&b, false);
	look();
	assert_int_equal(c.phase[CHANGE_ARM_BACK].n, 0);
	assert_int_equal(c.phase[CHANGE_ARM].n, 2);
}

static void
ends_in_different_states(void **state)
{
	struct port_info pi;

	(void)state;
	settle();
	pi = bed_port(&b, b.host);
	pi.state = 2;
	bed_show(&b, b.host, pi);
	pi = bed_port(&b, b.leaf);
	pi.state = 3;
	bed_show(&b, b.leaf, pi);
	look();
	assert_int_equal(c.phase[CHANGE_ARM].n, 1);     /* ARMED is reached from INIT only */
	assert_int_equal(c.phase[CHANGE_ARM].v[0].subject, b.host);
	assert_int_equal(c.phase[CHANGE_ACTIVATE].n, 2);
	assert_int_equal(c.total, 3);
	pi.neighbor_mtu = 1;
	bed_show(&b, b.leaf, pi);
	look();
	assert_int_equal(c.phase[CHANGE_LINKS].n, 1);   /* before it becomes ACTIVE */
	assert_int_equal(c.total, 4);
}

static void
what_was_not_read_is_left_alone(void **state)
{
	(void)state;
	look();
	uint64_t all = c.total;

	b.s->ports[b.leaf].flags = 0;
	look();
	assert_int_equal(c.total, all - 4);             /* neither end of that cable */
	b.s->ports[b.leaf].flags = FAB_PORT_INFO | FAB_PORT_FAILED;
	look();
	assert_int_equal(c.total, all - 4);
	b.s->ports[b.leaf].flags = FAB_PORT_INFO;
	b.s->nodes[b.s->switches[5]].flags |= FAB_NODE_CUT;
	look();
	for (uint32_t i = 0; i < c.phase[CHANGE_LFT].n; i++)
		assert_int_not_equal(c.phase[CHANGE_LFT].v[i].subject, 5);
	for (uint32_t i = 0; i < c.phase[CHANGE_LIDS].n; i++)
		assert_int_not_equal(c.phase[CHANGE_LIDS].v[i].subject, port_zero(5));
	assert_int_equal(c.phase[CHANGE_SWITCH_INFO].n, 19);
}

static void
tables(void **state)
{
	uint8_t other[192];
	struct fab_node *n;

	(void)state;
	settle();
	n = &b.s->nodes[b.s->switches[7]];
	memcpy(other, n->lft, sizeof(other));
	other[130] ^= 1;
	n->lft = other;
	look();
	only(CHANGE_LFT, 7, 2);
	other[130] ^= 1;
	other[3] ^= 1;
	look();
	/* the block of the manager's LID is first only where nothing is known */
	only(CHANGE_LFT, 7, 0);
	other[3] ^= 1;
	n->lft_blocks = 2;                              /* the rest was never read */
	look();
	only(CHANGE_LFT, 7, 2);
	n->lft = NULL;
	look();
	assert_int_equal(c.total, 3);
}

/* Tables that packets use are written in an order; those that nobody knows are not. */
static void
tables_in_use_have_an_order(void **state)
{
	(void)state;
	look();
	assert_null(c.ordered);
	settle();
	for (uint32_t i = 64; i < 128; i++)
		fwd_row(&b.plan.fwd, 3)[i] ^= 1;
	for (uint32_t sw = 0; sw < b.s->nswitches; sw++)        /* of the plan as it was */
		b.s->nodes[b.s->switches[sw]].lft = fwd_row(&b.plan.fwd, sw == 3 ? 4 : sw);
	look();
	assert_non_null(c.ordered);
	assert_int_equal(c.ordered->phase, CHANGE_LFT);
	assert_true(c.ordered->order.report.ordered);
	assert_int_equal(c.phase[CHANGE_LFT_SM].n, 0);
	assert_int_equal(c.phase[CHANGE_LFT].n, c.ordered->order.nwrites);
	assert_int_equal(c.total, c.ordered->order.nwrites);
	for (uint32_t i = 0; i < c.phase[CHANGE_LFT].n; i++)
		assert_int_equal(c.phase[CHANGE_LFT].v[i].subject, c.ordered->order.writes[i].sw);
}

static void
port_state_change(void **state)
{
	struct switch_info si;
	struct fab_node *n;
	uint8_t buf[64];

	(void)state;
	settle();
	n = &b.s->nodes[b.s->switches[2]];
	si = switch_info_decode(n->switch_info);
	si.port_state_change = 1;
	switch_info_encode(n->switch_info, &si);
	look();
	only(CHANGE_SWITCH_INFO, 2, 0);
	si = switch_info_decode(diff_payload(b.o, &b.plan, CHANGE_SWITCH_INFO, &c.phase[CHANGE_SWITCH_INFO].v[0], buf));
	assert_int_equal(si.port_state_change, 1);      /* 1 clears it */
	bed_obey_all(&b, &c);
	si = switch_info_decode(n->switch_info);
	si.lft_top = 3;
	switch_info_encode(n->switch_info, &si);
	look();
	only(CHANGE_SWITCH_INFO, 2, 0);
	si = switch_info_decode(diff_payload(b.o, &b.plan, CHANGE_SWITCH_INFO, &c.phase[CHANGE_SWITCH_INFO].v[0], buf));
	assert_int_equal(si.port_state_change, 0);      /* 0 leaves it */
	assert_int_equal(si.lft_top, 150);
}

/* How many changes of phase QOS have these bits of 'mask' in their block. */
static unsigned
lanes_like(uint32_t mask, uint32_t bits)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < c.phase[CHANGE_QOS].n; i++)
		n += (c.phase[CHANGE_QOS].v[i].block & mask) == bits;
	return n;
}

#define VLARB_BIT CHANGE_QOS_VLARB
#define SLVL_MASK (CHANGE_QOS_VLARB | CHANGE_QOS_ALL_PAIRS)
/* 20 switches of four ports, 16 hosts: a low block and two high ones each */
enum { PAIRS = 20 * 5 * 4, SLVLS = PAIRS + 16, VLARBS = (80 + 16) * 3 };

static void
vls(void **state)
{
	struct qos_table t = { .port = b.leaf, .in = 0, .block = 0 };
	uint8_t buf[64];
	uint32_t sum;

	(void)state;
	look();
	assert_int_equal(c.phase[CHANGE_QOS].n, 0);     /* without it nothing is wanted */
	sum = (uint32_t)c.total;
	bed_lanes(&b, false);
	look();
	assert_int_equal(c.total, sum + SLVLS + VLARBS);
	assert_int_equal(lanes_like(VLARB_BIT, 0), SLVLS);
	assert_int_equal(lanes_like(VLARB_BIT, VLARB_BIT), VLARBS);
	settle();
	/* one pair, one block, by what they hold and not by who wrote it */
	qos_tables_put(b.o->qos, b.s, &t, NULL);
	look();
	only(CHANGE_QOS, b.leaf, b.s->ports[b.leaf].num);
	diff_payload(b.o, &b.plan, CHANGE_QOS, &c.phase[CHANGE_QOS].v[0], buf);
	assert_memory_equal(buf, ((const uint8_t[16]){ 0x32, 0x10, 0x76, 0x54, 0x32, 0x10, 0xf6, 0x54 }), 8);
	settle();
	t = (struct qos_table){ b.host, 0, 4 };
	memset(buf, 0x0e, sizeof(buf));
	qos_tables_put(b.o->qos, b.s, &t, buf);
	look();
	only(CHANGE_QOS, b.host, VLARB_BIT | 4u << 16);
	diff_payload(b.o, &b.plan, CHANGE_QOS, &c.phase[CHANGE_QOS].v[0], buf);
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(buf[i], 0);
	settle();
}

/* A limit is a matter of PortInfo. */
static void
lanes_limit(void **state)
{
	(void)state;
	bed_lanes(&b, false);
	assert_int_equal(carries(CHANGE_ARM, b.host).vl_high_limit, 1 + QOS_CA);
	assert_int_equal(carries(CHANGE_ARM, b.leaf).vl_high_limit, 1 + QOS_SWE);
}

/* All pairs at once where they are equal; else a request for each output. */
static void
lanes_at_once(void **state)
{
	uint32_t peer = b.s->ports[b.leaf].peer;
	struct qos_table t = { .port = b.leaf, .in = 2, .block = 0 };
	struct port_info pi;
	uint8_t image[64] = { 0 };

	(void)state;
	bed_lanes(&b, true);
	look();
	assert_int_equal(lanes_like(SLVL_MASK, CHANGE_QOS_ALL_PAIRS), 20);
	assert_int_equal(lanes_like(SLVL_MASK, 0), 16);
	assert_int_equal(lanes_like(VLARB_BIT, VLARB_BIT), VLARBS);
	settle();
	qos_tables_put(b.o->qos, b.s, &t, image);
	look();
	assert_int_equal(c.total, 1);
	assert_int_equal(lanes_like(UINT32_MAX, CHANGE_QOS_ALL_PAIRS), 1);
	settle();
	pi = bed_port(&b, peer);                        /* fewer lanes on one cable */
	pi.vl_cap = 2;
	bed_show(&b, peer, pi);
	qos_tables_free(b.o->qos);
	bed_lanes(&b, true);
	bed_show(&b, peer, pi);
	{
		struct qos_conf q = { .optimized = true };

		for (unsigned k = 0; k < QOS_KINDS; k++) {
			q.family[k] = (struct qos_family){ .max_vls = 15 };
			for (unsigned i = 0; i < 16; i++)
				q.family[k].sl2vl.vl[i] = (uint8_t)i;
		}
		qos_plan_make(b.s, &b.plan.links, &q, &b.plan.arena, &b.plan.qos);
	}
	look();
	assert_int_equal(lanes_like(SLVL_MASK, CHANGE_QOS_ALL_PAIRS), 19);
	assert_int_equal(lanes_like(SLVL_MASK, CHANGE_QOS_ALL_INPUTS), 4);
	settle();
	t.in = 0;
	qos_tables_put(b.o->qos, b.s, &t, NULL);
	t.in = 1;
	qos_tables_put(b.o->qos, b.s, &t, NULL);
	look();
	only(CHANGE_QOS, b.leaf, CHANGE_QOS_ALL_INPUTS | b.s->ports[b.leaf].num);
}

/* GUID tables: only blocks that were wanted once, and that are not known to hold what they shall. */
static void
alias_guids(void **state)
{
	static const uint64_t guids[GUID_BLOCK_GUIDS] = { 0, 0xa1, 0, 0xa3 };
	uint64_t guid = b.s->ports[b.host].guid;
	uint8_t buf[64];
	const uint8_t *w;

	(void)state;
	b.s->endports = &b.host;
	b.s->nendports = 1;
	b.plan.guids = b.guids = guid_tables_new();
	settle();
	guid_tables_want(b.guids, guid, 1, guids);
	guid_tables_want(b.guids, 0x999, 0, guids);        /* a port that is not there */
	look();
	only(CHANGE_GUIDS, b.host, 1);
	w = diff_payload(b.o, &b.plan, CHANGE_GUIDS, &c.phase[CHANGE_GUIDS].v[0], buf);
	assert_int_equal(wire_get64(w + 8), 0xa1);
	assert_int_equal(wire_get64(w + 24), 0xa3);
	settle();
	guid_seen_doubt(b.o->tables->guids, guid);
	look();
	only(CHANGE_GUIDS, b.host, 1);
	b.s->ports[b.host].flags |= FAB_PORT_FAILED;
	changes_clear(&c);
	diff_guids(b.o, &b.plan, b.host, &c);
	assert_int_equal(c.total, 0);
	guid_tables_free(b.guids);
	b.plan.guids = NULL;
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(cold_start, setup, teardown),
		cmocka_unit_test_setup_teardown(what_a_set_carries, setup, teardown),
		cmocka_unit_test_setup_teardown(unknown_bits_survive, setup, teardown),
		cmocka_unit_test_setup_teardown(active_ports_get_one_set, setup, teardown),
		cmocka_unit_test_setup_teardown(switch_wide_fields_of_cabled_ports, setup, teardown),
		cmocka_unit_test_setup_teardown(registration_is_owed, setup, teardown),
		cmocka_unit_test_setup_teardown(links_that_come_back, setup, teardown),
		cmocka_unit_test_setup_teardown(ends_in_different_states, setup, teardown),
		cmocka_unit_test_setup_teardown(what_was_not_read_is_left_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(tables, setup, teardown),
		cmocka_unit_test_setup_teardown(tables_in_use_have_an_order, setup, teardown),
		cmocka_unit_test_setup_teardown(port_state_change, setup, teardown),
		cmocka_unit_test_setup_teardown(vls, setup, teardown),
		cmocka_unit_test_setup_teardown(lanes_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(lanes_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(alias_guids, setup, teardown),
	};

	return cmocka_run_group_tests_name("diff", tests, NULL, NULL);
}
