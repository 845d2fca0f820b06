/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mem.c - memory regions, and the translation of a key and an address to bytes.
 * Room: verbs/soft/core.  Pure.
 *
 * A key is a slot number and eight bits of tag, as memory windows require; a reused slot gets
 * another tag.  Every access looks up the key, so that deregistered memory is never touched.
 */
#include <config.h>
#include <string.h>
#include "verbs/soft/core/core.h"

enum {
	ACCESS_KNOWN = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
		IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED,
};

/* Remote write and atomics require local write.  Unknown rights are refused, hints are ignored. */
static bool
access_ok(int access)
{
	if (access & ~ACCESS_KNOWN & ~IBV_ACCESS_OPTIONAL_RANGE)
		return false;
	return !(access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) ||
		access & IBV_ACCESS_LOCAL_WRITE;
}

static bool
range_ok(const void *addr, size_t bytes)
{
	return bytes <= (size_t)1 << 40 && (uintptr_t)addr + bytes >= (uintptr_t)addr &&
		(addr || !bytes);
}

static void
mr_publish(struct soft_mr *m, void *addr, size_t bytes)
{
	m->pub.ibv = &m->ibv;
	m->pub.addr = m->ibv.addr = addr;
	m->pub.length_bytes = m->ibv.length = bytes;
	m->pub.lkey = m->pub.rkey = m->ibv.lkey = m->ibv.rkey = m->key;
}

int
soft_mr_reg(struct verbs_pd *pub, void *addr, size_t bytes, int access, struct verbs_mr **out)
{
	struct soft_dev *d = SOFT_DEV(pub->dev);
	struct soft_mr *m;
	uint32_t slot;

	if (d->hca->fatal)
		return -EIO;
	if (!access_ok(access) || !range_ok(addr, bytes))
		return -EINVAL;
	m = xcalloc(1, sizeof(*m));
	if (soft_slots_put(&d->hca->keys, m, &slot) < 0) {
		free(m);
		return -ENOMEM;
	}
	m->kind = SOFT_KEY_MR;
	m->pub.dev = pub->dev;
	m->pd = SOFT_PD(pub);
	m->pd->users++;
	m->key = slot << 8 | (d->hca->keys.round & 0xff);
	m->access = access;
	mr_publish(m, addr, bytes);
	d->live.mr++;
	*out = &m->pub;
	return 0;
}

int
soft_mr_rereg(struct verbs_mr *pub, int flags, struct verbs_pd *pd, void *addr, size_t bytes,
	int access)
{
	struct soft_mr *m = SOFT_MR(pub);

	if (SOFT_DEV(pub->dev)->hca->fatal)
		return -EIO;
	if (!flags || flags & ~IBV_REREG_MR_FLAGS_SUPPORTED ||
		    (flags & IBV_REREG_MR_CHANGE_PD && !pd))
		return -EINVAL;
	if (flags & IBV_REREG_MR_CHANGE_ACCESS && !access_ok(access))
		return -EINVAL;
	if (flags & IBV_REREG_MR_CHANGE_TRANSLATION && !range_ok(addr, bytes))
		return -EINVAL;
	if (m->windows)
		return -EBUSY;
	if (flags & IBV_REREG_MR_CHANGE_PD) {
		m->pd->users--;
		m->pd = SOFT_PD(pd);
		m->pd->users++;
	}
	if (flags & IBV_REREG_MR_CHANGE_ACCESS)
		m->access = access;
	m->key = (m->key & ~0xffu) | ((m->key + 1) & 0xff);     /* the former keys become invalid */
	if (flags & IBV_REREG_MR_CHANGE_TRANSLATION)
		mr_publish(m, addr, bytes);
	else
		mr_publish(m, m->pub.addr, m->pub.length_bytes);
	return 0;
}

int
soft_mr_dereg(struct verbs_mr *pub)
{
	struct soft_mr *m = SOFT_MR(pub);
	struct soft_dev *d = SOFT_DEV(pub->dev);

	if (m->windows)
		return -EBUSY;
	soft_slots_drop(&d->hca->keys, m->key >> 8);
	m->pd->users--;
	d->live.mr--;
	free(m);
	return 0;
}

static bool
range_within(uint64_t at, uint64_t bytes, uint64_t start, uint64_t length)
{
	return at >= start && at - start <= length && bytes <= length - (at - start);
}

uint8_t *
soft_mr_at(const struct soft_mr *m, uint64_t va, uint64_t bytes)
{
	uint64_t start = m->access & IBV_ACCESS_ZERO_BASED ? 0 : (uintptr_t)m->pub.addr;

	return range_within(va, bytes, start, m->pub.length_bytes) ?
		(uint8_t *)m->pub.addr + (va - start) : NULL;
}

static uint8_t *
local_bytes(const struct soft_pd *pd, uint32_t lkey, uint64_t at, uint64_t bytes, int access)
{
	const struct soft_slots *keys = &SOFT_DEV(pd->pub.dev)->hca->keys;
	const struct soft_mr *m = soft_slots_get(keys, lkey >> 8);

	if (!m || m->kind != SOFT_KEY_MR || m->key != lkey || m->pd != pd ||
		    (m->access & access) != access)
		return NULL;
	return soft_mr_at(m, at, bytes);
}

uint64_t
soft_sges_bytes(const struct ibv_sge *sge, int nsge)
{
	uint64_t bytes = 0;

	for (int i = 0; i < nsge; i++)
		bytes += sge[i].length;
	return bytes;
}

/* Copies in one direction: 'to' or 'from' is NULL.  The caller has checked the length of the
 * list. */
static int
sge_copy(const struct soft_pd *pd, const struct ibv_sge *sge, int nsge, uint64_t offset,
	uint8_t *to, const uint8_t *from, uint32_t bytes)
{
	for (int i = 0; i < nsge && bytes; i++) {
		uint32_t n = sge[i].length;
		uint8_t *p;

		if (offset >= n) {
			offset -= n;
			continue;
		}
		n -= (uint32_t)offset;
		if (n > bytes)
			n = bytes;
		p = local_bytes(pd, sge[i].lkey, sge[i].addr + offset, n,
			from ? IBV_ACCESS_LOCAL_WRITE : 0);
		if (!p)
			return -1;
		if (from) {
			memmove(p, from, n);
			from += n;
		} else {
			memcpy(to, p, n);
			to += n;
		}
		bytes -= n;
		offset = 0;
	}
	return bytes ? -1 : 0;
}

int
soft_gather(const struct soft_pd *pd, const struct ibv_sge *sge, int nsge, uint64_t offset,
	uint8_t *to, uint32_t bytes)
{
	return sge_copy(pd, sge, nsge, offset, to, NULL, bytes);
}

int
soft_scatter(const struct soft_pd *pd, const struct ibv_sge *sge, int nsge, uint64_t offset,
	const uint8_t *from, uint32_t bytes)
{
	return sge_copy(pd, sge, nsge, offset, NULL, from, bytes);
}

uint8_t *
soft_remote(struct soft_qp *q, uint32_t rkey, uint64_t va, uint64_t bytes, unsigned access)
{
	void *v = soft_slots_get(&q->hca->keys, rkey >> 8);
	const struct soft_mr *m = v;
	const struct soft_mw *w = v;
	uint64_t start;

	if (!v)
		return NULL;
	if (m->kind == SOFT_KEY_MR) {
		if (m->key != rkey || m->pd != q->pd || ((unsigned)m->access & access) != access)
			return NULL;
		return soft_mr_at(m, va, bytes);
	}
	if (!w->mr || w->key != rkey || w->pd != q->pd || (w->qp && w->qp != q) ||
		    (w->access & access) != access)
		return NULL;
	start = w->access & IBV_ACCESS_ZERO_BASED ? 0 : w->addr;
	return range_within(va, bytes, start, w->length_bytes) ? soft_mr_at(w->mr,
		w->addr + (va - start), bytes) : NULL;
}
