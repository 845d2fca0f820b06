/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_lids.c - LIDs that are missing, impossible or there twice, and LMCs that differ.
 */
#include <config.h>
#include "tests/unit/diags/check/checks.h"

static void
healthy(void **state)
{
	struct checks *c = *state;

	checks_do(c, &check_lids);
	assert_int_equal(c->run.nfindings, 0);
	assert_string_equal(checks_result(c)->looked, "5 end ports");
}

static void
missing(void **state)
{
	struct checks *c = *state;
	struct fab_port *p = world_port(c->run.f.s, 0x200, 1);

	WORLD_SET(p, lid, 0);
	checks_do(c, &check_lids);
	assert_int_equal(checks_finding(c, "no_lid")->severity, CHECK_ERROR);
	assert_int_equal(checks_finding(c, "no_lid")->port[0], p - c->run.f.s->ports);
	assert_int_equal(c->run.nfindings, 1);
	/* Nothing is said of a port that did not tell. */
	p->flags &= (uint8_t)~FAB_PORT_INFO;
	checks_do(c, &check_lids);
	assert_int_equal(c->run.nfindings, 0);
}

static void
impossible(void **state)
{
	struct checks *c = *state;
	struct fab_port *p = world_port(c->run.f.s, 0x200, 1);

	WORLD_SET(p, lid, LID_UCAST_MAX);
	checks_do(c, &check_lids);
	assert_int_equal(c->run.nfindings, 0);
	WORLD_SET(p, lid, LID_UCAST_MAX + 1);
	checks_do(c, &check_lids);
	assert_int_equal(checks_finding(c, "bad_lid")->severity, CHECK_ERROR);
	WORLD_SET(p, lid, 66);
	WORLD_SET(p, lmc, 2);
	checks_do(c, &check_lids);
	assert_non_null(strstr(checks_finding(c, "bad_lid")->text, "not a multiple of 4"));
	WORLD_SET(p, lid, 68);
	checks_do(c, &check_lids);
	assert_int_equal(checks_count(c, "bad_lid"), 0);
}

/* A range that begins inside another one is a duplicate, however far from its first LID. */
static void
twice(void **state)
{
	struct checks *c = *state;
	struct fab_port *p = world_port(c->run.f.s, 0x200, 1),
			*q = world_port(c->run.f.s, 0x300, 1);

	WORLD_SET(p, lid, 16);
	WORLD_SET(q, lid, 16);
	checks_do(c, &check_lids);
	assert_int_equal(checks_value(c, "duplicate_lid", "value"), 16);
	WORLD_SET(p, lmc, 3);
	WORLD_SET(q, lid, 23);
	checks_do(c, &check_lids);
	assert_int_equal(checks_value(c, "duplicate_lid", "value"), 23);
	WORLD_SET(q, lid, 24);
	checks_do(c, &check_lids);
	assert_int_equal(checks_count(c, "duplicate_lid"), 0);
}

/* Of three in one range both later ones clash with the first, also when they are apart. */
static void
range_of_several(void **state)
{
	struct checks *c = *state;

	WORLD_SET(world_port(c->run.f.s, 0x200, 1), lid, 16);
	WORLD_SET(world_port(c->run.f.s, 0x200, 1), lmc, 3);
	WORLD_SET(world_port(c->run.f.s, 0x300, 1), lid, 18);
	WORLD_SET(world_port(c->run.f.s, 0x500, 1), lid, 22);
	checks_do(c, &check_lids);
	assert_int_equal(checks_count(c, "duplicate_lid"), 2);
}

static void
differing_lmc(void **state)
{
	struct checks *c = *state;

	WORLD_SET(world_port(c->run.f.s, 0x500, 1), lid, 64);
	WORLD_SET(world_port(c->run.f.s, 0x500, 1), lmc, 1);
	checks_do(c, &check_lids);
	assert_int_equal(c->run.nfindings, 1);
	assert_int_equal(checks_finding(c, "lmc_differs")->severity, CHECK_WARNING);
	assert_int_equal(checks_value(c, "lmc_differs", "value"), 1);
	assert_int_equal(checks_value(c, "lmc_differs", "expected"), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(healthy, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(missing, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(impossible, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(twice, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(range_of_several, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(differing_lmc, checks_begin, checks_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
