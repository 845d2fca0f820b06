/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_txn.c - scripts and the traces they must leave.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/txn/harness.h"

static int
txn_setup(void **state)
{
	struct txn_conf c = harness_conf();

	*state = harness_start(&c);
	return 0;
}

static int
txn_teardown(void **state)
{
	harness_end(*state);
	return 0;
}

static void
answered(void **state)
{
	struct harness *h = *state;
	struct dgram d;
	struct txn_end e;
	int ms;

	submit(h, 7, 42, 0x0015, 3);
	assert_true(txn_next_send(h->t, &d, &ms, h->now));
	assert_int_equal(ms, 100);
	assert_int_equal(d.bytes, 256);
	assert_int_equal(d.addr.lid, LID_PERMISSIVE);
	assert_int_equal(d.mad[1], 0x81);
	assert_int_equal(d.mad[3], METHOD_GET);
	assert_int_equal(d.mad[6], 0);
	assert_int_equal(d.mad[7], 3);
	assert_int_equal(dgram_attr_id(d.mad), 0x15);
	assert_int_equal(dgram_modifier(d.mad), 3);
	assert_memory_equal(dgram_initial_path(d.mad), harness_path, 4);
	dgram_smp_respond(d.mad, 0);
	memset(dgram_smp_data(d.mad), 0x5a, 64);
	assert_true(txn_receive(h->t, &d, h->now));
	assert_true(txn_next_end(h->t, &e));
	assert_int_equal(e.kind, TXN_END_OK);
	assert_int_equal(e.cookie, 42);
	assert_int_equal(e.target, 7);
	assert_int_equal(e.modifier, 3);
	assert_non_null(e.reply);
	assert_int_equal(e.reply->mad[64], 0x5a);
	assert_false(txn_next_end(h->t, &e));
	assert_int_equal(txn_pending(h->t), 0);
}

/*
 * An answer that the device dropped ends the request at once; one that answers something else, or a
 * request, ends nothing.
 */
static void
answer_too_long(void **state)
{
	struct harness *h = *state;
	struct dgram d, other;
	struct txn_end e;
	int ms;

	submit(h, 7, 42, 0x0015, 3);
	assert_true(txn_next_send(h->t, &d, &ms, h->now));
	other = d;
	other.status = EMSGSIZE;
	assert_false(txn_receive(h->t, &other, h->now));
	dgram_smp_respond(d.mad, 0);
	d.status = EMSGSIZE;
	d.bytes = 1u << 30;
	other = d;
	wire_put16(other.mad + 16, 0x11);
	assert_true(txn_receive(h->t, &other, h->now));
	assert_false(txn_next_end(h->t, &e));
	assert_true(txn_receive(h->t, &d, h->now));
	assert_true(txn_next_end(h->t, &e));
	assert_int_equal(e.kind, TXN_END_SEND_FAILED);
	assert_int_equal(e.error, EMSGSIZE);
	assert_int_equal(e.cookie, 42);
	assert_int_equal(txn_pending(h->t), 0);
}

static void
mute_node(void **state)
{
	struct harness *h = *state;

	submit(h, 1, 1, 0x0011, 0);
	pull(h);
	pass_until(h, 2000);
	expect(h,
		"0 send 0011/0 100 ms\n"
		"101 send 0011/0 200 ms\n"
		"302 send 0011/0 400 ms\n"
		"703 send 0011/0 400 ms\n"
		"1104 end 1 timed out tries 4\n");
	assert_int_equal(txn_stats(h->t)->all.retried, 3);
	assert_int_equal(txn_stats(h->t)->tries_expired, 4);
}

/* All tries wait equally long, and an answer to an early one counts while a later one is on the wire. */
static void
steady_tries(void **state)
{
	struct txn_conf c = harness_conf();
	struct harness *h;

	(void)state;
	c.steady = true;
	h = harness_start(&c);
	submit(h, 1, 1, 0x0011, 0);
	submit(h, 2, 2, 0x0011, 0);
	pull(h);
	pass_until(h, 150);
	answer(h, 1, 0);
	pull(h);
	pass_until(h, 2000);
	expect(h,
		"0 send 0011/0 100 ms\n"
		"0 send 0011/0 100 ms\n"
		"101 send 0011/0 100 ms\n"
		"101 send 0011/0 100 ms\n"
		"150 end 2 ok tries 2\n"
		"202 send 0011/0 100 ms\n"
		"303 send 0011/0 100 ms\n"
		"404 end 1 timed out tries 4\n");
	harness_end(h);
}

/* A request with tries and a timeout of its own: neither double, and others are as they were. */
static void
own_tries_and_timeout(void **state)
{
	struct harness *h = *state;

	txn_submit(h->t, &(struct txn_req){
		.target = 1, .cookie = 1, .mgmt_class = CLASS_SM_DR, .method = METHOD_GET, .attr_id = 0x0020,
		.hop_count = 3, .path = harness_path, .tries = 2, .timeout_us = 50000,
	}, h->now);
	submit(h, 2, 2, 0x0011, 0);
	pull(h);
	pass_until(h, 250);
	expect(h,
		"0 send 0020/0 50 ms\n"
		"0 send 0011/0 100 ms\n"
		"51 send 0020/0 50 ms\n"
		"101 send 0011/0 200 ms\n"
		"102 end 1 timed out tries 2\n");
}

static void
sends_that_come_back(void **state)
{
	struct harness *h = *state;

	submit(h, 1, 1, 0x0011, 0);
	pull(h);
	for (unsigned n = 0; n < 4; n++) {
		h->now.us += 100000;
		come_back(h, n);
		come_back(h, n);        /* twice: the second concerns nobody any more */
		pull(h);
	}
	expect(h,
		"0 send 0011/0 100 ms\n"
		"100 send 0011/0 200 ms\n"
		"200 send 0011/0 400 ms\n"
		"300 send 0011/0 400 ms\n"
		"400 end 1 timed out tries 4\n");
}

static void
answer_to_an_earlier_try(void **state)
{
	struct harness *h = *state;

	submit(h, 1, 1, 0x0011, 0);
	pull(h);
	pass_until(h, 310);
	assert_int_not_equal(dgram_tid(h->sent[0].mad), dgram_tid(h->sent[1].mad));
	answer(h, 0, 0);
	pull(h);
	answer(h, 1, 0);
	answer(h, 2, 0);
	pull(h);
	expect(h,
		"0 send 0011/0 100 ms\n"
		"101 send 0011/0 200 ms\n"
		"302 send 0011/0 400 ms\n"
		"310 end 1 ok tries 3\n");
	assert_int_equal(txn_stats(h->t)->late, 2);
	assert_int_equal(txn_stats(h->t)->in_flight, 0);
}

static void
busy_then_ok(void **state)
{
	struct harness *h = *state;

	submit(h, 1, 1, 0x0011, 0);
	pull(h);
	h->now.us = 5000;
	answer(h, 0, STATUS_BUSY);
	pull(h);
	pass_until(h, 20);
	answer(h, 1, STATUS_BUSY);
	pull(h);
	pass_until(h, 50);
	answer(h, 2, 0);
	pull(h);
	expect(h,
		"0 send 0011/0 100 ms\n"
		"15 send 0011/0 200 ms\n"
		"40 send 0011/0 400 ms\n"
		"50 end 1 ok tries 3\n");
	assert_int_equal(txn_stats(h->t)->busy, 2);
}

static void
busy_to_the_end(void **state)
{
	struct harness *h = *state;

	submit(h, 1, 1, 0x0011, 0);
	pull(h);
	for (unsigned n = 0; n < 4; n++) {
		answer(h, n, STATUS_BUSY);
		pass_until(h, 50 * (n + 1));
	}
	assert_non_null(strstr(h->trace, "end 1 status 0001 tries 4\n"));
	assert_int_equal(h->sent_n, 4);
}

static void
bad_status_is_an_end(void **state)
{
	struct harness *h = *state;
	unsigned n;

	submit(h, 1, 1, 0x0018, 0x10001);
	pull(h);
	answer(h, 0, STATUS_BAD_VALUE);
	pull(h);
	expect(h, "0 send 0018/65537 100 ms\n0 end 1 status 001c tries 1\n");
	assert_int_equal(txn_attr_stats(h->t, &n)[0].n.bad_status, 1);
	assert_int_equal(n, 1);
	assert_int_equal(txn_attr_stats(h->t, &n)[0].attr_id, 0x18);
}

static void
wrong_class(struct dgram *d)
{
	d->mad[1] = CLASS_SM_LID;
}

static void
wrong_method(struct dgram *d)
{
	d->mad[3] = METHOD_GET_TABLE_RESP;
}

static void
wrong_attr(struct dgram *d)
{
	d->mad[17] ^= 1;
}

static void
wrong_modifier(struct dgram *d)
{
	d->mad[23] ^= 1;
}

static void
no_direction(struct dgram *d)
{
	d->mad[4] &= 0x7f;
}

static void
cut_short(struct dgram *d)
{
	d->bytes = 100;
}

static void
other_route(struct dgram *d)
{
	d->mad[128 + 1] ^= 1;
}

static void
other_hops(struct dgram *d)
{
	d->mad[7]++;
}

static const struct {
	enum txn_mismatch kind;
	void (*spoil)(struct dgram *);
} spoilers[] = {
	{ TXN_MISMATCH_CLASS, wrong_class }, { TXN_MISMATCH_METHOD, wrong_method },
	{ TXN_MISMATCH_ATTR, wrong_attr }, { TXN_MISMATCH_MODIFIER, wrong_modifier },
	{ TXN_MISMATCH_DIRECTION, no_direction }, { TXN_MISMATCH_SHORT, cut_short },
	{ TXN_MISMATCH_ROUTE, other_route }, { TXN_MISMATCH_ROUTE, other_hops },
};

/* A wrong answer is counted, and the request goes on: to the right answer, or to its last try. */
static void
mismatches(void **state)
{
	for (unsigned k = 0; k < sizeof spoilers / sizeof *spoilers; k++)
		for (int right = 0; right < 2; right++) {
			struct txn_conf c = harness_conf();
			struct harness *h = harness_start(&c);
			struct monotime at;
			char want[256];

			submit(h, 1, 1, 0x0011, 0);
			pull(h);
			for (unsigned n = 0; n < h->sent_n; n++) {
				struct dgram d = answer_to(h, n, 0);

				spoilers[k].spoil(&d);
				assert_true(txn_receive(h->t, &d, h->now));
				if (right && n == 1)
					answer(h, n, 0);
				if (txn_deadline(h->t, &at))
					pass_until(h, at.us / 1000);
				pull(h);
			}
			snprintf(want, sizeof want, "end 1 %s tries %d (%s)\n", right ? "ok" : "timed out",
				right ? 2 : 4, txn_mismatch_text(spoilers[k].kind));
			assert_non_null(strstr(h->trace, want));
			assert_int_equal(txn_stats(h->t)->mismatched[spoilers[k].kind], right ? 2 : 4);
			assert_int_equal(txn_pending(h->t), 0);
			harness_end(h);
		}
	(void)state;
}

static void
foreign_datagrams(void **state)
{
	struct harness *h = *state;
	struct dgram d = { .bytes = 256 };

	submit(h, 1, 1, 0x0011, 0);
	pull(h);
	/* A request of another node with the very TID of ours. */
	d = h->sent[0];
	assert_false(txn_receive(h->t, &d, h->now));
	/* An answer that we gave came back unheard. */
	d = answer_to(h, 0, 0);
	d.status = 110;
	assert_false(txn_receive(h->t, &d, h->now));
	assert_int_equal(txn_pending(h->t), 1);
	/* An answer to nobody. */
	d = answer_to(h, 0, 0);
	wire_put64(d.mad + 8, 0);
	assert_true(txn_receive(h->t, &d, h->now));
	assert_int_equal(txn_stats(h->t)->late, 1);
}

static void
multi_path_answers_as_path(void **state)
{
	struct harness *h = *state;
	struct dgram_addr sa = { .lid = 5, .qpn = 1 };
	uint8_t payload[100];
	struct txn_end e;
	struct dgram d;

	memset(payload, 0xa5, sizeof payload);
	txn_submit(h->t, &(struct txn_req){
		.target = 0, .cookie = 9, .mgmt_class = CLASS_SA, .method = METHOD_GET_MULTI, .attr_id = 0x3a,
		.addr = &sa, .payload = payload, .payload_offset = 56, .payload_bytes = sizeof payload,
	}, h->now);
	memset(payload, 0, sizeof payload);     /* it was copied */
	pull(h);
	d = h->sent[0];
	assert_int_equal(d.addr.lid, 5);
	assert_int_equal(d.addr.qpn, 1);
	assert_int_equal(d.mad[2], 2);
	assert_int_equal(d.mad[55], 0);
	assert_int_equal(d.mad[56], 0xa5);
	assert_int_equal(d.mad[155], 0xa5);
	assert_int_equal(d.mad[156], 0);
	d.mad[3] = METHOD_GET_MULTI_RESP;
	wire_put16(d.mad + 16, 0x35);
	d.bytes = 1000;
	d.more = calloc(1, 1000);
	assert_true(txn_receive(h->t, &d, h->now));
	assert_null(d.more);
	assert_true(txn_next_end(h->t, &e));
	assert_int_equal(e.kind, TXN_END_OK);
	assert_int_equal(e.attr_id, 0x3a);
	assert_int_equal(e.reply->bytes, 1000);
	assert_non_null(e.reply->more);
}

/* GetTraceTable has no answer of its own. */
static void
trace_answers_as_table(void **state)
{
	struct harness *h = *state;
	struct dgram_addr sa = { .lid = 5, .qpn = 1 };
	struct txn_end e;
	struct dgram d;

	txn_submit(h->t, &(struct txn_req){
		.target = 0, .cookie = 9, .mgmt_class = CLASS_SA, .method = METHOD_GET_TRACE, .attr_id = 0x39, .addr = &sa,
	}, h->now);
	pull(h);
	d = h->sent[0];
	d.mad[3] = METHOD_GET_TRACE | METHOD_RESP;
	assert_true(txn_receive(h->t, &d, h->now));
	assert_false(txn_next_end(h->t, &e));
	d = h->sent[0];
	d.mad[3] = METHOD_GET_TABLE_RESP;
	assert_true(txn_receive(h->t, &d, h->now));
	assert_true(txn_next_end(h->t, &e));
	assert_int_equal(e.kind, TXN_END_OK);
}

static void
lid_routed_set(void **state)
{
	struct harness *h = *state;
	struct dgram_addr to = { .lid = 77 };
	uint8_t image[64];

	memset(image, 0x11, sizeof image);
	txn_submit(h->t, &(struct txn_req){
		.target = 3, .mgmt_class = CLASS_SM_LID, .method = METHOD_SET, .attr_id = 0x15, .modifier = 1,
		.mkey = 0x1122334455667788, .addr = &to, .payload = image, .payload_bytes = 64,
	}, h->now);
	image[0] = 0;
	pull(h);
	assert_int_equal(h->sent[0].mad[1], CLASS_SM_LID);
	assert_int_equal(h->sent[0].addr.lid, 77);
	assert_int_equal(dgram_mkey(h->sent[0].mad), 0x1122334455667788);
	assert_int_equal(h->sent[0].mad[64], 0x11);
	answer(h, 0, 0);        /* a Set is answered by a GetResp */
	h->used = 0;
	pull(h);
	expect(h, "0 end 0 ok tries 1\n");
}

static void
refused_sends(void **state)
{
	struct harness *h = *state;
	struct txn_end e;
	struct dgram d;
	int ms;

	submit(h, 1, 1, 0x0011, 0);
	for (int n = 0; n < 4; n++) {
		assert_true(txn_next_send(h->t, &d, &ms, h->now));
		txn_send_failed(h->t, &d, EINVAL, h->now);
		assert_false(txn_next_send(h->t, &d, &ms, h->now));     /* not at once */
		h->now.us += 1000000;
		txn_tick(h->t, h->now);
	}
	assert_true(txn_next_end(h->t, &e));
	assert_int_equal(e.kind, TXN_END_SEND_FAILED);
	assert_int_equal(e.error, EINVAL);
	assert_int_equal(txn_stats(h->t)->send_failed, 4);
	assert_int_equal(txn_pending(h->t), 0);
}

static void
windows(void **state)
{
	struct txn_conf c = harness_conf();
	struct harness *h;

	c.window_total = 3;
	c.window_target = 2;
	h = harness_start(&c);
	for (unsigned i = 0; i < 4; i++)
		submit(h, 1, 10 + i, 0x0015, i);
	for (unsigned i = 0; i < 4; i++)
		submit(h, 2, 20 + i, 0x0015, 10 + i);
	pull(h);
	/* Target 1 fills its window after two turns; 2 is not held up by what waits behind. */
	expect(h, "0 send 0015/0 100 ms\n0 send 0015/10 100 ms\n0 send 0015/1 100 ms\n");
	assert_int_equal(txn_stats(h->t)->in_flight, 3);
	answer(h, 0, 0);
	pull(h);
	expect(h, "0 end 10 ok tries 1\n0 send 0015/11 100 ms\n");
	answer(h, 1, 0);
	answer(h, 3, 0);
	pull(h);
	expect(h, "0 end 20 ok tries 1\n0 end 21 ok tries 1\n0 send 0015/2 100 ms\n0 send 0015/12 100 ms\n");
	harness_end(h);
	(void)state;
}

/* What is late takes no place from what was not asked yet, as far as 'window_late' goes. */
static void
late_window(void **state)
{
	struct txn_conf c = harness_conf();
	struct harness *h;

	c.window_total = 2;
	c.window_late = 2;
	c.late_us = 200000;             /* none is late before its second try */
	h = harness_start(&c);
	for (unsigned i = 0; i < 6; i++)
		submit(h, i, 10 + i, 0x0011, i);
	pull(h);
	expect(h, "0 send 0011/0 100 ms\n0 send 0011/1 100 ms\n");
	pass_until(h, 101);
	expect(h, "101 send 0011/0 200 ms\n101 send 0011/1 200 ms\n101 send 0011/2 100 ms\n101 send 0011/3 100 ms\n");
	assert_int_equal(txn_stats(h->t)->in_flight, 4);
	assert_int_equal(txn_stats(h->t)->late_in_flight, 2);
	/* A third one that is late is one of the two that count. */
	pass_until(h, 202);
	expect(h, "202 send 0011/2 200 ms\n202 send 0011/3 200 ms\n");
	assert_int_equal(txn_stats(h->t)->in_flight, 4);
	answer(h, 2, 0);
	pull(h);
	expect(h, "202 end 10 ok tries 2\n202 send 0011/4 100 ms\n");
	answer(h, 3, 0);
	pull(h);
	expect(h, "202 end 11 ok tries 2\n202 send 0011/5 100 ms\n");
	assert_int_equal(txn_stats(h->t)->late_in_flight, 2);
	harness_end(h);
	/* Here they are after 20 ms; the first try still takes its time. */
	c.late_us = 20000;
	c.window_total = c.window_late = 1;
	h = harness_start(&c);
	for (unsigned i = 0; i < 3; i++)
		submit(h, i, 10 + i, 0x0011, i);
	pull(h);
	pass_until(h, 110);
	expect(h, "0 send 0011/0 100 ms\n20 send 0011/1 100 ms\n101 send 0011/0 200 ms\n");
	assert_int_equal(txn_stats(h->t)->late_in_flight, 2);
	answer(h, 2, 0);
	pull(h);
	expect(h, "110 end 10 ok tries 2\n110 send 0011/2 100 ms\n");
	harness_end(h);
	(void)state;
}

/* One target with a thousand requests, mute; a hundred others with one each: nobody waits for the mute one. */
static void
no_starvation(void **state)
{
	struct txn_conf c = harness_conf();
	struct harness *h;

	c.window_total = 8;
	c.window_target = 4;
	h = harness_start(&c);
	for (unsigned i = 0; i < 1000; i++)
		submit(h, 0, i, 0x0015, 1);
	for (unsigned i = 1; i <= 100; i++)
		submit(h, i, 5000 + i, 0x0016, i);
	pull(h);
	for (unsigned n = 0; n < h->sent_n; n++) {
		if (dgram_attr_id(h->sent[n].mad) == 0x16)
			answer(h, n, 0);
		pull(h);
	}
	assert_int_equal(txn_stats(h->t)->ended, 100);
	assert_int_equal(h->now.us, 0);
	/* The mute one is given up after two requests; the other 996 never go out. */
	h->used = 0;
	pass_until(h, 2000);
	assert_int_equal(txn_pending(h->t), 0);
	assert_int_equal(txn_stats(h->t)->all.timed_out, 4);
	assert_int_equal(txn_stats(h->t)->skipped, 996);
	assert_true(txn_target_unresponsive(h->t, 0, h->now));
	harness_end(h);
	(void)state;
}

static void
breaker(void **state)
{
	struct txn_conf c = harness_conf();
	struct harness *h;

	c.window_target = 1;
	c.tries = 1;
	c.breaker_rest_us = 1000000;
	h = harness_start(&c);
	for (unsigned i = 0; i < 3; i++)
		submit(h, 5, i, 0x0015, i);
	pull(h);
	pass_until(h, 300);
	submit(h, 5, 3, 0x0015, 3);
	pull(h);
	expect(h,
		"0 send 0015/0 100 ms\n"
		"101 end 0 timed out tries 1\n"
		"101 send 0015/1 100 ms\n"
		"202 end 1 timed out tries 1\n"
		"202 end 2 skipped tries 0\n"
		"300 end 3 skipped tries 0\n");
	/* After its rest one try is enough to silence it again, one answer to trust it. */
	pass_until(h, 1300);
	submit(h, 5, 4, 0x0015, 4);
	submit(h, 5, 5, 0x0015, 5);
	pull(h);
	pass_until(h, 1500);
	expect(h, "1300 send 0015/4 100 ms\n1401 end 4 timed out tries 1\n1401 end 5 skipped tries 0\n");
	txn_target_reset(h->t, 5);
	submit(h, 5, 6, 0x0015, 6);
	submit(h, 5, 7, 0x0015, 7);
	pull(h);
	answer(h, h->sent_n - 1, 0);
	pull(h);
	pass_until(h, 2000);
	expect(h, "1500 send 0015/6 100 ms\n1500 end 6 ok tries 1\n1500 send 0015/7 100 ms\n1601 end 7 timed out tries 1\n");
	assert_false(txn_target_unresponsive(h->t, 5, h->now));
	harness_end(h);
	(void)state;
}

/* Only requests that time out in a row make a target mute. */
static void
breaker_counts_in_a_row(void **state)
{
	struct txn_conf c = harness_conf();
	struct harness *h;

	c.tries = 1;
	h = harness_start(&c);
	for (unsigned i = 0; i < 5; i++) {
		submit(h, 6, i, 0x0015, i);
		pull(h);
		if (i == 1)
			answer(h, i, 0);
		pull(h);
		pass_until(h, 200 * (i + 1));
		assert_int_equal(txn_target_unresponsive(h->t, 6, h->now), i >= 3);
	}
	assert_int_equal(txn_stats(h->t)->all.timed_out, 3);
	assert_int_equal(txn_stats(h->t)->skipped, 1);
	harness_end(h);
	(void)state;
}

static void
adaptive_timeouts(void **state)
{
	struct txn_conf c = harness_conf();
	struct harness *h;

	c.timeout_first_us = 200000;
	c.timeout_floor_us = 20000;
	c.window_target = 1;
	h = harness_start(&c);
	submit(h, 1, 1, 0x0015, 1);
	pull(h);
	assert_int_equal(h->timeout_ms[0], 200);
	h->now.us = 30000;
	answer(h, 0, 0);
	submit(h, 1, 2, 0x0015, 2);
	submit(h, 2, 3, 0x0015, 3);
	pull(h);
	assert_int_equal(h->timeout_ms[1] + h->timeout_ms[2], 90 + 200);        /* 30 + 4 * 15, and a new target */
	for (unsigned i = 0; i < 50; i++) {             /* always 1 ms: down to the floor, not below */
		unsigned n = h->sent_n;

		submit(h, 3, 100 + i, 0x0015, 4);
		pull(h);
		h->now.us += 1000;
		answer(h, n, 0);
		pull(h);
	}
	assert_int_equal(h->timeout_ms[h->sent_n - 1], 20);
	harness_end(h);
	(void)state;
}

static void
urgent_first(void **state)
{
	struct txn_conf c = harness_conf();
	struct harness *h;

	c.window_total = 1;
	h = harness_start(&c);
	for (unsigned i = 0; i < 3; i++)
		submit(h, i, i, 0x0015, i);
	for (unsigned i = 0; i < 2; i++)
		txn_submit(h->t, &(struct txn_req){
			.target = 2, .cookie = 10 + i, .mgmt_class = CLASS_SM_DR, .method = METHOD_GET,
			.attr_id = 0x20, .modifier = i, .hop_count = 3, .path = harness_path, .urgent = true,
		}, h->now);
	pull(h);
	for (unsigned n = 0; n < 5; n++) {
		answer(h, n, 0);
		pull(h);
	}
	expect(h,
		"0 send 0020/0 100 ms\n0 end 10 ok tries 1\n"
		"0 send 0020/1 100 ms\n0 end 11 ok tries 1\n"
		"0 send 0015/0 100 ms\n0 end 0 ok tries 1\n"
		"0 send 0015/1 100 ms\n0 end 1 ok tries 1\n"
		"0 send 0015/2 100 ms\n0 end 2 ok tries 1\n");
	harness_end(h);
	(void)state;
}

/* Generations run over their end: no TID is 0, none is used twice while in flight. */
static void
tid_wrap(void **state)
{
	struct txn_conf c = harness_conf();
	struct harness *h;

	c.tid_start = UINT32_MAX - 3;
	c.breaker_ends = 0;
	h = harness_start(&c);
	for (unsigned round = 0; round < 8; round++) {
		unsigned from = h->sent_n;

		for (unsigned i = 0; i < 256; i++) {
			submit(h, i, i, 0x0015, i);
			if (i % 64 == 63) {
				pull(h);
				for (unsigned n = from; n < h->sent_n; n++) {
					for (unsigned m = from; m < n; m++)
						assert_int_not_equal(dgram_tid(h->sent[n].mad), dgram_tid(h->sent[m].mad));
					answer(h, n, 0);
				}
				from = h->sent_n;
				h->used = 0;
				pull(h);
			}
		}
		assert_int_equal(txn_pending(h->t), 0);
	}
	assert_int_equal(txn_stats(h->t)->late, 0);
	assert_int_equal(txn_stats(h->t)->all.received, 8 * 256);
	/* A retry over the wrap: the answer to the try before it is still known. */
	harness_end(h);
	c.tid_start = UINT32_MAX - 1;
	h = harness_start(&c);
	submit(h, 1, 1, 0x0011, 0);
	pull(h);
	pass_until(h, 310);
	answer(h, 0, 0);
	pull(h);
	assert_non_null(strstr(h->trace, "end 1 ok tries 3\n"));
	harness_end(h);
	(void)state;
}

static void
cancel(void **state)
{
	struct harness *h = *state;
	struct monotime at;

	for (unsigned i = 0; i < 6; i++)
		submit(h, 1, i, 0x0015, i);
	submit(h, 2, 20, 0x0016, 0);
	pull(h);
	h->used = 0;
	txn_cancel_target(h->t, 1);
	pull(h);
	expect(h,
		"0 end 0 cancelled tries 1\n0 end 1 cancelled tries 1\n0 end 2 cancelled tries 1\n"
		"0 end 3 cancelled tries 1\n0 end 4 cancelled tries 0\n0 end 5 cancelled tries 0\n");
	answer(h, 0, 0);
	assert_int_equal(txn_stats(h->t)->late, 1);
	txn_cancel_all(h->t);
	pull(h);
	expect(h, "0 end 20 cancelled tries 1\n");
	assert_false(txn_deadline(h->t, &at));
	assert_int_equal(txn_pending(h->t), 0);
}

/* By cookie, on the wire and in queues; what stays keeps its order, the urgent before the others. */
static void
cancel_cookies(void **state)
{
	struct harness *h = *state;

	for (unsigned i = 0; i < 10; i++)
		submit(h, 1, i, 0x0015, i);
	submit(h, 2, 21, 0x0016, 0);
	pull(h);
	h->used = 0;
	txn_cancel_cookies(h->t, 1, 1);
	pull(h);
	expect(h,
		"0 end 21 cancelled tries 1\n0 end 1 cancelled tries 1\n0 end 3 cancelled tries 1\n"
		"0 end 5 cancelled tries 0\n0 end 7 cancelled tries 0\n0 end 9 cancelled tries 0\n"
		"0 send 0015/4 100 ms\n0 send 0015/6 100 ms\n");
	assert_int_equal(txn_pending(h->t), 5);
}

static void
oldest(void **state)
{
	struct harness *h = *state;
	struct monotime at;

	assert_false(txn_oldest(h->t, &at));
	h->now.us = 1000;
	submit(h, 1, 1, 0x0015, 1);
	pull(h);
	h->now.us = 2000;
	submit(h, 2, 2, 0x0015, 2);
	pull(h);
	pass_until(h, 110);             /* retries do not make it younger */
	assert_true(txn_oldest(h->t, &at));
	assert_int_equal(at.us, 1000);
	answer(h, 0, 0);
	assert_true(txn_oldest(h->t, &at));
	assert_int_equal(at.us, 2000);
}

/* Freed with everything in every state: the sanitizer watches. */
static void
free_in_the_middle(void **state)
{
	struct harness *h = *state;
	struct dgram d;

	for (unsigned i = 0; i < 500; i++)
		submit(h, i % 50, i, 0x0015, i);
	pull(h);
	answer(h, 0, STATUS_BUSY);
	come_back(h, 1);
	d = answer_to(h, 2, 0);
	d.more = malloc(300);
	assert_true(txn_receive(h->t, &d, h->now));
	assert_true(txn_ends_waiting(h->t));
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, txn_setup, txn_teardown)
	const struct CMUnitTest tests[] = {
		T(answered), T(answer_too_long),
		T(mute_node), T(steady_tries), T(own_tries_and_timeout), T(sends_that_come_back), T(answer_to_an_earlier_try),
		T(busy_then_ok),
		T(busy_to_the_end), T(bad_status_is_an_end), T(mismatches), T(foreign_datagrams),
		T(multi_path_answers_as_path), T(trace_answers_as_table), T(lid_routed_set), T(refused_sends), T(windows), T(late_window), T(no_starvation),
		T(breaker), T(breaker_counts_in_a_row), T(adaptive_timeouts), T(urgent_first), T(tid_wrap), T(cancel), T(cancel_cookies),
		T(oldest),
		T(free_in_the_middle),
	};

	return cmocka_run_group_tests_name("txn", tests, NULL, NULL);
}
