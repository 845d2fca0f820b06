/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * memory.c - protection domains, memory regions and windows over libibverbs.
 * Room: verbs/ibv.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include "util/xalloc.h"
#include "verbs/ibv/impl.h"

int
ibvb_alloc_pd(struct verbs_dev *dev, struct verbs_pd **out)
{
	struct ibvb_dev *d = ibvb_of(dev);
	struct ibv_pd *p = d->lib->alloc_pd(d->ctx);

	if (!p)
		return ibvb_errno();
	*out = xmalloc(sizeof(**out));
	**out = (struct verbs_pd){ .dev = dev, .impl = p };
	d->live.pd++;
	return 0;
}

int
ibvb_dealloc_pd(struct verbs_pd *pd)
{
	struct ibvb_dev *d = ibvb_of(pd->dev);
	int r = ibvb_result(d->lib->dealloc_pd(pd->impl));

	if (r)
		return r;
	d->live.pd--;
	free(pd);
	return 0;
}

static void
mr_fill(struct verbs_mr *m, struct ibv_mr *mr, void *addr, size_t length_bytes)
{
	m->ibv = mr;
	m->addr = addr;
	m->length_bytes = length_bytes;
	m->lkey = mr->lkey;
	m->rkey = mr->rkey;
	m->impl = mr;
}

int
ibvb_reg_mr(struct verbs_pd *pd, void *addr, size_t length_bytes, int access, struct verbs_mr **out)
{
	struct ibvb_dev *d = ibvb_of(pd->dev);
	struct ibv_mr *mr = d->lib->reg_mr(pd->impl, addr, length_bytes, (uintptr_t)addr,
		(unsigned)access);

	if (!mr)
		return ibvb_errno();
	*out = xcalloc(1, sizeof(**out));
	(*out)->dev = pd->dev;
	mr_fill(*out, mr, addr, length_bytes);
	d->live.mr++;
	return 0;
}

int
ibvb_rereg_mr(struct verbs_mr *m, int flags, struct verbs_pd *pd, void *addr, size_t length_bytes,
	int access)
{
	struct ibvb_dev *d = ibvb_of(m->dev);
	struct ibv_mr *mr = m->impl;
	bool moved = flags & IBV_REREG_MR_CHANGE_TRANSLATION;
	int r = d->lib->rereg_mr(mr, flags, flags & IBV_REREG_MR_CHANGE_PD ? pd->impl : NULL,
		moved ? addr : NULL, moved ? length_bytes : 0, flags & IBV_REREG_MR_CHANGE_ACCESS ?
		access : 0);

	/* an enum ibv_rereg_mr_err_code, with errno set */
	if (r)
		return ibvb_errno();
	mr_fill(m, mr, moved ? addr : m->addr, moved ? length_bytes : m->length_bytes);
	return 0;
}

int
ibvb_dereg_mr(struct verbs_mr *m)
{
	struct ibvb_dev *d = ibvb_of(m->dev);
	int r = ibvb_result(d->lib->dereg_mr(m->impl));

	if (r)
		return r;
	d->live.mr--;
	free(m);
	return 0;
}

int
ibvb_alloc_mw(struct verbs_pd *pd, enum ibv_mw_type type, struct verbs_mw **out)
{
	struct ibvb_dev *d = ibvb_of(pd->dev);
	struct ibv_mw *mw;

	if (!d->ctx->ops.alloc_mw)
		return -ENOTSUP;
	mw = d->ctx->ops.alloc_mw(pd->impl, type);
	if (!mw)
		return ibvb_errno();
	*out = xmalloc(sizeof(**out));
	**out = (struct verbs_mw){ .dev = pd->dev, .ibv = mw, .type = type, .rkey = mw->rkey,
		.impl = mw };
	d->live.mw++;
	return 0;
}

int
ibvb_dealloc_mw(struct verbs_mw *mw)
{
	struct ibvb_dev *d = ibvb_of(mw->dev);
	int r = ibvb_result(d->ctx->ops.dealloc_mw(mw->impl));

	if (r)
		return r;
	d->live.mw--;
	free(mw);
	return 0;
}

int
ibvb_bind_mw(struct verbs_qp *qp, struct verbs_mw *mw, struct ibv_mw_bind *bind)
{
	struct ibvb_dev *d = ibvb_of(mw->dev);
	struct ibv_mw *w = mw->impl;
	int r;

	if (w->type != IBV_MW_TYPE_1)
		return -EINVAL;
	if (!bind->bind_info.mr && (bind->bind_info.addr || bind->bind_info.length))
		return -EINVAL;
	if (!d->ctx->ops.bind_mw)
		return -ENOTSUP;
	r = ibvb_result(d->ctx->ops.bind_mw(qp->impl, w, bind));
	if (!r)
		mw->rkey = w->rkey;
	return r;
}
