/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * post.c - posting work requests: what is refused at once, and what is copied.
 * Room: verbs/soft.  Pure.
 *
 * Refused is what no adapter could begin: a wrong state, an operation that the transport type
 * lacks, too many pieces, a full queue.  What depends on keys, lengths and the peer is found
 * later and completes in error.
 */
#include <config.h>
#include <string.h>
#include "verbs/soft/soft_impl.h"

static bool
opcode_ok(enum ibv_qp_type type, enum ibv_wr_opcode o)
{
	switch (o) {
	case IBV_WR_SEND:
	case IBV_WR_SEND_WITH_IMM:
		return type != IBV_QPT_XRC_RECV;
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
	case IBV_WR_BIND_MW:
	case IBV_WR_LOCAL_INV:
		return type == IBV_QPT_RC || type == IBV_QPT_UC || type == IBV_QPT_XRC_SEND;
	case IBV_WR_RDMA_READ:
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
	case IBV_WR_SEND_WITH_INV:
		return type == IBV_QPT_RC || type == IBV_QPT_XRC_SEND;
	case IBV_WR_TSO:
	case IBV_WR_DRIVER1:
	default:
		return false;
	}
}

static bool
inline_allowed(enum ibv_wr_opcode o)
{
	return o == IBV_WR_SEND || o == IBV_WR_SEND_WITH_IMM || o == IBV_WR_SEND_WITH_INV ||
		o == IBV_WR_RDMA_WRITE || o == IBV_WR_RDMA_WRITE_WITH_IMM;
}

/* 'window': the type of window that this bind is for. */
static int
send_ok(const struct soft_qp *q, const struct ibv_send_wr *wr, enum ibv_mw_type window)
{
	const unsigned known = IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED |
		IBV_SEND_INLINE;

	if (q->state < IBV_QPS_RTS || q->hca->fatal)
		return q->hca->fatal ? -EIO : -EINVAL;
	if (!opcode_ok(q->pub.type, wr->opcode) || wr->send_flags & ~known || wr->num_sge < 0 ||
	    (uint32_t)wr->num_sge > q->pub.cap.max_send_sge)
		return -EINVAL;
	if (wr->send_flags & IBV_SEND_INLINE && (!inline_allowed(wr->opcode) ||
	    soft_sges_bytes(wr->sg_list, wr->num_sge) > q->pub.cap.max_inline_data))
		return -EINVAL;
	if (q->pub.type == IBV_QPT_UD && (!wr->wr.ud.ah || wr->wr.ud.remote_qpn > PACKET_PSN_MASK))
		return -EINVAL;
	if (wr->opcode == IBV_WR_BIND_MW && (!wr->bind_mw.mw ||
	    SOFT_OF(struct soft_mw, ibv, wr->bind_mw.mw)->pub.type != window))
		return -EINVAL;
	return q->req.tail - q->req.freed < q->req.room ? 0 : -ENOMEM;
}

static void
bind_copy(struct soft_swqe *e, const struct ibv_send_wr *wr)
{
	const struct ibv_mw_bind_info *i = &wr->bind_mw.bind_info;

	e->mw = SOFT_OF(struct soft_mw, ibv, wr->bind_mw.mw);
	e->mw->posted++;
	e->mr_key = i->mr ? SOFT_OF(struct soft_mr, ibv, i->mr)->key : 0;
	e->new_key = wr->bind_mw.rkey;
	e->bind_addr = i->addr;
	e->bind_bytes = i->length;
	e->bind_access = i->mw_access_flags;
}

static void
target_copy(struct soft_qp *q, struct soft_swqe *e, const struct ibv_send_wr *wr)
{
	const struct soft_ah *ah;

	switch (wr->opcode) {
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		e->remote_addr = wr->wr.atomic.remote_addr;
		e->rkey = wr->wr.atomic.rkey;
		e->compare_add = wr->wr.atomic.compare_add;
		e->swap = wr->wr.atomic.swap;
		break;
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
	case IBV_WR_RDMA_READ:
		e->remote_addr = wr->wr.rdma.remote_addr;
		e->rkey = wr->wr.rdma.rkey;
		break;
	case IBV_WR_BIND_MW:
		bind_copy(e, wr);
		break;
	default:
		break;
	}
	if (q->pub.type == IBV_QPT_UD) {
		ah = SOFT_OF(struct soft_ah, ibv, wr->wr.ud.ah);
		e->ah = ah->attr;
		e->ah_of_other_pd = ah->pd != q->pd;
		e->remote_qpn = wr->wr.ud.remote_qpn;
		e->remote_qkey = wr->wr.ud.remote_qkey;
	}
	if (q->pub.type == IBV_QPT_XRC_SEND)
		e->srq_num = wr->qp_type.xrc.remote_srqn;
}

static void
data_copy(struct soft_swqe *e, const struct ibv_send_wr *wr)
{
	uint8_t *to;

	e->length_bytes = soft_sges_bytes(wr->sg_list, wr->num_sge);
	if (!(wr->send_flags & IBV_SEND_INLINE)) {
		e->nsge = wr->num_sge;
		if (wr->num_sge)
			memcpy(e->sge, wr->sg_list, (size_t)wr->num_sge * sizeof(*e->sge));
		return;
	}
	e->inline_data = to = xmalloc(e->length_bytes ? (size_t)e->length_bytes : 1);
	for (int i = 0; i < wr->num_sge; i++) {
		if (wr->sg_list[i].length)
			memcpy(to, (const void *)(uintptr_t)wr->sg_list[i].addr,
				wr->sg_list[i].length);
		to += wr->sg_list[i].length;
	}
}

static void
send_take(struct soft_qp *q, const struct ibv_send_wr *wr)
{
	struct soft_swqe *e = soft_swqe_at(q, q->req.tail++);

	*e = (struct soft_swqe){ .wr_id = wr->wr_id, .opcode = wr->opcode,
		.flags = wr->send_flags };
	e->signaled = q->sig_all || wr->send_flags & IBV_SEND_SIGNALED;
	if (wr->opcode == IBV_WR_SEND_WITH_INV || wr->opcode == IBV_WR_LOCAL_INV)
		e->inv_rkey = wr->invalidate_rkey;
	else
		memcpy(e->imm, &wr->imm_data, 4);
	target_copy(q, e, wr);
	if (wr->opcode != IBV_WR_BIND_MW && wr->opcode != IBV_WR_LOCAL_INV)
		data_copy(e, wr);
}

static int
post_one(struct soft_qp *q, const struct ibv_send_wr *wr, enum ibv_mw_type window)
{
	int ret = send_ok(q, wr, window);

	if (ret < 0)
		return ret;
	send_take(q, wr);
	if (q->state == IBV_QPS_ERR || q->state == IBV_QPS_SQE)
		soft_qp_flush(q);
	soft_kick(q);
	return 0;
}

int
soft_post_send(struct verbs_qp *pub, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	for (; wr; wr = wr->next) {
		int ret = post_one(SOFT_QP(pub), wr, IBV_MW_TYPE_2);

		if (ret < 0) {
			*bad = wr;
			return ret;
		}
	}
	return 0;
}

int
soft_post_recv(struct verbs_qp *pub, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct soft_qp *q = SOFT_QP(pub);
	int ret = q->hca->fatal ? -EIO : q->state == IBV_QPS_RESET || q->srq ||
		q->pub.type == IBV_QPT_XRC_SEND || q->pub.type == IBV_QPT_XRC_RECV ? -EINVAL : 0;

	for (; wr; wr = wr->next) {
		if (!ret)
			ret = soft_rq_post(&q->rq, wr);
		if (ret) {
			*bad = wr;
			return ret;
		}
		if (q->state == IBV_QPS_ERR)
			soft_qp_flush(q);
	}
	return 0;
}

int
soft_mw_bind(struct verbs_qp *qp, struct verbs_mw *pub, struct ibv_mw_bind *bind)
{
	struct soft_mw *w = SOFT_MW(pub);
	struct ibv_send_wr wr = {
		.wr_id = bind->wr_id, .opcode = IBV_WR_BIND_MW, .send_flags = bind->send_flags,
		.bind_mw = { .mw = &w->ibv, .rkey = (w->last_key & ~0xffu) |
		((w->last_key + 1) & 0xff), .bind_info = bind->bind_info },
	};
	int ret;

	if (pub->type != IBV_MW_TYPE_1)
		return -EINVAL;
	ret = post_one(SOFT_QP(qp), &wr, IBV_MW_TYPE_1);
	if (ret == 0)
		w->pub.rkey = w->ibv.rkey = w->last_key = wr.bind_mw.rkey;
	return ret;
}
