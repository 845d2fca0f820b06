/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qp.c - queue pairs: creation, destruction, queries.
 * Room: verbs/soft.  Pure.  state.c has their state transitions.
 */
#include <config.h>
#include <string.h>
#include "verbs/soft/soft_impl.h"

/* 0 and 1 are management queue pairs, the others below are unused */
enum { QPN_BASE = 16 };

static bool
type_ok(const struct soft_dev *d, const struct verbs_qp_init *i)
{
	switch ((unsigned)i->type) {
	case IBV_QPT_RC:
	case IBV_QPT_UC:
	case IBV_QPT_UD:
		return i->send_cq && i->recv_cq && !i->xrcd && (!i->srq || !SOFT_SRQ(i->srq)->xrcd);
	case IBV_QPT_XRC_SEND:
		return d->pub.caps & VERBS_CAP(XRC) && i->send_cq && !i->srq && !i->xrcd;
	case IBV_QPT_XRC_RECV:
		return d->pub.caps & VERBS_CAP(XRC) && i->xrcd && !i->srq;
	default:
		return false;
	}
}

static bool
cap_ok(const struct ibv_qp_cap *c)
{
	return c->max_send_wr <= SOFT_WRS_MAX && c->max_recv_wr <= SOFT_WRS_MAX &&
		c->max_send_sge <= SOFT_SGES_MAX && c->max_recv_sge <= SOFT_SGES_MAX &&
		c->max_inline_data <= SOFT_INLINE_MAX;
}

struct soft_qp *
soft_qp_find(struct soft_hca *h, uint32_t qpn)
{
	return qpn >= QPN_BASE ? soft_slots_get(&h->qps, qpn - QPN_BASE) : NULL;
}

/* Counts 'q' as user of its objects. */
static void
users_take(struct soft_qp *q, const struct verbs_qp_init *i)
{
	q->scq = i->send_cq ? SOFT_CQ(i->send_cq) : NULL;
	q->rcq = i->recv_cq ? SOFT_CQ(i->recv_cq) : NULL;
	q->srq = i->srq ? SOFT_SRQ(i->srq) : NULL;
	q->xrcd = i->xrcd ? SOFT_XRCD(i->xrcd) : NULL;
	q->pd->users++;
	if (q->scq)
		q->scq->users++;
	if (q->rcq)
		q->rcq->users++;
	if (q->srq)
		q->srq->users++;
	if (q->xrcd)
		q->xrcd->users++;
}

static void
users_release(struct soft_qp *q)
{
	q->pd->users--;
	if (q->scq)
		q->scq->users--;
	if (q->rcq)
		q->rcq->users--;
	if (q->srq)
		q->srq->users--;
	if (q->xrcd)
		q->xrcd->users--;
}

int
soft_qp_create(struct verbs_pd *pub, const struct verbs_qp_init *i, struct verbs_qp **out)
{
	struct soft_dev *d = SOFT_DEV(pub->dev);
	bool sends = i->type != IBV_QPT_XRC_RECV, receives = i->type != IBV_QPT_XRC_SEND && sends &&
		!i->srq;
	struct soft_qp *q;
	uint32_t slot;

	if (d->hca->fatal)
		return -EIO;
	if (!type_ok(d, i) || !cap_ok(&i->cap))
		return -EINVAL;
	q = xcalloc(1, sizeof(*q));
	if (soft_slots_put(&d->hca->qps, q, &slot) < 0) {
		free(q);
		return -ENOMEM;
	}
	q->pub = (struct verbs_qp){ .dev = pub->dev, .type = i->type, .qp_num = slot + QPN_BASE,
		.cap = i->cap };
	q->hca = d->hca;
	q->dev = d;
	q->pd = SOFT_PD(pub);
	q->sig_all = i->sq_sig_all;
	q->req.ack.kind = SOFT_TIMER_ACK;
	q->req.rnr.kind = SOFT_TIMER_RNR;
	q->req.room = sends ? i->cap.max_send_wr : 0;
	q->req.ring = soft_ring(q->req.room);
	q->req.v = xcalloc(q->req.ring, sizeof(*q->req.v));
	soft_rq_init(&q->rq, receives ? i->cap.max_recv_wr : 0, i->cap.max_recv_sge);
	users_take(q, i);
	d->live.qp++;
	*out = &q->pub;
	return 0;
}

int
soft_qp_destroy(struct verbs_qp *pub)
{
	struct soft_qp *q = SOFT_QP(pub);

	if (q->mcasts)
		return -EBUSY;
	soft_qp_drop(q);
	soft_windows_of_qp_unbind(q);
	soft_events_forget(q->dev, pub);
	soft_slots_drop(&q->hca->qps, pub->qp_num - QPN_BASE);
	users_release(q);
	q->dev->live.qp--;
	free(q->req.v);
	free(q->rq.v);
	free(q->res.v);
	free(q);
	return 0;
}

int
soft_qp_query(struct verbs_qp *pub, struct ibv_qp_attr *a, int mask, struct ibv_qp_init_attr *init)
{
	const struct soft_qp *q = SOFT_QP(pub);

	(void)mask;                                     /* all of it is available */
	if (q->hca->fatal)
		return -EIO;
	*a = q->attr;
	a->qp_state = a->cur_qp_state = q->state;
	a->cap = pub->cap;
	a->sq_draining = q->state == IBV_QPS_SQD && !soft_requester_is_drained(q);
	if (q->state >= IBV_QPS_RTR) {
		a->rq_psn = q->res.epsn;
		a->sq_psn = q->state >= IBV_QPS_RTS ? q->req.psn_next : q->attr.sq_psn;
	}
	if (init)
		*init = (struct ibv_qp_init_attr){ .cap = pub->cap, .qp_type = pub->type,
			.sq_sig_all = q->sig_all };
	return 0;
}
