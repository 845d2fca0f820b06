/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * facts.c - see facts.h.
 * Room: verbs/meas/run.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "libmad/wire/wire.h"
#include "verbs/meas/run/facts.h"
#include "verbs/meas/control/msg.h"

/* Widths and speeds as coded in port attributes. */
static const struct {
	uint8_t code;
	const char *word;
	double value;
} widths[] = { { 1, "1x", 1 }, { 2, "4x", 4 }, { 4, "8x", 8 }, { 8, "12x", 12 }, { 16, "2x", 2 } },
  speeds[] = { { 1, "SDR", 2.5 }, { 2, "DDR", 5 }, { 4, "QDR", 10 }, { 8, "FDR10", 10.3125 },
  { 16, "FDR", 14.0625 },
	{ 32, "EDR", 25.78125 }, { 64, "HDR", 53.125 }, { 128, "NDR", 106.25 } };

static const char *
state_word(enum ibv_port_state s)
{
	switch (s) {
	case IBV_PORT_NOP:
		return "NoChange";
	case IBV_PORT_DOWN:
		return "Down";
	case IBV_PORT_INIT:
		return "Initializing";
	case IBV_PORT_ARMED:
		return "Armed";
	case IBV_PORT_ACTIVE:
		return "Active";
	case IBV_PORT_ACTIVE_DEFER:
		return "ActiveDefer";
	}
	return "?";
}

static void
link_read(struct meas_facts *f, const struct ibv_port_attr *a)
{
	double lanes = 0, gbps = 0;

	snprintf(f->state, sizeof(f->state), "%s", state_word(a->state));
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
		if (widths[i].code == a->active_width) {
			snprintf(f->width, sizeof(f->width), "%s", widths[i].word);
			lanes = widths[i].value;
		}
	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++)
		if (speeds[i].code == a->active_speed) {
			snprintf(f->speed, sizeof(f->speed), "%s", speeds[i].word);
			gbps = speeds[i].value;
		}
	f->rate_gbps = lanes * gbps;
	f->mtu_bytes = a->active_mtu >= IBV_MTU_256 && a->active_mtu <= IBV_MTU_4096 ?
		128u << a->active_mtu : 256;
}

static enum meas_gid_type
gid_type(uint32_t t)
{
	return t == IBV_GID_TYPE_ROCE_V2 ? MEAS_GID_ROCE2 : t == IBV_GID_TYPE_ROCE_V1 ?
		MEAS_GID_ROCE1 : MEAS_GID_IB;
}

static void
gids_read(struct verbs_dev *dev, struct meas_facts *f, const struct ibv_port_attr *a)
{
	static const uint8_t none[16];
	struct ibv_gid_entry e;

	f->gids.infiniband = a->link_layer != IBV_LINK_LAYER_ETHERNET;
	f->gids.lid = a->lid;
	for (int i = 0; i < a->gid_tbl_len && i <= UINT8_MAX && f->gids.n < MEAS_GIDS_MAX; i++) {
		struct meas_gid *g = &f->gids.v[f->gids.n];

		if (dev->ops->query_gid(dev, f->port, i, &e) ||
			    !memcmp(e.gid.raw, none, sizeof(none)))
			continue;
		g->index = (uint16_t)i;
		g->type = gid_type(e.gid_type);
		memcpy(g->raw, e.gid.raw, 16);
		f->gids.n++;
	}
}

int
meas_facts_read(struct verbs_dev *dev, struct meas_facts *f, char *why)
{
	const char *emulated = verbs_backend_emulated(dev);
	struct ibv_device_attr d;
	struct ibv_port_attr p;
	int r;

	memset(f, 0, sizeof(*f));
	memset(&d, 0, sizeof(d));
	memset(&p, 0, sizeof(p));
	f->port = dev->port;
	r = dev->ops->query_device(dev, &d);
	if (!r)
		r = dev->ops->query_port(dev, dev->port, &p);
	if (r) {
		snprintf(why, VERBS_WHY_BYTES, "%s port %u: cannot be asked: %s", dev->name,
			dev->port, strerror(-r));
		return r;
	}
	gethostname(f->host, sizeof(f->host) - 1);
	snprintf(f->device, sizeof(f->device), "%s", dev->name);
	snprintf(f->provider, sizeof(f->provider), "%s", verbs_backend_provider(dev));
	snprintf(f->firmware, sizeof(f->firmware), "%.63s", d.fw_ver);
	snprintf(f->emulated, sizeof(f->emulated), "%s", emulated ? emulated : "");
	f->node_guid = wire_order64(d.node_guid);
	f->max_wr = d.max_qp_wr > 0 ? (uint32_t)d.max_qp_wr : 0;
	f->max_cqe = d.max_cqe > 0 ? (uint32_t)d.max_cqe : 0;
	f->max_qps = d.max_qp > 0 ? (uint32_t)d.max_qp : 0;
	f->rd_atomic_target = d.max_qp_rd_atom > 0 ? (uint32_t)d.max_qp_rd_atom : 0;
	f->rd_atomic_initiator = d.max_qp_init_rd_atom > 0 ? (uint32_t)d.max_qp_init_rd_atom : 0;
	f->atomic = dev->caps & VERBS_CAP(ATOMIC);
	f->connected_by_cm_only = verbs_backend_needs_cm(dev);
	if (dev->ops->query_pkey(dev, dev->port, 0, &f->pkey))
		f->pkey = 0;
	f->sm_lid = p.sm_lid;
	link_read(f, &p);
	gids_read(dev, f, &p);
	if (p.state == IBV_PORT_ACTIVE)
		return 0;
	snprintf(why, VERBS_WHY_BYTES, "%s port %u is %s, not Active%s", dev->name, dev->port,
		f->state, f->gids.infiniband ? " (is a subnet manager running?)" :
		" (is its interface up?)");
	return -ENETDOWN;
}

json_t *
meas_facts_json(const struct meas_facts *f)
{
	json_t *o = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:o,s:i,s:i,s:I,s:f}", "host",
	f->host, "device", f->device,
		"provider", f->provider, "firmware", f->firmware, "state", f->state, "width",
		f->width, "speed", f->speed,
		"emulated", f->emulated, "node_guid", meas_hex(f->node_guid), "port", f->port,
		"pkey", f->pkey,
		"mtu_bytes", (json_int_t)f->mtu_bytes, "rate_gbps", f->rate_gbps);
	json_t *limits = json_pack("{s:I,s:I,s:I,s:I,s:I,s:b,s:b,s:o}", "max_wr",
		(json_int_t)f->max_wr, "max_cqe", (json_int_t)f->max_cqe,
		"max_qps", (json_int_t)f->max_qps, "rd_atomic_target",
		(json_int_t)f->rd_atomic_target,
		"rd_atomic_initiator", (json_int_t)f->rd_atomic_initiator, "atomic", f->atomic,
		"cm_only", f->connected_by_cm_only,
		"route", meas_gids_json(&f->gids));

	if (!o)         /* the name is not UTF-8 */
		o = json_object();
	json_object_update_new(o, limits);
	return o;
}

int
meas_facts_from_json(const json_t *o, struct meas_facts *f, char *why)
{
	struct meas_reader r = meas_reader(o);
	const char *bad = NULL;

	memset(f, 0, sizeof(*f));
	meas_read_text(&r, "host", f->host, sizeof(f->host));
	meas_read_text(&r, "device", f->device, sizeof(f->device));
	meas_read_text(&r, "provider", f->provider, sizeof(f->provider));
	meas_read_text(&r, "firmware", f->firmware, sizeof(f->firmware));
	meas_read_text(&r, "state", f->state, sizeof(f->state));
	meas_read_text(&r, "width", f->width, sizeof(f->width));
	meas_read_text(&r, "speed", f->speed, sizeof(f->speed));
	meas_read_text(&r, "emulated", f->emulated, sizeof(f->emulated));
	f->node_guid = meas_read_hex(&r, "node_guid", UINT64_MAX);
	f->port = (uint8_t)meas_read_int(&r, "port", 1, UINT8_MAX);
	f->pkey = (uint16_t)meas_read_int(&r, "pkey", 0, UINT16_MAX);
	f->mtu_bytes = (uint32_t)meas_read_int(&r, "mtu_bytes", 256, 4096);
	f->rate_gbps = meas_read_number(&r, "rate_gbps");
	f->max_wr = (uint32_t)meas_read_int(&r, "max_wr", 1, UINT32_MAX);
	f->max_cqe = (uint32_t)meas_read_int(&r, "max_cqe", 1, UINT32_MAX);
	f->max_qps = (uint32_t)meas_read_int(&r, "max_qps", 1, UINT32_MAX);
	f->rd_atomic_target = (uint32_t)meas_read_int(&r, "rd_atomic_target", 0, UINT32_MAX);
	f->rd_atomic_initiator = (uint32_t)meas_read_int(&r, "rd_atomic_initiator", 0, UINT32_MAX);
	f->atomic = meas_read_bool(&r, "atomic");
	f->connected_by_cm_only = meas_read_bool(&r, "cm_only");
	if (!r.bad && meas_gids_from_json(json_object_get(o, "route"), &f->gids, &bad))
		meas_reader_bad(&r, bad);
	if (r.bad)
		snprintf(why, VERBS_WHY_BYTES,
			"the other end's description of its device has no valid \"%s\"", r.bad);
	return r.bad ? -EINVAL : 0;
}
