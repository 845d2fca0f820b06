/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mw.c - memory windows of both types: allocation, bind, invalidation.
 * Room: verbs/soft/core.  Pure.
 *
 * Type 1 gets a new key with every bind and belongs to its protection domain; a bind of no bytes
 * unbinds it.  Type 2 (2B) is bound to a key chosen by the poster, belongs to that queue pair,
 * and must be invalidated before the next bind.
 */
#include <config.h>
#include <string.h>
#include "verbs/soft/core/core.h"

int
soft_mw_alloc(struct verbs_pd *pub, enum ibv_mw_type type, struct verbs_mw **out)
{
	struct soft_dev *d = SOFT_DEV(pub->dev);
	struct soft_mw *w;

	if (d->hca->fatal)
		return -EIO;
	if (type != IBV_MW_TYPE_1 && type != IBV_MW_TYPE_2)
		return -EINVAL;
	w = xcalloc(1, sizeof(*w));
	if (soft_slots_put(&d->hca->keys, w, &w->slot) < 0) {
		free(w);
		return -ENOMEM;
	}
	w->kind = SOFT_KEY_MW;
	w->pd = SOFT_PD(pub);
	w->pd->users++;
	w->last_key = w->slot << 8 | (d->hca->keys.round & 0xff);
	w->pub = (struct verbs_mw){ .dev = pub->dev, .ibv = &w->ibv, .type = type,
		.rkey = w->last_key };
	w->ibv.rkey = w->last_key;
	w->ibv.type = type;
	d->live.mw++;
	*out = &w->pub;
	return 0;
}

static void
window_unbind(struct soft_mw *w)
{
	if (w->mr)
		w->mr->windows--;
	w->mr = NULL;
	w->qp = NULL;
}

int
soft_mw_dealloc(struct verbs_mw *pub)
{
	struct soft_mw *w = SOFT_MW(pub);
	struct soft_dev *d = SOFT_DEV(pub->dev);

	if (w->posted)
		return -EBUSY;
	window_unbind(w);
	soft_slots_drop(&d->hca->keys, w->slot);
	w->pd->users--;
	d->live.mw--;
	free(w);
	return 0;
}

static bool
bind_allowed(const struct soft_qp *q, const struct soft_swqe *e, const struct soft_mr *m)
{
	const unsigned writing = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
	const unsigned known = writing | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_ZERO_BASED;
	const struct soft_mw *w = e->mw;

	if (w->pd != q->pd || e->new_key >> 8 != w->slot || e->bind_access & ~known)
		return false;
	if (w->pub.type == IBV_MW_TYPE_2 && w->mr)
		/* already bound: must be invalidated first */
		return false;
	if (w->pub.type == IBV_MW_TYPE_1 && !e->bind_bytes)
		return true;
	if (!m || m->kind != SOFT_KEY_MR || m->key != e->mr_key || m->pd != q->pd ||
		    !(m->access & IBV_ACCESS_MW_BIND))
		return false;
	if (e->bind_access & writing && !(m->access & IBV_ACCESS_LOCAL_WRITE))
		return false;
	return soft_mr_at(m, e->bind_addr, e->bind_bytes);
}

int
soft_window_bind(struct soft_qp *q, const struct soft_swqe *e)
{
	struct soft_mr *m = soft_slots_get(&q->hca->keys, e->mr_key >> 8);
	struct soft_mw *w = e->mw;

	if (!bind_allowed(q, e, m))
		return -1;
	window_unbind(w);
	w->key = e->new_key;
	if (w->pub.type == IBV_MW_TYPE_1 && !e->bind_bytes)
		return 0;
	w->mr = m;
	w->mr->windows++;
	w->qp = w->pub.type == IBV_MW_TYPE_2 ? q : NULL;
	w->addr = e->bind_addr;
	w->length_bytes = e->bind_bytes;
	w->access = e->bind_access;
	return 0;
}

int
soft_window_invalidate(struct soft_qp *q, uint32_t rkey)
{
	struct soft_mw *w = soft_slots_get(&q->hca->keys, rkey >> 8);

	if (!w || w->kind != SOFT_KEY_MW || w->pub.type != IBV_MW_TYPE_2 || !w->mr ||
		    w->key != rkey || w->qp != q)
		return -1;
	window_unbind(w);
	return 0;
}

void
soft_windows_of_qp_unbind(struct soft_qp *q)
{
	for (uint32_t i = 0; i < q->hca->keys.room; i++) {
		struct soft_mw *w = soft_slots_get(&q->hca->keys, i);

		if (w && w->kind == SOFT_KEY_MW && w->qp == q)
			window_unbind(w);
	}
}
