/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_queue.c - events come out by time, and at one time in the order in which they were added.
 */
#include <config.h>
#include <string.h>
#include "tests/unit/test.h"
#include "sim/phys/phys.h"

static struct hw h;

static void
add_event(int64_t at_us, uint32_t arg)
{
	queue_add(&h, &(struct hw_event){ .at_us = at_us, .arg = arg, .kind = EVENT_TRAP });
}

static void
by_time_then_age(void **state)
{
	struct hw_event e;

	(void)state;
	for (uint32_t i = 0; i < 300; i++)
		add_event((int64_t)(i * 7 % 10), i);
	assert_false(queue_take(&h, (struct monotime){ -1 }, &e));
	for (int64_t t = 0; t < 10; t++) {
		int64_t last = -1;

		for (unsigned n = 0; n < 30; n++) {
			assert_true(queue_take(&h, (struct monotime){ t }, &e));
			assert_int_equal(e.at_us, t);
			assert_true((int64_t)e.arg > last);
			last = e.arg;
		}
		assert_false(queue_take(&h, (struct monotime){ t }, &e));
	}
	queue_clear(&h);
}

/* An event has a copy of its packet, which goes to whoever takes the event, or with the queue. */
static void
packets_are_copied(void **state)
{
	struct hw_packet p = { .slid = 5 };
	struct hw_event e;

	(void)state;
	queue_packet(&h, EVENT_ARRIVAL, &p, 3, 4, 20);
	queue_packet(&h, EVENT_PACKET, &p, 1, 2, 10);
	p.slid = 6;
	assert_true(queue_take(&h, (struct monotime){ 15 }, &e));
	assert_int_equal(e.kind, EVENT_PACKET);
	assert_int_equal(e.node, 1);
	assert_int_equal(e.port, 2);
	assert_int_equal(e.packet->slid, 5);
	free(e.packet);
	assert_int_equal(h.nevents, 1);
	queue_clear(&h);
	assert_int_equal(h.nevents, 0);
	assert_null(h.events);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_time_then_age), cmocka_unit_test(packets_are_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
