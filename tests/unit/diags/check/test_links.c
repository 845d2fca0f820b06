/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_links.c - ports without a link where similar ports have one, and links that are not active.
 */
#include <config.h>
#include "tests/unit/diags/check/checks.h"

static void
healthy(void **state)
{
	struct checks *c = *state;

	checks_do(c, &check_links);
	assert_int_equal(c->run.nfindings, 0);
	assert_string_equal(checks_result(c)->looked, "4 links");
}

/* The free port that all leaves have is no finding; a free port that only one has is. */
static void
down(void **state)
{
	struct checks *c = *state;
	const struct check_finding *x;
	struct snapshot *s;

	checks_fabric(c, world_star(4, 3));
	s = c->run.f.s;
	checks_do(c, &check_links);
	assert_int_equal(c->run.nfindings, 0);
	world_unplug(s, 0x2000, 2);
	checks_do(c, &check_links);
	assert_int_equal(checks_count(c, "link_down"), 2); /* and the host */
	x = c->run.findings[0].port[0] == world_port(s, 0x2000, 2) - s->ports ? c->run.findings :
										c->run.findings + 1;
	assert_int_equal(x->port[0], world_port(s, 0x2000, 2) - s->ports);
	assert_int_equal(x->severity, CHECK_WARNING);
	assert_non_null(strstr(x->text, "3 of 3 other devices"));
	/* What is up but has no peer is behind a node that did not answer. */
	WORLD_SET(world_port(s, 0x2000, 2), phys_state, PHYS_STATE_LINK_UP);
	checks_do(c, &check_links);
	assert_int_equal(checks_count(c, "link_down"), 1);
}

static void
port_disabled(void **state)
{
	struct checks *c = *state;

	checks_fabric(c, world_star(4, 3));
	world_unplug(c->run.f.s, 0x2000, 2);
	WORLD_SET(world_port(c->run.f.s, 0x2000, 2), phys_state, PHYS_STATE_DISABLED);
	checks_do(c, &check_links);
	assert_int_equal(checks_finding(c, "port_disabled")->severity, CHECK_WARNING);
	assert_string_equal(checks_result(c)->looked, "15 links; 1 port is disabled");
}

/* Too few of a kind, or too few with a link there, say nothing. */
static void
few(void **state)
{
	struct checks *c = *state;

	checks_fabric(c, world_star(2, 1));
	world_unplug(c->run.f.s, 0x2000, 1);
	checks_do(c, &check_links);
	assert_int_equal(checks_count(c, "link_down"), 0);
	checks_fabric(c, world_star(4, 3));
	world_unplug(c->run.f.s, 0x1000, 1);
	world_unplug(c->run.f.s, 0x2000, 1);
	checks_do(c, &check_links);
	for (size_t i = 0; i < c->run.nfindings; i++)
		assert_false(fab_is_switch(
			fab_node_of(&c->run.f, &c->run.f.s->ports[c->run.findings[i].port[0]])));
}

/* A plan knows which links there should be. */
static void
with_plan(void **state)
{
	struct checks *c = *state;

	checks_fabric(c, world_star(4, 3));
	world_unplug(c->run.f.s, 0x2000, 2);
	c->opt.golden = "plan.topo";
	checks_do(c, &check_links);
	assert_int_equal(c->run.nfindings, 0);
}

static void
not_active(void **state)
{
	struct checks *c = *state;
	struct snapshot *s = c->run.f.s;

	WORLD_SET(world_port(s, 0x200, 1), state, PORT_STATE_INIT);
	checks_do(c, &check_links);
	assert_int_equal(checks_finding(c, "link_not_active")->severity, CHECK_ERROR);
	assert_null(strstr(checks_finding(c, "link_not_active")->text, "no subnet manager"));
	WORLD_SET(world_port(s, 0x100, 1), state, PORT_STATE_INIT);
	checks_do(c, &check_links);
	assert_non_null(strstr(checks_finding(c, "link_not_active")->text, "no subnet manager"));
	/* A topology file does not tell states. */
	c->run.f.drawn = true;
	checks_do(c, &check_links);
	assert_int_equal(c->run.nfindings, 0);
}

/* A state that has no name is shown all the same. */
static void
unknown_state(void **state)
{
	struct checks *c = *state;

	WORLD_SET(world_port(c->run.f.s, 0x200, 1), state, 15);
	checks_do(c, &check_links);
	assert_non_null(strstr(checks_finding(c, "link_not_active")->text, "?"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(healthy, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(down, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(port_disabled, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(few, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(with_plan, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(not_active, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(unknown_state, checks_begin, checks_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
