/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_multicast.c - multicast tables: circles, pieces, and ports that lead nowhere.
 */
#include <config.h>
#include "fabric/snapshot/capture.h"
#include "tests/unit/diags/check/checks.h"

/* The ports to which a switch sends what is for the first MLID, as a mask. */
static void
sends(struct checks *c, struct capture *v, uint64_t guid, uint16_t ports)
{
	struct fab_node *n = world_node(c->run.f.s, guid);
	struct capture_key k = { .node = (uint32_t)(n - c->run.f.s->nodes),
		.mgmt_class = CLASS_SM_LID,
		.attr_id = MFT_BLOCK_ID };
	uint8_t data[64] = { 0 };

	wire_bits_put(n->switch_info, switch_info_at_mft_cap, switch_info_bits_mft_cap, 32);
	wire_put16(data, ports);
	data[63] = ports ? 0 : 1; /* 32nd MLID, at port 0: a table that is not empty */
	if (v)
		capture_add(v, &k, STATUS_OK, data, sizeof(data));
}

/* Tables of the leaf and the spine, and what the check says. */
static void
tables(struct checks *c, uint16_t leaf, uint16_t spine)
{
	struct capture *v = capture_new();
	struct snapshot *twin = fake_snapshot();

	sends(c, v, 0x100, leaf);
	sends(c, v, 0x400, spine);
	if (world_port(c->run.f.s, 0x100, 3)->peer != FAB_NONE)
		world_plug(twin, 0x100, 3, 0x400, 3);
	world_answer(&c->d, twin, v);
	checks_do(c, &check_multicast);
}
#define PORT(n) (1u << (n))

static void
healthy(void **state)
{
	struct checks *c = *state;

	tables(c, PORT(1) | PORT(2) | PORT(4), PORT(1) | PORT(4));
	assert_int_equal(c->run.nfindings, 0);
	assert_string_equal(checks_result(c)->looked, "1 MLIDs at 2 switches with receivers");
}

static void
dead_port(void **state)
{
	struct checks *c = *state;

	tables(c, PORT(1) | PORT(3) | PORT(4), PORT(1) | PORT(4));
	assert_int_equal(c->run.nfindings, 1);
	assert_int_equal(checks_finding(c, "mcast_dead_port")->severity, CHECK_WARNING);
	assert_string_equal(
		checks_finding(c, "mcast_dead_port")->object, "0xc000-0x0000000000000100/3");
}

static void
one_way(void **state)
{
	struct checks *c = *state;

	tables(c, PORT(1) | PORT(4), PORT(1));
	assert_int_equal(checks_finding(c, "mcast_one_way")->severity, CHECK_ERROR);
	assert_int_equal(checks_finding(c, "mcast_one_way")->port[0],
		world_port(c->run.f.s, 0x100, 4) - c->run.f.s->ports);
	assert_int_equal(c->run.nfindings, 1);
}

static void
split(void **state)
{
	struct checks *c = *state;

	tables(c, PORT(1), PORT(1));
	assert_int_equal(checks_finding(c, "mcast_split")->severity, CHECK_ERROR);
	assert_int_equal(c->run.nfindings, 1);
}

/* A second cable between the two closes a circle. */
static void
circle(void **state)
{
	struct checks *c = *state;

	world_plug(c->run.f.s, 0x100, 3, 0x400, 3);
	tables(c, PORT(1) | PORT(3) | PORT(4), PORT(1) | PORT(3) | PORT(4));
	assert_int_equal(checks_finding(c, "mcast_loop")->severity, CHECK_ERROR);
	assert_int_equal(c->run.nfindings, 1);
}

static void
not_told(void **state)
{
	struct checks *c = *state;
	struct capture *v = capture_new();

	sends(c, v, 0x100, PORT(1));
	sends(c, NULL, 0x400, 0);
	world_answer(&c->d, fake_snapshot(), v);
	checks_do(c, &check_multicast);
	assert_int_equal(checks_result(c)->end, CHECK_PARTIAL);
	assert_string_equal(
		checks_result(c)->looked, "1 switches did not return their multicast tables");
	world_load(&c->d);
	checks_do(c, &check_multicast);
	assert_int_equal(checks_result(c)->end, CHECK_SKIPPED);
}

static void
file_without_answers(void **state)
{
	struct checks *c = *state;

	world_load(&c->d);
	checks_do(c, &check_multicast);
	assert_int_equal(checks_result(c)->end, CHECK_SKIPPED);
	assert_int_equal(diag_status(&c->d), EXIT_OK);
}

/* A switch that says it has no table is not asked; nor is one that did not tell. */
static void
no_table(void **state)
{
	struct checks *c = *state;
	struct snapshot *s = c->run.f.s;

	world_answer(&c->d, fake_snapshot(), capture_new());
	wire_bits_put(world_node(s, 0x100)->switch_info, switch_info_at_mft_cap,
		switch_info_bits_mft_cap, 0);
	world_node(s, 0x400)->flags &= (uint8_t)~FAB_NODE_SWITCH_INFO;
	checks_do(c, &check_multicast);
	assert_int_equal(checks_result(c)->end, CHECK_DONE);
	assert_string_equal(checks_result(c)->looked, "0 MLIDs at 0 switches with receivers");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(healthy, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(dead_port, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(one_way, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(split, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(circle, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(not_told, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(file_without_answers, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(no_table, checks_begin, checks_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
