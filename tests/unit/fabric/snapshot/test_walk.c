/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_walk.c - LIDs and tables as the images show them, and where a packet goes through them.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/fabric/fake.h"
#include "fabric/snapshot/walk.h"
#include "fabric/topo/snapshot_topo.h"

/* own -1- x -2- y -1- far; x.3 - y.3 as well; x.5 is dead. LIDs: own 1, x 2, y 3, far 8..11 (LMC 2). */
struct bench {
	struct fake f;
	struct snapshot *s;
	struct arena arena;
	struct lid_map lids;
	struct fwd_tables fwd;
	uint32_t own, far, x, y;        /* port indices; switches: of port 0 */
	uint8_t *row_x, *row_y;
};

static uint32_t
port_index(const struct bench *b, uint32_t topo_node, uint8_t num)
{
	return b->s->nodes[snapshot_node_by_guid(b->s, b->f.t.nodes[topo_node].guid)].first_port + num;
}

static int
setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));
	struct topo_builder *t = topo_builder_new();
	uint32_t own = topo_builder_node(t, TOPO_CA, 1, fake_guid(9), "own");
	uint32_t x = topo_builder_node(t, TOPO_SWITCH, 5, fake_guid(2), "x");
	uint32_t y = topo_builder_node(t, TOPO_SWITCH, 5, fake_guid(1), "y");
	uint32_t far = topo_builder_node(t, TOPO_CA, 2, fake_guid(5), "far");

	topo_builder_cable(t, own, 1, x, 1);
	topo_builder_cable(t, x, 2, y, 2);
	topo_builder_cable(t, x, 3, y, 3);
	topo_builder_cable(t, y, 1, far, 2);
	fake_take(&b->f, t, own);
	topo_port(&b->f.t, own, 1)->lid = 1;
	topo_port(&b->f.t, x, 0)->lid = 2;
	topo_port(&b->f.t, y, 0)->lid = 3;
	topo_port(&b->f.t, far, 2)->lid = 9;            /* a device may say so; it compares without the low bits */
	topo_port(&b->f.t, far, 2)->lmc = 2;
	topo_port(&b->f.t, y, 0)->lmc = 1;              /* means nothing on a base port 0 */
	assert_int_equal(topo_to_snapshot(&b->f.t, own, 4, &b->s), 0);
	assert_int_equal(lid_map_observed(b->s, &b->arena, &b->lids), 0);
	assert_int_equal(fwd_tables_observed(b->s, &b->lids, &b->arena, &b->fwd), 0);
	b->own = port_index(b, own, 1);
	b->far = port_index(b, far, 2);
	b->x = port_index(b, x, 0);
	b->y = port_index(b, y, 0);
	b->row_x = fwd_row(&b->fwd, b->s->nodes[b->s->ports[b->x].node].sw);
	b->row_y = fwd_row(&b->fwd, b->s->nodes[b->s->ports[b->y].node].sw);
	b->fwd.top = 11;
	b->row_x[1] = 1;
	b->row_x[2] = 0;
	b->row_x[3] = 2;
	memset(b->row_x + 8, 2, 4);
	b->row_y[1] = b->row_y[2] = 3;
	b->row_y[3] = 0;
	memset(b->row_y + 8, 1, 4);
	*state = b;
	return 0;
}

static int
teardown(void **state)
{
	struct bench *b = *state;

	snapshot_free(b->s);
	arena_clear(&b->arena);
	fake_clear(&b->f);
	free(b);
	return 0;
}

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
	wire_put16(b->s->ports[b->far].info + 16, 0xbffe);      /* the last range ends at the last unicast LID */
	assert_int_equal(lid_map_observed(b->s, &b->arena, &m), 0);
	assert_int_equal(m.base[b->far], 0xbffc);
	assert_int_equal(m.top, 0xbfff);
	wire_put16(b->s->ports[b->far].info + 16, 2);           /* owned by x already, and x has the smaller GUID */
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
		cmocka_unit_test_setup_teardown(test_lids, setup, teardown),
		cmocka_unit_test_setup_teardown(test_impossible_lids, setup, teardown),
		cmocka_unit_test_setup_teardown(test_observed_tables, setup, teardown),
		cmocka_unit_test_setup_teardown(test_walks_arrive, setup, teardown),
		cmocka_unit_test_setup_teardown(test_walks_end, setup, teardown),
		cmocka_unit_test(test_longest_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
