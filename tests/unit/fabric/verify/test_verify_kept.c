/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_verify_kept.c - what is kept of tables that passed never changes the verdict on the next
 * change.
 */
#include <config.h>
#include "tests/unit/fabric/verify/routed.h"

static uint32_t
random_switch_port(void)
{
	for (;;) {
		uint32_t port = made_random(&rt.rnd) % rt.s->nports;

		if (rt.s->ports[port].num && fab_is_switch(&rt.s->nodes[rt.s->ports[port].node]))
			return port;
	}
}

/* One step of a fabric's life: some entries, links or tables change. */
static void
live_on(uint32_t what)
{
	uint32_t a = random_switch_port(), b = random_switch_port();

	routed_copy(&rt.f, &rt.old);
	if (what % 4 < 2)
		routed_spoil(&rt.f, 1 + what % 3);
	if (what % 4 == 1 && rt.s->ports[a].peer != b)
		made_exchange(rt.s, a, b);
	if (what % 4 == 2)
		made_unplug(rt.s, a);
	if (what % 4 == 3)
		routed_run(what % 8 == 3 ? "updn" : "minhop", &rt.f);
}

/* What is kept of earlier tables never changes a verdict. */
static void
kept_turns(void **state)
{
	unsigned partial = 0, passed = 0, refused = 0, lost = 0;

	(void)state;
	for (uint32_t seed = 0; seed < 120; seed++) {
		struct verify_kept *kept = NULL;
		struct verify_in in = { .snapshot = rt.s, .lids = &rt.lids, .tables = &rt.old,
			.scope = VERIFY_ALL, .kept = &kept };
		struct verify_result v, w;

		routed_make_random(seed);
		in.snapshot = rt.s;
		routed_run("updn", &rt.old);
		verify_check(&in, &v);
		for (uint32_t step = 0; step < 25; step++) {
			live_on(made_random(&rt.rnd));
			in.tables = &rt.f;
			in.kept = NULL;
			verify_change(&in, &rt.old, &w);
			in.kept = &kept;
			in.stripes = step % 3 ? pool_stripes(rt.pools[step % 3 - 1]) : NULL;
			verify_change(&in, &rt.old, &v);
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
				routed_copy(&rt.old, &rt.f);
			else            /* the old tables stay; what was kept is of them */
				verify_check(&(struct verify_in){ .snapshot = rt.s,
					.lids = &rt.lids,
					.tables = &rt.old, .scope = VERIFY_ALL, .kept = &kept },
						&w);
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
	return rt.lids.base[rt.s->nodes[rt.s->switches[sw]].first_port];
}

static bool
has_host(uint32_t sw)
{
	for (uint8_t p = 1; p <= rt.s->nodes[rt.s->switches[sw]].nports; p++) {
		uint32_t peer = snapshot_port(rt.s, rt.s->switches[sw], p)->peer;

		if (peer != FAB_NONE && !fab_is_switch(&rt.s->nodes[rt.s->ports[peer].node]))
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
	struct verify_in in = { .lids = &rt.lids, .tables = &rt.old, .scope = VERIFY_ALL,
		.kept = &kept };
	uint32_t top[2], n = 0;

	(void)state;
	routed_make("fattree:k=4,levels=2");
	in.snapshot = rt.s;
	routed_run("updn", &rt.old);
	for (uint32_t sw = 0; sw < rt.s->nswitches && n < 2; sw++)
		if (!has_host(sw))
			top[n++] = sw;
	assert_int_equal(n, 2);
	fwd_row(&rt.old, top[0])[switch_lid(top[1])] = FAB_LFT_DROP;
	verify_check(&in, &v);
	assert_true(v.ok);
	assert_int_equal(v.unreachable_switch, 1);
	assert_non_null(kept);
	routed_copy(&rt.f, &rt.old);
	fwd_row(&rt.f, top[1])[switch_lid(top[0])] = FAB_LFT_DROP;
	in.tables = &rt.f;
	verify_change(&in, &rt.old, &v);
	assert_true(v.ok && v.partial);
	assert_int_equal(v.changed, 1);
	assert_int_equal(v.unreachable_switch, 2);
	assert_int_equal(v.nlost, 2);
	verify_kept_free(kept);
}

/* Kept is only what can be the start of the next proof; what was kept before stays otherwise. */
static void
what_is_kept(void **state)
{
	struct verify_kept *kept = NULL, *first;
	struct verify_result v;
	struct verify_in in = { .lids = &rt.lids, .tables = &rt.f, .scope = VERIFY_HOSTS,
		.kept = &kept };
	struct lane_plan *p;
	struct fwd_rows *turns;

	(void)state;
	verify_kept_free(NULL);
	assert_null(verify_kept_turns(NULL));
	routed_make("fattree:k=4,levels=2");
	routed_run("updn", &rt.f);
	in.snapshot = rt.s;
	verify_check(&in, &v);
	assert_true(v.ok);
	assert_null(kept);                      /* hosts: not all turns are known */
	in.scope = VERIFY_ALL;
	rt.f.lanes = p = routed_plan();
	p->nvls = 2;
	verify_check(&in, &v);
	assert_null(kept);
	rt.f.lanes = NULL;
	verify_check(&in, &v);
	assert_true(v.ok && !v.partial);
	assert_non_null(kept);
	first = kept;
	turns = verify_kept_turns(kept);
	assert_non_null(turns);

	routed_copy(&rt.old, &rt.f);
	for (uint32_t sw = 0; sw < rt.s->nswitches; sw++)
		memset(fwd_row(&rt.f, sw), FAB_LFT_DROP, rt.f.top + 1u);
	verify_change(&in, &rt.old, &v);
	assert_false(v.ok);
	assert_ptr_equal(kept, first);          /* these tables did not pass */
	routed_copy(&rt.f, &rt.old);
	verify_change(&in, &rt.old, &v);
	assert_true(v.ok && v.partial);
	assert_int_equal(v.changed, 0);
	verify_kept_free(kept);
	assert_non_null(fwd_rows_bytes(turns)); /* held beyond what they were kept in */
	fwd_rows_drop(turns);
}

/* Kept of another fabric: not used, and the verdict is that of a whole check. */
static void
of_another_fabric(void **state)
{
	static const char *const specs[] = { "fattree:k=4,levels=2", "torus:6,hosts=1,radix=4",
		"fattree:k=4,levels=3" };
	struct verify_kept *kept = NULL;

	(void)state;
	for (unsigned i = 0; i < 9; i++) {
		struct verify_in in = { .lids = &rt.lids, .tables = &rt.f, .scope = VERIFY_ALL,
			.kept = &kept };
		struct verify_result v, w;

		routed_make(specs[i / 3]);
		for (uint32_t k = 0; k < rt.s->nnodes; k++)     /* twins, but for their GUIDs */
			rt.s->nodes[k].guid += i;
		routed_run("updn", &rt.old);
		routed_copy(&rt.f, &rt.old);
		fwd_row(&rt.f, 0)[1 + i] = FAB_LFT_DROP;
		in.snapshot = rt.s;
		verify_change(&in, &rt.old, &v);
		in.kept = NULL;
		verify_change(&in, &rt.old, &w);
		assert_int_equal(v.ok, w.ok);
		assert_int_equal(v.unreachable, w.unreachable);
		assert_int_equal(v.dependencies, w.dependencies);
		assert_false(v.partial);
		verify_kept_free(kept);
		kept = NULL;
		in.kept = &kept;
		in.tables = &rt.old;
		verify_check(&in, &v);
		assert_non_null(kept);
	}
	verify_kept_free(kept);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(kept_turns, routed_teardown),
		cmocka_unit_test_teardown(kept_holes, routed_teardown),
		cmocka_unit_test_teardown(what_is_kept, routed_teardown),
		cmocka_unit_test_teardown(of_another_fabric, routed_teardown),
	};

	return cmocka_run_group_tests_name("fabric/verify kept", tests, routed_setup,
		routed_group_teardown);
}
