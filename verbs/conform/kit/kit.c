/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * kit.c - words, objects and data of cases; see kit.h.
 * Room: verbs/conform/kit.
 */
#include <config.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/grow.h"
#include "util/xalloc.h"
#include "verbs/conform/kit/kit.h"

#define PAGE_BYTES 4096

/* ---- words ---- */

void
kit_say(struct kit *k, const char *fmt, ...)
{
	size_t used = strlen(k->said);
	va_list ap;

	if (used && used + 3 < CONFORM_WORDS_MAX) {
		memcpy(k->said + used, "; ", 3);
		used += 2;
	}
	va_start(ap, fmt);
	vsnprintf(k->said + used, CONFORM_WORDS_MAX - used, fmt, ap);
	va_end(ap);
}

const char *
kit_errno_name(int ret)
{
	static const struct {
		int number;
		const char *name;
	} names[] = {
		{ 0, "ok" }, { EINVAL, "EINVAL" }, { ENOMEM, "ENOMEM" }, { EBUSY, "EBUSY" },
			{ EAGAIN, "EAGAIN" }, { ENOTSUP, "ENOTSUP" },
		{ EIO, "EIO" }, { EPERM, "EPERM" }, { ENOENT, "ENOENT" }, { ENODEV, "ENODEV" },
			{ EFAULT, "EFAULT" }, { ENOSYS, "ENOSYS" },
		{ ETIMEDOUT, "ETIMEDOUT" }, { EACCES, "EACCES" }, { ENOSPC, "ENOSPC" },
			{ EOVERFLOW, "EOVERFLOW" }, { ERANGE, "ERANGE" },
		{ EMSGSIZE, "EMSGSIZE" }, { EEXIST, "EEXIST" }, { ENODATA, "ENODATA" },
			{ EPROTONOSUPPORT, "EPROTONOSUPPORT" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (abs(ret) == names[i].number)
			return names[i].name;
	}
	return "another error";
}

void
kit_say_result(struct kit *k, const char *what, int ret)
{
	if (!k->broken)
		kit_say(k, "%s %s", what, kit_errno_name(ret));
}

bool
kit_must(struct kit *k, const char *what, int ret)
{
	if (k->broken)
		return false;
	if (!ret)
		return true;
	kit_say(k, "%s %s", what, kit_errno_name(ret));
	k->broken = true;
	return false;
}

void
kit_skip(struct kit *k, const char *reason)
{
	if (!k->broken)
		k->skip = reason;
	k->broken = true;
}

/* ---- objects ---- */

void
kit_take(struct kit *k, enum kit_kind kind, void *handle)
{
	GROW(k->objects, k->nobjects, k->room, 32);
	k->objects[k->nobjects++] = (struct kit_object){ kind, handle };
}

static int
object_destroy(const struct verbs_ops *ops, const struct kit_object *o)
{
	switch (o->kind) {
	case KIT_PD:
		return ops->dealloc_pd(o->handle);
	case KIT_MR:
		return ops->dereg_mr(o->handle);
	case KIT_MW:
		return ops->dealloc_mw(o->handle);
	case KIT_CHAN:
		return ops->destroy_chan(o->handle);
	case KIT_CQ:
		return ops->destroy_cq(o->handle);
	case KIT_SRQ:
		return ops->destroy_srq(o->handle);
	case KIT_XRCD:
		return ops->close_xrcd(o->handle);
	case KIT_AH:
		return ops->destroy_ah(o->handle);
	case KIT_QP:
		return ops->destroy_qp(o->handle);
	}
	return -EINVAL;
}

static const char *
kind_name(enum kit_kind kind)
{
	static const char *const names[] = { "pd", "mr", "mw", "channel", "cq", "srq", "xrcd", "ah",
		"qp" };

	return names[kind];
}

int
kit_destroy(struct kit *k, void *handle)
{
	for (size_t i = 0; i < k->nobjects; i++) {
		int ret;

		if (k->objects[i].handle != handle)
			continue;
		ret = object_destroy(k->ops, &k->objects[i]);
		if (!ret) {
			k->nobjects--;
			memmove(k->objects + i, k->objects + i + 1,
				(k->nobjects - i) * sizeof(*k->objects));
		}
		return ret;
	}
	return -ENOENT;
}

struct verbs_pd *
kit_pd(struct kit *k, struct kit_end *e)
{
	struct verbs_pd *pd;

	if (k->broken || !kit_must(k, "alloc_pd", k->ops->alloc_pd(e->dev, &pd)))
		return NULL;
	kit_take(k, KIT_PD, pd);
	return pd;
}

struct verbs_mr *
kit_mr(struct kit *k, struct verbs_pd *pd, void *addr, size_t bytes, int access)
{
	struct verbs_mr *mr;

	if (k->broken || !kit_must(k, "reg_mr", k->ops->reg_mr(pd, addr, bytes, access, &mr)))
		return NULL;
	kit_take(k, KIT_MR, mr);
	return mr;
}

struct verbs_mw *
kit_mw(struct kit *k, struct verbs_pd *pd, enum ibv_mw_type type)
{
	struct verbs_mw *mw;

	if (k->broken || !kit_must(k, "alloc_mw", k->ops->alloc_mw(pd, type, &mw)))
		return NULL;
	kit_take(k, KIT_MW, mw);
	return mw;
}

struct verbs_chan *
kit_chan(struct kit *k, struct kit_end *e)
{
	struct verbs_chan *chan;

	if (k->broken || !kit_must(k, "create_chan", k->ops->create_chan(e->dev, &chan)))
		return NULL;
	kit_take(k, KIT_CHAN, chan);
	return chan;
}

struct verbs_cq *
kit_cq(struct kit *k, struct kit_end *e, int cqe, struct verbs_chan *chan)
{
	struct verbs_cq *cq;

	if (k->broken || !kit_must(k, "create_cq", k->ops->create_cq(e->dev, cqe, chan, &cq)))
		return NULL;
	kit_take(k, KIT_CQ, cq);
	return cq;
}

struct verbs_srq *
kit_srq(struct kit *k, struct verbs_pd *pd, uint32_t max_wr, uint32_t max_sge)
{
	struct verbs_srq_init init = { .attr = { .max_wr = max_wr, .max_sge = max_sge },
		.type = IBV_SRQT_BASIC };
	struct verbs_srq *srq;

	if (k->broken || !kit_must(k, "create_srq", k->ops->create_srq(pd, &init, &srq)))
		return NULL;
	kit_take(k, KIT_SRQ, srq);
	return srq;
}

struct verbs_ah *
kit_ah(struct kit *k, struct kit_end *from, const struct kit_end *to)
{
	struct ibv_ah_attr attr = kit_address(k, from, to);
	struct verbs_ah *ah;

	if (k->broken || !kit_must(k, "create_ah", k->ops->create_ah(from->pd, &attr, &ah)))
		return NULL;
	kit_take(k, KIT_AH, ah);
	return ah;
}

struct verbs_qp *
kit_qp(struct kit *k, struct kit_end *e, const struct verbs_qp_init *init)
{
	struct verbs_qp *qp;

	if (k->broken || !kit_must(k, "create_qp", k->ops->create_qp(e->pd, init, &qp)))
		return NULL;
	kit_take(k, KIT_QP, qp);
	return qp;
}

/* ---- the two ends ---- */

static int
open_end(struct kit *k, const struct conform_target *t, struct kit_end *e, const char *device,
	uint64_t seed)
{
	struct ibv_gid_entry gid = { 0 };
	struct ibv_port_attr port = { 0 };
	int ret = t->open ? t->open(t->arg, k->world, device, &e->dev) : k->ops->open(k->world,
		device, &e->dev);

	if (ret)
		return ret;
	e->buf = aligned_alloc(PAGE_BYTES, KIT_BUFFER_BYTES);
	if (!e->buf)
		bug("no memory for a buffer");
	kit_pattern(e->buf, KIT_BUFFER_BYTES, seed);
	kit_must(k, "query_gid", k->ops->query_gid(e->dev, e->dev->port, e->dev->gid_index, &gid));
	kit_must(k, "query_port", k->ops->query_port(e->dev, e->dev->port, &port));
	e->gid = gid.gid;
	e->lid = port.lid;
	e->pd = kit_pd(k, e);
	if (e->pd)
		e->mr = kit_mr(k, e->pd, e->buf, KIT_BUFFER_BYTES, KIT_ACCESS);
	return 0;
}

int
kit_open(struct kit *k, const struct conform_target *t, struct verbs_world *world,
	const char *device, const char *peer, char *said)
{
	int ret;

	*k = (struct kit){ .ops = world->ops, .world = world, .seed = k->seed, .said = said };
	*said = '\0';
	k->pair = kit_defaults(IBV_QPT_RC);
	ret = open_end(k, t, &k->a, device, k->seed);
	if (ret)
		return ret;
	if (!peer && (k->a.dev->caps & VERBS_CAP(TWO_DEVICES))) {
		peer = k->ops->device_name(world, 0);
		if (peer && !strcmp(peer, k->a.dev->name))
			peer = k->ops->device_name(world, 1);
	}
	ret = open_end(k, t, &k->b, peer ? peer : k->a.dev->name, ~k->seed);
	if (ret) {
		kit_close(k);
		return ret;
	}
	k->grh = !(k->a.dev->caps & VERBS_CAP(GRH_OPTIONAL));
	return 0;
}

static void
say_left(struct kit *k, const char *who, struct verbs_dev *dev)
{
	struct verbs_live l;

	k->ops->live(dev, &l);
	if (l.pd | l.mr | l.mw | l.chan | l.cq | l.srq | l.xrcd | l.ah | l.qp)
		kit_say(k, "%s keeps %u pd, %u mr, %u mw, %u channels, %u cq, %u srq, %u xrcd, %u "
			"ah, %u qp", who, l.pd, l.mr, l.mw, l.chan, l.cq, l.srq, l.xrcd, l.ah,
			l.qp);
}

static void
close_end(struct kit *k, const char *who, struct kit_end *e)
{
	int ret;

	if (e->dev) {
		say_left(k, who, e->dev);
		ret = k->ops->close(e->dev);
		if (ret)
			kit_say(k, "close of %s %s", who, kit_errno_name(ret));
	}
	free(e->buf);
	*e = (struct kit_end){ 0 };
}

void
kit_close(struct kit *k)
{
	struct kit_end *const ends[] = { &k->a, &k->b };

	for (size_t i = 0; i < 2; i++) {
		struct verbs_dev *dev = ends[i]->dev;

		if (dev && (dev->caps & VERBS_CAP(HOOK)))
			k->ops->hook(dev, dev->port, NULL, NULL);
		if (dev && (dev->caps & VERBS_CAP(FAULTS)))
			k->ops->faults(dev, dev->port, NULL);
	}
	while (k->nobjects) {
		const struct kit_object *o = &k->objects[--k->nobjects];
		int ret = object_destroy(k->ops, o);

		if (ret)
			kit_say(k, "destroying a %s %s", kind_name(o->kind), kit_errno_name(ret));
	}
	close_end(k, "A", &k->a);
	close_end(k, "B", &k->b);
	free(k->objects);
	k->objects = NULL;
	k->room = 0;
}

/* ---- data ---- */

uint8_t
kit_pattern_byte(uint64_t seed, size_t offset)
{
	uint64_t x = (seed ^ 0x9e3779b97f4a7c15U) + (offset + 1) * 0xbf58476d1ce4e5b9U;

	x ^= x >> 29;
	x *= 0x94d049bb133111ebU;
	return (uint8_t)(x >> 56);
}

void
kit_pattern(uint8_t *p, size_t bytes, uint64_t seed)
{
	for (size_t i = 0; i < bytes; i++)
		p[i] = kit_pattern_byte(seed, i);
}

bool
kit_check(struct kit *k, const char *what, const uint8_t *p, size_t bytes, uint64_t seed)
{
	if (k->broken)
		return false;
	for (size_t i = 0; i < bytes; i++) {
		if (p[i] != kit_pattern_byte(seed, i)) {
			kit_say(k, "%s differs at %zu", what, i);
			return false;
		}
	}
	return true;
}
