/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_rmpp_rx.c - the receiving end: order, windows, lengths, and what a hostile sender can cost.
 */
#include <config.h>
#include "tests/unit/rmpp/rig.h"

static int
rmpp_rx_setup(void **state)
{
	struct rmpp_conf c = rmpp_conf_default();

	c.window = 8;
	c.bytes_max = 20000;
	c.bytes_total = 40000;
	c.open_per_peer = 3;
	c.open_total = 5;
	c.finished_total = 2;
	*state = rig_new(&c);
	return 0;
}

static int
rmpp_rx_teardown(void **state)
{
	rig_free(*state);
	return 0;
}

static struct dgram
expect_message(struct rig *g, uint32_t bytes)
{
	struct dgram m;

	assert_true(rmpp_next_message(g->r, &m));
	assert_int_equal(m.bytes, bytes);
	assert_int_equal(m.more != NULL, bytes > DGRAM_BYTES);
	return m;
}

/* Segments in any order inside the window become one message; the data is at its place. */
static void
any_order(void **state)
{
	static const uint32_t order[] = { 1, 8, 3, 2, 7, 5, 4, 6 };
	struct rig *g = *state;
	struct dgram m;

	for (unsigned i = 0; i < 8; i++)
		rig_segment(g, 77, 9, order[i], 8);
	m = expect_message(g, HEAD + 8 * DATA);
	assert_int_equal(m.addr.lid, 9);
	assert_true(dgram_tid(m.more) == 77);
	assert_memory_equal(m.mad, m.more, DGRAM_BYTES);
	for (uint32_t n = 0; n < 8; n++) {
		assert_int_equal(m.more[HEAD + n * DATA], n + 1);
		assert_int_equal(m.more[HEAD + n * DATA + DATA - 1], n + 1);
	}
	free(m.more);
	expect_no_message(g);
	assert_int_equal(rmpp_stats(g->r)->bytes_held, 0);
	assert_int_equal(rmpp_stats(g->r)->open, 0);
}

/* ACKs: after the first segment, at the end of the window, after the last segment. */
static void
acks(void **state)
{
	struct rig *g = *state;
	struct dgram_rmpp_head h;
	struct dgram d, m;

	rig_segment(g, 77, 9, 1, 12);
	h = expect_mad(g, RMPP_ACK, &d);
	assert_int_equal(h.segment, 1);
	assert_int_equal(h.length, 9);          /* window of 8 after it */
	assert_int_equal(dgram_method(d.mad), METHOD_GET_MULTI ^ METHOD_RESP);
	assert_true(dgram_tid(d.mad) == 77);
	assert_int_equal(d.addr.lid, 9);
	for (uint32_t n = 2; n < 9; n++)
		rig_segment(g, 77, 9, n, 12);
	expect_no_mad(g);
	rig_segment(g, 77, 9, 9, 12);
	h = expect_mad(g, RMPP_ACK, NULL);
	assert_int_equal(h.segment, 9);
	assert_int_equal(h.length, 17);
	for (uint32_t n = 10; n <= 12; n++)
		rig_segment(g, 77, 9, n, 12);
	h = expect_mad(g, RMPP_ACK, NULL);
	assert_int_equal(h.segment, 12);
	m = expect_message(g, HEAD + 12 * DATA);
	free(m.more);
}

/* The payload length of the last segment says what is padding; what is impossible is not
 * believed. */
static void
lengths(void **state)
{
	static const struct {
		uint32_t length, bytes;
	} rows[] = {
		{ 220, HEAD + 2 * DATA }, { 219, HEAD + 2 * DATA - 1 }, { 21, HEAD + DATA + 1 },
		{ 20, HEAD + DATA }, { 19, HEAD + DATA }, { 0, HEAD + DATA },
		{ 221, HEAD + 2 * DATA }, { UINT32_MAX, HEAD + 2 * DATA },
	};
	struct rig *g = *state;

	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct dgram d = peer_segment(100 + i, 9, 2, 2, 2), m;
		struct dgram_rmpp_head h = dgram_rmpp_head_decode(d.mad);

		h.length = rows[i].length;
		dgram_rmpp_head_encode(d.mad, &h);
		rig_segment(g, 100 + i, 9, 1, 2);
		rig_receive(g, &d);
		m = expect_message(g, rows[i].bytes);
		free(m.more);
	}
}

/* A segment before the first, beyond the window, or after the last changes nothing. */
static void
out_of_window(void **state)
{
	struct rig *g = *state;
	struct dgram m;

	rig_segment(g, 77, 9, 2, 4);
	assert_int_equal(rmpp_stats(g->r)->unmatched, 1);
	assert_int_equal(rmpp_stats(g->r)->open, 0);
	expect_no_mad(g);
	rig_segment(g, 77, 9, 1, 4);
	expect_mad(g, RMPP_ACK, NULL);
	rig_segment(g, 77, 9, 10, 99);
	rig_segment(g, 77, 9, UINT32_MAX, 99);
	assert_int_equal(rmpp_stats(g->r)->out_of_window, 2);
	rig_segment(g, 77, 9, 4, 4);
	rig_segment(g, 77, 9, 5, 99);
	assert_int_equal(rmpp_stats(g->r)->out_of_window, 3);
	expect_no_mad(g);
	rig_segment(g, 77, 9, 2, 4);
	rig_segment(g, 77, 9, 3, 4);
	m = expect_message(g, HEAD + 4 * DATA);
	free(m.more);
}

/* Duplicates are answered with the last ACK, also after the end, while the transfer is kept. */
static void
duplicates(void **state)
{
	struct rig *g = *state;
	struct dgram_rmpp_head h;
	struct dgram m;

	rig_segment(g, 77, 9, 1, 2);
	expect_mad(g, RMPP_ACK, NULL);
	rig_segment(g, 77, 9, 1, 2);
	assert_int_equal(expect_mad(g, RMPP_ACK, NULL).segment, 1);
	rig_segment(g, 77, 9, 2, 2);
	expect_mad(g, RMPP_ACK, NULL);
	m = expect_message(g, HEAD + 2 * DATA);
	free(m.more);
	for (uint32_t n = 1; n <= 2; n++) {
		rig_segment(g, 77, 9, n, 2);
		h = expect_mad(g, RMPP_ACK, NULL);
		assert_int_equal(h.segment, 2);
	}
	assert_int_equal(rmpp_stats(g->r)->duplicates, 3);
	expect_no_message(g);
	g->now.us = 10000000;                   /* no longer kept: the same TID is a new message */
	rmpp_tick(g->r, g->now);
	rig_segment(g, 77, 9, 1, 2);
	assert_int_equal(expect_mad(g, RMPP_ACK, NULL).segment, 1);
	assert_int_equal(rmpp_stats(g->r)->open, 1);
}

/* A sender that breaks the rules is refused, and its transfer dropped. */
static void
refused(void **state)
{
	static const struct {
		struct dgram_rmpp_head h;
		uint8_t status;
	} rows[] = {
		{ { .type = RMPP_DATA, .segment = 0 }, RMPP_STATUS_FIRST_SEGMENT },
		{ { .type = RMPP_DATA, .segment = 1 }, RMPP_STATUS_FIRST_SEGMENT },
		{ { .type = RMPP_DATA, .segment = 2, .flags = RMPP_FLAG_FIRST },
			RMPP_STATUS_FIRST_SEGMENT },
		{ { .type = RMPP_DATA, .segment = 2, .status = 1 }, RMPP_STATUS_ILLEGAL },
	};
	struct rig *g = *state;

	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct dgram d = peer_mad(METHOD_GET_MULTI, 77, 9, rows[i].h), a;

		rig_segment(g, 77, 9, 1, 4);
		expect_mad(g, RMPP_ACK, NULL);
		assert_int_equal(rmpp_stats(g->r)->open, 1);
		rig_receive(g, &d);
		assert_int_equal(expect_mad(g, RMPP_ABORT, &a).status, rows[i].status);
		assert_true(dgram_tid(a.mad) == 77);
		assert_int_equal(rmpp_stats(g->r)->open, 0);
		assert_int_equal(rmpp_stats(g->r)->bytes_held, 0);
	}
}

/* Open receptions are limited per peer and in total; the refused ones get a STOP. */
static void
open_limits(void **state)
{
	struct rig *g = *state;

	for (unsigned i = 0; i < 3; i++) {
		rig_segment(g, i, 9, 1, 4);
		expect_mad(g, RMPP_ACK, NULL);
	}
	rig_segment(g, 3, 9, 1, 4);
	assert_int_equal(expect_mad(g, RMPP_STOP, NULL).status, RMPP_STATUS_RESOURCES);
	for (unsigned i = 0; i < 2; i++) {
		rig_segment(g, i, (uint16_t)(10 + i), 1, 4);
		expect_mad(g, RMPP_ACK, NULL);
	}
	rig_segment(g, 0, 20, 1, 4);
	assert_int_equal(expect_mad(g, RMPP_STOP, NULL).status, RMPP_STATUS_RESOURCES);
	assert_int_equal(rmpp_stats(g->r)->open, 5);
	assert_int_equal(rmpp_stats(g->r)->refused, 2);
	/* one that ends makes room */
	for (uint32_t n = 2; n <= 4; n++)
		rig_segment(g, 0, 9, n, 4);
	expect_mad(g, RMPP_ACK, NULL);
	rig_segment(g, 3, 9, 1, 4);
	expect_mad(g, RMPP_ACK, NULL);
	rmpp_tick(g->r, g->now);
}

/* A message longer than allowed is stopped where it would exceed, and gives all memory back. */
static void
too_long(void **state)
{
	struct rig *g = *state;
	uint32_t n = 0;

	while (rmpp_stats(g->r)->refused == 0) {
		struct dgram d;

		assert_true(++n < 200);
		rig_segment(g, 77, 9, n, 1000);
		assert_true(rmpp_stats(g->r)->bytes_held <= 20000);
		while (rmpp_stats(g->r)->refused == 0 && rmpp_next_mad(g->r, &d, g->now))
			continue;
	}
	assert_int_equal(n, (20000 - HEAD) / DATA + 1);
	assert_int_equal(expect_mad(g, RMPP_STOP, NULL).status, RMPP_STATUS_RESOURCES);
	assert_int_equal(rmpp_stats(g->r)->bytes_held, 0);
	assert_int_equal(rmpp_stats(g->r)->open, 0);
}

/* A reception that does not end in its time is aborted. */
static void
expires(void **state)
{
	struct rig *g = *state;
	struct monotime at;

	assert_false(rmpp_deadline(g->r, &at));
	g->now.us = 1000;
	rig_segment(g, 77, 9, 1, 4);
	expect_mad(g, RMPP_ACK, NULL);
	assert_true(rmpp_deadline(g->r, &at));
	assert_int_equal(at.us, 40001000);
	g->now.us = at.us - 1;
	rig_segment(g, 77, 9, 2, 4);            /* progress does not extend it */
	rmpp_tick(g->r, g->now);
	expect_no_mad(g);
	g->now = at;
	rmpp_tick(g->r, g->now);
	assert_int_equal(expect_mad(g, RMPP_ABORT, NULL).status, RMPP_STATUS_TOO_LONG);
	assert_int_equal(rmpp_stats(g->r)->expired, 1);
	assert_int_equal(rmpp_stats(g->r)->open, 0);
	assert_false(rmpp_deadline(g->r, &at));
}

/* The same TID from another peer, or with another method, is another message. */
static void
keys(void **state)
{
	struct rig *g = *state;
	struct dgram d = peer_segment(77, 9, 1, 4, 1);

	rig_receive(g, &d);
	d.addr.lid = 10;
	rig_receive(g, &d);
	d.addr.lid = 9;
	d.addr.qpn = 2;
	rig_receive(g, &d);
	dgram_set_method(d.mad, METHOD_GET_TABLE_RESP);
	rig_receive(g, &d);
	assert_int_equal(rmpp_stats(g->r)->open, 4);
	d.addr.sl = 5;                          /* the service level is no part of a peer */
	rig_receive(g, &d);
	assert_int_equal(rmpp_stats(g->r)->open, 4);
	assert_int_equal(rmpp_stats(g->r)->duplicates, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(any_order, rmpp_rx_setup, rmpp_rx_teardown),
		cmocka_unit_test_setup_teardown(acks, rmpp_rx_setup, rmpp_rx_teardown),
		cmocka_unit_test_setup_teardown(lengths, rmpp_rx_setup, rmpp_rx_teardown),
		cmocka_unit_test_setup_teardown(out_of_window, rmpp_rx_setup, rmpp_rx_teardown),
		cmocka_unit_test_setup_teardown(duplicates, rmpp_rx_setup, rmpp_rx_teardown),
		cmocka_unit_test_setup_teardown(refused, rmpp_rx_setup, rmpp_rx_teardown),
		cmocka_unit_test_setup_teardown(open_limits, rmpp_rx_setup, rmpp_rx_teardown),
		cmocka_unit_test_setup_teardown(too_long, rmpp_rx_setup, rmpp_rx_teardown),
		cmocka_unit_test_setup_teardown(expires, rmpp_rx_setup, rmpp_rx_teardown),
		cmocka_unit_test_setup_teardown(keys, rmpp_rx_setup, rmpp_rx_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
