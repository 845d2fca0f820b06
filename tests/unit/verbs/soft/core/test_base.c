/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_base.c - timers expire in order of time, random numbers follow from the seed, tables hand
 * out every number once and reuse numbers late.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "verbs/soft/core/core.h"

static void
timers_in_order(void **state)
{
	struct soft_world w = { .now_ns = 100 };
	struct soft_timer t[4] = { { .kind = SOFT_TIMER_PORT } };
	static const int64_t at_ns[] = { 300, 200, 50, 250 }, want[] = { 100, 200, 300 };
	struct heap_node *node;
	int64_t at;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		soft_timer_start(&w, &t[i], at_ns[i]);          /* 50 has passed: now */
	soft_timer_stop(&w, &t[3]);
	soft_timer_stop(&w, &t[3]);                             /* again: nothing */
	for (unsigned i = 0; i < 3; i++) {
		node = heap_top(&w.timers, &at);
		assert_non_null(node);
		assert_int_equal(at, want[i]);
		heap_drop(&w.timers, node);
	}
	assert_null(heap_top(&w.timers, &at));
	soft_timer_start(&w, &t[0], 400);
	soft_timer_start(&w, &t[0], 150);                       /* moved, not doubled */
	node = heap_top(&w.timers, &at);
	assert_int_equal(at, 150);
	heap_drop(&w.timers, node);
	assert_null(heap_top(&w.timers, &at));
	heap_clear(&w.timers);
}

static void
random_by_seed(void **state)
{
	struct soft_world a = { .random = 7 }, b = { .random = 7 }, c = { .random = 8 };
	unsigned equal = 0, hits = 0;

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		uint32_t v = soft_random(&a, 1000);

		assert_true(v < 1000);
		assert_int_equal(v, soft_random(&b, 1000));
		equal += v == soft_random(&c, 1000);
	}
	assert_true(equal < 20);
	for (unsigned i = 0; i < 10000; i++)
		hits += soft_chance(&a, 100000);
	assert_in_range(hits, 800, 1200);
	assert_false(soft_chance(&a, 0));
	assert_true(soft_chance(&a, 1000000));
}

static void
slot_tables(void **state)
{
	struct soft_slots s = { .max = 40 };
	uint32_t slot, first;
	int things[41];

	(void)state;
	for (uint32_t i = 0; i < 40; i++) {
		assert_int_equal(soft_slots_put(&s, &things[i], &slot), 0);
		assert_int_equal(slot, i);
	}
	assert_int_equal(soft_slots_put(&s, &things[40], &slot), -ENOMEM);
	assert_ptr_equal(soft_slots_get(&s, 17), &things[17]);
	assert_null(soft_slots_get(&s, 40));
	soft_slots_drop(&s, 3);
	soft_slots_drop(&s, 9);
	assert_null(soft_slots_get(&s, 3));
	assert_int_equal(soft_slots_put(&s, &things[3], &first), 0);
	assert_int_equal(soft_slots_put(&s, &things[9], &slot), 0);
	assert_int_equal(first, 3);
	assert_int_equal(slot, 9);
	assert_int_equal(s.round, 1);
	soft_slots_clear(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(timers_in_order),
		cmocka_unit_test(random_by_seed), cmocka_unit_test(slot_tables) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
