/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_rmpp_tx.c - the sending end: arguments, limits, windows, resends, and ACKs that lie.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/rmpp/rig.h"

static int
rmpp_tx_setup(void **state)
{
	struct rmpp_conf c = rmpp_conf_default();

	c.bytes_max = 4000;
	c.send_total = 9000;
	c.send_per_peer = 5000;
	*state = rig_new(&c);
	return 0;
}

static int
rmpp_tx_teardown(void **state)
{
	rig_free(*state);
	return 0;
}

/* A message of the SA: headers and 'data' bytes of data. */
static struct dgram
message(uint8_t method, uint64_t tid, uint16_t lid, uint32_t data)
{
	struct dgram d = peer_mad(method, tid, lid, (struct dgram_rmpp_head){ 0 });

	d.bytes = HEAD + data;
	for (uint32_t i = HEAD; i < DGRAM_BYTES && i < d.bytes; i++)
		d.mad[i] = (uint8_t)i;
	if (d.bytes > DGRAM_BYTES) {
		d.more = malloc(d.bytes);
		assert_non_null(d.more);
		memcpy(d.more, d.mad, DGRAM_BYTES);
		for (uint32_t i = HEAD; i < d.bytes; i++)
			d.more[i] = (uint8_t)i;
	}
	return d;
}

static int
try_send(struct rig *g, struct dgram d, unsigned retries)
{
	int err = rmpp_send(g->r, &d, 0, retries, dgram_tid(d.mad), g->now);

	assert_int_equal(err && d.bytes > DGRAM_BYTES, d.more != NULL);
	free(d.more);
	return err;
}

static void
peer_acks(struct rig *g, uint64_t tid, uint32_t segment, uint32_t window_end)
{
	struct dgram d = peer_mad(METHOD_GET_TABLE, tid, 9, (struct dgram_rmpp_head){
		.type = RMPP_ACK, .segment = segment, .length = window_end,
	});

	rig_receive(g, &d);
}

static void
expect_end(struct rig *g, uint64_t cookie, enum rmpp_end_kind kind, uint8_t status)
{
	struct rmpp_end e;

	assert_true(rmpp_next_end(g->r, &e));
	assert_true(e.cookie == cookie);
	assert_int_equal(e.kind, kind);
	assert_int_equal(e.status, status);
	assert_false(rmpp_next_end(g->r, &e));
}

/* What cannot be sent is refused, and what it points to stays the caller's. */
static void
arguments(void **state)
{
	struct rig *g = *state;
	struct dgram d = message(METHOD_GET_TABLE_RESP, 1, 9, 500);
	uint8_t *more = d.more;

	d.more = NULL;                          /* longer than a MAD, but nothing there */
	assert_int_equal(rmpp_send(g->r, &d, 0, 0, 1, g->now), -EINVAL);
	d.more = more;
	d.mad[1] = more[1] = CLASS_SM_LID;      /* no RMPP in this class */
	assert_int_equal(rmpp_send(g->r, &d, 0, 0, 1, g->now), -EINVAL);
	assert_ptr_equal(d.more, more);
	free(more);
	d = message(METHOD_GET_TABLE_RESP, 1, 9, 0);
	d.bytes = HEAD - 1;
	assert_int_equal(try_send(g, d, 0), -EINVAL);
	assert_int_equal(try_send(g, message(METHOD_GET_TABLE_RESP, 1, 9, 4001 - HEAD), 0),
		-EMSGSIZE);
	assert_int_equal(rmpp_stats(g->r)->sending, 0);
	assert_int_equal(try_send(g, message(METHOD_GET_TABLE_RESP, 1, 9, 4000 - HEAD), 0), 0);
	assert_int_equal(try_send(g, message(METHOD_GET_TABLE_RESP, 1, 9, 300), 0), -EEXIST);
	assert_int_equal(rmpp_stats(g->r)->sending, 1);
}

/* Unacknowledged bytes are limited per peer and in total, and counted back at the end. */
static void
byte_limits(void **state)
{
	struct rig *g = *state;
	const uint32_t data = 2500 - HEAD;

	assert_int_equal(try_send(g, message(METHOD_GET_TABLE_RESP, 1, 9, data), 0), 0);
	assert_int_equal(try_send(g, message(METHOD_GET_TABLE_RESP, 2, 9, data), 0), 0);
	assert_int_equal(try_send(g, message(METHOD_GET_TABLE_RESP, 3, 9, 0), 0), -ENOBUFS);
	assert_int_equal(try_send(g, message(METHOD_GET_TABLE_RESP, 4, 10, data), 0), 0);
	assert_int_equal(try_send(g, message(METHOD_GET_TABLE_RESP, 5, 11, data), 0), -ENOBUFS);
	assert_int_equal(rmpp_stats(g->r)->bytes_sending, 7500);
	rmpp_send_cancel(g->r, 2);
	assert_int_equal(rmpp_stats(g->r)->bytes_sending, 5000);
	assert_int_equal(try_send(g, message(METHOD_GET_TABLE_RESP, 5, 9, data), 0), 0);
}

/* One segment before the first ACK, then no more than the window that the ACK grants. */
static void
window(void **state)
{
	struct rig *g = *state;
	struct dgram_rmpp_head h;

	assert_int_equal(try_send(g, message(METHOD_GET_TABLE_RESP, 1, 9, 8 * DATA), 0), 0);
	h = expect_mad(g, RMPP_DATA, NULL);
	assert_int_equal(h.segment, 1);
	assert_true(h.flags & RMPP_FLAG_FIRST);
	assert_int_equal(h.length, 8 * 220);
	expect_no_mad(g);
	peer_acks(g, 1, 1, 4);
	for (uint32_t n = 2; n <= 4; n++) {
		h = expect_mad(g, RMPP_DATA, NULL);
		assert_int_equal(h.segment, n);
		assert_int_equal(h.flags & (RMPP_FLAG_FIRST | RMPP_FLAG_LAST), 0);
	}
	expect_no_mad(g);
	peer_acks(g, 1, 4, UINT32_MAX);
	for (uint32_t n = 5; n <= 8; n++)
		h = expect_mad(g, RMPP_DATA, NULL);
	assert_true(h.flags & RMPP_FLAG_LAST);
	assert_int_equal(h.length, 220);
	expect_no_mad(g);
	peer_acks(g, 1, 8, UINT32_MAX);
	expect_end(g, 1, RMPP_END_ACKED, 0);
	assert_int_equal(rmpp_stats(g->r)->sending, 0);
	assert_int_equal(rmpp_stats(g->r)->bytes_sending, 0);
}

/* Messages around one and two segments: number, flags, lengths and padding. */
static void
edges(void **state)
{
	static const struct {
		uint32_t data, segments, last_length;
	} rows[] = {
		{ 0, 1, 20 }, { 1, 1, 21 }, { DATA, 1, 220 }, { DATA + 1, 2, 21 },
		{ 2 * DATA, 2, 220 },
	};
	struct rig *g = *state;

	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		uint32_t k = rows[i].segments, rest = rows[i].data - (k - 1) * DATA;
		struct dgram_rmpp_head h = { 0 };
		struct dgram d;

		assert_int_equal(try_send(g,
			message(METHOD_GET_TABLE_RESP, i, 9, rows[i].data), 0), 0);
		for (uint32_t n = 1; n <= k; n++) {
			h = expect_mad(g, RMPP_DATA, &d);
			assert_int_equal(h.segment, n);
			assert_int_equal(!!(h.flags & RMPP_FLAG_LAST), n == k);
			peer_acks(g, i, n, k);
		}
		assert_int_equal(h.length, rows[i].last_length);
		for (uint32_t b = 0; b < DATA; b++)
			assert_int_equal(d.mad[HEAD + b],
				b < rest ? (uint8_t)(HEAD + (k - 1) * DATA + b) : 0);
		expect_end(g, i, RMPP_END_ACKED, 0);
	}
}

/* Without an ACK everything unacknowledged is sent again, 'retries' times in a row. */
static void
resends(void **state)
{
	struct rig *g = *state;
	struct monotime at;

	assert_int_equal(try_send(g, message(METHOD_GET_TABLE_RESP, 1, 9, 5 * DATA), 2), 0);
	expect_mad(g, RMPP_DATA, NULL);
	peer_acks(g, 1, 1, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(expect_mad(g, RMPP_DATA, NULL).segment, 2);
		peer_acks(g, 1, 1, 2);          /* old: the window does not shrink */
		assert_int_equal(expect_mad(g, RMPP_DATA, NULL).segment, 3);
		expect_no_mad(g);
		assert_true(rmpp_deadline(g->r, &at));
		g->now.us = at.us - 1;
		rmpp_tick(g->r, g->now);
		expect_no_mad(g);
		g->now = at;
		rmpp_tick(g->r, g->now);
	}
	expect_end(g, 1, RMPP_END_TIMED_OUT, 0);
	expect_no_mad(g);
	assert_int_equal(rmpp_stats(g->r)->segments_resent, 4);
	assert_int_equal(rmpp_stats(g->r)->bytes_sending, 0);
	assert_false(rmpp_deadline(g->r, &at));
}

/* ACKs that make no sense end the transfer; old ones are ignored. */
static void
lying_acks(void **state)
{
	static const struct {
		uint32_t segment, window_end;
		uint8_t status;
	} rows[] = {
		{ 5, 9, RMPP_STATUS_SEGMENT_RANGE },    /* not sent yet */
		{ UINT32_MAX, UINT32_MAX, RMPP_STATUS_SEGMENT_RANGE },
		{ 2, 1, RMPP_STATUS_WINDOW_SMALL },
	};
	struct rig *g = *state;

	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		assert_int_equal(try_send(g,
			message(METHOD_GET_TABLE_RESP, i, 9, 8 * DATA), 0), 0);
		expect_mad(g, RMPP_DATA, NULL);
		peer_acks(g, i, 1, 3);
		expect_mad(g, RMPP_DATA, NULL);
		expect_mad(g, RMPP_DATA, NULL);
		peer_acks(g, i, 0, 3);                  /* old: an earlier segment */
		peer_acks(g, i, 1, 2);                  /* old: a smaller window */
		expect_no_mad(g);
		peer_acks(g, i, rows[i].segment, rows[i].window_end);
		expect_end(g, i, RMPP_END_REFUSED, rows[i].status);
		assert_int_equal(expect_mad(g, RMPP_ABORT, NULL).status, rows[i].status);
		expect_no_mad(g);
	}
	assert_int_equal(rmpp_stats(g->r)->bytes_sending, 0);
}

/* STOP and ABORT end it with their status; a status out of their range counts as illegal. */
static void
peer_refuses(void **state)
{
	static const struct {
		uint8_t type, status, ends_with;
	} rows[] = {
		{ RMPP_STOP, RMPP_STATUS_RESOURCES, RMPP_STATUS_RESOURCES },
		{ RMPP_ABORT, RMPP_STATUS_TOO_LONG, RMPP_STATUS_TOO_LONG },
		{ RMPP_ABORT, RMPP_STATUS_UNSPECIFIED, RMPP_STATUS_UNSPECIFIED },
		{ RMPP_STOP, RMPP_STATUS_TOO_LONG, RMPP_STATUS_ILLEGAL },
		{ RMPP_ABORT, 117, RMPP_STATUS_ILLEGAL }, { RMPP_ABORT, 128, RMPP_STATUS_ILLEGAL },
	};
	struct rig *g = *state;

	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct dgram d = peer_mad(METHOD_GET_TABLE, i, 9, (struct dgram_rmpp_head){
			.type = rows[i].type, .status = rows[i].status,
		});

		assert_int_equal(try_send(g, message(METHOD_GET_TABLE_RESP, i, 9, 500), 0), 0);
		expect_mad(g, RMPP_DATA, NULL);
		d.addr.lid = 10;                        /* somebody else's word does not count */
		rig_receive(g, &d);
		assert_int_equal(rmpp_stats(g->r)->sending, 1);
		d.addr.lid = 9;
		rig_receive(g, &d);
		expect_end(g, i, RMPP_END_REFUSED, rows[i].ends_with);
		while (rmpp_next_mad(g->r, &d, g->now))
			assert_int_equal(dgram_rmpp_head_decode(d.mad).type, RMPP_ABORT);
	}
	assert_int_equal(rmpp_stats(g->r)->sending, 0);
}

/* A cancelled transfer leaves no end, not even one that waited to be pulled. */
static void
cancelled(void **state)
{
	struct rig *g = *state;
	struct rmpp_end e;

	for (uint64_t tid = 1; tid <= 3; tid++) {
		assert_int_equal(try_send(g, message(METHOD_GET_TABLE_RESP, tid, 9, 10), 0), 0);
		expect_mad(g, RMPP_DATA, NULL);
		peer_acks(g, tid, 1, 1);
	}
	rmpp_send_cancel(g->r, 2);
	rmpp_send_cancel(g->r, 99);
	assert_int_equal(try_send(g, message(METHOD_GET_TABLE_RESP, 4, 9, 10), 0), 0);
	rmpp_send_cancel(g->r, 4);
	expect_no_mad(g);
	assert_true(rmpp_next_end(g->r, &e));
	assert_int_equal(e.cookie, 1);
	assert_true(rmpp_next_end(g->r, &e));
	assert_int_equal(e.cookie, 3);
	assert_false(rmpp_next_end(g->r, &e));
}

/* Transfers take turns, one segment each. */
static void
turns(void **state)
{
	struct rig *g = *state;
	struct dgram d;

	for (uint64_t tid = 1; tid <= 3; tid++) {
		assert_int_equal(try_send(g,
			message(METHOD_GET_TABLE_RESP, tid, 9, 4 * DATA), 0), 0);
		expect_mad(g, RMPP_DATA, NULL);
	}
	for (uint64_t tid = 1; tid <= 3; tid++)
		peer_acks(g, tid, 1, 4);
	for (unsigned i = 0; i < 9; i++) {
		assert_int_equal(expect_mad(g, RMPP_DATA, &d).segment, 2 + i / 3);
		assert_int_equal(dgram_tid(d.mad), 1 + i % 3);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(arguments, rmpp_tx_setup, rmpp_tx_teardown),
		cmocka_unit_test_setup_teardown(byte_limits, rmpp_tx_setup, rmpp_tx_teardown),
		cmocka_unit_test_setup_teardown(window, rmpp_tx_setup, rmpp_tx_teardown),
		cmocka_unit_test_setup_teardown(edges, rmpp_tx_setup, rmpp_tx_teardown),
		cmocka_unit_test_setup_teardown(resends, rmpp_tx_setup, rmpp_tx_teardown),
		cmocka_unit_test_setup_teardown(lying_acks, rmpp_tx_setup, rmpp_tx_teardown),
		cmocka_unit_test_setup_teardown(peer_refuses, rmpp_tx_setup, rmpp_tx_teardown),
		cmocka_unit_test_setup_teardown(cancelled, rmpp_tx_setup, rmpp_tx_teardown),
		cmocka_unit_test_setup_teardown(turns, rmpp_tx_setup, rmpp_tx_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
