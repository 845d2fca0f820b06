/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * state.c - what a state transition of a queue pair does: timers, responses, flushing.
 * Room: verbs/soft.  Pure.
 *
 * modify.c checks transitions that the application requests; errors end here directly.  In ERR
 * all posted work completes with WR_FLUSH_ERR, sends first, each queue in order.  RESET drops
 * everything, including completions that nobody polled.
 */
#include <config.h>
#include "verbs/soft/soft_impl.h"

void
soft_qp_receive_done(struct soft_qp *q, struct soft_srq *srq, struct ibv_wc *wc, bool solicited)
{
	struct soft_cq *c = srq && srq->cq ? srq->cq : q->rcq;
	struct soft_cqe e = { .wc = *wc, .qp = q, .srq = srq, .of_receive = true };

	e.wc.qp_num = q->pub.qp_num;
	if (c)
		soft_cq_add(c, &e, solicited);
}

static void
responder_begin(struct soft_qp *q)
{
	struct soft_responder *r = &q->res;

	r->epsn = q->attr.rq_psn;
	r->msn = 0;
	r->nak_sent = r->dying = r->come = false;
	r->message = SOFT_MESSAGE_NONE;
	r->memories = 0;
}

static void
responder_stop(struct soft_qp *q)
{
	q->res.head = q->res.tail;
	q->res.dying = false;
	q->res.message = SOFT_MESSAGE_NONE;
}

static void
responder_reset(struct soft_qp *q)
{
	responder_stop(q);
	if (q->res.has_wqe && q->res.wqe_srq)
		q->res.wqe_srq->rq.freed++;
	q->res.has_wqe = false;
}

void
soft_responder_die(struct soft_qp *q)
{
	struct soft_responder *r = &q->res;
	struct ibv_wc wc = { .wr_id = r->wqe.wr_id, .status = r->last_status,
		.opcode = IBV_WC_RECV };

	r->dying = false;
	if (r->has_wqe) {
		r->has_wqe = false;
		soft_qp_receive_done(q, r->wqe_srq, &wc, false);
	} else {
		soft_qp_event(q, r->last_event);
	}
	if (q->state != IBV_QPS_ERR)
		soft_qp_set_state(q, IBV_QPS_ERR);
}

/* Completions of an XRC receiver are in the queues of the shared receive queues of its domain. */
static void
xrc_completions_drop(struct soft_qp *q)
{
	for (uint32_t i = 0; q->xrcd && i < q->hca->srqs.room; i++) {
		struct soft_srq *s = soft_slots_get(&q->hca->srqs, i);

		if (s && s->xrcd == q->xrcd)
			soft_cq_forget(s->cq, q);
	}
}

/* Drops all work in progress. */
void
soft_qp_drop(struct soft_qp *q)
{
	soft_unkick(q);
	soft_requester_reset(q);
	responder_reset(q);
	q->rq.head = q->rq.freed = q->rq.tail;
	if (q->scq)
		soft_cq_forget(q->scq, q);
	if (q->rcq && q->rcq != q->scq)
		soft_cq_forget(q->rcq, q);
	xrc_completions_drop(q);
	q->rq.freed = q->rq.tail;
	q->req.freed = q->req.tail;
}

static void
flush_receives(struct soft_qp *q)
{
	struct ibv_wc wc = { .status = IBV_WC_WR_FLUSH_ERR, .opcode = IBV_WC_RECV };
	struct soft_rwqe e;

	if (q->res.has_wqe) {
		q->res.has_wqe = false;
		wc.wr_id = q->res.wqe.wr_id;
		soft_qp_receive_done(q, q->res.wqe_srq, &wc, false);
	}
	while (!q->srq && soft_rwqe_take(q, NULL, &e)) {
		wc.wr_id = e.wr_id;
		soft_qp_receive_done(q, NULL, &wc, false);
	}
	if (q->srq && !q->last_wqe_reported) {
		q->last_wqe_reported = true;
		soft_qp_event(q, IBV_EVENT_QP_LAST_WQE_REACHED);
	}
}

/* Flushes sends in ERR and SQE, and receives in ERR. */
void
soft_qp_flush(struct soft_qp *q)
{
	while (q->req.head != q->req.tail)
		soft_swqe_complete(q, IBV_WC_WR_FLUSH_ERR);
	if (q->state == IBV_QPS_ERR)
		flush_receives(q);
}

/* Changes the state because of an error or the application; stops timers and pending responses. */
void
soft_qp_set_state(struct soft_qp *q, enum ibv_qp_state to)
{
	enum ibv_qp_state from = q->state;

	q->state = to;
	switch (to) {
	case IBV_QPS_RESET:
		soft_qp_drop(q);
		soft_events_forget(q->dev, &q->pub);
		q->attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RESET };
		q->port = NULL;
		q->fatal_reported = q->last_wqe_reported = q->mig_err_reported = false;
		break;
	case IBV_QPS_ERR:
		soft_unkick(q);
		soft_requester_stop(q);
		responder_stop(q);
		soft_qp_flush(q);
		break;
	case IBV_QPS_SQE:
		soft_requester_stop(q);
		soft_qp_flush(q);
		break;
	case IBV_QPS_SQD:
		soft_requester_drain(q);
		break;
	case IBV_QPS_RTR:
		if (from == IBV_QPS_INIT)
			responder_begin(q);
		break;
	case IBV_QPS_RTS:
		if (from == IBV_QPS_RTR)
			soft_requester_begin(q);
		soft_kick(q);
		break;
	case IBV_QPS_INIT:
	case IBV_QPS_UNKNOWN:
		break;
	}
}

void
soft_qp_fatal(struct soft_qp *q)
{
	if (q->fatal_reported)
		return;
	q->fatal_reported = true;
	soft_qp_event(q, IBV_EVENT_QP_FATAL);
	if (q->state != IBV_QPS_ERR && q->state != IBV_QPS_RESET)
		soft_qp_set_state(q, IBV_QPS_ERR);
}
