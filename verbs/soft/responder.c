/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * responder.c - requests that arrive at a reliable queue pair (RC, XRC).
 * Room: verbs/soft.  Pure.
 *
 * Only the expected packet sequence number is executed.  A later number gets one NAK "sequence"
 * until the expected one arrives.  An earlier one was executed before and is answered again:
 * reads from memory, atomics from a record of results.  A request that cannot be executed gets a
 * NAK; when that has been sent the queue pair goes to ERR, and the consumed receive or, without
 * one, an event reports why.
 */
#include <config.h>
#include <string.h>
#include "verbs/soft/soft_impl.h"

/* Sends a NAK with 'kind' and 'value', after which the queue pair ends: its receive completes
 * with 'status', or 'event' is raised without one. */
static void
nak_send(struct soft_qp *q, uint8_t kind, uint8_t value, enum ibv_wc_status status,
	enum ibv_event_type event)
{
	struct soft_responder *r = &q->res;

	soft_answer_ack(q, r->epsn, kind, value);
	r->dying = true;
	r->last_status = status;
	r->last_event = event;
}

static void
refuse_request(struct soft_qp *q, enum ibv_wc_status status)
{
	nak_send(q, PACKET_AETH_NAK, PACKET_NAK_INVALID_REQUEST, status, IBV_EVENT_QP_REQ_ERR);
}

static void
refuse_access(struct soft_qp *q)
{
	nak_send(q, PACKET_AETH_NAK, PACKET_NAK_ACCESS, IBV_WC_LOC_ACCESS_ERR,
		IBV_EVENT_QP_ACCESS_ERR);
}

static struct soft_srq *
receive_queue(struct soft_qp *q, const struct packet *p)
{
	struct soft_srq *s;

	if (q->pub.type != IBV_QPT_XRC_RECV)
		return q->srq;
	s = soft_srq_find(q->hca, p->srq_num);
	return s && s->xrcd == q->xrcd ? s : NULL;
}

/* Takes a receive for a message.  False: there is none, and a NAK told the sender when to retry. */
static bool
receive_take(struct soft_qp *q, const struct packet *p)
{
	struct soft_responder *r = &q->res;

	r->wqe_srq = receive_queue(q, p);
	if (q->pub.type == IBV_QPT_XRC_RECV && !r->wqe_srq) {
		refuse_request(q, IBV_WC_LOC_QP_OP_ERR);
		return false;
	}
	if (r->wqe_srq && r->wqe_srq->failed) {
		soft_qp_fatal(q);
		return false;
	}
	r->has_wqe = soft_rwqe_take(q, r->wqe_srq, &r->wqe);
	if (r->has_wqe)
		return true;
	soft_answer_ack(q, r->epsn, PACKET_AETH_RNR, q->attr.min_rnr_timer);
	/* later packets are dropped until it is retried */
	r->nak_sent = true;
	return false;
}

static bool
payload_fits(const struct soft_qp *q, const struct packet *p, unsigned traits)
{
	uint32_t mtu = soft_mtu_bytes(q);

	if (!(traits & PACKET_IS_LAST))
		return p->payload_bytes == mtu;
	return p->payload_bytes <= mtu && (traits & PACKET_IS_FIRST || p->payload_bytes);
}

/* Completes a message after its last packet. */
static void
receive_done(struct soft_qp *q, const struct packet *p, unsigned traits)
{
	struct soft_responder *r = &q->res;
	bool write = traits & PACKET_IS_WRITE;
	struct ibv_wc wc = {
		.wr_id = r->wqe.wr_id, .opcode = write ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV,
		.byte_len = (uint32_t)r->offset_bytes, .src_qp = q->attr.dest_qp_num,
		.slid = p->slid, .sl = p->sl,
	};

	if (traits & PACKET_HAS_IMM) {
		wc.wc_flags |= IBV_WC_WITH_IMM;
		memcpy(&wc.imm_data, p->imm, 4);
	}
	if (traits & PACKET_HAS_IETH) {
		wc.wc_flags |= IBV_WC_WITH_INV;
		wc.invalidated_rkey = p->inv_rkey;
	}
	r->has_wqe = false;
	soft_qp_receive_done(q, r->wqe_srq, &wc, p->solicited);
}

static void
request_executed(struct soft_qp *q, const struct packet *p, unsigned traits)
{
	struct soft_responder *r = &q->res;

	r->epsn = soft_psn_add(p->psn, 1);
	if (traits & PACKET_IS_LAST) {
		r->msn = soft_psn_add(r->msn, 1);
		r->message = SOFT_MESSAGE_NONE;
	}
	if (p->ack_request)
		soft_answer_ack(q, p->psn, PACKET_AETH_ACK, 0);
}

static void
send_execute(struct soft_qp *q, const struct packet *p, unsigned traits)
{
	struct soft_responder *r = &q->res;
	const struct soft_pd *pd;

	if (traits & PACKET_IS_FIRST) {
		if (!receive_take(q, p))
			return;
		r->message = SOFT_MESSAGE_SEND;
		r->offset_bytes = 0;
	}
	pd = r->wqe_srq ? r->wqe_srq->pd : q->pd;
	if (r->offset_bytes + p->payload_bytes > soft_sges_bytes(r->wqe.sge, r->wqe.nsge)) {
		refuse_request(q, IBV_WC_LOC_LEN_ERR);
		return;
	}
	if (p->payload_bytes &&
	    soft_scatter(pd, r->wqe.sge, r->wqe.nsge, r->offset_bytes, p->payload,
	    p->payload_bytes) < 0) {
		nak_send(q, PACKET_AETH_NAK, PACKET_NAK_OPERATION, IBV_WC_LOC_PROT_ERR,
			IBV_EVENT_QP_FATAL);
		return;
	}
	r->offset_bytes += p->payload_bytes;
	/* The data has arrived, so the sender gets an ACK; the key that cannot be invalidated is
	 * an error of the receiver. */
	if (traits & PACKET_HAS_IETH && soft_window_invalidate(q, p->inv_rkey) < 0) {
		nak_send(q, PACKET_AETH_ACK, 0, IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR);
		return;
	}
	if (traits & PACKET_IS_LAST)
		receive_done(q, p, traits);
	/* The completion may have overrun its queue. */
	if (q->state != IBV_QPS_ERR)
		request_executed(q, p, traits);
}

/* Checks the whole range of a write at its first packet. */
static bool
write_begin(struct soft_qp *q, const struct packet *p, unsigned traits)
{
	struct soft_responder *r = &q->res;

	if (!(q->attr.qp_access_flags & IBV_ACCESS_REMOTE_WRITE) ||
		    p->dma_bytes > SOFT_MESSAGE_BYTES_MAX) {
		refuse_request(q, IBV_WC_LOC_QP_OP_ERR);
		return false;
	}
	r->va = p->va;
	r->rkey = p->rkey;
	r->dma_bytes = p->dma_bytes;
	r->offset_bytes = 0;
	if (!p->dma_bytes || soft_remote(q, p->rkey, p->va, p->dma_bytes, IBV_ACCESS_REMOTE_WRITE))
		return true;
	/* Its receive, if there is one, completes with it. */
	if (traits & PACKET_HAS_IMM) {
		r->wqe_srq = receive_queue(q, p);
		r->has_wqe = soft_rwqe_take(q, r->wqe_srq, &r->wqe);
	}
	refuse_access(q);
	return false;
}

static void
write_execute(struct soft_qp *q, const struct packet *p, unsigned traits)
{
	struct soft_responder *r = &q->res;
	uint64_t end;
	uint8_t *to = NULL;

	if (traits & PACKET_IS_FIRST && !write_begin(q, p, traits))
		return;
	end = r->offset_bytes + p->payload_bytes;
	if (end > r->dma_bytes || (traits & PACKET_IS_LAST && end != r->dma_bytes)) {
		refuse_request(q, IBV_WC_LOC_LEN_ERR);
		return;
	}
	if (traits & PACKET_HAS_IMM && !receive_take(q, p))
		return;
	if (p->payload_bytes) {
		to = soft_remote(q, r->rkey, r->va + r->offset_bytes, p->payload_bytes,
			IBV_ACCESS_REMOTE_WRITE);
		if (!to) {
			refuse_access(q);
			return;
		}
		memmove(to, p->payload, p->payload_bytes);
	}
	r->offset_bytes = end;
	r->message = SOFT_MESSAGE_WRITE;
	if (traits & PACKET_HAS_IMM)
		receive_done(q, p, traits);
	if (q->state != IBV_QPS_ERR)
		request_executed(q, p, traits);
}

/* ---- reads and atomics ---- */

static void
memory_add(struct soft_qp *q, const struct soft_memory *m)
{
	struct soft_responder *r = &q->res;

	r->memory[r->memories++ % SOFT_RD_ATOMIC_MAX] = *m;
}

/* The executed read or atomic that 'psn' belongs to, among as many as the responder has
 * resources for. */
static const struct soft_memory *
memory_find(const struct soft_qp *q, uint32_t psn)
{
	const struct soft_responder *r = &q->res;

	for (uint32_t i = 1; i <= q->attr.max_dest_rd_atomic && i <= r->memories; i++) {
		const struct soft_memory *m = &r->memory[(r->memories - i) % SOFT_RD_ATOMIC_MAX];
		int32_t k = soft_psn_diff(psn, m->psn);

		if (k >= 0 && k < (int32_t)m->npackets)
			return m;
	}
	return NULL;
}

/* Checks rights and resources of the queue pair. */
static bool
access_allowed(struct soft_qp *q, unsigned access)
{
	if (q->attr.qp_access_flags & access && soft_answers_owed(q, false) <
		    q->attr.max_dest_rd_atomic)
		return true;
	refuse_request(q, IBV_WC_LOC_QP_OP_ERR);
	return false;
}

static void
read_execute(struct soft_qp *q, const struct packet *p)
{
	struct soft_responder *r = &q->res;
	uint32_t mtu = soft_mtu_bytes(q), n = p->dma_bytes ? (p->dma_bytes - 1) / mtu + 1 : 1;

	if (!access_allowed(q, IBV_ACCESS_REMOTE_READ))
		return;
	if (p->dma_bytes > SOFT_MESSAGE_BYTES_MAX) {
		refuse_request(q, IBV_WC_LOC_QP_OP_ERR);
		return;
	}
	if (p->dma_bytes && !soft_remote(q, p->rkey, p->va, p->dma_bytes, IBV_ACCESS_REMOTE_READ)) {
		refuse_access(q);
		return;
	}
	r->msn = soft_psn_add(r->msn, 1);
	r->epsn = soft_psn_add(p->psn, n);
	memory_add(q, &(struct soft_memory){ .psn = p->psn, .npackets = n });
	soft_answer_read(q, p, false);
}

static void
atomic_execute(struct soft_qp *q, const struct packet *p)
{
	struct soft_responder *r = &q->res;
	bool swap = (p->opcode & 0x1f) == PACKET_CMP_SWAP;
	uint64_t was, becomes;
	uint8_t *at;

	if (!access_allowed(q, IBV_ACCESS_REMOTE_ATOMIC))
		return;
	if (p->va & 7) {
		refuse_request(q, IBV_WC_LOC_QP_OP_ERR);
		return;
	}
	at = soft_remote(q, p->rkey, p->va, 8, IBV_ACCESS_REMOTE_ATOMIC);
	if (!at) {
		refuse_access(q);
		return;
	}
	memcpy(&was, at, 8);
	becomes = !swap ? was + p->swap_add : was == p->compare ? p->swap_add : was;
	memcpy(at, &becomes, 8);
	r->msn = soft_psn_add(r->msn, 1);
	r->epsn = soft_psn_add(p->psn, 1);
	memory_add(q, &(struct soft_memory){ .atomic = true, .psn = p->psn, .npackets = 1,
		.original = was });
	soft_answer_atomic(q, p->psn, was, false);
}

/* ---- which of all that ---- */

static bool
continues_message(const struct soft_responder *r, unsigned traits)
{
	switch (r->message) {
	case SOFT_MESSAGE_SEND:
		return traits & PACKET_IS_SEND && !(traits & PACKET_IS_FIRST);
	case SOFT_MESSAGE_WRITE:
		return traits & PACKET_IS_WRITE && !(traits & PACKET_IS_FIRST);
	case SOFT_MESSAGE_NONE:
		break;
	}
	return traits & PACKET_IS_FIRST;
}

static void
request_execute(struct soft_qp *q, const struct packet *p)
{
	unsigned traits = packet_traits(p->opcode);

	q->res.nak_sent = false;
	if (!continues_message(&q->res, traits) ||
		    (traits & PACKET_HAS_PAYLOAD && !payload_fits(q, p, traits)))
		refuse_request(q, IBV_WC_LOC_QP_OP_ERR);
	else if (traits & PACKET_IS_SEND)
		send_execute(q, p, traits);
	else if (traits & PACKET_IS_WRITE)
		write_execute(q, p, traits);
	else if (traits & PACKET_HAS_ATOMIC)
		atomic_execute(q, p);
	else
		read_execute(q, p);
}

/* True when a repeated read requests no more than what is left of the executed one. */
static bool
read_again_ok(struct soft_qp *q, const struct soft_memory *m, const struct packet *p)
{
	uint32_t left = m->npackets - (uint32_t)soft_psn_diff(p->psn, m->psn);

	return !m->atomic && p->dma_bytes <= (uint64_t)left * soft_mtu_bytes(q) &&
		(!p->dma_bytes || soft_remote(q, p->rkey, p->va, p->dma_bytes,
		IBV_ACCESS_REMOTE_READ));
}

static void
on_duplicate(struct soft_qp *q, const struct packet *p)
{
	const struct soft_memory *m = memory_find(q, p->psn);
	unsigned traits = packet_traits(p->opcode);

	if (traits & (PACKET_IS_SEND | PACKET_IS_WRITE)) {
		soft_answer_ack(q, soft_psn_add(q->res.epsn, PACKET_PSN_MASK), PACKET_AETH_ACK, 0);
		return;
	}
	if (!m || soft_answers_owed(q, true) >= q->attr.max_dest_rd_atomic)
		return;
	if (traits & PACKET_HAS_ATOMIC && m->atomic)
		soft_answer_atomic(q, p->psn, m->original, true);
	else if (traits & PACKET_HAS_RETH && read_again_ok(q, m, p))
		soft_answer_read(q, p, true);
}

void
soft_request_receive(struct soft_qp *q, const struct packet *p)
{
	struct soft_responder *r = &q->res;
	int32_t ahead = soft_psn_diff(p->psn, r->epsn);

	if (r->dying)
		return;
	if (ahead == 0) {
		request_execute(q, p);
	} else if (ahead < 0) {
		on_duplicate(q, p);
	} else if (!r->nak_sent) {
		r->nak_sent = true;
		soft_answer_ack(q, r->epsn, PACKET_AETH_NAK, PACKET_NAK_SEQUENCE);
	}
}
