/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_kind_port_info.c - links, LIDs and states of ports: what is sent when, and what an answer
 * proves.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/diff/fixture.h"

static uint32_t
port_zero(uint32_t sw)
{
	return b.s->nodes[b.s->switches[sw]].first_port;
}

/* What the plan wants of the host's port, with other numbers where the test says so. */
static void
planned_image(enum change_phase p, uint8_t state, uint16_t lid_offset, uint8_t w[static 64])
{
	struct change c = { b.host, 0 };
	struct port_info pi;

	memmove(w, diff_payload(b.o, &b.plan, p, &c, w), 64);
	pi = port_info_decode(w);
	pi.state = state;
	pi.lid = (uint16_t)(pi.lid + lid_offset);
	port_info_encode(w, &pi);
}

static void
what_a_set_carries(void **state)
{
	static const enum change_phase phases[] = { CHANGE_LIDS, CHANGE_LINKS, CHANGE_ARM,
		CHANGE_ACTIVATE };
	static const uint8_t states[] = { 0, 0, 3, 4 };
	uint64_t bits[64] = { 0 };

	(void)state;
	for (uint32_t i = 0; i < b.s->nports; i++)
		bits[i / 64] |= UINT64_C(1) << i % 64;
	b.plan.reregister = bits;
	struct port_info pi = bed_port(&b, b.host);

	pi.capability_mask = UINT32_C(1) << 25;
	pi.link_down_default = 2;
	pi.phys_state = 5;
	bed_show(&b, b.host, pi);
	for (unsigned i = 0; i < 4; i++) {
		pi = bed_carries(&b, phases[i], b.host);
		assert_int_equal(pi.state, states[i]);
		assert_int_equal(pi.phys_state, 0); /* the present state would be a command */
		assert_int_equal(pi.link_down_default, 0);
		assert_int_equal(pi.lid, b.plan.sm_lid); /* a valid LID in every one of them */
		assert_int_equal(pi.master_sm_lid, b.plan.sm_lid);
		assert_int_equal(pi.client_reregister, phases[i] != CHANGE_ACTIVATE);
	}
	/* a switch is no client */
	assert_int_equal(bed_carries(&b, CHANGE_ARM, b.leaf).client_reregister, 0);
	assert_int_equal(bed_carries(&b, CHANGE_ARM, b.leaf).lid,
		b.plan.lids.base[b.s->nodes[b.s->ports[b.leaf].node].first_port]);
}

/* Bits that nobody told us about come back as they were. */
static void
unknown_bits_survive(void **state)
{
	static const struct {
		uint8_t at, bits;
	} row[] = {
		{ 56, 0x80 },
		{ 52, 0xe0 },
		{ 63, 0xe0 },
		{ 34, 0x38 },
	};
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
	bed_settle(&b, &found);
	pi = bed_port(&b, b.host);
	pi.lid = 999;
	bed_show(&b, b.host, pi);
	bed_look(&b, &found);
	/* the manager's own, alone and first */
	bed_assert_only(&found, CHANGE_SM_LID, b.host, 0);
	bed_obey_all(&b, &found);
	pi = bed_port(&b, other);
	pi.lid = 999;
	pi.neighbor_mtu = 1;
	bed_show(&b, other, pi);
	bed_look(&b, &found);
	bed_assert_only(&found, CHANGE_LIDS, other, 0); /* the rest travels with the LID */
	bed_obey_all(&b, &found);
	pi = bed_port(&b, other);
	pi.neighbor_mtu = 1;
	bed_show(&b, other, pi);
	bed_look(&b, &found);
	bed_assert_only(&found, CHANGE_LINKS, other, 0);
	bed_obey_all(&b, &found);
	pi = bed_port(&b, port_zero(3));
	pi.master_sm_lid = 7;
	bed_show(&b, port_zero(3), pi);
	bed_look(&b, &found);
	bed_assert_only(&found, CHANGE_LIDS, port_zero(3), 0);
}

/* What a switch's cabled port shows of the whole switch is no reason for anything. */
static void
switch_wide_fields_of_cabled_ports(void **state)
{
	struct port_info pi;

	(void)state;
	bed_settle(&b, &found);
	pi = bed_port(&b, b.leaf);
	pi.lid = 0;
	pi.lmc = 3;
	pi.mkey = 77;
	pi.master_sm_lid = 0;
	pi.gid_prefix = 0;
	bed_show(&b, b.leaf, pi);
	bed_look(&b, &found);
	assert_int_equal(found.total, 0);
}

static void
registration_is_owed(void **state)
{
	uint64_t bits[64] = { 0 };
	struct port_info pi;

	(void)state;
	bed_settle(&b, &found);
	pi = bed_port(&b, b.host);
	pi.capability_mask = UINT32_C(1) << 25;
	bed_show(&b, b.host, pi);
	bed_look(&b, &found);
	assert_int_equal(found.total, 0);
	bits[b.host / 64] = UINT64_C(1) << b.host % 64;
	b.plan.reregister = bits;
	bed_look(&b, &found);
	bed_assert_only(&found, CHANGE_LINKS, b.host, 0); /* though nothing else differs */
	assert_int_equal(bed_carries(&b, CHANGE_LINKS, b.host).client_reregister, 1);
	pi.capability_mask = 0; /* a client that does not know how is not asked */
	bed_show(&b, b.host, pi);
	bed_look(&b, &found);
	assert_int_equal(found.total, 0);
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

/* Both ends of a link between switches, which is in INIT; no entry leads there. */
static void
link_comes_back(uint32_t end[2])
{
	end[0] = FAB_NONE;
	for (uint32_t p = 0; p < b.s->nports && end[0] == FAB_NONE; p++)
		if (b.s->ports[p].peer != FAB_NONE &&
			fab_is_switch(&b.s->nodes[b.s->ports[p].node]) &&
			fab_is_switch(&b.s->nodes[b.s->ports[b.s->ports[p].peer].node]))
			end[0] = p;
	end[1] = b.s->ports[end[0]].peer;
	for (unsigned i = 0; i < 2; i++) {
		struct port_info pi = bed_port(&b, end[i]);

		pi.state = PORT_STATE_INIT;
		bed_show(&b, end[i], pi);
		lead(end[i], 0);
	}
}

/* The switch of a port was restarted: it holds no table. */
static void
restart_switch(uint32_t port)
{
	struct fab_node *n = &b.s->nodes[b.s->ports[port].node];
	struct switch_info si = switch_info_decode(n->switch_info);

	si.lft_top = 0;
	switch_info_encode(n->switch_info, &si);
	n->lft = NULL;
	n->lft_blocks = 0;
}

/* A link between switches in a fabric in use is up before entries lead to it; if some do already,
 * after the tables; with quality of service, after the lanes. */
static void
links_that_come_back(void **state)
{
	uint32_t end[2];

	(void)state;
	bed_settle(&b, &found);
	link_comes_back(end);
	bed_look(&b, &found);
	assert_int_equal(found.phase[CHANGE_ARM_BACK].n, 2);
	assert_int_equal(found.phase[CHANGE_ACTIVATE_BACK].n, 2);
	assert_int_equal(found.total, 4);
	assert_int_equal(bed_carries(&b, CHANGE_ARM_BACK, end[0]).state, PORT_STATE_ARMED);
	assert_int_equal(bed_carries(&b, CHANGE_ACTIVATE_BACK, end[0]).state, PORT_STATE_ACTIVE);
	lead(end[1], 5);
	bed_look(&b, &found);
	assert_int_equal(found.phase[CHANGE_ARM].n, 2);
	assert_int_equal(found.total, 4);
	lead(end[1], 0);
	bed_lanes(&b, false);
	bed_look(&b, &found);
	assert_int_equal(found.phase[CHANGE_ARM_BACK].n, 0);
	assert_int_equal(found.phase[CHANGE_ARM].n, 2);
}

/* Two switches come back that have a link between them; a fabric without tables is not in use. */
static void
neighbours_that_come_back(void **state)
{
	uint32_t end[2];

	(void)state;
	bed_settle(&b, &found);
	link_comes_back(end);
	restart_switch(end[0]);
	restart_switch(end[1]);
	bed_look(&b, &found);
	assert_int_equal(found.phase[CHANGE_ARM_BACK].n, 2);
	assert_int_equal(found.phase[CHANGE_ACTIVATE_BACK].n, 2);
	assert_int_equal(found.phase[CHANGE_ARM].n, 0);
	for (uint32_t sw = 0; sw < b.s->nswitches; sw++)
		restart_switch(b.s->nodes[b.s->switches[sw]].first_port);
	bed_look(&b, &found);
	assert_int_equal(found.phase[CHANGE_ARM_BACK].n, 0);
	assert_int_equal(found.phase[CHANGE_ARM].n, 2);
}

static void
ends_in_different_states(void **state)
{
	struct port_info pi;

	(void)state;
	bed_settle(&b, &found);
	pi = bed_port(&b, b.host);
	pi.state = 2;
	bed_show(&b, b.host, pi);
	pi = bed_port(&b, b.leaf);
	pi.state = 3;
	bed_show(&b, b.leaf, pi);
	bed_look(&b, &found);
	assert_int_equal(found.phase[CHANGE_ARM].n, 1); /* ARMED is reached from INIT only */
	assert_int_equal(found.phase[CHANGE_ARM].v[0].subject, b.host);
	assert_int_equal(found.phase[CHANGE_ACTIVATE].n, 2);
	assert_int_equal(found.total, 3);
	pi.neighbor_mtu = 1;
	bed_show(&b, b.leaf, pi);
	bed_look(&b, &found);
	assert_int_equal(found.phase[CHANGE_LINKS].n, 1); /* before it becomes ACTIVE */
	assert_int_equal(found.total, 4);
}

/* A limit is a matter of PortInfo. */
static void
lanes_limit(void **state)
{
	(void)state;
	bed_lanes(&b, false);
	assert_int_equal(bed_carries(&b, CHANGE_ARM, b.host).vl_high_limit, 1 + QOS_CA);
	assert_int_equal(bed_carries(&b, CHANGE_ARM, b.leaf).vl_high_limit, 1 + QOS_SWE);
}

static void
ports_must_show_state_and_addresses(void **state)
{
	static const struct {
		enum change_phase phase;
		uint8_t state;
		uint16_t lid_offset;
		bool effect;
	} row[] = {
		{ CHANGE_LIDS, 2, 0, true },
		{ CHANGE_LIDS, 2, 1, false },
		{ CHANGE_LINKS, 4, 0, true },
		{ CHANGE_ARM, 2, 0, false },
		{ CHANGE_ARM, 3, 0, true },
		{ CHANGE_ARM, 4, 0, true },
		{ CHANGE_ARM, 3, 1, false },
		{ CHANGE_ACTIVATE, 3, 0, false },
		{ CHANGE_ACTIVATE, 4, 0, true },
		{ CHANGE_ACTIVATE, 4, 9, false },
	};
	uint8_t w[64];

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(*row); i++) {
		planned_image(row[i].phase, row[i].state, row[i].lid_offset, w);
		assert_int_equal(
			bed_took_effect(&b, row[i].phase, (struct change){ b.host, 0 }, NULL, w),
			row[i].effect);
	}
}

static void
what_is_known_of_a_port(void **state)
{
	struct fab_port *p = &b.s->ports[b.host];
	struct fab_node *n = &b.s->nodes[p->node];
	struct change c = { b.host, 0 };
	struct port_info pi;
	uint8_t w[64];

	(void)state;
	planned_image(CHANGE_ARM, 3, 0, w);
	pi = port_info_decode(w);
	pi.client_reregister = 1;
	port_info_encode(w, &pi);
	p->flags = FAB_PORT_INFO;
	bed_observe(&b, CHANGE_ARM, c,
		(struct change_answer){ .data = w, .modifier = 1, .effect = true });
	assert_int_equal(bed_port(&b, b.host).state, 3);
	assert_int_equal(bed_port(&b, b.host).client_reregister, 0); /* an echo */
	assert_int_equal(p->flags, FAB_PORT_INFO);
	bed_observe(&b, CHANGE_ARM, c,
		(struct change_answer){ .data = w, .modifier = 1, .effect = false });
	assert_int_equal(p->flags, FAB_PORT_INFO | FAB_PORT_UNTOLD);
	p->flags = FAB_PORT_INFO;
	bed_forget(&b, CHANGE_ARM, c);
	assert_int_equal(p->flags, FAB_PORT_INFO | FAB_PORT_UNTOLD);
	assert_int_equal(n->flags & FAB_NODE_NOT_EXTENDED, 0);
	bed_observe(&b, CHANGE_LINKS, c,
		(struct change_answer){
			.data = w, .modifier = 1, .effect = true, .fallback = true });
	assert_int_equal(n->flags & FAB_NODE_NOT_EXTENDED, FAB_NODE_NOT_EXTENDED);
	p->flags = FAB_PORT_INFO;
	bed_observe(&b, CHANGE_LINKS, c,
		(struct change_answer){
			.data = w, .modifier = PORT_INFO_EXTENDED_SPEEDS | 1, .effect = true });
	assert_int_equal(p->flags, FAB_PORT_INFO | FAB_PORT_EXTENDED);
}

/* A Get after a refused Set: a port may have become ACTIVE by itself. */
static void
states_that_count(void **state)
{
	(void)state;
	for (uint8_t shows = 0; shows < 6; shows++) {
		struct port_info pi = { .state = shows };
		uint8_t w[64] = { 0 };

		port_info_encode(w, &pi);
		assert_int_equal(change_kinds[CHANGE_ARM]->reached(change_kinds[CHANGE_ARM], w),
			shows == 3 || shows == 4);
		assert_int_equal(
			change_kinds[CHANGE_ACTIVATE]->reached(change_kinds[CHANGE_ACTIVATE], w),
			shows == 4);
	}
	for (unsigned p = 0; p < CHANGE_PHASE_COUNT; p++)
		assert_int_equal(change_kinds[p]->reached != NULL,
			p == CHANGE_ARM || p == CHANGE_ACTIVATE || p == CHANGE_ARM_BACK ||
				p == CHANGE_ACTIVATE_BACK);
}

/* Without the bit that asks for extended speeds. */
static void
the_fallback_form(void **state)
{
	const struct change_kind *k = change_kinds[CHANGE_ARM];
	const uint32_t with = PORT_INFO_EXTENDED_SPEEDS | 1;
	const struct diff_view v = bed_view(&b);
	struct change c = { b.host, 0 };
	struct port_info pi = bed_port(&b, b.host);

	(void)state;
	assert_int_equal(bed_modifier(&b, CHANGE_ARM, c, false), 1);
	pi.capability_mask |= UINT32_C(1) << 14;
	bed_show(&b, b.host, pi);
	assert_int_equal(bed_modifier(&b, CHANGE_ARM, c, false), with);
	assert_int_equal(bed_modifier(&b, CHANGE_ARM, c, true), 1);
	assert_true(k->has_fallback(&v, &c, with, STATUS_BAD_VALUE));
	assert_false(k->has_fallback(&v, &c, 1, STATUS_BAD_VALUE));
	assert_false(k->has_fallback(&v, &c, with, STATUS_BAD_VALUE + 1));
	b.s->ports[b.host].flags |= FAB_PORT_EXTENDED; /* it has answered such a request */
	assert_false(k->has_fallback(&v, &c, with, STATUS_BAD_VALUE));
}

/* A switch checks P_Keys of a link only when its table is known to be the planned one. */
static void
enforcement_waits_for_its_table(void **state)
{
	struct pkey_plan *p = &b.plan.pkeys;
	uint8_t known[1][PKEY_TABLE_BYTES] = { { 0 } };

	(void)state;
	p->nports = b.s->nports;
	p->first = arena_array(&b.plan.arena, p->nports, sizeof(*p->first));
	p->nblocks = arena_array(&b.plan.arena, p->nports, sizeof(*p->nblocks));
	p->enforce = arena_array(&b.plan.arena, p->nports, sizeof(*p->enforce));
	p->blocks = arena_array(&b.plan.arena, 1, sizeof(*p->blocks));
	p->first[b.leaf] = p->nblocks[b.leaf] = 1;
	p->enforce[b.leaf] = CONF_ENFORCE_IN | CONF_ENFORCE_OUT;
	memset(p->blocks[0], 0x81, PKEY_TABLE_BYTES);
	b.s->pkey_blocks = known;
	b.s->ports[b.leaf].pkeys = 0;
	assert_int_equal(bed_carries(&b, CHANGE_ARM, b.leaf).partition_enforce_in, 0);
	assert_int_equal(bed_carries(&b, CHANGE_ARM, b.leaf).partition_enforce_out, 0);
	memset(known[0], 0x81, PKEY_TABLE_BYTES);
	assert_int_equal(bed_carries(&b, CHANGE_ARM, b.leaf).partition_enforce_in, 1);
	assert_int_equal(bed_carries(&b, CHANGE_ARM, b.leaf).partition_enforce_out, 1);
	known[0][63] = 0;
	assert_int_equal(bed_carries(&b, CHANGE_ARM, b.leaf).partition_enforce_in, 0);
	b.s->pkey_blocks = NULL;
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(what_a_set_carries),
		T(unknown_bits_survive),
		T(active_ports_get_one_set),
		T(switch_wide_fields_of_cabled_ports),
		T(registration_is_owed),
		T(links_that_come_back),
		T(neighbours_that_come_back),
		T(ends_in_different_states),
		T(lanes_limit),
		T(ports_must_show_state_and_addresses),
		T(what_is_known_of_a_port),
		T(states_that_count),
		T(the_fallback_form),
		T(enforcement_waits_for_its_table),
	};

	return cmocka_run_group_tests_name("sm/diff/kind_port_info", tests, NULL, NULL);
}
