/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_traps.c - what a trap says is worth a look, and who may silence it.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/notify/notify.h"
#include "tests/unit/registry/fixture.h"

enum { TRAP_TID = 77, TYPE_URGENT = 1, NO_LID = 0xbff0 };

static struct fixture f;
static struct notify t;

static int
notify_traps_setup(void **state)
{
	(void)state;
	fixture_make(&f);
	notify_begin(&t);
	return 0;
}

static int
notify_traps_teardown(void **state)
{
	(void)state;
	notify_free(&t);
	fixture_clear(&f);
	return 0;
}

/* A generic trap from a LID; the details are those of traps 129-131 and 144 about 'about'. */
static struct dgram
make_trap(uint16_t number, uint16_t from, uint16_t about)
{
	struct dgram d = { .bytes = DGRAM_BYTES, .addr = { .lid = from } };

	dgram_head_encode(d.mad, &(struct dgram_head){ .base_version = 1, .class_version = 1,
		.mgmt_class = CLASS_SM_LID, .method = METHOD_TRAP, .tid = TRAP_TID, .attr_id = 2 });
	d.mad[64] = 0x80 | TYPE_URGENT;
	wire_put16(d.mad + 68, number);
	wire_put16(d.mad + 70, from);
	wire_put16(d.mad + 76, about);
	return d;
}

static struct trap_look
send_trap(struct dgram d)
{
	return notify_trap(&t, &f.reg, &f.net, &d);
}

static uint16_t
leaf_lid(unsigned host)
{
	const struct snapshot *s = f.bed.s;
	uint32_t leaf = s->ports[s->ports[f.host[host]].peer].node;

	return f.bed.plan.lids.base[s->nodes[leaf].first_port];
}

static uint32_t
leaf_node(unsigned host)
{
	return f.bed.s->ports[f.bed.s->ports[f.host[host]].peer].node;
}

static void
link_change_is_looked_at_in_its_switch(void **state)
{
	struct trap_look l = send_trap(make_trap(128, leaf_lid(5), 0));

	(void)state;
	assert_int_equal(l.kind, TRAP_LOOK_SWITCH);
	assert_int_equal(l.node, leaf_node(5));
	assert_int_equal(l.tid, TRAP_TID);
	assert_non_null(strstr(l.why, "128"));
	l = send_trap(make_trap(128, NO_LID, 0));       /* of a switch that is not served */
	assert_int_equal(l.kind, TRAP_LOOK_SUBNET);
}

static void
forged_trap_is_looked_at_and_counted(void **state)
{
	struct dgram d = make_trap(128, leaf_lid(5), 0);
	struct trap_look l;

	(void)state;
	d.addr.lid = fixture_lid(&f, 1);        /* a host that speaks for a switch */
	l = send_trap(d);
	assert_int_equal(l.kind, TRAP_LOOK_SWITCH);
	assert_int_equal(l.tid, 0);
	assert_int_equal(t.traps, 1);
	assert_int_equal(t.traps_forged, 1);
	send_trap(make_trap(128, leaf_lid(5), 0));
	assert_int_equal(t.traps, 2);
	assert_int_equal(t.traps_forged, 1);
}

static void
link_errors_name_a_port(void **state)
{
	(void)state;
	for (uint16_t number = 129; number <= 131; number++) {
		struct dgram d = make_trap(number, leaf_lid(5), leaf_lid(5));
		struct trap_look l;

		d.mad[78] = 3;
		l = send_trap(d);
		assert_int_equal(l.kind, TRAP_LOOK_PORT);
		assert_int_equal(l.node, leaf_node(5));
		assert_int_equal(l.port, 3);
	}
	assert_int_equal(send_trap(make_trap(129, leaf_lid(5), NO_LID)).kind, TRAP_LOOK_SUBNET);
}

static void
local_change_of_a_description_only(void **state)
{
	struct dgram d = make_trap(144, fixture_lid(&f, 2), fixture_lid(&f, 2));
	struct trap_look l;

	(void)state;
	d.mad[79] = 1;                          /* other changes: */
	wire_put16(d.mad + 84, 0x01);           /* the description */
	l = send_trap(d);
	assert_int_equal(l.kind, TRAP_LOOK_DESCRIPTION);
	assert_int_equal(l.node, f.bed.s->ports[f.host[2]].node);
	wire_put16(d.mad + 84, 0x03);           /* and something else */
	d.mad[3] = METHOD_TRAP;
	l = send_trap(d);
	assert_int_equal(l.kind, TRAP_LOOK_NODE);
	assert_int_equal(l.node, f.bed.s->ports[f.host[2]].node);
	assert_int_equal(l.port, 0);
	d.mad[3] = METHOD_TRAP;
	wire_put16(d.mad + 84, 0x01);
	d.mad[79] = 0;                          /* a capability mask */
	assert_int_equal(send_trap(d).kind, TRAP_LOOK_NODE);
	assert_int_equal(send_trap(make_trap(144, fixture_lid(&f, 2), NO_LID)).kind,
		TRAP_LOOK_SUBNET);
}

/* Issuer LID 0: our own port, which may not have shown a LID yet. */
static void
own_port_has_lid_0(void **state)
{
	struct dgram d = make_trap(144, 0, 0);
	struct trap_look l;

	(void)state;
	d.mad[79] = 1;
	wire_put16(d.mad + 84, 0x01);
	l = send_trap(d);
	assert_int_equal(l.kind, TRAP_LOOK_DESCRIPTION);
	assert_int_equal(l.node, f.bed.s->ports[f.host[0]].node);
	assert_int_equal(t.traps_forged, 0);
}

static void
other_traps_change_nothing(void **state)
{
	static const uint16_t numbers[] = { 64, 127, 132, 143, 145, 256, 259 };
	struct dgram d;

	(void)state;
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		assert_int_equal(
			send_trap(make_trap(numbers[i], leaf_lid(5), 0)).kind, TRAP_LOOK_NOTHING);
	d = make_trap(128, leaf_lid(5), 0);
	d.mad[64] &= 0x7f;                      /* a vendor's, with a number of ours */
	assert_int_equal(send_trap(d).kind, TRAP_LOOK_NOTHING);
}

static void
a_trap_is_repressed_with_the_key_of_its_port(void **state)
{
	struct dgram out;

	(void)state;
	f.conf->m_key = 0x1234;
	send_trap(make_trap(128, leaf_lid(5), 0));
	assert_true(outbox_next(&f.net.outbox, &out));
	assert_int_equal(dgram_method(out.mad), METHOD_TRAP_REPRESS);
	assert_int_equal(out.addr.lid, leaf_lid(5));
	assert_true(dgram_mkey(out.mad) == 0x1234);
	assert_true(dgram_tid(out.mad) == TRAP_TID);
}

static void
a_standby_silences_nobody(void **state)
{
	struct dgram out;

	(void)state;
	f.role = HA_STANDBY;
	assert_int_equal(send_trap(make_trap(128, leaf_lid(5), 0)).kind, TRAP_LOOK_NOTHING);
	assert_false(outbox_next(&f.net.outbox, &out));
	assert_int_equal(t.traps, 1);
}

static void
a_master_without_a_plan_sweeps(void **state)
{
	const struct plan *plan = f.net.served.plan;

	(void)state;
	f.net.served.plan = NULL;
	assert_int_equal(send_trap(make_trap(128, leaf_lid(5), 0)).kind, TRAP_LOOK_SUBNET);
	assert_int_equal(send_trap(make_trap(144, 0, 0)).kind, TRAP_LOOK_SUBNET);
	assert_int_equal(t.traps_forged, 2);    /* nobody is known */
	f.net.served.plan = plan;
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, notify_traps_setup, notify_traps_teardown)
	const struct CMUnitTest tests[] = {
		T(link_change_is_looked_at_in_its_switch),
		T(forged_trap_is_looked_at_and_counted),
		T(link_errors_name_a_port),
		T(local_change_of_a_description_only),
		T(own_port_has_lid_0),
		T(other_traps_change_nothing),
		T(a_trap_is_repressed_with_the_key_of_its_port),
		T(a_standby_silences_nobody),
		T(a_master_without_a_plan_sweeps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
