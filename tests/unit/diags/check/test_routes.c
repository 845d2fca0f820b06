/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_routes.c - forwarding tables: what is not reached, what goes in circles, what was not read.
 */
#include <config.h>
#include "fabric/topo/snapshot_topo.h"
#include "fabric/topo/topo.h"
#include "tests/unit/diags/check/checks.h"

/* The right tables of fake_snapshot(): LIDs are leaf-0 1, host-0 2, host-1 3, spine-0 4, twin 5. */
static const uint8_t leaf_lft[] = { 255, 0, 1, 2, 4, 4 }, spine_lft[] = { 255, 4, 4, 4, 0, 1 };

static void
tables(struct checks *c)
{
	world_lft(c->run.f.s, 0x100, leaf_lft, sizeof(leaf_lft));
	world_lft(c->run.f.s, 0x400, spine_lft, sizeof(spine_lft));
}

static void
healthy(void **state)
{
	struct checks *c = *state;

	tables(c);
	checks_do(c, &check_routes);
	assert_int_equal(c->run.nfindings, 0);
	assert_int_equal(checks_result(c)->end, CHECK_DONE);
}

static void
not_reached(void **state)
{
	struct checks *c = *state;
	struct snapshot *s = c->run.f.s;

	tables(c);
	world_lft(s, 0x100, (const uint8_t[]){ 255, 0, 1, 2, 4, 255 }, 6);
	checks_do(c, &check_routes);
	assert_int_equal(checks_finding(c, "unreachable")->severity, CHECK_ERROR);
	assert_int_equal(
		checks_finding(c, "unreachable")->port[0], world_port(s, 0x100, 0) - s->ports);
	assert_int_equal(
		checks_finding(c, "unreachable")->port[1], world_port(s, 0x500, 1) - s->ports);
	assert_int_equal(checks_value(c, "unreachable", "value"), 255);
	/* A port that the switch does not have is as good as none. */
	world_lft(s, 0x100, (const uint8_t[]){ 255, 0, 1, 2, 4, 99 }, 6);
	checks_do(c, &check_routes);
	assert_int_equal(checks_value(c, "unreachable", "value"), 99);
}

static void
circle(void **state)
{
	struct checks *c = *state;

	tables(c);
	world_lft(c->run.f.s, 0x400, (const uint8_t[]){ 255, 4, 4, 4, 0, 4 }, 6);
	checks_do(c, &check_routes);
	assert_true(checks_count(c, "routing_loop") >= 1);
	assert_int_equal(c->run.nfindings, checks_count(c, "routing_loop"));
	assert_non_null(
		strstr(c->run.findings[0].text, "packets to LID 5 (host-1 port 1) loop: "));
	assert_non_null(strstr(c->run.findings[0].text, "leaf-0 -> spine-0"));
}

/* Before a manager was there no switch has a table: one finding, not one for each pair. */
static void
no_manager(void **state)
{
	struct checks *c = *state;

	checks_do(c, &check_routes);
	assert_int_equal(checks_finding(c, "no_routes")->severity, CHECK_ERROR);
	assert_int_equal(c->run.nfindings, 1);
}

static void
not_read(void **state)
{
	struct checks *c = *state;
	struct fab_node *n;

	tables(c);
	n = world_node(c->run.f.s, 0x400);
	n->lft = NULL;
	n->lft_blocks = 0;
	checks_do(c, &check_routes);
	assert_int_equal(c->run.nfindings, 0);
	assert_int_equal(checks_result(c)->end, CHECK_PARTIAL);
	assert_int_equal(diag_status(&c->d), EXIT_PARTIAL);
	world_load(&c->d);
	checks_do(c, &check_routes);
	assert_int_equal(checks_result(c)->end, CHECK_SKIPPED);
}

/*
 * Three leaves in a ring of cables that run one way round: each hands what is for the others on to
 * the next leaf.  No packet circles, but the links wait for each other.
 */
static void
ring(struct checks *c)
{
	/* LIDs: ring-0 2 and its host 3, ring-1 4, 5, ring-2 6, 7; ports: host 1, next 4. */
	static const uint8_t lft[3][8] = {
		{ 255, 255, 0, 1, 4, 4, 4, 4 },
		{ 255, 255, 4, 4, 0, 1, 4, 4 },
		{ 255, 255, 4, 4, 4, 4, 0, 1 },
	};
	struct topo_builder *b = topo_builder_new();
	uint32_t sw[3], host[3];
	struct snapshot *s;
	struct topo t;
	char name[16];

	for (unsigned i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "ring-%u", i);
		sw[i] = topo_builder_node(b, TOPO_SWITCH, 4, 0x1000 * (i + 1), name);
		snprintf(name, sizeof(name), "host-%u", i);
		host[i] = topo_builder_node(b, TOPO_CA, 1, 0x1000 * (i + 1) + 0x10, name);
		assert_int_equal(topo_builder_cable(b, host[i], 1, sw[i], 1), 0);
	}
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(topo_builder_cable(b, sw[i], 4, sw[(i + 1) % 3], 3), 0);
	assert_int_equal(topo_builder_take(b, &t), 0);
	assert_int_equal(topo_to_snapshot(&t, FAB_NONE, PORT_STATE_ACTIVE, &s), 0);
	topo_clear(&t);
	for (uint32_t i = 0; i < s->nnodes; i++)
		WORLD_SET(&s->ports[s->nodes[i].first_port + i % 2], lid, i + 2);
	for (unsigned i = 0; i < 3; i++)
		world_lft(s, 0x1000 * (i + 1), lft[i], sizeof(lft[i]));
	checks_fabric(c, s);
}

static void
credit_loop(void **state)
{
	struct checks *c = *state;

	ring(c);
	checks_do(c, &check_routes);
	assert_int_equal(c->run.nfindings, 1);
	assert_int_equal(checks_finding(c, "credit_loop")->severity, CHECK_ERROR);
	assert_non_null(strstr(checks_finding(c, "credit_loop")->text, "ring-1"));
	assert_null(strstr(checks_finding(c, "credit_loop")->text, "SL-to-VL"));
	/* With several VLs, SL-to-VL tables may separate the packets. */
	WORLD_SET_ALL(c->run.f.s, operational_vls, 4);
	checks_do(c, &check_routes);
	assert_int_equal(checks_finding(c, "credit_loop")->severity, CHECK_WARNING);
	assert_non_null(strstr(checks_finding(c, "credit_loop")->text, "SL-to-VL"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(healthy, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(not_reached, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(circle, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(no_manager, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(not_read, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(credit_loop, checks_begin, checks_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
