/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_minhop.c - what engine minhop promises: shortest paths, on every shape; refusals.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/route/minhop.h"
#include "tests/unit/route/modelled.h"

static struct modelled x;

static int
teardown(void **state)
{
	(void)state;
	modelled_clear(&x);
	return 0;
}

/* The hops from a switch to the switch that a LID is at; UINT32_MAX: the packet is dropped. */
static uint32_t
walk(uint32_t sw, uint32_t to, uint16_t lid)
{
	uint32_t hops = 0;

	for (; sw != to; hops++) {
		const struct fab_node *n = &x.s->nodes[x.s->switches[sw]];
		uint8_t port = fwd_row(&x.f, sw)[lid];

		if (port == FAB_LFT_DROP)
			return UINT32_MAX;
		assert_in_range(port, 1, n->nports);
		sw = x.s->nodes[x.s->ports[x.s->ports[n->first_port + port].peer].node].sw;
		assert_true(hops <= x.s->nswitches);
	}
	return hops;
}

static void
check_paths(void)
{
	for (uint16_t lid = 1; lid <= x.lids.top; lid++) {
		uint32_t p = x.lids.owner[lid], to;

		if (p == FAB_NONE)
			continue;
		if (!fab_is_switch(&x.s->nodes[x.s->ports[p].node]))
			p = x.s->ports[p].peer;
		to = x.s->nodes[x.s->ports[p].node].sw;
		for (uint32_t sw = 0; sw < x.s->nswitches; sw++)
			assert_int_equal(walk(sw, to, lid), made_hops(x.s, sw, to));
	}
}

static void
paths_are_the_shortest(void **state)
{
	static const char *const specs[] = {
		"fattree:k=4,levels=3", "torus:4x4,hosts=1", "dragonfly:a=4,h=2,p=1",
		"random:switches=20,cables=40,hosts=1,seed=3",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		modelled_plan(&x, specs[i], NULL, (uint8_t)(i % 2));
		assert_int_equal(modelled_route(&x, minhop_run, VERIFY_HOSTS), ROUTE_OK);
		assert_int_equal(x.v.unreachable + x.v.loops, 0);
		assert_string_equal(x.r.engine, "minhop");
		check_paths();
	}
}

/* What is not connected is dropped, and nothing else. */
static void
parts_are_routed_each(void **state)
{
	struct made_how how = { .cut_percent = 60 };
	bool parted = false;

	(void)state;
	for (how.seed = 0; how.seed < 10; how.seed++) {
		modelled_plan(&x, "torus:4x4,hosts=1", &how, 0);
		parted |= !made_connected(x.s);
		assert_int_equal(modelled_route(&x, minhop_run, VERIFY_HOSTS), ROUTE_OK);
		assert_int_equal(x.v.loops, 0);
		check_paths();
	}
	assert_true(parted);
}

static void
a_tree_has_no_credit_loops(void **state)
{
	(void)state;
	modelled_plan(&x, "fattree:k=6,levels=3", NULL, 0);
	assert_int_equal(modelled_route(&x, minhop_run, VERIFY_HOSTS), ROUTE_OK);
	assert_true(x.v.ok);
}

static void
equal_fabrics_have_equal_tables(void **state)
{
	(void)state;
	modelled_check_order(&x, minhop_run, "fattree:k=4,levels=3");
	modelled_check_order(&x, minhop_run, "torus:4x4,hosts=2");
}

static void
what_cannot_be_routed_is_refused(void **state)
{
	(void)state;
	modelled_check_refusals(&x, minhop_run);
}

int
main(void)
{
#define T(name) cmocka_unit_test_teardown(name, teardown)
	const struct CMUnitTest tests[] = {
		T(paths_are_the_shortest),
		T(parts_are_routed_each),
		T(a_tree_has_no_credit_loops),
		T(equal_fabrics_have_equal_tables),
		T(what_cannot_be_routed_is_refused),
	};

	return cmocka_run_group_tests_name("sm/route/minhop", tests, NULL, NULL);
}
