/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_engines.c - what the engines promise, judged by the verifier and by a second, plain one.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/plan/lid.h"
#include "sm/route/route.h"
#include "tests/unit/route/made.h"
#include "tests/unit/route/naive.h"

struct routed {
	struct snapshot *s;
	struct arena arena;
	struct lid_map lids;
	struct fwd_tables f;
	struct route_report r;
	struct verify_result v;
};

static struct routed *at;               /* what the running test made; freed by its teardown */

static int
teardown(void **state)
{
	(void)state;
	if (at) {
		made_free(at->s);
		arena_clear(&at->arena);
		free(at);
		at = NULL;
	}
	return 0;
}

static const struct route_engine *
engine(const char *name)
{
	char why[200];
	const struct route_engine *e = route_find(name, why, sizeof(why));

	assert_non_null(e);
	return e;
}

static enum route_code
route_made(const char *spec, const struct made_how *how, const char *name, uint8_t lmc)
{
	struct lid_conf lc = { .lmc = lmc };
	struct lid_report lr;
	struct route_in in;

	teardown(NULL);
	at = calloc(1, sizeof(*at));
	at->s = made_snapshot(spec, how);
	assert_int_equal(plan_lids(at->s, NULL, &lc, &at->arena, &at->lids, &lr), 0);
	in = (struct route_in){ .snapshot = at->s, .lids = &at->lids };
	return engine(name)->run(&in, &at->arena, &at->f, &at->r);
}

static void
verify(const char *what, enum verify_scope scope)
{
	struct naive n = naive_check(at->s, &at->lids, &at->f, scope == VERIFY_ALL);

	verify_tables(at->s, &at->lids, &at->f, scope, &at->v);
	if (n.lost_host != at->v.unreachable || n.lost_switch != at->v.unreachable_switch ||
	    n.looping_lids != at->v.loops || n.cyclic != (at->v.credit_loops > 0) ||
	    n.turns != at->v.dependencies || n.walks != at->v.walks)
		fail_msg("%s: the two verifiers disagree: unreachable %llu/%llu %llu/%llu loops %llu/%llu cyclic %d/%llu "
			"turns %llu/%llu walks %llu/%llu", what, (unsigned long long)n.lost_host,
			(unsigned long long)at->v.unreachable, (unsigned long long)n.lost_switch,
			(unsigned long long)at->v.unreachable_switch, (unsigned long long)n.looping_lids,
			(unsigned long long)at->v.loops, n.cyclic, (unsigned long long)at->v.credit_loops,
			(unsigned long long)n.turns, (unsigned long long)at->v.dependencies,
			(unsigned long long)n.walks, (unsigned long long)at->v.walks);
}

static void
route_ok(const char *spec, const struct made_how *how, const char *name, uint8_t lmc)
{
	if (route_made(spec, how, name, lmc) != ROUTE_OK)
		fail_msg("%s: %s refuses: %s", spec, name, at->r.sentence);
	verify(spec, engine(name)->scope);
}

static void
updn_intact_trees(void **state)
{
	static const struct { const char *spec; uint64_t completed, walks; } rows[] = {
		{ "fattree:k=4,levels=3", 76, 0 }, { "fattree:k=6,levels=3", 504, 0 },
		{ "fattree:k=8,levels=3", 1776, 16640 }, { "fattree:k=8,levels=2", 12, 0 },
		{ "xgft:m=4/4/2,w=1/2/2", 36, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		route_ok(rows[i].spec, NULL, "updn", 0);
		assert_true(at->v.ok);
		assert_int_equal(at->v.unreachable_switch, 0);
		assert_string_equal(at->r.root_rule, "histogram");
		assert_int_equal(at->r.completed, rows[i].completed);
		assert_int_equal(at->r.declared, 0);
		if (rows[i].walks)
			assert_int_equal(at->v.walks, rows[i].walks);
	}
}

/* The top of a tree is found whatever its size, and a few lost cables do not cost it its width. */
static void
tree_roots(void **state)
{
	static const struct { const char *spec; unsigned cut; uint32_t least; } rows[] = {
		{ "fattree:k=36,levels=2", 0, 18 }, { "fattree:k=16,levels=3", 0, 64 }, { "fattree:k=4,levels=3", 0, 4 },
		{ "fattree:k=16,levels=3", 5, 60 }, { "fattree:k=8,levels=3", 5, 15 }, { "fattree:k=8,levels=2", 15, 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (uint32_t seed = 0; seed < (rows[i].cut ? 5u : 1u); seed++) {
			struct made_how how = { .cut_percent = rows[i].cut, .seed = seed, .scramble = true };

			assert_int_equal(route_made(rows[i].spec, &how, "updn", 0), ROUTE_OK);
			assert_in_range(at->r.nroots, rows[i].least, at->s->nswitches / 3);
			assert_string_not_equal(at->r.root_rule, "single");
			verify_tables(at->s, &at->lids, &at->f, VERIFY_ALL, &at->v);
			assert_true(at->v.ok);
		}
}

static void
updn_any_shape(void **state)
{
	static const char *const specs[] = {
		"torus:8,hosts=1", "torus:4x4x4,hosts=2", "torus:5x5,hosts=1", "hypercube:d=6,hosts=1",
		"torus:2x2x5,hosts=3", "dragonfly:a=4,h=2,p=2", "hyperx:5x5,hosts=1", "hyperx:4x4x3,hosts=1", "mesh:4x4,hosts=2",
		"dragonfly+:leaves=4,spines=4,groups=3,hosts=2",
		"random:switches=40,cables=80,hosts=1,seed=1", "random:switches=60,cables=200,hosts=1,seed=2",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		route_ok(specs[i], NULL, "updn", 0);
		if (!at->v.ok || at->v.unreachable_switch)
			fail_msg("%s: not ok", specs[i]);
	}
}

static void
minhop_shapes(void **state)
{
	(void)state;
	route_ok("fattree:k=8,levels=3", NULL, "minhop", 0);
	assert_true(at->v.ok);
	route_ok("mesh:4x4,hosts=2", NULL, "minhop", 0);
	assert_int_equal(at->v.unreachable, 0);
	route_ok("torus:8,hosts=1", NULL, "minhop", 0);
	assert_int_equal(at->v.unreachable, 0);
	assert_int_equal(at->v.loops, 0);
	assert_true(at->v.credit_loops > 0);
	assert_false(at->v.ok);
	assert_in_range(at->v.ncycle, 2, VERIFY_CYCLE_MAX);
	route_ok("torus:4x4x4,hosts=2", NULL, "minhop", 0);
	assert_true(at->v.credit_loops > 0);
}

static void
updn_damaged(void **state)
{
	static const char *const specs[] = {
		"fattree:k=4,levels=3", "fattree:k=8,levels=3", "fattree:k=8,levels=2", "torus:4x4x4,hosts=1",
		"hypercube:d=5,hosts=1", "dragonfly:a=4,h=2,p=1", "random:switches=40,cables=80,hosts=1,seed=3",
		"xgft:m=4/4/4,w=1/4/4", "torus:2x2x4,hosts=1",
	};
	static const unsigned percents[] = { 1, 5, 15, 30 };

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++)
		for (size_t k = 0; k < 4; k++)
			for (uint32_t seed = 0; seed < 20; seed++) {
				struct made_how how = { .cut_percent = percents[k], .seed = seed, .scramble = seed % 2 };

				route_ok(specs[i], &how, "updn", 0);
				if (at->v.loops || at->v.credit_loops)
					fail_msg("%s %u%% seed %u: loops", specs[i], percents[k], seed);
				if (made_connected(at->s) && at->v.unreachable)
					fail_msg("%s %u%% seed %u: %llu unreachable", specs[i], percents[k], seed,
						(unsigned long long)at->v.unreachable);
				if (made_connected(at->s))
					assert_int_equal(at->v.unreachable_switch, at->r.declared);
			}
}

/* Ports in another order, other GUIDs: the same tables when the GUIDs are the same. */
static void
shuffled(void **state)
{
	static const char *const specs[] = { "fattree:k=6,levels=3", "torus:4x4x4,hosts=2", "dragonfly:a=4,h=2,p=2",
		"random:switches=40,cables=80,hosts=2,seed=4" };
	static const char *const names[] = { "updn", "minhop" };

	(void)state;
	for (size_t i = 0; i < 8; i++)
		for (uint8_t lmc = 0; lmc < 3; lmc += 2) {
			struct made_how how = { .scramble = true, .seed = 5 };
			const char *spec = specs[i / 2], *name = names[i % 2];
			uint8_t *first;
			size_t size;

			route_ok(spec, &how, name, lmc);
			size = (size_t)at->f.stride * at->f.nswitches;
			first = malloc(size);
			memcpy(first, at->f.port, size);
			for (unsigned turn = 0; turn < 4; turn++) {
				struct made_how other = how;

				/* The GUIDs hang on the seed: keep it, and let the shuffle differ by its own. */
				other.shuffle = true;
				other.shuffle_seed = turn;
				route_ok(spec, &other, name, lmc);
				assert_int_equal((size_t)at->f.stride * at->f.nswitches, size);
				assert_memory_equal(at->f.port, first, size);
			}
			free(first);
		}
}

static void
balance(void **state)
{
	uint32_t load[256];
	const struct fab_node *n;

	(void)state;
	route_ok("fattree:k=8,levels=3", NULL, "updn", 0);
	for (uint32_t i = 0; i < at->s->nswitches; i++) {
		bool leaf = false;

		memset(load, 0, sizeof(load));
		n = &at->s->nodes[at->s->switches[i]];
		for (uint32_t lid = 1; lid <= at->lids.top; lid++)
			if (!fab_is_switch(&at->s->nodes[at->s->ports[at->lids.owner[lid]].node]))
				load[fwd_row(&at->f, i)[lid]]++;
		for (unsigned p = 1; p <= 8; p++)
			leaf |= !fab_is_switch(&at->s->nodes[at->s->ports[at->s->ports[n->first_port + p].peer].node]);
		/* 128 hosts: a leaf sends 124 of them up by 4 ports. */
		for (unsigned p = 5; leaf && p <= 8; p++)
			assert_int_equal(load[p], 31);
	}
}

/* The most paths, of all pairs of hosts, that leave a switch by the same cable to another. */
static uint32_t
most_paths(void)
{
	uint32_t *load = calloc(at->s->nports, sizeof(*load)), most = 0;

	for (uint32_t src = 0; src < at->s->nports; src++)
		for (uint32_t lid = 1; at->lids.base[src] && lid <= at->lids.top; lid++) {
			uint32_t dst = at->lids.owner[lid], p = at->s->ports[src].peer;

			if (dst == FAB_NONE || dst == src || fab_is_switch(&at->s->nodes[at->s->ports[src].node]) ||
			    fab_is_switch(&at->s->nodes[at->s->ports[dst].node]))
				continue;
			while (fab_is_switch(&at->s->nodes[at->s->ports[p].node])) {
				const struct fab_node *n = &at->s->nodes[at->s->ports[p].node];
				uint32_t out = n->first_port + fwd_row(&at->f, n->sw)[lid];

				p = at->s->ports[out].peer;
				if (fab_is_switch(&at->s->nodes[at->s->ports[p].node]) && ++load[out] > most)
					most = load[out];
			}
		}
	free(load);
	return most;
}

/* When every host sends to every other, no cable of a whole tree carries more than its share. */
static void
all_to_all(void **state)
{
	static const struct { const char *spec; uint32_t share; } trees[] = {
		/* Of a leaf's cables: its hosts times all others, by its cables up; higher up it is less. */
		{ "fattree:k=4,levels=3", 2 * 14 / 2 },
		{ "fattree:k=8,levels=3", 4 * 124 / 4 },
		{ "fattree:k=12,levels=3", 6 * 426 / 6 },
		{ "xgft:m=4/4/4/2,w=1/4/4/4", 4 * 124 / 4 },
	};
	static const char *const engines[] = { "updn", "minhop" };

	(void)state;
	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++)
		for (size_t e = 0; e < 2; e++) {
			uint32_t most;

			route_ok(trees[i].spec, NULL, engines[e], 0);
			most = most_paths();
			if (most != trees[i].share)
				fail_msg("%s of %s: %u paths on a cable whose share is %u", engines[e], trees[i].spec, most, trees[i].share);
		}
}

static void
lmc_paths(void **state)
{
	(void)state;
	route_ok("fattree:k=8,levels=3", NULL, "updn", 2);
	assert_true(at->v.ok);
	/* The four LIDs of a host leave another pod's leaf by four different cables. */
	for (uint32_t h = 0; h < at->s->nports; h++) {
		uint16_t base = at->lids.base[h];
		uint32_t peer = at->s->ports[h].peer;

		if (!base || fab_is_switch(&at->s->nodes[at->s->ports[h].node]))
			continue;
		assert_int_equal(base % 4, 0);
		for (uint32_t i = 0; i < at->s->nswitches; i++) {
			const struct fab_node *n = &at->s->nodes[at->s->switches[i]];
			const uint8_t *row = fwd_row(&at->f, i);
			uint32_t first = at->s->ports[n->first_port + 1].peer;

			if (at->s->ports[peer].node == at->s->switches[i] ||
			    fab_is_switch(&at->s->nodes[at->s->ports[first].node]))
				continue;
			for (unsigned a = 0; a < 4; a++)
				for (unsigned b = a + 1; b < 4; b++)
					assert_int_not_equal(row[base + a], row[base + b]);
		}
	}
	route_ok("torus:4x4x4,hosts=2", NULL, "updn", 3);
	assert_true(at->v.ok);
	route_ok("random:switches=40,cables=80,hosts=2,seed=9", NULL, "minhop", 7);
	assert_int_equal(at->v.unreachable + at->v.loops, 0);
}

static void
given_roots(void **state)
{
	struct lid_conf lc = { 0 };
	struct lid_report lr;
	uint64_t roots[2];
	struct route_conf conf = { .roots = roots, .nroots = 2 };
	struct route_in in;

	(void)state;
	at = calloc(1, sizeof(*at));
	at->s = made_snapshot("torus:4x4,hosts=2", NULL);
	assert_int_equal(plan_lids(at->s, NULL, &lc, &at->arena, &at->lids, &lr), 0);
	in = (struct route_in){ .snapshot = at->s, .lids = &at->lids, .conf = &conf };
	roots[0] = at->s->nodes[at->s->switches[3]].guid;
	roots[1] = 0xdead;
	assert_int_equal(engine("updn")->run(&in, &at->arena, &at->f, &at->r), ROUTE_OK);
	assert_string_equal(at->r.root_rule, "given");
	assert_int_equal(at->r.nroots, 1);
	assert_int_equal(at->r.roots[0], at->s->switches[3]);
	verify("given", VERIFY_ALL);
	assert_true(at->v.ok);
	roots[0] = 0xbeef;
	assert_int_equal(engine("updn")->run(&in, &at->arena, &at->f, &at->r), ROUTE_INPUT);
	assert_null(at->f.port);
	assert_non_null(strstr(at->r.sentence, "2 given roots"));
	/* Two far roots on a ring leave pairs without a common ancestor, or nearly so: it must come out right anyhow. */
	roots[0] = at->s->nodes[at->s->switches[0]].guid;
	roots[1] = at->s->nodes[at->s->switches[10]].guid;
	assert_int_equal(engine("updn")->run(&in, &at->arena, &at->f, &at->r), ROUTE_OK);
	verify("two roots", VERIFY_ALL);
	assert_true(at->v.ok);
}

static void
refusals(void **state)
{
	struct made_how small = { .lft_cap = 50 };
	struct route_in in;

	(void)state;
	assert_int_equal(route_made("fattree:k=4,levels=3", &small, "updn", 0), ROUTE_OK);
	assert_int_equal(at->lids.top, 36);
	small.lft_cap = 36;             /* entries 0 to 35 */
	assert_int_equal(route_made("fattree:k=4,levels=3", &small, "minhop", 0), ROUTE_CAP);
	assert_int_equal(at->r.nevidence, ROUTE_EVIDENCE_MAX);
	assert_int_equal(at->r.evidence[0].value, 36);
	assert_null(at->f.port);
	small.lft_cap = 37;
	assert_int_equal(route_made("fattree:k=4,levels=3", &small, "updn", 0), ROUTE_OK);
	for (uint32_t i = 0; i < at->s->nports; i++)
		if (!fab_is_switch(&at->s->nodes[at->s->ports[i].node]) && at->s->ports[i].peer != FAB_NONE) {
			at->s->ports[at->s->ports[i].peer].peer = FAB_NONE;
			at->s->ports[i].peer = FAB_NONE;
		}
	for (uint32_t lid = 1; lid <= at->lids.top; lid++)
		if (!fab_is_switch(&at->s->nodes[at->s->ports[at->lids.owner[lid]].node])) {
			at->lids.base[at->lids.owner[lid]] = 0;
			at->lids.owner[lid] = FAB_NONE;
		}
	in = (struct route_in){ .snapshot = at->s, .lids = &at->lids };
	for (unsigned i = 0; i < 2; i++) {      /* no host at all: the switches are routed all the same */
		assert_int_equal(engine(i ? "minhop" : "updn")->run(&in, &at->arena, &at->f, &at->r), ROUTE_OK);
		verify_tables(at->s, &at->lids, &at->f, VERIFY_ALL, &at->v);
		assert_int_equal(at->v.unreachable_switch + at->v.loops, 0);
	}
	assert_string_equal(route_code_text(at->r.code), "OK");
	at->s->nswitches = 0;
	assert_int_equal(engine("minhop")->run(&in, &at->arena, &at->f, &at->r), ROUTE_NO_SWITCH);
	assert_string_equal(route_code_text(at->r.code), "NO_SWITCH");
}

static void
names(void **state)
{
	char why[200];
	uint32_t n;

	(void)state;
	assert_string_equal(route_engines(&n)[0].name, "updn");
	assert_int_equal(n, 13);
	assert_null(route_find("up", why, sizeof(why)));
	assert_string_equal(why, "there is no routing engine \"up\"; there are: updn, ftree, dnup, minhop, nue, "
		"sssp, dfsssp, lash, dor, torus-2qos, hyperx, dragonfly, file");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(updn_intact_trees, teardown),
		cmocka_unit_test_teardown(tree_roots, teardown),
		cmocka_unit_test_teardown(updn_any_shape, teardown),
		cmocka_unit_test_teardown(minhop_shapes, teardown),
		cmocka_unit_test_teardown(updn_damaged, teardown),
		cmocka_unit_test_teardown(shuffled, teardown),
		cmocka_unit_test_teardown(balance, teardown), cmocka_unit_test_teardown(all_to_all, teardown),
		cmocka_unit_test_teardown(lmc_paths, teardown),
		cmocka_unit_test_teardown(given_roots, teardown),
		cmocka_unit_test_teardown(refusals, teardown),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests_name("sm/route", tests, NULL, NULL);
}
