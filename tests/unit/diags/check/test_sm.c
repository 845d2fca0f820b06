/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_sm.c - subnet managers: none, several masters, which are not allowed, and who obeys whom.
 */
#include <config.h>
#include "fabric/snapshot/capture.h"
#include "tests/unit/diags/check/checks.h"

enum { NOT_ACTIVE, DISCOVERING, STANDBY, MASTER };

/* The host has a manager, which answers with these unless 'c' is NULL. */
static void
manager(struct snapshot *s, struct capture *c, uint64_t guid, uint8_t priority, uint8_t sm_state)
{
	struct sm_info i = { .guid = guid + 1, .priority = priority, .state = sm_state };
	struct capture_key k = { .node = (uint32_t)(world_node(s, guid) - s->nodes),
		.port = 1,
		.mgmt_class = CLASS_SM_LID,
		.attr_id = SM_INFO_ID };
	uint8_t data[SM_INFO_BYTES] = { 0 };

	WORLD_SET(world_port(s, guid, 1), capability_mask, PORT_CAP_IS_SM);
	sm_info_encode(data, &i);
	if (c)
		capture_add(c, &k, STATUS_OK, data, sizeof(data));
}

/* All ports obey the LID. */
static void
answers(struct checks *c, struct capture *captured, uint16_t lid)
{
	WORLD_SET_ALL(c->run.f.s, master_sm_lid, lid);
	world_answer(&c->d, fake_snapshot(), captured);
	checks_do(c, &check_sm);
}

static void
one_master(void **state)
{
	struct checks *c = *state;
	struct capture *v = capture_new();

	manager(c->run.f.s, v, 0x200, 5, MASTER);
	manager(c->run.f.s, v, 0x300, 4, STANDBY);
	answers(c, v, 2);
	assert_int_equal(c->run.nfindings, 0);
	assert_string_equal(checks_result(c)->looked, "2 subnet managers, master at host-0 port 1");
}

static void
no_master(void **state)
{
	struct checks *c = *state;
	struct capture *v = capture_new();

	manager(c->run.f.s, v, 0x300, 4, DISCOVERING);
	answers(c, v, 0);
	assert_int_equal(c->run.nfindings, 2);
	assert_int_equal(checks_finding(c, "sm_none")->severity, CHECK_ERROR);
	assert_string_equal(checks_finding(c, "sm_none")->object, "fabric");
	assert_int_equal(checks_finding(c, "sm_discovering")->severity, CHECK_INFO);
}

static void
two_masters(void **state)
{
	struct checks *c = *state;
	struct capture *v = capture_new();

	manager(c->run.f.s, v, 0x200, 5, MASTER);
	manager(c->run.f.s, v, 0x500, 6, MASTER);
	answers(c, v, 2);
	WORLD_SET(world_port(c->run.f.s, 0x500, 1), master_sm_lid, 5);
	checks_do(c, &check_sm);
	assert_int_equal(checks_finding(c, "sm_two_masters")->severity, CHECK_ERROR);
	/* A port that obeys either of them is not told of twice. */
	assert_int_equal(c->run.nfindings, 1);
	WORLD_SET(world_port(c->run.f.s, 0x300, 1), master_sm_lid, 3);
	checks_do(c, &check_sm);
	assert_int_equal(checks_value(c, "sm_lid_differs", "value"), 3);
	assert_int_equal(checks_value(c, "sm_lid_differs", "expected"), 2);
}

static void
rogue(void **state)
{
	struct checks *c = *state;
	struct capture *v = capture_new();

	manager(c->run.f.s, v, 0x200, 5, MASTER);
	manager(c->run.f.s, v, 0x500, 1, STANDBY);
	c->opt.sm_guids = "0x201,501";
	answers(c, v, 2);
	assert_int_equal(c->run.nfindings, 0);
	c->opt.sm_guids = "0x201,x,,";
	checks_do(c, &check_sm);
	assert_int_equal(checks_finding(c, "sm_rogue")->severity, CHECK_ERROR);
	assert_non_null(strstr(checks_finding(c, "sm_rogue")->text, "0x0000000000000501, standby"));
	c->opt.sm_guids = "";
	checks_do(c, &check_sm);
	assert_int_equal(checks_count(c, "sm_rogue"), 2);
}

static void
does_not_answer(void **state)
{
	struct checks *c = *state;
	struct capture *v = capture_new();

	manager(c->run.f.s, v, 0x200, 5, MASTER);
	manager(c->run.f.s, NULL, 0x500, 0, 0);
	c->opt.sm_guids = "0x201";
	answers(c, v, 2);
	assert_int_equal(checks_finding(c, "sm_silent")->severity, CHECK_WARNING);
	assert_non_null(strstr(checks_finding(c, "sm_rogue")->text, "state not known"));
}

static void
priorities(void **state)
{
	struct checks *c = *state;
	struct capture *v = capture_new();

	manager(c->run.f.s, v, 0x200, 5, MASTER);
	manager(c->run.f.s, v, 0x300, 5, STANDBY);
	manager(c->run.f.s, v, 0x500, 6, STANDBY);
	answers(c, v, 2);
	assert_int_equal(c->run.nfindings, 2);
	assert_int_equal(checks_finding(c, "sm_same_priority")->severity, CHECK_INFO);
	assert_int_equal(checks_finding(c, "sm_priority")->severity, CHECK_WARNING);
	assert_int_equal(checks_finding(c, "sm_priority")->port[0],
		world_port(c->run.f.s, 0x500, 1) - c->run.f.s->ports);
}

static void
unlike(void **state)
{
	struct checks *c = *state;
	struct capture *v = capture_new();

	manager(c->run.f.s, v, 0x200, 5, MASTER);
	answers(c, v, 2);
	WORLD_SET(world_port(c->run.f.s, 0x300, 1), gid_prefix, 0x1234);
	WORLD_SET(world_port(c->run.f.s, 0x500, 1), subnet_timeout, 3);
	checks_do(c, &check_sm);
	assert_int_equal(c->run.nfindings, 2);
	assert_int_equal(checks_finding(c, "gid_prefix_differs")->severity, CHECK_ERROR);
	assert_string_equal(json_string_value(json_object_get(
				    checks_finding(c, "gid_prefix_differs")->detail, "value")),
		"0x0000000000001234");
	assert_int_equal(checks_value(c, "subnet_timeout_differs", "value"), 3);
	/* A port that nobody has set up has no prefix to speak of. */
	WORLD_SET(world_port(c->run.f.s, 0x300, 1), lid, 0);
	checks_do(c, &check_sm);
	assert_int_equal(checks_count(c, "gid_prefix_differs"), 0);
}

/* A file without answers: nothing is said of managers, but ports are compared. */
static void
file(void **state)
{
	struct checks *c = *state;

	world_load(&c->d);
	WORLD_SET_ALL(c->run.f.s, master_sm_lid, 2);
	WORLD_SET(world_port(c->run.f.s, 0x300, 1), master_sm_lid, 3);
	checks_do(c, &check_sm);
	assert_int_equal(c->run.nfindings, 1);
	assert_int_equal(checks_value(c, "sm_lid_differs", "expected"), 2);
	assert_non_null(strstr(checks_result(c)->looked, "does not have"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_master, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(no_master, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(two_masters, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(rogue, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(does_not_answer, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(priorities, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(unlike, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(file, checks_begin, checks_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
