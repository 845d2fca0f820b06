/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_txn_sched.c - windows, turns of targets, urgent requests, and TIDs that wrap around.
 */
#include <config.h>
#include "tests/unit/txn/harness.h"

static struct harness *
start(unsigned total, unsigned per_target, unsigned late)
{
	struct txn_conf c = harness_conf();

	c.window_total = total;
	c.window_target = per_target;
	c.window_late = late;
	c.late_us = 10000;
	return harness_start(&c);
}

/* Never more on the wire than the windows allow. */
static void
windows(void **state)
{
	struct harness *h = start(5, 2, 0);

	(void)state;
	for (unsigned i = 0; i < 30; i++)
		submit(h, i % 10, i, 0x15, i);
	pull(h);
	assert_int_equal(h->sent_n, 5);
	assert_int_equal(txn_stats(h->t)->in_flight, 5);
	assert_int_equal(txn_stats(h->t)->queued, 25);
	for (unsigned i = 0; i < 30; i++) {
		answer(h, i, 0);
		pull(h);
		assert_true(txn_stats(h->t)->in_flight <= 5);
	}
	assert_int_equal(txn_stats(h->t)->in_flight_max, 5);
	assert_int_equal(txn_pending(h->t), 0);
	harness_end(h);
	h = start(64, 2, 0);
	for (unsigned i = 0; i < 5; i++)
		submit(h, 4, i, 0x15, i);
	pull(h);
	assert_int_equal(h->sent_n, 2);
	answer(h, 1, 0);
	pull(h);
	assert_int_equal(h->sent_n, 3);
	harness_end(h);
}

/* Targets take turns; one with a long queue, or at its window, does not hold up the others. */
static void
turns(void **state)
{
	struct harness *h = start(64, 4, 0);

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		submit(h, 0, i, 0x15, i);
	submit(h, 1, 100, 0x15, 100);
	submit(h, 2, 200, 0x15, 200);
	pull(h);
	assert_int_equal(h->sent_n, 6);
	assert_int_equal(dgram_modifier(h->sent[0].mad), 0);
	assert_int_equal(dgram_modifier(h->sent[1].mad), 100);
	assert_int_equal(dgram_modifier(h->sent[2].mad), 200);
	for (unsigned i = 3; i < 6; i++)        /* of one target: in the order submitted */
		assert_int_equal(dgram_modifier(h->sent[i].mad), i - 2);
	harness_end(h);
}

/* Urgent requests go first, in their own order. */
static void
urgent(void **state)
{
	static const unsigned order[] = { 50, 51, 0, 1, 2 };
	struct harness *h = start(64, 1, 0);

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		submit(h, 0, i, 0x15, i);
	for (unsigned i = 50; i < 52; i++)
		txn_submit(h->t, &(struct txn_req){
			.target = 0, .cookie = i, .mgmt_class = CLASS_SM_DR, .method = METHOD_GET,
			.attr_id = 0x15, .modifier = i, .urgent = true,
		}, h->now);
	submit(h, 1, 7, 0x15, 7);
	pull(h);
	assert_int_equal(h->sent_n, 2);
	assert_int_equal(dgram_modifier(h->sent[0].mad), 50);
	for (unsigned i = 1; i < 5; i++) {
		unsigned last = h->sent_n - 1;

		answer(h, i == 1 ? 0 : last, 0);
		pull(h);
		assert_int_equal(h->sent_n, last + 2);
		assert_int_equal(dgram_modifier(h->sent[last + 1].mad), order[i]);
	}
	harness_end(h);
}

/* TIDs differ from each other and from 0 while the generations wrap around. */
static void
tid_wraps(void **state)
{
	struct txn_conf c = harness_conf();
	struct harness *h;
	uint32_t before = 0;

	(void)state;
	c.tid_start = UINT32_MAX - 3;
	h = harness_start(&c);
	for (unsigned i = 0; i < 4000; i++) {
		uint32_t tid;

		submit(h, 0, i, 0x15, i);
		pull(h);
		tid = (uint32_t)dgram_tid(h->sent[i].mad);
		assert_int_not_equal(tid, 0);
		assert_int_not_equal(tid, before);
		before = tid;
		if (i > 300) {                  /* an answer from before is late for ever */
			answer(h, i - 300, 0);
			assert_int_equal(txn_stats(h->t)->late, i - 300);
			assert_false(txn_ends_waiting(h->t));
		}
		answer(h, i, 0);
		assert_true(txn_ends_waiting(h->t));
		pull(h);
		h->used = 0;
	}
	harness_end(h);
}

/* Requests that are late make room for others, up to 'window_late'. */
static void
late_window(void **state)
{
	struct harness *h = start(2, 4, 3);

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		submit(h, i, i, 0x15, i);
	pull(h);
	assert_int_equal(h->sent_n, 2);
	assert_int_equal(txn_stats(h->t)->late_in_flight, 0);
	pass_until(h, 9);
	assert_int_equal(h->sent_n, 2);
	pass_until(h, 10);
	assert_int_equal(txn_stats(h->t)->late_in_flight, 2);
	assert_int_equal(h->sent_n, 4);
	pass_until(h, 20);
	assert_int_equal(txn_stats(h->t)->late_in_flight, 4);
	assert_int_equal(h->sent_n, 5);         /* 2 + 3 and no more */
	answer(h, 0, 0);
	pull(h);
	assert_int_equal(txn_stats(h->t)->late_in_flight, 3);
	assert_int_equal(h->sent_n, 6);
	harness_end(h);
}

/* The oldest request on the wire keeps its first time through retries. */
static void
oldest(void **state)
{
	struct harness *h = start(64, 4, 0);
	struct monotime at;

	(void)state;
	assert_false(txn_oldest(h->t, &at));
	assert_false(txn_deadline(h->t, &at));
	h->now.us = 5000;
	submit(h, 0, 0, 0x15, 0);
	assert_false(txn_oldest(h->t, &at));    /* not sent yet */
	pull(h);
	pass_until(h, 150);
	submit(h, 1, 1, 0x15, 1);
	pull(h);
	assert_true(txn_oldest(h->t, &at));
	assert_int_equal(at.us, 5000);
	answer(h, 1, 0);
	assert_true(txn_oldest(h->t, &at));
	assert_int_equal(at.us, 150000);
	harness_end(h);
}

/* A wider window counts at once for what is queued. */
static void
widened(void **state)
{
	struct harness *h = start(8, 1, 0);
	struct txn_conf c = harness_conf();

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		submit(h, 0, i, 0x15, i);
	pull(h);
	assert_int_equal(h->sent_n, 1);
	c.window_total = 8;
	c.window_target = 3;
	txn_set_conf(h->t, &c);
	pull(h);
	assert_int_equal(h->sent_n, 3);
	c.window_target = 1;
	txn_set_conf(h->t, &c);
	answer(h, 0, 0);
	answer(h, 1, 0);
	pull(h);
	assert_int_equal(h->sent_n, 3);         /* one is still on the wire */
	answer(h, 2, 0);
	pull(h);
	assert_int_equal(h->sent_n, 4);
	harness_end(h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows),
		cmocka_unit_test(turns),
		cmocka_unit_test(urgent),
		cmocka_unit_test(tid_wraps),
		cmocka_unit_test(late_window),
		cmocka_unit_test(oldest),
		cmocka_unit_test(widened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
