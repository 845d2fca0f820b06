/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_updown.c - the order of switches, the costs, and that no path goes up after it went down.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/intended/ranks.h"
#include "sm/route/model/updown.h"
#include "tests/unit/route/modelled.h"

static struct modelled x;
static struct intended_ranks t;
static struct updown u;

static const struct {
	const char *spec;
	unsigned cut;
} rows[] = {
	{ "fattree:k=4,levels=3", 0 }, { "fattree:k=4,levels=3", 15 }, { "torus:4x4,hosts=2", 0 },
	{ "random:switches=30,cables=60,hosts=2,seed=3", 10 }, { "dragonfly:a=4,h=2,p=2", 0 },
};
enum { NROWS = sizeof(rows) / sizeof(rows[0]) };

static int
teardown(void **state)
{
	(void)state;
	modelled_clear(&x);
	return 0;
}

static void
bed_make(unsigned row)
{
	struct made_how how = { .cut_percent = rows[row].cut, .seed = row, .scramble = true };

	modelled_make(&x, rows[row].spec, &how, 0);
	assert_true(intended_ranks_find(&t, x.s, &x.m.g, NULL, 0, &x.arena));
	updown_make(&u, &x.m, t.rank, &x.arena);
}

/* A smaller rank is higher; of equal ranks, the greater GUID. */
static void
switches_are_ordered_by_rank_and_guid(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NROWS; i++) {
		bed_make(i);
		for (uint32_t a = 0; a < x.m.g.nsw; a++) {
			assert_int_equal(u.order[u.pos[a]], a);
			for (uint32_t b = 0; b < x.m.g.nsw; b++)
				assert_int_equal(updown_is_up(&u, a, b), t.rank[b] < t.rank[a] ||
					(t.rank[b] == t.rank[a] && b > a));
		}
	}
}

/* Where numbers are not in the order of GUIDs, the model says what is. */
static void
guids_count_and_not_numbers(void **state)
{
	uint32_t *by_guid, n;

	(void)state;
	bed_make(2);
	n = x.m.g.nsw;
	by_guid = arena_array(&x.arena, n, sizeof(*by_guid));
	for (uint32_t i = 0; i < n; i++)
		by_guid[i] = n - 1 - i;
	x.m.by_guid = by_guid;
	updown_make(&u, &x.m, t.rank, &x.arena);
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = 0; b < n; b++)
			assert_int_equal(updown_is_up(&u, a, b), t.rank[b] < t.rank[a] ||
				(t.rank[b] == t.rank[a] && b < a));
}

/* Lowers 'cost' to one more than that of a neighbour; true: it has become less. */
static bool
relax(uint32_t *cost, uint32_t neighbour)
{
	if (neighbour == UINT32_MAX || neighbour + 1 >= *cost)
		return false;
	*cost = neighbour + 1;
	return true;
}

/* The costs to one column by repeated passes over all cables: of descending, or of climbing. */
static void
plain_costs(uint32_t col, const uint32_t *down, uint32_t *cost)
{
	const struct swgraph *g = &x.m.g;
	bool any = true;

	for (uint32_t sw = 0; sw < g->nsw; sw++)
		cost[sw] = down ? down[sw] : sw == x.m.col_sw[col] ? 0 : UINT32_MAX;
	while (any) {
		any = false;
		for (uint32_t sw = 0; sw < g->nsw; sw++)
			for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++)
				if (updown_is_up(&u, sw, g->groups[k].to) == (down != NULL) &&
				    (!down || down[sw] == UINT32_MAX))
					any |= relax(&cost[sw], cost[g->groups[k].to]);
	}
}

static void
costs_are_those_of_the_plain_rule(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NROWS; i++) {
		uint32_t *down, *cost;

		bed_make(i);
		down = arena_array(&x.arena, x.m.g.nsw, sizeof(*down));
		cost = arena_array(&x.arena, x.m.g.nsw, sizeof(*cost));
		for (uint32_t c = 0; c < x.m.ncols; c++) {
			plain_costs(c, NULL, down);
			plain_costs(c, down, cost);
			for (uint32_t sw = 0; sw < x.m.g.nsw; sw++) {
				assert_int_equal(u.dn[(size_t)sw * x.m.stride + c],
					down[sw] == UINT32_MAX ? ROUTE_INF : down[sw]);
				assert_int_equal(updown_cost(&u, &x.m, sw, c),
					cost[sw] == UINT32_MAX ? ROUTE_INF : cost[sw]);
			}
		}
	}
}

/* In a whole tree, the up/down paths between hosts are the shortest. */
static void
hosts_of_a_tree_have_shortest_paths(void **state)
{
	(void)state;
	bed_make(0);
	for (uint32_t a = 0; a < x.m.g.nleaves; a++)
		for (uint32_t c = 0; c < x.m.g.nleaves; c++)
			assert_int_equal(updown_cost(&u, &x.m, x.m.col_sw[a], c),
				made_hops(x.s, x.m.col_sw[a], x.m.col_sw[c]));
}

/* Follows the row entries from a switch to a LID of another; the hops. */
static uint32_t
walk(const struct fwd_tables *f, uint32_t sw, uint32_t col, uint16_t lid)
{
	bool down = false;
	uint32_t hops = 0;

	while (sw != x.m.col_sw[col]) {
		const struct fab_node *n = &x.s->nodes[route_node(&x.m, sw)];
		uint8_t port = fwd_row(f, sw)[lid];
		uint32_t next;

		assert_in_range(port, 1, n->nports);
		next = x.s->nodes[x.s->ports[x.s->ports[n->first_port + port].peer].node].sw;
		assert_false(down && updown_is_up(&u, sw, next));
		down = !updown_is_up(&u, sw, next);
		sw = next;
		assert_true(++hops <= x.m.g.nsw);
	}
	return hops;
}

/* What the candidates allow: up, then down; as long as the cost says; nothing where it is none. */
static void
candidates_go_up_and_then_down(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NROWS; i++) {
		struct fwd_tables tables;
		struct fill *f;

		bed_make(i);
		f = arena_alloc(&x.arena, sizeof(*f));
		fill_init(f, &x.m, &x.arena);
		route_tables_init(&x.m, &x.arena, &tables);
		for (uint32_t sw = 0; sw < x.m.g.nsw; sw++) {
			fill_begin(f, sw, u.plane);
			updown_candidates(&u, f);
			fill_row(f, fwd_row(&tables, sw));
		}
		for (uint32_t sw = 0; sw < x.m.g.nsw; sw++)
			for (uint32_t c = 0; c < x.m.ncols; c++) {
				uint8_t cost = updown_cost(&u, &x.m, sw, c);
				uint16_t lid = x.m.own_first[c];

				if (cost == ROUTE_INF)
					assert_int_equal(fwd_row(&tables, sw)[lid], FAB_LFT_DROP);
				else
					assert_int_equal(walk(&tables, sw, c, lid), cost);
			}
	}
}

/* A line that is longer than a cost can say: what is too far counts as unreachable. */
static void
too_long_paths_are_none(void **state)
{
	uint16_t rank[300] = { 0 };

	(void)state;
	modelled_make(&x, "mesh:300,hosts=1", NULL, 0);
	assert_int_equal(x.m.g.nsw, 300);
	for (uint32_t sw = 0; sw < 300; sw++)
		rank[sw] = (uint16_t)made_hops(x.s, 0, sw);
	updown_make(&u, &x.m, rank, &x.arena);
	for (uint32_t sw = 0; sw < 300; sw++) {
		uint8_t cost = updown_cost(&u, &x.m, 0, x.m.sw_col[sw]);

		if (rank[sw] < 250)
			assert_int_equal(cost, rank[sw]);
		else if (rank[sw] >= ROUTE_INF)
			assert_int_equal(cost, ROUTE_INF);
	}
}

int
main(void)
{
#define T(name) cmocka_unit_test_teardown(name, teardown)
	const struct CMUnitTest tests[] = {
		T(switches_are_ordered_by_rank_and_guid),
		T(guids_count_and_not_numbers),
		T(costs_are_those_of_the_plain_rule),
		T(hosts_of_a_tree_have_shortest_paths),
		T(candidates_go_up_and_then_down),
		T(too_long_paths_are_none),
	};

	return cmocka_run_group_tests_name("sm/route/model/updown", tests, NULL, NULL);
}
