/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * world.c - the devices of this machine: list, opening, queries, asynchronous events, time.
 * Room: verbs/ibv.
 */
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "libmad/wire/wire.h"
#include "util/xalloc.h"
#include "verbs/ibv/impl.h"

static const struct verbs_ops ops;

struct ibvb_dev *
ibvb_of(const struct verbs_dev *dev)
{
	return dev->impl;
}

int
ibvb_errno(void)
{
	int e = errno;

	return e == 0 ? -EIO : e == ENOSYS ? -ENOTSUP : -e;
}

int
ibvb_result(int r)
{
	if (r == -1)
		return ibvb_errno();
	return r == ENOSYS ? -ENOTSUP : r > 0 ? -r : r;
}

/* ---- time ---- */

static uint64_t
now_ns(struct verbs_world *w)
{
	struct timespec t;

	(void)w;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void
time_advance(struct verbs_world *w, uint32_t us)
{
	struct timespec t = { .tv_sec = us / 1000000, .tv_nsec = (long)(us % 1000000) * 1000 };

	(void)w;
	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

/* Software devices work in a kernel thread, which on one processor runs only when this thread
 * yields. */
static void
event_await(struct verbs_world *w, uint32_t us)
{
	(void)w;
	(void)us;
	sched_yield();
}

/* ---- devices ---- */

static void
world_free(struct verbs_world *w)
{
	struct ibvb_world *v = w->impl;

	v->lib->free_device_list(v->list);
	free(v);
	free(w);
}

static const char *
device_name(struct verbs_world *w, unsigned i)
{
	struct ibvb_world *v = w->impl;

	return i < (unsigned)v->n ? v->lib->get_device_name(v->list[i]) : NULL;
}

int
ibvb_world_new(struct verbs_world **out, char *why, size_t why_bytes)
{
	const struct ibvb_lib *lib;
	struct ibv_device **list;
	struct ibvb_world *v;
	int n = 0, r = ibvb_lib_load(&lib, why, why_bytes);

	if (r)
		return r;
	list = lib->get_device_list(&n);
	if (!list || n <= 0) {
		snprintf(why, why_bytes, "no verbs device on this machine%s%s",
		list ? " (is the driver loaded, and ibverbs-providers installed?)" : ": ",
			list ? "" : strerror(errno));
		if (list)
			lib->free_device_list(list);
		return -ENODEV;
	}
	v = xmalloc(sizeof(*v));
	*v = (struct ibvb_world){ .lib = lib, .list = list, .n = n };
	*out = xmalloc(sizeof(**out));
	**out = (struct verbs_world){ .ops = &ops, .name = "verbs", .impl = v };
	return 0;
}

static int
open_device(struct verbs_world *w, const char *name, struct verbs_dev **out)
{
	struct ibvb_world *v = w->impl;
	struct ibv_context *ctx;
	struct ibvb_dev *d;
	int i = 0, flags;

	while (name && i < v->n && strcmp(v->lib->get_device_name(v->list[i]), name))
		i++;
	if (i == v->n)
		return -ENODEV;
	ctx = v->lib->open_device(v->list[i]);
	if (!ctx)
		return ibvb_errno();
	flags = fcntl(ctx->async_fd, F_GETFL);
	if (flags < 0 || fcntl(ctx->async_fd, F_SETFL, flags | O_NONBLOCK) < 0) {
		int r = ibvb_errno();

		v->lib->close_device(ctx);
		return r;
	}
	d = xcalloc(1, sizeof(*d));
	d->lib = v->lib;
	d->ctx = ctx;
	d->dev = (struct verbs_dev){ .ops = &ops, .world = w,
		.name = v->lib->get_device_name(v->list[i]), .impl = d };
	ibvb_probe(d);
	*out = &d->dev;
	return 0;
}

static int
close_device(struct verbs_dev *dev)
{
	struct ibvb_dev *d = ibvb_of(dev);
	const struct verbs_live *l = &d->live;
	int r;

	if (l->pd || l->mr || l->mw || l->chan || l->cq || l->srq || l->xrcd || l->ah || l->qp)
		return -EBUSY;
	r = ibvb_result(d->lib->close_device(d->ctx));
	if (!r)
		free(d);
	return r;
}

static int
query_device(struct verbs_dev *dev, struct ibv_device_attr *attr)
{
	struct ibvb_dev *d = ibvb_of(dev);

	return ibvb_result(d->lib->query_device(d->ctx, attr));
}

int
ibvb_query_port(struct verbs_dev *dev, uint8_t port, struct ibv_port_attr *attr)
{
	struct ibvb_dev *d = ibvb_of(dev);
	struct verbs_context *v = verbs_get_ctx_op(d->ctx, query_port);

	if (v)
		return ibvb_result(v->query_port(d->ctx, port, attr, sizeof(*attr)));
	memset(attr, 0, sizeof(*attr));
	return ibvb_result(d->lib->query_port_old(d->ctx, port, attr));
}

int
ibvb_query_gid(struct verbs_dev *dev, uint8_t port, int index, struct ibv_gid_entry *entry)
{
	struct ibvb_dev *d = ibvb_of(dev);

	return index < 0 ? -EINVAL : ibvb_result(d->lib->query_gid_ex(d->ctx, port, (uint32_t)index,
		entry, 0, sizeof(*entry)));
}

static int
query_pkey(struct verbs_dev *dev, uint8_t port, int index, uint16_t *pkey)
{
	struct ibvb_dev *d = ibvb_of(dev);
	__be16 be;
	int r = ibvb_result(d->lib->query_pkey(d->ctx, port, index, &be));

	if (!r)
		*pkey = wire_order16(be);
	return r;
}

static void
live_objects(struct verbs_dev *dev, struct verbs_live *l)
{
	*l = ibvb_of(dev)->live;
}

static int
get_async_event(struct verbs_dev *dev, struct verbs_event *e)
{
	struct ibvb_dev *d = ibvb_of(dev);
	struct ibv_async_event a;

	if (d->lib->get_async_event(d->ctx, &a))
		return ibvb_errno();
	*e = (struct verbs_event){ .type = a.event_type };
	switch (a.event_type) {
	case IBV_EVENT_CQ_ERR:
		e->cq = a.element.cq->cq_context;
		break;
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		e->qp = a.element.qp->qp_context;
		break;
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		e->srq = a.element.srq->srq_context;
		break;
	default:
		e->port = (uint8_t)a.element.port_num;
	}
	d->lib->ack_async_event(&a);
	return 0;
}

int
ibvb_async_fd(const struct verbs_dev *dev)
{
	return ibvb_of(dev)->ctx->async_fd;
}

/* ---- what only a software adapter can do ---- */

static int
faults_set(struct verbs_dev *dev, uint8_t port, const struct verbs_faults *f)
{
	(void)dev, (void)port;
	return f ? -ENOTSUP : 0;
}

static int
hook_set(struct verbs_dev *dev, uint8_t port, verbs_packet_hook *h, void *arg)
{
	(void)dev, (void)port, (void)arg;
	return h ? -ENOTSUP : 0;
}

static int
knob_set(struct verbs_dev *dev, uint8_t port, enum verbs_knob k, uint64_t value)
{
	(void)dev, (void)port, (void)k, (void)value;
	return -ENOTSUP;
}

static const struct verbs_ops ops = {
	.world_free = world_free, .device_name = device_name, .now_ns = now_ns,
	.advance = time_advance, .await = event_await,
	.open = open_device, .close = close_device, .query_device = query_device,
	.query_port = ibvb_query_port,
	.query_gid = ibvb_query_gid, .query_pkey = query_pkey, .live = live_objects,
	.get_async_event = get_async_event,
	.alloc_pd = ibvb_alloc_pd, .dealloc_pd = ibvb_dealloc_pd, .reg_mr = ibvb_reg_mr,
	.rereg_mr = ibvb_rereg_mr,
	.dereg_mr = ibvb_dereg_mr, .alloc_mw = ibvb_alloc_mw, .dealloc_mw = ibvb_dealloc_mw,
	.bind_mw = ibvb_bind_mw,
	.create_chan = ibvb_create_chan, .destroy_chan = ibvb_destroy_chan,
	.create_cq = ibvb_create_cq, .resize_cq = ibvb_resize_cq,
	.destroy_cq = ibvb_destroy_cq, .poll = ibvb_poll, .req_notify = ibvb_req_notify,
	.get_cq_event = ibvb_get_cq_event,
	.create_srq = ibvb_create_srq, .modify_srq = ibvb_modify_srq, .query_srq = ibvb_query_srq,
	.destroy_srq = ibvb_destroy_srq,
	.post_srq_recv = ibvb_post_srq_recv, .open_xrcd = ibvb_open_xrcd,
	.close_xrcd = ibvb_close_xrcd, .create_ah = ibvb_create_ah,
	.destroy_ah = ibvb_destroy_ah, .create_qp = ibvb_create_qp, .modify_qp = ibvb_modify_qp,
	.query_qp = ibvb_query_qp,
	.destroy_qp = ibvb_destroy_qp, .post_send = ibvb_post_send, .post_recv = ibvb_post_recv,
	.attach_mcast = ibvb_attach_mcast,
	.detach_mcast = ibvb_detach_mcast, .faults = faults_set, .hook = hook_set, .knob = knob_set,
};
