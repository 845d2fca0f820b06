/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_verify_walk.c - where walks end.
 */
#include <config.h>
#include "fabric/snapshot/walk.h"
#include "sm/plan/lid.h"
#include "tests/unit/fabric/verify/routed.h"
#include "tests/unit/route/naive.h"

static struct verify_result v;

/* Both scopes, both verifiers. True when scope 'all' accepts. */
static bool
judge(void)
{
	bool ok = false;

	for (int all = 0; all < 2; all++) {
		struct naive n = naive_check(rt.s, &rt.lids, &rt.f, all);

		verify_tables(rt.s, &rt.lids, &rt.f, all ? VERIFY_ALL : VERIFY_HOSTS, &v);
		assert_int_equal(v.unreachable, n.lost_host);
		assert_int_equal(v.unreachable_switch, n.lost_switch);
		assert_int_equal(v.loops, n.looping_lids);
		assert_int_equal(v.credit_loops > 0, n.cyclic);
		assert_int_equal(v.dependencies, n.turns);
		assert_int_equal(v.ok, !n.lost_host && !n.looping_lids && !n.cyclic);
		assert_int_equal(v.nlost > 0, n.lost_host + n.lost_switch > 0);
		ok = v.ok;
	}
	return ok;
}

static void
short_and_empty_tables(void **state)
{
	(void)state;
	routed_make("fattree:k=4,levels=2");
	routed_run("updn", &rt.f);
	rt.f.top = 5;
	judge();
	assert_true(v.unreachable > 0);
	rt.f.top = rt.lids.top;
	for (uint32_t lid = 0; lid <= rt.lids.top; lid++)
		rt.lids.owner[lid] = FAB_NONE;
	verify_tables(rt.s, &rt.lids, &rt.f, VERIFY_ALL, &v);
	assert_true(v.ok);
	assert_int_equal(v.walks, 0);
}

/* The LID of a switch, by ordinal; and its port to the next switch of the row. */
static uint16_t
switch_lid(uint32_t sw)
{
	return rt.lids.base[rt.s->nodes[rt.s->switches[sw]].first_port];
}

static uint8_t
port_between(uint32_t a, uint32_t b)
{
	const struct fab_node *n = &rt.s->nodes[rt.s->switches[a]];

	for (unsigned p = 1; p <= n->nports; p++) {
		uint32_t peer = rt.s->ports[n->first_port + p].peer;

		if (peer != FAB_NONE && rt.s->nodes[rt.s->ports[peer].node].sw == b)
			return (uint8_t)p;
	}
	fail_msg("switches %u and %u are not neighbours", a, b);
	return 0;
}

/* What each kind of wrong entry does to a ring of five switches, each with a host. */
static void
ends_of_walks(void **state)
{
	uint16_t lid;

	(void)state;
	routed_make("torus:5,hosts=1,radix=4");
	routed_run("updn", &rt.f);
	lid = switch_lid(0);
	for (uint32_t sw = 0; sw < 5; sw++)
		fwd_row(&rt.f, sw)[lid] = sw ? port_between(sw, (sw + 1) % 5) : 0;
	assert_int_equal(routed_verified(NULL, VERIFY_ALL).unreachable, 0);

	fwd_row(&rt.f, 4)[lid] = FAB_LFT_DROP;          /* on the way of all others */
	v = routed_verified(NULL, VERIFY_HOSTS);
	assert_int_equal(v.unreachable, 4);
	assert_int_equal(v.loops, 0);
	assert_int_equal(v.nlost, 1);                   /* named once, where the walks end */
	assert_int_equal(v.lost[0].switch_node, rt.s->switches[4]);
	assert_int_equal(v.lost[0].lid, lid);
	assert_int_equal(v.lost[0].why, WALK_DROPPED);

	fwd_row(&rt.f, 4)[lid] = port_between(4, 3);    /* 3 and 4 send to each other */
	v = routed_verified(NULL, VERIFY_HOSTS);
	assert_int_equal(v.unreachable, 4);
	assert_int_equal(v.loops, 1);
	assert_int_equal(v.nlost, 1);
	assert_int_equal(v.lost[0].why, WALK_LOOP);

	fwd_row(&rt.f, 4)[lid] = 0;                     /* ends at the wrong switch */
	v = routed_verified(NULL, VERIFY_HOSTS);
	assert_int_equal(v.unreachable, 4);
	assert_int_equal(v.lost[0].why, WALK_WRONG_PORT);
}

/* More walks end nowhere than there is room for: all are counted, the first are named. */
static void
evidence_is_bounded(void **state)
{
	(void)state;
	routed_make("fattree:k=8,levels=2");
	routed_run("updn", &rt.f);
	for (uint32_t sw = 0; sw < rt.f.nswitches; sw++)
		memset(fwd_row(&rt.f, sw), FAB_LFT_DROP, rt.f.top + 1u);
	for (int all = 0; all < 2; all++) {
		struct naive n = naive_check(rt.s, &rt.lids, &rt.f, all);

		v = routed_verified(NULL, all ? VERIFY_ALL : VERIFY_HOSTS);
		assert_int_equal(v.unreachable, n.lost_host);
		assert_int_equal(v.unreachable_switch, n.lost_switch);
		assert_int_equal(v.nlost, VERIFY_EVIDENCE_MAX);
		for (unsigned i = 0; i < v.nlost; i++)
			assert_int_equal(v.lost[i].why, WALK_DROPPED);
	}
}

/* Columns of hosts at one switch are equal, and only one is followed.  A wrong entry in any of them
 * is found, with one VL and with several: at the switch itself and elsewhere. */
static void
columns_like_one_before(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (unsigned round = 0; round < 60; round++) {
		uint32_t sw, lid;
		uint8_t *entry, was;

		routed_make("torus:3x3,hosts=4");
		routed_run("updn", &rt.f);
		if (round % 2)
			rt.f.lanes = routed_plan();
		routed_judge(NULL);
		for (unsigned i = 0; i < 10; i++) {
			lid = 1 + made_random(&rt.rnd) % rt.lids.top;
			sw = made_random(&rt.rnd) % rt.f.nswitches;
			if (made_random(&rt.rnd) % 2) {         /* its own switch */
				uint32_t owner = rt.lids.owner[lid], peer = rt.s->ports[owner].peer;

				sw = rt.s->nodes[rt.s->ports[owner].node].sw;
				if (sw == FAB_NONE)
					sw = rt.s->nodes[rt.s->ports[peer].node].sw;
			}
			entry = &fwd_row(&rt.f, sw)[lid];
			was = *entry;
			*entry = (uint8_t)(made_random(&rt.rnd) % 10);
			routed_judge(NULL);
			wrong += !routed_verified(NULL, VERIFY_HOSTS).ok;
			*entry = was;
		}
		routed_teardown(NULL);
	}
	assert_true(wrong > 100);
}

/* Tables of many blocks, with LIDs that nobody owns at both ends of a block. */
static void
blocks_of_lids(void **state)
{
	struct lid_conf lc = { .lmc = 7 };
	struct lid_report lr;

	(void)state;
	routed_make("fattree:k=4,levels=2");
	assert_int_equal(plan_lids(rt.s, NULL, &lc, &rt.arena, &rt.lids, &lr), 0);
	assert_true(rt.lids.top > 4 * 128);
	routed_run("updn", &rt.f);
	assert_true(judge());
	for (uint32_t lid = 63; lid < rt.lids.top; lid += lid % 64 < 2 || lid % 64 == 63 ? 1 : 61) {
		uint32_t owner = rt.lids.owner[lid];
		uint8_t *e = &fwd_row(&rt.f, 1)[lid], was = *e;

		*e = FAB_LFT_DROP;
		judge();
		v = routed_verified(NULL, VERIFY_HOSTS);
		assert_int_equal(v.nlost > 0, owner != FAB_NONE);
		rt.lids.owner[lid] = FAB_NONE;
		assert_true(judge());
		rt.lids.owner[lid] = owner;
		*e = was;
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(short_and_empty_tables, routed_teardown),
		cmocka_unit_test_teardown(ends_of_walks, routed_teardown),
		cmocka_unit_test_teardown(evidence_is_bounded, routed_teardown),
		cmocka_unit_test_teardown(columns_like_one_before, routed_teardown),
		cmocka_unit_test_teardown(blocks_of_lids, routed_teardown),
	};

	return cmocka_run_group_tests_name("fabric/verify walk", tests, routed_setup,
		routed_group_teardown);
}
