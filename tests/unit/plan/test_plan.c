/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_plan.c - the wanted PortInfo and SwitchInfo: what the parts of a plan add to the image that
 * was received.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/diff/bed.h"
#include "util/bits.h"
#include "util/xalloc.h"

static struct bed b;

static int
setup(void **state)
{
	(void)state;
	bed_make(&b);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	bed_clear(&b);
	return 0;
}

static void
set_capability(uint32_t port, uint32_t bit)
{
	struct port_info pi = bed_port(&b, port);

	pi.capability_mask |= bit;
	bed_show(&b, port, pi);
}

static struct port_info
wanted(uint32_t port)
{
	struct port_info want;

	assert_true(plan_port_wanted(&b.plan, port, &want));
	return want;
}

static void
no_plan_is_freed_without_harm(void **state)
{
	struct plan *p = xcalloc(1, sizeof(*p));

	(void)state;
	plan_free(NULL);
	arena_alloc(&p->arena, 100);
	arena_alloc(&p->fwd_arena, 100);
	plan_free(p);                   /* with all that its arenas own */
}

static void
ports_without_link_or_image_are_left_alone(void **state)
{
	struct port_info want;

	(void)state;
	assert_true(plan_port_wanted(&b.plan, b.leaf, &want));
	b.s->ports[b.leaf].flags &= (uint8_t)~FAB_PORT_INFO;
	assert_false(plan_port_wanted(&b.plan, b.leaf, &want));
	b.s->ports[b.leaf].flags |= FAB_PORT_INFO;
	b.s->ports[b.leaf].peer = FAB_NONE;
	assert_false(plan_port_wanted(&b.plan, b.leaf, &want));
}

static void
the_lids_of_the_plan_are_wanted(void **state)
{
	struct port_info want = wanted(b.host);

	(void)state;
	assert_int_equal(want.lid, b.plan.lids.base[b.host]);
	assert_int_equal(want.master_sm_lid, b.plan.sm_lid);
}

/* Only hosts that know ClientReregister are asked, and only those of the plan. */
static void
clients_register_again_where_the_plan_says_so(void **state)
{
	uint64_t *again = arena_array(&b.plan.arena, BITS_WORDS(b.s->nports), sizeof(*again));
	uint32_t port0 = b.s->nodes[b.s->ports[b.leaf].node].first_port;

	(void)state;
	set_capability(b.host, PORT_CAP_CLIENT_REREGISTRATION);
	set_capability(port0, PORT_CAP_CLIENT_REREGISTRATION);
	assert_false(wanted(b.host).client_reregister);
	b.plan.reregister = again;
	assert_false(wanted(b.host).client_reregister);
	bits_set(again, b.host);
	bits_set(again, port0);
	assert_true(wanted(b.host).client_reregister);
	assert_false(wanted(port0).client_reregister);
}

static void
hosts_that_cannot_register_again_are_not_asked(void **state)
{
	uint64_t *again = arena_array(&b.plan.arena, BITS_WORDS(b.s->nports), sizeof(*again));

	(void)state;
	bits_set(again, b.host);
	b.plan.reregister = again;
	assert_false(wanted(b.host).client_reregister);
}

/* Switch ports enforce partitions as planned; hosts and port 0 never do. */
static void
partitions_are_enforced_at_switch_ports(void **state)
{
	uint32_t port0 = b.s->nodes[b.s->ports[b.leaf].node].first_port;
	uint8_t *enforce = arena_alloc(&b.plan.arena, b.s->nports);

	(void)state;
	b.plan.pkeys = (struct pkey_plan){ .nports = b.s->nports, .enforce = enforce };
	enforce[b.leaf] = CONF_ENFORCE_IN;
	enforce[b.host] = enforce[port0] = CONF_ENFORCE_IN | CONF_ENFORCE_OUT;
	assert_true(wanted(b.leaf).partition_enforce_in);
	assert_false(wanted(b.leaf).partition_enforce_out);
	enforce[b.leaf] = CONF_ENFORCE_OUT;
	assert_false(wanted(b.leaf).partition_enforce_in);
	assert_true(wanted(b.leaf).partition_enforce_out);
	assert_false(wanted(b.host).partition_enforce_in);
	assert_false(wanted(port0).partition_enforce_in);
}

/* Without a partition plan, what the port shows stays. */
static void
enforcement_stays_without_a_partition_plan(void **state)
{
	struct port_info pi = bed_port(&b, b.leaf);

	(void)state;
	pi.partition_enforce_in = 1;
	bed_show(&b, b.leaf, pi);
	assert_true(wanted(b.leaf).partition_enforce_in);
}

static void
the_high_limit_is_that_of_the_families(void **state)
{
	struct port_info pi = bed_port(&b, b.host);

	(void)state;
	pi.vl_high_limit = 77;
	bed_show(&b, b.host, pi);
	assert_int_equal(wanted(b.host).vl_high_limit, 77);
	bed_lanes(&b, false);
	assert_int_equal(wanted(b.host).vl_high_limit, qos_plan_high_limit(&b.plan.qos, b.host));
	assert_int_not_equal(wanted(b.host).vl_high_limit, 77);
}

static void
show_switch(uint32_t sw, struct switch_info si)
{
	switch_info_encode(b.s->nodes[b.s->switches[sw]].switch_info, &si);
}

static void
a_switch_gets_its_top_lid_and_life_time(void **state)
{
	struct switch_info si = { .lft_cap = 1000, .lft_top = 3, .default_mcast_primary = 9,
		.mft_top = 0xc005 };
	struct switch_info want;

	(void)state;
	show_switch(0, si);
	want = plan_switch_wanted(&b.plan, 0);
	assert_int_equal(want.lft_top, b.plan.fwd.top);
	assert_int_equal(want.life_time, b.plan.packet_life_time);
	assert_int_equal(want.lft_cap, 1000);           /* the rest stays */
	assert_int_equal(want.default_mcast_primary, 9);
	assert_int_equal(want.mft_top, 0xc005);
}

/* Writing 1 clears the bit that was seen; a change that came since is not cleared. */
static void
a_change_that_was_seen_is_cleared(void **state)
{
	struct switch_info si = { .lft_cap = 1000, .port_state_change = 1 };

	(void)state;
	show_switch(0, si);
	assert_true(plan_switch_wanted(&b.plan, 0).port_state_change);
	si.port_state_change = 0;
	show_switch(0, si);
	assert_false(plan_switch_wanted(&b.plan, 0).port_state_change);
}

/* Only a switch with multicast that knows MulticastFDBTop gets one. */
static void
mft_top_is_set_where_it_is_known(void **state)
{
	struct switch_info si = { .lft_cap = 1000, .mft_cap = 1024, .mft_top = 0xc001 };
	uint32_t port0 = b.s->nodes[b.s->switches[0]].first_port;

	(void)state;
	show_switch(0, si);
	b.plan.mft_top = 0xc3ff;
	assert_int_equal(plan_switch_wanted(&b.plan, 0).mft_top, 0xc001);
	set_capability(port0, PORT_CAP_MFT_TOP);
	assert_int_equal(plan_switch_wanted(&b.plan, 0).mft_top, 0xc3ff);
	b.plan.mft_top = 0;
	assert_int_equal(plan_switch_wanted(&b.plan, 0).mft_top, 0xc001);
	b.plan.mft_top = 0xc3ff;
	si.mft_cap = 0;
	show_switch(0, si);
	assert_int_equal(plan_switch_wanted(&b.plan, 0).mft_top, 0xc001);
}

/* Of the step nothing is left; the tables stay. */
static void
a_step_ends(void **state)
{
	struct fwd_rows *from = fwd_rows_new(64), *turns = fwd_rows_new(64);

	(void)state;
	b.plan.step = (struct plan_step){ .from = fwd_rows_hold(from),
		.turns = fwd_rows_hold(turns), .nblocks = 1 };
	b.plan.fwd.rows = fwd_rows_hold(from);
	plan_end_step(&b.plan);
	assert_null(b.plan.step.from);
	assert_null(b.plan.step.turns);
	assert_int_equal(b.plan.step.nblocks, 0);
	assert_false(fwd_rows_shared(turns));
	assert_true(fwd_rows_shared(from));
	plan_end_step(&b.plan);
	fwd_rows_drop(b.plan.fwd.rows);
	b.plan.fwd.rows = NULL;
	assert_false(fwd_rows_shared(from));
	fwd_rows_drop(from);
	fwd_rows_drop(turns);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(no_plan_is_freed_without_harm),
		T(ports_without_link_or_image_are_left_alone),
		T(the_lids_of_the_plan_are_wanted),
		T(clients_register_again_where_the_plan_says_so),
		T(hosts_that_cannot_register_again_are_not_asked),
		T(partitions_are_enforced_at_switch_ports),
		T(enforcement_stays_without_a_partition_plan),
		T(the_high_limit_is_that_of_the_families),
		T(a_switch_gets_its_top_lid_and_life_time),
		T(a_change_that_was_seen_is_cleared),
		T(mft_top_is_set_where_it_is_known),
		T(a_step_ends),
	};

	return cmocka_run_group_tests_name("sm/plan/plan", tests, NULL, NULL);
}
