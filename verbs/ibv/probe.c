/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * probe.c - finds out what a device supports, which driver it has, whether it is emulated, and
 * which port and GID to use.
 * Room: verbs/ibv.
 *
 * Capabilities with a flag are taken from the flag.  Those without one, and those often claimed
 * falsely, are tried once on small objects.
 */
#include <config.h>
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/wire/gid.h"
#include "verbs/ibv/driver.h"
#include "verbs/ibv/impl.h"

#define GIDS_MAX 1024                   /* scanned entries of a GID table */

/* ---- what it can do ---- */

struct trial {
	struct ibvb_dev *d;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	char *memory;
	uint64_t caps;
};

static bool
try_qp(struct trial *t, enum ibv_qp_type type, uint32_t inline_bytes)
{
	struct ibv_qp_init_attr i = {
		.send_cq = t->cq, .recv_cq = t->cq, .qp_type = type,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1,
		.max_inline_data = inline_bytes },
	};
	struct ibv_qp *qp = t->d->lib->create_qp(t->pd, &i);

	if (qp)
		t->d->lib->destroy_qp(qp);
	return qp;
}

static void
try_memory(struct trial *t)
{
	const struct ibvb_lib *l = t->d->lib;
	struct ibv_mr *mr = l->reg_mr(t->pd, t->memory, 4096, (uintptr_t)t->memory,
		IBV_ACCESS_LOCAL_WRITE);

	if (mr && !l->rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
		    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ))
		t->caps |= VERBS_CAP(REREG);
	if (mr)
		l->dereg_mr(mr);
	mr = l->reg_mr(t->pd, t->memory, 4096, 0, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ZERO_BASED);
	if (mr) {
		t->caps |= VERBS_CAP(ZERO_BASED);
		l->dereg_mr(mr);
	}
}

static void
try_objects(struct trial *t)
{
	const struct ibvb_lib *l = t->d->lib;

	t->pd = l->alloc_pd(t->d->ctx);
	t->cq = l->create_cq(t->d->ctx, 4, NULL, NULL, 0);
	t->memory = aligned_alloc(4096, 4096);
	if (t->pd && t->cq && t->memory) {
		t->caps |= try_qp(t, IBV_QPT_RC, 0) ? VERBS_CAP(RC) : 0;
		t->caps |= try_qp(t, IBV_QPT_UC, 0) ? VERBS_CAP(UC) : 0;
		t->caps |= try_qp(t, IBV_QPT_UD, 0) ? VERBS_CAP(UD) : 0;
		t->caps |= try_qp(t, IBV_QPT_RC, 1) ? VERBS_CAP(INLINE) : 0;
		try_memory(t);
		t->caps |= l->resize_cq(t->cq, 8) ? 0 : VERBS_CAP(RESIZE_CQ);
	}
	free(t->memory);
	if (t->cq)
		l->destroy_cq(t->cq);
	if (t->pd)
		l->dealloc_pd(t->pd);
}

static uint64_t
caps_of_flags(const struct ibv_device_attr *a)
{
	static const struct {
		unsigned flags;
		uint64_t caps;
	} rows[] = {
		{ IBV_DEVICE_MEM_WINDOW, VERBS_CAP(MW1) },
		{ IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B, VERBS_CAP(MW2) },
		{ IBV_DEVICE_MEM_MGT_EXTENSIONS, VERBS_CAP(SEND_INV) | VERBS_CAP(LOCAL_INV) },
		{ IBV_DEVICE_XRC, VERBS_CAP(XRC) },
		{ IBV_DEVICE_AUTO_PATH_MIG, VERBS_CAP(ALT_PATH) },
		{ IBV_DEVICE_BAD_PKEY_CNTR | IBV_DEVICE_BAD_QKEY_CNTR, VERBS_CAP(COUNTERS) },
	};
	uint64_t caps = VERBS_CAP(CQ_EVENTS) | VERBS_CAP(ASYNC_EVENTS);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if ((unsigned)a->device_cap_flags & rows[i].flags)
			caps |= rows[i].caps;
	if (a->max_srq > 0)
		caps |= VERBS_CAP(SRQ) | VERBS_CAP(SRQ_LIMIT) | VERBS_CAP(SRQ_RESIZE);
	if (a->atomic_cap != IBV_ATOMIC_NONE)
		caps |= VERBS_CAP(ATOMIC);
	if (a->max_mcast_grp > 0)
		caps |= VERBS_CAP(MCAST);
	return caps;
}

/* ---- who drives it, and whether it is emulated ---- */

/* True in a virtual machine: the processor reports a hypervisor. */
static bool
machine_is_virtual(void)
{
	char line[4096];
	bool is = false;
	FILE *f = fopen("/proc/cpuinfo", "re");

	if (!f)
		return false;
	while (!is && fgets(line, sizeof(line), f))
		is = (!strncmp(line, "flags", 5) || !strncmp(line, "Features", 8)) &&
			strstr(line, " hypervisor");
	fclose(f);
	return is;
}

static void
probe_driver(struct ibvb_dev *d, const struct ibv_device_attr *a)
{
	struct ibvb_driver driver = ibvb_driver_find(IBVB_SYSFS, d->dev.name, a->vendor_id);

	snprintf(d->provider, sizeof(d->provider), "%s", driver.name);
	if (driver.software) {
		snprintf(d->emulated, sizeof(d->emulated), "%.40s is a software device (%s): these "
		"figures are of this machine's processor and mean nothing",
			d->dev.name, driver.name);
	} else if (machine_is_virtual()) {
		snprintf(d->emulated, sizeof(d->emulated), "this machine runs under a hypervisor: "
			"these figures are of the emulation and mean nothing");
	}
	d->dev.emulated = d->emulated[0];
}

const char *
ibvb_provider(const struct verbs_dev *dev)
{
	return ibvb_of(dev)->provider;
}

const char *
ibvb_emulated(const struct verbs_dev *dev)
{
	const struct ibvb_dev *d = ibvb_of(dev);

	return d->emulated[0] ? d->emulated : NULL;
}

bool
ibvb_is_iwarp(const struct verbs_dev *dev)
{
	return ibvb_of(dev)->ctx->device->transport_type == IBV_TRANSPORT_IWARP;
}

/* ---- which port, which GID ---- */

/* Rank of a GID: RoCE version 2 over IPv4, over global IPv6, link-local, then version 1; 0:
 * none. */
static int
gid_worth(const struct ibv_gid_entry *e)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff }, none[16];
	bool local = gid_is_link_local(e->gid.raw);

	if (!memcmp(e->gid.raw, none, 16))
		return 0;
	if (e->gid_type == IBV_GID_TYPE_ROCE_V2)
		return !memcmp(e->gid.raw, mapped, 12) ? 5 : local ? 3 : 4;
	return e->gid_type == IBV_GID_TYPE_ROCE_V1 ? local ? 1 : 2 : 6;
}

int
ibvb_use_port(struct verbs_dev *dev, uint8_t port)
{
	struct ibv_port_attr a;
	struct ibv_gid_entry e;
	int best = 0;

	if (!port || ibvb_query_port(dev, port, &a))
		return -ENODEV;
	dev->port = port;
	dev->gid_index = 0;
	for (int i = 0; i < a.gid_tbl_len && i < GIDS_MAX && i <= UINT8_MAX; i++) {
		if (ibvb_query_gid(dev, port, i, &e))
			continue;               /* RoCE tables have gaps */
		if (gid_worth(&e) > best) {
			best = gid_worth(&e);
			dev->gid_index = (uint8_t)i;
		}
	}
	if (a.link_layer == IBV_LINK_LAYER_INFINIBAND)
		dev->caps |= VERBS_CAP(GRH_OPTIONAL);
	else
		dev->caps &= ~VERBS_CAP(GRH_OPTIONAL);
	return 0;
}

/* The first active port, or else the first. */
static uint8_t
first_port(struct ibvb_dev *d, unsigned ports)
{
	struct ibv_port_attr a;

	for (unsigned p = 1; p <= ports; p++)
		if (!ibvb_query_port(&d->dev, (uint8_t)p, &a) && a.state == IBV_PORT_ACTIVE)
			return (uint8_t)p;
	return 1;
}

void
ibvb_probe(struct ibvb_dev *d)
{
	struct trial t = { .d = d };
	struct ibv_device_attr a;
	struct ibvb_world *w = d->dev.world->impl;

	snprintf(d->provider, sizeof(d->provider), "unknown");
	memset(&a, 0, sizeof(a));
	if (d->lib->query_device(d->ctx, &a))
		return;
	try_objects(&t);
	d->dev.caps = t.caps | caps_of_flags(&a);
	if (w->n > 1)
		d->dev.caps |= VERBS_CAP(TWO_DEVICES);
	probe_driver(d, &a);
	ibvb_use_port(&d->dev, first_port(d, a.phys_port_cnt));
}
