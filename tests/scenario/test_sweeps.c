/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_sweeps.c - when the manager looks, how often, and what it then does: traps, storms, things that stay broken.
 */
#include <config.h>
#include <malloc.h>
#include "tests/unit/test.h"
#include "libmad/mad/dgram.h"
#include "libmad/wire/wire.h"
#include "sim/phys/phys.h"
#include "tests/scenario/world.h"

#define SECOND 1000000
#define MINUTE (60 * (int64_t)SECOND)

static struct world_manager *
up(struct world *w, const char *spec)
{
	struct world_manager *s;

	world_init(w, spec, 1);
	s = world_manager_start(w, NULL, NULL);
	assert_true(world_run_sweeps(w, s, 1, 10 * SECOND));
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
	world_run(w, 5 * SECOND);
	assert_true(world_is_right(w));
	return s;
}

static void
trap(struct world *w, struct world_manager *s, uint16_t number, uint16_t lid, uint64_t tid,
	uint16_t flags)
{
	uint8_t m[256] = { 1, CLASS_SM_LID, 1, METHOD_TRAP };
	uint8_t *n = m + 64;

	wire_put64(m + 8, tid);
	wire_put16(m + 16, NOTICE_ID);
	n[0] = 0x80 | 1;
	n[3] = 2;
	wire_put16(n + 4, number);
	wire_put16(n + 6, lid);
	wire_put16(n + (number == 128 ? 10 : 12), lid);
	if (number == 144) {
		n[15] = flags ? 1 : 0;
		wire_put16(n + 20, flags);
	}
	world_inject(w, s, m, lid);
}

static struct world_manager *
first_sweep(struct world *w)
{
	struct hw_conf c = { .seed = 1, .latency_us = 100, .train_us = 100 };

	world_init_hw(w, "fattree:k=4,levels=3", &c);
	return world_manager_start(w, NULL, NULL);
}

/* Whatever the moment, the fabric is right two sweep intervals later: also while nobody is told of changes yet. */
static void
cable_pulled_during_the_first_sweep(void **arg)
{
	struct world_manager *s;
	struct world w;
	int64_t took_us;

	(void)arg;
	s = first_sweep(&w);
	took_us = w.now.us;
	assert_true(world_run_sweeps(&w, s, 1, SECOND));
	took_us = w.now.us - took_us;
	world_clear(&w);
	for (int64_t i = 0; i < 40; i++) {
		s = first_sweep(&w);
		world_run(&w, took_us * i / 40);
		assert_int_equal(manager_sweeps(s->m), 0);
		assert_int_equal(hw_cable_pull(w.hw, world_node(&w, "agg-1-0"), 3, w.now), 0);
		world_run(&w, 20 * SECOND);
		assert_true(world_is_right(&w));
		assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
		world_clear(&w);
	}
}

/* A link that came up after its ports were read has no trap, for its switches have no manager yet. */
static void
cable_plugged_during_the_first_sweep(void **arg)
{
	struct world_manager *s;
	struct world w;

	(void)arg;
	for (int64_t i = 0; i < 40; i++) {
		uint32_t agg, core;
		uint8_t port;

		s = first_sweep(&w);
		agg = world_node(&w, "agg-1-0");
		assert_true(hw_peer(w.hw, agg, 3, &core, &port));
		assert_int_equal(hw_cable_pull(w.hw, agg, 3, w.now), 0);
		world_run(&w, i * 120);
		assert_int_equal(manager_sweeps(s->m), 0);
		assert_int_equal(hw_cable_plug(w.hw, agg, 3, core, port, w.now), 0);
		world_run(&w, 20 * SECOND);
		assert_true(world_is_right(&w));
		world_clear(&w);
	}
}

/* A switch whose traps are lost says so when it is asked, and then the whole is looked at, at once. */
static void
news_without_a_trap(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, "fattree:k=4,levels=3");
	unsigned sweeps = manager_sweeps(s->m);
	uint64_t clears = s->clears;

	(void)arg;
	w.hw->nodes[world_node(&w, "core-0-1")].switch_info[11] |= 4;
	world_run(&w, 10 * SECOND + SECOND / 10);
	assert_int_equal(manager_sweeps(s->m), sweeps + 1);
	assert_int_equal(s->clears, clears + 1);
	world_clear(&w);
}

static void
traps_during_a_sweep_are_one_more(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, "fattree:k=4,levels=3");
	unsigned before;

	(void)arg;
	hw_latency_set(w.hw, 200);
	before = manager_sweeps(s->m);
	manager_sweep(s->m, "test", w.now);
	for (unsigned i = 0; i < 20; i++) {
		world_run(&w, 300);
		trap(&w, s, 128, world_lid(&w, "leaf-0-0", 0), 100 + i, 0);
	}
	assert_int_equal(manager_sweeps(s->m), before);
	world_run(&w, 5 * SECOND);
	assert_int_equal(manager_sweeps(s->m), before + 2);
	world_clear(&w);
}

static void
trap_storm(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, "fattree:k=4,levels=3");
	unsigned before = manager_sweeps(s->m);
	uint64_t smps = s->smps;

	(void)arg;
	for (unsigned i = 0; i < 10000; i++) {
		trap(&w, s, i % 2 ? 128 : 129 + (uint16_t)(i % 3), (uint16_t)(1 + i % 40), 1000 + i,
			0);
		if (i % 10 == 9)
			world_run(&w, 4000);    /* 4 s in all */
	}
	assert_in_range(manager_sweeps(s->m), before + 3, before + 5);
	world_run(&w, 5 * SECOND);
	assert_in_range(manager_sweeps(s->m), before + 4, before + 6);
	assert_true(s->smps - smps < 6 * 400);
	assert_true(world_is_right(&w));
	world_clear(&w);
}

static void
quiet_fabric_is_looked_at_lightly(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, "fattree:k=4,levels=3");
	uint64_t smps, own, node_infos;

	(void)arg;
	smps = s->smps;
	own = s->own_gets;
	node_infos = s->node_infos;
	world_run(&w, 2 * MINUTE);
	assert_int_equal(s->node_infos, node_infos);
	/* every second, and in each light sweep */
	assert_in_range(s->own_gets - own, 12 + 100, 12 + 120);
	/* Switches; and every other time, so that leases of M_Keys are renewed, the other 15 adapters. */
	assert_int_equal(s->smps - smps - (s->own_gets - own), 12 * 20 + 6 * 15);
	/* in the end, everything is looked at in any case */
	world_run(&w, 5 * MINUTE);
	assert_true(s->node_infos > node_infos);
	world_clear(&w);
}

/* What stays broken is looked at ever more rarely, and no light sweep takes it for news. */
static void
stays_broken(enum hw_misbehaviour kind, uint16_t attr, const char *name, bool from_start)
{
	struct world_manager *s;
	struct world w;
	unsigned before;

	printf("# %s: kind %d at 0x%04x, %s\n", name, (int)kind, attr,
		from_start ? "from the start" : "later");
	if (from_start) {
		world_init(&w, "fattree:k=4,levels=3", 1);
		assert_int_equal(hw_misbehave(w.hw, world_node(&w, name), kind, attr, 0), 0);
		s = world_manager_start(&w, NULL, NULL);
		assert_true(world_run_sweeps(&w, s, 1, MINUTE));
	} else {
		s = up(&w, "fattree:k=4,levels=3");
		assert_int_equal(hw_misbehave(w.hw, world_node(&w, name), kind, attr, 0), 0);
	}
	before = manager_sweeps(s->m);
	world_run(&w, 20 * MINUTE);
	/* 120 intervals: 1, 2, 4, 8, then 16 apart; and the quiet ones that come every 30 in any case. */
	assert_in_range(manager_sweeps(s->m) - before, 1, 14);
	assert_int_equal(hw_misbehave(w.hw, world_node(&w, name), HW_NONE, 0, 0), 0);
	world_run(&w, 6 * MINUTE);
	assert_true(world_is_right(&w));
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
	world_clear(&w);
}

static void
what_stays_broken(void **arg)
{
	(void)arg;
	stays_broken(HW_DUPLICATE_GUID, 0, "host-9", true);
	stays_broken(HW_DUPLICATE_GUID, 0, "core-0-0", true);
	stays_broken(HW_MUTE, 0, "core-0-0", true);
	stays_broken(HW_MUTE, 0, "core-0-0", false);
	stays_broken(HW_MUTE, SWITCH_INFO_ID, "core-0-0", true);
	stays_broken(HW_MUTE, SWITCH_INFO_ID, "core-0-0", false);
	stays_broken(HW_MUTE, PORT_INFO_ID, "agg-1-0", true);
	stays_broken(HW_NO_SET, 0, "core-1-0", true);
	stays_broken(HW_NO_SET, SWITCH_INFO_ID, "core-1-0", true);
	stays_broken(HW_WRONG_STATUS, LFT_BLOCK_ID, "agg-2-0", true);
	stays_broken(HW_LATE, 0, "core-0-1", true);
	stays_broken(HW_LATE, PORT_INFO_ID, "host-3", true);
}

/* PortStateChange is cleared by one Set for each switch that shows it, in the sweep that read its ports. */
static void
port_state_change_is_cleared_once(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, "fattree:k=4,levels=3");
	uint64_t clears = s->clears;

	(void)arg;
	assert_int_equal(clears, 20);
	assert_int_equal(hw_cable_pull(w.hw, world_node(&w, "agg-1-0"), 3, w.now), 0);
	world_run(&w, 10 * SECOND);
	assert_int_equal(s->clears - clears, 2);
	manager_sweep(s->m, "test", w.now);
	world_run(&w, 40 * SECOND);
	assert_int_equal(s->clears - clears, 2);
	world_clear(&w);
}

/* What was not confirmed is read again and written again. */
static void
failed_blocks_are_written_later(void **arg)
{
	static const enum hw_misbehaviour kinds[] = { HW_MUTE, HW_NO_SET, HW_WRONG_STATUS,
		HW_RANDOM_BYTES, HW_LATE };
	struct world w;
	struct world_manager *s;
	uint64_t tables;
	uint32_t agg;

	(void)arg;
	for (unsigned k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		s = up(&w, "fattree:k=4,levels=3");
		agg = world_node(&w, "agg-0-0");
		assert_int_equal(hw_misbehave(w.hw, agg, kinds[k], LFT_BLOCK_ID, 0), 0);
		assert_int_equal(hw_cable_pull(w.hw, agg, 3, w.now), 0);
		world_run(&w, 15 * SECOND);
		assert_int_equal(manager_outcome(s->m), OUTCOME_PARTIAL);
		assert_int_equal(hw_misbehave(w.hw, agg, HW_NONE, 0, 0), 0);
		world_run(&w, 3 * MINUTE);
		assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
		assert_true(world_is_right(&w));
		/* one that believes nothing finds nothing to write */
		tables = world_tables(&w);
		world_manager_kill(&w, s);
		s = world_manager_start(&w, NULL, NULL);
		assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
		assert_int_equal(s->lft_sets, 0);
		assert_true(world_tables(&w) == tables);
		world_clear(&w);
	}
}

/* The switch that our own cable leads to is of no use: there is no fabric; then there is. */
static void
own_switch_is_silent(void **arg)
{
	struct world_manager *s;
	struct world w;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	assert_int_equal(hw_misbehave(w.hw, world_node(&w, "leaf-0-0"), HW_MUTE, SWITCH_INFO_ID, 0),
		0);
	s = world_manager_start(&w, NULL, NULL);
	assert_true(world_run_sweeps(&w, s, 1, MINUTE));
	assert_int_equal(manager_outcome(s->m), OUTCOME_NO_FABRIC);
	assert_int_equal(manager_exit_status(s->m), 255);
	assert_int_equal(s->sets, 0);
	assert_int_equal(hw_misbehave(w.hw, world_node(&w, "leaf-0-0"), HW_NONE, 0, 0), 0);
	world_run(&w, 20 * SECOND);
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
	assert_true(world_is_right(&w));
	world_clear(&w);
}

static void
own_cable_pulled(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, "fattree:k=4,levels=3");
	uint32_t host = world_node(&w, "host-0"), leaf = world_node(&w, "leaf-0-0");

	(void)arg;
	assert_int_equal(hw_cable_pull(w.hw, host, 1, w.now), 0);
	world_run(&w, 2 * SECOND);
	assert_int_equal(manager_outcome(s->m), OUTCOME_NO_FABRIC);
	world_run(&w, 23 * SECOND);
	assert_int_equal(manager_outcome(s->m), OUTCOME_NO_FABRIC);
	assert_int_equal(hw_cable_plug(w.hw, host, 1, leaf, 1, w.now), 0);
	world_run(&w, 2 * SECOND);
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
	assert_true(world_is_right(&w));
	world_clear(&w);
}

/* A changed description is read again, without a sweep, also when the node answers late or the trap came at a bad time. */
static void
descriptions_are_read_again(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, "fattree:k=4,levels=3");
	uint16_t lid = world_lid(&w, "host-9", 1);
	unsigned sweeps = manager_sweeps(s->m);
	uint64_t smps = s->smps - s->own_gets;

	(void)arg;
	trap(&w, s, 144, lid, 1, 1);
	world_run(&w, SECOND / 10);
	assert_int_equal(s->smps - s->own_gets, smps + 1);
	assert_int_equal(manager_sweeps(s->m), sweeps);
	/* something else changed as well: the node is read */
	trap(&w, s, 144, lid, 2, 3);
	smps = s->smps - s->own_gets;
	world_run(&w, 2 * SECOND);
	assert_int_equal(manager_sweeps(s->m), sweeps + 1);
	assert_in_range(s->smps - s->own_gets - smps, 3, 8);

	assert_int_equal(hw_misbehave(w.hw, world_node(&w, "host-9"), HW_MUTE, NODE_DESC_ID, 0), 0);
	trap(&w, s, 144, lid, 3, 1);
	/* under way, and its tries outlive this snapshot: */
	world_run(&w, 1000);
	hw_misbehave(w.hw, world_node(&w, "host-9"), HW_NONE, 0, 0);
	hw_latency_set(w.hw, 100);
	manager_sweep(s->m, "test", w.now);
	world_run(&w, 1000);
	trap(&w, s, 144, lid, 4, 1);            /* this one comes while a sweep is under way */
	smps = s->smps - s->own_gets;
	world_run(&w, 5 * SECOND);
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
	/* Two that do not answer stand in the way of nobody. */
	for (unsigned i = 9; i <= 10; i++) {
		hw_misbehave(w.hw, world_node(&w, i == 9 ? "host-9" : "host-10"), HW_MUTE,
			NODE_DESC_ID, 0);
		trap(&w, s, 144, world_lid(&w, i == 9 ? "host-9" : "host-10", 1), i, 1);
	}
	world_run(&w, 3 * SECOND);
	smps = s->smps - s->own_gets;
	trap(&w, s, 144, world_lid(&w, "host-11", 1), 11, 1);
	world_run(&w, SECOND / 10);
	assert_int_equal(s->smps - s->own_gets, smps + 1);
	for (unsigned i = 9; i <= 10; i++)
		hw_misbehave(w.hw, world_node(&w, i == 9 ? "host-9" : "host-10"), HW_NONE, 0, 0);
	for (uint16_t i = 1; i <= 36; i++)      /* of everybody at once: one sweep reads them all */
		trap(&w, s, 144, i, 10 + i, 1);
	sweeps = manager_sweeps(s->m);
	world_run(&w, 5 * SECOND);
	assert_int_equal(manager_sweeps(s->m), sweeps + 1);
	world_clear(&w);
}

/* As long as it runs, it takes no more memory than in the beginning. */
static void
a_thousand_sweeps(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, "fattree:k=4,levels=2");
	size_t before = 0;

	(void)arg;
	for (unsigned i = 0; i < 1000; i++) {
		manager_sweep(s->m, "test", w.now);
		if (i % 5 == 0) {
			assert_int_equal(hw_cable_pull(w.hw, world_node(&w, "leaf-0-1"), 3 + i % 2,
				w.now), 0);
			assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
			assert_int_equal(hw_cable_plug(w.hw, world_node(&w, "leaf-0-1"), 3 + i % 2,
				w.topo.ports[w.topo.nodes[world_node(&w, "leaf-0-1")].first_port + 3 + i % 2].peer_node,
				w.topo.ports[w.topo.nodes[world_node(&w, "leaf-0-1")].first_port + 3 + i % 2].peer_port, w.now), 0);
			manager_sweep(s->m, "test", w.now);
		}
		assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
		if (i == 100)
			before = mallinfo2().uordblks;
	}
	world_run(&w, 20 * SECOND);
	assert_true(world_is_right(&w));
	assert_true(mallinfo2().uordblks < before + 65536);
	world_clear(&w);
}

/* To compute for long is not to stand still: what was planned is written, and nothing of it is late when it goes out. */
static void
long_plans_are_written(void **arg)
{
	struct world_manager *s;
	struct world w;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	w.job_us = 0;                   /* the manager computes itself */
	w.phase_us = 5 * SECOND;
	s = world_manager_start(&w, NULL, NULL);
	assert_true(world_run_sweeps(&w, s, 1, 2 * MINUTE));
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
	w.phase_us = 0;
	world_run(&w, SECOND);
	assert_true(world_is_right(&w));
	world_clear(&w);
}

/* A sweep that is given up while it writes leaves tables behind that are neither the old ones nor the new: they are read. */
static void
given_up_while_writing(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, "fattree:k=4,levels=3");
	uint64_t tables = world_tables(&w), sets;
	uint32_t leaf, spine;
	uint8_t port, up_port = 0;

	(void)arg;
	assert_true(hw_peer(w.hw, world_node(&w, "host-3"), 1, &leaf, &port));
	for (uint8_t p = 1; p <= 4 && !up_port; p++)
		if (hw_peer(w.hw, leaf, p, &spine, &port) && w.hw->nodes[spine].type == TOPO_SWITCH)
			up_port = p;
	hw_latency_set(w.hw, 2000);
	assert_int_equal(hw_cable_pull(w.hw, leaf, up_port, w.now), 0);
	sets = s->lft_sets;
	for (unsigned i = 0; i < 200000 && s->lft_sets == sets; i++)
		world_run(&w, 100);
	assert_true(s->lft_sets > sets);
	world_run(&w, 2500);                            /* some have arrived */
	w.frozen[0] = true;
	assert_true(world_tables(&w) != tables);
	assert_int_equal(hw_cable_plug(w.hw, leaf, up_port, spine, port, w.now), 0);
	world_run(&w, 8 * SECOND);
	w.frozen[0] = false;
	world_run(&w, 60 * SECOND);
	assert_true(world_is_right(&w));
	assert_true(world_tables(&w) == tables);
	world_clear(&w);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(cable_pulled_during_the_first_sweep),
		cmocka_unit_test(cable_plugged_during_the_first_sweep),
		cmocka_unit_test(news_without_a_trap),
		cmocka_unit_test(traps_during_a_sweep_are_one_more),
		cmocka_unit_test(trap_storm),
		cmocka_unit_test(quiet_fabric_is_looked_at_lightly),
		cmocka_unit_test(what_stays_broken),
		cmocka_unit_test(port_state_change_is_cleared_once),
		cmocka_unit_test(failed_blocks_are_written_later),
		cmocka_unit_test(own_switch_is_silent),
		cmocka_unit_test(own_cable_pulled),
		cmocka_unit_test(descriptions_are_read_again),
		cmocka_unit_test(a_thousand_sweeps),
		cmocka_unit_test(long_plans_are_written),
		cmocka_unit_test(given_up_while_writing),
	};

	return cmocka_run_group_tests_name("sweeps", tests, NULL, NULL);
}
