/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cq.c - completion queues and channels.
 * Room: verbs/soft.  Pure.
 *
 * A completion that finds the queue full is lost: the queue fails permanently and raises CQ_ERR
 * once; completions in it can still be polled.  Every queue pair that completes something
 * afterwards fails too (QP_FATAL).  Slots of a send queue become free when the completion that
 * covers them is polled.
 */
#include <config.h>
#include <string.h>
#include "verbs/soft/soft_impl.h"

int
soft_chan_create(struct verbs_dev *pub, struct verbs_chan **out)
{
	struct soft_dev *d = SOFT_DEV(pub);
	struct soft_chan *c;

	if (d->hca->fatal)
		return -EIO;
	c = xcalloc(1, sizeof(*c));
	c->pub = (struct verbs_chan){ .dev = pub, .fd = -1 };
	d->live.chan++;
	*out = &c->pub;
	return 0;
}

int
soft_chan_destroy(struct verbs_chan *pub)
{
	struct soft_chan *c = SOFT_CHAN(pub);

	if (c->users)
		return -EBUSY;
	SOFT_DEV(pub->dev)->live.chan--;
	free(c->queue);
	free(c);
	return 0;
}

int
soft_chan_get(struct verbs_chan *pub, struct verbs_cq **out)
{
	struct soft_chan *c = SOFT_CHAN(pub);

	if (c->head == c->tail)
		return -EAGAIN;
	*out = &c->queue[c->head++ % c->room]->pub;
	return 0;
}

static void
chan_put(struct soft_chan *c, struct soft_cq *cq)
{
	if (c->tail - c->head == c->room) {
		uint32_t room = c->room ? c->room * 2 : 8;
		struct soft_cq **v = xcalloc(room, sizeof(*v));

		for (uint32_t i = c->head; i != c->tail; i++)
			v[i % room] = c->queue[i % c->room];
		free(c->queue);
		c->queue = v;
		c->room = room;
	}
	c->queue[c->tail++ % c->room] = cq;
}

static void
chan_forget(struct soft_chan *c, const struct soft_cq *cq)
{
	uint32_t to = c->head;

	for (uint32_t i = c->head; i != c->tail; i++)
		if (c->queue[i % c->room] != cq)
			c->queue[to++ % c->room] = c->queue[i % c->room];
	c->tail = to;
}

int
soft_cq_create(struct verbs_dev *pub, int cqe, struct verbs_chan *chan, struct verbs_cq **out)
{
	struct soft_dev *d = SOFT_DEV(pub);
	struct soft_cq *c;

	if (d->hca->fatal)
		return -EIO;
	if (cqe < 1 || cqe > SOFT_CQES_MAX)
		return -EINVAL;
	c = xcalloc(1, sizeof(*c));
	c->pub = (struct verbs_cq){ .dev = pub, .cqe = cqe };
	c->v = xcalloc((size_t)cqe, sizeof(*c->v));
	c->chan = chan ? SOFT_CHAN(chan) : NULL;
	if (c->chan)
		c->chan->users++;
	d->live.cq++;
	*out = &c->pub;
	return 0;
}

int
soft_cq_resize(struct verbs_cq *pub, int cqe)
{
	struct soft_cq *c = SOFT_CQ(pub);
	struct soft_cqe *v;

	if (SOFT_DEV(pub->dev)->hca->fatal)
		return -EIO;
	if (cqe < 1 || cqe > SOFT_CQES_MAX || (uint32_t)cqe < c->n)
		return -EINVAL;
	v = xcalloc((size_t)cqe, sizeof(*v));
	for (uint32_t i = 0; i < c->n; i++)
		v[i] = c->v[(c->head + i) % (uint32_t)c->pub.cqe];
	free(c->v);
	c->v = v;
	c->head = 0;
	c->pub.cqe = cqe;
	return 0;
}

int
soft_cq_destroy(struct verbs_cq *pub)
{
	struct soft_cq *c = SOFT_CQ(pub);
	struct soft_dev *d = SOFT_DEV(pub->dev);

	if (c->users)
		return -EBUSY;
	if (c->chan) {
		chan_forget(c->chan, c);
		c->chan->users--;
	}
	soft_events_forget(d, pub);
	d->live.cq--;
	free(c->v);
	free(c);
	return 0;
}

void
soft_cq_add(struct soft_cq *c, const struct soft_cqe *e, bool solicited)
{
	SOFT_DEV(c->pub.dev)->hca->world->news++;
	if (c->failed || c->n == (uint32_t)c->pub.cqe) {
		if (!c->failed)
			soft_event(SOFT_DEV(c->pub.dev),
				&(struct verbs_event){ .type = IBV_EVENT_CQ_ERR, .cq = &c->pub });
		c->failed = true;
		soft_qp_fatal(e->qp);
		return;
	}
	c->v[(c->head + c->n++) % (uint32_t)c->pub.cqe] = *e;
	if (c->arm == SOFT_ARM_NEXT ||
		    (c->arm == SOFT_ARM_SOLICITED &&
		    (solicited || e->wc.status != IBV_WC_SUCCESS))) {
		c->arm = SOFT_UNARMED;
		if (c->chan)
			chan_put(c->chan, c);
	}
}

/* Releases what 'e' holds, when it is polled or dropped. */
static void
cqe_free(const struct soft_cqe *e)
{
	if (e->srq)
		e->srq->rq.freed++;
	else if (e->of_receive)
		e->qp->rq.freed++;
	else
		e->qp->req.freed = e->sq_freed;
}

/* Drops completions of 'q' or, if that is NULL, those of receives from 'srq'. */
static void
completions_drop(struct soft_cq *c, const struct soft_qp *q, const struct soft_srq *srq)
{
	uint32_t to = 0, room = (uint32_t)c->pub.cqe;

	for (uint32_t i = 0; i < c->n; i++) {
		struct soft_cqe e = c->v[(c->head + i) % room];

		if (q ? e.qp == q : e.srq == srq)
			cqe_free(&e);
		else
			c->v[(c->head + to++) % room] = e;
	}
	c->n = to;
}

void
soft_cq_forget(struct soft_cq *c, const struct soft_qp *q)
{
	completions_drop(c, q, NULL);
}

void
soft_cq_forget_srq(struct soft_cq *c, const struct soft_srq *s)
{
	completions_drop(c, NULL, s);
}

int
soft_cq_poll(struct verbs_cq *pub, int n, struct ibv_wc *wc)
{
	struct soft_cq *c = SOFT_CQ(pub);
	int i;

	if (n < 0)
		return -EINVAL;
	for (i = 0; i < n && c->n; i++) {
		const struct soft_cqe *e = &c->v[c->head];

		wc[i] = e->wc;
		cqe_free(e);
		c->head = (c->head + 1) % (uint32_t)c->pub.cqe;
		c->n--;
	}
	if (i == 0 && n && SOFT_DEV(pub->dev)->hca->fatal)
		return -EIO;
	return i;
}

int
soft_cq_req_notify(struct verbs_cq *pub, bool solicited_only)
{
	struct soft_cq *c = SOFT_CQ(pub);

	if (SOFT_DEV(pub->dev)->hca->fatal)
		return -EIO;
	if (!solicited_only)
		c->arm = SOFT_ARM_NEXT;
	else if (c->arm == SOFT_UNARMED)
		c->arm = SOFT_ARM_SOLICITED;
	return 0;
}
