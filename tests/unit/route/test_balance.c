/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_balance.c - entries placed by the loads of all links: loads become even, and nothing moves
 * but what may.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "fabric/score/score.h"
#include "sm/route/tree/balance.h"
#include "tests/unit/route/framed.h"
#include "util/bits.h"

static uint64_t *open;

/* Tables of a damaged tree, in which every 'every'-th host LID of each switch has its first candidate
 * and may move; the others have the least loaded one. */
static void
tables_make(uint32_t seed, uint32_t every)
{
	struct made_how how = { .cut_percent = 8, .seed = seed };
	struct fill *f;

	framed_make("fattree:k=6,levels=3", &how, true);
	f = framed_tables(frame.rank);
	open = arena_array(&x.arena, frame.now.g.nsw, balance_words(&frame) * sizeof(*open));
	for (uint32_t sw = 0; sw < frame.now.g.nsw; sw++) {
		uint8_t *row = framed_row(f, sw);

		for (uint32_t c = 0; c < frame.now.ncols; c++)
			for (uint32_t i = frame.now.lid_first[c]; i < frame.now.lid_first[c + 1]; i++) {
				uint32_t k = 0;

				if (i % every || c == frame.now.sw_col[sw] ||
				    updown_cost(&u, &frame.now, sw, c) == ROUTE_INF)
					continue;
				while (!(f->mask[(size_t)(k / 8) * frame.now.stride + c] >> k % 8 & 1))
					k++;
				row[frame.now.host_lids[i].lid] =
					frame.now.g.ports[f->order[k]->first_port];
				bits_set(open + sw * balance_words(&frame), i);
			}
	}
	framed_keep();
}

static uint32_t
highest_load(void)
{
	struct score_in in = { .snapshot = x.s, .lids = &x.lids, .tables = &x.f };
	struct score_result r;

	score_tables(&in, &x.arena, &r);
	return r.a2a_max;
}

/* The entries that 'open' does not name are as before, and the paths of all others arrive. */
static void
check_moved(void)
{
	const struct route_model *m = &frame.now;

	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		for (uint32_t i = 0; i < m->lid_first[m->ncols]; i++) {
			uint32_t at = frame.ordinal[sw];
			uint16_t lid = m->host_lids[i].lid;

			if (!bits_test(open + sw * balance_words(&frame), i))
				assert_int_equal(fwd_row(&x.f, at)[lid],
					before[(size_t)at * x.f.stride + lid]);
		}
	verify_tables(x.s, &x.lids, &x.f, VERIFY_HOSTS, &x.v);
	assert_int_equal(x.v.loops + x.v.credit_loops, 0);
}

static void
loads_become_even(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 20; seed++) {
		uint32_t was, all, third;

		tables_make(seed, 1);
		was = highest_load();
		balance_tables(&frame, &u, open, &x.f, NULL);
		check_moved();
		all = highest_load();
		assert_true(all * 3 < was * 2);

		tables_make(seed, 3);
		was = highest_load();
		balance_tables(&frame, &u, open, &x.f, NULL);
		check_moved();
		third = highest_load();
		assert_in_range(third, 1, was);
	}
}

static void
nothing_else_moves(void **state)
{
	(void)state;
	tables_make(3, 1);
	memset(open, 0, frame.now.g.nsw * balance_words(&frame) * sizeof(*open));
	balance_tables(&frame, &u, open, &x.f, NULL);
	assert_memory_equal(x.f.port, before, (size_t)x.f.stride * x.f.nswitches);
}

/* 'moved' counts the entries that may move, by port. */
static void
counts_follow(void **state)
{
	const struct route_model *m;
	uint32_t (*moved)[256], (*want)[256];

	(void)state;
	tables_make(5, 2);
	m = &frame.now;
	moved = arena_array(&x.arena, m->g.nsw, sizeof(*moved));
	want = arena_array(&x.arena, m->g.nsw, sizeof(*want));
	for (unsigned turn = 0; turn < 2; turn++) {
		for (uint32_t sw = 0; sw < m->g.nsw; sw++)
			for (uint32_t i = 0; i < m->lid_first[m->ncols]; i++)
				if (bits_test(open + sw * balance_words(&frame), i))
					(turn ? want : moved)[sw][fwd_row(&x.f, frame.ordinal[sw])
							[m->host_lids[i].lid]]++;
		if (!turn)
			balance_tables(&frame, &u, open, &x.f, moved);
	}
	assert_memory_equal(moved, want, m->g.nsw * sizeof(*moved));
	assert_memory_not_equal(x.f.port, before, (size_t)x.f.stride * x.f.nswitches);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(loads_become_even, framed_teardown),
		cmocka_unit_test_teardown(nothing_else_moves, framed_teardown),
		cmocka_unit_test_teardown(counts_follow, framed_teardown),
	};

	return cmocka_run_group_tests_name("sm/route/tree/balance", tests, NULL, NULL);
}
