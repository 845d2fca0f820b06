/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_lossy.c - datagrams that are lost, doubled, late or overtaken: the fabric comes up, and no table is wrong.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/scenario/world.h"

#define SECOND 1000000

/* The tables when nothing is lost. */
static uint64_t
tables_of(const char *spec)
{
	struct world_manager *s;
	struct world w;
	uint64_t tables;

	world_init(&w, spec, 1);
	s = world_manager_start(&w, NULL, NULL);
	assert_true(world_run_sweeps(&w, s, 1, 5 * SECOND));
	tables = world_tables(&w);
	world_clear(&w);
	return tables;
}

static void
lossy(const char *spec, struct hw_faults f, uint64_t seed, int64_t limit_us)
{
	struct world_manager *s;
	struct world w;
	int64_t begin;

	world_init(&w, spec, seed);
	hw_latency_set(w.hw, 3);
	assert_int_equal(hw_faults_set(w.hw, TOPO_NONE, &f), 0);
	s = world_manager_start(&w, NULL, NULL);
	begin = w.now.us;
	while (manager_outcome(s->m) != OUTCOME_UP && w.now.us < begin + limit_us)
		world_run(&w, SECOND / 10);
	printf("# up after %.1f s and %u sweeps, %llu requests\n", (double)(w.now.us - begin) / 1e6, manager_sweeps(s->m),
		(unsigned long long)s->smps);
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
	assert_true(world_is_right(&w));
	if (manager_sweeps(s->m) == 1)          /* else somebody may have got his LID after others */
		assert_true(world_tables(&w) == tables_of(spec));
	/* One that has seen nothing of all that finds every table as it would write it. */
	world_manager_kill(&w, s);
	hw_faults_set(w.hw, TOPO_NONE, &(struct hw_faults){ 0 });
	world_run(&w, 5 * SECOND);
	s = world_manager_start_with(&w, NULL, NULL, &s->store);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
	assert_int_equal(s->lft_sets, 0);
	assert_true(world_is_right(&w));
	world_clear(&w);
}

static void
some_are_lost(void **arg)
{
	static const struct { uint32_t percent; int64_t limit_us; } row[] = {
		{ 1, 3 * SECOND }, { 5, 5 * SECOND }, { 10, 6 * SECOND }, { 20, 15 * SECOND }, { 30, 30 * SECOND },
	};

	(void)arg;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		for (uint64_t seed = 1; seed <= 4; seed++) {
			printf("# %u %% lost each way\n", row[i].percent);
			lossy("fattree:k=4,levels=3", (struct hw_faults){ .drop_ppm = row[i].percent * 10000 }, seed, row[i].limit_us);
		}
}

static void
a_larger_one(void **arg)
{
	(void)arg;
	lossy("fattree:k=8,levels=3", (struct hw_faults){ .drop_ppm = 100000 }, 1, 10 * SECOND);
	lossy("fattree:k=8,levels=3", (struct hw_faults){ .drop_ppm = 300000 }, 2, 150 * SECOND);
}

static void
doubled_late_and_overtaken(void **arg)
{
	(void)arg;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		lossy("fattree:k=4,levels=3", (struct hw_faults){ .dup_ppm = 200000, .reorder_ppm = 300000 }, seed, 5 * SECOND);
		lossy("fattree:k=4,levels=3", (struct hw_faults){ .drop_ppm = 50000, .dup_ppm = 50000, .reorder_ppm = 200000,
			.delay_ppm = 50000, .delay_us = 600000 }, seed, 120 * SECOND);
		lossy("torus:3x3,hosts=1", (struct hw_faults){ .delay_ppm = 300000, .delay_us = 250000 }, seed, 60 * SECOND);
	}
}

/* Whatever the size and the share, one sweep configures all of it within 5 s; and not at the cost of many more requests. */
static void
one_sweep_is_enough(void **arg)
{
	static const struct { const char *spec; unsigned seeds; uint64_t smps; } row[] = {
		{ "fattree:k=8,levels=3", 20, 3745 }, { "fattree:k=16,levels=3", 3, 32513 },
	};
	static const uint32_t percents[] = { 1, 2, 5, 10 };

	(void)arg;
	for (unsigned i = 0; i < 2 * 4; i++)
		for (uint64_t seed = 1; seed <= row[i / 4].seeds; seed++) {
			struct hw_faults f = { .drop_ppm = percents[i % 4] * 10000 };
			struct world_manager *s;
			struct world w;

			world_init(&w, row[i / 4].spec, seed);
			hw_latency_set(w.hw, 3);
			assert_int_equal(hw_faults_set(w.hw, TOPO_NONE, &f), 0);
			s = world_manager_start(&w, NULL, NULL);
			assert_true(world_run_sweeps(&w, s, 1, 5 * SECOND));
			assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
			assert_true(s->smps < row[i / 4].smps * 8 / 5);
			assert_true(world_is_right(&w));
			world_clear(&w);
		}
}

/* A dead host beside losses costs its tries, which take no longer than without losses, and is all that is missing. */
static void
a_dead_host_beside_losses(void **arg)
{
	struct hw_faults f = { .drop_ppm = 50000 };
	struct world_manager *s;
	struct world w;

	(void)arg;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		world_init(&w, "fattree:k=8,levels=3", seed);
		assert_int_equal(hw_misbehave(w.hw, world_node(&w, "host-9"), HW_MUTE, 0, 0), 0);
		assert_int_equal(hw_faults_set(w.hw, TOPO_NONE, &f), 0);
		s = world_manager_start(&w, NULL, NULL);
		assert_true(world_run_sweeps(&w, s, 1, 5 * SECOND));
		assert_int_equal(manager_outcome(s->m), OUTCOME_PARTIAL);
		world_clear(&w);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(some_are_lost),
		cmocka_unit_test(a_larger_one),
		cmocka_unit_test(one_sweep_is_enough),
		cmocka_unit_test(a_dead_host_beside_losses),
		cmocka_unit_test(doubled_late_and_overtaken),
	};

	return cmocka_run_group_tests_name("lossy", tests, NULL, NULL);
}
