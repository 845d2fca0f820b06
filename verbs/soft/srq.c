/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * srq.c - receive queues, shared receive queues and their limit.
 * Room: verbs/soft.  Pure.
 *
 * The limit raises SRQ_LIMIT_REACHED once, when fewer receives than that are left, and is then
 * off.
 */
#include <config.h>
#include <string.h>
#include "verbs/soft/soft_impl.h"

uint32_t
soft_ring(uint32_t room)
{
	uint32_t ring = 1;

	while (ring < room)
		ring *= 2;
	return ring;
}

void
soft_rq_init(struct soft_rq *rq, uint32_t room, uint32_t max_sge)
{
	rq->room = room;
	rq->ring = soft_ring(room);
	rq->max_sge = max_sge;
	rq->v = xcalloc(rq->ring, sizeof(*rq->v));
}

int
soft_rq_post(struct soft_rq *rq, const struct ibv_recv_wr *wr)
{
	struct soft_rwqe *e;

	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > rq->max_sge)
		return -EINVAL;
	if (rq->tail - rq->freed >= rq->room)
		return -ENOMEM;
	e = &rq->v[rq->tail++ % rq->ring];
	e->wr_id = wr->wr_id;
	e->nsge = wr->num_sge;
	if (wr->num_sge)
		memcpy(e->sge, wr->sg_list, (size_t)wr->num_sge * sizeof(*e->sge));
	return 0;
}

static void
limit_look(struct soft_srq *s)
{
	if (!s->limit || s->rq.tail - s->rq.head >= s->limit)
		return;
	s->limit = 0;
	soft_event(SOFT_DEV(s->pub.dev), &(struct verbs_event){ .type = IBV_EVENT_SRQ_LIMIT_REACHED,
		.srq = &s->pub });
}

bool
soft_rwqe_take(struct soft_qp *q, struct soft_srq *srq, struct soft_rwqe *e)
{
	struct soft_rq *rq = srq ? &srq->rq : &q->rq;

	if (rq->head == rq->tail)
		return false;
	*e = rq->v[rq->head++ % rq->ring];
	if (srq)
		limit_look(srq);
	return true;
}

struct soft_srq *
soft_srq_find(struct soft_hca *h, uint32_t num)
{
	return soft_slots_get(&h->srqs, num);
}

/* Validates 'init'; its domain and queue are in the SRQ. */
static bool
init_ok(const struct verbs_srq_init *init)
{
	if (init->attr.max_wr < 1 || init->attr.max_wr > SOFT_WRS_MAX ||
		    init->attr.max_sge > SOFT_SGES_MAX)
		return false;
	return init->type == IBV_SRQT_BASIC || (init->type == IBV_SRQT_XRC && init->xrcd &&
		init->cq);
}

int
soft_srq_create(struct verbs_pd *pub, const struct verbs_srq_init *init, struct verbs_srq **out)
{
	struct soft_dev *d = SOFT_DEV(pub->dev);
	struct soft_srq *s;

	if (d->hca->fatal)
		return -EIO;
	if (!init_ok(init))
		return -EINVAL;
	s = xcalloc(1, sizeof(*s));
	s->pub.dev = pub->dev;
	if (init->type == IBV_SRQT_XRC) {
		if (soft_slots_put(&d->hca->srqs, s, &s->pub.srq_num) < 0) {
			free(s);
			return -ENOMEM;
		}
		s->xrcd = SOFT_XRCD(init->xrcd);
		s->xrcd->users++;
		s->cq = SOFT_CQ(init->cq);
		s->cq->users++;
	}
	s->pd = SOFT_PD(pub);
	s->pd->users++;
	soft_rq_init(&s->rq, init->attr.max_wr, init->attr.max_sge);
	d->live.srq++;
	*out = &s->pub;
	return 0;
}

static void
ring_resize(struct soft_rq *rq, uint32_t room)
{
	uint32_t ring = soft_ring(room);
	struct soft_rwqe *v = xcalloc(ring, sizeof(*v));

	for (uint32_t i = rq->head; i != rq->tail; i++)
		v[i % ring] = rq->v[i % rq->ring];
	free(rq->v);
	rq->v = v;
	rq->room = room;
	rq->ring = ring;
}

int
soft_srq_modify(struct verbs_srq *pub, const struct ibv_srq_attr *a, int mask)
{
	struct soft_srq *s = SOFT_SRQ(pub);

	if (SOFT_DEV(pub->dev)->hca->fatal)
		return -EIO;
	if (mask & ~(IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT))
		return -EINVAL;
	if (mask & IBV_SRQ_MAX_WR && (a->max_wr < 1 || a->max_wr > SOFT_WRS_MAX ||
		    a->max_wr < s->rq.tail - s->rq.freed))
		return -EINVAL;
	if (mask & IBV_SRQ_LIMIT && a->srq_limit > (mask & IBV_SRQ_MAX_WR ? a->max_wr : s->rq.room))
		return -EINVAL;
	if (mask & IBV_SRQ_MAX_WR)
		ring_resize(&s->rq, a->max_wr);
	if (mask & IBV_SRQ_LIMIT) {
		s->limit = a->srq_limit;
		limit_look(s);
	}
	return 0;
}

int
soft_srq_query(struct verbs_srq *pub, struct ibv_srq_attr *a)
{
	const struct soft_srq *s = SOFT_SRQ(pub);

	if (SOFT_DEV(pub->dev)->hca->fatal)
		return -EIO;
	*a = (struct ibv_srq_attr){ .max_wr = s->rq.room, .max_sge = s->rq.max_sge,
		.srq_limit = s->limit };
	return 0;
}

int
soft_srq_destroy(struct verbs_srq *pub)
{
	struct soft_srq *s = SOFT_SRQ(pub);
	struct soft_dev *d = SOFT_DEV(pub->dev);

	if (s->users)
		return -EBUSY;
	if (s->xrcd) {
		soft_slots_drop(&d->hca->srqs, pub->srq_num);
		soft_cq_forget_srq(s->cq, s);
		s->xrcd->users--;
		s->cq->users--;
	}
	soft_events_forget(d, pub);
	s->pd->users--;
	d->live.srq--;
	free(s->rq.v);
	free(s);
	return 0;
}

int
soft_srq_post(struct verbs_srq *pub, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct soft_srq *s = SOFT_SRQ(pub);
	int ret = SOFT_DEV(pub->dev)->hca->fatal ? -EIO : s->failed ? -EINVAL : 0;

	for (; wr; wr = wr->next) {
		if (!ret)
			ret = soft_rq_post(&s->rq, wr);
		if (ret) {
			*bad = wr;
			return ret;
		}
	}
	return 0;
}
