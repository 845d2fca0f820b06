/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_xrc.c - extended reliable connections: one connection, several shared receive queues.
 */
#include <config.h>
#include "tests/unit/verbs/soft/rig.h"

enum { QUEUES = 2 };

struct xrc {
	struct rig r;
	struct verbs_xrcd *xrcd;
	struct verbs_srq *srq[QUEUES];
	struct verbs_cq *cq[QUEUES];
};

static void
to_rts(struct rig *r, struct rig_side *s, const struct rig_side *peer)
{
	int peers = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTR, .path_mtu = r->mtu, .rq_psn = RIG_PSN,
		.dest_qp_num = peer->qp->qp_num,
		.max_dest_rd_atomic = 4, .min_rnr_timer = 1, .ah_attr = rig_path(r, peer),
	};

	assert_int_equal(rig_to_init(r, s), 0);
	if (s->qp->type == IBV_QPT_XRC_RECV)
		peers |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	assert_int_equal(r->ops->modify_qp(s->qp, &a, peers), 0);
	if (s->qp->type == IBV_QPT_XRC_RECV)
		return;
	a = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .sq_psn = RIG_PSN, .timeout = 8,
		.retry_cnt = 3, .max_rd_atomic = 4 };
	assert_int_equal(r->ops->modify_qp(s->qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN |
		IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC), 0);
}

static struct xrc
xrc_open(void)
{
	struct xrc x = { .r = rig_open(1) };
	struct rig *r = &x.r;
	struct verbs_qp_init send = { .type = IBV_QPT_XRC_SEND,
		.cap = { .max_send_wr = 16, .max_send_sge = 1 } };
	struct verbs_qp_init recv = { .type = IBV_QPT_XRC_RECV };

	assert_int_equal(r->ops->open_xrcd(r->b.dev, &x.xrcd), 0);
	for (unsigned i = 0; i < QUEUES; i++) {
		struct verbs_srq_init init = { .type = IBV_SRQT_XRC,
			.attr = { .max_wr = 8, .max_sge = 1 }, .xrcd = x.xrcd };

		assert_int_equal(r->ops->create_cq(r->b.dev, 16, NULL, &x.cq[i]), 0);
		assert_int_equal(r->ops->create_srq(r->b.pd, &init, &x.srq[i]), -EINVAL);
		init.cq = x.cq[i];
		assert_int_equal(r->ops->create_srq(r->b.pd, &init, &x.srq[i]), 0);
	}
	assert_int_equal(r->ops->create_cq(r->a.dev, 16, NULL, &r->a.scq), 0);
	send.send_cq = r->a.scq;
	assert_int_equal(r->ops->create_qp(r->a.pd, &send, &r->a.qp), 0);
	assert_int_equal(r->ops->create_qp(r->b.pd, &recv, &r->b.qp), -EINVAL);
	recv.xrcd = x.xrcd;
	assert_int_equal(r->ops->create_qp(r->b.pd, &recv, &r->b.qp), 0);
	to_rts(r, &r->a, &r->b);
	to_rts(r, &r->b, &r->a);
	return x;
}

static void
xrc_close(struct xrc *x)
{
	struct rig *r = &x->r;

	assert_int_equal(r->ops->destroy_qp(r->b.qp), 0);
	r->b.qp = NULL;
	for (unsigned i = 0; i < QUEUES; i++) {
		assert_int_equal(r->ops->destroy_srq(x->srq[i]), 0);
		assert_int_equal(r->ops->destroy_cq(x->cq[i]), 0);
	}
	assert_int_equal(r->ops->close_xrcd(x->xrcd), 0);
	rig_close(r);
}

static void
send_to(struct xrc *x, uint32_t srq_num, uint32_t bytes)
{
	struct ibv_send_wr wr = { .wr_id = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED };

	wr.qp_type.xrc.remote_srqn = srq_num;
	assert_int_equal(rig_post(&x->r, &x->r.a, wr, rig_sge(&x->r.a, 0, bytes)), 0);
}

static void
receive_post(struct xrc *x, unsigned i, uint64_t wr_id)
{
	x->r.b.srq = x->srq[i];
	rig_recv(&x->r, &x->r.b, 8192 * i, 4096, wr_id);
	x->r.b.srq = NULL;
}

static void
queues_of_one_connection(void **state)
{
	struct xrc x = xrc_open();
	struct rig *r = &x.r;
	struct ibv_wc wc;

	(void)state;
	for (unsigned i = 0; i < QUEUES; i++) {
		receive_post(&x, i, 50 + i);
		rig_fill(r->a.buf, 3000, i);
		send_to(&x, x.srq[i]->srq_num, 3000);
		rig_expect(r, r->a.scq, 1, IBV_WC_SUCCESS);
		wc = rig_wc(r, x.cq[i]);
		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.wr_id, 50 + i);
		assert_int_equal(wc.qp_num, r->b.qp->qp_num);
		assert_memory_equal(r->b.buf + 8192 * i, r->a.buf, 3000);
	}
	rig_fill(r->a.buf, 3000, 77);
	rig_do(r, IBV_WR_RDMA_WRITE, 0, 3000, 2);
	rig_expect(r, r->a.scq, 2, IBV_WC_SUCCESS);
	assert_memory_equal(r->b.buf, r->a.buf, 3000);
	rig_do(r, IBV_WR_RDMA_READ, 0, 3000, 3);
	rig_expect(r, r->a.scq, 3, IBV_WC_SUCCESS);
	rig_do(r, IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 8, 4);
	rig_expect(r, r->a.scq, 4, IBV_WC_SUCCESS);
	assert_int_equal(r->ops->close_xrcd(x.xrcd), -EBUSY);
	receive_post(&x, 0, 60);                             /* a completion that nobody polls */
	send_to(&x, x.srq[0]->srq_num, 8);
	r->ops->advance(r->world, 100);
	xrc_close(&x);
}

static void
errors(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct xrc x = xrc_open();

		send_to(&x, i ? x.srq[0]->srq_num : 999, 8);    /* nothing posted; no such queue */
		rig_expect(&x.r, x.r.a.scq, 1, i ? IBV_WC_RNR_RETRY_EXC_ERR :
			IBV_WC_REM_INV_REQ_ERR);
		assert_int_equal(rig_state(&x.r, &x.r.a), IBV_QPS_ERR);
		assert_int_equal(rig_state(&x.r, &x.r.b), i ? IBV_QPS_RTR : IBV_QPS_ERR);
		xrc_close(&x);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(queues_of_one_connection),
		cmocka_unit_test(errors) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
