/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rig.h - two ends of a connection between software adapters, for the tests of verbs/soft.
 */
#ifndef HEDDLE_TESTS_UNIT_VERBS_SOFT_RIG_H
#define HEDDLE_TESTS_UNIT_VERBS_SOFT_RIG_H

#include "tests/unit/test.h"
#include <errno.h>
#include "verbs/soft/soft.h"

enum {
	RIG_BYTES = 1 << 18, RIG_QKEY = 0x1234, RIG_PSN = 0xfffffa,     /* numbers wrap soon */
	RIG_LOCAL = IBV_ACCESS_LOCAL_WRITE,
	RIG_REMOTE = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC,
	RIG_ALL = RIG_LOCAL | RIG_REMOTE | IBV_ACCESS_MW_BIND,
};

struct rig_side {
	struct verbs_dev *dev;
	struct verbs_pd *pd;
	struct verbs_mr *mr;
	struct verbs_cq *scq, *rcq;
	struct verbs_srq *srq;
	struct verbs_qp *qp;
	uint16_t lid;
	union ibv_gid gid;
	uint8_t *buf;
};

/* What a test may change between rig_open() and rig_connect(). */
struct rig {
	struct verbs_world *world;
	const struct verbs_ops *ops;
	struct rig_side a, b;
	enum ibv_qp_type type;
	enum ibv_mtu mtu;
	unsigned b_access;              /* of b's queue pair */
	uint32_t depth;
	int scqe, rcqe;
	uint8_t timeout, retry, rnr_retry, rnr_timer, rd_atomic, dest_rd_atomic;
	bool srq, grh;
};

static inline void
rig_side_open(struct rig *r, struct rig_side *s, const char *name)
{
	struct ibv_port_attr p;
	struct ibv_gid_entry g;

	assert_int_equal(r->ops->open(r->world, name, &s->dev), 0);
	assert_int_equal(r->ops->alloc_pd(s->dev, &s->pd), 0);
	s->buf = calloc(1, RIG_BYTES);
	assert_int_equal(r->ops->reg_mr(s->pd, s->buf, RIG_BYTES, RIG_ALL, &s->mr), 0);
	assert_int_equal(r->ops->query_port(s->dev, 1, &p), 0);
	assert_int_equal(r->ops->query_gid(s->dev, 1, 0, &g), 0);
	s->lid = p.lid;
	s->gid = g.gid;
}

static inline struct rig
rig_open(uint64_t seed)
{
	struct rig r = {
		.type = IBV_QPT_RC, .mtu = IBV_MTU_256, .b_access = RIG_REMOTE, .depth = 16,
		.scqe = 64, .rcqe = 64, .timeout = 8,
		.retry = 3, .rnr_timer = 1, .rd_atomic = 4, .dest_rd_atomic = 4,
	};

	r.world = soft_world_new(&(struct soft_options){ .seed = seed });
	r.ops = r.world->ops;
	rig_side_open(&r, &r.a, "soft0");
	rig_side_open(&r, &r.b, "soft1");
	return r;
}

static inline void
rig_qp_create(struct rig *r, struct rig_side *s)
{
	struct verbs_qp_init i = {
		.type = r->type, .cap = { .max_send_wr = r->depth, .max_recv_wr = r->depth,
		.max_send_sge = 4, .max_recv_sge = 4,
		.max_inline_data = 64 },
	};
	struct verbs_srq_init si = { .attr = { .max_wr = r->depth, .max_sge = 4 } };

	assert_int_equal(r->ops->create_cq(s->dev, r->scqe, NULL, &s->scq), 0);
	assert_int_equal(r->ops->create_cq(s->dev, r->rcqe, NULL, &s->rcq), 0);
	if (r->srq && s == &r->b)
		assert_int_equal(r->ops->create_srq(s->pd, &si, &s->srq), 0);
	i.send_cq = s->scq;
	i.recv_cq = s->rcq;
	i.srq = s->srq;
	assert_int_equal(r->ops->create_qp(s->pd, &i, &s->qp), 0);
}

static inline int
rig_to_init(struct rig *r, struct rig_side *s)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = RIG_QKEY,
		.qp_access_flags = s == &r->b ? r->b_access : RIG_REMOTE,
	};

	return r->ops->modify_qp(s->qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
		(r->type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
}

static inline struct ibv_ah_attr
rig_path(const struct rig *r, const struct rig_side *to)
{
	return (struct ibv_ah_attr){
		.dlid = to->lid, .port_num = 1, .sl = 3, .is_global = r->grh,
		.grh = { .dgid = to->gid, .hop_limit = 1 },
	};
}

static inline int
rig_to_rtr(struct rig *r, struct rig_side *s, const struct rig_side *peer)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTR, .path_mtu = r->mtu, .rq_psn = RIG_PSN,
		.dest_qp_num = peer->qp->qp_num,
		.max_dest_rd_atomic = r->dest_rd_atomic, .min_rnr_timer = r->rnr_timer,
		.ah_attr = rig_path(r, peer),
	};
	int mask = IBV_QP_STATE;

	if (r->type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (r->type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return r->ops->modify_qp(s->qp, &a, mask);
}

static inline int
rig_to_rts(struct rig *r, struct rig_side *s)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTS, .sq_psn = RIG_PSN, .timeout = r->timeout,
		.retry_cnt = r->retry,
		.rnr_retry = r->rnr_retry, .max_rd_atomic = r->rd_atomic,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (r->type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	return r->ops->modify_qp(s->qp, &a, mask);
}

static inline int
rig_to(struct rig *r, struct rig_side *s, enum ibv_qp_state state)
{
	struct ibv_qp_attr a = { .qp_state = state };

	return r->ops->modify_qp(s->qp, &a, IBV_QP_STATE);
}

static inline void
rig_connect(struct rig *r)
{
	rig_qp_create(r, &r->a);
	rig_qp_create(r, &r->b);
	assert_int_equal(rig_to_init(r, &r->a), 0);
	assert_int_equal(rig_to_init(r, &r->b), 0);
	assert_int_equal(rig_to_rtr(r, &r->a, &r->b), 0);
	assert_int_equal(rig_to_rtr(r, &r->b, &r->a), 0);
	assert_int_equal(rig_to_rts(r, &r->a), 0);
	assert_int_equal(rig_to_rts(r, &r->b), 0);
}

static inline void
rig_side_close(struct rig *r, struct rig_side *s)
{
	struct verbs_live l;

	if (s->qp)
		assert_int_equal(r->ops->destroy_qp(s->qp), 0);
	if (s->srq)
		assert_int_equal(r->ops->destroy_srq(s->srq), 0);
	if (s->scq)
		assert_int_equal(r->ops->destroy_cq(s->scq), 0);
	if (s->rcq)
		assert_int_equal(r->ops->destroy_cq(s->rcq), 0);
	if (s->mr)
		assert_int_equal(r->ops->dereg_mr(s->mr), 0);
	assert_int_equal(r->ops->dealloc_pd(s->pd), 0);
	r->ops->live(s->dev, &l);
	assert_int_equal(l.pd + l.mr + l.mw + l.chan + l.cq + l.srq + l.xrcd + l.ah + l.qp, 0);
	assert_int_equal(r->ops->close(s->dev), 0);
	free(s->buf);
}

static inline void
rig_close(struct rig *r)
{
	rig_side_close(r, &r->a);
	rig_side_close(r, &r->b);
	r->ops->world_free(r->world);
}

/* ---- work ---- */

static inline struct ibv_sge
rig_sge(const struct rig_side *s, uint32_t offset, uint32_t bytes)
{
	return (struct ibv_sge){ .addr = (uintptr_t)s->buf + offset, .length = bytes,
		.lkey = s->mr->lkey };
}

static inline int
rig_post(struct rig *r, struct rig_side *s, struct ibv_send_wr wr, struct ibv_sge sge)
{
	struct ibv_send_wr *bad;

	if (!wr.sg_list && sge.length) {
		wr.sg_list = &sge;
		wr.num_sge = 1;
	}
	return r->ops->post_send(s->qp, &wr, &bad);
}

/* A signaled operation from a's buffer to b's, both at 'offset'. */
static inline void
rig_do(struct rig *r, enum ibv_wr_opcode op, uint32_t offset, uint32_t bytes, uint64_t wr_id)
{
	struct ibv_send_wr wr = { .wr_id = wr_id, .opcode = op, .send_flags = IBV_SEND_SIGNALED };

	if (op == IBV_WR_ATOMIC_CMP_AND_SWP || op == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = (uintptr_t)r->b.buf + offset;
		wr.wr.atomic.rkey = r->b.mr->rkey;
		wr.wr.atomic.compare_add = 1;
	} else {
		wr.wr.rdma.remote_addr = (uintptr_t)r->b.buf + offset;
		wr.wr.rdma.rkey = r->b.mr->rkey;
	}
	assert_int_equal(rig_post(r, &r->a, wr, rig_sge(&r->a, offset, bytes)), 0);
}

static inline void
rig_recv(struct rig *r, struct rig_side *s, uint32_t offset, uint32_t bytes, uint64_t wr_id)
{
	struct ibv_sge sge = rig_sge(s, offset, bytes);
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 }, *bad;

	if (s->srq)
		assert_int_equal(r->ops->post_srq_recv(s->srq, &wr, &bad), 0);
	else
		assert_int_equal(r->ops->post_recv(s->qp, &wr, &bad), 0);
}

/* The next completion within a second of the world's time. */
static inline struct ibv_wc
rig_wc(struct rig *r, struct verbs_cq *cq)
{
	uint64_t end = r->ops->now_ns(r->world) + UINT64_C(1000000000);
	struct ibv_wc wc;
	int n;

	while ((n = r->ops->poll(cq, 1, &wc)) == 0 && r->ops->now_ns(r->world) < end)
		r->ops->await(r->world, 1000);
	assert_int_equal(n, 1);
	return wc;
}

static inline void
rig_expect(struct rig *r, struct verbs_cq *cq, uint64_t wr_id, enum ibv_wc_status status)
{
	struct ibv_wc wc = rig_wc(r, cq);

	assert_string_equal(verbs_status_name(wc.status), verbs_status_name(status));
	assert_int_equal(wc.wr_id, wr_id);
}

/* Asserts that no completion comes within 'us'. */
static inline void
rig_expect_none(struct rig *r, struct verbs_cq *cq, uint32_t us)
{
	struct ibv_wc wc;

	r->ops->advance(r->world, us);
	assert_int_equal(r->ops->poll(cq, 1, &wc), 0);
}

static inline void
rig_expect_event(struct rig *r, struct rig_side *s, enum ibv_event_type type)
{
	struct verbs_event e;

	assert_int_equal(r->ops->get_async_event(s->dev, &e), 0);
	assert_string_equal(verbs_event_name(e.type), verbs_event_name(type));
}

static inline void
rig_expect_no_event(struct rig *r, struct rig_side *s)
{
	struct verbs_event e;

	assert_int_equal(r->ops->get_async_event(s->dev, &e), -EAGAIN);
}

static inline void
rig_fill(uint8_t *p, size_t bytes, uint32_t seed)
{
	for (size_t i = 0; i < bytes; i++)
		p[i] = (uint8_t)((seed + i) * 2654435761u >> 24);
}

static inline enum ibv_qp_state
rig_state(struct rig *r, struct rig_side *s)
{
	struct ibv_qp_attr a;

	assert_int_equal(r->ops->query_qp(s->qp, &a, IBV_QP_STATE, NULL), 0);
	return a.qp_state;
}

#endif
