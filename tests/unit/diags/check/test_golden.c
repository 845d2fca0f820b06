/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_golden.c - the differences between a fabric and its plan as findings.
 */
#include <config.h>
#include "tests/unit/diags/check/checks.h"

static void
with_plan(struct checks *c)
{
	c->opt.golden = "plan.topo";
	world_fabric(&c->run.golden, fake_snapshot());
	WORLD_SET_ALL(c->run.golden.s, width_supported, LINK_WIDTH_1X | LINK_WIDTH_4X);
}

static void
not_asked(void **state)
{
	struct checks *c = *state;

	checks_do(c, &check_golden);
	assert_int_equal(checks_result(c)->end, CHECK_NOT_ASKED);
	assert_int_equal(c->run.nfindings, 0);
}

static void
as_planned(void **state)
{
	struct checks *c = *state;

	with_plan(c);
	checks_do(c, &check_golden);
	assert_int_equal(c->run.nfindings, 0);
	assert_int_equal(checks_result(c)->end, CHECK_DONE);
	assert_string_equal(checks_result(c)->looked, "4 of 4 links of the plan exist");
}

/* Cables that are missing have no end in the fabric: the object tells which. */
static void
missing(void **state)
{
	struct checks *c = *state;
	uint64_t id;

	with_plan(c);
	world_unplug(c->run.f.s, 0x200, 1);
	checks_do(c, &check_golden);
	assert_int_equal(c->run.nfindings, 1);
	assert_int_equal(checks_finding(c, "cable_missing")->severity, CHECK_ERROR);
	assert_int_equal(checks_finding(c, "cable_missing")->port[0], FAB_NONE);
	assert_string_equal(checks_result(c)->looked, "3 of 4 links of the plan exist");
	id = checks_finding(c, "cable_missing")->id;
	checks_do(c, &check_golden);
	assert_int_equal(checks_finding(c, "cable_missing")->id, id);
}

static void
not_planned(void **state)
{
	struct checks *c = *state;
	const struct snapshot *s = c->run.f.s;

	with_plan(c);
	world_unplug(c->run.golden.s, 0x200, 1);
	checks_do(c, &check_golden);
	assert_int_equal(c->run.nfindings, 1);
	assert_int_not_equal(checks_finding(c, "cable_extra")->port[0], FAB_NONE);
	assert_int_equal(s->ports[checks_finding(c, "cable_extra")->port[0]].peer,
		checks_finding(c, "cable_extra")->port[1]);
}

static void
slower(void **state)
{
	struct checks *c = *state;

	with_plan(c);
	WORLD_SET(world_port(c->run.f.s, 0x100, 1), speed_ext_active, LINK_SPEED_EXT_EDR);
	WORLD_SET(world_port(c->run.f.s, 0x200, 1), speed_ext_active, LINK_SPEED_EXT_EDR);
	checks_do(c, &check_golden);
	assert_int_equal(c->run.nfindings, 1);
	assert_string_equal(c->run.findings[0].code, "cable_speed");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(not_asked, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(as_planned, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(missing, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(not_planned, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(slower, checks_begin, checks_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
