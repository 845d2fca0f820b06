/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_nue.c - engine nue routes any fabric without loops and credit loops, keeps what it can, and
 * spreads load.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/plan/lid.h"
#include "sm/route/route.h"
#include "tests/unit/route/made.h"
#include "tests/unit/route/naive.h"

struct run {
	struct snapshot *s;
	struct arena arena;
	struct lid_map lids;
	struct route_in in;
	struct fwd_tables f;
	struct route_report r;
};

static struct run at;

static int
teardown(void **state)
{
	(void)state;
	made_free(at.s);
	arena_clear(&at.arena);
	memset(&at, 0, sizeof(at));
	return 0;
}

static void
bed_begin(const char *spec, const struct made_how *how, uint8_t lmc)
{
	struct lid_conf lc = { .lmc = lmc };
	struct lid_report lr;

	teardown(NULL);
	at.s = made_snapshot(spec, how);
	assert_int_equal(plan_lids(at.s, NULL, &lc, &at.arena, &at.lids, &lr), 0);
	at.in = (struct route_in){ .snapshot = at.s, .lids = &at.lids };
}

static void
route(const struct fwd_tables *previous, struct fwd_tables *f)
{
	char why[200];

	at.in.previous = previous;
	assert_int_equal(route_find("nue", why, sizeof(why))->run(&at.in, &at.arena, f, &at.r), ROUTE_OK);
}

/* The switches of each part, by ordinal; returns the number of parts. */
static uint32_t
parts(uint32_t *part)
{
	uint32_t n = 0;

	memset(part, 0xff, at.s->nswitches * sizeof(*part));
	for (uint32_t i = 0; i < at.s->nswitches; i++) {
		bool more = part[i] == UINT32_MAX;

		if (more)
			part[i] = n++;
		while (more) {
			more = false;
			for (uint32_t p = 0; p < at.s->nports; p++) {
				uint32_t peer = at.s->ports[p].peer, a, b;

				if (peer == FAB_NONE)
					continue;
				a = at.s->nodes[at.s->ports[p].node].sw;
				b = at.s->nodes[at.s->ports[peer].node].sw;
				if (a == FAB_NONE || b == FAB_NONE || part[a] != n - 1 || part[b] == n - 1)
					continue;
				part[b] = n - 1;
				more = true;
			}
		}
	}
	return n;
}

static uint32_t
switch_of(uint32_t port)
{
	const struct fab_node *n = &at.s->nodes[at.s->ports[port].node];

	return fab_is_switch(n) ? n->sw : at.s->nodes[at.s->ports[at.s->ports[port].peer].node].sw;
}

/* Both verifiers agree: no loop, no cycle, and exactly the walks into other parts are lost. */
static void
tables_check(const char *what, uint32_t seed)
{
	struct naive n = naive_check(at.s, &at.lids, &at.f, true);
	uint32_t *part = calloc(at.s->nswitches, sizeof(*part)), nparts = parts(part);
	struct verify_result v;
	uint64_t lost = 0;

	for (uint32_t lid = 1; lid <= at.lids.top; lid++)
		for (uint32_t sw = 0; at.lids.owner[lid] != FAB_NONE && sw < at.s->nswitches; sw++)
			lost += part[sw] != part[switch_of(at.lids.owner[lid])];
	free(part);
	verify_tables(at.s, &at.lids, &at.f, VERIFY_ALL, &v);
	if (n.cyclic || n.looping_lids || n.lost_host + n.lost_switch != lost || v.credit_loops || v.loops ||
	    v.unreachable + v.unreachable_switch != lost)
		fail_msg("%s seed %u: cyclic %d/%llu loops %llu/%llu lost %llu + %llu/%llu of %llu", what, seed,
			n.cyclic, (unsigned long long)v.credit_loops, (unsigned long long)n.looping_lids,
			(unsigned long long)v.loops, (unsigned long long)n.lost_host, (unsigned long long)n.lost_switch,
			(unsigned long long)(v.unreachable + v.unreachable_switch), (unsigned long long)lost);
	assert_int_equal(at.r.nevidence > 1, nparts > 1);
	assert_int_equal(strstr(at.r.sentence, "parts") != NULL, nparts > 1);
}

static const char *const shapes[] = {
	"torus:8,hosts=1", "torus:5x5,hosts=1", "torus:3x4x3,hosts=2", "mesh:5x4,hosts=2", "torus:2x2x5,hosts=1",
	"hypercube:d=5,hosts=1", "dragonfly:a=4,h=2,p=1", "dragonfly+:leaves=3,spines=3,groups=4,hosts=1",
	"hyperx:4x4x2,hosts=1", "hyperx:5x5,hosts=1", "fattree:k=4,levels=3", "fattree:k=8,levels=2",
	"xgft:m=4/4/2,w=1/2/2", "fattree:k=6,levels=3",
};

static void
any_shape(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (uint32_t seed = 0; seed < 14; seed++) {
			struct made_how how = { .cut_percent = seed / 2 * 6, .seed = seed, .scramble = seed % 2 };

			bed_begin(shapes[i], &how, seed == 5);
			route(NULL, &at.f);
			tables_check(shapes[i], seed);
		}
}

static void
random_fabrics(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 400; seed++) {
		struct made_how how = { .cut_percent = seed % 5 * 8, .seed = seed, .scramble = seed % 3 == 0 };
		uint32_t rnd = seed * 31 + 5, n = 3 + made_random(&rnd) % 30;
		uint32_t most = n * (n - 1) / 2, cables = n + made_random(&rnd) % (2 * n);
		char spec[128];

		snprintf(spec, sizeof(spec), "random:switches=%u,cables=%u,hosts=%u,seed=%u", n,
			cables < most ? cables : most, 1 + seed % 3, seed);
		bed_begin(spec, &how, 0);
		route(NULL, &at.f);
		tables_check(spec, seed);
	}
}

/* A LID leaves the parts it had: the entry of each switch whose old path still arrives is kept. */
static uint32_t
moved_needlessly(const struct fwd_tables *old, uint32_t *moved)
{
	uint32_t needless = 0;

	for (uint32_t lid = 1; lid <= at.lids.top; lid++)
		for (uint32_t i = 0; i < at.s->nswitches; i++) {
			uint32_t sw = i, hops = 0;
			uint8_t out = fwd_row(old, i)[lid];

			if (at.lids.owner[lid] == FAB_NONE || fwd_row(&at.f, i)[lid] == out)
				continue;
			(*moved)++;
			while (sw != FAB_NONE && hops++ < at.s->nswitches && sw != switch_of(at.lids.owner[lid])) {
				const struct fab_node *n = &at.s->nodes[at.s->switches[sw]];
				uint32_t peer = FAB_NONE;

				out = fwd_row(old, sw)[lid];
				if (out <= n->nports)
					peer = at.s->ports[n->first_port + out].peer;
				sw = peer == FAB_NONE ? FAB_NONE : at.s->nodes[at.s->ports[peer].node].sw;
			}
			needless += sw != FAB_NONE && sw == switch_of(at.lids.owner[lid]);
		}
	return needless;
}

static void
same_tables(const struct fwd_tables *a, const struct fwd_tables *b)
{
	assert_int_equal(a->nswitches, b->nswitches);
	assert_int_equal(a->top, b->top);
	assert_int_equal(a->stride, b->stride);
	assert_memory_equal(a->port, b->port, (size_t)a->nswitches * a->stride);
}

/* The n-th link between switches, counted from 'n' on. */
static uint32_t
some_link(uint32_t n)
{
	for (uint32_t p = n % at.s->nports;; p = (p + 1) % at.s->nports)
		if (at.s->ports[p].peer != FAB_NONE && fab_is_switch(&at.s->nodes[at.s->ports[p].node]) &&
		    fab_is_switch(&at.s->nodes[at.s->ports[at.s->ports[p].peer].node]))
			return p;
}

/* Losses move broken paths only, a return moves nothing, and nothing happens without a change. */
static void
keeps_still(void **state)
{
	uint32_t cases = 0, still = 0;

	(void)state;
	for (uint32_t seed = 0; seed < 3 * sizeof(shapes) / sizeof(shapes[0]); seed++) {
		const char *spec = shapes[seed % (sizeof(shapes) / sizeof(shapes[0]))];
		struct made_how how = { .seed = seed, .scramble = seed % 2 };
		struct fwd_tables first, again;
		uint32_t rnd = seed, moved = 0, p, peer, needless;

		bed_begin(spec, &how, 0);
		route(NULL, &first);
		route(&first, &again);
		same_tables(&first, &again);
		p = some_link(made_random(&rnd));
		peer = at.s->ports[p].peer;
		at.s->ports[p].peer = at.s->ports[peer].peer = FAB_NONE;
		route(&first, &at.f);
		tables_check(spec, seed);
		needless = moved_needlessly(&first, &moved);
		assert_true(moved > 0);
		cases++;
		still += needless == 0;
		at.s->ports[p].peer = peer;
		at.s->ports[peer].peer = p;
		route(&at.f, &again);
		same_tables(&at.f, &again);
	}
	/* In the others no new path fits beside all old ones. */
	assert_in_range(still, cases * 4 / 5, cases);
}

/* A loss after another, on tables that were kept: never a loop, whatever is left. */
static void
many_losses(void **state)
{
	uint32_t all = 0, needless = 0;

	(void)state;
	for (uint32_t seed = 0; seed < 24; seed++) {
		const char *spec = shapes[seed % (sizeof(shapes) / sizeof(shapes[0]))];
		struct fwd_tables before;
		uint32_t rnd = seed;

		bed_begin(spec, NULL, 0);
		route(NULL, &at.f);
		for (unsigned i = 0; i < 6; i++) {
			uint32_t p = some_link(made_random(&rnd));

			at.s->ports[at.s->ports[p].peer].peer = FAB_NONE;
			at.s->ports[p].peer = FAB_NONE;
			before = at.f;
			route(&before, &at.f);
			tables_check(spec, seed);
			needless += moved_needlessly(&before, &all);
		}
	}
	/* A path that is whole is given up only where others cannot be completed beside it. */
	assert_in_range(needless, 0, all / 5);
}

/* Tables of another engine are kept as far as they close no cycle. */
static void
after_minhop(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		char why[200];
		struct fwd_tables other;

		bed_begin(shapes[i], NULL, 0);
		assert_int_equal(route_find("minhop", why, sizeof(why))->run(&at.in, &at.arena, &other, &at.r), ROUTE_OK);
		route(&other, &at.f);
		tables_check(shapes[i], 0);
		assert_int_equal(route_find("updn", why, sizeof(why))->run(&at.in, &at.arena, &other, &at.r), ROUTE_OK);
		route(&other, &at.f);
		tables_check(shapes[i], 1);
	}
}

static void
shuffled(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct made_how how = { .cut_percent = 5, .seed = 3, .scramble = true };
		struct fwd_tables first;
		uint8_t *bytes;
		size_t size;

		bed_begin(shapes[i], &how, 0);
		route(NULL, &first);
		size = (size_t)first.nswitches * first.stride;
		bytes = malloc(size);
		memcpy(bytes, first.port, size);
		how.shuffle = true;
		how.shuffle_seed = 9;
		bed_begin(shapes[i], &how, 0);
		route(NULL, &at.f);
		assert_memory_equal(bytes, at.f.port, size);
		free(bytes);
	}
}

/* A host that is switched off leaves an absent LID, and no entry changes, with previous tables or
 * without. */
static void
absent_hosts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct route_absent absent[1];
		struct fwd_tables first, again;
		uint32_t host = FAB_NONE, peer;

		bed_begin(shapes[i], NULL, 0);
		route(NULL, &first);
		for (uint32_t p = 0; p < at.s->nports; p++)
			if (at.lids.base[p] && !fab_is_switch(&at.s->nodes[at.s->ports[p].node]))
				host = p;
		peer = at.s->ports[host].peer;
		absent[0] = (struct route_absent){ at.lids.base[host], switch_of(host), at.s->ports[peer].num };
		at.lids.owner[at.lids.base[host]] = FAB_NONE;
		at.lids.base[host] = 0;
		at.s->ports[host].peer = at.s->ports[peer].peer = FAB_NONE;
		at.in.absent = absent;
		at.in.nabsent = 1;
		route(&first, &again);
		same_tables(&first, &again);
		route(NULL, &again);
		assert_int_equal(fwd_row(&again, absent[0].sw)[absent[0].lid], absent[0].port);
		for (uint32_t sw = 0; sw < at.s->nswitches; sw++)
			assert_int_not_equal(fwd_row(&again, sw)[absent[0].lid], FAB_LFT_DROP);
	}
}

/* The most paths between hosts over one link, in hundredths of the mean. */
static uint32_t
most_to_mean(void)
{
	uint64_t *load = calloc(at.s->nports, sizeof(*load)), most = 0, sum = 0, n = 0;
	uint32_t ratio;

	for (uint32_t src = 0; src < at.s->nports; src++)
		for (uint32_t lid = 1; at.lids.base[src] && lid <= at.lids.top; lid++) {
			uint32_t dst = at.lids.owner[lid], p = at.s->ports[src].peer;

			if (dst == FAB_NONE || dst == src || fab_is_switch(&at.s->nodes[at.s->ports[src].node]) ||
			    fab_is_switch(&at.s->nodes[at.s->ports[dst].node]))
				continue;
			while (fab_is_switch(&at.s->nodes[at.s->ports[p].node])) {
				const struct fab_node *sw = &at.s->nodes[at.s->ports[p].node];
				uint32_t out = sw->first_port + fwd_row(&at.f, sw->sw)[lid];

				p = at.s->ports[out].peer;
				if (fab_is_switch(&at.s->nodes[at.s->ports[p].node]))
					load[out]++;
			}
		}
	for (uint32_t p = 0; p < at.s->nports; p++) {
		uint32_t peer = at.s->ports[p].peer;

		n += peer != FAB_NONE && fab_is_switch(&at.s->nodes[at.s->ports[p].node]) &&
			fab_is_switch(&at.s->nodes[at.s->ports[peer].node]);
		most = load[p] > most ? load[p] : most;
		sum += load[p];
	}
	free(load);
	ratio = (uint32_t)(most * 100 * n / sum);
	return ratio;
}

static void
balance(void **state)
{
	static const struct { const char *spec; uint32_t most; } rows[] = {
		{ "torus:4x4x4,hosts=4", 155 }, { "dragonfly:a=4,h=2,p=2", 240 }, { "hyperx:4x4x3,hosts=4", 165 },
		{ "dragonfly+:leaves=4,spines=4,groups=5,hosts=4", 110 }, { "hyperx:8x8,hosts=4", 130 },
		{ "hypercube:d=6,hosts=4", 145 }, { "random:switches=64,cables=256,hosts=4,seed=1", 255 },
		{ "fattree:k=8,levels=3", 115 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t ratio;

		bed_begin(rows[i].spec, NULL, 0);
		route(NULL, &at.f);
		ratio = most_to_mean();
		if (ratio > rows[i].most)
			fail_msg("%s: %u hundredths, at most %u", rows[i].spec, ratio, rows[i].most);
		assert_string_equal(at.r.sentence, "");
	}
}

/* Without backtracking some of these take the escape tree. */
static void
backtracking(void **state)
{
	char spec[64];

	(void)state;
	for (uint32_t seed = 1; seed <= 8; seed++) {
		snprintf(spec, sizeof(spec), "random:switches=60,cables=200,hosts=2,seed=%u", seed);
		bed_begin(spec, NULL, 0);
		route(NULL, &at.f);
		assert_string_equal(at.r.sentence, "");
	}
}

static void
several_lids(void **state)
{
	uint32_t differ = 0, all = 0;

	(void)state;
	bed_begin("torus:4x4x4,hosts=1", NULL, 2);
	route(NULL, &at.f);
	tables_check("lmc", 2);
	for (uint32_t p = 0; p < at.s->nports; p++)
		for (uint32_t sw = 0; at.lids.base[p] && at.lids.lmc[p] == 2 && sw < at.s->nswitches; sw++) {
			all++;
			differ += fwd_row(&at.f, sw)[at.lids.base[p]] != fwd_row(&at.f, sw)[at.lids.base[p] + 1];
		}
	assert_in_range(differ, all / 10, all);
}

static void
too_small(void **state)
{
	struct made_how how = { .lft_cap = 16 };
	char why[200];

	(void)state;
	bed_begin("torus:4x4,hosts=1", &how, 0);
	assert_int_equal(route_find("nue", why, sizeof(why))->run(&at.in, &at.arena, &at.f, &at.r), ROUTE_CAP);
	assert_null(at.f.port);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(any_shape, teardown),
		cmocka_unit_test_teardown(random_fabrics, teardown),
		cmocka_unit_test_teardown(keeps_still, teardown),
		cmocka_unit_test_teardown(many_losses, teardown),
		cmocka_unit_test_teardown(after_minhop, teardown),
		cmocka_unit_test_teardown(shuffled, teardown),
		cmocka_unit_test_teardown(absent_hosts, teardown),
		cmocka_unit_test_teardown(balance, teardown),
		cmocka_unit_test_teardown(backtracking, teardown),
		cmocka_unit_test_teardown(several_lids, teardown),
		cmocka_unit_test_teardown(too_small, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
