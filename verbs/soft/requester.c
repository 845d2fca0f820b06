/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * requester.c - what a send queue sends, and when its work requests complete.
 * Room: verbs/soft.  Pure.
 *
 * A message gets its packet sequence numbers when it begins; a retry returns to the oldest
 * unacknowledged number and sends from there again.  Work requests complete in order, and the
 * first that fails ends the queue (ERR; UC and UD: SQE).
 */
#include <config.h>
#include <string.h>
#include "verbs/soft/soft_impl.h"

struct soft_swqe *
soft_swqe_at(const struct soft_qp *q, uint32_t index)
{
	return &q->req.v[index % q->req.ring];
}

/* ---- completion ---- */

static void
swqe_free(struct soft_swqe *e)
{
	free(e->inline_data);
	e->inline_data = NULL;
	if (e->mw)
		e->mw->posted--;
	e->mw = NULL;
}

void
soft_swqe_complete(struct soft_qp *q, enum ibv_wc_status status)
{
	static const enum ibv_wc_opcode opcodes[] = {
		[IBV_WR_RDMA_WRITE] = IBV_WC_RDMA_WRITE, [IBV_WR_RDMA_WRITE_WITH_IMM] =
			IBV_WC_RDMA_WRITE,
		[IBV_WR_SEND] = IBV_WC_SEND, [IBV_WR_SEND_WITH_IMM] = IBV_WC_SEND,
			[IBV_WR_SEND_WITH_INV] = IBV_WC_SEND,
		[IBV_WR_RDMA_READ] = IBV_WC_RDMA_READ, [IBV_WR_ATOMIC_CMP_AND_SWP] =
			IBV_WC_COMP_SWAP,
		[IBV_WR_ATOMIC_FETCH_AND_ADD] = IBV_WC_FETCH_ADD,
			[IBV_WR_LOCAL_INV] = IBV_WC_LOCAL_INV,
		[IBV_WR_BIND_MW] = IBV_WC_BIND_MW,
	};
	struct soft_requester *r = &q->req;
	struct soft_swqe *e = soft_swqe_at(q, r->head);
	bool tell = e->signaled || status != IBV_WC_SUCCESS;
	struct soft_cqe c = {
		.wc = { .wr_id = e->wr_id, .status = status, .opcode = opcodes[e->opcode],
		.qp_num = q->pub.qp_num },
		.qp = q, .sq_freed = r->head + 1,
	};

	if (soft_swqe_is_rd_atomic(e) && status == IBV_WC_SUCCESS)
		c.wc.byte_len = (uint32_t)e->length_bytes;
	swqe_free(e);
	if (r->cur == r->head) {
		r->cur++;
		r->cur_packet = 0;
	}
	r->head++;
	if (tell)
		soft_cq_add(q->scq, &c, false);
}

/* Completes the oldest work request in error. */
static void
request_fail(struct soft_qp *q, enum ibv_wc_status status)
{
	bool unreliable = q->pub.type == IBV_QPT_UC || q->pub.type == IBV_QPT_UD;

	soft_swqe_complete(q, status);
	if (q->state == IBV_QPS_RTS || q->state == IBV_QPS_SQD)
		soft_qp_set_state(q, unreliable ? IBV_QPS_SQE : IBV_QPS_ERR);
}

bool
soft_requester_is_drained(const struct soft_qp *q)
{
	return q->req.head == q->req.tail || !soft_swqe_at(q, q->req.head)->numbered;
}

void
soft_requester_drain(struct soft_qp *q)
{
	q->req.drained_reported = false;
	soft_requester_advance(q);
}

void
soft_requester_advance(struct soft_qp *q)
{
	struct soft_requester *r = &q->req;

	while (r->head != r->tail) {
		const struct soft_swqe *e = soft_swqe_at(q, r->head);

		if (e->status != IBV_WC_SUCCESS) {
			request_fail(q, e->status);
			return;
		}
		if (!e->done)
			break;
		soft_swqe_complete(q, IBV_WC_SUCCESS);
	}
	if (q->state == IBV_QPS_SQD && !r->drained_reported && soft_requester_is_drained(q)) {
		r->drained_reported = true;
		if (q->attr.en_sqd_async_notify)
			soft_qp_event(q, IBV_EVENT_SQ_DRAINED);
	}
}

/* ---- beginning and end ---- */

void
soft_requester_begin(struct soft_qp *q)
{
	struct soft_requester *r = &q->req;

	r->psn_next = r->una = q->attr.sq_psn;
	r->retry_left = q->attr.retry_cnt;
	r->rnr_left = q->attr.rnr_retry;
	r->since_ack_request = 0;
	r->implied = false;
}

void
soft_requester_stop(struct soft_qp *q)
{
	soft_timer_stop(q->hca->world, &q->req.ack);
	soft_timer_stop(q->hca->world, &q->req.rnr);
}

void
soft_requester_reset(struct soft_qp *q)
{
	struct soft_requester *r = &q->req;

	soft_requester_stop(q);
	for (; r->head != r->tail; r->head++)
		swqe_free(soft_swqe_at(q, r->head));
	r->cur = r->head;
	r->cur_packet = 0;
	r->rd_atomic = 0;
}

void
soft_requester_timer(struct soft_qp *q)
{
	struct soft_world *w = q->hca->world;

	if (!soft_is_connected_reliably(q) || q->req.una == q->req.psn_next || !q->attr.timeout ||
		    q->req.rnr.node.place)
		soft_timer_stop(w, &q->req.ack);
	else
		soft_timer_start(w, &q->req.ack, w->now_ns + ((int64_t)4096 << q->attr.timeout));
}

void
soft_requester_rewind(struct soft_qp *q, uint32_t psn)
{
	struct soft_requester *r = &q->req;

	for (r->cur = r->head; r->cur != r->tail; r->cur++) {
		const struct soft_swqe *e = soft_swqe_at(q, r->cur);
		int32_t k = soft_psn_diff(psn, e->psn);

		if (!e->numbered)
			break;
		if (!soft_swqe_is_local(e) && k >= 0 && k < (int32_t)e->npackets) {
			r->cur_packet = (uint32_t)k;
			return;
		}
	}
	r->cur_packet = 0;
}

/* ---- one work request begins ---- */

static enum ibv_wc_status
length_look(const struct soft_qp *q, const struct soft_swqe *e)
{
	if (e->length_bytes > SOFT_MESSAGE_BYTES_MAX ||
		    (soft_swqe_is_atomic(e) && e->length_bytes != 8))
		return IBV_WC_LOC_LEN_ERR;
	if (q->pub.type == IBV_QPT_UD && e->length_bytes > PACKET_MTU_MAX)
		return IBV_WC_LOC_LEN_ERR;
	if (e->ah_of_other_pd || (soft_swqe_is_rd_atomic(e) && !q->attr.max_rd_atomic))
		return IBV_WC_LOC_QP_OP_ERR;
	return IBV_WC_SUCCESS;
}

/* Assigns packet sequence numbers to 'e'.  False: not yet, or never (see its status). */
static bool
request_number(struct soft_qp *q, struct soft_swqe *e)
{
	struct soft_requester *r = &q->req;
	uint32_t mtu = q->pub.type == IBV_QPT_UD ? PACKET_MTU_MAX : soft_mtu_bytes(q);

	if (q->state != IBV_QPS_RTS || (e->flags & IBV_SEND_FENCE && r->rd_atomic))
		return false;
	if (soft_swqe_is_local(e)) {
		e->numbered = true;
		return true;
	}
	e->status = length_look(q, e);
	if (e->status != IBV_WC_SUCCESS)
		return false;
	if ((soft_swqe_is_rd_atomic(e) && r->rd_atomic >= q->attr.max_rd_atomic) ||
	    soft_psn_diff(r->psn_next, r->una) > SOFT_WINDOW_PSNS)
		return false;
	e->psn = r->psn_next;
	e->npackets = e->length_bytes ? (uint32_t)((e->length_bytes + mtu - 1) / mtu) : 1;
	e->numbered = true;
	r->psn_next = soft_psn_add(r->psn_next, e->npackets);
	if (!soft_is_connected_reliably(q))
		r->una = r->psn_next;
	if (soft_swqe_is_rd_atomic(e))
		r->rd_atomic++;
	return true;
}

static void
execute_locally(struct soft_qp *q, struct soft_swqe *e)
{
	int ret = e->opcode == IBV_WR_BIND_MW ? soft_window_bind(q, e) : soft_window_invalidate(q,
		e->inv_rkey);

	e->done = ret == 0;
	if (ret < 0)
		e->status = IBV_WC_MW_BIND_ERR;
}

/* ---- one packet ---- */

static uint8_t
opcode_service(const struct soft_qp *q)
{
	switch ((unsigned)q->pub.type) {
	case IBV_QPT_UC:
		return PACKET_UC;
	case IBV_QPT_UD:
		return PACKET_UD;
	case IBV_QPT_XRC_SEND:
		return PACKET_XRC;
	default:
		return PACKET_RC;
	}
}

static enum packet_op
packet_op_of(const struct soft_swqe *e, bool first, bool last)
{
	switch (e->opcode) {
	case IBV_WR_RDMA_READ:
		return PACKET_READ_REQUEST;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return PACKET_CMP_SWAP;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return PACKET_FETCH_ADD;
	case IBV_WR_RDMA_WRITE:
		return last ? (first ? PACKET_WRITE_ONLY : PACKET_WRITE_LAST) : first ?
			PACKET_WRITE_FIRST : PACKET_WRITE_MIDDLE;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return last ? (first ? PACKET_WRITE_ONLY_IMM : PACKET_WRITE_LAST_IMM) :
			first ? PACKET_WRITE_FIRST : PACKET_WRITE_MIDDLE;
	case IBV_WR_SEND_WITH_IMM:
		return last ? (first ? PACKET_SEND_ONLY_IMM : PACKET_SEND_LAST_IMM) :
			first ? PACKET_SEND_FIRST : PACKET_SEND_MIDDLE;
	case IBV_WR_SEND_WITH_INV:
		return last ? (first ? PACKET_SEND_ONLY_INV : PACKET_SEND_LAST_INV) :
			first ? PACKET_SEND_FIRST : PACKET_SEND_MIDDLE;
	default:
		return last ? (first ? PACKET_SEND_ONLY : PACKET_SEND_LAST) : first ?
			PACKET_SEND_FIRST : PACKET_SEND_MIDDLE;
	}
}

static void
fill_targets(const struct soft_qp *q, const struct soft_swqe *e, struct packet *p, uint64_t offset)
{
	memcpy(p->imm, e->imm, 4);
	p->inv_rkey = e->inv_rkey;
	p->va = e->remote_addr + (e->opcode == IBV_WR_RDMA_READ ? offset : 0);
	p->rkey = e->rkey;
	p->dma_bytes = (uint32_t)(e->length_bytes - (e->opcode == IBV_WR_RDMA_READ ? offset : 0));
	p->swap_add = e->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ? e->swap : e->compare_add;
	p->compare = e->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ? e->compare_add : 0;
	p->srq_num = e->srq_num;
	p->dest_qpn = q->attr.dest_qp_num;
	if (q->pub.type == IBV_QPT_UD) {
		p->dest_qpn = e->remote_qpn;
		/* A key with the high bit set means the queue pair's own key, so that only
		 * privileged users can use such keys. */
		p->qkey = e->remote_qkey >> 31 ? q->attr.qkey : e->remote_qkey;
		p->src_qpn = q->pub.qp_num;
	}
}

static int
payload_put(const struct soft_qp *q, const struct soft_swqe *e, uint64_t offset, uint8_t *to,
	uint32_t bytes)
{
	if (!e->inline_data)
		return soft_gather(q->pd, e->sge, e->nsge, offset, to, bytes);
	memcpy(to, e->inline_data + offset, bytes);
	return 0;
}

/* Sends packet 'cur_packet' of 'e'.  False: its memory is not accessible. */
static bool
packet_send(struct soft_qp *q, struct soft_swqe *e)
{
	struct soft_requester *r = &q->req;
	uint32_t k = r->cur_packet, mtu = q->pub.type == IBV_QPT_UD ? PACKET_MTU_MAX :
		soft_mtu_bytes(q);
	uint64_t offset = (uint64_t)k * mtu, left = e->length_bytes - offset;
	bool last = soft_swqe_is_rd_atomic(e) || k + 1 == e->npackets;
	uint8_t w[PACKET_MAX_BYTES];
	struct packet p = { .opcode = (uint8_t)(opcode_service(q) | packet_op_of(e, k == 0, last)),
		.psn = soft_psn_add(e->psn, k) };

	p.migrated = q->attr.path_mig_state == IBV_MIG_MIGRATED;
	if (!soft_swqe_is_rd_atomic(e))
		p.payload_bytes = left < mtu ? (uint32_t)left : mtu;
	fill_targets(q, e, &p, offset);
	soft_route(q->port, &p, q->pub.type == IBV_QPT_UD ? &e->ah : &q->attr.ah_attr,
		q->port->pkeys[q->attr.pkey_index]);
	p.solicited = last && e->flags & IBV_SEND_SOLICITED && e->opcode != IBV_WR_RDMA_WRITE &&
		!soft_swqe_is_rd_atomic(e);
	p.ack_request = soft_is_connected_reliably(q) &&
		(last || ++r->since_ack_request >= SOFT_ACK_EVERY);
	if (p.ack_request)
		r->since_ack_request = 0;
	if (p.payload_bytes && payload_put(q, e, offset, w + packet_head_bytes(&p),
		    p.payload_bytes) < 0)
		return false;
	soft_port_send(q->port, w, &p);
	if (e->opcode == IBV_WR_RDMA_READ)
		e->asked_at = k;
	r->cur_packet++;
	if (last) {
		r->cur++;
		r->cur_packet = 0;
		e->done |= !soft_is_connected_reliably(q);
	}
	soft_requester_timer(q);
	return true;
}

bool
soft_requester_turn(struct soft_qp *q)
{
	struct soft_requester *r = &q->req;

	while ((q->state == IBV_QPS_RTS || q->state == IBV_QPS_SQD) && !r->rnr.node.place &&
		    r->cur != r->tail) {
		struct soft_swqe *e = soft_swqe_at(q, r->cur);
		bool sent = false;

		if (e->status != IBV_WC_SUCCESS)
			/* It waits for the requests before it, and then ends the queue. */
			return false;
		if (e->numbered || request_number(q, e)) {
			if (soft_swqe_is_local(e)) {
				if (!e->done)
					execute_locally(q, e);
				r->cur += e->done;
			} else {
				sent = packet_send(q, e);
				if (!sent)
					e->status = IBV_WC_LOC_PROT_ERR;
			}
		} else if (e->status == IBV_WC_SUCCESS) {
			return false;                   /* not yet */
		}
		soft_requester_advance(q);
		if (sent)
			return true;
	}
	return false;
}
