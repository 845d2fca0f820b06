/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_origin.c - senders by source LID and by the return path of a directed route.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/ha/origin.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;

static int
origin_setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	return 0;
}

static int
origin_teardown(void **state)
{
	(void)state;
	served_clear(&b);
	return 0;
}

static uint64_t
origin_by_lid(uint16_t lid)
{
	struct dgram d = { .addr = { .lid = lid } };

	d.mad[1] = CLASS_SM_LID;
	return origin_port_guid(&b.net.served, &d);
}

static void
a_master_knows_lids_by_its_plan(void **state)
{
	uint32_t p = served_host(&b, 3);

	(void)state;
	assert_true(origin_by_lid(b.plan.lids.base[p]) == b.s->ports[p].guid);
	assert_int_equal(origin_by_lid(0), 0);
	assert_int_equal(origin_by_lid((uint16_t)(b.plan.lids.top + 1)), 0);
	assert_int_equal(origin_by_lid(MLID_FIRST), 0);
	assert_int_equal(origin_by_lid(LID_PERMISSIVE), 0);
	b.net.served.s = NULL;
	assert_int_equal(origin_by_lid(1), 0);
}

/* A standby has no plan: what ports showed counts, with the LIDs that an LMC adds, where it was read. */
static void
a_standby_knows_lids_as_ports_showed_them(void **state)
{
	uint32_t p = served_host(&b, 3);
	struct port_info info = served_info(&b, p);

	(void)state;
	b.net.served.plan = NULL;
	info.lid = 0x1000;
	info.lmc = 2;
	served_set_info(&b, p, info);
	assert_true(origin_by_lid(0x1000) == b.s->ports[p].guid);
	assert_true(origin_by_lid(0x1003) == b.s->ports[p].guid);
	assert_int_equal(origin_by_lid(0x1004), 0);
	assert_int_equal(origin_by_lid(0x0fff), 0);
	b.s->ports[p].flags &= (uint8_t)~FAB_PORT_INFO;
	assert_int_equal(origin_by_lid(0x1000), 0);
}

/* A datagram from 'port' as it arrives here: the return path has the port by which it entered each node. */
static struct dgram
routed_from(uint32_t port)
{
	struct dgram d = { .addr = { .lid = LID_PERMISSIVE } };
	uint8_t there[DGRAM_PATH_BYTES] = { 0 };
	uint8_t hops = snapshot_port_path(b.s, port, there);
	uint32_t at = b.s->sm_port;

	d.mad[1] = CLASS_SM_DR;
	dgram_set_hop_count(d.mad, hops);
	dgram_set_dr_slid(d.mad, LID_PERMISSIVE);
	dgram_set_dr_dlid(d.mad, LID_PERMISSIVE);
	/* The route from here, walked backwards: the sender's first hop is our last. */
	for (unsigned i = 1; i <= hops; i++) {
		uint32_t out = b.s->nodes[b.s->ports[at].node].first_port + there[i];

		dgram_return_path(d.mad)[hops + 1 - i] = there[i];
		at = b.s->ports[out].peer;
	}
	assert_int_equal(at, port);
	return d;
}

static void
directed_routes_are_walked_back(void **state)
{
	(void)state;
	for (unsigned n = 1; n < 6; n++) {
		struct dgram d = routed_from(served_host(&b, n));

		assert_true(origin_port_guid(&b.net.served, &d) == b.s->ports[served_host(&b, n)].guid);
	}
}

/* Any part of it that cannot be makes the sender unknown. */
static void
impossible_routes_have_no_origin(void **state)
{
	struct dgram good = routed_from(served_host(&b, 5)), d;
	unsigned hops = dgram_hop_count(good.mad);

	(void)state;
	assert_true(hops >= 2);
	d = good;
	dgram_set_hop_count(d.mad, 0);
	assert_int_equal(origin_port_guid(&b.net.served, &d), 0);
	d = good;
	dgram_set_hop_count(d.mad, DGRAM_HOPS_MAX + 1);
	assert_int_equal(origin_port_guid(&b.net.served, &d), 0);
	d = good;
	dgram_set_dr_slid(d.mad, 5);            /* the route began behind a LID-routed part */
	assert_int_equal(origin_port_guid(&b.net.served, &d), 0);
	d = good;
	dgram_set_dr_dlid(d.mad, 5);
	assert_int_equal(origin_port_guid(&b.net.served, &d), 0);
	d = good;
	dgram_return_path(d.mad)[hops - 1] = 0;
	assert_int_equal(origin_port_guid(&b.net.served, &d), 0);
	d = good;
	dgram_return_path(d.mad)[hops - 1] = 200;
	assert_int_equal(origin_port_guid(&b.net.served, &d), 0);
	d = good;
	dgram_return_path(d.mad)[hops]++;       /* not the port of ours that it came in by */
	assert_int_equal(origin_port_guid(&b.net.served, &d), 0);
	d = routed_from(served_host(&b, 1));    /* further than a host: hosts forward nothing */
	memmove(dgram_return_path(d.mad) + 2, dgram_return_path(d.mad) + 1, dgram_hop_count(d.mad));
	dgram_set_hop_count(d.mad, (uint8_t)(dgram_hop_count(d.mad) + 1));
	dgram_return_path(d.mad)[1] = 1;
	assert_int_equal(origin_port_guid(&b.net.served, &d), 0);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, origin_setup, origin_teardown)
	const struct CMUnitTest tests[] = {
		T(a_master_knows_lids_by_its_plan),
		T(a_standby_knows_lids_as_ports_showed_them),
		T(directed_routes_are_walked_back),
		T(impossible_routes_have_no_origin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
