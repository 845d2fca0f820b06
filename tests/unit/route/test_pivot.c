/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_pivot.c - what is completed through a pivot: no loop, no credit loop, and every entry is
 * accounted for.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/route/tree/pivot.h"
#include "tests/unit/route/framed.h"
#include "util/bits.h"

static struct roots t;
static uint64_t *lost;

/* Up/down tables with their holes, then completed. */
static void
complete(const char *spec, unsigned cut, uint32_t seed, bool intact)
{
	struct made_how how = { .cut_percent = cut, .seed = seed };
	struct fill *f;

	framed_make(spec, &how, intact);
	roots_init(&t, &frame.now, frame.t->root_rule, frame.rank, &x.arena);
	f = framed_tables(t.rank);
	for (uint32_t sw = 0; sw < frame.now.g.nsw; sw++)
		framed_row(f, sw);
	framed_keep();
	lost = arena_array(&x.arena, BITS_WORDS(frame.now.ncols), sizeof(*lost));
	pivot_complete(&frame, &u, &t, &x.in, &x.f, &x.r, lost);
	verify_tables(x.s, &x.lids, &x.f, VERIFY_ALL, &x.v);
}

struct account {
	uint64_t completed, declared, unreachable;
};

/* Compares the tables with those before; entries that were not 255 are as they were. */
static struct account
account(void)
{
	struct account a = { 0 };

	for (uint32_t i = 0; i < x.s->nswitches; i++)
		for (uint32_t lid = 1; lid <= x.lids.top; lid++) {
			uint8_t was = before[(size_t)i * x.f.stride + lid];
			uint8_t is = fwd_row(&x.f, i)[lid];
			uint32_t to, sw = frame.sw[i];

			if (x.lids.owner[lid] == FAB_NONE)
				continue;
			if (was != FAB_LFT_DROP) {
				assert_int_equal(is, was);
				continue;
			}
			to = x.s->ports[x.lids.owner[lid]].node;
			if (!fab_is_switch(&x.s->nodes[to]))
				to = x.s->ports[x.s->ports[x.lids.owner[lid]].peer].node;
			to = frame.sw[x.s->nodes[to].sw];
			if (is != FAB_LFT_DROP)
				a.completed++;
			else if (t.part[sw] != t.part[to])
				continue;
			else if (swgraph_is_leaf(&frame.now.g, sw))
				a.unreachable++;
			else
				a.declared++;
		}
	return a;
}

static const struct {
	const char *spec;
	unsigned cut;
} rows[] = {
	{ "fattree:k=4,levels=3", 0 }, { "fattree:k=4,levels=3", 20 },
	{ "fattree:k=6,levels=3", 10 }, { "fattree:k=8,levels=2", 30 },
	{ "xgft:m=4/4/4,w=1/4/4", 15 },
	{ "torus:4x4,hosts=1", 0 },
	{ "random:switches=40,cables=80,hosts=1,seed=3", 5 }, { "fattree:k=4,levels=3", 40 },
	{ "fattree:k=6,levels=3", 50 },
};
enum { NROWS = sizeof(rows) / sizeof(rows[0]), SEEDS = 8 };

static void
completed_tables_have_no_loops(void **state)
{
	uint64_t completed = 0;

	(void)state;
	for (unsigned i = 0; i < NROWS; i++)
		for (uint32_t seed = 0; seed < 2 * SEEDS; seed++) {
			complete(rows[i].spec, rows[i].cut, seed / 2, seed % 2);
			if (x.v.loops || x.v.credit_loops)
				fail_msg("%s %u%% seed %u: loops", rows[i].spec, rows[i].cut, seed / 2);
			completed += x.r.completed;
		}
	assert_true(completed > 0);
}

static void
every_hole_is_accounted_for(void **state)
{
	uint64_t declared = 0, unreachable = 0;

	(void)state;
	for (unsigned i = 0; i < NROWS; i++)
		for (uint32_t seed = 0; seed < 2 * SEEDS; seed++) {
			struct account a;

			complete(rows[i].spec, rows[i].cut, seed / 2, seed % 2);
			a = account();
			assert_int_equal(x.r.completed, a.completed);
			assert_int_equal(x.r.declared, a.declared);
			assert_int_equal(x.r.unreachable, a.unreachable);
			assert_int_equal(x.r.unreachable != 0,
				bits_next(lost, frame.now.ncols, 0) < frame.now.ncols);
			assert_int_equal(x.r.unreachable != 0, x.r.nevidence != 0);
			declared += a.declared;
			unreachable += a.unreachable;
		}
	assert_true(declared > 0);
	assert_true(unreachable > 0);
}

/* A whole tree lacks paths between switches only; a leaf turns such packets, and none is lost. */
static void
a_whole_tree_is_completed(void **state)
{
	(void)state;
	complete("fattree:k=4,levels=3", 0, 0, false);
	assert_true(x.r.completed > 0);
	assert_int_equal(x.r.declared + x.r.unreachable, 0);
	assert_int_equal(x.v.unreachable + x.v.unreachable_switch, 0);
	assert_true(x.v.ok);
	assert_in_range(x.r.npivots, 1, frame.now.g.nleaves);
	assert_true(swgraph_is_leaf(&frame.now.g, frame.sw[x.s->nodes[x.r.pivot].sw]));
}

/* Below one root all is reached: there is no hole, and no pivot. */
static void
without_holes_there_is_no_pivot(void **state)
{
	(void)state;
	complete("mesh:4x4,hosts=1", 0, 0, false);
	assert_int_equal(t.n, 1);
	assert_int_equal(x.r.npivots, 0);
	assert_int_equal(x.r.pivot, FAB_NONE);
	assert_int_equal(x.r.completed + x.r.declared + x.r.unreachable, 0);
	assert_memory_equal(x.f.port, before, (size_t)x.f.stride * x.f.nswitches);
}

int
main(void)
{
#define T(name) cmocka_unit_test_teardown(name, framed_teardown)
	const struct CMUnitTest tests[] = {
		T(completed_tables_have_no_loops),
		T(every_hole_is_accounted_for),
		T(a_whole_tree_is_completed),
		T(without_holes_there_is_no_pivot),
	};

	return cmocka_run_group_tests_name("sm/route/tree/pivot", tests, NULL, NULL);
}
