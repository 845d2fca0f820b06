/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_weighted.c - paths of least cost: the costs against repeated passes over all links, and the
 * candidates against these costs.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/route/weighted.h"
#include "tests/unit/route/modelled.h"

static struct modelled x;
static struct weighted w;
static uint8_t *weight;

static const struct {
	const char *spec;
	unsigned cut;
} rows[] = {
	{ "fattree:k=4,levels=3", 0 },
	{ "torus:4x4,hosts=2", 30 },
	{ "random:switches=30,cables=60,hosts=2,seed=3", 10 },
	{ "random:switches=30,cables=40,hosts=1,seed=5", 60 },
	{ "hyperx:12,hosts=1", 0 },
};
enum { NROWS = sizeof(rows) / sizeof(rows[0]) };

static int
teardown(void **state)
{
	(void)state;
	modelled_clear(&x);
	return 0;
}

/* How the groups of links of a model get weights: all 'most'; any up to it; 1 or 'most'. */
enum spread { SAME, ANY, ENDS };

static void
bed_make(const char *spec, unsigned cut, uint32_t most, enum spread spread)
{
	struct made_how how = { .cut_percent = cut, .seed = 7, .scramble = true };
	uint32_t n, state = most;

	modelled_make(&x, spec, &how, 0);
	n = x.m.g.group_first[x.m.g.nsw];
	weight = arena_array(&x.arena, n + 1, sizeof(*weight));
	for (uint32_t k = 0; k < n; k++) {
		uint32_t random = made_random(&state);

		weight[k] = (uint8_t)most;
		if (spread == ANY)
			weight[k] = (uint8_t)(1 + random % most);
		else if (spread == ENDS && random % 2)
			weight[k] = 1;
	}
	x.m.weight = weight;
	weighted_make(&w, &x.m, &x.arena);
}

static uint32_t
cost_of(uint32_t sw, uint32_t col)
{
	return w.cost[(size_t)sw * x.m.ncols + col];
}

/* The costs to one column: passes over all links, as long as one of them lowers a cost. */
static void
plain_costs(uint32_t col, uint32_t *cost)
{
	const struct swgraph *g = &x.m.g;
	bool any = true;

	for (uint32_t sw = 0; sw < g->nsw; sw++)
		cost[sw] = sw == x.m.col_sw[col] ? 0 : WEIGHTED_FAR;
	while (any) {
		any = false;
		for (uint32_t sw = 0; sw < g->nsw; sw++)
			for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++) {
				uint32_t behind = cost[g->groups[k].to];

				if (behind == WEIGHTED_FAR || behind + weight[k] >= cost[sw])
					continue;
				cost[sw] = behind + weight[k];
				any = true;
			}
	}
}

/* With equal weights the cost is the number of hops, times the weight. */
static void
equal_weights_count_hops(void **state)
{
	uint32_t far = 0;

	(void)state;
	for (unsigned i = 0; i < NROWS; i++) {
		bed_make(rows[i].spec, rows[i].cut, 3, SAME);
		for (uint32_t sw = 0; sw < x.m.g.nsw; sw++)
			for (uint32_t c = 0; c < x.m.ncols; c++) {
				uint32_t hops = made_hops(x.s, sw, x.m.col_sw[c]);

				assert_int_equal(cost_of(sw, c),
					hops == UINT32_MAX ? WEIGHTED_FAR : 3 * hops);
				far += hops == UINT32_MAX;
			}
	}
	assert_true(far > 0);
	x.m.weight = NULL;
	weighted_make(&w, &x.m, &x.arena);
	assert_int_equal(cost_of(x.m.col_sw[0], 1), made_hops(x.s, x.m.col_sw[0], x.m.col_sw[1]));
}

/* Every group of links has its own weight, each direction another one. */
static void
costs_are_those_of_plain_passes(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3 * NROWS; i++) {
		uint32_t *cost, both = 0;

		bed_make(rows[i % NROWS].spec, rows[i % NROWS].cut, i < NROWS ? 10 : 255,
			i < 2 * NROWS ? ANY : ENDS);
		cost = arena_array(&x.arena, x.m.g.nsw, sizeof(*cost));
		for (uint32_t c = 0; c < x.m.ncols; c++) {
			plain_costs(c, cost);
			for (uint32_t sw = 0; sw < x.m.g.nsw; sw++) {
				assert_int_equal(cost_of(sw, c), cost[sw]);
				both += cost[sw] != cost_of(x.m.col_sw[c], x.m.sw_col[sw]);
			}
		}
		assert_true(both > 0);
	}
}

/* Sums far above the greatest weight, around which the ring of buckets goes. */
static void
long_lines(void **state)
{
	(void)state;
	bed_make("mesh:40,hosts=1", 0, 255, SAME);
	for (uint32_t sw = 0; sw < 40; sw++)
		for (uint32_t c = 0; c < 40; c++)
			assert_int_equal(cost_of(sw, c), 255 * made_hops(x.s, sw, x.m.col_sw[c]));
	assert_int_equal(cost_of(x.m.col_sw[0], 0), 0);
}

/* The neighbours of a switch that are the next on a path of least cost, and no other. */
static void
check_candidates(const struct fill *f)
{
	for (uint32_t k = 0; k < f->ngroups; k++)
		for (uint32_t c = 0; c < x.m.ncols; c++) {
			uint32_t to = cost_of(f->order[k]->to, c), own = cost_of(f->sw, c);
			uint32_t hop = weight[f->order[k] - x.m.g.groups];
			bool is = f->mask[(size_t)(k / 8) * x.m.stride + c] >> k % 8 & 1;

			assert_int_equal(is, to != WEIGHTED_FAR && own == to + hop);
			assert_true(!is || to < own);
		}
}

static void
candidates_follow_the_costs(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NROWS; i++) {
		struct fill *f;
		uint32_t most = 0;

		bed_make(rows[i].spec, rows[i].cut, 3, ANY);
		f = arena_alloc(&x.arena, sizeof(*f));
		fill_init_candidates(f, &x.m, &x.arena);
		for (uint32_t sw = 0; sw < x.m.g.nsw; sw++) {
			fill_begin(f, sw, NULL);
			weighted_candidates(&w, f);
			check_candidates(f);
			most = f->ngroups > most ? f->ngroups : most;
		}
		assert_true(i + 1 < NROWS || most > 8);         /* more than a byte of the mask */
	}
}

int
main(void)
{
#define T(name) cmocka_unit_test_teardown(name, teardown)
	const struct CMUnitTest tests[] = {
		T(equal_weights_count_hops),
		T(costs_are_those_of_plain_passes),
		T(long_lines),
		T(candidates_follow_the_costs),
	};

	return cmocka_run_group_tests_name("sm/route/weighted", tests, NULL, NULL);
}
