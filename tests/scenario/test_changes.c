/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_changes.c - a living fabric: cables, reboots, newcomers, misbehaviour, two managers.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "libmad/wire/wire.h"
#include "sim/phys/phys.h"
#include "tests/scenario/world.h"
#include "tests/scenario/registers.h"

#define SECOND 1000000

static struct world_manager *
up(struct world *w, const char *spec, uint64_t seed)
{
	struct world_manager *s;

	world_init(w, spec, seed);
	s = world_manager_start(w, NULL, NULL);
	assert_true(world_run_sweeps(w, s, 1, 10 * SECOND));
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
	world_run(w, 3 * SECOND);
	assert_true(world_is_right(w));
	return s;
}

static uint32_t
node(struct world *w, const char *name)
{
	uint32_t n;

	if (hw_node_find(w->hw, name, &n) < 0)
		fail_msg("no node %s", name);
	return n;
}

/* Right again within two sweep intervals, whatever woke the manager. */
static void
right_again(struct world *w)
{
	world_run(w, 20 * SECOND);
	assert_true(world_is_right(w));
}

static void
cable_pulled_and_plugged(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, "fattree:k=8,levels=3", 1);
	uint64_t lft = s->lft_sets, tables = 80 * 4;
	uint32_t leaf = node(&w, "leaf-0-0");
	uint32_t agg;
	uint8_t agg_port;

	(void)arg;
	agg = topo_port(&w.topo, leaf, 5)->peer_node;
	agg_port = topo_port(&w.topo, leaf, 5)->peer_port;
	assert_int_equal(hw_cable_pull(w.hw, leaf, 5, w.now), 0);
	right_again(&w);
	assert_true(s->lft_sets > lft);                         /* rerouted, */
	assert_true(s->lft_sets - lft <= tables);               /* not written twice */
	assert_int_equal(hw_cable_plug(w.hw, leaf, 5, agg, agg_port, w.now), 0);
	right_again(&w);
	world_clear(&w);
}

static void
host_cable_pulled(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, "fattree:k=4,levels=3", 1);

	(void)s;
	(void)arg;
	assert_int_equal(hw_cable_pull(w.hw, node(&w, "host-5"), 1, w.now), 0);
	right_again(&w);
	world_clear(&w);
}

static void
switch_reboots(void **arg)
{
	static const char *const names[] = { "leaf-1-1", "agg-2-0", "core-0-1" };
	struct world w;

	(void)arg;
	for (unsigned i = 0; i < 3; i++) {
		up(&w, "fattree:k=4,levels=3", 1);
		assert_int_equal(hw_node_reboot(w.hw, node(&w, names[i]), 2 * SECOND, w.now), 0);
		world_run(&w, 5 * SECOND);
		right_again(&w);
		world_clear(&w);
	}
}

/* Who comes (back) to the subnet registers again; nobody else is asked to, and nobody twice. */
static void
who_registers_again(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, "fattree:k=4,levels=3", 1);
	uint64_t asked = s->reregisters;
	uint32_t host = node(&w, "host-5"), leaf, agg = node(&w, "agg-1-0"), core;
	uint8_t leaf_port, core_port;

	(void)arg;
	assert_int_equal(asked, 16);
	assert_true(hw_peer(w.hw, host, 1, &leaf, &leaf_port));
	assert_true(hw_peer(w.hw, agg, 3, &core, &core_port));
	assert_int_equal(hw_cable_pull(w.hw, agg, 3, w.now), 0);
	right_again(&w);
	assert_int_equal(hw_cable_plug(w.hw, agg, 3, core, core_port, w.now), 0);
	right_again(&w);
	assert_int_equal(s->reregisters, asked);
	assert_int_equal(hw_cable_pull(w.hw, host, 1, w.now), 0);
	right_again(&w);
	assert_int_equal(hw_cable_plug(w.hw, host, 1, leaf, leaf_port, w.now), 0);
	right_again(&w);
	assert_int_equal(s->reregisters, asked + 1);
	manager_sweep(s->m, "test", w.now);
	world_run(&w, SECOND / 100);
	assert_int_equal(hw_cable_pull(w.hw, host, 1, w.now), 0);      /* so shortly that no sweep saw it away */
	assert_int_equal(hw_cable_plug(w.hw, host, 1, leaf, leaf_port, w.now), 0);
	right_again(&w);
	assert_int_equal(s->reregisters, ++asked + 1);
	assert_int_equal(hw_node_reboot(w.hw, leaf, SECOND, w.now), 0);
	right_again(&w);
	assert_int_equal(s->reregisters, asked + 3);
	/* One that obeys a manager who is gone, and one that could not be told. */
	wire_put16(hw_port(w.hw, host, 1)->info + PI_SMLID, 99);
	manager_sweep(s->m, "test", w.now);
	right_again(&w);
	assert_int_equal(s->reregisters, asked + 4);
	assert_int_equal(hw_misbehave(w.hw, host, HW_NO_SET, PORT_INFO_ID, 0), 0);
	wire_put16(hw_port(w.hw, host, 1)->info + PI_SMLID, 99);
	manager_sweep(s->m, "test", w.now);
	world_run(&w, 4 * SECOND);
	asked = s->reregisters;
	assert_int_equal(hw_misbehave(w.hw, host, HW_NONE, 0, 0), 0);
	wire_put16(hw_port(w.hw, host, 1)->info + PI_SMLID, world_lid(&w, "host-0", 1));
	manager_sweep(s->m, "test", w.now);
	right_again(&w);
	assert_int_equal(s->reregisters, asked + 1);
	world_clear(&w);
}

static void
host_reboots(void **arg)
{
	struct world w;

	(void)arg;
	up(&w, "fattree:k=4,levels=3", 1);
	assert_int_equal(hw_node_reboot(w.hw, node(&w, "host-7"), SECOND / 10, w.now), 0);
	right_again(&w);
	world_clear(&w);
}

static void
host_appears(void **arg)
{
	struct world w;
	uint32_t n;

	(void)arg;
	up(&w, "mesh:2x2,hosts=1", 1);
	assert_int_equal(hw_node_add(w.hw, TOPO_CA, 1, UINT64_C(0xfeedbeef00), "newcomer", &n), 0);
	assert_int_equal(hw_cable_plug(w.hw, n, 1, node(&w, "sw-1-1"), 9, w.now), 0);
	right_again(&w);
	world_clear(&w);
}

static void
switch_vanishes(void **arg)
{
	struct world w;

	(void)arg;
	up(&w, "fattree:k=4,levels=3", 1);
	assert_int_equal(hw_node_power(w.hw, node(&w, "core-1-1"), false, w.now), 0);
	right_again(&w);
	world_clear(&w);
}

/* One node of each kind of misbehaviour, at each attribute a sweep needs: everything else comes up. */
static void
misbehaviour(enum hw_misbehaviour kind, uint16_t attr, const char *name)
{
	struct world w;
	struct world_manager *s;
	struct hw_verdict c;

	world_init(&w, "fattree:k=4,levels=3", 1);
	assert_int_equal(hw_misbehave(w.hw, node(&w, name), kind, attr, 0), 0);
	s = world_manager_start(&w, NULL, NULL);
	assert_true(world_run_sweeps(&w, s, 1, 60 * SECOND));
	hw_check(w.hw, true, &c);
	/* 16 hosts, 48 cables: at most the node's own are missing. */
	printf("# %s misbehaves (%d) at 0x%04x: %u of %u ports active, outcome %d\n", name, (int)kind, attr, c.active, c.linked,
		(int)manager_outcome(s->m));
	assert_true(manager_outcome(s->m) == OUTCOME_PARTIAL || manager_outcome(s->m) == OUTCOME_UP);
	assert_true(c.active >= 96 - 2 * 4);
	if (c.active < 96)                      /* whoever is missing is named */
		assert_int_equal(manager_outcome(s->m), OUTCOME_PARTIAL);
	world_clear(&w);
}

static void
misbehaving_nodes(void **arg)
{
	static const enum hw_misbehaviour kinds[] = {
		HW_MUTE, HW_WRONG_MODIFIER, HW_WRONG_ATTRIBUTE, HW_WRONG_STATUS, HW_WRONG_METHOD, HW_WRONG_TID,
		HW_RANDOM_BYTES, HW_BIG_COUNTS, HW_ZERO_PAYLOAD, HW_NO_SET, HW_LATE,
	};
	static const uint16_t attrs[] = { NODE_INFO_ID, NODE_DESC_ID, SWITCH_INFO_ID, PORT_INFO_ID, PKEY_TABLE_ID, LFT_BLOCK_ID };

	(void)arg;
	for (unsigned k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		misbehaviour(kinds[k], 0, "core-0-0");
		misbehaviour(kinds[k], 0, "host-9");
		for (unsigned a = 0; a < sizeof(attrs) / sizeof(attrs[0]); a++)
			misbehaviour(kinds[k], attrs[a], "core-0-0");
	}
}

static void
duplicate_guid(void **arg)
{
	misbehaviour(HW_DUPLICATE_GUID, 0, "host-9");
	(void)arg;
}

static void
lossy_fabric(void **arg)
{
	struct world w;
	struct world_manager *s;
	struct hw_faults f = { .drop_ppm = 100000, .dup_ppm = 20000 };

	(void)arg;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		world_init(&w, "fattree:k=4,levels=3", seed);
		hw_faults_set(w.hw, TOPO_NONE, &f);
		s = world_manager_start(&w, NULL, NULL);
		world_run(&w, 60 * SECOND);
		assert_true(manager_sweeps(s->m) >= 1);
		hw_faults_set(w.hw, TOPO_NONE, &(struct hw_faults){ 0 });
		world_run(&w, 60 * SECOND);
		assert_true(world_is_right(&w));
		world_clear(&w);
	}
}

static unsigned
masters(struct world *w)
{
	unsigned n = 0;

	for (unsigned i = 0; i < w->nsm; i++)
		n += w->sm[i].m && manager_outcome(w->sm[i].m) != OUTCOME_STANDBY;
	return n;
}

static void
standby_takes_over(void **arg)
{
	static const char *const high[] = { "-p", "5", NULL };
	struct world w;
	struct world_manager *a, *b;
	uint64_t lft;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	a = world_manager_start(&w, NULL, high);
	assert_true(world_run_sweeps(&w, a, 1, 10 * SECOND));
	b = world_manager_start(&w, "host-12", NULL);
	world_run(&w, 10 * SECOND);
	assert_int_equal(manager_outcome(a->m), OUTCOME_UP);
	assert_int_equal(manager_outcome(b->m), OUTCOME_STANDBY);
	assert_int_equal(b->sets, 0);
	world_manager_kill(&w, a);
	lft = b->lft_sets;
	world_run(&w, 10 * SECOND);
	assert_int_equal(manager_outcome(b->m), OUTCOME_UP);
	assert_int_equal(masters(&w), 1);
	assert_int_equal(b->lft_sets, lft);             /* same LIDs, same routes: nothing to write */
	assert_true(world_is_right(&w));
	world_clear(&w);
}

static void
better_manager_gets_the_subnet(void **arg)
{
	static const char *const high[] = { "-p", "9", NULL };
	struct world w;
	struct world_manager *a, *b;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	a = world_manager_start(&w, NULL, NULL);
	assert_true(world_run_sweeps(&w, a, 1, 10 * SECOND));
	b = world_manager_start(&w, "host-12", high);
	world_run(&w, 30 * SECOND);
	assert_int_equal(manager_outcome(b->m), OUTCOME_UP);
	assert_int_equal(manager_outcome(a->m), OUTCOME_STANDBY);
	assert_true(world_is_right(&w));
	world_clear(&w);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(cable_pulled_and_plugged),
		cmocka_unit_test(host_cable_pulled),
		cmocka_unit_test(switch_reboots),
		cmocka_unit_test(who_registers_again),
		cmocka_unit_test(host_reboots),
		cmocka_unit_test(host_appears),
		cmocka_unit_test(switch_vanishes),
		cmocka_unit_test(misbehaving_nodes),
		cmocka_unit_test(duplicate_guid),
		cmocka_unit_test(lossy_fabric),
		cmocka_unit_test(standby_takes_over),
		cmocka_unit_test(better_manager_gets_the_subnet),
	};

	return cmocka_run_group_tests_name("changes", tests, NULL, NULL);
}
