/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_verify_lanes.c - tables with lanes, and changes of tables: judged by a second, plain check,
 * on random fabrics with random lane plans; the same result in any number of stripes.
 */
#include <config.h>
#include <stdio.h>
#include "tests/unit/test.h"
#include "fabric/verify/verify.h"
#include "sm/plan/lid.h"
#include "sm/route/route.h"
#include "tests/unit/fabric/verify/naive_lanes.h"
#include "tests/unit/route/made.h"
#include "tests/unit/route/naive.h"
#include "util/pool.h"

static struct snapshot *s;
static struct arena arena;
static struct lid_map lids;
static struct fwd_tables f, old;
static struct pool *pools[2]; /* of 2 and 8 */
static uint32_t rnd;

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

static void
route(const char *engine, struct fwd_tables *out)
{
	struct route_report r;
	struct route_in in = { .snapshot = s, .lids = &lids };
	char why[200];

	assert_int_equal(route_find(engine, why, sizeof(why))->run(&in, &arena, out, &r), ROUTE_OK);
}

static void
make(const char *spec)
{
	struct lid_conf lc = { 0 };
	struct lid_report lr;

	teardown(NULL);
	s = made_snapshot(spec, NULL);
	assert_int_equal(plan_lids(s, NULL, &lc, &arena, &lids, &lr), 0);
}

/* A small fabric of some shape. */
static void
make_random(uint32_t seed)
{
	static const char *const shapes[] = { "torus:5,hosts=1,radix=4",
		"torus:3x3,hosts=1,radix=6", "mesh:2x3,hosts=2,radix=6", "fattree:k=4,levels=2" };
	char spec[80];

	rnd = seed * 2654435761u + 17;
	if (seed % 3 == 0) {
		make(shapes[seed / 3 % 4]);
		return;
	}
	snprintf(spec, sizeof(spec), "random:switches=%u,cables=%u,hosts=%u,seed=%u", 5 + seed % 4,
		5 + seed % 4 + seed % 5, 1 + seed % 2, seed);
	make(spec);
}

static struct lane_plan *
random_plan(void)
{
	struct lane_plan *p = arena_alloc(&arena, sizeof(*p));
	uint8_t in_use[LANE_SLS];
	unsigned n = 0;

	p->nvls = (uint8_t)(1 + made_random(&rnd) % 4);
	p->nclasses = (uint8_t)(1 + made_random(&rnd) % 3);
	p->nswitches = s->nswitches;
	while (!n)
		for (uint8_t sl = 0; sl < LANE_SLS; sl++)
			if (made_random(&rnd) % 5 == 0) {
				p->sls |= (uint16_t)(1u << sl);
				in_use[n++] = sl;
			}
	for (unsigned i = 0; i < p->nclasses; i++)
		for (unsigned o = 0; o < p->nclasses; o++)
			for (unsigned k = 0; k < n; k++)
				p->vl[i][o][in_use[k]] = (uint8_t)(made_random(&rnd) % 3 ?
						k % p->nvls :
						made_random(&rnd) % p->nvls);
	if (made_random(&rnd) % 4) {
		p->port_class = arena_alloc(&arena, s->nports);
		for (uint32_t i = 0; i < s->nports; i++)
			p->port_class[i] = (uint8_t)(made_random(&rnd) % p->nclasses);
	}
	if (made_random(&rnd) % 5) {
		p->sl = arena_array(&arena, s->nswitches, s->nswitches);
		for (uint32_t i = 0; i < s->nswitches * s->nswitches; i++)
			p->sl[i] = in_use[made_random(&rnd) % n];
	}
	return p;
}

/* Some wrong or other entries. */
static void
spoil(struct fwd_tables *t, unsigned n)
{
	for (; n > 0; n--) {
		uint32_t sw = made_random(&rnd) % s->nswitches,
			 lid = 1 + made_random(&rnd) % lids.top;

		fwd_row(t, sw)[lid] =
			(uint8_t)(made_random(&rnd) % (s->nodes[s->switches[sw]].nports + 1u));
	}
}

static void
copy(struct fwd_tables *to, const struct fwd_tables *from)
{
	*to = *from;
	to->port = arena_array(&arena, from->nswitches, from->stride);
	memcpy(to->port, from->port, (size_t)from->nswitches * from->stride);
}

/* Each edge of the cycle shown must be one that its LID and its SL can make. */
static void
check_cycle(const struct verify_result *v, const struct fwd_tables *const *t, unsigned n)
{
	assert_true(v->ncycle >= 2);
	for (unsigned i = 0; i < v->ncycle; i++) {
		uint32_t in = v->cycle[i], next = v->cycle[(i + 1) % v->ncycle],
			 out = s->ports[next].peer;
		uint8_t vl = v->cycle_vl[(i + 1) % v->ncycle];
		bool comes = false, goes = false, lane = false;

		assert_int_not_equal(v->cycle_lid[i], 0);
		assert_int_equal(s->ports[out].node, s->ports[in].node);
		for (unsigned k = 0; k < n; k++) {
			comes |= fwd_row(t[k],
					 s->nodes[s->ports[s->ports[in].peer].node]
						 .sw)[v->cycle_lid[i]] ==
				s->ports[s->ports[in].peer].num;
			goes |= fwd_row(t[k], s->nodes[s->ports[in].node].sw)[v->cycle_lid[i]] ==
				s->ports[out].num;
			lane |= (t[k]->lanes ? lanes_vl(t[k]->lanes, in, out, v->cycle_sl[i]) :
					       0) == vl;
		}
		assert_true(comes && goes && lane);
	}
}

/* One verification in 1, 2 and 8 stripes: the same bytes. */
static struct verify_result
verified(const struct fwd_tables *before, enum verify_scope scope)
{
	struct verify_in in = {
		.snapshot = s, .lids = &lids, .tables = &f, .scope = scope, .vls = 4
	};
	struct verify_result v, w;

	if (before)
		verify_change(&in, before, &v);
	else
		verify_check(&in, &v);
	for (int i = 0; i < 2; i++) {
		in.stripes = pool_stripes(pools[i]);
		if (before)
			verify_change(&in, before, &w);
		else
			verify_check(&in, &w);
		assert_memory_equal(&v, &w, sizeof(v));
	}
	return v;
}

/* Both scopes. True when scope 'hosts' has a cycle. */
static bool
judge(const struct fwd_tables *before)
{
	const struct fwd_tables *t[2] = { &f, before };
	bool cyclic = false;

	for (int all = 1; all >= 0; all--) {
		struct naive n = naive_check(s, &lids, &f, all);
		struct naive_lanes nl = { .s = s,
			.l = &lids,
			.f = { &f, before },
			.ntables = before ? 2 : 1,
			.all = all };
		struct verify_result v = verified(before, all ? VERIFY_ALL : VERIFY_HOSTS);

		naive_lanes_check(&nl);
		assert_string_equal(v.lanes, "");
		assert_int_equal(v.unreachable, n.lost_host);
		assert_int_equal(v.unreachable_switch, n.lost_switch);
		assert_int_equal(v.loops, n.looping_lids);
		assert_int_equal(v.dependencies, nl.dependencies);
		assert_int_equal(v.credit_loops > 0, nl.cyclic);
		assert_int_equal(v.ok, !n.lost_host && !n.looping_lids && !nl.cyclic);
		if (nl.cyclic)
			check_cycle(&v, t, nl.ntables);
		cyclic = nl.cyclic;
	}
	return cyclic;
}

static void
random_lanes(void **state)
{
	unsigned cyclic = 0, by_lanes = 0, by_replies = 0, looping = 0;

	(void)state;
	for (uint32_t seed = 0; seed < 600; seed++) {
		struct verify_result v;
		bool was;

		make_random(seed);
		route(seed % 4 ? "minhop" : "updn", &f);
		if (seed % 7 == 0)
			spoil(&f, 3);
		verify_tables(s, &lids, &f, VERIFY_HOSTS, &v);
		was = v.credit_loops;
		f.lanes = random_plan();
		if (judge(NULL)) {
			struct naive_lanes n = {
				.s = s, .l = &lids, .f = { &f }, .ntables = 1, .no_replies = true
			};

			naive_lanes_check(&n);
			cyclic++;
			by_replies += !n.cyclic;
		} else {
			by_lanes += was;
		}
		verify_tables(s, &lids, &f, VERIFY_HOSTS, &v);
		looping += v.loops > 0;
	}
	assert_in_range(cyclic, 20, 500);
	assert_true(by_lanes > 10); /* the lanes break the cycle */
	assert_true(by_replies > 2); /* the replies alone close it */
	assert_true(looping > 5);
}

/* A ring with all packets on one SL; then with a second SL for paths that cross a dateline. */
static void
dateline(void **state)
{
	struct lane_plan *p;
	struct verify_result v;
	uint32_t n;

	(void)state;
	make("torus:7,hosts=1,radix=4");
	route("minhop", &f);
	n = s->nswitches;
	p = arena_alloc(&arena, sizeof(*p));
	*p = (struct lane_plan){ .nvls = 2, .sls = 3, .nswitches = n, .nclasses = 1 };
	p->vl[0][0][1] = 1;
	p->sl = arena_array(&arena, n, n);
	f.lanes = p;
	assert_true(judge(NULL));
	v = verified(NULL, VERIFY_HOSTS);
	assert_int_equal(v.vls, 2);
	assert_int_equal(v.channels, 2 * 14);
	assert_int_equal(v.cycle_vl[0], 0);
	/* SL 1: the path crosses the link between the last and the first switch of the ring */
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = 0; b < n; b++) {
			uint32_t sw = a;
			bool crosses = false;

			while (sw != b) {
				uint16_t lid = lids.base[s->nodes[s->switches[b]].first_port];
				uint32_t out =
					s->nodes[s->switches[sw]].first_port + fwd_row(&f, sw)[lid];
				uint32_t to = s->nodes[s->ports[s->ports[out].peer].node].sw;

				crosses |= (sw == 0 && to == n - 1) || (sw == n - 1 && to == 0);
				sw = to;
			}
			p->sl[a * n + b] = crosses;
		}
	assert_false(judge(NULL));
}

/* Changes of one-VL tables, of tables with lanes, and from lanes to none. */
static void
random_changes(void **state)
{
	unsigned cyclic = 0, mixed_only = 0, same = 0;

	(void)state;
	for (uint32_t seed = 0; seed < 600; seed++) {
		struct verify_result v, w;

		make_random(seed);
		route(seed % 4 ? "updn" : "minhop", &old);
		if (seed % 5 == 4)
			route("minhop", &f);
		else
			copy(&f, &old);
		spoil(&f, seed % 6);
		if (seed % 8 == 7)
			f.top = (uint16_t)(f.top - 2);
		if (seed % 3 == 1)
			f.lanes = old.lanes = random_plan();
		if (seed % 9 == 2)
			f.lanes = random_plan();
		if (seed % 11 == 3)
			old.lanes = random_plan();
		cyclic += judge(&old);
		v = verified(&old, VERIFY_HOSTS);
		w = verified(NULL, VERIFY_HOSTS);
		mixed_only += v.credit_loops && !w.credit_loops;
		if (v.changed == 0) {
			same++;
			assert_int_equal(v.dependencies, w.dependencies);
		}
		f.lanes = old.lanes = NULL;
	}
	assert_in_range(cyclic, 20, 550);
	assert_true(mixed_only > 5);
	assert_true(same > 5);
}

/* Exchanges the cables of two ports, or moves one. */
static void
replug(uint32_t a, uint32_t b)
{
	uint32_t pa = s->ports[a].peer, pb = s->ports[b].peer;

	s->ports[a].peer = pb;
	s->ports[b].peer = pa;
	if (pa != FAB_NONE)
		s->ports[pa].peer = b;
	if (pb != FAB_NONE)
		s->ports[pb].peer = a;
}

static uint32_t
random_switch_port(void)
{
	for (;;) {
		uint32_t port = made_random(&rnd) % s->nports;

		if (s->ports[port].num && fab_is_switch(&s->nodes[s->ports[port].node]))
			return port;
	}
}

/* One step of a fabric's life: some entries, cables or owners change. */
static void
live_on(uint32_t what)
{
	uint32_t a = random_switch_port(), b = random_switch_port();

	copy(&f, &old);
	if (what % 4 < 2)
		spoil(&f, 1 + what % 3);
	if (what % 4 == 1 && s->ports[a].peer != b)
		replug(a, b);
	if (what % 4 == 2 && s->ports[a].peer != FAB_NONE) {
		s->ports[s->ports[a].peer].peer = FAB_NONE;
		s->ports[a].peer = FAB_NONE;
	}
	if (what % 4 == 3)
		route(what % 8 == 3 ? "updn" : "minhop", &f);
}

/* What is kept of earlier tables never changes a verdict. */
static void
kept_turns(void **state)
{
	unsigned partial = 0, passed = 0, refused = 0, lost = 0;

	(void)state;
	for (uint32_t seed = 0; seed < 120; seed++) {
		struct verify_kept *kept = NULL;
		struct verify_in in = { .snapshot = s, .lids = &lids, .tables = &old,
			.scope = VERIFY_ALL, .kept = &kept };
		struct verify_result v, w;

		make_random(seed);
		in.snapshot = s;
		route("updn", &old);
		verify_check(&in, &v);
		for (uint32_t step = 0; step < 25; step++) {
			live_on(made_random(&rnd));
			in.tables = &f;
			in.kept = NULL;
			verify_change(&in, &old, &w);
			in.kept = &kept;
			in.stripes = step % 3 ? pool_stripes(pools[step % 3 - 1]) : NULL;
			verify_change(&in, &old, &v);
			partial += v.partial;
			passed += v.ok;
			refused += !v.ok;
			lost += v.partial && v.nlost;
			assert_int_equal(v.ok, w.ok);
			assert_int_equal(v.unreachable, w.unreachable);
			assert_int_equal(v.unreachable_switch, w.unreachable_switch);
			assert_int_equal(v.loops, w.loops);
			assert_int_equal(v.credit_loops, w.credit_loops);
			assert_int_equal(v.changed, w.changed);
			assert_int_equal(v.nlost, w.nlost);
			assert_memory_equal(v.lost, w.lost, sizeof(v.lost));
			assert_true(v.dependencies >= w.dependencies);
			if (v.ok)
				copy(&old, &f);
			else            /* the old tables stay; what was kept is of them */
				verify_check(&(struct verify_in){ .snapshot = s, .lids = &lids,
					.tables = &old, .scope = VERIFY_ALL, .kept = &kept }, &w);
		}
		verify_kept_free(kept);
	}
	assert_true(partial > 300);
	assert_true(passed > 100);
	assert_true(refused > 100);
	assert_true(lost > 20);
}

static uint16_t
switch_lid(uint32_t sw)
{
	return lids.base[s->nodes[s->switches[sw]].first_port];
}

static bool
has_host(uint32_t sw)
{
	for (uint8_t p = 1; p <= s->nodes[s->switches[sw]].nports; p++) {
		uint32_t peer = snapshot_port(s, s->switches[sw], p)->peer;

		if (peer != FAB_NONE && !fab_is_switch(&s->nodes[s->ports[peer].node]))
			return true;
	}
	return false;
}

/* A LID that was not reached from some switch still counts when other LIDs change. */
static void
kept_holes(void **state)
{
	struct verify_kept *kept = NULL;
	struct verify_result v;
	struct verify_in in = { .lids = &lids, .tables = &old, .scope = VERIFY_ALL, .kept = &kept };
	uint32_t top[2], n = 0;

	(void)state;
	make("fattree:k=4,levels=2");
	in.snapshot = s;
	route("updn", &old);
	for (uint32_t sw = 0; sw < s->nswitches && n < 2; sw++)
		if (!has_host(sw))
			top[n++] = sw;
	assert_int_equal(n, 2);
	fwd_row(&old, top[0])[switch_lid(top[1])] = FAB_LFT_DROP;
	verify_check(&in, &v);
	assert_true(v.ok);
	assert_int_equal(v.unreachable_switch, 1);
	assert_non_null(kept);
	copy(&f, &old);
	fwd_row(&f, top[1])[switch_lid(top[0])] = FAB_LFT_DROP;
	in.tables = &f;
	verify_change(&in, &old, &v);
	assert_true(v.ok && v.partial);
	assert_int_equal(v.changed, 1);
	assert_int_equal(v.unreachable_switch, 2);
	assert_int_equal(v.nlost, 2);
	verify_kept_free(kept);
}

static void
expect_fault(const struct lane_plan *p, uint8_t vls, const char *text)
{
	struct verify_in in = {
		.snapshot = s, .lids = &lids, .tables = &f, .scope = VERIFY_HOSTS, .vls = vls
	};
	struct verify_result v;

	f.lanes = p;
	verify_check(&in, &v);
	assert_false(v.ok);
	assert_non_null(strstr(v.lanes, text));
	f.lanes = NULL;
	verify_change(&in, &f, &v);
	assert_true(v.ok);
	old = f;
	old.lanes = p;
	verify_change(&in, &old, &v);
	assert_non_null(strstr(v.lanes, "old tables"));
}

static void
plans_that_are_not_valid(void **state)
{
	struct lane_plan ok, p;
	struct verify_result v;

	(void)state;
	make("fattree:k=4,levels=2");
	route("updn", &f);
	ok = (struct lane_plan){ .nvls = 2,
		.sls = 5,
		.nswitches = s->nswitches,
		.nclasses = 2,
		.port_class = arena_alloc(&arena, s->nports),
		.sl = arena_array(&arena, s->nswitches, s->nswitches) };
	f.lanes = &ok;
	v = verified(NULL, VERIFY_ALL);
	assert_true(v.ok);
	p = ok;
	p.nvls = 0;
	expect_fault(&p, 0, "0 VLs");
	p = ok;
	p.nvls = 16;
	expect_fault(&p, 0, "16 VLs");
	expect_fault(&ok, 1, "needs 2 VLs, the links have 1");
	p = ok;
	p.sls = 0;
	expect_fault(&p, 0, "no SL");
	p = ok;
	p.nclasses = 17;
	expect_fault(&p, 0, "17 classes");
	p = ok;
	p.nswitches++;
	expect_fault(&p, 0, "switches");
	p = ok;
	p.vl[1][0][2] = 2;
	expect_fault(&p, 0, "SL 2 to VL 2");
	p = ok;
	p.vl[1][0][1] = 9; /* an SL that is not in use */
	f.lanes = &p;
	assert_true(verified(NULL, VERIFY_ALL).ok);
	ok.sl[1] = 1;
	expect_fault(&ok, 0, "SL 1");
	ok.sl[1] = 0;
	ok.port_class[s->nodes[s->switches[0]].first_port + 1] = 2;
	expect_fault(&ok, 0, "class 2");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(random_lanes, teardown),
		cmocka_unit_test_teardown(dateline, teardown),
		cmocka_unit_test_teardown(random_changes, teardown),
		cmocka_unit_test_teardown(kept_turns, teardown),
		cmocka_unit_test_teardown(kept_holes, teardown),
		cmocka_unit_test_teardown(plans_that_are_not_valid, teardown),
	};

	return cmocka_run_group_tests_name("fabric/verify lanes", tests, setup, group_teardown);
}
