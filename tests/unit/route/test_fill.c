/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_fill.c - the rows are those of the plain rule: per LID, the least loaded port, of equals the first.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/plan/lid.h"
#include "sm/route/model/fill.h"
#include "tests/unit/route/made.h"

static struct snapshot *s;
static struct arena arena;

static int
teardown(void **state)
{
	(void)state;
	made_free(s);
	s = NULL;
	arena_clear(&arena);
	return 0;
}

/* The ports that column 'c' may use, in the order of preference. */
static uint32_t
plain_list(const struct fill *f, const uint8_t *const *costs, const uint8_t *bound, uint32_t c, uint8_t *list)
{
	uint32_t n = 0;

	for (uint32_t cable = 0; cable < 256; cable++)
		for (uint32_t k = 0; k < f->ngroups; k++)
			if (costs[k][c] < bound[c] && cable < f->order[k]->nports)
				list[n++] = f->m->g.ports[f->order[k]->first_port + cable];
	return n;
}

/* The rule, in words: nothing is remembered but the loads. */
static void
plain_row(const struct fill *f, const uint8_t *const *costs, const uint8_t *bound, uint8_t *row)
{
	const struct route_model *m = f->m;
	uint32_t load[256] = { 0 };
	uint8_t list[256];

	memset(row, 255, m->table_stride);
	for (uint32_t c = 0; c < m->ncols; c++)
		for (uint32_t i = m->lid_first[c]; i < m->lid_first[c + 1]; i++) {
			uint32_t n = plain_list(f, costs, bound, c, list), least = UINT32_MAX, first;
			uint8_t port = 255;

			for (uint32_t k = 0; k < n; k++)
				least = load[list[k]] < least ? load[list[k]] : least;
			first = n && f->turn[f->sw] ? least / f->turn[f->sw] % n : 0;
			for (uint32_t k = n; k-- > 0;)
				if (load[list[(first + k) % n]] == least)
					port = list[(first + k) % n];
			if (m->col_sw[c] == f->sw)
				port = m->host_lids[i].via;
			else if (port != 255)
				load[port]++;
			row[m->host_lids[i].lid] = port;
		}
}

static void
compare_rows(const char *spec, unsigned density, bool gaps)
{
	struct lid_conf lc = { 0 };
	struct lid_report lr;
	struct lid_map lids;
	struct route_report r;
	struct route_model m;
	struct route_in in;
	struct fill f;
	uint32_t rnd = 17 + density;

	teardown(NULL);
	s = made_snapshot(spec, NULL);
	for (uint32_t i = 0; gaps && i < s->nports; i++) {      /* every seventh port holds an odd LID */
		struct port_info pi = port_info_decode(s->ports[i].info);

		pi.lid = i % 7 ? 0 : (uint16_t)(5000 + 3 * i);
		port_info_encode(s->ports[i].info, &pi);
	}
	assert_int_equal(plan_lids(s, NULL, &lc, &arena, &lids, &lr), 0);
	in = (struct route_in){ .snapshot = s, .lids = &lids };
	assert_int_equal(route_model_make(&in, &arena, &m, &r), ROUTE_OK);
	fill_init(&f, &m, &arena);
	for (uint32_t sw = 0; sw < m.g.nsw; sw++) {
		uint8_t *bound = arena_alloc(&arena, m.stride), *costs[FILL_GROUPS_MAX];
		uint8_t *row = arena_alloc(&arena, m.table_stride), *plain = arena_alloc(&arena, m.table_stride);

		fill_begin(&f, sw, NULL);
		memset(bound, 1, m.stride);
		for (uint32_t k = 0; k < f.ngroups; k++) {
			costs[k] = arena_alloc(&arena, m.stride);
			for (uint32_t c = 0; c < m.ncols; c++)
				costs[k][c] = made_random(&rnd) % 100 >= density;
			if (density == 100)
				memset(costs[k], 0, m.stride);
			fill_below(&f, k, costs[k], bound);
		}
		fill_row(&f, row);
		plain_row(&f, (const uint8_t *const *)costs, bound, plain);
		for (uint32_t lid = 0; lid <= lids.top; lid++)
			if (lids.owner[lid] != FAB_NONE &&
			    !fab_is_switch(&s->nodes[s->ports[lids.owner[lid]].node]))
				assert_int_equal(row[lid], plain[lid]);
	}
}

static void
least_loaded_rule(void **state)
{
	(void)state;
	for (unsigned density = 10; density <= 100; density += 15)
		for (int gaps = 0; gaps < 2; gaps++) {
			compare_rows("random:switches=20,cables=120,hosts=3,seed=1", density, gaps);
			compare_rows("hyperx:9x9,hosts=2", density, gaps);
			compare_rows("xgft:m=4/4,w=1/2", density, gaps);
			compare_rows("torus:2x2x5,hosts=3", density, gaps);     /* two cables side by side */
			compare_rows("xgft:m=3/3/2/2,w=1/2/3/2", density, gaps);        /* storeys without hosts */
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test_teardown(least_loaded_rule, teardown) };

	return cmocka_run_group_tests_name("sm/route/fill", tests, NULL, NULL);
}
