/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_aliases.c - alias GUIDs: requests wait for the GUID table, what ports are found with is in
 * force.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/registry/fixture.h"

enum { ALIAS = 0xa1, OTHER = 0xa2 };

static const struct registry_sweep no_sweep;
static struct fixture f;

static int
registry_aliases_setup(void **state)
{
	(void)state;
	fixture_make(&f);
	return 0;
}

static int
registry_aliases_teardown(void **state)
{
	(void)state;
	fixture_clear(&f);
	return 0;
}

/* Host 'h' gets an alias in entry 1 (0: loses it) as the SA grants it; the answer is held. */
static void
request_alias(unsigned h, uint64_t alias)
{
	struct dgram req = { .addr = { .lid = fixture_lid(&f, h) } };
	struct guid_info_record r = { .lid = fixture_lid(&f, h), .block = 0 };
	uint64_t before[ALIAS_BLOCK_GUIDS];

	guid_info_record_encode(req.mad + SA_HEAD_BYTES, &r);
	aliases_entries_before(&f.reg, &f.net, &req, before);
	assert_true(alias_put(f.reg.alias, fixture_guid(&f, h), 1, alias));
	aliases_hold_answer(&f.reg, &f.net, &req, req.mad, before);
}

static void
assert_event(bool in, uint64_t guid, unsigned h)
{
	struct gid_event e;

	assert_true(gid_events_take(&f.reg.gid_events, &e));
	assert_int_equal(e.in, in);
	assert_true(e.guid == guid);
	assert_true(e.port_guid == fixture_guid(&f, h));
}

static void
request_is_answered_when_its_table_is_written(void **state)
{
	struct gid_event none;

	(void)state;
	fixture_subscribe(&f, 1);
	request_alias(3, ALIAS);
	fixture_run(&f, no_sweep, false);
	assert_int_equal(fixture_answer(&f), -1);
	assert_false(gid_events_take(&f.reg.gid_events, &none));
	fixture_run(&f, no_sweep, true);
	assert_int_equal(f.sets, 1);
	assert_int_equal(fixture_answer(&f), STATUS_OK);
	assert_event(true, ALIAS, 3);
	assert_int_equal(aliases_port(&f.reg, f.bed.s, ALIAS), f.host[3]);
	assert_false(guid_tables_differ(f.bed.plan.guids, f.net.tables.guids, fixture_guid(&f, 3), 0));
}

static void
a_replaced_alias_goes_out_of_service(void **state)
{
	(void)state;
	fixture_subscribe(&f, 1);
	request_alias(3, ALIAS);
	fixture_run(&f, no_sweep, true);
	assert_event(true, ALIAS, 3);
	request_alias(3, OTHER);
	fixture_run(&f, no_sweep, true);
	assert_event(false, ALIAS, 3);
	assert_event(true, OTHER, 3);
	assert_int_equal(aliases_port(&f.reg, f.bed.s, ALIAS), FAB_NONE);
}

static void
request_is_taken_back_when_its_table_is_refused(void **state)
{
	struct gid_event none;

	(void)state;
	fixture_subscribe(&f, 1);
	f.status = STATUS_BAD_VALUE;
	request_alias(3, ALIAS);
	fixture_run(&f, no_sweep, true);
	assert_int_equal(fixture_answer(&f), STATUS_SA_NO_RESOURCES);
	assert_true(alias_owner(f.reg.alias, ALIAS) == 0);
	assert_false(gid_events_take(&f.reg.gid_events, &none));
	assert_true(monotime_reached(f.net.now, f.net.schedule.trap_sweep));
}

static void
no_round_begins_while_a_sweep_writes_guid_tables(void **state)
{
	(void)state;
	request_alias(3, ALIAS);
	fixture_run(&f, (struct registry_sweep){ .writes_guids = true }, true);
	assert_int_equal(f.sets, 0);
	assert_int_equal(fixture_answer(&f), -1);
	fixture_run(&f, no_sweep, true);
	assert_int_equal(fixture_answer(&f), STATUS_OK);
}

static void
request_outlives_what_is_served(void **state)
{
	(void)state;
	request_alias(3, ALIAS);
	fixture_run(&f, no_sweep, false);
	registry_leave_served(&f.reg, &f.net);
	assert_true(guid_tables_differ(f.bed.plan.guids, f.net.tables.guids, fixture_guid(&f, 3), 0));
	fixture_run(&f, no_sweep, true);
	assert_int_equal(fixture_answer(&f), STATUS_OK);
}

static void
what_ports_are_found_with_is_in_force(void **state)
{
	struct guid_row rows[3] = {
		{ .port = f.host[1], .block = 0 }, { .port = f.host[2], .block = 0 },
		{ .port = f.host[3], .block = 1 },
	};

	(void)state;
	wire_put64(rows[0].image, fixture_guid(&f, 1));         /* entry 0: no alias */
	wire_put64(rows[0].image + 8, 0xb1);
	wire_put64(rows[0].image + 16, 0xb2);                   /* of two ports: of neither */
	wire_put64(rows[1].image + 8, 0xb2);
	wire_put64(rows[1].image + 16, fixture_guid(&f, 4));    /* a port's own */
	wire_put64(rows[2].image, 0xb3);                        /* entry 8 */
	aliases_found(&f.reg, &f.net, f.bed.s, rows, 3);
	assert_int_equal(alias_count(f.reg.alias), 2);
	assert_true(alias_owner(f.reg.alias, 0xb1) == fixture_guid(&f, 1));
	assert_true(alias_owner(f.reg.alias, 0xb2) == 0);
	assert_true(alias_owner(f.reg.alias, 0xb3) == fixture_guid(&f, 3));
	assert_true(guid_tables_differ(f.bed.plan.guids, f.net.tables.guids, fixture_guid(&f, 2), 0));
	assert_false(guid_tables_differ(f.bed.plan.guids, f.net.tables.guids, fixture_guid(&f, 3), 1));
}

static void
only_ports_that_were_configured_are_read(void **state)
{
	struct port_info info = bed_port(&f.bed, f.host[2]);
	struct guid_reader *r = aliases_reader(&f.net, f.bed.s);
	struct txn_req q;

	(void)state;
	assert_null(r);                         /* all links are in INIT */
	info.state = 4;
	info.guid_cap = 8;
	bed_show(&f.bed, f.host[2], info);
	r = aliases_reader(&f.net, f.bed.s);
	assert_non_null(r);
	assert_true(guid_reader_next(r, &q));
	assert_int_equal(q.attr_id, GUID_INFO_ID);
	assert_int_equal(q.target, f.bed.s->ports[f.host[2]].node);
	assert_false(guid_reader_next(r, &q));
	guid_reader_free(r);
}

static void
a_port_of_that_guid_has_it(void **state)
{
	(void)state;
	assert_true(alias_put(f.reg.alias, fixture_guid(&f, 3), 1, fixture_guid(&f, 4)));
	assert_true(alias_put(f.reg.alias, fixture_guid(&f, 3), 2, ALIAS));
	aliases_plan(&f.reg, &f.net, f.bed.s);
	assert_true(alias_owner(f.reg.alias, fixture_guid(&f, 4)) == 0);
	assert_true(alias_owner(f.reg.alias, ALIAS) == fixture_guid(&f, 3));
	assert_non_null(strstr(f.said, "a port's own GUID now"));
}

static void
reset_wipes_aliases_only(void **state)
{
	uint32_t groups = mcast_count(f.reg.mcast);

	(void)state;
	fixture_subscribe(&f, 2);
	request_alias(3, ALIAS);
	fixture_run(&f, no_sweep, false);
	aliases_reset(&f.reg, &f.net, &f.stats);
	assert_int_equal(alias_count(f.reg.alias), 0);
	assert_int_equal(f.stats.silent_not_ready, 1);
	assert_int_equal(inform_count(f.reg.inform), 1);
	assert_int_equal(mcast_count(f.reg.mcast), groups);
}

int
main(void)
{
#define T(name) \
	cmocka_unit_test_setup_teardown(name, registry_aliases_setup, registry_aliases_teardown)
	const struct CMUnitTest tests[] = {
		T(request_is_answered_when_its_table_is_written),
		T(a_replaced_alias_goes_out_of_service),
		T(request_is_taken_back_when_its_table_is_refused),
		T(no_round_begins_while_a_sweep_writes_guid_tables),
		T(request_outlives_what_is_served),
		T(what_ports_are_found_with_is_in_force),
		T(only_ports_that_were_configured_are_read),
		T(a_port_of_that_guid_has_it),
		T(reset_wipes_aliases_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
