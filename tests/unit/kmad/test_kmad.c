/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_kmad.c - the emulated kernel: who may register what, whose an answer is, when a send comes back.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/test.h"
#include "tests/unit/hw/rig.h"
#include "sim/kmad/kmad.h"

struct bench {
	struct rig rig;
	struct kmad *k;
	struct kmad_file *a, *b;                /* A.1 and B.1 */
	struct kmad_head head;                  /* of the last message read */
	uint8_t mad[8192];
	uint32_t bytes;
};

static int
kmad_setup(void **state)
{
	struct bench *t = calloc(1, sizeof(*t));

	rig_make(&t->rig, &(struct hw_conf){ .seed = 1 });
	t->k = kmad_new(t->rig.h);
	t->a = kmad_open(t->k, A, 1, t);
	t->b = kmad_open(t->k, B, 1, NULL);
	*state = t;
	return 0;
}

static int
kmad_teardown(void **state)
{
	struct bench *t = *state;

	kmad_close(t->k, t->a);
	kmad_close(t->k, t->b);
	kmad_free(t->k);
	hw_free(t->rig.h);
	free(t);
	return 0;
}

static bool
next(struct bench *t, struct kmad_file *f)
{
	const struct kmad_message *m = kmad_peek(f);

	if (!m)
		return false;
	t->head = m->head;
	t->bytes = m->bytes;
	assert_true(m->bytes <= sizeof(t->mad));
	memcpy(t->mad, kmad_message_data(m), m->bytes);
	kmad_drop(t->k, f);
	return true;
}

static void
wait_ms(struct bench *t, int64_t ms)
{
	t->rig.now = monotime_add_us(t->rig.now, ms * 1000);
	kmad_tick(t->k, t->rig.now);
}

static struct kmad_reg
reg(uint8_t mgmt_class, uint8_t version, uint64_t methods)
{
	return (struct kmad_reg){
		.mgmt_class = mgmt_class, .class_version = version, .oui = 0x001405, .methods = { methods },
		.qpn = mgmt_class == CLASS_SM_LID || mgmt_class == CLASS_SM_DR ? 0 : 1,
	};
}

static int
try(struct bench *t, struct kmad_file *f, struct kmad_reg r)
{
	uint32_t id;
	int e = kmad_register(t->k, f, &r, &id);

	return e ? e : (int)id;
}

/* A directed-route Get(NodeInfo). */
static int
ask(struct bench *t, uint32_t agent, uint32_t tid, uint8_t hops, uint32_t timeout_ms, uint32_t retries)
{
	static const uint8_t path[64] = { 0, 1 };
	struct dgram_smp s = { .method = METHOD_GET, .attr_id = NODE_INFO_ID, .tid = UINT64_C(0xdead00000000) | tid,
		.hop_count = hops, .path = path };
	struct kmad_head h = { .agent = agent, .timeout_ms = timeout_ms, .retries = retries,
		.addr = { .lid = LID_PERMISSIVE, .qkey = 7 } };
	uint8_t mad[256];

	dgram_smp_make(mad, &s);
	return kmad_write(t->k, t->a, &h, mad, sizeof(mad), t->rig.now);
}

/* ---- registration ---- */

static void
ids_are_the_lowest_free(void **state)
{
	struct bench *t = *state;

	for (int i = 0; i < MESSAGE_AGENTS; i++)
		assert_int_equal(try(t, t->a, reg(CLASS_SM_DR, 1, 0)), i);
	assert_int_equal(try(t, t->a, reg(CLASS_SM_DR, 1, 0)), -ENOMEM);
	assert_int_equal(kmad_unregister(t->k, t->a, 17), 0);
	assert_int_equal(kmad_unregister(t->k, t->a, 17), -EINVAL);
	assert_int_equal(kmad_unregister(t->k, t->a, 32), -EINVAL);
	assert_int_equal(kmad_unregister(t->k, t->a, 3), 0);
	assert_int_equal(try(t, t->a, reg(CLASS_SM_DR, 1, 0)), 3);
	assert_int_equal(try(t, t->a, reg(CLASS_SM_DR, 1, 0)), 17);
	assert_int_equal(try(t, t->b, reg(CLASS_SM_DR, 1, 0)), 0);
}

static void
no_two_agents_of_a_port_share_a_method(void **state)
{
	struct bench *t = *state;
	struct kmad_file *second = kmad_open(t->k, A, 1, NULL);
	struct kmad_reg r = reg(CLASS_PM, 1, 1 << METHOD_GET | 1 << METHOD_SET);

	assert_int_equal(try(t, t->a, r), 0);
	assert_int_equal(try(t, t->a, r), -EINVAL);
	assert_int_equal(try(t, second, r), -EINVAL);           /* another file, the same port */
	assert_int_equal(try(t, t->b, r), 0);                   /* another port */
	assert_int_equal(try(t, second, reg(CLASS_PM, 1, 1 << METHOD_SET)), -EINVAL);
	assert_int_equal(try(t, second, reg(CLASS_PM, 1, 1 << METHOD_TRAP)), 0);
	assert_int_equal(try(t, second, reg(CLASS_PM, 2, 1 << METHOD_GET)), 1);         /* another version */
	assert_int_equal(try(t, second, reg(CLASS_PM, 1, 0)), 2);                       /* only answers */
	kmad_unregister(t->k, t->a, 0);
	assert_int_equal(try(t, second, reg(CLASS_PM, 1, 1 << METHOD_GET)), 3);
	kmad_close(t->k, second);
	assert_int_equal(try(t, t->a, r), 0);                   /* a close frees them all */
}

static void
vendor_classes_are_told_apart_by_oui(void **state)
{
	struct bench *t = *state;
	struct kmad_reg r = reg(CLASS_PING, 1, 1 << METHOD_GET);

	assert_int_equal(try(t, t->a, r), 0);
	assert_int_equal(try(t, t->a, r), -EINVAL);
	r.oui = 0;
	assert_int_equal(try(t, t->a, r), -EINVAL);
	for (int i = 1; i < 8; i++) {
		r.oui = 0x100u + (unsigned)i;
		assert_int_equal(try(t, t->a, r), i);
	}
	r.oui = 0x200;
	assert_int_equal(try(t, t->a, r), -EINVAL);             /* a ninth */
	r.oui = 0x101;
	r.methods[0] = 1 << METHOD_SET;
	assert_int_equal(try(t, t->a, r), 8);
}

static void
what_no_kernel_registers(void **state)
{
	struct bench *t = *state;
	struct kmad_reg r = reg(CLASS_SM_DR, 1, 0);

	r.qpn = 1;
	assert_int_equal(try(t, t->a, r), -EINVAL);
	r = reg(CLASS_SA, 2, 0);
	r.qpn = 0;
	assert_int_equal(try(t, t->a, r), -EINVAL);
	assert_int_equal(try(t, t->a, reg(0x50, 1, 0)), -EINVAL);
	assert_int_equal(try(t, t->a, reg(0x82, 1, 0)), -EINVAL);
	assert_int_equal(try(t, t->a, reg(CLASS_SA, 0x83, 0)), -EINVAL);
	r = reg(CLASS_PM, 1, 0);
	r.rmpp_version = 1;
	assert_int_equal(try(t, t->a, r), -EINVAL);             /* a class without RMPP */
	r = reg(CLASS_SA, 2, 0);
	r.rmpp_version = 2;
	assert_int_equal(try(t, t->a, r), -EINVAL);
	assert_null(kmad_open(t->k, A, 2, NULL));
	assert_null(kmad_open(t->k, S1, 1, NULL));
	assert_null(kmad_open(t->k, 99, 1, NULL));
}

/* ---- transactions ---- */

static void
a_request_gets_the_agents_tid_and_its_answer(void **state)
{
	struct bench *t = *state;
	uint32_t hi;

	assert_int_equal(try(t, t->a, reg(CLASS_SM_DR, 1, 0)), 0);
	assert_int_equal(ask(t, 0, 0x1234, 1, 100, 0), 0);
	assert_ptr_equal(kmad_next_ready(t->k), t->a);
	assert_ptr_equal(kmad_cookie(t->a), t);
	assert_true(next(t, t->a));
	assert_int_equal(t->bytes, 256);
	assert_int_equal(t->head.agent, 0);
	assert_int_equal(t->head.status, 0);
	assert_int_equal(t->head.addr.qkey, 0);
	assert_int_equal(dgram_method(t->mad), METHOD_GET_RESP);
	assert_int_equal((uint32_t)dgram_tid(t->mad), 0x1234);
	hi = (uint32_t)(dgram_tid(t->mad) >> 32);
	assert_true(hi != 0xdead && hi != 0 && hi < 1u << 24);  /* the kernel's, 24 bits */
	assert_int_equal(wire_get64(t->mad + 64 + 4), GUID_S1);
	assert_false(next(t, t->a));
	assert_null(kmad_next_ready(t->k));
	kmad_unregister(t->k, t->a, 0);
	assert_int_equal(try(t, t->a, reg(CLASS_SM_DR, 1, 0)), 0);
	ask(t, 0, 1, 0, 100, 0);
	assert_true(next(t, t->a));
	assert_true((uint32_t)(dgram_tid(t->mad) >> 32) != hi); /* never the same again soon */
}

static void
without_a_timeout_no_answer_comes(void **state)
{
	struct bench *t = *state;

	try(t, t->a, reg(CLASS_SM_DR, 1, 0));
	assert_int_equal(ask(t, 0, 1, 1, 0, 0), 0);
	assert_false(next(t, t->a));
	assert_int_equal(kmad_stats(t->k)->unmatched, 1);
	wait_ms(t, 100000);
	assert_false(next(t, t->a));
}

static void
a_send_that_expires_comes_back(void **state)
{
	struct bench *t = *state;
	struct monotime at;

	try(t, t->a, reg(CLASS_SM_DR, 1, 0));
	hw_misbehave(t->rig.h, S1, HW_MUTE, 0, 0);
	assert_int_equal(ask(t, 0, 0x77, 1, 200, 2), 0);
	assert_int_equal(ask(t, 0, 0x77, 1, 200, 2), -EINVAL);  /* in flight */
	assert_true(kmad_deadline(t->k, &at));
	assert_int_equal(at.us, 200000);
	wait_ms(t, 199);
	assert_int_equal(kmad_stats(t->k)->resent, 0);
	wait_ms(t, 1);
	assert_int_equal(kmad_stats(t->k)->resent, 1);
	wait_ms(t, 200);
	assert_int_equal(kmad_stats(t->k)->resent, 2);
	wait_ms(t, 199);
	assert_false(next(t, t->a));
	wait_ms(t, 1);
	assert_true(next(t, t->a));
	assert_int_equal(t->bytes, 24);
	assert_int_equal(t->head.status, ETIMEDOUT);
	assert_int_equal(t->head.agent, 0);
	assert_int_equal(t->head.addr.qkey, 7);                 /* the header as it was written */
	assert_int_equal(dgram_method(t->mad), METHOD_GET);
	assert_int_equal((uint32_t)dgram_tid(t->mad), 0x77);
	assert_true(dgram_tid(t->mad) >> 32 != 0xdead);
	assert_false(kmad_deadline(t->k, &at));
	assert_int_equal(ask(t, 0, 0x77, 1, 200, 2), 0);        /* free again */
}

/* Sends far apart in time, and past a turn of the wheel. */
static void
every_send_expires_at_its_own_time(void **state)
{
	static const uint32_t times_ms[] = { 1, 4095, 4096, 4097, 8192, 20000, 100, 100, 5000 };
	struct bench *t = *state;
	unsigned n = sizeof(times_ms) / sizeof(times_ms[0]), seen = 0;
	struct monotime at;

	try(t, t->a, reg(CLASS_SM_DR, 1, 0));
	hw_misbehave(t->rig.h, S1, HW_MUTE, 0, 0);
	t->rig.now.us = 5987654;
	kmad_tick(t->k, t->rig.now);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(ask(t, 0, i, 1, times_ms[i], 0), 0);
	while (kmad_deadline(t->k, &at)) {
		assert_true(at.us > t->rig.now.us);
		t->rig.now = at;
		kmad_tick(t->k, t->rig.now);
		while (next(t, t->a)) {
			unsigned i = (unsigned)dgram_tid(t->mad) & 0xff;

			assert_int_equal(t->rig.now.us - 5987654, (int64_t)times_ms[i] * 1000);
			seen++;
		}
	}
	assert_int_equal(seen, n);
}

static void
a_late_answer_finds_nobody(void **state)
{
	struct bench *t = *state;

	hw_latency_set(t->rig.h, 50000);
	try(t, t->a, reg(CLASS_SM_DR, 1, 0));
	ask(t, 0, 1, 1, 60, 0);
	wait_ms(t, 60);
	assert_true(next(t, t->a));
	assert_int_equal(t->head.status, ETIMEDOUT);
	wait_ms(t, 100);
	assert_false(next(t, t->a));
	assert_int_equal(kmad_stats(t->k)->unmatched, 1);
	ask(t, 0, 2, 1, 150, 0);
	kmad_unregister(t->k, t->a, 0);                         /* takes its sends along */
	wait_ms(t, 1000);
	assert_false(next(t, t->a));
}

static void
what_no_kernel_sends(void **state)
{
	struct bench *t = *state;
	struct kmad_head h = { .timeout_ms = 100, .addr = { .lid = LID_PERMISSIVE } };
	uint8_t mad[512] = { 1, CLASS_SM_DR, 1, METHOD_GET };

	try(t, t->a, reg(CLASS_SM_DR, 1, 0));
	wire_put16(mad + 16, NODE_INFO_ID);
	wire_put16(mad + 32, LID_PERMISSIVE);
	wire_put16(mad + 34, LID_PERMISSIVE);
	assert_int_equal(kmad_write(t->k, t->a, &h, mad, 35, t->rig.now), -EINVAL);
	assert_int_equal(kmad_write(t->k, t->a, &h, mad, 257, t->rig.now), -EINVAL);
	h.agent = 1;
	assert_int_equal(kmad_write(t->k, t->a, &h, mad, 256, t->rig.now), -EINVAL);
	h.agent = 0xffffffff;
	assert_int_equal(kmad_write(t->k, t->a, &h, mad, 256, t->rig.now), -EINVAL);
	h.agent = 0;
	mad[7] = 1;
	mad[129] = 2;                                           /* not our port */
	assert_int_equal(kmad_write(t->k, t->a, &h, mad, 256, t->rig.now), -EINVAL);
	mad[7] = 64;
	mad[129] = 1;
	assert_int_equal(kmad_write(t->k, t->a, &h, mad, 256, t->rig.now), -EINVAL);
	mad[7] = 0;
	assert_int_equal(kmad_write(t->k, t->a, &h, mad, 36, t->rig.now), 0);   /* short: padded with zeros */
	assert_true(next(t, t->a));
	assert_int_equal(wire_get64(t->mad + 64 + 4), GUID_A);
	assert_int_equal(t->head.addr.lid, LID_PERMISSIVE);
	assert_int_equal(kmad_stats(t->k)->refused, 6);
}

/* ---- requests between programs ---- */

/* A vendor MAD by LID from A to B. */
static int
ping(struct bench *t, struct kmad_file *f, uint8_t method, uint64_t tid, uint16_t lid, uint32_t timeout_ms, uint8_t rmpp,
	uint32_t bytes)
{
	struct kmad_head h = { .timeout_ms = timeout_ms, .addr = { .lid = lid, .qpn = 1 } };
	uint8_t mad[8192] = { 1, CLASS_PING, 1, method };

	wire_put64(mad + 8, tid);
	wire_put32(mad + 36, 0x001405);
	mad[26] = rmpp;
	for (uint32_t i = 40; i < bytes; i++)
		mad[i] = (uint8_t)(i * 7 + i / 256);
	return kmad_write(t->k, f, &h, mad, bytes, t->rig.now);
}

static void
requests_go_by_class_and_method(void **state)
{
	struct bench *t = *state;
	struct kmad_reg r = reg(CLASS_PING, 1, 1 << METHOD_GET);
	uint64_t tid;

	rig_bring_up(&t->rig);
	try(t, t->a, reg(CLASS_PING, 1, 0));
	assert_int_equal(ping(t, t->a, METHOD_GET, 5, 4, 100, 0, 256), 0);
	kmad_pump(t->k, t->rig.now);                            /* nobody there: the kernel answers */
	assert_true(next(t, t->a));
	assert_int_equal(dgram_method(t->mad), METHOD_GET_RESP);
	assert_int_equal(dgram_status(t->mad), 0x0c);
	assert_int_equal(ping(t, t->a, METHOD_SEND, 6, 4, 0, 0, 256), 0);
	kmad_pump(t->k, t->rig.now);
	assert_int_equal(kmad_stats(t->k)->answered, 1);        /* no answer to a Send */

	assert_int_equal(try(t, t->b, r), 0);
	assert_int_equal(ping(t, t->a, METHOD_GET, 7, 5, 100, 0, 256), 0);
	kmad_pump(t->k, t->rig.now);
	assert_true(next(t, t->b));
	assert_int_equal(t->head.addr.lid, 1);
	assert_int_equal(t->head.addr.qpn, 1);
	assert_int_equal(t->head.addr.path_bits, 1);            /* LID 5 of LID 4, LMC 1 */
	assert_int_equal(t->head.addr.pkey_index, 0);
	tid = dgram_tid(t->mad);
	assert_int_equal((uint32_t)tid, 7);
	assert_false(next(t, t->a));
	assert_int_equal(ping(t, t->b, METHOD_GET_RESP, tid, 1, 0, 0, 256), 0);         /* keeps its TID */
	kmad_pump(t->k, t->rig.now);
	assert_true(next(t, t->a));
	assert_true(dgram_tid(t->mad) == tid);
	assert_int_equal(ping(t, t->b, METHOD_GET_RESP, tid, 1, 0, 0, 256), 0);         /* once is enough */
	kmad_pump(t->k, t->rig.now);
	assert_false(next(t, t->a));
}

/* The same, but longer than a MAD, both ways. */
static void
long_messages_travel_in_segments(void **state)
{
	struct bench *t = *state;
	struct kmad_reg r = reg(CLASS_PING, 1, 1 << METHOD_GET);
	uint64_t tid;

	rig_bring_up(&t->rig);
	r.rmpp_version = 1;
	try(t, t->b, r);
	r.methods[0] = 0;
	try(t, t->a, r);
	assert_int_equal(ping(t, t->a, METHOD_GET, 9, 4, 1000, RMPP_FLAG_ACTIVE, 5000), 0);
	for (int i = 0; i < 50; i++)
		kmad_tick(t->k, t->rig.now);
	assert_true(next(t, t->b));
	assert_int_equal(t->bytes, 5000);
	for (uint32_t i = 40; i < 5000; i++)
		assert_int_equal(t->mad[i], (uint8_t)(i * 7 + i / 256));
	tid = dgram_tid(t->mad);
	assert_int_equal(ping(t, t->b, METHOD_GET_RESP, tid, 1, 0, RMPP_FLAG_ACTIVE, 8000), 0);
	for (int i = 0; i < 50; i++)
		kmad_tick(t->k, t->rig.now);
	assert_true(next(t, t->a));
	assert_int_equal(t->bytes, 8000);
	assert_true(dgram_tid(t->mad) == tid);
	for (uint32_t i = 40; i < 8000; i++)
		assert_int_equal(t->mad[i], (uint8_t)(i * 7 + i / 256));
	assert_false(next(t, t->a));
	wait_ms(t, 5000);
	assert_false(next(t, t->a));                            /* answered: it does not expire */
}

/* Nobody acknowledges: the send comes back. */
static void
a_transfer_that_nobody_takes_expires(void **state)
{
	struct bench *t = *state;
	struct kmad_reg r = reg(CLASS_PING, 1, 0);

	rig_bring_up(&t->rig);
	r.rmpp_version = 1;
	try(t, t->a, r);
	assert_int_equal(ping(t, t->a, METHOD_SEND, 9, 4, 100, RMPP_FLAG_ACTIVE, 5000), 0);
	for (int i = 0; i < 50 && !kmad_peek(t->a); i++)
		wait_ms(t, 100);
	assert_true(next(t, t->a));
	assert_int_equal(t->bytes, 24);
	assert_int_equal(t->head.status, ETIMEDOUT);
	assert_int_equal((uint32_t)dgram_tid(t->mad), 9);
}

/* A program that does RMPP itself sees every segment. */
static void
without_rmpp_a_segment_is_a_mad(void **state)
{
	struct bench *t = *state;
	struct kmad_reg r = reg(CLASS_PING, 1, 1 << METHOD_GET);

	rig_bring_up(&t->rig);
	try(t, t->a, reg(CLASS_PING, 1, 0));
	try(t, t->b, r);
	assert_int_equal(ping(t, t->a, METHOD_GET, 9, 4, 1000, 7, 5000), -EINVAL);
	assert_int_equal(ping(t, t->a, METHOD_GET, 9, 4, 1000, 7, 256), 0);
	assert_int_equal(ping(t, t->a, METHOD_GET, 9, 4, 1000, 7, 256), 0);     /* segments may share a TID */
	kmad_pump(t->k, t->rig.now);
	assert_true(next(t, t->b));
	assert_true(next(t, t->b));
	assert_int_equal(t->bytes, 256);
	assert_int_equal(t->mad[26], 7);
}

static void
one_program_holds_issm(void **state)
{
	struct bench *t = *state;

	assert_int_equal(kmad_issm_open(t->k, A, 1, t->rig.now), 0);
	assert_true(rig_port_info(&t->rig, 0, "").capability_mask & 2);
	assert_int_equal(kmad_issm_open(t->k, A, 1, t->rig.now), -EAGAIN);
	assert_int_equal(kmad_issm_open(t->k, A, 7, t->rig.now), -ENODEV);
	kmad_issm_close(t->k, A, 1, t->rig.now);
	assert_false(rig_port_info(&t->rig, 0, "").capability_mask & 2);
	assert_int_equal(kmad_issm_open(t->k, A, 1, t->rig.now), 0);
}

#define KMAD_TEST(f) cmocka_unit_test_setup_teardown(f, kmad_setup, kmad_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		KMAD_TEST(ids_are_the_lowest_free),
		KMAD_TEST(no_two_agents_of_a_port_share_a_method),
		KMAD_TEST(vendor_classes_are_told_apart_by_oui),
		KMAD_TEST(what_no_kernel_registers),
		KMAD_TEST(a_request_gets_the_agents_tid_and_its_answer),
		KMAD_TEST(without_a_timeout_no_answer_comes),
		KMAD_TEST(a_send_that_expires_comes_back),
		KMAD_TEST(every_send_expires_at_its_own_time),
		KMAD_TEST(a_late_answer_finds_nobody),
		KMAD_TEST(what_no_kernel_sends),
		KMAD_TEST(requests_go_by_class_and_method),
		KMAD_TEST(long_messages_travel_in_segments),
		KMAD_TEST(a_transfer_that_nobody_takes_expires),
		KMAD_TEST(without_rmpp_a_segment_is_a_mad),
		KMAD_TEST(one_program_holds_issm),
	};

	return cmocka_run_group_tests_name("kmad", tests, NULL, NULL);
}
