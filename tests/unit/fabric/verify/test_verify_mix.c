/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_verify_mix.c - changes of tables, every mixture of old and new entries: judged by a second,
 * plain check.
 */
#include <config.h>
#include "sm/plan/lid.h"
#include "tests/unit/fabric/verify/routed.h"

/* Changes of one-VL tables, of tables with lanes, and from lanes to none. */
static void
random_changes(void **state)
{
	unsigned cyclic = 0, mixed_only = 0, same = 0;

	(void)state;
	for (uint32_t seed = 0; seed < 600; seed++) {
		struct verify_result v, w;

		routed_make_random(seed);
		routed_run(seed % 4 ? "updn" : "minhop", &rt.old);
		if (seed % 5 == 4)
			routed_run("minhop", &rt.f);
		else
			routed_copy(&rt.f, &rt.old);
		routed_spoil(&rt.f, seed % 6);
		if (seed % 8 == 7)
			rt.f.top = (uint16_t)(rt.f.top - 2);
		if (seed % 3 == 1)
			rt.f.lanes = rt.old.lanes = routed_plan();
		if (seed % 9 == 2)
			rt.f.lanes = routed_plan();
		if (seed % 11 == 3)
			rt.old.lanes = routed_plan();
		cyclic += routed_judge(&rt.old);
		v = routed_verified(&rt.old, VERIFY_HOSTS);
		w = routed_verified(NULL, VERIFY_HOSTS);
		mixed_only += v.credit_loops && !w.credit_loops;
		if (v.changed == 0) {
			same++;
			assert_int_equal(v.dependencies, w.dependencies);
		}
		rt.f.lanes = rt.old.lanes = NULL;
	}
	assert_in_range(cyclic, 20, 550);
	assert_true(mixed_only > 5);
	assert_true(same > 5);
}

/* LIDs whose entries differ somewhere; one that only one of the tables reaches counts as dropped in
 * the other, and a LID that nobody owns does not count. */
static void
changed_lids(void **state)
{
	struct verify_result v;

	(void)state;
	routed_make("fattree:k=4,levels=2");
	routed_run("updn", &rt.old);
	routed_copy(&rt.f, &rt.old);
	assert_int_equal(routed_verified(&rt.old, VERIFY_ALL).changed, 0);
	for (uint32_t sw = 0; sw < 2; sw++)
		fwd_row(&rt.f, sw)[3] = FAB_LFT_DROP;
	fwd_row(&rt.f, 1)[5] = FAB_LFT_DROP;
	assert_int_equal(routed_verified(&rt.old, VERIFY_ALL).changed, 2);
	rt.lids.owner[5] = FAB_NONE;
	assert_int_equal(routed_verified(&rt.old, VERIFY_ALL).changed, 1);
	rt.f.top = (uint16_t)(rt.lids.top - 3);
	v = routed_verified(&rt.old, VERIFY_HOSTS);
	assert_int_equal(v.changed, 1 + 3);
	assert_true(v.unreachable > 0);
	rt.f.top = rt.old.top;
	rt.old.top = 0;                         /* nothing was known */
	assert_int_equal(routed_verified(&rt.old, VERIFY_ALL).changed, rt.lids.top - 1);
}

/* The LIDs at the borders of words and blocks are looked at like all others. */
static void
borders(void **state)
{
	static const uint16_t some[] = { 1, 62, 63, 64, 65, 127, 128, 255, 256 };
	struct lid_conf lc = { .lmc = 7 };
	struct lid_report lr;

	(void)state;
	routed_make("fattree:k=4,levels=2");
	assert_int_equal(plan_lids(rt.s, NULL, &lc, &rt.arena, &rt.lids, &lr), 0);
	routed_run("updn", &rt.old);
	routed_copy(&rt.f, &rt.old);
	for (unsigned i = 0; i <= sizeof(some) / sizeof(some[0]); i++) {
		uint16_t lid = i < sizeof(some) / sizeof(some[0]) ? some[i] : rt.lids.top;
		uint8_t *e = &fwd_row(&rt.f, 2)[lid], was = *e;

		*e = FAB_LFT_DROP;
		assert_int_equal(routed_verified(&rt.old, VERIFY_ALL).changed,
			rt.lids.owner[lid] != FAB_NONE);
		*e = was;
	}
}

/* A ring as a row: never over the link before the first switch, or never over the one after it.
 * Either table is free of cycles, packets that follow both are not. */
static void
set_direction(struct fwd_tables *t, bool forward)
{
	uint32_t n = rt.s->nswitches;

	for (uint32_t lid = 1; lid <= rt.lids.top; lid++) {
		const struct fab_port *p = &rt.s->ports[rt.lids.owner[lid]];
		uint32_t to = rt.s->nodes[p->node].sw;

		to = to == FAB_NONE ? rt.s->nodes[rt.s->ports[p->peer].node].sw : to;
		for (uint32_t sw = 0; sw < n; sw++) {
			const struct fab_node *node = &rt.s->nodes[rt.s->switches[sw]];
			uint32_t cut = forward ? 0 : 1, here = (sw + n - cut) % n,
				there = (to + n - cut) % n;
			uint32_t next = there > here ? (sw + 1) % n : (sw + n - 1) % n;

			if (here == there)
				continue;
			for (unsigned k = 1; k <= node->nports; k++) {
				uint32_t peer = rt.s->ports[node->first_port + k].peer;

				if (peer != FAB_NONE &&
					rt.s->nodes[rt.s->ports[peer].node].sw == next)
					fwd_row(t, sw)[lid] = (uint8_t)k;
			}
		}
	}
}

static void
only_the_mixture(void **state)
{
	struct verify_result v;

	(void)state;
	routed_make("torus:6,hosts=1,radix=4");
	routed_run("updn", &rt.f);
	routed_copy(&rt.old, &rt.f);
	set_direction(&rt.f, true);
	set_direction(&rt.old, false);
	for (int all = 0; all < 2; all++) {
		enum verify_scope scope = all ? VERIFY_ALL : VERIFY_HOSTS;
		struct fwd_tables new = rt.f;

		assert_true(routed_verified(NULL, scope).ok);
		v = routed_verified(&rt.old, scope);
		assert_false(v.ok);
		assert_true(v.credit_loops > 0);
		assert_int_equal(v.unreachable + v.loops, 0);
		rt.f = rt.old;
		assert_true(routed_verified(NULL, scope).ok);
		assert_true(routed_verified(&rt.old, scope).ok);        /* no change at all */
		rt.f = new;
	}
	assert_true(routed_judge(&rt.old));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(random_changes, routed_teardown),
		cmocka_unit_test_teardown(changed_lids, routed_teardown),
		cmocka_unit_test_teardown(borders, routed_teardown),
		cmocka_unit_test_teardown(only_the_mixture, routed_teardown),
	};

	return cmocka_run_group_tests_name("fabric/verify mix", tests, routed_setup,
		routed_group_teardown);
}
