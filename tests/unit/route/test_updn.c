/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_updn.c - what engine updn promises, however it finds its paths: the verifier accepts them,
 * equal fabrics have equal tables, and the report says what is missing.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/route/tree/tree_engines.h"
#include "tests/unit/route/modelled.h"

static struct modelled x;
static struct intended *whole;

static int
teardown(void **state)
{
	(void)state;
	intended_free(whole);
	whole = NULL;
	modelled_clear(&x);
	return 0;
}

static void
tables_are_accepted_on_every_shape(void **state)
{
	static const char *const specs[] = {
		"fattree:k=4,levels=2", "fattree:k=6,levels=3", "torus:4x4,hosts=2",
		"mesh:3x3,hosts=1",
		"hypercube:d=4,hosts=1", "dragonfly:a=4,h=2,p=1", "xgft:m=4/4/2,w=1/2/2",
		"random:switches=30,cables=60,hosts=1,seed=5",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++)
		for (uint8_t lmc = 0; lmc < 2; lmc++) {
			modelled_plan(&x, specs[i], NULL, lmc);
			assert_int_equal(modelled_route(&x, updn_run, VERIFY_ALL), ROUTE_OK);
			if (!x.v.ok || x.v.unreachable_switch)
				fail_msg("%s, LMC %u: not accepted", specs[i], lmc);
			assert_string_equal(x.r.engine, "updn");
			assert_int_equal(x.r.unreachable, 0);
			assert_int_equal(x.f.top, x.lids.top);
		}
}

/* A damaged fabric; 'intact': its intended topology is that of the whole one. */
static void
plan_damaged(const char *spec, const struct made_how *how, bool intact)
{
	struct made_how none = *how;

	teardown(NULL);
	none.cut_percent = 0;
	if (intact) {
		modelled_plan(&x, spec, &none, 0);
		whole = intended_learn(x.s, NULL);
		assert_non_null(whole);
	}
	modelled_plan(&x, spec, how, 0);
	x.in.intended = whole;
}

/* Damaged: all that is connected is reached from hosts; what switches miss is declared.  Also by the
 * intended topology of the whole fabric. */
static void
damaged_fabrics_are_routed(void **state)
{
	static const char *const specs[] = {
		"fattree:k=6,levels=3", "torus:4x4,hosts=1", "fattree:k=4,levels=3",
	};
	struct made_how how = { .scramble = true };

	(void)state;
	for (how.seed = 0; how.seed < 120; how.seed++) {
		how.cut_percent = how.seed % 2 ? 15 : 30;
		plan_damaged(specs[how.seed % 3], &how, how.seed >= 60);
		assert_int_equal(modelled_route(&x, updn_run, VERIFY_ALL), ROUTE_OK);
		assert_int_equal(x.v.loops + x.v.credit_loops, 0);
		if (!made_connected(x.s))
			continue;
		assert_int_equal(x.v.unreachable, 0);
		assert_int_equal(x.v.unreachable_switch, x.r.declared);
	}
}

/* Ranks are those of the intended topology, whatever is lost, unless a leaf could not reach some
 * switch by them. */
static void
damage_does_not_move_the_roots(void **state)
{
	struct made_how how = { .scramble = true, .cut_percent = 10 };
	unsigned kept = 0, learned = 0;

	(void)state;
	for (how.seed = 0; how.seed < 40; how.seed++) {
		bool same = true;

		plan_damaged("fattree:k=6,levels=3", &how, true);
		assert_int_equal(modelled_route(&x, updn_run, VERIFY_ALL), ROUTE_OK);
		if (x.r.lowered || strcmp(x.r.root_rule, "single") == 0) {
			assert_int_not_equal(x.r.sentence[0], 0);
			continue;
		}
		kept++;
		assert_string_equal(x.r.root_rule, whole->root_rule);
		for (uint32_t sw = 0; sw < x.s->nswitches; sw++)
			assert_int_equal(x.r.rank[sw], whole->sw[sw].rank);
		x.in.intended = NULL;           /* the damaged fabric itself has others */
		assert_int_equal(modelled_route(&x, updn_run, VERIFY_ALL), ROUTE_OK);
		for (uint32_t sw = 0; sw < x.s->nswitches; sw++)
			same &= x.r.rank[sw] == whole->sw[sw].rank;
		learned += !same;
	}
	assert_true(kept > 0);
	assert_true(learned > 0);
}

static void
the_report_names_the_roots(void **state)
{
	struct made_how how = { .scramble = true, .seed = 3 };
	uint32_t at = 0, most = 0;

	(void)state;
	plan_damaged("fattree:k=4,levels=3", &how, true);
	assert_int_equal(modelled_route(&x, updn_run, VERIFY_ALL), ROUTE_OK);
	assert_string_equal(x.r.root_rule, whole->root_rule);
	assert_int_equal(x.r.nroots, 4);
	assert_int_equal(x.r.lowered, 0);
	for (uint32_t sw = 0; sw < x.s->nswitches; sw++) {
		assert_int_equal(x.r.rank[sw], whole->sw[sw].rank);
		most = x.r.rank[sw] > most ? x.r.rank[sw] : most;
		if (x.r.rank[sw] == 0) {
			assert_true(at < x.r.nroots);
			assert_int_equal(x.r.roots[at++], x.s->switches[sw]);
		}
	}
	assert_int_equal(at, x.r.nroots);
	assert_int_equal(x.r.max_rank, most);
}

static void
roots_can_be_given(void **state)
{
	uint64_t guids[2] = { 0, 0xdead };
	struct route_conf c = { .roots = guids, .nroots = 2 };

	(void)state;
	modelled_plan(&x, "torus:4x4,hosts=1", NULL, 0);
	x.in.conf = &c;
	guids[0] = x.s->nodes[x.s->switches[7]].guid;
	assert_int_equal(modelled_route(&x, updn_run, VERIFY_ALL), ROUTE_OK);
	assert_true(x.v.ok);
	assert_string_equal(x.r.root_rule, "given");
	assert_int_equal(x.r.nroots, 1);
	assert_int_equal(x.r.roots[0], x.s->switches[7]);
	guids[0] = 0xbeef;
	assert_int_equal(modelled_route(&x, updn_run, VERIFY_ALL), ROUTE_INPUT);
	assert_non_null(strstr(x.r.sentence, "2 given roots"));
}

static void
equal_fabrics_have_equal_tables(void **state)
{
	(void)state;
	modelled_check_order(&x, updn_run, "fattree:k=4,levels=3");
	modelled_check_order(&x, updn_run, "random:switches=30,cables=60,hosts=2,seed=4");
}

static void
what_cannot_be_routed_is_refused(void **state)
{
	(void)state;
	modelled_check_refusals(&x, updn_run);
}

int
main(void)
{
#define T(name) cmocka_unit_test_teardown(name, teardown)
	const struct CMUnitTest tests[] = {
		T(tables_are_accepted_on_every_shape),
		T(damaged_fabrics_are_routed),
		T(damage_does_not_move_the_roots),
		T(the_report_names_the_roots),
		T(roots_can_be_given),
		T(equal_fabrics_have_equal_tables),
		T(what_cannot_be_routed_is_refused),
	};

	return cmocka_run_group_tests_name("sm/route/tree/updn", tests, NULL, NULL);
}
