/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_layers.c - engines dfsssp and lash: SLs that cannot deadlock, replies included.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/route/run.h"
#include "util/pool.h"

static const char *const engines[] = { "dfsssp", "lash" };

#define FABRICS 500                     /* for each engine */

/* A small fabric of any shape, more or less damaged. */
static void
some_fabric(struct run_fabric *b, uint32_t n, char *spec, size_t len)
{
	static const char *const shapes[] = {
		"fattree:k=4,levels=3", "torus:4x4,hosts=2", "torus:3x3x3,hosts=1", "torus:8,hosts=1", "hypercube:d=4,hosts=2",
		"dragonfly:a=4,h=1,p=2", "hyperx:3x4,hosts=2", "mesh:4x4,hosts=1", "xgft:m=4/4,w=1/2", "torus:6x5,hosts=1",
		"dragonfly+:leaves=2,spines=2,groups=3,hosts=2",
	};
	static const unsigned cuts[] = { 0, 1, 5, 15, 30 };
	struct made_how how = { .cut_percent = cuts[n % 5], .seed = n, .scramble = n % 3 == 1 };
	uint32_t state = n * 31 + 7, switches = 6 + made_random(&state) % 24;

	if (n % 2)
		snprintf(spec, len, "%s", shapes[n / 2 % (sizeof(shapes) / sizeof(shapes[0]))]);
	else
		snprintf(spec, len, "random:switches=%u,cables=%u,hosts=%u,seed=%u", switches,
			switches + made_random(&state) % switches, 1 + made_random(&state) % 3, n);
	run_fabric_make(b, spec, &how, n % 10 == 3 ? 1 : 0);
	b->in.vls = (uint8_t)(1 + made_random(&state) % 8);
}

/* Tables are walked pair by pair; a refusal gives its numbers. */
static void
result_check(
	const struct run_fabric *b, const char *what, const char *name, const struct run_result *x)
{
	struct naive_vls n;

	if (x->code != ROUTE_OK) {
		bool lmc = x->code == ROUTE_LMC;

		if (!lmc && x->code != ROUTE_VLS)
			fail_msg("%s %s: %s", name, what, x->r.sentence);
		assert_int_equal(x->r.nevidence, 1);
		if (!lmc)
			assert_int_equal(x->r.evidence[0].value, b->in.vls);
		return;
	}
	n = naive_vls_check(b->s, &b->lids, &x->f, strcmp(name, "lash") == 0);
	if (n.cyclic || n.wrong || n.uneven || (n.lost && made_connected(b->s)) || n.used >> x->f.vls || x->f.vls > b->in.vls)
		fail_msg("%s %s: VLs in a cycle %x, wrong %llu, uneven %llu, lost %llu, VLs %x of %u", name, what, n.cyclic,
			(unsigned long long)n.wrong, (unsigned long long)n.uneven, (unsigned long long)n.lost, n.used, b->in.vls);
}

static void
any_fabric(void **state)
{
	(void)state;
	for (size_t e = 0; e < 2; e++) {
		uint32_t routed = 0, fabrics = test_share(FABRICS);

		for (uint32_t n = 0; n < fabrics; n++) {
			struct run_fabric b;
			struct run_result x;
			char spec[100];

			some_fabric(&b, n, spec, sizeof(spec));
			x = run_engine(&b, engines[e]);
			result_check(&b, spec, engines[e], &x);
			routed += x.code == ROUTE_OK;
			run_fabric_free(&b);
		}
		assert_in_range(routed, fabrics / 2, fabrics);
	}
}

/* The walker of the tests finds what it must find: all pairs of a torus in one layer. */
static void
walker(void **state)
{
	struct run_fabric b;
	struct run_result x;
	struct naive_vls n;
	struct lane_plan plan;

	(void)state;
	run_fabric_make(&b, "torus:8,hosts=1", NULL, 0);
	x = run_engine(&b, "dfsssp");
	assert_int_equal(x.code, ROUTE_OK);
	plan = *x.f.lanes;
	plan.sl = NULL;
	x.f.lanes = &plan;
	n = naive_vls_check(b.s, &b.lids, &x.f, false);
	assert_int_equal(n.cyclic, 1);
	/* A reply on an SL that the pair does not have. */
	x = run_engine(&b, "dfsssp");
	x.f.lanes->sl[1] ^= 1;
	n = naive_vls_check(b.s, &b.lids, &x.f, false);
	assert_int_equal(n.uneven, 2 * 2);      /* both directions, two LIDs each */
	run_fabric_free(&b);
}

static void
determined(void **state)
{
	static const char *const specs[] = { "fattree:k=6,levels=3", "torus:4x4x3,hosts=2",
		"random:switches=40,cables=80,hosts=3,seed=4" };
	static const unsigned threads[] = { 2, 8 };

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		struct made_how how = { .scramble = true, .seed = 5 };
		const char *spec = specs[i / 2], *name = engines[i % 2];
		struct run_fabric b, other;
		struct run_result x, y;

		run_fabric_make(&b, spec, &how, 0);
		x = run_engine(&b, name);
		assert_int_equal(x.code, ROUTE_OK);
		for (size_t k = 0; k < 2; k++) {
			struct pool *p = pool_new(threads[k]);

			b.in.stripes = pool_stripes(p);
			y = run_engine(&b, name);
			run_compare(spec, &x.f, &y.f);
			pool_free(p);
		}
		for (how.shuffle = true; how.shuffle_seed < 4; how.shuffle_seed++) {
			run_fabric_make(&other, spec, &how, 0);
			y = run_engine(&other, name);
			run_compare(spec, &x.f, &y.f);
			run_fabric_free(&other);
		}
		run_fabric_free(&b);
	}
}

/* Regular shapes need few VLs, because paths can all turn the same way. */
static void
few_vls(void **state)
{
	static const struct { const char *spec, *engine; uint8_t vls; } rows[] = {
		{ "fattree:k=4,levels=3", "dfsssp", 1 }, { "hypercube:d=5,hosts=1", "dfsssp", 1 }, { "mesh:5x5,hosts=2", "lash", 1 },
		{ "hyperx:4x4,hosts=2", "lash", 1 }, { "torus:8,hosts=2", "dfsssp", 2 }, { "torus:5x5,hosts=2", "dfsssp", 2 },
		{ "torus:6x6x6,hosts=1", "dfsssp", 7 }, { "torus:6x6x6,hosts=1", "lash", 8 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct run_fabric b;
		struct run_result x;

		run_fabric_make(&b, rows[i].spec, NULL, 0);
		b.in.vls = rows[i].vls;
		x = run_engine(&b, rows[i].engine);
		if (x.code != ROUTE_OK)
			fail_msg("%s %s: %s", rows[i].engine, rows[i].spec, x.r.sentence);
		result_check(&b, rows[i].spec, rows[i].engine, &x);
		run_fabric_free(&b);
	}
}

/* dfsssp uses all VLs; lash begins where it is told, and its layers are about even. */
static void
use_of_vls(void **state)
{
	struct route_conf conf = { .lash_start_vl = 2 };
	uint32_t count[LANE_SLS] = { 0 };
	struct run_fabric b;
	struct run_result x;

	(void)state;
	run_fabric_make(&b, "torus:8,hosts=2", NULL, 0);
	b.in.conf = &conf;
	x = run_engine(&b, "dfsssp");
	assert_int_equal(x.f.vls, 8);
	assert_int_equal(x.f.lanes->sls, 0xff);
	assert_int_not_equal(naive_vls_check(b.s, &b.lids, &x.f, false).used & (naive_vls_check(b.s, &b.lids, &x.f, false).used - 1), 0);
	x = run_engine(&b, "lash");
	assert_int_equal(x.code, ROUTE_OK);
	assert_int_equal(x.f.lanes->sls, 3 << 2);
	assert_int_equal(x.f.vls, 4);
	for (uint32_t i = 0; i < 64; i++)
		count[x.f.lanes->sl[i]]++;
	assert_int_equal(count[2] + count[3], 64);
	assert_in_range(count[3], 20, 44);      /* 28 pairs; a switch and itself have the lowest */
	assert_int_equal(x.f.lanes->sl[0], 2);
	result_check(&b, "lash_start_vl", "lash", &x);
	conf.lash_start_vl = 7;
	x = run_engine(&b, "lash");
	assert_int_equal(x.code, ROUTE_VLS);
	conf.lash_start_vl = 8;
	x = run_engine(&b, "lash");
	assert_int_equal(x.code, ROUTE_VLS);
	assert_non_null(strstr(x.r.sentence, "lash_start_vl is 8, but there are 8 VLs"));
	run_fabric_free(&b);
}

static void
refusals(void **state)
{
	struct run_fabric b;
	struct run_result x;

	(void)state;
	run_fabric_make(&b, "torus:6x6,hosts=1", NULL, 0);
	b.in.vls = 1;
	for (size_t e = 0; e < 2; e++) {
		x = run_engine(&b, engines[e]);
		assert_int_equal(x.code, ROUTE_VLS);
		assert_non_null(strstr(x.r.sentence, "more than 1 VLs are needed; the first pair"));
		assert_int_not_equal(x.r.evidence[0].node, x.r.evidence[0].other);
	}
	run_fabric_free(&b);
	run_fabric_make(&b, "torus:4x4,hosts=1", NULL, 2);
	x = run_engine(&b, "lash");
	assert_int_equal(x.code, ROUTE_LMC);
	assert_non_null(strstr(x.r.sentence, "LMC 2"));
	x = run_engine(&b, "dfsssp");
	assert_int_equal(x.code, ROUTE_OK);
	result_check(&b, "LMC 2", "dfsssp", &x);
	run_fabric_free(&b);
}

/* ---- changes ---- */

/* Whether the path of 'lid' from switch 'a' is the same in both tables, and whether the old one still works. */
static bool
path_check(const struct run_fabric *b, const struct fwd_tables *old, const struct fwd_tables *new, uint32_t a, uint16_t lid,
	bool *alive)
{
	uint32_t node = b->s->switches[a];
	bool same = true;

	*alive = true;
	for (unsigned hops = 0; hops < 100; hops++) {
		const struct fab_node *n = &b->s->nodes[node];
		uint8_t port = fwd_row(old, n->sw)[lid];
		uint32_t peer;

		same &= port == fwd_row(new, n->sw)[lid];
		if (port == 0)
			return same;
		peer = port > n->nports ? FAB_NONE : b->s->ports[n->first_port + port].peer;
		if (peer == FAB_NONE) {
			*alive = false;
			return same;
		}
		node = b->s->ports[peer].node;
		if (!fab_is_switch(&b->s->nodes[node]))
			return same;
	}
	fail_msg("a loop");
	return false;
}

static uint32_t
lid_switch(const struct run_fabric *b, uint16_t lid)
{
	const struct fab_port *p = &b->s->ports[b->lids.owner[lid]];

	return b->s->nodes[fab_is_switch(&b->s->nodes[p->node]) ? p->node : b->s->ports[p->peer].node].sw;
}

/* Paths that still work do not move; SLs of pairs whose paths all work do not change. */
static void
check_still(const struct run_fabric *b, const char *what, const struct fwd_tables *old, const struct fwd_tables *new)
{
	uint32_t n = b->s->nswitches;
	bool *broken = calloc((size_t)n * n, sizeof(*broken));

	for (uint16_t lid = 1; lid <= b->lids.top; lid++)
		for (uint32_t a = 0; a < n; a++) {
			uint32_t to = lid_switch(b, lid);
			bool alive;

			if (!path_check(b, old, new, a, lid, &alive) && alive)
				fail_msg("%s: a path that works has moved", what);
			if (!alive)
				broken[a * n + to] = broken[to * n + a] = true;
		}
	for (uint32_t i = 0; old->lanes && i < n * n; i++)
		if (!broken[i] && old->lanes->sl[i] != new->lanes->sl[i])
			fail_msg("%s: the SL of a pair that works has changed", what);
	free(broken);
}

/* The n-th cable between switches: its ends. */
static void
cable_find(const struct run_fabric *b, uint32_t n, uint32_t ends[2])
{
	for (uint32_t round = 0; round < 1000; round++)
		for (uint32_t p = 0; p < b->s->nports; p++) {
			uint32_t peer = b->s->ports[p].peer;

			if (peer == FAB_NONE || peer < p || !fab_is_switch(&b->s->nodes[b->s->ports[p].node]) ||
			    !fab_is_switch(&b->s->nodes[b->s->ports[peer].node]) || n--)
				continue;
			ends[0] = p;
			ends[1] = peer;
			return;
		}
	fail_msg("no cable");
}

static void
loss_and_return(void **state)
{
	static const char *const specs[] = { "fattree:k=4,levels=3", "torus:4x4x3,hosts=2", "random:switches=30,cables=70,hosts=3,seed=4" };
	static const char *const names[] = { "sssp", "dfsssp", "lash" };

	(void)state;
	for (size_t i = 0; i < 9; i++) {
		uint32_t kept = 0;

		for (uint32_t cable = 0; cable < 12; cable++) {
			const char *spec = specs[i / 3], *name = names[i % 3];
			struct run_fabric b;
			struct run_result x, y, z;
			uint32_t ends[2] = { 0 };

			run_fabric_make(&b, spec, NULL, 0);
			x = run_engine(&b, name);
			assert_int_equal(x.code, ROUTE_OK);
			cable_find(&b, cable * 5, ends);
			b.s->ports[ends[0]].peer = b.s->ports[ends[1]].peer = FAB_NONE;
			b.in.previous = &x.f;
			y = run_engine(&b, name);
			if (i % 3)
				result_check(&b, spec, name, &y);
			if (y.code == ROUTE_OK) {
				kept++;
				check_still(&b, spec, &x.f, &y.f);
				b.s->ports[ends[0]].peer = ends[1];
				b.s->ports[ends[1]].peer = ends[0];
				b.in.previous = &y.f;
				z = run_engine(&b, name);
				assert_int_equal(z.code, ROUTE_OK);
				run_compare(spec, &y.f, &z.f);
				b.in.previous = NULL;
				z = run_engine(&b, name);
				run_compare(spec, &x.f, &z.f);
			}
			run_fabric_free(&b);
		}
		if (kept < 10)
			fail_msg("%s %s: %u of 12", names[i % 3], specs[i / 3], kept);
	}
}

/* More VLs than before: the SLs stay as they are. */
static void
more_vls(void **state)
{
	struct run_fabric b;
	struct run_result x, y;

	(void)state;
	for (size_t e = 0; e < 2; e++) {
		run_fabric_make(&b, "torus:5x5,hosts=2", NULL, 0);
		b.in.vls = 4;
		x = run_engine(&b, engines[e]);
		assert_int_equal(x.code, ROUTE_OK);
		b.in.vls = 8;
		b.in.previous = &x.f;
		y = run_engine(&b, engines[e]);
		run_compare(engines[e], &x.f, &y.f);
		run_fabric_free(&b);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_fabric), cmocka_unit_test(walker), cmocka_unit_test(determined), cmocka_unit_test(few_vls),
		cmocka_unit_test(use_of_vls), cmocka_unit_test(refusals), cmocka_unit_test(loss_and_return), cmocka_unit_test(more_vls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
