/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * uc.c - requests that arrive at an unreliable connected queue pair.
 * Room: verbs/soft.  Pure.
 *
 * Errors are reported to nobody: a gap in the numbers, a wrong key, a missing receive or one
 * that is too small drop the message.  A receive of its own queue then serves the next message;
 * one of a shared queue cannot be returned and completes with REM_ABORT_ERR (LOC_LEN_ERR if it
 * was too small).  A receive whose own memory is not accessible ends the queue pair.
 */
#include <config.h>
#include <string.h>
#include "verbs/soft/soft_impl.h"

static void
drop_message(struct soft_qp *q, enum ibv_wc_status status)
{
	struct soft_responder *r = &q->res;
	struct ibv_wc wc = { .wr_id = r->wqe.wr_id, .status = status, .opcode = IBV_WC_RECV };

	r->message = SOFT_MESSAGE_NONE;
	if (!r->has_wqe)
		return;
	r->has_wqe = false;
	if (r->wqe_srq)
		soft_qp_receive_done(q, r->wqe_srq, &wc, false);
	else
		q->rq.head--;                           /* returned to the queue */
}

static bool
receive_take(struct soft_qp *q)
{
	struct soft_responder *r = &q->res;

	r->wqe_srq = q->srq;
	if (q->srq && q->srq->failed) {
		soft_qp_fatal(q);
		return false;
	}
	return r->has_wqe = soft_rwqe_take(q, q->srq, &r->wqe);
}

static bool
send_take(struct soft_qp *q, const struct packet *p, unsigned traits)
{
	struct soft_responder *r = &q->res;
	struct ibv_wc wc = { .wr_id = r->wqe.wr_id, .status = IBV_WC_LOC_PROT_ERR,
		.opcode = IBV_WC_RECV };

	if (traits & PACKET_IS_FIRST) {
		if (!receive_take(q))
			return false;
		wc.wr_id = r->wqe.wr_id;
		r->offset_bytes = 0;
		r->message = SOFT_MESSAGE_SEND;
	}
	if (r->offset_bytes + p->payload_bytes > soft_sges_bytes(r->wqe.sge, r->wqe.nsge)) {
		drop_message(q, IBV_WC_LOC_LEN_ERR);
		return false;
	}
	if (p->payload_bytes && soft_scatter(r->wqe_srq ? r->wqe_srq->pd : q->pd, r->wqe.sge,
		    r->wqe.nsge, r->offset_bytes,
	    p->payload, p->payload_bytes) < 0) {
		r->has_wqe = false;
		soft_qp_receive_done(q, r->wqe_srq, &wc, false);
		if (q->state != IBV_QPS_ERR)
			soft_qp_set_state(q, IBV_QPS_ERR);
		return false;
	}
	return true;
}

static bool
write_take(struct soft_qp *q, const struct packet *p, unsigned traits)
{
	struct soft_responder *r = &q->res;
	uint64_t end;
	uint8_t *to;

	if (traits & PACKET_IS_FIRST) {
		if (!(q->attr.qp_access_flags & IBV_ACCESS_REMOTE_WRITE) ||
			    p->dma_bytes > SOFT_MESSAGE_BYTES_MAX)
			return false;
		r->va = p->va;
		r->rkey = p->rkey;
		r->dma_bytes = p->dma_bytes;
		r->offset_bytes = 0;
		if (p->dma_bytes && !soft_remote(q, p->rkey, p->va, p->dma_bytes,
			    IBV_ACCESS_REMOTE_WRITE))
			return false;
		r->message = SOFT_MESSAGE_WRITE;
	}
	end = r->offset_bytes + p->payload_bytes;
	if (end > r->dma_bytes || (traits & PACKET_IS_LAST && end != r->dma_bytes))
		return false;
	if (traits & PACKET_HAS_IMM && !receive_take(q))
		return false;
	if (!p->payload_bytes)
		return true;
	to = soft_remote(q, r->rkey, r->va + r->offset_bytes, p->payload_bytes,
		IBV_ACCESS_REMOTE_WRITE);
	if (to)
		memmove(to, p->payload, p->payload_bytes);
	return to;
}

static void
message_done(struct soft_qp *q, const struct packet *p, unsigned traits)
{
	struct soft_responder *r = &q->res;
	struct ibv_wc wc = {
		.wr_id = r->wqe.wr_id, .opcode = traits & PACKET_IS_WRITE ?
		IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV,
		.byte_len = (uint32_t)r->offset_bytes, .src_qp = q->attr.dest_qp_num,
		.slid = p->slid, .sl = p->sl,
	};

	r->message = SOFT_MESSAGE_NONE;
	if (!r->has_wqe)
		return;
	if (traits & PACKET_HAS_IMM) {
		wc.wc_flags |= IBV_WC_WITH_IMM;
		memcpy(&wc.imm_data, p->imm, 4);
	}
	r->has_wqe = false;
	soft_qp_receive_done(q, r->wqe_srq, &wc, p->solicited);
}

static bool
continues_message(const struct soft_responder *r, unsigned traits)
{
	unsigned kind = r->message == SOFT_MESSAGE_SEND ? PACKET_IS_SEND : PACKET_IS_WRITE;

	if (traits & PACKET_IS_FIRST)
		return true;
	return r->message != SOFT_MESSAGE_NONE && traits & kind;
}

static bool
payload_fits(const struct soft_qp *q, const struct packet *p, unsigned traits)
{
	uint32_t mtu = soft_mtu_bytes(q);

	return traits & PACKET_IS_LAST ? p->payload_bytes <= mtu : p->payload_bytes == mtu;
}

void
soft_uc_receive(struct soft_qp *q, const struct packet *p)
{
	struct soft_responder *r = &q->res;
	unsigned traits = packet_traits(p->opcode);
	bool gap = p->psn != r->epsn, ok;

	r->epsn = soft_psn_add(p->psn, 1);
	if (gap || traits & PACKET_IS_FIRST)
		drop_message(q, IBV_WC_REM_ABORT_ERR);
	if (q->state == IBV_QPS_ERR || !traits)
		return;
	if (!continues_message(r, traits) || !payload_fits(q, p, traits)) {
		drop_message(q, IBV_WC_REM_ABORT_ERR);
		return;
	}
	ok = traits & PACKET_IS_SEND ? send_take(q, p, traits) : write_take(q, p, traits);
	if (!ok) {
		if (q->state != IBV_QPS_ERR)
			drop_message(q, IBV_WC_REM_ABORT_ERR);
		return;
	}
	r->offset_bytes += p->payload_bytes;
	if (traits & PACKET_IS_LAST)
		message_done(q, p, traits);
}
