/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_errors.c - every completion status of transport types other than reliable datagrams, at
 * both ends, and the states of the queue pairs afterwards.
 */
#include <config.h>
#include "tests/unit/verbs/soft/rig.h"

#define SIGNALED IBV_SEND_SIGNALED

static struct ibv_send_wr
write_wr(const struct rig *r, uint64_t at, uint32_t rkey)
{
	struct ibv_send_wr wr = { .wr_id = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = SIGNALED };

	wr.wr.rdma.remote_addr = (uintptr_t)r->b.buf + at;
	wr.wr.rdma.rkey = rkey;
	return wr;
}

/* a's work request 1 fails with 'status', and the one behind it is flushed; a ends in ERR. */
static void
expect_sender(struct rig *r, enum ibv_wc_status status)
{
	rig_expect(r, r->a.scq, 1, status);
	rig_expect_none(r, r->a.scq, 100);
	assert_int_equal(rig_state(r, &r->a), IBV_QPS_ERR);
	rig_do(r, IBV_WR_SEND, 0, 8, 99);
	rig_expect(r, r->a.scq, 99, IBV_WC_WR_FLUSH_ERR);
}

static void
remote_access(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct rig r = rig_open(1);
		struct verbs_mr *mr;
		struct ibv_send_wr wr;

		rig_connect(&r);
		assert_int_equal(r.ops->reg_mr(r.b.pd, r.b.buf, 4096, IBV_ACCESS_LOCAL_WRITE, &mr),
			0);
		wr = write_wr(&r, i == 1 ? RIG_BYTES - 8 : 0, i == 0 ? r.b.mr->rkey + 0x100 :
			i == 2 ? mr->rkey : r.b.mr->rkey);
		if (i == 3) {
			wr.opcode = IBV_WR_RDMA_READ;
			wr.wr.rdma.rkey ^= 1;
		}
		assert_int_equal(rig_post(&r, &r.a, wr, rig_sge(&r.a, 0, 16)), 0);
		expect_sender(&r, IBV_WC_REM_ACCESS_ERR);
		assert_int_equal(rig_state(&r, &r.b), IBV_QPS_ERR);
		rig_expect_event(&r, &r.b, IBV_EVENT_QP_ACCESS_ERR);
		rig_expect_no_event(&r, &r.b);
		assert_int_equal(r.ops->dereg_mr(mr), 0);
		rig_close(&r);
	}
}

/* A write with immediate data and a wrong key consumes the receive. */
static void
local_access(void **state)
{
	struct rig r = rig_open(1);
	struct ibv_send_wr wr;

	(void)state;
	rig_connect(&r);
	rig_recv(&r, &r.b, 0, 8, 5);
	rig_recv(&r, &r.b, 0, 8, 6);
	wr = write_wr(&r, 0, r.b.mr->rkey + 0x100);
	wr.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
	assert_int_equal(rig_post(&r, &r.a, wr, rig_sge(&r.a, 0, 16)), 0);
	expect_sender(&r, IBV_WC_REM_ACCESS_ERR);
	rig_expect(&r, r.b.rcq, 5, IBV_WC_LOC_ACCESS_ERR);
	rig_expect(&r, r.b.rcq, 6, IBV_WC_WR_FLUSH_ERR);
	rig_expect_no_event(&r, &r.b);
	rig_close(&r);
}

static void
remote_invalid_request(void **state)
{
	static const enum ibv_wr_opcode ops[] = {
		IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_WR_RDMA_READ,
		IBV_WR_ATOMIC_FETCH_AND_ADD,
	};

	(void)state;
	for (int i = 0; i < 5; i++) {
		struct rig r = rig_open(1);

		if (i < 3)
			r.b_access = 0;                 /* the queue pair lacks the right */
		else if (i == 3)
			r.dest_rd_atomic = 0;           /* no resources */
		rig_connect(&r);
		rig_do(&r, ops[i], i == 4 ? 4 : 0, 8, 1);       /* 4: not aligned */
		expect_sender(&r, IBV_WC_REM_INV_REQ_ERR);
		assert_int_equal(rig_state(&r, &r.b), IBV_QPS_ERR);
		rig_expect_event(&r, &r.b, IBV_EVENT_QP_REQ_ERR);
		rig_close(&r);
	}
}

static void
receive_too_small(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct rig r = rig_open(1);

		rig_connect(&r);
		rig_recv(&r, &r.b, 0, i ? 300 : 15, 5);
		rig_recv(&r, &r.b, 0, 8, 6);
		rig_do(&r, IBV_WR_SEND, 0, i ? 1000 : 16, 1);
		expect_sender(&r, IBV_WC_REM_INV_REQ_ERR);
		rig_expect(&r, r.b.rcq, 5, IBV_WC_LOC_LEN_ERR);
		rig_expect(&r, r.b.rcq, 6, IBV_WC_WR_FLUSH_ERR);
		rig_close(&r);
	}
}

static void
receive_with_wrong_key(void **state)
{
	struct rig r = rig_open(1);

	(void)state;
	rig_connect(&r);
	r.b.mr->lkey ^= 0x100;
	rig_recv(&r, &r.b, 0, 100, 5);
	r.b.mr->lkey ^= 0x100;
	rig_do(&r, IBV_WR_SEND, 0, 16, 1);
	expect_sender(&r, IBV_WC_REM_OP_ERR);
	rig_expect(&r, r.b.rcq, 5, IBV_WC_LOC_PROT_ERR);
	rig_close(&r);
}

/* Earlier requests complete first; the receiver notices nothing. */
static void
send_with_wrong_key(void **state)
{
	struct rig r = rig_open(1);
	struct ibv_sge wrong = rig_sge(&r.a, 0, 100);
	struct ibv_send_wr wr = { .wr_id = 1, .opcode = IBV_WR_SEND, .send_flags = SIGNALED };

	(void)state;
	rig_connect(&r);
	rig_recv(&r, &r.b, 0, 100, 5);
	rig_do(&r, IBV_WR_RDMA_READ, 0, 5000, 0);
	wrong.lkey++;
	assert_int_equal(rig_post(&r, &r.a, wr, wrong), 0);
	rig_expect(&r, r.a.scq, 0, IBV_WC_SUCCESS);
	expect_sender(&r, IBV_WC_LOC_PROT_ERR);
	rig_expect_none(&r, r.b.rcq, 1000);
	assert_int_equal(rig_state(&r, &r.b), IBV_QPS_RTS);
	rig_close(&r);
}

static void
local_length_and_operation(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		struct rig r = rig_open(1);
		struct ibv_send_wr wr = write_wr(&r, 0, 1);
		struct ibv_sge sge = rig_sge(&r.a, 0, i == 0 ? 0x40000001 : i == 1 ? 12 : 8);

		wr.opcode = i == 0 ? IBV_WR_RDMA_WRITE : i == 1 ? IBV_WR_ATOMIC_FETCH_AND_ADD :
			IBV_WR_RDMA_READ;
		if (i == 2)
			/* It may have no outstanding read, so it never sends this one. */
			r.rd_atomic = 0;
		rig_connect(&r);
		assert_int_equal(rig_post(&r, &r.a, wr, sge), 0);
		expect_sender(&r, i == 2 ? IBV_WC_LOC_QP_OP_ERR : IBV_WC_LOC_LEN_ERR);
		rig_close(&r);
	}
}

/* Retries come after 4.096 us * 2^timeout each, and as many as allowed. */
static void
retries_exceeded(void **state)
{
	(void)state;
	for (uint8_t retry = 0; retry <= 7; retry += 7) {
		struct rig r = rig_open(1);
		uint64_t t, expected = (UINT64_C(4096) << 10) * (retry + 1u);

		r.timeout = 10;
		r.retry = retry;
		rig_connect(&r);
		assert_int_equal(rig_to(&r, &r.b, IBV_QPS_ERR), 0);
		t = r.ops->now_ns(r.world);
		rig_do(&r, IBV_WR_SEND, 0, 16, 1);
		rig_expect(&r, r.a.scq, 1, IBV_WC_RETRY_EXC_ERR);
		t = r.ops->now_ns(r.world) - t;
		assert_in_range(t, expected, expected + 1000 * (retry + 1u));
		rig_close(&r);
	}
}

/* Timeout 0: it waits forever. */
static void
no_timeout(void **state)
{
	struct rig r = rig_open(1);

	(void)state;
	r.timeout = 0;
	rig_connect(&r);
	assert_int_equal(rig_to(&r, &r.b, IBV_QPS_ERR), 0);
	rig_do(&r, IBV_WR_SEND, 0, 16, 1);
	rig_expect_none(&r, r.a.scq, 4000000);
	assert_int_equal(rig_state(&r, &r.a), IBV_QPS_RTS);
	rig_close(&r);
}

static void
receiver_not_ready(void **state)
{
	static const struct { uint8_t retry, timer; uint32_t wait_us; } rows[] = {
		{ 0, 1, 0 }, { 1, 1, 10 }, { 3, 20, 3 * 10240 }, { 6, 5, 6 * 60 }, { 1, 0, 655360 },
			{ 1, 31, 491520 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig r = rig_open(1);
		uint64_t t;

		r.rnr_retry = rows[i].retry;
		r.rnr_timer = rows[i].timer;
		rig_connect(&r);
		t = r.ops->now_ns(r.world);
		rig_do(&r, IBV_WR_SEND, 0, 16, 1);
		rig_do(&r, IBV_WR_SEND, 0, 16, 2);
		rig_expect(&r, r.a.scq, 1, IBV_WC_RNR_RETRY_EXC_ERR);
		t = r.ops->now_ns(r.world) - t;
		rig_expect(&r, r.a.scq, 2, IBV_WC_WR_FLUSH_ERR);
		assert_in_range(t, rows[i].wait_us * UINT64_C(1000),
			rows[i].wait_us * UINT64_C(1000) + 20000);
		assert_int_equal(rig_state(&r, &r.b), IBV_QPS_RTS);
		rig_close(&r);
	}
}

/* Seven means forever; a late receive gets the data. */
static void
receiver_ready_at_last(void **state)
{
	struct rig r = rig_open(1);

	(void)state;
	r.rnr_retry = 7;
	r.rnr_timer = 2;
	rig_connect(&r);
	rig_fill(r.a.buf, 3000, 3);
	rig_do(&r, IBV_WR_SEND, 0, 3000, 1);
	rig_expect_none(&r, r.a.scq, 1000000);
	rig_recv(&r, &r.b, 0, 3000, 5);
	rig_expect(&r, r.a.scq, 1, IBV_WC_SUCCESS);
	rig_expect(&r, r.b.rcq, 5, IBV_WC_SUCCESS);
	assert_memory_equal(r.a.buf, r.b.buf, 3000);
	rig_close(&r);
}

/* The retry counter is reset by each acknowledgement: each of these messages needs the single
 * retry. */
static void
receivers_late_one_by_one(void **state)
{
	struct rig r = rig_open(1);

	(void)state;
	r.rnr_retry = 1;
	r.rnr_timer = 12;                               /* 0.64 ms */
	rig_connect(&r);
	for (unsigned i = 0; i < 4; i++) {
		rig_do(&r, IBV_WR_SEND, 0, 8, i);
		rig_expect_none(&r, r.a.scq, 100);
		rig_recv(&r, &r.b, 0, 8, 50 + i);
		rig_expect(&r, r.a.scq, i, IBV_WC_SUCCESS);
		rig_expect(&r, r.b.rcq, 50 + i, IBV_WC_SUCCESS);
	}
	rig_close(&r);
}

struct tamper {
	uint8_t from, to;               /* opcodes */
	int cut;                        /* NAK code instead of an ACK; -1: none */
	unsigned done;
};

static enum verbs_verdict
on_packet_tamper(void *arg, uint8_t *w, size_t bytes)
{
	struct tamper *t = arg;

	(void)bytes;
	if (w[8] != t->from)
		return VERBS_PASS;
	t->done++;
	w[8] = t->to;
	if (t->cut >= 0)
		w[20] = (uint8_t)(0x60 | t->cut);
	return VERBS_REWRITTEN;
}

/* Impossible responses: an atomic's instead of an ACK, a NAK with an unknown code or one of
 * another service, a read's last packet instead of its first. */
static void
bad_response(void **state)
{
	static const struct { struct tamper t; enum ibv_wr_opcode op; uint32_t bytes;
		enum ibv_wc_status status; } rows[] = {
		{ { 0x11, 0x11, 4, 0 }, IBV_WR_SEND, 16, IBV_WC_BAD_RESP_ERR },
		{ { 0x11, 0x11, 17, 0 }, IBV_WR_SEND, 16, IBV_WC_BAD_RESP_ERR },
		{ { 0x10, 0x0f, -1, 0 }, IBV_WR_RDMA_READ, 16, IBV_WC_BAD_RESP_ERR },
		{ { 0x0d, 0x0f, -1, 0 }, IBV_WR_RDMA_READ, 1000, IBV_WC_BAD_RESP_ERR },
		{ { 0x12, 0x10, -1, 0 }, IBV_WR_ATOMIC_FETCH_AND_ADD, 8, IBV_WC_BAD_RESP_ERR },
		{ { 0x11, 0x10, -1, 0 }, IBV_WR_SEND, 16, IBV_WC_BAD_RESP_ERR },
		{ { 0x11, 0x11, 1, 0 }, IBV_WR_SEND, 16, IBV_WC_REM_INV_REQ_ERR },
		{ { 0x11, 0x11, 2, 0 }, IBV_WR_SEND, 16, IBV_WC_REM_ACCESS_ERR },
		{ { 0x11, 0x11, 3, 0 }, IBV_WR_SEND, 16, IBV_WC_REM_OP_ERR },
		{ { 0x11, 0x11, 0, 0 }, IBV_WR_SEND, 16, IBV_WC_RETRY_EXC_ERR },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig r = rig_open(1);
		struct tamper t = rows[i].t;

		rig_connect(&r);
		rig_recv(&r, &r.b, 0, 100, 5);
		assert_int_equal(r.ops->hook(r.b.dev, 1, on_packet_tamper, &t), 0);
		rig_do(&r, rows[i].op, 0, rows[i].bytes, 1);
		rig_expect(&r, r.a.scq, 1, rows[i].status);
		assert_int_equal(rig_state(&r, &r.a), IBV_QPS_ERR);
		assert_true(t.done > 0);
		rig_close(&r);
	}
}

/* A response to a read that is too short. */
static enum verbs_verdict
on_packet_shorten(void *arg, uint8_t *w, size_t bytes)
{
	(void)arg;
	(void)bytes;
	if (w[8] != 0x10)
		return VERBS_PASS;
	w[9] |= 1 << 4;                         /* one byte more of pad, so one less of data */
	return VERBS_REWRITTEN;
}

static void
response_of_wrong_length(void **state)
{
	struct rig r = rig_open(1);

	(void)state;
	rig_connect(&r);
	assert_int_equal(r.ops->hook(r.b.dev, 1, on_packet_shorten, NULL), 0);
	rig_do(&r, IBV_WR_RDMA_READ, 0, 16, 1);
	expect_sender(&r, IBV_WC_LOC_LEN_ERR);
	rig_close(&r);
}

/* Impossible requests: the responder refuses. */
static void
bad_request(void **state)
{
	static const struct { struct tamper t; uint32_t bytes; } rows[] = {
		{ { 0x04, 0x02, -1, 0 }, 16 },          /* a last packet without a first */
		{ { 0x04, 0x01, -1, 0 }, 16 },
		{ { 0x04, 0x1f, -1, 0 }, 16 },          /* unknown operation */
		{ { 0x00, 0x04, -1, 0 }, 1000 },        /* "only", and then more */
		{ { 0x02, 0x08, -1, 0 }, 1000 },        /* a write's end for a send */
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig r = rig_open(1);
		struct tamper t = rows[i].t;

		rig_connect(&r);
		for (unsigned k = 0; k < 4; k++)
			rig_recv(&r, &r.b, 0, 2000, 5);
		assert_int_equal(r.ops->hook(r.a.dev, 1, on_packet_tamper, &t), 0);
		rig_do(&r, IBV_WR_SEND, 0, rows[i].bytes, 1);
		rig_expect(&r, r.a.scq, 1, IBV_WC_REM_INV_REQ_ERR);
		assert_int_equal(rig_state(&r, &r.b), IBV_QPS_ERR);
		rig_close(&r);
	}
}

/* All posted work is flushed: sends first, each queue in order; later posts as well. */
static void
all_is_flushed(void **state)
{
	struct rig r = rig_open(1);

	(void)state;
	r.rnr_retry = 7;
	rig_connect(&r);
	for (unsigned i = 0; i < 5; i++) {
		rig_recv(&r, &r.a, 0, 8, 100 + i);
		rig_do(&r, IBV_WR_SEND, 0, 8, i);
	}
	r.ops->advance(r.world, 100);
	assert_int_equal(rig_to(&r, &r.a, IBV_QPS_ERR), 0);
	for (unsigned i = 0; i < 5; i++) {
		rig_expect(&r, r.a.scq, i, IBV_WC_WR_FLUSH_ERR);
		rig_expect(&r, r.a.rcq, 100 + i, IBV_WC_WR_FLUSH_ERR);
	}
	rig_recv(&r, &r.a, 0, 8, 200);
	rig_do(&r, IBV_WR_SEND, 0, 8, 201);
	rig_expect(&r, r.a.rcq, 200, IBV_WC_WR_FLUSH_ERR);
	rig_expect(&r, r.a.scq, 201, IBV_WC_WR_FLUSH_ERR);
	rig_expect_none(&r, r.a.scq, 100000);
	rig_close(&r);
}

static void
qp_and_device_fatal(void **state)
{
	struct rig r = rig_open(1);
	struct ibv_device_attr attr;

	(void)state;
	rig_connect(&r);
	rig_do(&r, IBV_WR_RDMA_WRITE, 0, 8, 1);
	rig_do(&r, IBV_WR_RDMA_WRITE, 0, 8, 2);
	assert_int_equal(r.ops->knob(r.a.dev, 1, VERBS_KNOB_QP_FATAL, r.a.qp->qp_num), 0);
	rig_expect(&r, r.a.scq, 1, IBV_WC_FATAL_ERR);
	rig_expect(&r, r.a.scq, 2, IBV_WC_WR_FLUSH_ERR);
	rig_expect_event(&r, &r.a, IBV_EVENT_QP_FATAL);
	assert_int_equal(r.ops->knob(r.a.dev, 1, VERBS_KNOB_DEVICE_FATAL, 0), 0);
	rig_expect_event(&r, &r.a, IBV_EVENT_DEVICE_FATAL);
	assert_int_equal(r.ops->query_device(r.a.dev, &attr), -EIO);
	rig_close(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(remote_access), cmocka_unit_test(local_access),
		cmocka_unit_test(remote_invalid_request), cmocka_unit_test(receive_too_small),
		cmocka_unit_test(receive_with_wrong_key), cmocka_unit_test(send_with_wrong_key),
		cmocka_unit_test(local_length_and_operation), cmocka_unit_test(retries_exceeded),
		cmocka_unit_test(no_timeout), cmocka_unit_test(receiver_not_ready),
		cmocka_unit_test(receiver_ready_at_last),
		cmocka_unit_test(receivers_late_one_by_one), cmocka_unit_test(bad_response),
		cmocka_unit_test(response_of_wrong_length), cmocka_unit_test(bad_request),
		cmocka_unit_test(all_is_flushed), cmocka_unit_test(qp_and_device_fatal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
