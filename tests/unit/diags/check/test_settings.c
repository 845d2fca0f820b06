/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_settings.c - MTU and VLs at both ends of a link.
 */
#include <config.h>
#include "tests/unit/diags/check/checks.h"

static void
healthy(void **state)
{
	struct checks *c = *state;

	checks_do(c, &check_settings);
	assert_int_equal(c->run.nfindings, 0);
	assert_string_equal(checks_result(c)->looked, "4 links");
}

static void
mtu(void **state)
{
	struct checks *c = *state;
	struct fab_port *p = world_port(c->run.f.s, 0x100, 1),
			*q = world_port(c->run.f.s, 0x200, 1);

	WORLD_SET(q, neighbor_mtu, MTU_CODE_2048);
	checks_do(c, &check_settings);
	assert_int_equal(checks_finding(c, "mtu_mismatch")->severity, CHECK_ERROR);
	assert_int_equal(checks_value(c, "mtu_mismatch", "value"), 4096);
	assert_int_equal(checks_value(c, "mtu_mismatch", "expected"), 2048);
	WORLD_SET(p, neighbor_mtu, MTU_CODE_2048);
	checks_do(c, &check_settings);
	assert_int_equal(checks_finding(c, "mtu_limited")->severity, CHECK_INFO);
	WORLD_SET(q, mtu_cap, MTU_CODE_1024);
	checks_do(c, &check_settings);
	assert_int_equal(checks_finding(c, "mtu_too_large")->severity, CHECK_ERROR);
	assert_int_equal(checks_value(c, "mtu_too_large", "expected"), 1024);
	WORLD_SET(q, mtu_cap, MTU_CODE_2048);
	checks_do(c, &check_settings);
	assert_int_equal(c->run.nfindings, 0);
}

/* Codes that mean no size are shown as 0 bytes. */
static void
bad_codes(void **state)
{
	struct checks *c = *state;

	WORLD_SET(world_port(c->run.f.s, 0x100, 1), neighbor_mtu, 15);
	WORLD_SET(world_port(c->run.f.s, 0x100, 1), operational_vls, 15);
	checks_do(c, &check_settings);
	assert_int_equal(checks_value(c, "mtu_mismatch", "value"), 0);
	assert_int_equal(checks_value(c, "vls_mismatch", "value"), 0);
}

static void
data_vls(void **state)
{
	struct checks *c = *state;
	struct fab_port *p = world_port(c->run.f.s, 0x100, 1),
			*q = world_port(c->run.f.s, 0x200, 1);

	WORLD_SET(p, operational_vls, 4);
	checks_do(c, &check_settings);
	assert_int_equal(checks_finding(c, "vls_mismatch")->severity, CHECK_WARNING);
	assert_int_equal(checks_value(c, "vls_mismatch", "value"), 8);
	assert_int_equal(checks_value(c, "vls_mismatch", "expected"), 1);
	WORLD_SET(p, operational_vls, 5);
	WORLD_SET(q, operational_vls, 5);
	checks_do(c, &check_settings);
	assert_int_equal(checks_finding(c, "vls_too_many")->severity, CHECK_ERROR);
	assert_int_equal(checks_value(c, "vls_too_many", "value"), 15);
	assert_int_equal(checks_value(c, "vls_too_many", "expected"), 8);
}

/* Nobody has set up a link that is not armed. */
static void
not_set_up(void **state)
{
	struct checks *c = *state;

	WORLD_SET(world_port(c->run.f.s, 0x200, 1), neighbor_mtu, MTU_CODE_256);
	WORLD_SET(world_port(c->run.f.s, 0x200, 1), state, PORT_STATE_INIT);
	checks_do(c, &check_settings);
	assert_int_equal(c->run.nfindings, 0);
	WORLD_SET(world_port(c->run.f.s, 0x200, 1), state, PORT_STATE_ARMED);
	checks_do(c, &check_settings);
	assert_int_equal(checks_count(c, "mtu_mismatch"), 1);
}

/* Only between switches: a host that is slow to take its packets harms itself alone. */
static void
endless_wait(void **state)
{
	struct checks *c = *state;

	WORLD_SET_ALL(c->run.f.s, hoq_life, 19);
	checks_do(c, &check_settings);
	assert_int_equal(c->run.nfindings, 0);
	WORLD_SET_ALL(c->run.f.s, hoq_life, 20);
	checks_do(c, &check_settings);
	assert_int_equal(checks_count(c, "hoq_endless"), 2);
	assert_int_equal(c->run.nfindings, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(healthy, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(mtu, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(bad_codes, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(data_vls, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(not_set_up, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(endless_wait, checks_begin, checks_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
