/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_weights.c - engine sssp: balanced trees of shortest paths, which stay as long as they work.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/route/weights/weights.h"
#include "tests/unit/route/run.h"
#include "util/pool.h"

#define FABRICS 500

/* Hops of all walks from every switch to every LID, by the tables; by breadth-first search they must be the same. */
static void
check_shortest(const struct run_fabric *b, const char *spec, const struct fwd_tables *f)
{
	struct arena a = ARENA_INIT;
	struct swgraph g;
	uint16_t *dist;
	uint32_t *queue;

	swgraph_make(b->s, &a, &g);
	dist = arena_array(&a, g.nsw, sizeof(*dist));
	queue = arena_array(&a, g.nsw, sizeof(*queue));
	for (uint16_t lid = 1; lid <= b->lids.top; lid++) {
		const struct fab_port *owner = &b->s->ports[b->lids.owner[lid]];
		uint32_t node;

		if (b->lids.owner[lid] == FAB_NONE)
			continue;
		node = fab_is_switch(&b->s->nodes[owner->node]) ? owner->node : b->s->ports[owner->peer].node;
		swgraph_distances(&g, &b->s->nodes[node].sw, 1, dist, queue);
		for (uint32_t sw = 0; sw < g.nsw; sw++) {
			uint32_t at = b->s->switches[sw];
			unsigned hops = 0;

			while (at != node && hops < 200) {
				uint8_t port = fwd_row(f, b->s->nodes[at].sw)[lid];

				if (port == FAB_LFT_DROP)
					break;
				at = b->s->ports[b->s->ports[b->s->nodes[at].first_port + port].peer].node;
				hops++;
			}
			if ((at == node) != (dist[sw] != SWGRAPH_FAR) || (at == node && hops != dist[sw]))
				fail_msg("%s: LID %u from switch %u: %u hops instead of %u", spec, lid, sw, hops, dist[sw]);
		}
	}
	arena_clear(&a);
}

static void
any_fabric(void **state)
{
	static const unsigned cuts[] = { 0, 1, 5, 15, 30 };

	(void)state;
	for (uint32_t n = 0; n < test_share(FABRICS); n++) {
		struct made_how how = { .cut_percent = cuts[n % 5], .seed = n, .scramble = n % 3 == 1 };
		uint32_t random = n * 13 + 5, switches = 3 + made_random(&random) % 30;
		struct run_fabric b;
		struct run_result x;
		char spec[100];

		snprintf(spec, sizeof(spec), "random:switches=%u,cables=%u,hosts=%u,seed=%u", switches,
			switches - 1 + made_random(&random) % (switches / 2 + 1), 1 + made_random(&random) % 3, n);
		run_fabric_make(&b, spec, &how, n % 7 == 0 ? 2 : 0);
		x = run_engine(&b, "sssp");
		assert_int_equal(x.code, ROUTE_OK);
		check_shortest(&b, spec, &x.f);
		run_fabric_free(&b);
	}
}

/* All hosts send to all: the fullest link between switches, in hundredths of the mean. */
static void
balance(void **state)
{
	static const struct { const char *spec; unsigned most; } rows[] = {
		{ "fattree:k=8,levels=3", 106 }, { "torus:4x4x4,hosts=2", 110 }, { "hypercube:d=6,hosts=2", 107 },
		{ "dragonfly:a=4,h=2,p=2", 120 }, { "random:switches=64,cables=256,hosts=4,seed=1", 190 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct naive_vls n;
		struct run_fabric b;
		struct run_result x;

		run_fabric_make(&b, rows[i].spec, NULL, 0);
		x = run_engine(&b, "sssp");
		n = naive_vls_check(b.s, &b.lids, &x.f, false);
		assert_int_equal(n.lost, 0);
		if (n.most * n.links * 100 > rows[i].most * n.sum)
			fail_msg("%s: %llu/1000", rows[i].spec, (unsigned long long)(n.most * n.links * 1000 / n.sum));
		run_fabric_free(&b);
	}
}

static void
determined(void **state)
{
	static const char *const specs[] = { "fattree:k=6,levels=3", "torus:4x4x3,hosts=2",
		"random:switches=40,cables=80,hosts=3,seed=4" };
	static const unsigned threads[] = { 2, 8 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct made_how how = { .scramble = true, .seed = 9 };
		struct run_fabric b, other;
		struct run_result x, y;

		run_fabric_make(&b, specs[i], &how, 1);
		x = run_engine(&b, "sssp");
		for (size_t k = 0; k < 2; k++) {
			struct pool *p = pool_new(threads[k]);

			b.in.stripes = pool_stripes(p);
			y = run_engine(&b, "sssp");
			run_compare(specs[i], &x.f, &y.f);
			pool_free(p);
		}
		for (how.shuffle = true; how.shuffle_seed < 4; how.shuffle_seed++) {
			run_fabric_make(&other, specs[i], &how, 1);
			y = run_engine(&other, "sssp");
			run_compare(specs[i], &x.f, &y.f);
			run_fabric_free(&other);
		}
		run_fabric_free(&b);
	}
}

/* A host is switched off; its LID stays reserved: no entry changes, not even its own. */
static void
absent_host(void **state)
{
	struct route_absent absent;
	struct run_fabric b;
	struct run_result x, y;
	uint32_t host = FAB_NONE, peer;

	(void)state;
	run_fabric_make(&b, "random:switches=20,cables=40,hosts=3,seed=4", NULL, 0);
	x = run_engine(&b, "sssp");
	for (uint32_t lid = 10; host == FAB_NONE; lid++)
		if (!fab_is_switch(&b.s->nodes[b.s->ports[b.lids.owner[lid]].node]))
			host = b.lids.owner[lid];
	peer = b.s->ports[host].peer;
	absent = (struct route_absent){ b.lids.base[host], b.s->nodes[b.s->ports[peer].node].sw, b.s->ports[peer].num };
	b.lids.owner[absent.lid] = FAB_NONE;
	b.lids.base[host] = 0;
	b.s->ports[host].peer = b.s->ports[peer].peer = FAB_NONE;
	b.in.previous = &x.f;
	b.in.absent = &absent;
	b.in.nabsent = 1;
	y = run_engine(&b, "sssp");
	assert_int_equal(y.code, ROUTE_OK);
	run_compare("absent", &x.f, &y.f);
	/* Nothing is known of the tables before: the absent host has entries all the same. */
	b.in.previous = NULL;
	y = run_engine(&b, "sssp");
	for (uint32_t sw = 0; sw < b.s->nswitches; sw++)
		assert_int_not_equal(fwd_row(&y.f, sw)[absent.lid], FAB_LFT_DROP);
	assert_int_equal(fwd_row(&y.f, absent.sw)[absent.lid], absent.port);
	run_fabric_free(&b);
}

/* Previous tables that loop, or lead nowhere, are no harm. */
static void
bad_previous(void **state)
{
	struct run_fabric b;
	struct run_result x, y;
	uint32_t random = 3;

	(void)state;
	run_fabric_make(&b, "torus:4x4,hosts=2", NULL, 0);
	x = run_engine(&b, "sssp");
	for (unsigned turn = 0; turn < 20; turn++) {
		for (size_t i = 0; i < (size_t)x.f.nswitches * x.f.stride; i++)
			x.f.port[i] = (uint8_t)(made_random(&random) % (turn % 2 ? 256 : 8));
		b.in.previous = &x.f;
		y = run_engine(&b, "sssp");
		assert_int_equal(naive_check(b.s, &b.lids, &y.f, true).lost_host, 0);
		assert_int_equal(naive_check(b.s, &b.lids, &y.f, true).looping_lids, 0);
	}
	run_fabric_free(&b);
}

static int
by_guid(const void *va, const void *vb)
{
	const struct intended_host *a = va, *b = vb;

	return a->guid < b->guid ? -1 : a->guid > b->guid;
}

/* Compute nodes first, then I/O, then the rest, then switches; in each kind first one host of every leaf. */
static void
kinds(void **state)
{
	struct arena a = ARENA_INIT;
	struct intended t = { .nhosts = 0 };
	struct route_report r;
	struct route_model m;
	struct weights w;
	struct run_fabric b;
	uint32_t count[INTENDED_KINDS + 1] = { 0 };

	(void)state;
	run_fabric_make(&b, "fattree:k=4,levels=3", NULL, 0);
	t.hosts = calloc(b.s->nports, sizeof(*t.hosts));
	for (uint32_t p = 0; p < b.s->nports; p++)
		if (b.lids.base[p] && !fab_is_switch(&b.s->nodes[b.s->ports[p].node])) {
			t.hosts[t.nhosts] = (struct intended_host){ .guid = b.s->ports[p].guid,
				.kind = (uint8_t)((t.nhosts + 1) % INTENDED_KINDS) };
			t.nhosts++;
		}
	qsort(t.hosts, t.nhosts, sizeof(*t.hosts), by_guid);
	b.in.intended = &t;
	assert_int_equal(route_model_make(&b.in, &a, &m, &r), ROUTE_OK);
	weights_make(&w, &m, &b.in, (struct weights_how){ WEIGHTS_LID, WEIGHTS_FREE }, &a);
	for (uint32_t i = 0; i < w.ntrees; i++) {
		assert_true(!i || w.trees[i].kind >= w.trees[i - 1].kind);
		count[w.trees[i].kind]++;
	}
	assert_int_equal(count[INTENDED_COMPUTE] + count[INTENDED_IO] + count[INTENDED_OTHER], 16);
	assert_int_equal(count[INTENDED_IO], 6);
	assert_int_equal(count[INTENDED_KINDS], 20 - 8);        /* leaves share the tree of a host */
	free(t.hosts);
	arena_clear(&a);
	run_fabric_free(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_fabric), cmocka_unit_test(balance), cmocka_unit_test(determined),
		cmocka_unit_test(absent_host), cmocka_unit_test(bad_previous), cmocka_unit_test(kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
