/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_walk.c - where a packet goes through tables.
 */
#include <config.h>
#include "fabric/snapshot/walk.h"
#include "fabric/topo/snapshot_topo.h"
#include "tests/unit/fabric/snapshot/walk_bench.h"

static struct walk
walk(const struct bench *b, uint32_t src, uint16_t lid)
{
	struct walk w;

	walk_lid(b->s, &b->lids, &b->fwd, src, lid, &w);
	return w;
}

static void
test_walks_arrive(void **state)
{
	const struct bench *b = *state;
	struct walk w = walk(b, b->own, 10);

	assert_int_equal(w.end, WALK_ARRIVED);
	assert_int_equal(w.nhops, 3);
	assert_int_equal(w.out[0], b->own);
	assert_int_equal(w.in[0], b->x + 1);
	assert_int_equal(w.out[1], b->x + 2);
	assert_int_equal(w.in[1], b->y + 2);
	assert_int_equal(w.out[2], b->y + 1);
	assert_int_equal(w.in[2], b->far);
	w = walk(b, b->far, 1);                 /* back by the other cable */
	assert_int_equal(w.end, WALK_ARRIVED);
	assert_int_equal(w.out[1], b->y + 3);
	w = walk(b, b->own, 3);
	assert_int_equal(w.end, WALK_ARRIVED);
	assert_int_equal(w.nhops, 2);
	w = walk(b, b->x, 1);                   /* from a switch's port 0 */
	assert_int_equal(w.end, WALK_ARRIVED);
	assert_int_equal(w.nhops, 1);
	assert_int_equal(w.out[0], b->x + 1);
	w = walk(b, b->own, 1);
	assert_int_equal(w.end, WALK_ARRIVED);
	assert_int_equal(w.nhops, 0);
}

static void
test_walks_end(void **state)
{
	struct bench *b = *state;
	struct walk w;

	assert_int_equal(walk(b, b->own, 0).end, WALK_NO_LID);
	assert_int_equal(walk(b, b->own, 5).end, WALK_NO_LID);
	assert_int_equal(walk(b, b->own, 0xffff).end, WALK_NO_LID);
	b->row_x[8] = FAB_LFT_DROP;
	w = walk(b, b->own, 8);
	assert_int_equal(w.end, WALK_DROPPED);
	assert_int_equal(w.nhops, 1);
	b->row_x[8] = 5;                        /* nothing plugged in */
	assert_int_equal(walk(b, b->own, 8).end, WALK_DEAD_PORT);
	b->row_x[8] = 6;                        /* beyond the switch's ports */
	assert_int_equal(walk(b, b->own, 8).end, WALK_DEAD_PORT);
	b->row_x[8] = 1;                        /* back to where it came from */
	assert_int_equal(walk(b, b->own, 8).end, WALK_WRONG_PORT);
	b->row_x[8] = 0;
	assert_int_equal(walk(b, b->own, 8).end, WALK_WRONG_PORT);
	b->row_x[8] = 2;
	b->row_y[8] = 3;
	w = walk(b, b->own, 8);
	assert_int_equal(w.end, WALK_LOOP);
	assert_int_equal(w.nhops, WALK_HOPS_MAX + 1);
	b->fwd.top = 7;                         /* no entries beyond */
	assert_int_equal(walk(b, b->own, 9).end, WALK_DROPPED);
	for (int e = WALK_ARRIVED; e <= WALK_NO_LID; e++)
		assert_string_not_equal(walk_end_text((enum walk_end)e), "?");
}

/* A row of 64 switches is the longest way; 65 is called a loop. */
static void
test_longest_walk(void **state)
{
	(void)state;
	for (unsigned n = 63; n <= 64; n++) {
		struct arena arena = ARENA_INIT;
		struct snapshot *s;
		struct lid_map lids;
		struct fwd_tables fwd;
		struct walk w;
		struct fake f;

		fake_chain(&f, n + 1);
		topo_port(&f.t, n + 1, 0)->lid = 1;
		assert_int_equal(topo_to_snapshot(&f.t, 0, 4, &s), 0);
		lid_map_observed(s, &arena, &lids);
		fwd_tables_observed(s, &lids, &arena, &fwd);
		fwd.top = 1;
		for (unsigned i = 0; i <= n; i++)
			fwd_row(&fwd, i)[1] = i == n ? 0 : 2;
		walk_lid(s, &lids, &fwd, s->sm_port, 1, &w);
		assert_int_equal(w.end, n == 63 ? WALK_ARRIVED : WALK_LOOP);
		assert_int_equal(w.nhops, n + 1);
		arena_clear(&arena);
		snapshot_free(s);
		fake_clear(&f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_walks_arrive, walk_bench_setup,
			walk_bench_teardown),
		cmocka_unit_test_setup_teardown(test_walks_end, walk_bench_setup,
			walk_bench_teardown),
		cmocka_unit_test(test_longest_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
