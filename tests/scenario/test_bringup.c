/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_bringup.c - fabrics come up from nothing, with exactly the datagrams that are needed.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/scenario/world.h"

#define SECOND 1000000

/* E cables, S switches of P ports, H hosts: docs/routing.md. */
static uint64_t
minimum(uint64_t e, uint64_t s, uint64_t p, uint64_t h)
{
	uint64_t get = (e + 1) + (s * (p + 1) + h) + (s + h) + s + (s + h);
	uint64_t set = 2 * e + 2 * e + s + s;

	return get + set + s * ((s + h) / 64 + 1);
}

static void
bring_up(const char *spec, const char *engine, uint64_t smps)
{
	const char *args[] = { "-R", engine, NULL };
	struct world_manager *s;
	struct world w;

	world_init(&w, spec, 1);
	s = world_manager_start(&w, NULL, args);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
	assert_true(world_is_right(&w));
	if (smps)
		assert_int_equal(s->smps, smps);
	world_clear(&w);
}

static void
trees_with_the_least_datagrams(void **arg)
{
	(void)arg;
	bring_up("fattree:k=4,levels=3", "updn", minimum(48, 20, 4, 16));
	bring_up("fattree:k=8,levels=3", "updn", minimum(384, 80, 8, 128));
	bring_up("fattree:k=8,levels=3", "minhop", minimum(384, 80, 8, 128));
	bring_up("fattree:k=12,levels=2", "updn", minimum(144, 18, 12, 72));
}

static void
other_shapes(void **arg)
{
	(void)arg;
	bring_up("torus:4x4x4,hosts=2", "updn", 0);
	bring_up("mesh:3x3,hosts=2", "updn", 0);
	bring_up("hypercube:d=4,hosts=2", "updn", 0);
	bring_up("dragonfly:a=4,h=2,p=2", "updn", 0);
	bring_up("random:switches=30,cables=60,hosts=2,seed=7", "updn", 0);
	bring_up("xgft:m=4/4/2,w=1/2/2", "updn", 0);
}

static void
a_cyclic_plan_is_not_written(void **arg)
{
	const char *args[] = { "-R", "minhop,no_fallback", NULL };
	struct world_manager *s;
	struct world w;

	(void)arg;
	world_init(&w, "torus:4x4,hosts=2", 1);
	s = world_manager_start(&w, NULL, args);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	assert_int_equal(manager_outcome(s->m), OUTCOME_REFUSED);
	assert_int_equal(s->sets, 0);
	world_clear(&w);
}

static void
the_next_engine_of_the_list_is_tried(void **arg)
{
	bring_up("torus:4x4,hosts=2", "minhop,updn", 0);
	(void)arg;
}

static void
a_second_manager_run_writes_nothing(void **arg)
{
	struct world_manager *s;
	struct world w;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	s = world_manager_start(&w, NULL, NULL);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	world_manager_kill(&w, s);
	s = world_manager_start(&w, NULL, NULL);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
	assert_int_equal(s->lft_sets, 0);       /* tables are read, compared, kept */
	assert_true(world_is_right(&w));
	world_clear(&w);
}

static void
a_resweep_sends_no_set(void **arg)
{
	struct world_manager *s;
	struct world w;
	uint64_t sets;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	s = world_manager_start(&w, NULL, NULL);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	world_run(&w, 3 * SECOND);              /* traps of the bring-up die down */
	sets = s->sets;
	manager_sweep(s->m, "test", w.now);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	assert_int_equal(s->sets, sets);
	world_clear(&w);
}

/* Time and requests of a bring-up on hardware that answers after 0.1 ms. */
static int64_t
time_of_start(struct world *w, const struct world_store *store, uint64_t *smps)
{
	static const char *const args[] = { "--set", "lmc=4", NULL };   /* long tables */
	struct world_manager *s = world_manager_start_with(w, NULL, args, store);
	struct monotime began = w->now;
	int64_t us;

	assert_true(world_run_sweeps(w, s, 1, 60 * SECOND));
	us = monotime_sub_us(w->now, began);
	*smps = s->smps;
	printf("# %llu requests in %lld us: %.1f of them at a time\n", (unsigned long long)s->smps,
		(long long)us, (double)s->smps * 100 / (double)us);
	return us;
}

/*
 * All tables are read, those of many switches at a time: so each request of a warm start
 * takes no longer than one of a cold one.
 */
static void
a_warm_start_fills_the_window(void **arg)
{
	struct hw_conf c = { .seed = 1, .latency_us = 50 };
	int64_t cold_us, warm_us;
	uint64_t cold, warm;
	struct world w;

	(void)arg;
	world_init_hw(&w, "fattree:k=24,levels=2", &c);
	cold_us = time_of_start(&w, NULL, &cold);
	world_manager_kill(&w, &w.sm[0]);
	warm_us = time_of_start(&w, &w.sm[0].store, &warm);
	assert_true((uint64_t)warm_us * cold * 20 <= (uint64_t)cold_us * warm * 21);
	assert_true(warm_us < cold_us);
	world_clear(&w);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(trees_with_the_least_datagrams),
		cmocka_unit_test(other_shapes),
		cmocka_unit_test(a_cyclic_plan_is_not_written),
		cmocka_unit_test(the_next_engine_of_the_list_is_tried),
		cmocka_unit_test(a_second_manager_run_writes_nothing),
		cmocka_unit_test(a_resweep_sends_no_set),
		cmocka_unit_test(a_warm_start_fills_the_window),
	};

	return cmocka_run_group_tests_name("bringup", tests, NULL, NULL);
}
