/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_levels.c - the distance of switches from the hosts.
 */
#include <config.h>
#include "fabric/draw/levels.h"
#include "tests/unit/fabric/draw/drawing.h"

static struct plan p;

/* Takes 's'; the levels of its first nodes must be these, and 'top' the highest of all. */
static void
expect(struct snapshot *s, const unsigned *levels, unsigned n, unsigned top)
{
	struct levels l;

	levels_make(s, &l);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(levels_of(&l, &s->nodes[s->ports[small_port(s, i, 0)].node]),
			levels[i]);
	assert_int_equal(l.top, top);
	levels_clear(&l);
	levels_clear(&l); /* twice is fine */
	snapshot_free(s);
}

/* Spines, leaves, hosts; and a switch above the spines. */
static void
tree(void **state)
{
	(void)state;
	expect(drawing_tree(1, 3, 2), (unsigned[]){ 2, 1, 1, 1, 0, 0 }, 6, 2);
	expect(drawing_tree(2, 2, 1), (unsigned[]){ 2, 2, 1, 1, 0, 0 }, 6, 2);
	for (unsigned i = 0; i < 3; i++)
		plan_switch(&p);
	plan_cable(&p, 0, 1);
	plan_cable(&p, 1, 2);
	plan_hosts(&p, 2, 3);
	expect(plan_take(&p), (unsigned[]){ 3, 2, 1, 0, 0, 0 }, 6, 3);
}

/* A spine with four leaves of 'hosts' hosts, and 'own' hosts at the spine. */
static struct snapshot *
lonely(unsigned hosts, unsigned own)
{
	for (unsigned i = 0; i < 5; i++)
		plan_switch(&p);
	for (unsigned leaf = 1; leaf < 5; leaf++) {
		plan_cable(&p, 0, leaf);
		plan_hosts(&p, leaf, hosts);
	}
	plan_hosts(&p, 0, own);
	return plan_take(&p);
}

/* A host at the spine does not make it a leaf as long as the others have many. */
static void
lonely_host(void **state)
{
	static const unsigned spine[] = { 2, 1, 1, 1, 1 }, leaf[] = { 1, 1, 1, 1, 1 };

	(void)state;
	expect(lonely(5, 1), spine, 5, 2);
	expect(lonely(4, 1), leaf, 5, 1);
	expect(lonely(9, 2), spine, 5, 2);
	expect(lonely(8, 2), leaf, 5, 1);
	expect(lonely(5, 0), spine, 5, 2);
}

/* Without hosts, or without a link to any, a switch has level 1. */
static void
apart(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		plan_switch(&p);
	plan_cable(&p, 0, 1);
	plan_cable(&p, 2, 3);
	plan_hosts(&p, 1, 1);
	expect(plan_take(&p), (unsigned[]){ 2, 1, 1, 1, 0 }, 5, 2);
	plan_switch(&p);
	plan_switch(&p);
	plan_cable(&p, 0, 1);
	expect(plan_take(&p), (unsigned[]){ 1, 1 }, 2, 1);
}

/* A row of switches longer than there are levels: the last ones share the highest. */
static void
long_row(void **state)
{
	unsigned levels[300];

	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		plan_switch(&p);
		levels[i] = i < 250 ? i + 1 : 250;
		if (i)
			plan_cable(&p, i - 1, i);
	}
	plan_hosts(&p, 0, 1);
	expect(plan_take(&p), levels, 300, 250);
}

static void
empty(void **state)
{
	struct snapshot s = { .nnodes = 0 };
	struct levels l;

	(void)state;
	levels_make(&s, &l);
	assert_int_equal(l.top, 0);
	levels_clear(&l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tree),
		cmocka_unit_test(lonely_host),
		cmocka_unit_test(apart),
		cmocka_unit_test(long_row),
		cmocka_unit_test(empty),
	};

	return cmocka_run_group_tests_name("fabric/draw/levels", tests, NULL, NULL);
}
