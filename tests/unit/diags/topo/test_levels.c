/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_levels.c - the distance of switches from the hosts.
 */
#include <config.h>
#include "fabric/draw/levels.h"
#include "tests/unit/diags/world.h"

static unsigned
level(struct world *w, uint64_t guid)
{
	struct levels l;
	unsigned r;

	levels_make(w->f.s, &l);
	r = levels_of(&l, world_node(w->f.s, guid));
	levels_clear(&l);
	levels_clear(&l);
	return r;
}

static void
tree(void **state)
{
	struct world *w = *state;

	world_fabric(&w->f, world_star(4, 4));
	assert_int_equal(level(w, 0x1010), 0);
	assert_int_equal(level(w, 0x1000), 1);
	assert_int_equal(level(w, 0x100), 2);
}

/* A host at the spine does not make it a leaf as long as the others have many. */
static void
lonely_host(void **state)
{
	struct world *w = *state;

	world_fabric(&w->f, world_star(4, 5));
	world_unplug(w->f.s, 0x1010, 1);
	world_plug(w->f.s, 0x1010, 1, 0x100, 5);
	assert_int_equal(level(w, 0x100), 2);
	world_fabric(&w->f, world_star(4, 4));
	world_unplug(w->f.s, 0x1010, 1);
	world_plug(w->f.s, 0x1010, 1, 0x100, 5);
	assert_int_equal(level(w, 0x100), 1);
}

/* Without hosts, or without a cable to any, a switch has level 1. */
static void
apart(void **state)
{
	struct world *w = *state;

	world_unplug(w->f.s, 0x500, 1);
	world_unplug(w->f.s, 0x400, 4);
	assert_int_equal(level(w, 0x400), 1);
	world_unplug(w->f.s, 0x200, 1);
	world_unplug(w->f.s, 0x300, 1);
	assert_int_equal(level(w, 0x100), 1);
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
		cmocka_unit_test_setup_teardown(tree, world_begin, world_end),
		cmocka_unit_test_setup_teardown(lonely_host, world_begin, world_end),
		cmocka_unit_test_setup_teardown(apart, world_begin, world_end),
		cmocka_unit_test_setup_teardown(empty, world_begin, world_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
