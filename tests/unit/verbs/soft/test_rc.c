/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_rc.c - reliable connections without errors: data, order, immediate data, reads, atomics,
 * fences, inline data.
 */
#include <config.h>
#include "tests/unit/verbs/soft/rig.h"

static const uint32_t sizes[] = { 0, 1, 3, 4, 255, 256, 257, 512, 1000, 4096, 70001 };
enum { NSIZES = sizeof(sizes) / sizeof(sizes[0]) };

static void
sends_of_all_sizes(bool grh)
{
	struct rig r = rig_open(1);
	struct ibv_wc wc;

	r.grh = grh;
	rig_connect(&r);
	for (unsigned i = 0; i < NSIZES; i++) {
		rig_fill(r.a.buf, sizes[i], i);
		memset(r.b.buf, 0xee, RIG_BYTES);
		rig_recv(&r, &r.b, 100, RIG_BYTES - 100, 70 + i);
		rig_do(&r, IBV_WR_SEND, 0, sizes[i], i);
		rig_expect(&r, r.a.scq, i, IBV_WC_SUCCESS);
		wc = rig_wc(&r, r.b.rcq);
		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.opcode, IBV_WC_RECV);
		assert_int_equal(wc.wr_id, 70 + i);
		assert_int_equal(wc.byte_len, sizes[i]);
		assert_int_equal(wc.qp_num, r.b.qp->qp_num);
		assert_memory_equal(r.b.buf + 100, r.a.buf, sizes[i]);
		assert_int_equal(r.b.buf[99], 0xee);
		assert_int_equal(r.b.buf[100 + sizes[i]], 0xee);
	}
	rig_expect_none(&r, r.a.scq, 1000);
	rig_expect_none(&r, r.b.rcq, 1000);
	rig_expect_no_event(&r, &r.a);
	rig_close(&r);
}

static void
sends_of_all_kinds(void **state)
{
	(void)state;
	sends_of_all_sizes(false);
	sends_of_all_sizes(true);
}

static void
writes_and_reads(void **state)
{
	struct rig r = rig_open(1);

	(void)state;
	rig_connect(&r);
	for (unsigned i = 0; i < NSIZES; i++) {
		rig_fill(r.a.buf + 64, sizes[i], i);
		memset(r.b.buf, 0, RIG_BYTES);
		rig_do(&r, IBV_WR_RDMA_WRITE, 64, sizes[i], i);
		rig_expect(&r, r.a.scq, i, IBV_WC_SUCCESS);
		assert_memory_equal(r.b.buf + 64, r.a.buf + 64, sizes[i]);
		assert_int_equal(r.b.buf[63] | r.b.buf[64 + sizes[i]], 0);
		rig_fill(r.b.buf + 64, sizes[i], i + 100);
		memset(r.a.buf, 0, RIG_BYTES);
		rig_do(&r, IBV_WR_RDMA_READ, 64, sizes[i], i);
		rig_expect(&r, r.a.scq, i, IBV_WC_SUCCESS);
		assert_memory_equal(r.b.buf + 64, r.a.buf + 64, sizes[i]);
		assert_int_equal(r.a.buf[63] | r.a.buf[64 + sizes[i]], 0);
	}
	rig_expect_none(&r, r.b.rcq, 1000);
	rig_close(&r);
}

static void
immediate_data(void **state)
{
	struct rig r = rig_open(1);
	struct ibv_send_wr wr = { .wr_id = 1, .opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED };
	struct ibv_wc wc;

	(void)state;
	rig_connect(&r);
	rig_recv(&r, &r.b, 0, 16, 5);
	rig_recv(&r, &r.b, 0, 16, 6);
	memcpy(&wr.imm_data, "\1\2\3\4", 4);
	wr.wr.rdma.remote_addr = (uintptr_t)r.b.buf + 1000;
	wr.wr.rdma.rkey = r.b.mr->rkey;
	assert_int_equal(rig_post(&r, &r.a, wr, rig_sge(&r.a, 0, 700)), 0);
	wc = rig_wc(&r, r.b.rcq);
	assert_int_equal(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(wc.byte_len, 700);
	assert_int_equal(wc.wc_flags, IBV_WC_WITH_IMM);
	assert_memory_equal(&wc.imm_data, "\1\2\3\4", 4);
	wr.opcode = IBV_WR_SEND_WITH_IMM;
	assert_int_equal(rig_post(&r, &r.a, wr, rig_sge(&r.a, 0, 16)), 0);
	wc = rig_wc(&r, r.b.rcq);
	assert_int_equal(wc.opcode, IBV_WC_RECV);
	assert_int_equal(wc.wr_id, 6);
	assert_memory_equal(&wc.imm_data, "\1\2\3\4", 4);
	rig_close(&r);
}

static void
atomics(void **state)
{
	struct rig r = rig_open(1);
	struct ibv_send_wr wr = { .opcode = IBV_WR_ATOMIC_CMP_AND_SWP,
		.send_flags = IBV_SEND_SIGNALED };
	uint64_t v = UINT64_C(0x0102030405060708), got;
	struct ibv_wc wc;

	(void)state;
	rig_connect(&r);
	memcpy(r.b.buf + 8, &v, 8);
	wr.wr.atomic.remote_addr = (uintptr_t)r.b.buf + 8;
	wr.wr.atomic.rkey = r.b.mr->rkey;
	wr.wr.atomic.compare_add = v;
	wr.wr.atomic.swap = 77;
	assert_int_equal(rig_post(&r, &r.a, wr, rig_sge(&r.a, 0, 8)), 0);
	wc = rig_wc(&r, r.a.scq);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.opcode, IBV_WC_COMP_SWAP);
	assert_int_equal(wc.byte_len, 8);
	memcpy(&got, r.a.buf, 8);
	assert_true(got == v);
	memcpy(&got, r.b.buf + 8, 8);
	assert_true(got == 77);
	/* the comparison fails now */
	assert_int_equal(rig_post(&r, &r.a, wr, rig_sge(&r.a, 0, 8)), 0);
	rig_expect(&r, r.a.scq, 0, IBV_WC_SUCCESS);
	memcpy(&got, r.b.buf + 8, 8);
	assert_true(got == 77);
	wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	wr.wr.atomic.compare_add = UINT64_MAX;
	assert_int_equal(rig_post(&r, &r.a, wr, rig_sge(&r.a, 0, 8)), 0);
	assert_int_equal(rig_wc(&r, r.a.scq).opcode, IBV_WC_FETCH_ADD);
	memcpy(&got, r.a.buf, 8);
	assert_true(got == 77);
	memcpy(&got, r.b.buf + 8, 8);
	assert_true(got == 76);
	rig_close(&r);
}

/* More reads than may be outstanding, with writes between them: all complete in the order of
 * posting. */
static void
order_of_mixed_work(void **state)
{
	static const enum ibv_wr_opcode ops[] = {
		IBV_WR_RDMA_READ, IBV_WR_RDMA_WRITE, IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_WR_RDMA_READ,
		IBV_WR_RDMA_READ, IBV_WR_RDMA_READ, IBV_WR_RDMA_READ, IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_READ,
	};
	struct rig r = rig_open(1);

	(void)state;
	r.rd_atomic = r.dest_rd_atomic = 2;
	rig_connect(&r);
	for (unsigned i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		rig_do(&r, ops[i], i * 4096, ops[i] == IBV_WR_ATOMIC_FETCH_AND_ADD ? 8 : 2000, i);
	for (unsigned i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		rig_expect(&r, r.a.scq, i, IBV_WC_SUCCESS);
	rig_expect_none(&r, r.a.scq, 1000);
	rig_close(&r);
}

/* A fenced send carries the data that was just read. */
static void
fenced_send(void **state)
{
	struct rig r = rig_open(1);
	struct ibv_send_wr wr = { .wr_id = 2, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_FENCE };

	(void)state;
	rig_connect(&r);
	rig_fill(r.b.buf, 3000, 9);
	rig_recv(&r, &r.b, 10000, 3000, 1);
	rig_do(&r, IBV_WR_RDMA_READ, 0, 3000, 1);
	assert_int_equal(rig_post(&r, &r.a, wr, rig_sge(&r.a, 0, 3000)), 0);
	rig_expect(&r, r.a.scq, 1, IBV_WC_SUCCESS);
	rig_expect(&r, r.a.scq, 2, IBV_WC_SUCCESS);
	assert_memory_equal(r.b.buf + 10000, r.b.buf, 3000);
	rig_close(&r);
}

static void
inline_data_and_lists(void **state)
{
	struct rig r = rig_open(1);
	struct ibv_sge list[3] = { rig_sge(&r.a, 0, 10), rig_sge(&r.a, 500, 0),
		rig_sge(&r.a, 1000, 300) };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
		.sg_list = list, .num_sge = 3 };
	char words[64] = "not registered, and gone before it is sent";
	struct ibv_sge loose = { .addr = (uintptr_t)words, .length = sizeof(words) };

	(void)state;
	rig_connect(&r);
	rig_fill(r.a.buf, 2000, 4);
	rig_recv(&r, &r.b, 0, 310, 1);
	assert_int_equal(rig_post(&r, &r.a, wr, (struct ibv_sge){ 0 }), 0);
	rig_expect(&r, r.a.scq, 0, IBV_WC_SUCCESS);
	assert_memory_equal(r.b.buf, r.a.buf, 10);
	assert_memory_equal(r.b.buf + 10, r.a.buf + 1000, 300);
	rig_recv(&r, &r.b, 0, 310, 1);
	wr = (struct ibv_send_wr){ .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED |
		IBV_SEND_INLINE };
	assert_int_equal(rig_post(&r, &r.a, wr, loose), 0);
	memset(words, 0, sizeof(words));
	rig_expect(&r, r.a.scq, 0, IBV_WC_SUCCESS);
	assert_string_equal((char *)r.b.buf, "not registered, and gone before it is sent");
	loose.length = 65;
	assert_int_equal(rig_post(&r, &r.a, wr, loose), -EINVAL);
	rig_close(&r);
}

/* An unsignaled request frees its slot when a later completion is polled, not before. */
static void
unsignaled_work(void **state)
{
	struct rig r = rig_open(1);
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE };

	(void)state;
	rig_connect(&r);
	wr.wr.rdma.remote_addr = (uintptr_t)r.b.buf;
	wr.wr.rdma.rkey = r.b.mr->rkey;
	for (unsigned i = 0; i < 15; i++)
		assert_int_equal(rig_post(&r, &r.a, wr, rig_sge(&r.a, 0, 8)), 0);
	wr.send_flags = IBV_SEND_SIGNALED;
	wr.wr_id = 9;
	assert_int_equal(rig_post(&r, &r.a, wr, rig_sge(&r.a, 0, 8)), 0);
	assert_int_equal(rig_post(&r, &r.a, wr, rig_sge(&r.a, 0, 8)), -ENOMEM);
	r.ops->advance(r.world, 10000);
	assert_int_equal(rig_post(&r, &r.a, wr, rig_sge(&r.a, 0, 8)), -ENOMEM);
	rig_expect(&r, r.a.scq, 9, IBV_WC_SUCCESS);
	rig_expect_none(&r, r.a.scq, 1000);
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(rig_post(&r, &r.a, wr, rig_sge(&r.a, 0, 8)), 0);
	assert_int_equal(rig_post(&r, &r.a, wr, rig_sge(&r.a, 0, 8)), -ENOMEM);
	rig_close(&r);
}

static void
one_device_holds_both_ends(void **state)
{
	struct rig r = rig_open(1);
	struct verbs_dev *dev;

	(void)state;
	rig_side_close(&r, &r.b);
	memset(&r.b, 0, sizeof(r.b));
	rig_side_open(&r, &r.b, NULL);
	assert_string_equal(r.b.dev->name, "soft0");
	rig_connect(&r);
	rig_recv(&r, &r.b, 0, 100, 3);
	rig_do(&r, IBV_WR_SEND, 0, 100, 4);
	rig_expect(&r, r.a.scq, 4, IBV_WC_SUCCESS);
	rig_expect(&r, r.b.rcq, 3, IBV_WC_SUCCESS);
	assert_int_equal(r.ops->open(r.world, "soft9", &dev), -ENODEV);
	assert_string_equal(r.ops->device_name(r.world, 1), "soft1");
	assert_null(r.ops->device_name(r.world, 2));
	rig_close(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sends_of_all_kinds), cmocka_unit_test(writes_and_reads),
		cmocka_unit_test(immediate_data), cmocka_unit_test(atomics),
		cmocka_unit_test(order_of_mixed_work), cmocka_unit_test(fenced_send),
		cmocka_unit_test(inline_data_and_lists), cmocka_unit_test(unsignaled_work),
		cmocka_unit_test(one_device_holds_both_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
