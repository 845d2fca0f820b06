/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_txn_send.c - the bytes of a request, the timeout of each try, and refused sends.
 */
#include <config.h>
#include <errno.h>
#include <limits.h>
#include "tests/unit/txn/harness.h"

static const struct dgram_addr far_end = { .lid = 9, .qpn = 1 };

static int
txn_send_setup(void **state)
{
	struct txn_conf c = harness_conf();

	*state = harness_start(&c);
	return 0;
}

static int
txn_send_teardown(void **state)
{
	harness_end(*state);
	return 0;
}

static struct dgram
sent_as(struct harness *h, struct txn_req r)
{
	struct dgram d;
	int ms;

	r.attr_id = 0x1234;
	r.modifier = 0xfedcba98;
	r.addr = &far_end;
	txn_submit(h->t, &r, h->now);
	assert_true(txn_next_send(h->t, &d, &ms, h->now));
	assert_int_equal(d.bytes, DGRAM_BYTES);
	assert_int_equal(d.status, 0);
	assert_null(d.more);
	assert_int_equal(d.mad[0], 1);
	assert_int_equal(d.mad[1], r.mgmt_class);
	assert_int_equal(dgram_method(d.mad), METHOD_GET);
	assert_int_equal(dgram_status(d.mad), 0);
	assert_int_equal(dgram_attr_id(d.mad), 0x1234);
	assert_true(dgram_modifier(d.mad) == 0xfedcba98);
	return d;
}

/* The class version: the usual one, or the caller's. */
static void
versions(void **state)
{
	static const struct {
		uint8_t mgmt_class, version;
	} rows[] = {
		{ CLASS_SA, 2 }, { CLASS_CM, 2 }, { CLASS_CC, 2 }, { CLASS_PM, 1 },
		{ CLASS_SM_LID, 1 }, { CLASS_SM_DR, 1 },
	};
	struct harness *h = *state;

	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct txn_req r = {
			.target = i, .mgmt_class = rows[i].mgmt_class, .method = METHOD_GET,
		};

		assert_int_equal(sent_as(h, r).mad[2], rows[i].version);
		r.class_version = 7;
		assert_int_equal(sent_as(h, r).mad[2], 7);
	}
}

/* A LID-routed SMP goes to its address with its M_Key; a directed one goes to the permissive
 * LID. */
static void
smps(void **state)
{
	struct harness *h = *state;
	struct dgram d = sent_as(h, (struct txn_req){
		.mgmt_class = CLASS_SM_LID, .method = METHOD_GET,
		.mkey = UINT64_C(0x1122334455667788),
	});

	assert_int_equal(d.addr.lid, 9);
	assert_true(dgram_mkey(d.mad) == UINT64_C(0x1122334455667788));
	d = sent_as(h, (struct txn_req){
		.mgmt_class = CLASS_SM_DR, .method = METHOD_GET, .hop_count = 3,
		.path = harness_path, .mkey = 5,
	});
	assert_int_equal(d.addr.lid, LID_PERMISSIVE);
	assert_true(dgram_mkey(d.mad) == 5);
	assert_int_equal(dgram_hop_count(d.mad), 3);
	assert_int_equal(dgram_hop_ptr(d.mad), 0);
	assert_int_equal(dgram_dr_slid(d.mad), LID_PERMISSIVE);
	assert_int_equal(dgram_dr_dlid(d.mad), LID_PERMISSIVE);
	/* to our own port: no hops, no path needed */
	d = sent_as(h, (struct txn_req){ .mgmt_class = CLASS_SM_DR, .method = METHOD_GET });
	assert_int_equal(dgram_hop_count(d.mad), 0);
}

/* The longest directed route. */
static void
longest_route(void **state)
{
	struct harness *h = *state;
	uint8_t path[DGRAM_PATH_BYTES];
	struct dgram d;

	for (unsigned i = 0; i < sizeof path; i++)
		path[i] = (uint8_t)i;
	d = sent_as(h, (struct txn_req){
		.mgmt_class = CLASS_SM_DR, .method = METHOD_GET, .hop_count = DGRAM_HOPS_MAX,
		.path = path,
	});
	assert_memory_equal(dgram_initial_path(d.mad), path, DGRAM_PATH_BYTES);
	assert_int_equal(dgram_hop_count(d.mad), 63);
}

static void
lose_all(struct harness *h, unsigned tries, uint32_t timeout_us)
{
	txn_submit(h->t, &(struct txn_req){
		.target = 1, .mgmt_class = CLASS_PM, .method = METHOD_GET, .attr_id = 0x12,
		.addr = &far_end, .tries = (uint8_t)tries, .timeout_us = timeout_us,
	}, h->now);
	pull(h);
	pass_until(h, h->now.us / 1000 + 100000);
}

/* Timeouts double from try to try up to the maximum; a request's own timeout never changes. */
static void
timeouts(void **state)
{
	static const int doubling[] = { 100, 200, 400, 400 };
	struct harness *h = *state;

	lose_all(h, 0, 0);
	assert_int_equal(h->sent_n, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(h->timeout_ms[i], doubling[i]);
	h->sent_n = 0;
	lose_all(h, 3, 1);
	assert_int_equal(h->sent_n, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(h->timeout_ms[i], 1);  /* rounded up: never 0 */
	h->sent_n = 0;
	txn_targets_reset(h->t);
	lose_all(h, 1, 1001);
	assert_int_equal(h->sent_n, 1);
	assert_int_equal(h->timeout_ms[0], 2);
}

/* 'steady': every try waits as long as the first. */
static void
steady(void **state)
{
	struct txn_conf c = harness_conf();
	struct harness *h;

	(void)state;
	c.steady = true;
	h = harness_start(&c);
	lose_all(h, 0, 0);
	assert_int_equal(h->sent_n, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(h->timeout_ms[i], 100);
	harness_end(h);
}

/* A slow target gets more time, at most the maximum, until it is reset. */
static void
round_trips(void **state)
{
	struct harness *h = *state;

	submit(h, 1, 0, 0x15, 0);
	pull(h);
	h->now.us += 90000;
	answer(h, 0, 0);
	submit(h, 1, 0, 0x15, 0);
	submit(h, 2, 0, 0x15, 0);
	pull(h);
	assert_int_equal(h->timeout_ms[1], 270);        /* 90 + 4 x 45 */
	assert_int_equal(h->timeout_ms[2], 100);        /* another target */
	answer(h, 1, 0);
	answer(h, 2, 0);
	txn_target_reset(h->t, 1);
	submit(h, 1, 0, 0x15, 0);
	pull(h);
	assert_int_equal(h->timeout_ms[3], 100);
	h->now.us += INT64_C(1) << 50;                  /* an answer after years */
	answer(h, 3, 0);
	submit(h, 1, 0, 0x15, 0);
	pull(h);
	assert_int_equal(h->timeout_ms[4], 400);
}

/* A refused send is a try that failed: it pauses and is sent again; the last one ends it. */
static void
refused(void **state)
{
	struct harness *h = *state;
	struct txn_end e;
	struct dgram stray;

	submit(h, 1, 42, 0x15, 0);
	for (unsigned i = 0; i < 4; i++) {
		struct monotime at;

		pull(h);
		assert_int_equal(h->sent_n, i + 1);
		if (i)                          /* of a try that is over: nothing */
			txn_send_failed(h->t, &h->sent[i - 1], ENETDOWN, h->now);
		assert_int_equal(txn_stats(h->t)->send_failed, i);
		txn_send_failed(h->t, &h->sent[i], ENOBUFS, h->now);
		if (i == 3)
			break;
		assert_true(txn_deadline(h->t, &at));
		h->now = at;
		txn_tick(h->t, h->now);
	}
	assert_true(txn_next_end(h->t, &e));
	assert_int_equal(e.kind, TXN_END_SEND_FAILED);
	assert_int_equal(e.error, ENOBUFS);
	assert_int_equal(e.status, 0);
	assert_int_equal(e.tries, 4);
	assert_null(e.reply);
	stray = h->sent[3];
	txn_send_failed(h->t, &stray, EIO, h->now);
	assert_int_equal(txn_stats(h->t)->send_failed, 4);
	assert_false(txn_ends_waiting(h->t));
}

/* The most tries that a request can have, and rows of statistics by attribute. */
static void
most_tries(void **state)
{
	struct harness *h = *state;
	const struct txn_attr_stats *rows;
	unsigned n;

	lose_all(h, 255, 1000);
	assert_int_equal(h->sent_n, 255);
	rows = txn_attr_stats(h->t, &n);
	assert_int_equal(n, 1);
	assert_int_equal(rows[0].mgmt_class, CLASS_PM);
	assert_int_equal(rows[0].n.sent, 255);
	assert_int_equal(rows[0].n.retried, 254);
	assert_int_equal(rows[0].n.timed_out, 1);
	assert_int_equal(txn_stats(h->t)->all.timed_out, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(versions, txn_send_setup, txn_send_teardown),
		cmocka_unit_test_setup_teardown(smps, txn_send_setup, txn_send_teardown),
		cmocka_unit_test_setup_teardown(longest_route, txn_send_setup, txn_send_teardown),
		cmocka_unit_test_setup_teardown(timeouts, txn_send_setup, txn_send_teardown),
		cmocka_unit_test(steady),
		cmocka_unit_test_setup_teardown(round_trips, txn_send_setup, txn_send_teardown),
		cmocka_unit_test_setup_teardown(refused, txn_send_setup, txn_send_teardown),
		cmocka_unit_test_setup_teardown(most_tries, txn_send_setup, txn_send_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
