/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_diff.c - which changes there are, in which phase, and of what there are none.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/diff/fixture.h"

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
	bed_look(&b, &found);
	assert_int_equal(found.phase[CHANGE_SM_LID].n, 0); /* it travels with ARMED */
	assert_int_equal(found.phase[CHANGE_LIDS].n, 20); /* switches' ports 0 */
	assert_int_equal(found.phase[CHANGE_SWITCH_INFO].n, 20);
	assert_int_equal(found.phase[CHANGE_LFT_SM].n, 20);
	assert_int_equal(found.phase[CHANGE_LFT].n, 2 * 20);
	assert_int_equal(found.phase[CHANGE_LINKS].n, 0);
	assert_int_equal(found.phase[CHANGE_ARM].n, 96);
	assert_int_equal(found.phase[CHANGE_ACTIVATE].n, 96);
	for (unsigned p = 0; p < CHANGE_PHASE_COUNT; p++)
		sum += found.phase[p].n;
	assert_int_equal(found.total, sum);
	bed_settle(&b, &found);
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
what_was_not_read_is_left_alone(void **state)
{
	(void)state;
	bed_look(&b, &found);
	uint64_t all = found.total;

	b.s->ports[b.leaf].flags = 0;
	bed_look(&b, &found);
	assert_int_equal(found.total, all - 4); /* neither end of that cable */
	b.s->ports[b.leaf].flags = FAB_PORT_INFO | FAB_PORT_FAILED;
	bed_look(&b, &found);
	assert_int_equal(found.total, all - 4);
	b.s->ports[b.leaf].flags = FAB_PORT_INFO;
	b.s->nodes[b.s->switches[5]].flags |= FAB_NODE_CUT;
	bed_look(&b, &found);
	for (uint32_t i = 0; i < found.phase[CHANGE_LFT].n; i++)
		assert_int_not_equal(found.phase[CHANGE_LFT].v[i].subject, 5);
	for (uint32_t i = 0; i < found.phase[CHANGE_LIDS].n; i++)
		assert_int_not_equal(found.phase[CHANGE_LIDS].v[i].subject, port_zero(5));
	assert_int_equal(found.phase[CHANGE_SWITCH_INFO].n, 19);
}

/*
 * In two steps: the first one reads nothing that registrations of hosts change meanwhile, the
 * second one adds what follows from them; together they are all.
 */
static void
two_steps_are_the_whole(void **state)
{
	static const uint64_t guids[GUID_BLOCK_GUIDS] = { 0, 0xa1 };
	struct observed_tables *tables = b.o->tables;
	struct changes all = { .total = 0 };

	(void)state;
	b.s->endports = &b.host;
	b.s->nendports = 1;
	b.guids = guid_tables_new();
	guid_tables_want(b.guids, b.s->ports[b.host].guid, 0, guids);
	b.o->tables = NULL;
	diff_planned(b.o, &b.plan, NULL, &found);
	for (unsigned p = 0; p < CHANGE_PHASE_COUNT; p++)
		if (change_kinds[p]->registered)
			assert_int_equal(found.phase[p].n, 0);
	b.o->tables = tables;
	b.plan.guids = b.guids;
	diff_registered(b.o, &b.plan, &found);
	assert_int_equal(found.phase[CHANGE_GUIDS].n, 1);
	bed_look(&b, &all);
	assert_int_equal(found.total, all.total);
	for (unsigned p = 0; p < CHANGE_PHASE_COUNT; p++) {
		assert_int_equal(found.phase[p].n, all.phase[p].n);
		if (all.phase[p].n)
			assert_memory_equal(found.phase[p].v, all.phase[p].v,
				all.phase[p].n * sizeof(struct change));
	}
	changes_clear(&all);
	b.plan.guids = NULL;
	guid_tables_free(b.guids);
}

/*
 * A payload is of the image last received, so that a Set reverts nothing that an earlier one wrote.
 */
static void
a_payload_follows_what_was_received(void **state)
{
	struct port_info pi = bed_port(&b, b.host);

	(void)state;
	pi.subnet_timeout = 3;
	pi.capability_mask = 0x123456;
	bed_show(&b, b.host, pi);
	assert_int_equal(bed_carries(&b, CHANGE_LINKS, b.host).capability_mask, 0x123456);
	pi.capability_mask = 0x654321;
	bed_show(&b, b.host, pi);
	assert_int_equal(bed_carries(&b, CHANGE_LINKS, b.host).capability_mask, 0x654321);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(cold_start),
		T(what_was_not_read_is_left_alone),
		T(two_steps_are_the_whole),
		T(a_payload_follows_what_was_received),
	};

	return cmocka_run_group_tests_name("sm/diff/diff", tests, NULL, NULL);
}
