/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_unreliable.c - unreliable connections and datagrams: delivery, silent drops, counters;
 * multicast; P_Keys of all types.
 */
#include <config.h>
#include "tests/unit/verbs/soft/rig.h"

static struct verbs_ah *
ah_make(struct rig *r, struct verbs_pd *pd, struct ibv_ah_attr attr)
{
	struct verbs_ah *ah;

	assert_int_equal(r->ops->create_ah(pd, &attr, &ah), 0);
	return ah;
}

static void
datagram_send(struct rig *r, struct verbs_ah *ah, uint32_t qpn, uint32_t qkey, uint32_t bytes)
{
	struct ibv_send_wr wr = { .wr_id = 1, .opcode = IBV_WR_SEND_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED };

	memcpy(&wr.imm_data, "imm!", 4);
	wr.wr.ud.ah = ah->ibv;
	wr.wr.ud.remote_qpn = qpn;
	wr.wr.ud.remote_qkey = qkey;
	assert_int_equal(rig_post(r, &r->a, wr, rig_sge(&r->a, 0, bytes)), 0);
}

static void
ud_with_and_without_grh(void **state)
{
	(void)state;
	for (int grh = 0; grh < 2; grh++) {
		struct rig r = rig_open(1);
		struct verbs_ah *ah;
		struct ibv_wc wc;

		r.type = IBV_QPT_UD;
		r.grh = grh;
		rig_connect(&r);
		ah = ah_make(&r, r.a.pd, rig_path(&r, &r.b));
		rig_fill(r.a.buf, 4096, 1);
		memset(r.b.buf, 0xee, 5000);
		rig_recv(&r, &r.b, 0, 4136, 5);
		datagram_send(&r, ah, r.b.qp->qp_num, RIG_QKEY, 4096);
		rig_expect(&r, r.a.scq, 1, IBV_WC_SUCCESS);
		wc = rig_wc(&r, r.b.rcq);
		assert_int_equal(wc.byte_len, 4136);
		assert_int_equal(wc.src_qp, r.a.qp->qp_num);
		assert_int_equal(wc.slid, r.a.lid);
		assert_int_equal(wc.sl, 3);
		assert_int_equal(wc.wc_flags, (grh ? IBV_WC_GRH : 0) | IBV_WC_WITH_IMM);
		assert_memory_equal(&wc.imm_data, "imm!", 4);
		assert_memory_equal(r.b.buf + 40, r.a.buf, 4096);
		assert_int_equal(r.b.buf[0], grh ? 0x60 : 0xee);
		if (grh) {
			assert_memory_equal(r.b.buf + 8, &r.a.gid, 16);
			assert_memory_equal(r.b.buf + 24, &r.b.gid, 16);
		}
		assert_int_equal(r.ops->destroy_ah(ah), 0);
		rig_close(&r);
	}
}

static void
ud_drops(void **state)
{
	struct rig r = rig_open(1);
	struct ibv_port_attr port;
	struct verbs_ah *ah;

	(void)state;
	r.type = IBV_QPT_UD;
	rig_connect(&r);
	ah = ah_make(&r, r.a.pd, rig_path(&r, &r.b));
	datagram_send(&r, ah, r.b.qp->qp_num, RIG_QKEY, 16);         /* no receive */
	rig_expect(&r, r.a.scq, 1, IBV_WC_SUCCESS);
	rig_expect_none(&r, r.b.rcq, 1000);
	rig_recv(&r, &r.b, 0, 55, 5);
	datagram_send(&r, ah, r.b.qp->qp_num, RIG_QKEY, 16);         /* a byte too small */
	rig_expect(&r, r.a.scq, 1, IBV_WC_SUCCESS);
	datagram_send(&r, ah, r.b.qp->qp_num, RIG_QKEY + 1, 15);     /* wrong key */
	rig_expect(&r, r.a.scq, 1, IBV_WC_SUCCESS);
	datagram_send(&r, ah, 0x4000, RIG_QKEY, 15);                 /* no such queue pair */
	rig_expect(&r, r.a.scq, 1, IBV_WC_SUCCESS);
	rig_expect_none(&r, r.b.rcq, 1000);
	assert_int_equal(r.ops->query_port(r.b.dev, 1, &port), 0);
	assert_int_equal(port.qkey_viol_cntr, 1);
	/* The high bit selects the sender's own key, which matches. */
	datagram_send(&r, ah, r.b.qp->qp_num, 0x80000000, 15);
	rig_expect(&r, r.b.rcq, 5, IBV_WC_SUCCESS);
	rig_expect(&r, r.a.scq, 1, IBV_WC_SUCCESS);
	assert_int_equal(r.ops->destroy_ah(ah), 0);
	rig_close(&r);
}

/* Local errors lead to SQE: sends are flushed, receives continue, and RTS recovers. */
static void
ud_send_errors(void **state)
{
	struct rig r = rig_open(1);
	struct verbs_ah *ah, *other;
	struct verbs_pd *pd;

	(void)state;
	r.type = IBV_QPT_UD;
	rig_connect(&r);
	assert_int_equal(r.ops->alloc_pd(r.a.dev, &pd), 0);
	ah = ah_make(&r, r.a.pd, rig_path(&r, &r.b));
	other = ah_make(&r, pd, rig_path(&r, &r.b));
	for (int i = 0; i < 3; i++) {
		uint32_t lkey = r.a.mr->lkey;

		if (i == 1)
			r.a.mr->lkey++;
		datagram_send(&r, i == 2 ? other : ah, r.b.qp->qp_num, RIG_QKEY, i == 0 ? 4097 : 8);
		r.a.mr->lkey = lkey;
		rig_expect(&r, r.a.scq, 1, i == 0 ? IBV_WC_LOC_LEN_ERR : i == 1 ?
			IBV_WC_LOC_PROT_ERR : IBV_WC_LOC_QP_OP_ERR);
		assert_int_equal(rig_state(&r, &r.a), IBV_QPS_SQE);
		datagram_send(&r, ah, r.b.qp->qp_num, RIG_QKEY, 8);
		rig_expect(&r, r.a.scq, 1, IBV_WC_WR_FLUSH_ERR);
		assert_int_equal(rig_to(&r, &r.a, IBV_QPS_RTS), 0);
		rig_recv(&r, &r.b, 0, 100, 5);
		datagram_send(&r, ah, r.b.qp->qp_num, RIG_QKEY, 8);
		rig_expect(&r, r.a.scq, 1, IBV_WC_SUCCESS);
		rig_expect(&r, r.b.rcq, 5, IBV_WC_SUCCESS);
	}
	assert_int_equal(r.ops->dealloc_pd(pd), -EBUSY);
	assert_int_equal(r.ops->destroy_ah(ah), 0);
	assert_int_equal(r.ops->destroy_ah(other), 0);
	assert_int_equal(r.ops->dealloc_pd(pd), 0);
	rig_close(&r);
}

static void
multicast(void **state)
{
	struct rig r = rig_open(1);
	union ibv_gid gid = { .raw = { 0xff, 0x12, [15] = 9 } };
	struct ibv_ah_attr attr;
	struct verbs_ah *ah;

	(void)state;
	r.type = IBV_QPT_UD;
	rig_connect(&r);
	attr = (struct ibv_ah_attr){ .dlid = 0xc001, .port_num = 1, .is_global = 1,
		.grh = { .dgid = gid } };
	ah = ah_make(&r, r.a.pd, attr);
	assert_int_equal(r.ops->attach_mcast(r.b.qp, &gid, 0x1234), -EINVAL);
	assert_int_equal(r.ops->attach_mcast(r.b.qp, &gid, 0xc001), 0);
	/* another group: the LID differs */
	assert_int_equal(r.ops->attach_mcast(r.a.qp, &gid, 0xc002), 0);
	rig_recv(&r, &r.a, 0, 100, 4);
	rig_recv(&r, &r.b, 0, 100, 5);
	rig_recv(&r, &r.b, 0, 100, 6);
	datagram_send(&r, ah, 0xffffff, RIG_QKEY, 8);
	rig_expect(&r, r.b.rcq, 5, IBV_WC_SUCCESS);
	rig_expect_none(&r, r.a.rcq, 100);
	assert_int_equal(r.ops->attach_mcast(r.a.qp, &gid, 0xc001), 0);
	datagram_send(&r, ah, 0xffffff, RIG_QKEY, 8);
	rig_expect(&r, r.b.rcq, 6, IBV_WC_SUCCESS);
	rig_expect(&r, r.a.rcq, 4, IBV_WC_SUCCESS);                             /* its own */
	assert_int_equal(r.ops->detach_mcast(r.a.qp, &gid, 0xc001), 0);
	rig_recv(&r, &r.b, 0, 100, 7);
	assert_int_equal(r.ops->destroy_qp(r.b.qp), -EBUSY);
	assert_int_equal(r.ops->detach_mcast(r.b.qp, &gid, 0xc001), 0);
	assert_int_equal(r.ops->detach_mcast(r.b.qp, &gid, 0xc001), -EINVAL);
	assert_int_equal(r.ops->detach_mcast(r.a.qp, &gid, 0xc002), 0);
	datagram_send(&r, ah, 0xffffff, RIG_QKEY, 8);
	rig_expect_none(&r, r.b.rcq, 100);
	assert_int_equal(r.ops->destroy_ah(ah), 0);
	rig_close(&r);
}

static void
uc_messages(void **state)
{
	struct rig r = rig_open(1);

	(void)state;
	r.type = IBV_QPT_UC;
	rig_connect(&r);
	for (uint32_t bytes = 0; bytes < 5000; bytes += 499) {
		rig_fill(r.a.buf, bytes, bytes);
		rig_recv(&r, &r.b, 0, bytes ? bytes : 1, bytes);
		rig_do(&r, IBV_WR_SEND, 0, bytes, 1);
		rig_expect(&r, r.a.scq, 1, IBV_WC_SUCCESS);
		rig_expect(&r, r.b.rcq, bytes, IBV_WC_SUCCESS);
		assert_memory_equal(r.a.buf, r.b.buf, bytes);
		rig_fill(r.a.buf + 8000, bytes, bytes + 1);
		rig_do(&r, IBV_WR_RDMA_WRITE, 8000, bytes, 2);
		rig_expect(&r, r.a.scq, 2, IBV_WC_SUCCESS);
		r.ops->advance(r.world, 10);
		assert_memory_equal(r.a.buf + 8000, r.b.buf + 8000, bytes);
	}
	rig_close(&r);
}

static enum verbs_verdict
drop_nth(void *arg, uint8_t *w, size_t bytes)
{
	int *n = arg;

	(void)w;
	(void)bytes;
	return --*n == 0 ? VERBS_DROP : VERBS_PASS;
}

/* A lost packet loses its message: the receive serves the next one, unless it came from a shared
 * queue. */
static void
uc_losses(void **state)
{
	(void)state;
	for (int lost = 1; lost <= 4; lost++)
		for (int srq = 0; srq < 2; srq++) {
			struct rig r = rig_open(1);
			int n = lost;

			r.type = IBV_QPT_UC;
			r.srq = srq;
			rig_connect(&r);
			rig_recv(&r, &r.b, 0, 1000, 5);
			rig_recv(&r, &r.b, 0, 1000, 6);
			assert_int_equal(r.ops->hook(r.a.dev, 1, drop_nth, &n), 0);
			rig_fill(r.a.buf, 1000, 8);
			rig_do(&r, IBV_WR_SEND, 0, 1000, 1);
			rig_expect(&r, r.a.scq, 1, IBV_WC_SUCCESS);
			rig_do(&r, IBV_WR_SEND, 0, 1000, 2);
			rig_expect(&r, r.a.scq, 2, IBV_WC_SUCCESS);
			if (srq && lost > 1)
				rig_expect(&r, r.b.rcq, 5, IBV_WC_REM_ABORT_ERR);
			rig_expect(&r, r.b.rcq, srq && lost > 1 ? 6 : 5, IBV_WC_SUCCESS);
			assert_memory_equal(r.a.buf, r.b.buf, 1000);
			rig_expect_none(&r, r.b.rcq, 1000);
			rig_close(&r);
		}
}

static void
uc_wrong_key(void **state)
{
	struct rig r = rig_open(1);
	uint8_t zero[64] = { 0 };

	(void)state;
	r.type = IBV_QPT_UC;
	rig_connect(&r);
	rig_fill(r.a.buf, 64, 1);
	r.b.mr->rkey ^= 0x100;
	rig_do(&r, IBV_WR_RDMA_WRITE, 0, 64, 1);
	r.b.mr->rkey ^= 0x100;
	rig_expect(&r, r.a.scq, 1, IBV_WC_SUCCESS);
	r.ops->advance(r.world, 100);
	assert_memory_equal(r.b.buf, zero, 64);
	assert_int_equal(rig_state(&r, &r.b), IBV_QPS_RTS);
	r.a.mr->lkey++;
	rig_do(&r, IBV_WR_SEND, 0, 8, 1);
	r.a.mr->lkey--;
	rig_expect(&r, r.a.scq, 1, IBV_WC_LOC_PROT_ERR);
	assert_int_equal(rig_state(&r, &r.a), IBV_QPS_SQE);
	assert_int_equal(rig_to(&r, &r.a, IBV_QPS_RTS), 0);
	rig_expect_no_event(&r, &r.b);
	rig_close(&r);
}

/* Two limited members cannot communicate; the receiver counts each such packet. */
static void
partitions(void **state)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct rig r = rig_open(1);
		struct ibv_port_attr port;

		r.type = types[i];
		r.timeout = 6;
		r.retry = 2;
		rig_connect(&r);
		assert_int_equal(r.ops->knob(r.a.dev, 1, VERBS_KNOB_PKEY, 0x7fff), 0);
		rig_expect_event(&r, &r.a, IBV_EVENT_PKEY_CHANGE);
		rig_recv(&r, &r.b, 0, 8, 5);
		rig_do(&r, IBV_WR_SEND, 0, 8, 1);
		rig_expect(&r, r.a.scq, 1, IBV_WC_SUCCESS);     /* limited to full */
		rig_expect(&r, r.b.rcq, 5, IBV_WC_SUCCESS);
		assert_int_equal(r.ops->knob(r.b.dev, 1, VERBS_KNOB_PKEY, 0x7fff), 0);
		rig_recv(&r, &r.b, 0, 8, 5);
		rig_do(&r, IBV_WR_SEND, 0, 8, 1);
		rig_expect(&r, r.a.scq, 1, i == 0 ? IBV_WC_RETRY_EXC_ERR : IBV_WC_SUCCESS);
		rig_expect_none(&r, r.b.rcq, 1000);
		assert_int_equal(r.ops->query_port(r.b.dev, 1, &port), 0);
		assert_int_equal(port.bad_pkey_cntr, i == 0 ? 3 : 1);
		rig_close(&r);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ud_with_and_without_grh), cmocka_unit_test(ud_drops),
		cmocka_unit_test(ud_send_errors), cmocka_unit_test(multicast),
		cmocka_unit_test(uc_messages), cmocka_unit_test(uc_losses),
		cmocka_unit_test(uc_wrong_key), cmocka_unit_test(partitions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
