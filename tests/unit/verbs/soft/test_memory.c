/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_memory.c - memory regions and windows: rights, ranges, protection domains, invalid keys.
 */
#include <config.h>
#include "tests/unit/verbs/soft/rig.h"

static void
registration(void **state)
{
	struct rig r = rig_open(1);
	struct verbs_mr *mr;
	struct verbs_pd *pd;
	uint32_t key;

	(void)state;
	rig_connect(&r);
	assert_int_equal(r.ops->reg_mr(r.a.pd, r.a.buf, 64, IBV_ACCESS_REMOTE_WRITE, &mr), -EINVAL);
	assert_int_equal(r.ops->reg_mr(r.a.pd, r.a.buf, 64, IBV_ACCESS_REMOTE_ATOMIC, &mr),
		-EINVAL);
	assert_int_equal(r.ops->reg_mr(r.a.pd, NULL, 64, 0, &mr), -EINVAL);
	assert_int_equal(r.ops->reg_mr(r.b.pd, r.b.buf, 64, IBV_ACCESS_REMOTE_READ, &mr), 0);
	assert_int_equal(r.ops->alloc_pd(r.b.dev, &pd), 0);
	key = mr->rkey;
	assert_int_equal(r.ops->rereg_mr(mr, IBV_REREG_MR_CHANGE_PD | IBV_REREG_MR_CHANGE_ACCESS |
		IBV_REREG_MR_CHANGE_TRANSLATION, pd, r.b.buf + 64, 128, RIG_ALL), 0);
	assert_int_not_equal(mr->rkey, key);
	assert_int_equal(mr->length_bytes, 128);
	assert_int_equal(r.ops->rereg_mr(mr, 0, NULL, NULL, 0, 0), -EINVAL);
	assert_int_equal(r.ops->rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
		IBV_ACCESS_REMOTE_WRITE), -EINVAL);
	/* Another protection domain than the queue pair's: no access. */
	key = r.b.mr->rkey;
	r.b.mr->rkey = mr->rkey;
	rig_do(&r, IBV_WR_RDMA_WRITE, 64, 8, 1);
	r.b.mr->rkey = key;
	rig_expect(&r, r.a.scq, 1, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(r.ops->dealloc_pd(pd), -EBUSY);
	assert_int_equal(r.ops->dereg_mr(mr), 0);
	assert_int_equal(r.ops->dealloc_pd(pd), 0);
	rig_close(&r);
}

/* A region of another protection domain, and one without write access, as the sender's and the
 * receiver's memory. */
static void
local_rights(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		struct rig r = rig_open(1);
		struct rig_side *s = i ? &r.b : &r.a;
		struct verbs_mr *mr, *ours = s->mr;
		struct verbs_pd *pd;

		rig_connect(&r);
		assert_int_equal(r.ops->alloc_pd(s->dev, &pd), 0);
		assert_int_equal(r.ops->reg_mr(i == 2 ? s->pd : pd, s->buf, RIG_BYTES,
			i == 2 ? 0 : RIG_ALL, &mr), 0);
		s->mr = mr;
		rig_recv(&r, &r.b, 0, 8, 5);
		rig_do(&r, IBV_WR_SEND, 0, 8, 1);
		s->mr = ours;
		rig_expect(&r, r.a.scq, 1, i ? IBV_WC_REM_OP_ERR : IBV_WC_LOC_PROT_ERR);
		if (i)
			rig_expect(&r, r.b.rcq, 5, IBV_WC_LOC_PROT_ERR);
		assert_int_equal(r.ops->dereg_mr(mr), 0);
		assert_int_equal(r.ops->dealloc_pd(pd), 0);
		rig_close(&r);
	}
}

/* A deregistered key does not work, even if its slot is reused. */
static void
keys_end(void **state)
{
	struct rig r = rig_open(1);
	struct verbs_mr *mr, *others[40];
	uint32_t key, ours = r.b.mr->rkey;

	(void)state;
	rig_connect(&r);
	assert_int_equal(r.ops->reg_mr(r.b.pd, r.b.buf, RIG_BYTES, RIG_ALL, &mr), 0);
	key = mr->rkey;
	assert_int_equal(r.ops->dereg_mr(mr), 0);
	for (int i = 0; i < 40; i++)
		assert_int_equal(r.ops->reg_mr(r.b.pd, r.b.buf, RIG_BYTES, RIG_ALL, &others[i]), 0);
	r.b.mr->rkey = key;
	rig_do(&r, IBV_WR_RDMA_WRITE, 64, 8, 1);
	r.b.mr->rkey = ours;
	rig_expect(&r, r.a.scq, 1, IBV_WC_REM_ACCESS_ERR);
	for (int i = 0; i < 40; i++)
		assert_int_equal(r.ops->dereg_mr(others[i]), 0);
	rig_close(&r);
}

/* The memory of a read is deregistered while its data is being sent. */
static void
region_ends_under_a_read(void **state)
{
	struct rig r = rig_open(1);
	struct verbs_mr *mr;
	struct ibv_send_wr wr = { .wr_id = 1, .opcode = IBV_WR_RDMA_READ,
		.send_flags = IBV_SEND_SIGNALED };

	(void)state;
	rig_connect(&r);
	assert_int_equal(r.ops->reg_mr(r.b.pd, r.b.buf, RIG_BYTES, RIG_ALL, &mr), 0);
	wr.wr.rdma.remote_addr = (uintptr_t)r.b.buf;
	wr.wr.rdma.rkey = mr->rkey;
	assert_int_equal(rig_post(&r, &r.a, wr, rig_sge(&r.a, 0, 100000)), 0);
	r.ops->advance(r.world, 4);
	assert_int_equal(r.ops->dereg_mr(mr), 0);
	rig_expect(&r, r.a.scq, 1, IBV_WC_REM_OP_ERR);
	assert_int_equal(rig_state(&r, &r.b), IBV_QPS_ERR);
	rig_expect_event(&r, &r.b, IBV_EVENT_QP_ACCESS_ERR);
	rig_close(&r);
}

static struct ibv_mw_bind_info
window_info(const struct rig *r, uint64_t at, uint64_t bytes, unsigned access)
{
	return (struct ibv_mw_bind_info){
		.mr = r->b.mr->ibv, .addr = (uintptr_t)r->b.buf + at, .length = bytes,
		.mw_access_flags = access,
	};
}

static void
write_through(struct rig *r, uint32_t key, uint64_t at, uint32_t bytes, enum ibv_wc_status status)
{
	struct ibv_send_wr wr = { .wr_id = 7, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED };

	wr.wr.rdma.remote_addr = at;
	wr.wr.rdma.rkey = key;
	assert_int_equal(rig_post(r, &r->a, wr, rig_sge(&r->a, 0, bytes)), 0);
	rig_expect(r, r->a.scq, 7, status);
}

static int
bind_type2(struct rig *r, struct verbs_mw *mw, uint32_t key, struct ibv_mw_bind_info info)
{
	struct ibv_send_wr wr = { .wr_id = 8, .opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED };

	wr.bind_mw.mw = mw->ibv;
	wr.bind_mw.rkey = key;
	wr.bind_mw.bind_info = info;
	return rig_post(r, &r->b, wr, (struct ibv_sge){ 0 });
}

static uint64_t
peer_address(const struct rig *r, uint64_t offset)
{
	return (uintptr_t)r->b.buf + offset;
}

static void
windows_of_type_1(void **state)
{
	struct rig r = rig_open(1);
	struct ibv_mw_bind bind = { .wr_id = 8, .send_flags = IBV_SEND_SIGNALED };
	struct verbs_mw *mw;
	uint32_t key;

	(void)state;
	rig_connect(&r);
	assert_int_equal(r.ops->alloc_mw(r.b.pd, IBV_MW_TYPE_1, &mw), 0);
	key = mw->rkey;
	bind.bind_info = window_info(&r, 4096, 4096, IBV_ACCESS_REMOTE_WRITE);
	/* as the other type is bound */
	assert_int_equal(bind_type2(&r, mw, key + 1, bind.bind_info), -EINVAL);
	assert_int_equal(r.ops->bind_mw(r.b.qp, mw, &bind), 0);
	assert_int_not_equal(mw->rkey, key);
	rig_expect(&r, r.b.scq, 8, IBV_WC_SUCCESS);
	write_through(&r, mw->rkey, peer_address(&r, 4096), 4096, IBV_WC_SUCCESS);
	assert_int_equal(r.ops->dereg_mr(r.b.mr), -EBUSY);
	key = mw->rkey;
	bind.bind_info = window_info(&r, 0, 64, IBV_ACCESS_REMOTE_WRITE);
	/* a new bind: another key */
	assert_int_equal(r.ops->bind_mw(r.b.qp, mw, &bind), 0);
	rig_expect(&r, r.b.scq, 8, IBV_WC_SUCCESS);
	write_through(&r, mw->rkey, peer_address(&r, 0), 64, IBV_WC_SUCCESS);
	bind.bind_info = (struct ibv_mw_bind_info){ 0 };
	/* no bytes: unbound */
	assert_int_equal(r.ops->bind_mw(r.b.qp, mw, &bind), 0);
	rig_expect(&r, r.b.scq, 8, IBV_WC_SUCCESS);
	write_through(&r, key, peer_address(&r, 4096), 8, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(r.ops->dealloc_mw(mw), 0);
	rig_close(&r);
}

static void
windows_end_where_they_end(void **state)
{
	static const struct { int64_t from; uint32_t bytes; unsigned access;
		enum ibv_wc_status status; } rows[] = {
		{ 4096, 4096, IBV_ACCESS_REMOTE_WRITE, IBV_WC_SUCCESS },
		{ 4095, 8, IBV_ACCESS_REMOTE_WRITE, IBV_WC_REM_ACCESS_ERR },
		{ 8192, 8, IBV_ACCESS_REMOTE_WRITE, IBV_WC_REM_ACCESS_ERR },
		{ 8185, 8, IBV_ACCESS_REMOTE_WRITE, IBV_WC_REM_ACCESS_ERR },
		{ 4096, 8, IBV_ACCESS_REMOTE_READ, IBV_WC_REM_ACCESS_ERR },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig r = rig_open(1);
		struct verbs_mw *mw;

		rig_connect(&r);
		assert_int_equal(r.ops->alloc_mw(r.b.pd, IBV_MW_TYPE_2, &mw), 0);
		assert_int_equal(bind_type2(&r, mw, mw->rkey + 5,
			window_info(&r, 4096, 4096, rows[i].access)), 0);
		rig_expect(&r, r.b.scq, 8, IBV_WC_SUCCESS);
		write_through(&r, mw->rkey + 5, peer_address(&r, (uint64_t)rows[i].from),
			rows[i].bytes, rows[i].status);
		assert_int_equal(r.ops->dealloc_mw(mw), 0);
		rig_close(&r);
	}
}

static void
zero_based_window(void **state)
{
	struct rig r = rig_open(1);
	struct verbs_mw *mw;

	(void)state;
	rig_connect(&r);
	assert_int_equal(r.ops->alloc_mw(r.b.pd, IBV_MW_TYPE_2, &mw), 0);
	assert_int_equal(bind_type2(&r, mw, mw->rkey,
		window_info(&r, 4096, 64, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_ZERO_BASED)), 0);
	rig_expect(&r, r.b.scq, 8, IBV_WC_SUCCESS);
	rig_fill(r.a.buf, 8, 3);
	write_through(&r, mw->rkey, 56, 8, IBV_WC_SUCCESS);
	assert_memory_equal(r.b.buf + 4096 + 56, r.a.buf, 8);
	write_through(&r, mw->rkey, 57, 8, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(r.ops->dealloc_mw(mw), 0);
	rig_close(&r);
}

static void
zero_based_region(void **state)
{
	struct rig r = rig_open(1);
	struct ibv_sge sge = { .addr = 0, .length = 64 };
	struct ibv_recv_wr recv = { .sg_list = &sge, .num_sge = 1 }, *bad;
	struct verbs_mr *mr;
	struct verbs_mw *mw;
	struct ibv_mw_bind_info info = { .addr = 32, .length = 32,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE };

	(void)state;
	rig_connect(&r);
	assert_int_equal(r.ops->reg_mr(r.b.pd, r.b.buf + 4096, 64, RIG_ALL | IBV_ACCESS_ZERO_BASED,
		&mr), 0);
	rig_fill(r.a.buf, 64, 3);
	write_through(&r, mr->rkey, 16, 48, IBV_WC_SUCCESS);
	assert_memory_equal(r.b.buf + 4096 + 16, r.a.buf, 48);
	info.mr = mr->ibv;
	assert_int_equal(r.ops->alloc_mw(r.b.pd, IBV_MW_TYPE_2, &mw), 0);
	assert_int_equal(bind_type2(&r, mw, mw->rkey, info), 0);
	rig_expect(&r, r.b.scq, 8, IBV_WC_SUCCESS);
	write_through(&r, mw->rkey, 40, 8, IBV_WC_SUCCESS);
	assert_memory_equal(r.b.buf + 4096 + 40, r.a.buf, 8);
	/* For the receiver its addresses are offsets, too. */
	sge.lkey = mr->lkey;
	assert_int_equal(r.ops->post_recv(r.b.qp, &recv, &bad), 0);
	rig_do(&r, IBV_WR_SEND, 0, 64, 1);
	rig_expect(&r, r.a.scq, 1, IBV_WC_SUCCESS);
	assert_memory_equal(r.b.buf + 4096, r.a.buf, 64);
	write_through(&r, mr->rkey, 17, 48, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(r.ops->dealloc_mw(mw), 0);
	assert_int_equal(r.ops->dereg_mr(mr), 0);
	rig_close(&r);
}

/* Bound twice, to a region without the right, past its end, with a key of another window:
 * MW_BIND_ERR. */
static void
binds_that_fail(void **state)
{
	(void)state;
	for (int i = 0; i < 6; i++) {
		struct rig r = rig_open(1);
		struct ibv_mw_bind_info info = window_info(&r, 0, 4096, IBV_ACCESS_REMOTE_WRITE);
		struct verbs_mw *mw;
		struct verbs_mr *mr;

		rig_connect(&r);
		assert_int_equal(r.ops->reg_mr(r.b.pd, r.b.buf, 4096,
			i == 1 ? RIG_LOCAL | RIG_REMOTE : IBV_ACCESS_MW_BIND, &mr), 0);
		assert_int_equal(r.ops->alloc_mw(r.b.pd, IBV_MW_TYPE_2, &mw), 0);
		if (i == 0) {
			assert_int_equal(bind_type2(&r, mw, mw->rkey, info), 0);
			rig_expect(&r, r.b.scq, 8, IBV_WC_SUCCESS);
		}
		if (i == 1 || i == 2)
			info.mr = mr->ibv;              /* no MW_BIND; no LOCAL_WRITE */
		if (i == 3)
			info.length = RIG_BYTES + 1;
		if (i == 5)
			info.mw_access_flags = IBV_ACCESS_LOCAL_WRITE;
		assert_int_equal(bind_type2(&r, mw, mw->rkey + (i == 4 ? 0x100 : 0), info), 0);
		rig_expect(&r, r.b.scq, 8, IBV_WC_MW_BIND_ERR);
		assert_int_equal(rig_state(&r, &r.b), IBV_QPS_ERR);
		assert_int_equal(r.ops->dealloc_mw(mw), 0);
		assert_int_equal(r.ops->dereg_mr(mr), 0);
		rig_close(&r);
	}
}

static void
invalidation(void **state)
{
	(void)state;
	for (int remote = 0; remote < 2; remote++) {
		struct rig r = rig_open(1);
		struct ibv_send_wr wr = { .wr_id = 9, .send_flags = IBV_SEND_SIGNALED };
		struct verbs_mw *mw;
		struct ibv_wc wc;

		rig_connect(&r);
		assert_int_equal(r.ops->alloc_mw(r.b.pd, IBV_MW_TYPE_2, &mw), 0);
		assert_int_equal(bind_type2(&r, mw, mw->rkey,
			window_info(&r, 0, 4096, IBV_ACCESS_REMOTE_WRITE)), 0);
		rig_expect(&r, r.b.scq, 8, IBV_WC_SUCCESS);
		write_through(&r, mw->rkey, peer_address(&r, 0), 8, IBV_WC_SUCCESS);
		wr.invalidate_rkey = mw->rkey;
		rig_recv(&r, &r.b, 0, 8, 5);
		wr.opcode = remote ? IBV_WR_SEND_WITH_INV : IBV_WR_LOCAL_INV;
		assert_int_equal(rig_post(&r, remote ? &r.a : &r.b, wr, (struct ibv_sge){ 0 }), 0);
		rig_expect(&r, remote ? r.a.scq : r.b.scq, 9, IBV_WC_SUCCESS);
		if (remote) {
			wc = rig_wc(&r, r.b.rcq);
			assert_int_equal(wc.wc_flags, IBV_WC_WITH_INV);
			assert_int_equal(wc.invalidated_rkey, mw->rkey);
			rig_recv(&r, &r.b, 0, 8, 6);
		}
		/* Invalidated, so it can be bound again, and invalidated once more. */
		assert_int_equal(bind_type2(&r, mw, mw->rkey + 1,
			window_info(&r, 0, 4096, IBV_ACCESS_REMOTE_WRITE)), 0);
		rig_expect(&r, r.b.scq, 8, IBV_WC_SUCCESS);
		/* the old key cannot be invalidated again */
		if (remote) {
			assert_int_equal(rig_post(&r, &r.a, wr, (struct ibv_sge){ 0 }), 0);
			rig_expect(&r, r.a.scq, 9, IBV_WC_SUCCESS);
			rig_expect(&r, r.b.rcq, 6, IBV_WC_REM_INV_REQ_ERR);
			assert_int_equal(rig_state(&r, &r.b), IBV_QPS_ERR);
		} else {
			write_through(&r, mw->rkey, peer_address(&r, 0), 8, IBV_WC_REM_ACCESS_ERR);
		}
		assert_int_equal(r.ops->dealloc_mw(mw), 0);
		rig_close(&r);
	}
}

static void
local_invalidation_fails(void **state)
{
	struct rig r = rig_open(1);
	struct ibv_send_wr wr = { .wr_id = 9, .opcode = IBV_WR_LOCAL_INV,
		.send_flags = IBV_SEND_SIGNALED };

	(void)state;
	rig_connect(&r);
	wr.invalidate_rkey = r.a.mr->rkey;              /* no window */
	assert_int_equal(rig_post(&r, &r.a, wr, (struct ibv_sge){ 0 }), 0);
	rig_expect(&r, r.a.scq, 9, IBV_WC_MW_BIND_ERR);
	rig_close(&r);
}

/* A type 2 window belongs to the queue pair that bound it, and is unbound when that is
 * destroyed. */
static void
window_of_another_queue_pair(void **state)
{
	struct rig r = rig_open(1);
	struct verbs_mw *mw;
	struct verbs_qp *qp = NULL, *first;

	(void)state;
	rig_qp_create(&r, &r.b);
	first = r.b.qp;
	assert_int_equal(rig_to_init(&r, &r.b), 0);
	rig_qp_create(&r, &r.a);
	assert_int_equal(rig_to_init(&r, &r.a), 0);
	assert_int_equal(rig_to_rtr(&r, &r.b, &r.a), 0);
	assert_int_equal(rig_to_rts(&r, &r.b), 0);
	assert_int_equal(r.ops->alloc_mw(r.b.pd, IBV_MW_TYPE_2, &mw), 0);
	assert_int_equal(bind_type2(&r, mw, mw->rkey,
		window_info(&r, 0, 4096, IBV_ACCESS_REMOTE_WRITE)), 0);
	rig_expect(&r, r.b.scq, 8, IBV_WC_SUCCESS);
	assert_int_equal(r.ops->create_qp(r.b.pd, &(struct verbs_qp_init){ .type = IBV_QPT_RC,
		.send_cq = r.b.scq,
		.recv_cq = r.b.rcq, .cap = { .max_send_wr = 4, .max_send_sge = 1 } }, &qp), 0);
	r.b.qp = qp;
	assert_int_equal(rig_to_init(&r, &r.b), 0);
	assert_int_equal(rig_to_rtr(&r, &r.b, &r.a) | rig_to_rtr(&r, &r.a, &r.b), 0);
	assert_int_equal(rig_to_rts(&r, &r.a), 0);
	write_through(&r, mw->rkey, peer_address(&r, 0), 8, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(r.ops->dereg_mr(r.b.mr), -EBUSY);
	assert_int_equal(r.ops->destroy_qp(first), 0);
	assert_int_equal(r.ops->dereg_mr(r.b.mr), 0);
	r.b.mr = NULL;
	assert_int_equal(r.ops->dealloc_mw(mw), 0);
	rig_close(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registration), cmocka_unit_test(local_rights),
		cmocka_unit_test(keys_end), cmocka_unit_test(region_ends_under_a_read),
		cmocka_unit_test(windows_of_type_1), cmocka_unit_test(windows_end_where_they_end),
		cmocka_unit_test(zero_based_window), cmocka_unit_test(zero_based_region),
		cmocka_unit_test(binds_that_fail), cmocka_unit_test(invalidation),
		cmocka_unit_test(local_invalidation_fails),
		cmocka_unit_test(window_of_another_queue_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
