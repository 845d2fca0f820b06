/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * device.c - adapters, their openings, and their attributes.
 * Room: verbs/soft/core.  Pure.
 *
 * All ports are on one ideal switch of an active subnet: LIDs count from 1, P_Key 0xffff is at
 * index 0, its limited member 0x7fff at index 1; GID 0 is the link-local one.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include "libmad/wire/gid.h"
#include "verbs/soft/core/core.h"

#define GUID_FIRST UINT64_C(0x00fe1d5000000000)

enum { SM_LID = 0xbff0 };

#define CAPS (VERBS_CAP(RC) | VERBS_CAP(UC) | VERBS_CAP(UD) | VERBS_CAP(SRQ) | \
	VERBS_CAP(SRQ_RESIZE) | VERBS_CAP(SRQ_LIMIT) | \
	VERBS_CAP(MW1) | VERBS_CAP(MW2) | VERBS_CAP(ATOMIC) | VERBS_CAP(RESIZE_CQ) | \
	VERBS_CAP(INLINE) | VERBS_CAP(SEND_INV) | \
	VERBS_CAP(LOCAL_INV) | VERBS_CAP(REREG) | VERBS_CAP(CQ_EVENTS) | VERBS_CAP(ASYNC_EVENTS) | \
	VERBS_CAP(MCAST) | \
	VERBS_CAP(FAULTS) | VERBS_CAP(XRC) | VERBS_CAP(ALT_PATH) | VERBS_CAP(ZERO_BASED) | \
	VERBS_CAP(HOOK) | VERBS_CAP(KNOBS) | VERBS_CAP(VIRTUAL_TIME) | VERBS_CAP(GRH_OPTIONAL) | \
	VERBS_CAP(COUNTERS))

static void
port_init(struct soft_port *p, struct soft_hca *h, unsigned index, uint8_t num)
{
	p->hca = h;
	p->num = num;
	p->up = true;
	p->lid = (uint16_t)(index * SOFT_PORTS + num);
	p->sm_lid = SM_LID;
	gid_set(p->gids[0].raw, GID_PREFIX_DEFAULT, h->guid + num);
	p->pkeys[0] = 0xffff;
	p->pkeys[1] = 0x7fff;
	p->turn.kind = SOFT_TIMER_PORT;
}

void
soft_hca_init(struct soft_world *w, struct soft_hca *h, unsigned index)
{
	h->world = w;
	h->guid = GUID_FIRST + 0x100 * (uint64_t)index;
	snprintf(h->name, sizeof(h->name), "soft%u", index);
	h->qps = (struct soft_slots){ .max = SOFT_QPS_MAX };
	h->keys = (struct soft_slots){ .max = SOFT_KEYS_MAX, .hint = 1 };
	h->srqs = (struct soft_slots){ .max = SOFT_SRQS_MAX, .hint = 1 };
	for (uint8_t n = 1; n <= SOFT_PORTS; n++)
		port_init(&h->ports[n - 1], h, index, n);
}

int
soft_dev_open(struct verbs_world *pub, const char *name, struct verbs_dev **out)
{
	struct soft_world *w = SOFT_WORLD(pub);
	struct soft_hca *h = NULL;
	struct soft_dev *d;

	for (unsigned i = 0; i < w->nhcas && !h; i++)
		if (!name || !strcmp(name, w->hcas[i].name))
			h = &w->hcas[i];
	if (!h)
		return -ENODEV;
	if (h->fatal)
		return -EIO;
	d = xcalloc(1, sizeof(*d));
	d->hca = h;
	d->pub = (struct verbs_dev){
		.ops = pub->ops, .world = pub, .name = h->name, .port = 1, .emulated = true,
		.caps = CAPS | (w->nhcas > 1 ? VERBS_CAP(TWO_DEVICES) : 0),
	};
	d->next = h->devs;
	h->devs = d;
	*out = &d->pub;
	return 0;
}

int
soft_dev_close(struct verbs_dev *pub)
{
	struct soft_dev *d = SOFT_DEV(pub), **at = &d->hca->devs;
	const struct verbs_live *l = &d->live;

	if (l->pd || l->mr || l->mw || l->chan || l->cq || l->srq || l->xrcd || l->ah || l->qp)
		return -EBUSY;
	while (*at != d)
		at = &(*at)->next;
	*at = d->next;
	free(d->events);
	free(d);
	return 0;
}

void
soft_dev_live(struct verbs_dev *pub, struct verbs_live *out)
{
	*out = SOFT_DEV(pub)->live;
}

int
soft_dev_query(struct verbs_dev *pub, struct ibv_device_attr *a)
{
	struct soft_hca *h = SOFT_DEV(pub)->hca;

	if (h->fatal)
		return -EIO;
	*a = (struct ibv_device_attr){
		.fw_ver = PACKAGE_VERSION, .node_guid = wire_order64(h->guid),
		.sys_image_guid = wire_order64(h->guid),
		.max_mr_size = UINT64_C(1) << 40, .page_size_cap = UINT64_C(0xfffffffffffff000),
		.max_qp = SOFT_QPS_MAX - 2, .max_qp_wr = SOFT_WRS_MAX,
		.device_cap_flags = IBV_DEVICE_BAD_PKEY_CNTR | IBV_DEVICE_BAD_QKEY_CNTR |
		IBV_DEVICE_CURR_QP_STATE_MOD |
			IBV_DEVICE_PORT_ACTIVE_EVENT | IBV_DEVICE_SYS_IMAGE_GUID |
			IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_SRQ_RESIZE | IBV_DEVICE_MEM_WINDOW |
			IBV_DEVICE_MEM_MGT_EXTENSIONS | IBV_DEVICE_MEM_WINDOW_TYPE_2B |
			IBV_DEVICE_XRC | IBV_DEVICE_AUTO_PATH_MIG,
		.max_sge = SOFT_SGES_MAX, .max_sge_rd = SOFT_SGES_MAX, .max_cq = 1 << 16,
		.max_cqe = SOFT_CQES_MAX,
		.max_mr = SOFT_KEYS_MAX - 1, .max_pd = 1 << 16,
		.max_qp_rd_atom = SOFT_RD_ATOMIC_MAX,
		.max_res_rd_atom = SOFT_RD_ATOMIC_MAX * (SOFT_QPS_MAX - 2),
		.max_qp_init_rd_atom = SOFT_RD_ATOMIC_MAX,
		.atomic_cap = IBV_ATOMIC_HCA, .max_mw = SOFT_KEYS_MAX - 1,
		.max_mcast_grp = SOFT_MCAST_MAX,
		.max_mcast_qp_attach = SOFT_MCAST_MAX, .max_total_mcast_qp_attach = SOFT_MCAST_MAX,
		.max_ah = 1 << 16,
		.max_srq = SOFT_SRQS_MAX - 1, .max_srq_wr = SOFT_WRS_MAX,
		.max_srq_sge = SOFT_SGES_MAX,
		.max_pkeys = SOFT_PKEYS, .phys_port_cnt = SOFT_PORTS,
	};
	return 0;
}

static struct soft_port *
port_of(struct verbs_dev *pub, uint8_t num)
{
	return num >= 1 && num <= SOFT_PORTS ? &SOFT_DEV(pub)->hca->ports[num - 1] : NULL;
}

int
soft_port_query(struct verbs_dev *pub, uint8_t num, struct ibv_port_attr *a)
{
	const struct soft_port *p = port_of(pub, num);

	if (!p)
		return -EINVAL;
	if (p->hca->fatal)
		return -EIO;
	*a = (struct ibv_port_attr){
		.state = p->up ? IBV_PORT_ACTIVE : IBV_PORT_DOWN, .max_mtu = IBV_MTU_4096,
		.active_mtu = IBV_MTU_4096,
		.gid_tbl_len = SOFT_GIDS, .max_msg_sz = SOFT_MESSAGE_BYTES_MAX,
		.bad_pkey_cntr = p->bad_pkeys,
		.qkey_viol_cntr = p->bad_qkeys, .pkey_tbl_len = SOFT_PKEYS, .lid = p->lid,
		.sm_lid = p->sm_lid,
		.max_vl_num = 1, .active_width = 2, .active_speed = 32, .phys_state = p->up ? 5 : 2,
		.link_layer = IBV_LINK_LAYER_INFINIBAND, .subnet_timeout = 18,
	};
	return 0;
}

int
soft_gid_query(struct verbs_dev *pub, uint8_t num, int index, struct ibv_gid_entry *e)
{
	const struct soft_port *p = port_of(pub, num);

	if (!p || index < 0 || index >= SOFT_GIDS)
		return -EINVAL;
	if (p->hca->fatal)
		return -EIO;
	*e = (struct ibv_gid_entry){
		.gid = p->gids[index], .gid_index = (uint32_t)index, .port_num = num,
		.gid_type = IBV_GID_TYPE_IB,
	};
	return 0;
}

int
soft_pkey_query(struct verbs_dev *pub, uint8_t num, int index, uint16_t *pkey)
{
	const struct soft_port *p = port_of(pub, num);

	if (!p || index < 0 || index >= SOFT_PKEYS)
		return -EINVAL;
	if (p->hca->fatal)
		return -EIO;
	*pkey = p->pkeys[index];
	return 0;
}
