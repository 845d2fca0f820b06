/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_score.c - scores against a plain walker that follows every pair, on trees, tori and random
 * fabrics, damaged and not; the same result in any number of stripes.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "fabric/score/score.h"
#include "fabric/snapshot/swgraph.h"
#include "fabric/snapshot/walk.h"
#include "sm/plan/lid.h"
#include "sm/route/route.h"
#include "tests/unit/route/made.h"
#include "util/pool.h"

static struct snapshot *s;
static struct arena arena;
static struct lid_map lids;
static struct fwd_tables f;
static uint32_t *hosts, nhosts;
static uint32_t *load; /* by snapshot port index */
static struct pool *pools[2];

static int
setup(void **state)
{
	(void)state;
	pools[0] = pool_new(2);
	pools[1] = pool_new(8);
	return 0;
}

static int
group_teardown(void **state)
{
	(void)state;
	pool_free(pools[0]);
	pool_free(pools[1]);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	made_free(s);
	s = NULL;
	arena_clear(&arena);
	return 0;
}

/* Hosts in leaf order. */
static void
find_hosts(void)
{
	struct swgraph g;
	uint32_t *order;

	swgraph_make(s, &arena, &g);
	order = arena_array(&arena, g.nleaves, sizeof(*order));
	swgraph_leaf_order(&g, &arena, order);
	hosts = arena_array(&arena, s->nhosts, sizeof(*hosts));
	nhosts = 0;
	for (uint32_t i = 0; i < g.nleaves; i++)
		for (uint32_t h = g.host_first[order[i]]; h < g.host_first[order[i] + 1]; h++)
			hosts[nhosts++] = g.hosts[h].port;
	load = arena_array(&arena, s->nports, sizeof(*load));
}

static void
bed_make(const char *spec, const char *engine, const struct made_how *how)
{
	struct lid_conf lc = { 0 };
	struct lid_report lr;
	struct route_report r;
	struct route_in in;
	char why[200];

	teardown(NULL);
	s = made_snapshot(spec, how);
	assert_int_equal(plan_lids(s, NULL, &lc, &arena, &lids, &lr), 0);
	in = (struct route_in){ .snapshot = s, .lids = &lids };
	assert_int_equal(route_find(engine, why, sizeof(why))->run(&in, &arena, &f, &r), ROUTE_OK);
	find_hosts();
}

/* ---- the plain walker ---- */

/* Adds the path; the links between switches on it, or -1 if it does not arrive. */
static int
add_path(uint32_t from, uint32_t to, uint32_t *max)
{
	struct walk w;

	*max = 0;
	walk_lid(s, &lids, &f, hosts[from], lids.base[hosts[to]], &w);
	if (w.end != WALK_ARRIVED)
		return -1;
	for (unsigned i = 1; i + 1 < w.nhops; i++)
		if (++load[w.out[i]] > *max)
			*max = load[w.out[i]];
	return (int)w.nhops - 2;
}

static uint32_t
path_load(uint32_t from, uint32_t to)
{
	struct walk w;
	uint32_t max = 1;

	walk_lid(s, &lids, &f, hosts[from], lids.base[hosts[to]], &w);
	if (w.end != WALK_ARRIVED)
		return 0;
	for (unsigned i = 1; i + 1 < w.nhops; i++)
		max = load[w.out[i]] > max ? load[w.out[i]] : max;
	return max;
}

static void
forget(void)
{
	memset(load, 0, s->nports * sizeof(*load));
}

static bool
between_switches(uint32_t port)
{
	uint32_t peer = s->ports[port].peer;

	return peer != FAB_NONE && s->ports[port].num &&
		fab_is_switch(&s->nodes[s->ports[port].node]) &&
		fab_is_switch(&s->nodes[s->ports[peer].node]) &&
		s->ports[peer].node != s->ports[port].node;
}

static void
check_a2a(const struct score_result *r)
{
	uint64_t hops[SCORE_HOPS_MAX + 1] = { 0 }, sum = 0, lost = 0, loads = 0;
	uint32_t max = 0, ports = 0, any;

	forget();
	for (uint32_t a = 0; a < nhosts; a++)
		for (uint32_t b = 0; b < nhosts; b++) {
			int n = a == b ? 0 : add_path(a, b, &any);

			lost += n < 0;
			if (a == b || n < 0)
				continue;
			hops[n]++;
			sum += (uint64_t)n;
		}
	for (uint32_t p = 0; p < s->nports; p++) {
		assert_int_equal(r->a2a[p], load[p]);
		ports += between_switches(p);
		loads += load[p];
		max = load[p] > max ? load[p] : max;
	}
	assert_int_equal(r->hosts, nhosts);
	assert_int_equal(r->pairs, nhosts * (nhosts - 1));
	assert_int_equal(r->unreachable, lost);
	assert_int_equal(r->ports, ports);
	assert_int_equal(r->a2a_max, max);
	assert_int_equal(r->a2a_sum, loads);
	assert_int_equal(load[r->a2a_port], max);
	assert_int_equal(r->hops_sum, sum);
	assert_true(r->shortest_sum <= sum);
	assert_memory_equal(r->hops, hops, sizeof(hops));
}

static void
check_shifts(const struct score_result *r)
{
	uint32_t max = 0, worst = 0;
	uint64_t sum = 0;

	for (uint32_t shift = 1; shift < nhosts; shift++) {
		uint32_t here = 0, m;

		forget();
		for (uint32_t i = 0; i < nhosts; i++) {
			add_path(i, (i + shift) % nhosts, &m);
			here = m > here ? m : here;
		}
		sum += here;
		if (here > max) {
			max = here;
			worst = shift;
		}
	}
	assert_int_equal(r->shift.n, nhosts - 1);
	assert_int_equal(r->shift.max, max);
	assert_int_equal(r->shift.worst, worst);
	assert_int_equal(r->shift.sum, sum);
}

/* The permutation with this seed, as docs/routing.md describes it. */
static void
permutation(uint32_t *perm, uint64_t seed)
{
	for (uint32_t i = 0; i < nhosts; i++)
		perm[i] = i;
	for (uint32_t i = nhosts; i > 1; i--) {
		uint64_t x = seed * 0xd1342543de82ef95u + (i + 1ull) * 0x9e3779b97f4a7c15u;
		uint32_t k, was = perm[i - 1];

		x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
		x = (x ^ x >> 27) * 0x94d049bb133111ebu;
		x ^= x >> 31;
		k = (uint32_t)((x >> 32) * i >> 32);
		perm[i - 1] = perm[k];
		perm[k] = was;
	}
}

static void
check_random(const struct score_result *r, uint32_t n)
{
	uint32_t *perm = arena_array(&arena, nhosts, sizeof(*perm)), max = 0, worst = 0;
	uint64_t sum = 0;
	double ebb = 0;

	for (uint32_t seed = 1; seed <= n; seed++) {
		uint32_t here = 0, m;
		double mean = 0;

		permutation(perm, seed);
		forget();
		for (uint32_t i = 0; i < nhosts; i++) {
			if (perm[i] != i)
				add_path(i, perm[i], &m);
			else
				m = 0;
			here = m > here ? m : here;
		}
		sum += here;
		if (here > max) {
			max = here;
			worst = seed;
		}
		forget();
		for (uint32_t i = 0; i < nhosts / 2; i++)
			add_path(perm[2 * i], perm[2 * i + 1], &m);
		for (uint32_t i = 0; i < nhosts / 2; i++) {
			m = path_load(perm[2 * i], perm[2 * i + 1]);
			mean += m ? 1.0 / m : 0;
		}
		ebb += mean / (nhosts / 2);
	}
	assert_int_equal(r->rp.max, max);
	assert_int_equal(r->rp.worst, worst);
	assert_int_equal(r->rp.sum, sum);
	assert_int_equal(r->matchings, n);
	ebb = ebb / n * 1e6;
	assert_true(ebb - r->ebb_ppm < 3 && r->ebb_ppm - ebb < 3);
}

static void
check_levels(const struct score_result *r)
{
	uint64_t sum = 0;
	uint32_t ports = 0;

	for (uint32_t i = 0; i < r->nlevels; i++) {
		const struct score_level *l = &r->levels[i];

		sum += l->sum;
		ports += l->ports;
		assert_true(l->min <= l->max && l->max <= r->a2a_max &&
			l->sum <= (uint64_t)l->max * l->ports);
		if (i)
			assert_true(l[-1].from < l->from ||
				(l[-1].from == l->from && l[-1].to < l->to));
	}
	assert_int_equal(sum, r->a2a_sum);
	assert_int_equal(ports, r->ports);
}

static struct score_result
scored(uint32_t patterns)
{
	struct score_in in = { .snapshot = s,
		.lids = &lids,
		.tables = &f,
		.shifts = UINT32_MAX,
		.permutations = patterns,
		.matchings = patterns };
	struct score_result r, w;

	score_tables(&in, &arena, &r);
	for (int i = 0; i < 2; i++) {
		in.stripes = pool_stripes(pools[i]);
		score_tables(&in, &arena, &w);
		assert_memory_equal(r.a2a, w.a2a, s->nports * sizeof(*r.a2a));
		w.a2a = r.a2a;
		assert_memory_equal(&r, &w, sizeof(r));
	}
	return r;
}

static void
as_a_plain_walker(void **state)
{
	static const char *const specs[] = { "fattree:k=8,levels=3", "fattree:k=8,levels=2",
		"torus:4x4,hosts=3", "torus:3x3x3,hosts=1",
		"random:switches=20,cables=40,hosts=2,seed=5", "dragonfly:a=4,h=2,p=1" };
	uint32_t rnd = 7;

	(void)state;
	for (uint32_t i = 0; i < 4 * sizeof(specs) / sizeof(specs[0]); i++) {
		struct made_how how = {
			.cut_percent = i % 4 == 1 ? 5 : 0, .seed = i, .scramble = i % 4 == 2
		};
		struct score_result r;

		bed_make(specs[i / 4], i % 2 ? "updn" : "minhop", &how);
		for (unsigned k = 0; k < 20 && i % 4 == 3; k++) {
			uint32_t sw = made_random(&rnd) % f.nswitches;

			fwd_row(&f, sw)[1 + made_random(&rnd) % lids.top] =
				(uint8_t)(made_random(&rnd) % 9);
		}
		r = scored(12);
		assert_true(i % 4 == 3 ? r.unreachable > 0 : r.unreachable == 0);
		check_a2a(&r);
		check_shifts(&r);
		check_random(&r, 12);
		check_levels(&r);
		if (i % 2 == 0)
			assert_int_equal(r.hops_sum, r.shortest_sum);
	}
}

/* What can be computed by hand: a tree of 8 leaves and 4 spines. */
static void
by_hand(void **state)
{
	struct score_result r;

	(void)state;
	bed_make("fattree:k=8,levels=2", "updn", NULL);
	r = scored(50);
	assert_int_equal(r.switches, 12);
	assert_int_equal(r.hosts, 32);
	assert_int_equal(r.ports, 64);
	assert_int_equal(r.vls, 1);
	assert_int_equal(r.a2a_max, 28); /* 4 hosts below send to 28, over 4 ports */
	assert_int_equal(r.a2a_sum, 64 * 28);
	assert_int_equal(r.hops[0], 32 * 3);
	assert_int_equal(r.hops[2], 32 * 28);
	assert_int_equal(r.nlevels, 2);
	assert_int_equal(r.levels[0].from, 0);
	assert_int_equal(r.levels[0].to, 1);
	assert_int_equal(r.levels[0].ports, 32);
	assert_int_equal(r.levels[1].min, 28);
	assert_in_range(r.ebb_ppm, 500000, 1000000);
	assert_in_range(r.ebb_error_ppm, 1, 50000);
}

/* The caller's order of hosts counts for shifts, and hosts left out send nothing. */
static void
given_hosts_and_levels(void **state)
{
	struct score_in in = { .shifts = UINT32_MAX };
	uint16_t *level;
	struct score_result r;
	uint32_t kept;

	(void)state;
	bed_make("fattree:k=8,levels=2", "updn", NULL);
	in.snapshot = s;
	in.lids = &lids;
	in.tables = &f;
	in.hosts = hosts;
	level = arena_array(&arena, s->nswitches, sizeof(*level));
	in.level = level;
	in.nhosts = nhosts = 16;
	hosts[3] = UINT32_MAX;
	score_tables(&in, &arena, &r);
	assert_int_equal(r.hosts, 15);
	assert_int_equal(r.nlevels, 1);
	assert_int_equal(r.levels[0].ports, 64);
	memmove(&hosts[3], &hosts[4], 12 * sizeof(*hosts));
	nhosts = 15;
	check_a2a(&r);
	check_shifts(&r);
	kept = hosts[0];
	hosts[0] = hosts[9];
	hosts[9] = kept;
	in.nhosts = 15;
	score_tables(&in, &arena, &r);
	check_shifts(&r);
	in.shifts = 5;
	score_tables(&in, &arena, &r);
	assert_int_equal(r.shift.n, 5);
	assert_in_range(r.shift.worst, 1, 14);
}

/* One host sends to nobody: nothing is tried, and no load is known. */
static void
one_host(void **state)
{
	struct score_in in = { .nhosts = 1, .shifts = 9, .permutations = 9, .matchings = 9 };
	struct score_result r;

	(void)state;
	bed_make("fattree:k=4,levels=2", "updn", NULL);
	in.snapshot = s;
	in.lids = &lids;
	in.tables = &f;
	in.hosts = hosts;
	score_tables(&in, &arena, &r);
	assert_int_equal(r.hosts, 1);
	assert_int_equal(r.pairs, 0);
	assert_int_equal(r.unreachable, 0);
	assert_int_equal(r.shift.n, 0);
	assert_int_equal(r.rp.n, 0);
	assert_int_equal(r.matchings, 0);
	assert_int_equal(r.a2a_max, 0);
	assert_int_equal(r.a2a_sum, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(as_a_plain_walker, teardown),
		cmocka_unit_test_teardown(by_hand, teardown),
		cmocka_unit_test_teardown(given_hosts_and_levels, teardown),
		cmocka_unit_test_teardown(one_host, teardown),
	};

	return cmocka_run_group_tests_name("fabric/score", tests, setup, group_teardown);
}
