/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_gmp.c - which ports have a performance agent, and the service level that leads there.
 */
#include <config.h>
#include "diags/fabric/gmp.h"
#include "tests/unit/diags/world.h"

static void
can_ask(void **state)
{
	struct world *w = *state;
	struct fab_port *p = world_port(w->f.s, 0x200, 1), *zero = world_port(w->f.s, 0x100, 0);
	struct fab_node *n = world_node(w->f.s, 0x100);

	assert_true(gmp_can_ask(&w->f, p));
	assert_true(gmp_can_ask(&w->f, world_port(w->f.s, 0x100, 1))); /* with the switch's LID */
	WORLD_SET(p, lid, LID_UCAST_MAX);
	assert_true(gmp_can_ask(&w->f, p));
	WORLD_SET(p, lid, LID_UCAST_MAX + 1);
	assert_false(gmp_can_ask(&w->f, p));
	WORLD_SET(p, lid, 0);
	assert_false(gmp_can_ask(&w->f, p));
	WORLD_SET(p, lid, 2);
	p->flags &= (uint8_t)~FAB_PORT_INFO;
	assert_false(gmp_can_ask(&w->f, p));
	assert_false(gmp_can_ask(&w->f, world_port(w->f.s, 0x200, 0)));
	assert_false(gmp_can_ask(&w->f, zero));
	wire_bits_put(
		n->switch_info, switch_info_at_enhanced_port0, switch_info_bits_enhanced_port0, 1);
	assert_true(gmp_can_ask(&w->f, zero));
	n->flags &= (uint8_t)~FAB_NODE_SWITCH_INFO;
	assert_false(gmp_can_ask(&w->f, zero));
}

/* Before the SA was asked, and where it has no path, the level is 0. */
static void
levels(void **state)
{
	struct world *w = *state;
	struct gmp_levels *l = gmp_levels_new(&w->d, &w->f);
	struct diag_addr a = gmp_addr(l, world_port(w->f.s, 0x500, 1));

	assert_int_equal(a.kind, DIAG_ADDR_LID);
	assert_int_equal(a.lid, 5);
	assert_int_equal(a.sl, 0);
	world_answer(&w->d, fake_snapshot(), NULL);
	assert_int_equal(gmp_levels_ask(l), 0);
	assert_int_equal(gmp_levels_ask(l), 0); /* again: the first ones are given up */
	assert_int_equal(gmp_addr(l, world_port(w->f.s, 0x500, 1)).lid, 5);
	WORLD_SET(world_port(w->f.s, 0x500, 1), lid, 0xffff);
	assert_int_equal(gmp_addr(l, world_port(w->f.s, 0x500, 1)).sl, 0);
	assert_int_equal(diag_status(&w->d), EXIT_OK);
	gmp_levels_free(l);
	gmp_levels_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(can_ask, world_begin, world_end),
		cmocka_unit_test_setup_teardown(levels, world_begin, world_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
