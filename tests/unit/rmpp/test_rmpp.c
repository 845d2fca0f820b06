/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_rmpp.c - each end by itself: segments as the wire reference has them, ACKs, refusals, caps, time limits.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/test.h"
#include "libmad/rmpp/rmpp.h"

static const struct dgram_addr peer = { .lid = 9, .qpn = 1 };

struct world {
	struct rmpp *r;
	struct monotime now;
};

static struct rmpp_conf
small_conf(void)
{
	struct rmpp_conf c = rmpp_conf_default();

	c.bytes_max = 40000;
	c.bytes_total = 60000;
	c.send_total = 90000;
	c.send_per_peer = 60000;
	c.open_per_peer = 4;
	c.open_total = 6;
	return c;
}

static int
rmpp_setup(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct rmpp_conf c = small_conf();

	assert_non_null(w);
	w->r = rmpp_new(&c);
	*state = w;
	return 0;
}

static int
rmpp_teardown(void **state)
{
	struct world *w = *state;

	rmpp_free(w->r);
	free(w);
	return 0;
}

static uint8_t
byte_at(uint32_t i, uint64_t tid)
{
	return (uint8_t)((i * 2654435761u) >> 13 ^ tid);
}

/* A whole message of 'bytes', header included. */
static struct dgram
message(uint8_t mgmt_class, uint8_t method, uint64_t tid, uint32_t bytes)
{
	struct dgram d = { .addr = peer, .bytes = bytes };
	uint8_t *m = calloc(1, bytes < 256 ? 256 : bytes);

	assert_non_null(m);
	for (uint32_t i = 36; i < bytes; i++)
		m[i] = byte_at(i, tid);
	dgram_head_encode(m, &(struct dgram_head){
		.base_version = 1, .mgmt_class = mgmt_class, .class_version = 2, .method = method, .tid = tid,
		.attr_id = 0x11,
	});
	memcpy(d.mad, m, 256);
	d.more = bytes > 256 ? m : NULL;
	if (bytes <= 256)
		free(m);
	return d;
}

static void
start(struct world *w, struct dgram d, uint32_t timeout_ms, unsigned retries)
{
	assert_int_equal(rmpp_send(w->r, &d, timeout_ms, retries, dgram_tid(d.mad), w->now), 0);
	assert_null(d.more);
}

static struct dgram_rmpp_head
next(struct world *w, struct dgram *d)
{
	assert_true(rmpp_next_mad(w->r, d, w->now));
	return dgram_rmpp_head_decode(d->mad);
}

static void
nothing(struct world *w)
{
	struct dgram d;

	assert_false(rmpp_next_mad(w->r, &d, w->now));
}

/* A control MAD of the receiver of 'method'. */
static bool
control(struct world *w, uint8_t method, uint64_t tid, struct dgram_rmpp_head h)
{
	struct dgram d = message(CLASS_SA, method ^ 0x80, tid, 256);

	h.version = 1;
	h.flags = RMPP_FLAG_ACTIVE;
	dgram_rmpp_head_encode(d.mad, &h);
	return rmpp_receive(w->r, &d, w->now);
}

static void
ack(struct world *w, uint8_t method, uint64_t tid, uint32_t segment, uint32_t window)
{
	assert_true(control(w, method, tid, (struct dgram_rmpp_head){
		.type = RMPP_ACK, .segment = segment, .length = window }));
}

static void
end_is(struct world *w, enum rmpp_end_kind kind, uint8_t status)
{
	struct rmpp_end e;

	assert_true(rmpp_next_end(w->r, &e));
	assert_int_equal(e.kind, kind);
	assert_int_equal(e.status, status);
	assert_false(rmpp_next_end(w->r, &e));
}

/* What segments must say: docs/wire.md, RMPP segmentation. */
static void
segment_headers(void **state)
{
	static const struct {
		uint8_t mgmt_class;
		uint32_t bytes, segments, first, last;
	} rows[] = {
		{ CLASS_SA, 56, 1, 20, 20 },                    /* an empty table */
		{ CLASS_SA, 56 + 112, 1, 132, 132 },            /* one NodeRecord */
		{ CLASS_SA, 56 + 200, 1, 220, 220 },
		{ CLASS_SA, 56 + 201, 2, 241, 21 },
		{ CLASS_SA, 56 + 3 * 112, 2, 376, 156 },        /* three */
		{ CLASS_SYSSTAT, 40 + 432, 2, 440, 220 },       /* vendor range 2: 216 a segment */
		{ CLASS_DEVMGT, 64 + 193, 2, 249, 29 },         /* 192 a segment */
	};

	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world *w = *state;
		struct dgram d;
		struct dgram_rmpp_head h;

		start(w, message(rows[i].mgmt_class, METHOD_GET_TABLE_RESP, 100 + i, rows[i].bytes), 0, 0);
		h = next(w, &d);
		assert_int_equal(h.version, 1);
		assert_int_equal(h.type, RMPP_DATA);
		assert_int_equal(h.resp_time, 0x1f);
		assert_int_equal(h.segment, 1);
		assert_int_equal(h.length, rows[i].first);
		assert_int_equal(h.flags, RMPP_FLAG_ACTIVE | RMPP_FLAG_FIRST | (rows[i].segments == 1 ? RMPP_FLAG_LAST : 0));
		nothing(w);                     /* the window is 1 until the first ACK */
		if (rows[i].segments > 1) {
			struct dgram a = message(rows[i].mgmt_class, METHOD_GET_TABLE, 100 + i, 256);

			dgram_rmpp_head_encode(a.mad, &(struct dgram_rmpp_head){ .version = 1, .type = RMPP_ACK,
				.flags = RMPP_FLAG_ACTIVE, .segment = 1, .length = 65 });
			a.mad[3] = METHOD_GET_TABLE_RESP ^ 0x80;
			assert_true(rmpp_receive(w->r, &a, w->now));
			h = next(w, &d);
			assert_int_equal(h.segment, rows[i].segments);
			assert_int_equal(h.length, rows[i].last);
			assert_int_equal(h.flags, RMPP_FLAG_ACTIVE | RMPP_FLAG_LAST);
		}
	}
}

static void
sender_resends_and_gives_up(void **state)
{
	struct world *w = *state;
	struct monotime at;
	struct dgram d;

	start(w, message(CLASS_SA, METHOD_GET_TABLE_RESP, 7, 56 + 200 * 10), 0, 2);
	assert_int_equal(next(w, &d).segment, 1);
	ack(w, METHOD_GET_TABLE_RESP, 7, 1, 4);
	for (uint32_t n = 2; n <= 4; n++)
		assert_int_equal(next(w, &d).segment, n);
	nothing(w);
	ack(w, METHOD_GET_TABLE_RESP, 7, 2, 4);
	for (unsigned round = 0; round < 2; round++) {
		assert_true(rmpp_deadline(w->r, &at));
		assert_int_equal(at.us - w->now.us, 2000000);
		w->now = at;
		rmpp_tick(w->r, w->now);
		assert_int_equal(next(w, &d).segment, 3);       /* from the last acknowledged */
		assert_int_equal(next(w, &d).segment, 4);
		nothing(w);
	}
	w->now.us += 2000000;
	rmpp_tick(w->r, w->now);
	nothing(w);                             /* no ABORT */
	end_is(w, RMPP_END_TIMED_OUT, 0);
	assert_int_equal(rmpp_stats(w->r)->sending, 0);
	assert_int_equal(rmpp_stats(w->r)->segments_resent, 4);
	assert_false(rmpp_deadline(w->r, &at));
}

static void
progress_renews_retries(void **state)
{
	struct world *w = *state;
	struct dgram d;

	start(w, message(CLASS_SA, METHOD_GET_TABLE_RESP, 7, 56 + 200 * 5), 500, 1);
	for (uint32_t n = 1; n <= 5; n++) {
		assert_int_equal(next(w, &d).segment, n);
		w->now.us += 500000;                            /* timeout_ms is shorter than 2 s */
		rmpp_tick(w->r, w->now);
		assert_int_equal(next(w, &d).segment, n);
		ack(w, METHOD_GET_TABLE_RESP, 7, n, n + 1);
	}
	end_is(w, RMPP_END_ACKED, 0);
	nothing(w);
}

static void
bad_acks(void **state)
{
	static const struct {
		struct dgram_rmpp_head h;
		int answer;             /* status of the ABORT that must follow; -1: none */
		int end;                /* status with which the transfer ends; -1: it goes on */
	} rows[] = {
		{ { .type = RMPP_ACK, .segment = 2, .length = 1 }, 122, 122 },
		{ { .type = RMPP_ACK, .segment = 2, .length = 9 }, 123, 123 },          /* not sent */
		{ { .type = RMPP_ACK, .segment = 100, .length = 200 }, 123, 123 },
		{ { .type = RMPP_ACK, .segment = 1, .length = 9, .status = 5 }, 124, 124 },
		{ { .type = RMPP_STOP, .status = 1 }, -1, 1 },
		{ { .type = RMPP_STOP, .status = 120 }, 124, 124 },
		{ { .type = RMPP_ABORT, .status = 118 }, -1, 118 },
		{ { .type = RMPP_ABORT, .status = 127 }, -1, 127 },
		{ { .type = RMPP_ABORT, .status = 117 }, 124, 124 },
		{ { .type = RMPP_ABORT, .status = 200 }, 124, 124 },
		{ { .type = 9 }, 121, -1 },
		{ { .type = RMPP_NONE }, 121, -1 },
	};

	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world *w = *state;
		struct dgram d;
		struct rmpp_end e;

		start(w, message(CLASS_SA, METHOD_GET_TABLE_RESP, 20 + i, 56 + 200 * 5), 0, 1);
		assert_int_equal(next(w, &d).segment, 1);
		assert_true(control(w, METHOD_GET_TABLE_RESP, 20 + i, rows[i].h));
		if (rows[i].answer >= 0) {
			struct dgram_rmpp_head h = next(w, &d);

			assert_int_equal(h.type, RMPP_ABORT);
			assert_int_equal(h.status, rows[i].answer);
			assert_int_equal(h.flags, RMPP_FLAG_ACTIVE);
			assert_int_equal(dgram_method(d.mad), METHOD_GET_TABLE_RESP);
			assert_int_equal(dgram_tid(d.mad), 20 + i);
			assert_int_equal(d.addr.lid, peer.lid);
		}
		nothing(w);
		if (rows[i].end >= 0)
			end_is(w, RMPP_END_REFUSED, (uint8_t)rows[i].end);
		else
			assert_false(rmpp_next_end(w->r, &e));
	}
}

static void
double_sided(void **state)
{
	struct world *w = *state;
	struct dgram_rmpp_head h;
	struct monotime at;
	struct dgram d;

	start(w, message(CLASS_SA, METHOD_GET_MULTI, 5, 300), 1000, 1);
	assert_int_equal(next(w, &d).segment, 1);
	ack(w, METHOD_GET_MULTI, 5, 1, 65);
	assert_int_equal(next(w, &d).segment, 2);
	ack(w, METHOD_GET_MULTI, 5, 2, 65);
	end_is(w, RMPP_END_ACKED, 0);
	h = next(w, &d);                        /* the turn-around */
	assert_int_equal(h.type, RMPP_ACK);
	assert_int_equal(h.segment, 0);
	assert_int_equal(h.length, 1);
	assert_int_equal(dgram_method(d.mad), METHOD_GET_MULTI);
	ack(w, METHOD_GET_MULTI, 5, 2, 65);     /* it was lost: it is repeated */
	assert_int_equal(next(w, &d).type, RMPP_ACK);
	assert_true(rmpp_deadline(w->r, &at));
	w->now = at;
	rmpp_tick(w->r, w->now);
	assert_false(rmpp_next_end(w->r, &(struct rmpp_end){ 0 }));     /* ended once */
	assert_int_equal(rmpp_stats(w->r)->sending, 0);
}

/* One segment of a message of 'segments' in vendor class or SA. */
static struct dgram
segment_of(uint64_t tid, uint32_t n, uint32_t segments)
{
	struct dgram d = message(CLASS_SA, METHOD_GET_TABLE_RESP, tid, 256);

	for (unsigned i = 56; i < 256; i++)
		d.mad[i] = (uint8_t)n;
	dgram_rmpp_head_encode(d.mad, &(struct dgram_rmpp_head){
		.version = 1, .type = RMPP_DATA, .resp_time = 0x1f, .segment = n,
		.flags = (uint8_t)(RMPP_FLAG_ACTIVE | (n == 1 ? RMPP_FLAG_FIRST : 0) | (n == segments ? RMPP_FLAG_LAST : 0)),
		.length = n == 1 ? segments * 220 - 100 : n == segments ? 120 : 0,
	});
	return d;
}

static void
dgram_take(struct world *w, struct dgram d)
{
	assert_true(rmpp_receive(w->r, &d, w->now));
}

static void
ack_is(struct world *w, uint32_t segment, uint32_t window)
{
	struct dgram d;
	struct dgram_rmpp_head h = next(w, &d);

	assert_int_equal(h.type, RMPP_ACK);
	assert_int_equal(h.segment, segment);
	assert_int_equal(h.length, window);
	assert_int_equal(h.version, 1);
	assert_int_equal(dgram_method(d.mad), METHOD_GET_TABLE_RESP ^ 0x80);
	assert_int_equal(d.addr.lid, peer.lid);
	assert_int_equal(d.addr.qpn, 1);
}

static void
refusal_is(struct world *w, enum dgram_rmpp_type type, uint8_t status)
{
	struct dgram d;
	struct dgram_rmpp_head h = next(w, &d);

	assert_int_equal(h.type, type);
	assert_int_equal(h.status, status);
	nothing(w);
}

static void
receiver_acks_and_reassembles(void **state)
{
	struct world *w = *state;
	struct dgram m;

	dgram_take(w, segment_of(3, 1, 100));
	ack_is(w, 1, 65);
	for (uint32_t n = 64; n >= 2; n--)              /* backwards: one ACK, at the edge */
		dgram_take(w, segment_of(3, n, 100));
	nothing(w);
	dgram_take(w, segment_of(3, 66, 100));                /* beyond the window: not a word */
	nothing(w);
	assert_int_equal(rmpp_stats(w->r)->out_of_window, 1);
	dgram_take(w, segment_of(3, 65, 100));
	ack_is(w, 65, 129);
	dgram_take(w, segment_of(3, 30, 100));                /* a duplicate */
	ack_is(w, 65, 129);
	for (uint32_t n = 66; n <= 99; n++)
		dgram_take(w, segment_of(3, n, 100));
	nothing(w);
	assert_false(rmpp_next_message(w->r, &m));
	dgram_take(w, segment_of(3, 100, 100));
	ack_is(w, 100, 129);
	nothing(w);
	assert_true(rmpp_next_message(w->r, &m));
	assert_int_equal(m.bytes, 56 + 200 * 100 - 100);
	assert_int_equal(m.addr.lid, peer.lid);
	assert_int_equal(dgram_tid(m.mad), 3);
	assert_memory_equal(m.mad, m.more, 256);
	for (uint32_t i = 56; i < m.bytes; i++)
		assert_int_equal(m.more[i], (i - 56) / 200 + 1);
	free(m.more);
	dgram_take(w, segment_of(3, 100, 100)); /* remembered for 10 s to repeat its ACK */
	ack_is(w, 100, 129);
	assert_false(rmpp_next_message(w->r, &m));
	assert_int_equal(rmpp_stats(w->r)->bytes_held, 0);
	w->now.us += 10000000;
	rmpp_tick(w->r, w->now);
	dgram_take(w, segment_of(3, 100, 100));
	nothing(w);
}

static void
single_segments(void **state)
{
	static const struct {
		uint32_t length, bytes;
	} rows[] = { { 20, 56 }, { 132, 168 }, { 220, 256 }, { 221, 256 }, { 0xffffffff, 256 }, { 0, 56 }, { 5, 56 } };

	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world *w = *state;
		struct dgram d = segment_of(50 + i, 1, 1), m;

		wire_put32(d.mad + 32, rows[i].length);
		dgram_take(w, d);
		ack_is(w, 1, 1);
		assert_true(rmpp_next_message(w->r, &m));
		assert_int_equal(m.bytes, rows[i].bytes);
		assert_null(m.more);
	}
}

static void
hostile_segments(void **state)
{
	struct world *w = *state;
	struct dgram d = segment_of(1, 1, 3), m;

	d.mad[26] &= (uint8_t)~RMPP_FLAG_FIRST;
	dgram_take(w, d);
	refusal_is(w, RMPP_ABORT, 120);
	dgram_take(w, segment_of(1, 1, 3));
	ack_is(w, 1, 65);
	d = segment_of(1, 2, 3);
	d.mad[26] |= RMPP_FLAG_FIRST;
	dgram_take(w, d);
	refusal_is(w, RMPP_ABORT, 120);
	assert_int_equal(rmpp_stats(w->r)->open, 0);
	d = segment_of(1, 1, 3);
	wire_put32(d.mad + 28, 0);
	dgram_take(w, d);
	refusal_is(w, RMPP_ABORT, 120);
	d = segment_of(1, 1, 3);
	d.mad[27] = 1;
	dgram_take(w, d);
	refusal_is(w, RMPP_ABORT, 124);
	d = segment_of(1, 1, 3);
	d.mad[24] = 2;
	dgram_take(w, d);
	refusal_is(w, RMPP_ABORT, 125);
	d = segment_of(1, 1, 3);
	d.mad[25] = 5;
	dgram_take(w, d);
	refusal_is(w, RMPP_ABORT, 121);
	dgram_take(w, segment_of(1, 2, 3));           /* the middle of nothing */
	nothing(w);
	/* Two LASTs: the first of them in order ends the message. */
	dgram_take(w, segment_of(2, 1, 5));
	ack_is(w, 1, 65);
	dgram_take(w, segment_of(2, 5, 5));
	dgram_take(w, segment_of(2, 3, 3));
	dgram_take(w, segment_of(2, 4, 5));
	dgram_take(w, segment_of(2, 2, 5));
	ack_is(w, 3, 65);
	assert_true(rmpp_next_message(w->r, &m));
	assert_int_equal(m.bytes, 56 + 3 * 200 - 100);
	free(m.more);
	assert_int_equal(rmpp_stats(w->r)->open, 0);
}

static void
passes_what_is_not_rmpp(void **state)
{
	struct world *w = *state;
	struct dgram d = segment_of(1, 1, 1);

	d.mad[26] &= (uint8_t)~RMPP_FLAG_ACTIVE;
	assert_false(rmpp_receive(w->r, &d, w->now));
	d = segment_of(1, 1, 1);
	d.mad[1] = CLASS_PM;
	assert_false(rmpp_receive(w->r, &d, w->now));
	d = segment_of(1, 1, 1);
	d.status = 110;
	assert_false(rmpp_receive(w->r, &d, w->now));
	nothing(w);
}

static void
total_time(void **state)
{
	struct world *w = *state;
	struct monotime at;

	dgram_take(w, segment_of(1, 1, 10));
	ack_is(w, 1, 65);
	w->now.us = 39000000;
	dgram_take(w, segment_of(1, 2, 10));
	assert_true(rmpp_deadline(w->r, &at));
	assert_int_equal(at.us, 40000000);
	w->now = at;
	rmpp_tick(w->r, w->now);
	refusal_is(w, RMPP_ABORT, 118);
	assert_int_equal(rmpp_stats(w->r)->bytes_held, 0);
	assert_int_equal(rmpp_stats(w->r)->open, 0);
}

static void
caps(void **state)
{
	struct world *w = *state;
	struct dgram d;

	for (unsigned i = 0; i < 4; i++) {
		dgram_take(w, segment_of(i, 1, 10));
		ack_is(w, 1, 65);
	}
	dgram_take(w, segment_of(4, 1, 10));                  /* four open per peer */
	refusal_is(w, RMPP_STOP, 1);
	for (uint16_t i = 0; i < 3; i++) {
		d = segment_of(4, 1, 10);
		d.addr.lid = (uint16_t)(20 + i);
		dgram_take(w, d);
		if (i < 2)
			assert_int_equal(next(w, &d).type, RMPP_ACK);
		else
			refusal_is(w, RMPP_STOP, 1);    /* six in total */
	}
	/* 60000 bytes together: one may grow to 32768, then 65536 is over; the message is refused, the others stay. */
	for (uint32_t n = 2; n <= 200 && rmpp_stats(w->r)->open == 6; n++)
		for (uint64_t tid = 0; tid < 3 && rmpp_stats(w->r)->open == 6; tid++) {
			dgram_take(w, segment_of(tid, n, 1000));
			assert_true(rmpp_stats(w->r)->bytes_held <= 60000);
			while (rmpp_next_mad(w->r, &d, w->now))
				;
		}
	assert_int_equal(rmpp_stats(w->r)->open, 5);
	assert_int_equal(dgram_rmpp_head_decode(d.mad).type, RMPP_STOP);
}

static void
message_cap(void **state)
{
	struct world *w = *state;
	struct dgram d = { 0 };
	uint32_t n;

	for (n = 1; n < 1000 && (n == 1 || rmpp_stats(w->r)->open); n++) {
		dgram_take(w, segment_of(1, n, 1000));
		while (rmpp_next_mad(w->r, &d, w->now))
			;
		assert_true(rmpp_stats(w->r)->bytes_held <= 40000);
	}
	assert_int_equal(n - 1, (40000 - 56) / 200 + 1);
	assert_int_equal(dgram_rmpp_head_decode(d.mad).type, RMPP_STOP);
	d = message(CLASS_SA, METHOD_GET_TABLE_RESP, 1, 40001);
	assert_int_equal(rmpp_send(w->r, &d, 0, 0, 1, w->now), -EMSGSIZE);
	free(d.more);
	d = message(CLASS_PM, METHOD_GET, 1, 256);
	assert_int_equal(rmpp_send(w->r, &d, 0, 0, 1, w->now), -EINVAL);
	d = message(CLASS_SA, METHOD_GET, 1, 55);
	assert_int_equal(rmpp_send(w->r, &d, 0, 0, 1, w->now), -EINVAL);
	d = message(CLASS_SA, METHOD_GET_TABLE_RESP, 1, 256);
	assert_int_equal(rmpp_send(w->r, &d, 0, 0, 1, w->now), 0);
	assert_int_equal(rmpp_send(w->r, &d, 0, 0, 2, w->now), -EEXIST);
	rmpp_send_cancel(w->r, 1);
	assert_int_equal(rmpp_stats(w->r)->sending, 0);
	nothing(w);
}

/*
 * So many bytes may wait for one peer's acknowledgements, and for all; a cancelled or acknowledged
 * message counts no more.
 */
static void
send_caps(void **state)
{
	struct world *w = *state;
	struct dgram d = message(CLASS_SA, METHOD_GET_TABLE_RESP, 1, 40000);
	struct rmpp_end e;

	assert_int_equal(rmpp_send(w->r, &d, 0, 0, 1, w->now), 0);
	d = message(CLASS_SA, METHOD_GET_TABLE_RESP, 2, 20001);
	assert_int_equal(rmpp_send(w->r, &d, 0, 0, 2, w->now), -ENOBUFS);
	assert_non_null(d.more);                /* still ours */
	d.bytes--;
	assert_int_equal(rmpp_send(w->r, &d, 0, 0, 2, w->now), 0);
	d = message(CLASS_SA, METHOD_GET_TABLE_RESP, 3, 300);
	assert_int_equal(rmpp_send(w->r, &d, 0, 0, 3, w->now), -ENOBUFS);
	d.addr.lid++;                           /* another peer */
	assert_int_equal(rmpp_send(w->r, &d, 0, 0, 3, w->now), 0);
	assert_int_equal(rmpp_stats(w->r)->bytes_sending, 60300);
	d = message(CLASS_SA, METHOD_GET_TABLE_RESP, 4, 29701);
	d.addr.lid++;
	assert_int_equal(rmpp_send(w->r, &d, 0, 0, 4, w->now), -ENOBUFS);
	d.bytes--;
	assert_int_equal(rmpp_send(w->r, &d, 0, 0, 4, w->now), 0);
	rmpp_send_cancel(w->r, 1);
	assert_int_equal(rmpp_stats(w->r)->bytes_sending, 50000);
	while (rmpp_next_mad(w->r, &d, w->now))
		;
	w->now.us += 10000000;
	rmpp_tick(w->r, w->now);
	assert_int_equal(rmpp_stats(w->r)->bytes_sending, 0);
	rmpp_send_cancel(w->r, 3);              /* its end is not pulled any more */
	assert_true(rmpp_next_end(w->r, &e) && e.cookie != 3 && e.kind == RMPP_END_TIMED_OUT);
	assert_true(rmpp_next_end(w->r, &e) && e.cookie != 3);
	assert_false(rmpp_next_end(w->r, &e));
	d = message(CLASS_SA, METHOD_GET_TABLE_RESP, 5, 300);
	assert_int_equal(rmpp_send(w->r, &d, 0, 0, 5, w->now), 0);
	while (rmpp_next_mad(w->r, &d, w->now))
		;
	w->now.us += 10000000;
	rmpp_tick(w->r, w->now);
	assert_true(rmpp_next_end(w->r, &e) && e.cookie == 5);
}

/* The answer to a double-sided request starts with the window of the turn-around ACK. */
static void
turn_window(void **state)
{
	struct world *w = *state;
	struct dgram d = segment_of(8, 1, 1), m;

	d.mad[3] = METHOD_GET_MULTI;
	dgram_take(w, d);
	assert_int_equal(next(w, &d).type, RMPP_ACK);
	assert_true(rmpp_next_message(w->r, &m));
	d = message(CLASS_SA, METHOD_GET_MULTI, 8, 256);
	dgram_rmpp_head_encode(d.mad, &(struct dgram_rmpp_head){ .version = 1, .type = RMPP_ACK,
		.flags = RMPP_FLAG_ACTIVE, .length = 3 });
	dgram_take(w, d);
	start(w, message(CLASS_SA, METHOD_GET_MULTI_RESP, 8, 56 + 2000), 0, 0);
	for (uint32_t n = 1; n <= 3; n++)
		assert_int_equal(next(w, &d).segment, n);
	nothing(w);
}

static void
free_in_the_middle(void **state)
{
	struct world *w = *state;

	start(w, message(CLASS_SA, METHOD_GET_TABLE_RESP, 1, 5000), 0, 3);
	start(w, message(CLASS_SA, METHOD_GET_MULTI, 2, 200), 100, 3);
	dgram_take(w, segment_of(3, 1, 5));
	dgram_take(w, segment_of(4, 1, 2));
	dgram_take(w, segment_of(4, 2, 2));           /* a message nobody pulled */
	assert_true(control(w, METHOD_GET_TABLE_RESP, 77, (struct dgram_rmpp_head){ .type = 77 }));
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, rmpp_setup, rmpp_teardown)
	const struct CMUnitTest tests[] = {
		T(segment_headers), T(sender_resends_and_gives_up), T(progress_renews_retries), T(bad_acks),
		T(double_sided), T(receiver_acks_and_reassembles), T(single_segments), T(hostile_segments),
		T(passes_what_is_not_rmpp), T(total_time), T(caps), T(message_cap), T(send_caps), T(turn_window),
		T(free_in_the_middle),
	};

	return cmocka_run_group_tests_name("rmpp", tests, NULL, NULL);
}
