/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_gid_events.c - the order of events, who they are queued for, and the limit of the queue.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/registry/gid_events.h"

static struct inform *subscriptions;
static struct gid_events q;

static int
gid_events_setup(void **state)
{
	struct inform_request a = {
		.want = { .lid_begin = 0xffff, .is_generic = 1, .subscribe = 1, .type = 0xffff,
			.trap_number = 0xffff, .producer_type = 0xffffff, .qpn = 1 },
		.port_guid = 0xabc, .addr = { .lid = 1, .qpn = 1 },
	};
	struct inform_info got;

	(void)state;
	q = (struct gid_events){ .v = NULL };
	subscriptions = inform_new();
	assert_int_equal(inform_set(subscriptions, &a, &got), STATUS_OK);
	return 0;
}

static int
gid_events_teardown(void **state)
{
	(void)state;
	gid_events_clear(&q);
	inform_free(subscriptions);
	return 0;
}

static void
note(uint64_t guid)
{
	gid_events_note(&q, subscriptions, (struct gid_event){ guid, guid + 1, guid % 2 });
}

/* The oldest event is that of 'guid', complete. */
static void
expect(uint64_t guid)
{
	struct gid_event e;

	assert_true(gid_events_take(&q, &e));
	assert_int_equal(e.guid, guid);
	assert_int_equal(e.port_guid, guid + 1);
	assert_int_equal(e.in, guid % 2);
}

static void
expect_none(void)
{
	struct gid_event e;

	assert_false(gid_events_take(&q, &e));
}

static void
an_empty_queue_gives_nothing(void **state)
{
	(void)state;
	expect_none();
	note(1);
	expect(1);
	expect_none();
}

static void
events_leave_in_the_order_of_arrival(void **state)
{
	(void)state;
	for (uint64_t i = 1; i <= 1000; i++)
		note(i);
	for (uint64_t i = 1; i <= 1000; i++)
		expect(i);
	expect_none();
}

/* The ring grows at any place of its beginning, and wraps around at its end. */
static void
the_order_stays_when_the_ring_grows(void **state)
{
	uint64_t in = 0, out = 0;

	(void)state;
	for (unsigned round = 0; round < 50; round++) {
		for (unsigned i = 0; i < 37; i++)
			note(++in);
		for (unsigned i = 0; i < 29; i++)
			expect(++out);
	}
	while (out < in)
		expect(++out);
	expect_none();
}

static void
without_a_subscriber_nothing_is_queued(void **state)
{
	struct inform *none = inform_new();

	(void)state;
	gid_events_note(&q, none, (struct gid_event){ 1, 2, true });
	expect_none();
	inform_free(none);
	inform_drop(subscriptions, inform_at(subscriptions, 0)->id);
	note(1);
	expect_none();
}

/* An event that is queued stays when its subscriber goes. */
static void
queued_events_stay_without_their_subscriber(void **state)
{
	(void)state;
	note(5);
	inform_drop(subscriptions, inform_at(subscriptions, 0)->id);
	expect(5);
}

static void
above_the_limit_the_oldest_are_dropped(void **state)
{
	enum { MORE = 100 };

	(void)state;
	for (uint64_t i = 1; i <= GID_EVENTS_MAX + MORE; i++)
		note(i);
	assert_int_equal(q.n, GID_EVENTS_MAX);
	for (uint64_t i = MORE + 1; i <= GID_EVENTS_MAX + MORE; i++)
		expect(i);
	expect_none();
}

static void
a_cleared_queue_is_empty_and_usable(void **state)
{
	(void)state;
	for (uint64_t i = 1; i <= 200; i++)
		note(i);
	gid_events_clear(&q);
	assert_null(q.v);
	expect_none();
	note(7);
	expect(7);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, gid_events_setup, gid_events_teardown)
	const struct CMUnitTest tests[] = {
		T(an_empty_queue_gives_nothing),
		T(events_leave_in_the_order_of_arrival),
		T(the_order_stays_when_the_ring_grows),
		T(without_a_subscriber_nothing_is_queued),
		T(queued_events_stay_without_their_subscriber),
		T(above_the_limit_the_oldest_are_dropped),
		T(a_cleared_queue_is_empty_and_usable),
	};

	return cmocka_run_group_tests_name("sm/registry/gid_events", tests, NULL, NULL);
}
