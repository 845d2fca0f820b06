/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_groups.c - joins wait for their tables, and what happens when those cannot be written.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/registry/fixture.h"

static const struct registry_sweep no_sweep;
static const uint8_t mgid[16] = { 0xff, 0x18, [15] = 7 };
static struct fixture f;

static int
registry_groups_setup(void **state)
{
	(void)state;
	fixture_make(&f);
	return 0;
}

static int
registry_groups_teardown(void **state)
{
	(void)state;
	fixture_clear(&f);
	return 0;
}

static bool
is_member(unsigned h)
{
	const struct mcast_group *g = mcast_find(f.reg.mcast, mgid);

	return g && mcast_member(g, fixture_guid(&f, h));
}

static void
join_is_answered_when_its_tables_are_written(void **state)
{
	uint16_t mlid;

	(void)state;
	fixture_join(&f, 1, mgid, &mlid);
	fixture_join(&f, 5, mgid, &mlid);
	fixture_run(&f, no_sweep, false);
	assert_int_equal(fixture_answer(&f), -1);
	assert_true(txn_pending(f.net.txn) > 0);
	fixture_run(&f, no_sweep, true);
	assert_true(f.sets > 0);
	assert_int_equal(fixture_answer(&f), STATUS_OK);
	assert_int_equal(fixture_answer(&f), STATUS_OK);
	assert_int_equal(fixture_answer(&f), -1);
	assert_true(plan_mcast_passes(f.bed.plan.mcast, mlid, fixture_leaf(&f, 1)));
	assert_true(plan_mcast_passes(f.bed.plan.mcast, mlid, fixture_leaf(&f, 5)));
	assert_true(plan_mcast_settled(f.bed.plan.mcast, f.net.tables.mft, mlid));
}

static void
join_is_taken_back_when_a_table_is_refused(void **state)
{
	uint16_t mlid;

	(void)state;
	f.status = STATUS_BAD_VALUE;
	fixture_join(&f, 1, mgid, &mlid);
	fixture_join(&f, 5, mgid, &mlid);
	fixture_run(&f, no_sweep, true);
	assert_int_equal(fixture_answer(&f), STATUS_SA_NO_RESOURCES);
	assert_false(is_member(1));
	assert_true(monotime_reached(f.net.now, f.net.schedule.trap_sweep));
}

/* The verifier has refused the trees of the plan served: nothing of them is written for a join. */
static void
refused_trees_are_not_written_for_a_join(void **state)
{
	struct mcast_plan *p = f.bed.plan.mcast;
	struct mcast_leaf leaves[3];
	uint32_t sw, row;
	uint16_t mlid;

	(void)state;
	fixture_join(&f, 1, mgid, &mlid);
	fixture_run(&f, no_sweep, true);
	assert_int_equal(fixture_answer(&f), STATUS_OK);
	for (unsigned i = 0; i < 3; i++)
		leaves[i] = (struct mcast_leaf){ f.host[i + 1], true, false };
	plan_mcast_group(p, mlid, leaves, 3);           /* as a sweep does it */
	while (plan_mcast_take(p, &sw, &row))
		;
	plan_mcast_refuse(p);
	f.sets = 0;
	fixture_join(&f, 3, mgid, &mlid);
	fixture_run(&f, no_sweep, true);
	assert_int_equal(f.sets, 0);
	assert_int_equal(fixture_answer(&f), STATUS_SA_NO_RESOURCES);
	assert_true(is_member(1));
	assert_false(is_member(3));
}

static void
nothing_is_written_while_paused(void **state)
{
	uint16_t mlid;

	(void)state;
	registry_pause(&f.reg, &f.net, true);
	fixture_join(&f, 1, mgid, &mlid);
	fixture_run(&f, no_sweep, true);
	assert_int_equal(f.sets, 0);
	assert_int_equal(fixture_answer(&f), -1);
	registry_pause(&f.reg, &f.net, false);
	fixture_run(&f, no_sweep, true);
	assert_int_equal(fixture_answer(&f), STATUS_OK);
}

static void
only_a_master_writes(void **state)
{
	uint16_t mlid;

	(void)state;
	f.role = HA_STANDBY;
	fixture_join(&f, 1, mgid, &mlid);
	fixture_run(&f, no_sweep, true);
	assert_int_equal(f.sets, 0);
}

/*
 * The round under way is given up when another plan is served; the join takes part in the next one.
 */
static void
join_outlives_what_is_served(void **state)
{
	uint16_t mlid;

	(void)state;
	fixture_join(&f, 1, mgid, &mlid);
	fixture_run(&f, no_sweep, false);
	assert_true(txn_pending(f.net.txn) > 0);
	registry_leave_served(&f.reg, &f.net);
	registry_swept(&f.reg, &f.net);
	assert_int_equal(fixture_answer(&f), -1);
	fixture_run(&f, no_sweep, true);
	assert_int_equal(fixture_answer(&f), STATUS_OK);
	assert_true(plan_mcast_settled(f.bed.plan.mcast, f.net.tables.mft, mlid));
}

/* A plan that is made and not served yet gets the tree too, or its sweep would cut it. */
static void
coming_plan_gets_the_tree(void **state)
{
	struct plan coming = f.bed.plan;
	uint16_t mlid;

	(void)state;
	fixture_plan(&f, &coming);
	fixture_join(&f, 1, mgid, &mlid);
	fixture_join(&f, 5, mgid, &mlid);
	assert_false(plan_mcast_passes(coming.mcast, mlid, fixture_leaf(&f, 5)));
	fixture_run(&f, (struct registry_sweep){ .plan = &coming }, true);
	assert_true(plan_mcast_passes(coming.mcast, mlid, fixture_leaf(&f, 5)));
	assert_true(plan_mcast_passes(f.bed.plan.mcast, mlid, fixture_leaf(&f, 5)));
}

/* Who joined between the copy for a plan and the plan is in its trees. */
static void
plan_has_members_that_came_since_the_copy(void **state)
{
	struct plan coming = f.bed.plan;
	struct group_trees t = { .v = NULL };
	uint16_t mlid;

	(void)state;
	coming.mcast = plan_mcast_make(f.bed.s, NULL, &f.bed.plan.arena);
	groups_copy(&f.reg, &t);
	fixture_join(&f, 1, mgid, &mlid);
	fixture_join(&f, 5, mgid, &mlid);
	fixture_run(&f, no_sweep, true);
	group_trees_find(&t, f.bed.s);
	group_trees_plan(&t, coming.mcast);
	assert_false(plan_mcast_passes(coming.mcast, mlid, fixture_leaf(&f, 5)));
	groups_plan(&f.reg, &f.net, &coming, &t);
	assert_true(plan_mcast_passes(coming.mcast, mlid, fixture_leaf(&f, 5)));
	assert_int_equal(groups_mft_top(f.bed.s), MLID_FIRST + 1024 - 1);
	group_trees_clear(&t);
}

static void
members_of_ports_that_are_gone_leave(void **state)
{
	uint16_t mlid;

	(void)state;
	fixture_join(&f, 1, mgid, &mlid);
	fixture_join(&f, 5, mgid, &mlid);
	fixture_run(&f, no_sweep, true);
	f.bed.plan.lids.base[f.host[5]] = 0;
	registry_swept(&f.reg, &f.net);
	assert_true(is_member(1));
	assert_false(is_member(5));
}

static void
members_that_lack_the_pkey_leave(void **state)
{
	struct group_trees t = { .v = NULL };
	uint8_t (*blocks)[PKEY_TABLE_BYTES] = arena_array(&f.bed.plan.arena, 1, sizeof(*blocks));
	struct fab_port *p = &f.bed.s->ports[f.host[5]];
	struct sa_index *old = f.net.served.sa;
	uint16_t mlid;

	(void)state;
	fixture_join(&f, 1, mgid, &mlid);
	fixture_join(&f, 5, mgid, &mlid);
	fixture_run(&f, no_sweep, true);
	wire_put16(blocks[0], 0x8123);
	f.bed.s->pkey_blocks = blocks;
	f.bed.s->npkey_blocks = 1;
	p->pkeys = 0;
	p->flags |= FAB_PORT_PKEYS;
	f.net.served.sa = sa_index_new(&(struct sa_view){ .s = f.bed.s, .lids = &f.bed.plan.lids,
		.fwd = &f.bed.plan.fwd, .ready = true });
	sa_index_free(old);
	groups_copy(&f.reg, &t);
	group_trees_check_pkeys(&t, f.bed.s, f.net.served.sa);
	assert_int_equal(t.nlacking, 1);
	groups_check_members(&f.reg, &f.net, &t);
	assert_true(is_member(1));
	assert_false(is_member(5));
	group_trees_clear(&t);
}

static void
reset_wipes_groups_only(void **state)
{
	struct service_record r = { .id = 5, .pkey = 0xffff, .lease_s = SERVICE_LEASE_FOREVER };
	struct service s;
	uint16_t mlid;

	(void)state;
	fixture_subscribe(&f, 2);
	assert_true(alias_put(f.reg.alias, fixture_guid(&f, 3), 1, 0xa1));
	services_set(f.reg.services, &r, fixture_guid(&f, 4), true);
	fixture_join(&f, 1, mgid, &mlid);
	fixture_run(&f, no_sweep, false);
	groups_reset(&f.reg, &f.net, &f.stats);
	assert_null(mcast_find(f.reg.mcast, mgid));
	assert_int_equal(f.stats.silent_not_ready, 1);  /* the join that waited */
	assert_int_equal(inform_count(f.reg.inform), 1);
	assert_int_equal(alias_count(f.reg.alias), 1);
	assert_true(services_at(f.reg.services, 0, &s));
}

int
main(void)
{
#define T(name) \
	cmocka_unit_test_setup_teardown(name, registry_groups_setup, registry_groups_teardown)
	const struct CMUnitTest tests[] = {
		T(join_is_answered_when_its_tables_are_written),
		T(join_is_taken_back_when_a_table_is_refused),
		T(refused_trees_are_not_written_for_a_join),
		T(nothing_is_written_while_paused),
		T(only_a_master_writes),
		T(join_outlives_what_is_served),
		T(coming_plan_gets_the_tree),
		T(plan_has_members_that_came_since_the_copy),
		T(members_of_ports_that_are_gone_leave),
		T(members_that_lack_the_pkey_leave),
		T(reset_wipes_groups_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
