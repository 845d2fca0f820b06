/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * queue.c - completion queues, shared receive queues, addresses and queue pairs over libibverbs.
 * Room: verbs/ibv.
 *
 * Every object has its handle as context, so that events lead to it.  Events are acknowledged at
 * once, because destroying an object waits for unacknowledged ones.
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include "util/xalloc.h"
#include "verbs/ibv/impl.h"

/* ---- completions ---- */

int
ibvb_create_chan(struct verbs_dev *dev, struct verbs_chan **out)
{
	struct ibvb_dev *d = ibvb_of(dev);
	struct ibv_comp_channel *c = d->lib->create_comp_channel(d->ctx);
	int flags;

	if (!c)
		return ibvb_errno();
	flags = fcntl(c->fd, F_GETFL);
	if (flags < 0 || fcntl(c->fd, F_SETFL, flags | O_NONBLOCK) < 0) {
		int r = ibvb_errno();

		d->lib->destroy_comp_channel(c);
		return r;
	}
	*out = xmalloc(sizeof(**out));
	**out = (struct verbs_chan){ .dev = dev, .fd = c->fd, .impl = c };
	d->live.chan++;
	return 0;
}

int
ibvb_destroy_chan(struct verbs_chan *chan)
{
	struct ibvb_dev *d = ibvb_of(chan->dev);
	int r = ibvb_result(d->lib->destroy_comp_channel(chan->impl));

	if (r)
		return r;
	d->live.chan--;
	free(chan);
	return 0;
}

int
ibvb_create_cq(struct verbs_dev *dev, int cqe, struct verbs_chan *chan, struct verbs_cq **out)
{
	struct ibvb_dev *d = ibvb_of(dev);
	struct verbs_cq *q = xcalloc(1, sizeof(*q));
	struct ibv_cq *cq = d->lib->create_cq(d->ctx, cqe, q, chan ? chan->impl : NULL, 0);

	if (!cq) {
		int r = ibvb_errno();

		free(q);
		return r;
	}
	*q = (struct verbs_cq){ .dev = dev, .cqe = cq->cqe, .impl = cq };
	*out = q;
	d->live.cq++;
	return 0;
}

int
ibvb_resize_cq(struct verbs_cq *q, int cqe)
{
	struct ibv_cq *cq = q->impl;
	int r = ibvb_result(ibvb_of(q->dev)->lib->resize_cq(cq, cqe));

	if (!r)
		q->cqe = cq->cqe;
	return r;
}

int
ibvb_destroy_cq(struct verbs_cq *q)
{
	struct ibvb_dev *d = ibvb_of(q->dev);
	int r = ibvb_result(d->lib->destroy_cq(q->impl));

	if (r)
		return r;
	d->live.cq--;
	free(q);
	return 0;
}

int
ibvb_poll(struct verbs_cq *q, int n, struct ibv_wc *wc)
{
	int r = ibv_poll_cq(q->impl, n, wc);

	return r < 0 ? -EIO : r;
}

int
ibvb_req_notify(struct verbs_cq *q, bool solicited_only)
{
	return ibvb_result(ibv_req_notify_cq(q->impl, solicited_only));
}

int
ibvb_get_cq_event(struct verbs_chan *chan, struct verbs_cq **out)
{
	struct ibvb_dev *d = ibvb_of(chan->dev);
	struct ibv_cq *cq;
	void *context;

	if (d->lib->get_cq_event(chan->impl, &cq, &context))
		return ibvb_errno();
	d->lib->ack_cq_events(cq, 1);
	*out = context;
	return 0;
}

/* ---- shared receive queues, XRC domains, addresses ---- */

static struct ibv_srq *
make_srq(struct ibvb_dev *d, struct verbs_pd *pd, const struct verbs_srq_init *init,
	struct verbs_srq *s)
{
	struct ibv_srq_init_attr_ex ex = {
		.srq_context = s, .attr = init->attr, .comp_mask = IBV_SRQ_INIT_ATTR_TYPE |
		IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_XRCD |
			IBV_SRQ_INIT_ATTR_CQ, .srq_type = init->type, .pd = pd->impl,
			.xrcd = init->xrcd ? init->xrcd->impl : NULL,
		.cq = init->cq ? init->cq->impl : NULL,
	};
	struct ibv_srq_init_attr plain = { .srq_context = s, .attr = init->attr };
	struct verbs_context *v;

	if (init->type == IBV_SRQT_BASIC)
		return d->lib->create_srq(pd->impl, &plain);
	v = verbs_get_ctx_op(d->ctx, create_srq_ex);
	if (!v)
		errno = ENOTSUP;
	return v ? v->create_srq_ex(d->ctx, &ex) : NULL;
}

int
ibvb_create_srq(struct verbs_pd *pd, const struct verbs_srq_init *init, struct verbs_srq **out)
{
	struct ibvb_dev *d = ibvb_of(pd->dev);
	struct verbs_srq *s = xcalloc(1, sizeof(*s));
	struct ibv_srq *srq = make_srq(d, pd, init, s);
	struct verbs_context *v;

	if (!srq) {
		int r = ibvb_errno();

		free(s);
		return r;
	}
	s->dev = pd->dev;
	s->impl = srq;
	v = verbs_get_ctx_op(d->ctx, get_srq_num);
	if (init->type == IBV_SRQT_XRC && v)
		v->get_srq_num(srq, &s->srq_num);
	*out = s;
	d->live.srq++;
	return 0;
}

int
ibvb_modify_srq(struct verbs_srq *s, const struct ibv_srq_attr *attr, int mask)
{
	struct ibv_srq_attr a = *attr;

	return ibvb_result(ibvb_of(s->dev)->lib->modify_srq(s->impl, &a, mask));
}

int
ibvb_query_srq(struct verbs_srq *s, struct ibv_srq_attr *attr)
{
	return ibvb_result(ibvb_of(s->dev)->lib->query_srq(s->impl, attr));
}

int
ibvb_destroy_srq(struct verbs_srq *s)
{
	struct ibvb_dev *d = ibvb_of(s->dev);
	int r = ibvb_result(d->lib->destroy_srq(s->impl));

	if (r)
		return r;
	d->live.srq--;
	free(s);
	return 0;
}

int
ibvb_post_srq_recv(struct verbs_srq *s, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	return ibvb_result(ibv_post_srq_recv(s->impl, wr, bad));
}

int
ibvb_open_xrcd(struct verbs_dev *dev, struct verbs_xrcd **out)
{
	struct ibvb_dev *d = ibvb_of(dev);
	struct verbs_context *v = verbs_get_ctx_op(d->ctx, open_xrcd);
	struct ibv_xrcd_init_attr init = { .comp_mask = IBV_XRCD_INIT_ATTR_FD |
		IBV_XRCD_INIT_ATTR_OFLAGS, .fd = -1, .oflags = O_CREAT };
	struct ibv_xrcd *x;

	if (!v)
		return -ENOTSUP;
	x = v->open_xrcd(d->ctx, &init);
	if (!x)
		return ibvb_errno();
	*out = xmalloc(sizeof(**out));
	**out = (struct verbs_xrcd){ .dev = dev, .impl = x };
	d->live.xrcd++;
	return 0;
}

int
ibvb_close_xrcd(struct verbs_xrcd *x)
{
	struct ibvb_dev *d = ibvb_of(x->dev);
	int r = ibvb_result(ibv_close_xrcd(x->impl));

	if (r)
		return r;
	d->live.xrcd--;
	free(x);
	return 0;
}

int
ibvb_create_ah(struct verbs_pd *pd, const struct ibv_ah_attr *attr, struct verbs_ah **out)
{
	struct ibvb_dev *d = ibvb_of(pd->dev);
	struct ibv_ah_attr a = *attr;
	struct ibv_ah *ah = d->lib->create_ah(pd->impl, &a);

	if (!ah)
		return ibvb_errno();
	*out = xmalloc(sizeof(**out));
	**out = (struct verbs_ah){ .dev = pd->dev, .ibv = ah, .impl = ah };
	d->live.ah++;
	return 0;
}

int
ibvb_destroy_ah(struct verbs_ah *ah)
{
	struct ibvb_dev *d = ibvb_of(ah->dev);
	int r = ibvb_result(d->lib->destroy_ah(ah->impl));

	if (r)
		return r;
	d->live.ah--;
	free(ah);
	return 0;
}

/* ---- queue pairs ---- */

static struct ibv_qp *
make_qp(struct ibvb_dev *d, struct verbs_pd *pd, const struct verbs_qp_init *init,
	struct verbs_qp *q)
{
	struct ibv_qp_init_attr plain = {
		.qp_context = q, .send_cq = init->send_cq ? init->send_cq->impl : NULL,
		.recv_cq = init->recv_cq ? init->recv_cq->impl : NULL,
		.srq = init->srq ? init->srq->impl : NULL, .cap = init->cap, .qp_type = init->type,
		.sq_sig_all = init->sq_sig_all,
	};
	struct ibv_qp_init_attr_ex ex = {
		.qp_context = q, .qp_type = init->type, .comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = init->xrcd ? init->xrcd->impl : NULL,
	};
	struct verbs_context *v = verbs_get_ctx_op(d->ctx, create_qp_ex);
	struct ibv_qp *qp;

	if (init->type != IBV_QPT_XRC_RECV) {
		qp = d->lib->create_qp(pd->impl, &plain);
		q->cap = plain.cap;
		return qp;
	}
	if (!v)
		errno = ENOTSUP;
	return v ? v->create_qp_ex(d->ctx, &ex) : NULL;
}

int
ibvb_create_qp(struct verbs_pd *pd, const struct verbs_qp_init *init, struct verbs_qp **out)
{
	struct ibvb_dev *d = ibvb_of(pd->dev);
	struct verbs_qp *q = xcalloc(1, sizeof(*q));
	struct ibv_qp *qp = make_qp(d, pd, init, q);

	if (!qp) {
		int r = ibvb_errno();

		free(q);
		return r;
	}
	q->dev = pd->dev;
	q->type = init->type;
	q->qp_num = qp->qp_num;
	q->impl = qp;
	*out = q;
	d->live.qp++;
	return 0;
}

int
ibvb_modify_qp(struct verbs_qp *q, const struct ibv_qp_attr *attr, int mask)
{
	struct ibv_qp_attr a = *attr;

	return ibvb_result(ibvb_of(q->dev)->lib->modify_qp(q->impl, &a, mask));
}

int
ibvb_query_qp(struct verbs_qp *q, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init)
{
	struct ibv_qp_init_attr own;
	int r = ibvb_result(ibvb_of(q->dev)->lib->query_qp(q->impl, attr, mask,
		init ? init : &own));

	if (!r && init) {
		init->qp_context = NULL;
		init->send_cq = init->recv_cq = NULL;
		init->srq = NULL;
	}
	return r;
}

int
ibvb_destroy_qp(struct verbs_qp *q)
{
	struct ibvb_dev *d = ibvb_of(q->dev);
	int r = ibvb_result(d->lib->destroy_qp(q->impl));

	if (r)
		return r;
	d->live.qp--;
	free(q);
	return 0;
}

int
ibvb_post_send(struct verbs_qp *q, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	return ibvb_result(ibv_post_send(q->impl, wr, bad));
}

int
ibvb_post_recv(struct verbs_qp *q, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	return ibvb_result(ibv_post_recv(q->impl, wr, bad));
}

int
ibvb_attach_mcast(struct verbs_qp *q, const union ibv_gid *gid, uint16_t mlid)
{
	return ibvb_result(ibvb_of(q->dev)->lib->attach_mcast(q->impl, gid, mlid));
}

int
ibvb_detach_mcast(struct verbs_qp *q, const union ibv_gid *gid, uint16_t mlid)
{
	return ibvb_result(ibvb_of(q->dev)->lib->detach_mcast(q->impl, gid, mlid));
}
