/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_reports.c - who is told of what, and what becomes of a subscriber that does not answer.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/notify/notify.h"
#include "tests/unit/registry/fixture.h"

enum { TYPE_URGENT = 1, TRIES_MAX = 100 };

static struct fixture f;
static struct notify t;

static int
notify_reports_setup(void **state)
{
	struct mcast_event skipped;

	(void)state;
	fixture_make(&f);
	while (mcast_next_event(f.reg.mcast, &skipped))         /* groups of partitions */
		;
	notify_begin(&t);
	return 0;
}

static int
notify_reports_teardown(void **state)
{
	(void)state;
	notify_free(&t);
	fixture_clear(&f);
	return 0;
}

static void
take_ends(void)
{
	struct txn_end e;

	while (txn_next_end(f.net.txn, &e)) {
		assert_int_equal(e.cookie >> OWN_SHIFT, OWN_REPORT);
		e.cookie &= OWN_MASK;
		notify_end(&t, &f.reg, &f.net, &e);
	}
}

/* The next Report on the wire, answered by its subscriber; false: none. */
static bool
hear(struct sa_notice *n, uint16_t *lid)
{
	struct dgram d;
	int timeout_ms;

	notify_pump(&t, &f.reg, &f.net);
	if (!txn_next_send(f.net.txn, &d, &timeout_ms, f.net.now))
		return false;
	assert_int_equal(dgram_method(d.mad), METHOD_REPORT);
	*n = sa_notice_decode(d.mad + SA_HEAD_BYTES);
	*lid = d.addr.lid;
	d.mad[3] = METHOD_REPORT_RESP;
	assert_true(txn_receive(f.net.txn, &d, f.net.now));
	take_ends();
	return true;
}

static void
note_gid(bool in, uint64_t guid, unsigned host)
{
	gid_events_note(&f.reg.gid_events, f.reg.inform,
		(struct gid_event){ guid, fixture_guid(&f, host), in });
}

static void
gids_are_told_in_order(void **state)
{
	struct sa_notice n;
	uint16_t lid;

	(void)state;
	fixture_subscribe(&f, 1);
	note_gid(true, 0xa1, 2);
	note_gid(false, 0xa2, 3);
	assert_true(notify_waits(&f.reg, &f.net));
	assert_true(hear(&n, &lid));
	assert_int_equal(lid, fixture_lid(&f, 1));
	assert_int_equal(n.notice.trap_number, 64);
	assert_true(wire_get64(n.notice.details + 6) == f.conf->subnet_prefix);
	assert_true(wire_get64(n.notice.details + 14) == 0xa1);
	assert_int_equal(n.notice.issuer_lid, f.bed.plan.sm_lid);
	assert_true(wire_get64(n.issuer_gid + 8) == f.net.port.port_guid);
	assert_true(hear(&n, &lid));
	assert_int_equal(n.notice.trap_number, 65);
	assert_true(wire_get64(n.notice.details + 14) == 0xa2);
	assert_false(hear(&n, &lid));
	assert_false(notify_waits(&f.reg, &f.net));
}

/* The SL of the subscription, unless the routing requires another one by now. */
static void
reports_take_the_sl_of_the_path(void **state)
{
	uint8_t *sl = arena_array(&f.bed.plan.arena, f.bed.s->nswitches, f.bed.s->nswitches);
	struct lane_plan lanes = { .nvls = 4, .sls = 0xf, .nclasses = 1,
		.nswitches = f.bed.s->nswitches };
	uint32_t from = fixture_leaf(&f, 0), to = fixture_leaf(&f, 5);
	struct dgram d;
	int timeout_ms;

	(void)state;
	assert_int_not_equal(from, to);
	sl[from * lanes.nswitches + to] = 3;
	fixture_subscribe(&f, 5);
	for (unsigned round = 0; round < 3; round++) {
		f.bed.plan.fwd.lanes = round ? &lanes : NULL;
		lanes.sl = round == 2 ? sl : NULL;
		note_gid(true, 0xa1 + round, 2);
		notify_pump(&t, &f.reg, &f.net);
		assert_true(txn_next_send(f.net.txn, &d, &timeout_ms, f.net.now));
		assert_int_equal(d.addr.lid, fixture_lid(&f, 5));
		assert_int_equal(d.addr.sl, round == 2 ? 3 : 0);
		d.mad[3] = METHOD_REPORT_RESP;
		assert_true(txn_receive(f.net.txn, &d, f.net.now));
		take_ends();
	}
	f.bed.plan.fwd.lanes = NULL;
}

static void
groups_are_told_to_all_who_subscribed(void **state)
{
	static const uint8_t mgid[16] = { 0xff, 0x18, [15] = 9 };
	struct sa_notice n;
	uint16_t lid, mlid, heard = 0;

	(void)state;
	fixture_subscribe(&f, 1);
	fixture_subscribe(&f, 2);
	fixture_join(&f, 3, mgid, &mlid);
	while (hear(&n, &lid)) {
		assert_int_equal(n.notice.trap_number, 66);
		assert_memory_equal(n.notice.details + 6, mgid, 16);
		heard++;
	}
	assert_int_equal(heard, 2);
}

/* Puts a P_Key table with one key into a port, and indexes the subnet again. */
static void
give_pkey(unsigned host, uint16_t pkey)
{
	uint8_t (*blocks)[PKEY_TABLE_BYTES] = arena_array(&f.bed.plan.arena, 1, sizeof(*blocks));
	struct fab_port *p = &f.bed.s->ports[f.host[host]];
	struct sa_index *old = f.net.served.sa;

	wire_put16(blocks[0], pkey);
	f.bed.s->pkey_blocks = blocks;
	f.bed.s->npkey_blocks = 1;
	p->pkeys = 0;
	p->flags |= FAB_PORT_PKEYS;
	f.net.served.sa = sa_index_new(&(struct sa_view){ .s = f.bed.s, .lids = &f.bed.plan.lids,
		.fwd = &f.bed.plan.fwd, .ready = true });
	sa_index_free(old);
}

static void
other_partitions_learn_nothing(void **state)
{
	struct sa_notice n;
	uint16_t lid;

	(void)state;
	give_pkey(2, 0x8123);
	fixture_subscribe(&f, 1);
	note_gid(true, 0xa1, 2);                /* of a port that is in another partition */
	assert_false(hear(&n, &lid));
	note_gid(true, 0xa1, 3);
	assert_true(hear(&n, &lid));
}

static struct notice
make_notice(uint16_t number, unsigned host)
{
	return (struct notice){ .is_generic = 1, .type = TYPE_URGENT, .trap_number = number,
		.issuer_lid = fixture_lid(&f, host), .producer_type = 1 };
}

static void
a_repeated_trap_is_told_once(void **state)
{
	struct notice trap = make_notice(128, 3);
	struct sa_notice n;
	struct monotime at;
	uint16_t lid;

	(void)state;
	fixture_subscribe(&f, 1);
	notify_tell_trap(&t, &f.reg, &f.net, &trap, 5);
	notify_tell_trap(&t, &f.reg, &f.net, &trap, 5);
	assert_true(hear(&n, &lid));
	assert_int_equal(n.notice.trap_number, 128);
	assert_true(wire_get64(n.issuer_gid + 8) == fixture_guid(&f, 3));
	assert_false(hear(&n, &lid));
	notify_tell_trap(&t, &f.reg, &f.net, &trap, 6);         /* another one: held back */
	assert_false(hear(&n, &lid));
	assert_true(notify_deadline(&t, &at));
	f.net.now = at;
	assert_true(hear(&n, &lid));
	assert_false(hear(&n, &lid));
}

static void
nobody_is_told_of_an_unknown_issuer(void **state)
{
	struct notice trap = make_notice(128, 3);
	struct sa_notice n;
	uint16_t lid;

	(void)state;
	fixture_subscribe(&f, 1);
	trap.issuer_lid = 0xbff0;
	notify_tell_trap(&t, &f.reg, &f.net, &trap, 5);
	assert_false(hear(&n, &lid));
}

/* Lets all tries of what is on the wire expire. */
static void
expire(void)
{
	struct dgram d;
	int timeout_ms;

	for (unsigned i = 0; i < TRIES_MAX && txn_pending(f.net.txn); i++) {
		while (txn_next_send(f.net.txn, &d, &timeout_ms, f.net.now))
			;
		f.net.now = monotime_add_us(f.net.now, 1000000);
		txn_tick(f.net.txn, f.net.now);
		take_ends();
	}
	assert_int_equal(txn_pending(f.net.txn), 0);
}

static void
who_does_not_answer_loses_its_subscription(void **state)
{
	(void)state;
	fixture_subscribe(&f, 1);
	note_gid(true, 0xa1, 2);
	notify_pump(&t, &f.reg, &f.net);
	assert_int_equal(inform_count(f.reg.inform), 1);
	expire();
	assert_int_equal(inform_count(f.reg.inform), 0);
	assert_non_null(strstr(f.said, "does not answer for its subscription"));
}

/* The end of a Report from before a reset says nothing of a subscription from after it. */
static void
ends_from_before_a_reset_are_ignored(void **state)
{
	(void)state;
	fixture_subscribe(&f, 1);
	note_gid(true, 0xa1, 2);
	notify_pump(&t, &f.reg, &f.net);
	notify_reset(&t);
	expire();
	assert_int_equal(inform_count(f.reg.inform), 1);
}

static void
nothing_is_told_without_a_plan(void **state)
{
	const struct plan *plan = f.net.served.plan;
	struct sa_notice n;
	uint16_t lid;

	(void)state;
	fixture_subscribe(&f, 1);
	note_gid(true, 0xa1, 2);
	f.net.served.plan = NULL;
	assert_false(notify_waits(&f.reg, &f.net));
	assert_false(hear(&n, &lid));
	f.net.served.plan = plan;
	assert_true(hear(&n, &lid));
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, notify_reports_setup, notify_reports_teardown)
	const struct CMUnitTest tests[] = {
		T(gids_are_told_in_order),
		T(reports_take_the_sl_of_the_path),
		T(groups_are_told_to_all_who_subscribed),
		T(other_partitions_learn_nothing),
		T(a_repeated_trap_is_told_once),
		T(nobody_is_told_of_an_unknown_issuer),
		T(who_does_not_answer_loses_its_subscription),
		T(ends_from_before_a_reset_are_ignored),
		T(nothing_is_told_without_a_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
