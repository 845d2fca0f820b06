/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_keys.c - subnets whose ports are protected by an M_Key.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "libmad/mad/dgram.h"
#include "libmad/wire/wire.h"
#include "sim/hw/hw_int.h"
#include "tests/scenario/world.h"

#define SECOND 1000000
#define KEY UINT64_C(0x1122334455667788)

static struct world_manager *
start(struct world *w, uint64_t key, uint32_t lease_s)
{
	struct world_manager *s = world_manager_start(w, NULL, NULL);

	s->conf->m_key = key;
	s->conf->m_key_lease_period_s = lease_s;
	return s;
}

static struct world_manager *
up(struct world *w, uint32_t lease_s)
{
	struct world_manager *s;

	world_init(w, "fattree:k=4,levels=3", 1);
	s = start(w, KEY, lease_s);
	assert_true(world_run_sweeps(w, s, 1, 10 * SECOND));
	assert_int_equal(manager_outcome(s->m), MANAGER_UP);
	world_run(w, 5 * SECOND);
	assert_true(world_is_right(w));
	return s;
}

/* All end ports hold the key at this level. */
static bool
protected(const struct world *w, unsigned level)
{
	for (uint32_t i = 0; i < w->hw->nports; i++) {
		const struct hw_port *p = &w->hw->ports[i];
		bool end = w->hw->nodes[p->node].type == TOPO_SWITCH ? p->num == 0 : p->num > 0;

		if (end && (wire_get64(p->info + PI_MKEY) != KEY || p->info[PI_LMC] >> 6 != level))
			return false;
	}
	return true;
}

static void
keys_are_given_and_used(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, 0);
	uint64_t sets = s->sets;

	(void)arg;
	assert_true(protected(&w, 1));
	manager_sweep(s->m, "test", w.now);
	world_run(&w, SECOND);
	assert_int_equal(s->sets, sets);                        /* the key is seen to be there */
	assert_int_equal(hw_stats(w.hw)->dropped_mkey, 0);
	world_manager_kill(&w, s);
	s = start(&w, KEY, 0);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	assert_int_equal(manager_outcome(s->m), MANAGER_UP);
	assert_int_equal(s->lft_sets, 0);
	assert_int_equal(hw_stats(w.hw)->dropped_mkey, 0);
	world_clear(&w);
}

/* A port wants to see its key before it stops sending a trap. */
static void
traps_end(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, 0);
	uint64_t traps;
	unsigned sweeps;

	(void)arg;
	assert_int_equal(hw_cable_pull(w.hw, world_node(&w, "agg-1-0"), 3, w.now), 0);
	world_run(&w, 6 * SECOND);
	assert_true(world_is_right(&w));
	traps = hw_stats(w.hw)->traps;
	sweeps = manager_sweeps(s->m);
	world_run(&w, 10 * SECOND);
	assert_int_equal(hw_stats(w.hw)->traps, traps);
	assert_int_equal(manager_sweeps(s->m), sweeps);
	assert_int_equal(hw_stats(w.hw)->dropped_mkey, 0);
	world_clear(&w);
}

/* Somebody without the key tries: the lease runs, and is stopped by us before it ends. */
static void
lease_is_renewed(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, 30);
	struct hw_packet p = { .slid = LID_PERMISSIVE, .dlid = LID_PERMISSIVE };
	static const uint8_t path[1];
	struct dgram_smp smp = { .method = METHOD_SET, .attr_id = PORT_INFO_ID, .modifier = 1, .tid = 7, .path = path };

	(void)arg;
	s->conf->sweep_interval_s = 45;         /* as often as needed all the same */
	manager_sweep(s->m, "test", w.now);
	world_run(&w, SECOND);
	for (unsigned i = 0; i < 3; i++) {
		/* The trap that tells of it is lost: its repress would renew the lease as well. */
		hw_faults_set(w.hw, world_node(&w, "host-9"), &(struct hw_faults){ .drop_ppm = 1000000 });
		dgram_smp_make(p.mad, &smp);
		assert_int_equal(hw_send(w.hw, world_node(&w, "host-9"), 1, &p, w.now), 0);
		world_run(&w, 14 * SECOND);
		hw_faults_set(w.hw, world_node(&w, "host-9"), &(struct hw_faults){ 0 });
		world_run(&w, 26 * SECOND);
		assert_true(protected(&w, 1));
	}
	assert_true(hw_stats(w.hw)->dropped_mkey >= 3);
	world_run(&w, 120 * SECOND);
	assert_true(protected(&w, 1));
	assert_true(world_is_right(&w));
	world_clear(&w);
}

/* Whoever protected them before us let nobody even read: with the key we may. */
static void
protected_from_reading(void **arg)
{
	struct world w;
	struct world_manager *s;

	(void)arg;
	for (unsigned level = 2; level <= 3; level++) {
		s = up(&w, 0);
		world_manager_kill(&w, s);
		for (uint32_t i = 0; i < w.hw->nports; i++)
			w.hw->ports[i].info[PI_LMC] = (uint8_t)((w.hw->ports[i].info[PI_LMC] & 0x3f) | level << 6);
		s = start(&w, KEY, 0);
		assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
		assert_int_equal(manager_outcome(s->m), MANAGER_UP);
		assert_int_equal(hw_stats(w.hw)->dropped_mkey, 0);
		assert_true(world_is_right(&w));
		world_clear(&w);
	}
}

/* Without the key nothing can be written: every node is named, and it is soon over. */
static void
wrong_key(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, 0);
	uint64_t tables = world_tables(&w);

	(void)arg;
	world_manager_kill(&w, s);
	s = start(&w, KEY + 1, 0);
	assert_true(world_run_sweeps(&w, s, 1, 30 * SECOND));
	assert_int_equal(manager_outcome(s->m), MANAGER_PARTIAL);
	assert_int_equal(manager_exit_status(s->m), 3);
	assert_true(tables == world_tables(&w));
	world_clear(&w);
}

/* Two managers that share the key. */
static void
takeover(void **arg)
{
	struct world w;
	struct world_manager *a = up(&w, 0), *b;

	(void)arg;
	b = world_manager_start(&w, "host-12", NULL);
	b->conf->m_key = KEY;
	world_run(&w, 5 * SECOND);
	assert_int_equal(manager_outcome(b->m), MANAGER_STANDBY);
	world_manager_kill(&w, a);
	world_run(&w, 15 * SECOND);
	assert_int_equal(manager_outcome(b->m), MANAGER_UP);
	assert_int_equal(hw_stats(w.hw)->dropped_mkey, 0);
	assert_true(world_is_right(&w));
	world_clear(&w);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_given_and_used),
		cmocka_unit_test(traps_end),
		cmocka_unit_test(lease_is_renewed),
		cmocka_unit_test(protected_from_reading),
		cmocka_unit_test(wrong_key),
		cmocka_unit_test(takeover),
	};

	return cmocka_run_group_tests_name("keys", tests, NULL, NULL);
}
