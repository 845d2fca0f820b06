/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_identity.c - GUIDs and names that two nodes have, or none.
 */
#include <config.h>
#include "tests/unit/diags/check/checks.h"

/* The two hosts of fake_snapshot() that are called "host-1" get names of their own. */
static void
rename_twin(struct checks *c)
{
	memcpy(world_node(c->run.f.s, 0x500)->desc, "host-2", 6);
}

static void
healthy(void **state)
{
	struct checks *c = *state;

	rename_twin(c);
	checks_do(c, &check_identity);
	assert_int_equal(c->run.nfindings, 0);
	assert_string_equal(checks_result(c)->looked, "5 nodes, 5 end ports");
}

static void
same_name(void **state)
{
	struct checks *c = *state;
	struct snapshot *s = c->run.f.s;

	checks_do(c, &check_identity);
	assert_int_equal(c->run.nfindings, 1);
	assert_string_equal(checks_finding(c, "duplicate_name")->object, "host-1");
	assert_int_equal(checks_value(c, "duplicate_name", "value"), 2);
	assert_int_equal(
		checks_finding(c, "duplicate_name")->port[1], world_port(s, 0x500, 0) - s->ports);
	/* Chips of one system may share its name. */
	world_node(s, 0x500)->sys_guid = world_node(s, 0x300)->sys_guid;
	checks_do(c, &check_identity);
	assert_int_equal(c->run.nfindings, 0);
}

/* Several nodes without a description are not "called alike". */
static void
no_name(void **state)
{
	struct checks *c = *state;
	struct snapshot *s = c->run.f.s;

	memset(world_node(s, 0x300)->desc, 0, NODE_DESC_BYTES);
	memset(world_node(s, 0x500)->desc, 0, NODE_DESC_BYTES);
	checks_do(c, &check_identity);
	assert_int_equal(checks_count(c, "no_name"), 2);
	assert_int_equal(c->run.nfindings, 2);
	assert_int_equal(c->run.findings[0].severity, CHECK_INFO);
	/* One that was never read is the business of another check. */
	world_node(s, 0x300)->flags &= (uint8_t)~FAB_NODE_DESC;
	world_node(s, 0x500)->flags &= (uint8_t)~FAB_NODE_DESC;
	checks_do(c, &check_identity);
	assert_int_equal(c->run.nfindings, 0);
}

static void
zeros(void **state)
{
	struct checks *c = *state;
	struct snapshot *s = c->run.f.s;

	rename_twin(c);
	world_port(s, 0x300, 1)->guid = 0;
	world_node(s, 0x200)->sys_guid = 0;
	checks_do(c, &check_identity);
	assert_int_equal(c->run.nfindings, 2);
	assert_int_equal(checks_finding(c, "zero_guid")->severity, CHECK_ERROR);
	assert_int_equal(checks_finding(c, "zero_system_guid")->severity, CHECK_INFO);
	world_node(s, 0x100)->guid = 0;
	checks_do(c, &check_identity);
	assert_int_equal(checks_count(c, "zero_guid"), 2);
}

static void
same_guid(void **state)
{
	struct checks *c = *state;
	struct snapshot *s = c->run.f.s;

	rename_twin(c);
	s->problems = arena_array(&s->arena, 3, sizeof(*s->problems));
	s->nproblems = 3;
	s->problems[0] = (struct fab_problem){ .kind = FAB_DUPLICATE_GUID,
		.guid = 0x300,
		.hop_count = 1,
		.path = { 0, 1 },
		.other_hop_count = 2,
		.other_path = { 0, 1, 2 },
		.reason = "twice" };
	s->problems[1] = (struct fab_problem){
		.kind = FAB_DUPLICATE_GUID, .guid = 0x999, .reason = "two ports"
	};
	s->problems[2] = (struct fab_problem){ .kind = FAB_UNANSWERED, .guid = 0x300 };
	checks_do(c, &check_identity);
	assert_int_equal(checks_count(c, "duplicate_guid"), 2);
	assert_int_equal(c->run.nfindings, 2);
	assert_string_equal(c->run.findings[0].object, "0x0000000000000300");
	assert_non_null(strstr(c->run.findings[0].text, "at the routes 0,1,2 and 0,1"));
	assert_int_equal(c->run.findings[1].port[0], FAB_NONE);
	assert_non_null(strstr(c->run.findings[1].text, "two ports"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(healthy, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(same_name, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(no_name, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(zeros, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(same_guid, checks_begin, checks_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
