/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_txn_pool.c - who owns what a request points to, and that recycled memory carries nothing
 * from one request to the next.
 */
#include <config.h>
#include "tests/unit/txn/harness.h"
#include "libmad/txn/txn_impl.h"

static const struct dgram_addr far_end = { .lid = 9, .qpn = 1, .sl = 3 };

static int
txn_pool_setup(void **state)
{
	struct txn_conf c = harness_conf();

	c.window_total = 64;
	c.window_target = 64;
	*state = harness_start(&c);
	return 0;
}

static int
txn_pool_teardown(void **state)
{
	harness_end(*state);
	return 0;
}

static struct dgram
next_send(struct harness *h)
{
	struct dgram d;
	int ms;

	assert_true(txn_next_send(h->t, &d, &ms, h->now));
	return d;
}

/* Address and payload are copied: the caller may overwrite both at once. */
static void
copied(void **state)
{
	struct harness *h = *state;
	struct dgram_addr addr = far_end;
	uint8_t payload[64], want[64], path[4] = { 0, 1, 2, 3 };
	struct dgram d;

	memset(payload, 0x5a, sizeof payload);
	memset(want, 0x5a, sizeof want);
	txn_submit(h->t, &(struct txn_req){
		.target = 1, .mgmt_class = CLASS_PM, .method = METHOD_SET, .attr_id = 0x12,
		.addr = &addr, .payload = payload, .payload_bytes = 64,
	}, h->now);
	txn_submit(h->t, &(struct txn_req){
		.target = 2, .mgmt_class = CLASS_SM_DR, .method = METHOD_SET, .attr_id = 0x15,
		.hop_count = 3, .path = path, .payload = payload, .payload_bytes = 64,
	}, h->now);
	memset(payload, 0, sizeof payload);
	memset(&addr, 0, sizeof addr);
	d = next_send(h);
	assert_int_equal(d.addr.lid, 9);
	assert_int_equal(d.addr.sl, 3);
	assert_memory_equal(dgram_gmp_data(d.mad), want, 64);
	d = next_send(h);
	assert_memory_equal(dgram_smp_data(d.mad), want, 64);
}

/* A kept payload is read when it is sent, so a retry shows what it holds then. */
static void
kept(void **state)
{
	struct harness *h = *state;
	uint8_t payload[64] = { 1 };
	struct dgram d;

	txn_submit(h->t, &(struct txn_req){
		.target = 1, .mgmt_class = CLASS_SM_DR, .method = METHOD_SET, .attr_id = 0x15,
		.payload = payload, .payload_bytes = 64, .payload_borrowed = true,
	}, h->now);
	payload[0] = 2;
	d = next_send(h);
	assert_int_equal(dgram_smp_data(d.mad)[0], 2);
}

/* Payloads at the ends of what a MAD can hold. */
static void
payload_bounds(void **state)
{
	struct harness *h = *state;
	uint8_t payload[232];
	struct dgram d;

	for (unsigned i = 0; i < sizeof payload; i++)
		payload[i] = (uint8_t)(i + 1);
	txn_submit(h->t, &(struct txn_req){
		.target = 1, .mgmt_class = CLASS_CC, .method = METHOD_SET, .attr_id = 0x12,
		.addr = &far_end, .payload = payload, .payload_offset = 24, .payload_bytes = 232,
	}, h->now);
	d = next_send(h);
	assert_memory_equal(d.mad + 24, payload, 232);
	txn_submit(h->t, &(struct txn_req){
		.target = 1, .mgmt_class = CLASS_SA, .method = METHOD_SET, .attr_id = 0x12,
		.addr = &far_end, .payload = payload, .payload_offset = 255, .payload_bytes = 1,
	}, h->now);
	d = next_send(h);
	assert_int_equal(d.mad[254], 0);
	assert_int_equal(d.mad[255], 1);
}

/* Without a payload the data is zero, also in memory that held another request's payload. */
static void
nothing_left_over(void **state)
{
	struct harness *h = *state;
	static const uint8_t zero[192];
	uint8_t payload[192];
	struct dgram d;
	struct txn_end e;

	memset(payload, 0xff, sizeof payload);
	for (unsigned i = 0; i < 300; i++) {
		txn_submit(h->t, &(struct txn_req){
			.target = 1, .mgmt_class = CLASS_PM, .method = METHOD_GET, .attr_id = 0x12,
			.addr = &far_end, .cookie = i, .modifier = i,
			.payload = i % 2 ? payload : NULL, .payload_bytes = i % 2 ? 192 : 0,
		}, h->now);
		d = next_send(h);
		assert_memory_equal(dgram_gmp_data(d.mad), i % 2 ? payload : zero, 192);
		assert_int_equal(dgram_modifier(d.mad), i);
		dgram_set_method(d.mad, METHOD_GET_RESP);
		assert_true(txn_receive(h->t, &d, h->now));
		assert_true(txn_next_end(h->t, &e));
		assert_int_equal(e.cookie, i);
		assert_int_equal(e.mismatched, 0);
		assert_int_equal(e.tries, 1);
	}
}

static unsigned
chunks(const struct harness *h)
{
	unsigned n = 0;

	for (const struct txn_chunk *c = h->t->chunks; c; c = c->next)
		n++;
	return n;
}

/* 'n' requests at once, of both kinds, each with bytes of its own, all answered. */
static void
answer_many(struct harness *h, unsigned n)
{
	unsigned done = 0;
	struct txn_end e;
	struct dgram d;
	int ms;

	for (unsigned i = 0; i < n; i++) {
		uint8_t payload[64];

		memset(payload, (int)(i % 251), sizeof payload);
		txn_submit(h->t, &(struct txn_req){
			.target = i % 50, .cookie = i, .modifier = i,
			.mgmt_class = i % 2 ? CLASS_SM_DR : CLASS_PM, .method = METHOD_SET,
			.attr_id = 0x15, .addr = i % 2 ? NULL : &far_end,
			.payload = payload, .payload_bytes = 64,
		}, h->now);
	}
	assert_int_equal(txn_pending(h->t), n);
	while (txn_next_send(h->t, &d, &ms, h->now)) {
		uint32_t i = dgram_modifier(d.mad);

		assert_int_equal(d.mad[64], i % 251);
		assert_int_equal(d.mad[127], i % 251);
		if (i % 2)
			dgram_smp_respond(d.mad, 0);
		else
			dgram_set_method(d.mad, METHOD_GET_RESP);
		assert_true(txn_receive(h->t, &d, h->now));
		assert_true(txn_next_end(h->t, &e));
		assert_int_equal(e.cookie, i);
		assert_int_equal(e.kind, TXN_END_OK);
		assert_int_equal(e.reply->mad[100], i % 251);
		done++;
	}
	assert_int_equal(done, n);
	assert_int_equal(txn_pending(h->t), 0);
}

/* Thousands of requests; the same number again, in recycled memory, calls the allocator no more. */
static void
many(void **state)
{
	struct harness *h = *state;
	unsigned before;

	answer_many(h, 3000);
	before = chunks(h);
	for (unsigned i = 0; i < 3; i++)
		answer_many(h, 3000);
	assert_int_equal(chunks(h), before);
}

/* A reply stays readable until the next end is pulled, whatever is submitted and sent meanwhile. */
static void
reply_lasts(void **state)
{
	struct harness *h = *state;
	struct txn_end e;
	uint8_t payload[64] = { 0 };
	struct dgram d;

	submit(h, 1, 1, 0x15, 0);
	d = next_send(h);
	dgram_smp_respond(d.mad, 0);
	memset(dgram_smp_data(d.mad), 0x77, 64);
	assert_true(txn_receive(h->t, &d, h->now));
	assert_true(txn_next_end(h->t, &e));
	for (unsigned i = 0; i < 50; i++) {
		txn_submit(h->t, &(struct txn_req){
			.target = 2, .mgmt_class = CLASS_SM_DR, .method = METHOD_SET,
			.attr_id = 0x15, .payload = payload, .payload_bytes = 64,
		}, h->now);
		d = next_send(h);
		dgram_smp_respond(d.mad, 0);
		assert_true(txn_receive(h->t, &d, h->now));
	}
	assert_int_equal(e.reply->mad[64], 0x77);
	assert_int_equal(e.reply->mad[127], 0x77);
}

/* Requests, ends and replies that nobody pulled are freed with the txn. */
static void
free_with_everything(void **state)
{
	struct harness *h = *state;

	for (unsigned i = 0; i < 200; i++)
		submit(h, i % 7, i, 0x15, i);
	for (unsigned i = 0; i < 30; i++) {
		struct dgram d = next_send(h);

		dgram_smp_respond(d.mad, 0);
		d.more = calloc(1, 300);
		d.bytes = 300;
		assert_true(txn_receive(h->t, &d, h->now));
		assert_null(d.more);
	}
	txn_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(copied, txn_pool_setup, txn_pool_teardown),
		cmocka_unit_test_setup_teardown(kept, txn_pool_setup, txn_pool_teardown),
		cmocka_unit_test_setup_teardown(payload_bounds, txn_pool_setup, txn_pool_teardown),
		cmocka_unit_test_setup_teardown(
			nothing_left_over, txn_pool_setup, txn_pool_teardown),
		cmocka_unit_test_setup_teardown(many, txn_pool_setup, txn_pool_teardown),
		cmocka_unit_test_setup_teardown(reply_lasts, txn_pool_setup, txn_pool_teardown),
		cmocka_unit_test_setup_teardown(
			free_with_everything, txn_pool_setup, txn_pool_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
