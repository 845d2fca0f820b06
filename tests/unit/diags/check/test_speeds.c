/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_speeds.c - links that are slow, narrow, limited, or below others of their kind.
 */
#include <config.h>
#include "tests/unit/diags/check/checks.h"

#define EXT_UP_TO_EDR (LINK_SPEED_EXT_FDR | LINK_SPEED_EXT_EDR)

static const char *
detail_text(const struct checks *c, const char *code, const char *member)
{
	return json_string_value(json_object_get(checks_finding(c, code)->detail, member));
}

static void
healthy(void **state)
{
	struct checks *c = *state;

	checks_do(c, &check_speeds);
	assert_int_equal(c->run.nfindings, 0);
	assert_string_equal(checks_result(c)->looked, "4 links");
}

static void
slow(void **state)
{
	struct checks *c = *state;
	struct fab_port *p = world_port(c->run.f.s, 0x100, 1),
			*q = world_port(c->run.f.s, 0x200, 1);

	WORLD_SET(p, speed_ext_active, LINK_SPEED_EXT_EDR);
	checks_do(c, &check_speeds);
	assert_int_equal(checks_finding(c, "speed_mismatch")->severity, CHECK_ERROR);
	assert_int_equal(c->run.nfindings, 1);
	WORLD_SET(q, speed_ext_active, LINK_SPEED_EXT_EDR);
	checks_do(c, &check_speeds);
	assert_int_equal(checks_finding(c, "speed_slow")->severity, CHECK_WARNING);
	assert_string_equal(detail_text(c, "speed_slow", "value"), "EDR");
	assert_string_equal(detail_text(c, "speed_slow", "expected"), "HDR");
	WORLD_SET(q, speed_ext_enabled, EXT_UP_TO_EDR);
	checks_do(c, &check_speeds);
	assert_string_equal(detail_text(c, "speed_limited", "expected"), "HDR");
	assert_non_null(
		strstr(checks_finding(c, "speed_limited")->text, "not enabled at host-0 port 1"));
	WORLD_SET(p, speed_ext_enabled, EXT_UP_TO_EDR);
	checks_do(c, &check_speeds);
	assert_non_null(
		strstr(checks_finding(c, "speed_limited")->text, "not enabled at both ends"));
	/* What one end cannot do is no fault. */
	WORLD_SET(q, speed_ext_supported, EXT_UP_TO_EDR);
	checks_do(c, &check_speeds);
	assert_int_equal(c->run.nfindings, 0);
}

static void
narrow(void **state)
{
	struct checks *c = *state;
	struct fab_port *p = world_port(c->run.f.s, 0x100, 1),
			*q = world_port(c->run.f.s, 0x200, 1);

	WORLD_SET(p, width_active, LINK_WIDTH_1X);
	checks_do(c, &check_speeds);
	assert_int_equal(checks_finding(c, "width_mismatch")->severity, CHECK_ERROR);
	WORLD_SET(q, width_active, LINK_WIDTH_1X);
	checks_do(c, &check_speeds);
	assert_string_equal(detail_text(c, "width_narrow", "value"), "1x");
	assert_string_equal(detail_text(c, "width_narrow", "expected"), "4x");
	WORLD_SET(p, width_enabled, LINK_WIDTH_1X);
	checks_do(c, &check_speeds);
	assert_non_null(
		strstr(checks_finding(c, "width_limited")->text, "not enabled at leaf-0 port 1"));
	WORLD_SET(p, width_supported, LINK_WIDTH_1X);
	checks_do(c, &check_speeds);
	assert_int_equal(c->run.nfindings, 0);
}

/* A host that can no more than EDR, and its link. */
static void
make_slow(struct snapshot *s, unsigned h)
{
	struct fab_port *host = world_port(s, 0x1000 + 0x10 * h, 1);

	WORLD_SET(host, speed_ext_supported, EXT_UP_TO_EDR);
	WORLD_SET(host, speed_ext_enabled, EXT_UP_TO_EDR);
	WORLD_SET(host, speed_ext_active, LINK_SPEED_EXT_EDR);
	WORLD_SET(world_port(s, 0x1000, (uint8_t)h), speed_ext_active, LINK_SPEED_EXT_EDR);
}

/* One link of EDR whose like run at HDR. */
static void
below(struct checks *c, unsigned hosts)
{
	struct snapshot *s = world_star(1, hosts);

	make_slow(s, 1);
	checks_fabric(c, s);
	checks_do(c, &check_speeds);
}

static void
below_others(void **state)
{
	struct checks *c = *state;

	below(c, 4);
	assert_int_equal(c->run.nfindings, 0);
	below(c, 5);
	assert_int_equal(c->run.nfindings, 1);
	assert_int_equal(checks_value(c, "rate_below_others", "value"), 100);
	assert_int_equal(checks_value(c, "rate_below_others", "expected"), 200);
	/* Topology files tell rates, but not what ports could. */
	c->run.f.drawn = true;
	checks_do(c, &check_speeds);
	assert_int_equal(checks_count(c, "rate_below_others"), 1);
}

/* When more than a quarter is slower nothing is usual. */
static void
mixed(void **state)
{
	struct checks *c = *state;
	struct snapshot *s = world_star(1, 6);

	make_slow(s, 1);
	make_slow(s, 2);
	checks_fabric(c, s);
	checks_do(c, &check_speeds);
	assert_int_equal(c->run.nfindings, 0);
}

/* Codes that no specification has are no speed, and nothing is compared. */
static void
unknown_codes(void **state)
{
	struct checks *c = *state;

	WORLD_SET_ALL(c->run.f.s, speed_ext_active, 0);
	WORLD_SET_ALL(c->run.f.s, speed_active, 8);
	WORLD_SET_ALL(c->run.f.s, width_active, 0x80);
	checks_do(c, &check_speeds);
	assert_int_equal(checks_count(c, "speed_mismatch"), 0);
	assert_int_equal(checks_count(c, "speed_slow"), 0);
	assert_int_equal(checks_count(c, "width_narrow"), 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(healthy, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(slow, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(narrow, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(below_others, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(mixed, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(unknown_codes, checks_begin, checks_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
