/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_tables.c - LIDs and tables as the images show them.
 */
#include <config.h>
#include "tests/unit/fabric/snapshot/walk_bench.h"

static void
test_lids(void **state)
{
	const struct bench *b = *state;

	assert_int_equal(b->lids.top, 11);
	assert_int_equal(b->lids.nports, b->s->nports);
	assert_int_equal(b->lids.base[b->far], 8);
	assert_int_equal(b->lids.lmc[b->far], 2);
	assert_int_equal(b->lids.lmc[b->y], 0);
	assert_int_equal(b->lids.owner[0], FAB_NONE);
	assert_int_equal(b->lids.owner[1], b->own);
	assert_int_equal(b->lids.owner[2], b->x);
	assert_int_equal(b->lids.owner[3], b->y);
	for (unsigned lid = 4; lid < 8; lid++)
		assert_int_equal(b->lids.owner[lid], FAB_NONE);
	for (unsigned lid = 8; lid < 12; lid++)
		assert_int_equal(b->lids.owner[lid], b->far);
}

static void
test_impossible_lids(void **state)
{
	static const uint16_t lids[] = { 0, 0xc000, 0xffff };
	struct bench *b = *state;
	struct lid_map m;

	for (unsigned i = 0; i < 3; i++) {
		wire_put16(b->s->ports[b->far].info + 16, lids[i]);
		assert_int_equal(lid_map_observed(b->s, &b->arena, &m), 0);
		assert_int_equal(m.base[b->far], 0);
		assert_int_equal(m.top, 3);
	}
	/* the last range ends at the last unicast LID */
	wire_put16(b->s->ports[b->far].info + 16, 0xbffe);
	assert_int_equal(lid_map_observed(b->s, &b->arena, &m), 0);
	assert_int_equal(m.base[b->far], 0xbffc);
	assert_int_equal(m.top, 0xbfff);
	/* owned by x already, and x has the smaller GUID */
	wire_put16(b->s->ports[b->far].info + 16, 2);
	b->s->ports[b->far].info[34] = 0;
	assert_int_equal(lid_map_observed(b->s, &b->arena, &m), 0);
	assert_int_equal(m.owner[2], b->x);
	assert_int_equal(m.base[b->far], 2);
}

/* Rows by switch ordinal (by GUID: y first), only what LinearFDBTop declares valid, the rest drops. */
static void
test_observed_tables(void **state)
{
	static const uint8_t lft[2 * 64] = { [1] = 7, [11] = 5, [12] = 6, [70] = 3, [100] = 9 };
	struct bench *b = *state;
	struct fab_node *y = &b->s->nodes[b->s->switches[0]];
	struct fwd_tables f;

	assert_int_equal(b->fwd.nswitches, 2);
	assert_int_equal(b->fwd.stride, 64);
	assert_int_equal(b->fwd.vls, 1);
	assert_int_equal(y->guid, fake_guid(1));
	y->lft = lft;
	y->lft_blocks = 2;
	wire_put16(y->switch_info + 6, 11);
	assert_int_equal(fwd_tables_observed(b->s, &b->lids, &b->arena, &f), 0);
	assert_int_equal(f.stride, 64);
	assert_int_equal(f.top, 11);
	assert_int_equal(fwd_row(&f, 0)[11], 5);
	assert_int_equal(fwd_row(&f, 0)[12], FAB_LFT_DROP);
	assert_int_equal(fwd_row(&f, 1)[1], FAB_LFT_DROP);
	wire_put16(y->switch_info + 6, 99);
	assert_int_equal(fwd_tables_observed(b->s, &b->lids, &b->arena, &f), 0);
	assert_int_equal(f.stride, 128);
	assert_int_equal(f.top, 99);
	assert_int_equal(fwd_row(&f, 0)[70], 3);
	assert_int_equal(fwd_row(&f, 0)[100], FAB_LFT_DROP);
	wire_put16(y->switch_info + 6, 0xffff);         /* more than was read */
	assert_int_equal(fwd_tables_observed(b->s, &b->lids, &b->arena, &f), 0);
	assert_int_equal(f.stride, 128);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_lids, walk_bench_setup, walk_bench_teardown),
		cmocka_unit_test_setup_teardown(test_impossible_lids, walk_bench_setup,
			walk_bench_teardown),
		cmocka_unit_test_setup_teardown(test_observed_tables, walk_bench_setup,
			walk_bench_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
