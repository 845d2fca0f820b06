/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_registry.c - resets, events of ports that come and go, and MLIDs handed out to be stored.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/registry/fixture.h"

static const uint8_t mgid[16] = { 0xff, 0x18, [15] = 7 };
static struct fixture f;

static int
registry_setup(void **state)
{
	(void)state;
	fixture_make(&f);
	return 0;
}

static int
registry_teardown(void **state)
{
	(void)state;
	fixture_clear(&f);
	return 0;
}

static void
assert_event(bool in, uint64_t guid)
{
	struct gid_event e;

	assert_true(gid_events_take(&f.reg.gid_events, &e));
	assert_int_equal(e.in, in);
	assert_true(e.guid == guid);
}

static void
reset_forgets_all_but_mlids(void **state)
{
	struct service s;
	uint16_t mlid;

	(void)state;
	groups_found(&f.reg, &f.net, f.bed.s);  /* from now on MLIDs are noted */
	fixture_subscribe(&f, 1);
	fixture_join(&f, 2, mgid, &mlid);
	gid_events_note(&f.reg.gid_events, f.reg.inform, (struct gid_event){ 1, 1, true });
	registry_reset(&f.reg, &f.net, &f.stats);
	assert_int_equal(f.stats.silent_not_ready, 1);
	assert_int_equal(inform_count(f.reg.inform), 0);
	assert_null(mcast_find(f.reg.mcast, mgid));
	assert_false(services_at(f.reg.services, 0, &s));
	assert_int_equal(f.reg.gid_events.n, 0);
	assert_int_equal(mgid_map_find(f.reg.mgids, mgid), mlid);
}

/* Ports 2 and 3 had LIDs before and have none now; port 4 is new; port 5 stays. */
static void
ports_come_and_go(void **state)
{
	struct lid_map was = f.bed.plan.lids;
	struct gid_event none;

	(void)state;
	was.base = arena_array(&f.bed.plan.arena, f.bed.s->nports, sizeof(*was.base));
	memcpy(was.base, f.bed.plan.lids.base, f.bed.s->nports * sizeof(*was.base));
	was.base[f.host[4]] = 0;
	f.bed.plan.lids.base[f.host[2]] = f.bed.plan.lids.base[f.host[3]] = 0;
	assert_true(alias_put(f.reg.alias, fixture_guid(&f, 3), 1, 0xa1));
	fixture_subscribe(&f, 2);
	fixture_subscribe(&f, 5);
	registry_compare_ports(&f.reg, &f.net, f.bed.s, &was);
	assert_event(false, fixture_guid(&f, 2));
	assert_event(false, fixture_guid(&f, 3));
	assert_event(false, 0xa1);
	assert_event(true, fixture_guid(&f, 4));
	assert_false(gid_events_take(&f.reg.gid_events, &none));
	assert_int_equal(inform_count(f.reg.inform), 1);
	assert_true(inform_at(f.reg.inform, 0)->port_guid == fixture_guid(&f, 5));
}

static void
without_a_subscription_nothing_is_queued(void **state)
{
	(void)state;
	gid_events_note(&f.reg.gid_events, f.reg.inform, (struct gid_event){ 1, 1, true });
	assert_int_equal(f.reg.gid_events.n, 0);
}

static void
oldest_events_give_way(void **state)
{
	(void)state;
	fixture_subscribe(&f, 1);
	for (uint64_t i = 0; i < GID_EVENTS_MAX + 3; i++)
		gid_events_note(&f.reg.gid_events, f.reg.inform, (struct gid_event){ i, i, true });
	assert_int_equal(f.reg.gid_events.n, GID_EVENTS_MAX);
	for (uint64_t i = 3; i < GID_EVENTS_MAX + 3; i++)
		assert_event(true, i);
}

static void
services_of_ports_that_are_gone_end(void **state)
{
	struct service_record r = { .id = 5, .pkey = 0xffff, .lease_s = SERVICE_LEASE_FOREVER };
	struct service s;

	(void)state;
	services_set(f.reg.services, &r, fixture_guid(&f, 2), true);
	r.id = 6;
	services_set(f.reg.services, &r, fixture_guid(&f, 3), true);
	f.bed.plan.lids.base[f.host[2]] = 0;
	registry_swept(&f.reg, &f.net);
	assert_true(services_at(f.reg.services, 0, &s));
	assert_true(s.rec.id == 6);
	assert_false(services_at(f.reg.services, 1, &s));
}

static void
mlids_are_handed_out_at_intervals(void **state)
{
	static const uint8_t other[16] = { 0xff, 0x18, [15] = 8 };
	const struct mgid_row *rows;
	struct monotime at;
	uint32_t n;

	(void)state;
	assert_false(registry_deadline(&f.reg, &f.net, &at));
	mgid_map_put(f.reg.mgids, mgid, 0xc005);
	assert_true(registry_take_mgids(&f.reg, f.net.now, false, &rows, &n));
	assert_int_equal(n, 1);
	assert_int_equal(rows[0].mlid, 0xc005);
	assert_false(registry_take_mgids(&f.reg, f.net.now, true, &rows, &n)); /* nothing new */
	mgid_map_put(f.reg.mgids, other, 0xc006);
	assert_false(registry_take_mgids(&f.reg, f.net.now, false, &rows, &n)); /* too soon */
	assert_true(registry_deadline(&f.reg, &f.net, &at));
	assert_int_equal(monotime_sub_us(at, f.net.now), 100000);
	assert_true(registry_take_mgids(&f.reg, f.net.now, true, &rows, &n));
	assert_int_equal(n, 2);
	mgid_map_drop(f.reg.mgids, other);
	assert_true(registry_take_mgids(&f.reg, at, false, &rows, &n));
	assert_int_equal(n, 1);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, registry_setup, registry_teardown)
	const struct CMUnitTest tests[] = {
		T(reset_forgets_all_but_mlids),
		T(ports_come_and_go),
		T(without_a_subscription_nothing_is_queued),
		T(oldest_events_give_way),
		T(services_of_ports_that_are_gone_end),
		T(mlids_are_handed_out_at_intervals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
