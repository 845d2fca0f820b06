// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Device operations of a virtual channel adapter for the InfiniBand core: two special queue pairs
 * for each port, the verbs that the MAD layer needs, and the attributes and tables of ports.  There
 * are no user verbs and no data transfer, so only clients of the MAD layer can use the device.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/version.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>
#include "vca.h"

#define LID_PERMISSIVE 0xffff
#define QKEY_GSI 0x80010000

struct vca_pd {
	struct ib_pd ib;
};

struct vca_ah {
	struct ib_ah ib;
	struct rdma_ah_attr attr;
};

struct vca_cq {
	struct ib_cq ib;
	spinlock_t lock;
	struct ib_wc *ring;
	unsigned int head, tail;
	bool armed;
};

struct vca_recv {
	u64 wr_id, addr;
	u32 length;
};

struct vca_qp {
	struct ib_qp ib;
	spinlock_t lock;
	struct vca_cq *send_cq, *recv_cq;
	struct vca_recv *ring;
	unsigned int head, tail;
	u32 port, num;			/* 0: subnet management, 1: general services */
};

#define to_cq(x)	container_of(x, struct vca_cq, ib)
#define to_qp(x)	container_of(x, struct vca_qp, ib)
#define to_ah(x)	container_of(x, struct vca_ah, ib)

/* ---- completion queues ---- */

static void cq_push(struct vca_cq *cq, const struct ib_wc *wc)
{
	unsigned long flags;
	bool fire;

	spin_lock_irqsave(&cq->lock, flags);
	if (cq->head - cq->tail < VCA_CQ_DEPTH)
		cq->ring[cq->head++ % VCA_CQ_DEPTH] = *wc;
	fire = cq->armed;
	cq->armed = false;
	spin_unlock_irqrestore(&cq->lock, flags);
	if (fire)
		cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
}

static int vca_poll_cq(struct ib_cq *ibcq, int n, struct ib_wc *wc)
{
	struct vca_cq *cq = to_cq(ibcq);
	unsigned long flags;
	int i;

	spin_lock_irqsave(&cq->lock, flags);
	for (i = 0; i < n && cq->head != cq->tail; i++)
		wc[i] = cq->ring[cq->tail++ % VCA_CQ_DEPTH];
	spin_unlock_irqrestore(&cq->lock, flags);
	return i;
}

static int vca_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags notify)
{
	struct vca_cq *cq = to_cq(ibcq);
	unsigned long flags;
	int missed;

	spin_lock_irqsave(&cq->lock, flags);
	cq->armed = true;
	missed = (notify & IB_CQ_REPORT_MISSED_EVENTS) && cq->head != cq->tail;
	spin_unlock_irqrestore(&cq->lock, flags);
	return missed;
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
static int vca_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr, struct uverbs_attr_bundle *attrs)
#else
static int vca_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr, struct ib_udata *udata)
#endif
{
	struct vca_cq *cq = to_cq(ibcq);

	if (attr->cqe >= VCA_CQ_DEPTH)
		return -EINVAL;
	spin_lock_init(&cq->lock);
	cq->ib.cqe = VCA_CQ_DEPTH - 1;
	cq->ring = kvcalloc(VCA_CQ_DEPTH, sizeof(*cq->ring), GFP_KERNEL);
	return cq->ring ? 0 : -ENOMEM;
}

static int vca_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	kvfree(to_cq(ibcq)->ring);
	return 0;
}

/* ---- receiving ---- */

static bool recv_posted(struct vca_qp *qp)
{
	return READ_ONCE(qp->head) != READ_ONCE(qp->tail);
}

static bool recv_take(struct vca_qp *qp, struct vca_recv *slot)
{
	unsigned long flags;
	bool any;

	spin_lock_irqsave(&qp->lock, flags);
	any = qp->head != qp->tail;
	if (any)
		*slot = qp->ring[qp->tail++ % VCA_RQ_DEPTH];
	spin_unlock_irqrestore(&qp->lock, flags);
	return any;
}

/* The caller holds vca_dev.lock, so that the queue pair is not destroyed. */
static int deliver_locked(struct vca_dev *d, u32 port, const u8 f[VCA_FRAME_BYTES])
{
	struct ib_wc wc = { .status = IB_WC_SUCCESS, .opcode = IB_WC_RECV };
	u32 num = sma_get32(f + VCA_AT_DST_QP), lmc = d->sma.port[port - 1].info[PI_LMC] & 7;
	struct vca_qp *qp = d->qp[port - 1][num];
	struct vca_recv slot;
	u16 index = 0;

	if (qp && !recv_posted(qp))
		return -EAGAIN;
	if (!qp || (num && !sma_keys(&d->sma, port, f, vca_now_ms(), &index)) || !recv_take(qp, &slot) ||
	    slot.length < VCA_GRH_BYTES + VCA_MAD_BYTES) {
		atomic64_inc(&d->dropped);
		vca_arm(d);			/* sma_keys() may have queued a trap */
		return 0;
	}
	/* One copy: in the frame the MAD follows the GRH, as in a receive buffer. */
	memcpy((u8 *)(uintptr_t)slot.addr, f + VCA_AT_GRH, VCA_GRH_BYTES + VCA_MAD_BYTES);
	wc.wr_id = slot.wr_id;
	wc.byte_len = VCA_GRH_BYTES + VCA_MAD_BYTES;
	wc.qp = &qp->ib;
	wc.src_qp = sma_get32(f + VCA_AT_SRC_QP);
	wc.slid = sma_get16(f + VCA_AT_SLID);
	wc.sl = f[VCA_AT_SL];
	wc.pkey_index = index;
	wc.port_num = port;
	wc.wc_flags = f[VCA_AT_FLAGS] & VCA_FLAG_GRH ? IB_WC_GRH : 0;
	if (sma_get16(f + VCA_AT_DLID) != LID_PERMISSIVE)
		wc.dlid_path_bits = sma_get16(f + VCA_AT_DLID) & ((1 << lmc) - 1);
	cq_push(qp->recv_cq, &wc);
	return 0;
}

int vca_deliver(struct vca_dev *d, u32 port, const u8 f[VCA_FRAME_BYTES])
{
	unsigned long flags;
	int ret;

	BUILD_BUG_ON(VCA_AT_MAD != VCA_AT_GRH + VCA_GRH_BYTES);
	if (sma_get32(f + VCA_AT_DST_QP) > 1 || f[VCA_AT_SL] > 15 || (f[VCA_AT_FLAGS] & ~VCA_FLAG_GRH) || f[VCA_AT_ZERO])
		return -EINVAL;
	spin_lock_irqsave(&d->lock, flags);
	ret = deliver_locked(d, port, f);
	spin_unlock_irqrestore(&d->lock, flags);
	return ret;
}

bool vca_writable(struct vca_dev *d)
{
	bool all = true;
	u32 port, num;

	spin_lock_irq(&d->lock);
	for (port = 0; port < d->sma.nports; port++)
		for (num = 0; num < 2; num++)
			all = all && (!d->qp[port][num] || recv_posted(d->qp[port][num]));
	spin_unlock_irq(&d->lock);
	return all;
}

static int vca_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad)
{
	struct vca_qp *qp = to_qp(ibqp);
	unsigned long flags;
	bool was_empty;
	int ret = 0;

	spin_lock_irqsave(&qp->lock, flags);
	was_empty = qp->head == qp->tail;
	for (; wr; wr = wr->next) {
		if (qp->head - qp->tail >= VCA_RQ_DEPTH || wr->num_sge != 1) {
			*bad = wr;
			ret = wr->num_sge != 1 ? -EINVAL : -ENOMEM;
			break;
		}
		qp->ring[qp->head++ % VCA_RQ_DEPTH] =
			(struct vca_recv){ wr->wr_id, wr->sg_list[0].addr, wr->sg_list[0].length };
	}
	spin_unlock_irqrestore(&qp->lock, flags);
	if (was_empty)
		wake_up_interruptible(&to_vca(ibqp->device)->wait);	/* for poll() */
	return ret;
}

/* ---- sending ---- */

void vca_sent(struct vca_qp *qp, u64 wr_id, u32 bytes)
{
	struct ib_wc wc = { .status = IB_WC_SUCCESS, .opcode = IB_WC_SEND, .wr_id = wr_id, .qp = &qp->ib, .byte_len = bytes };

	cq_push(qp->send_cq, &wc);
}

static void put_grh(const struct vca_dev *d, u32 port, const struct rdma_ah_attr *attr, u8 *grh)
{
	const struct ib_global_route *r = rdma_ah_read_grh(attr);
	const struct sma_port *p = &d->sma.port[port - 1];

	sma_put32(grh, 6u << 28 | (u32)r->traffic_class << 20 | (r->flow_label & 0xfffff));
	sma_put16(grh + 4, 12 + 8 + VCA_MAD_BYTES + 4);
	grh[6] = 0x1b;
	grh[7] = r->hop_limit;
	memcpy(grh + 8, p->info + PI_PREFIX, 8);
	sma_put64(grh + 16, p->guids[r->sgid_index < SMA_GUIDS ? r->sgid_index : 0]);
	memcpy(grh + 24, r->dgid.raw, 16);
}

static u32 gather(const struct ib_send_wr *wr, u8 mad[VCA_MAD_BYTES])
{
	u32 n = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		u32 len = min_t(u32, wr->sg_list[i].length, VCA_MAD_BYTES - n);

		memcpy(mad + n, (void *)(uintptr_t)wr->sg_list[i].addr, len);
		n += len;
	}
	return n;
}

static void send_one(struct vca_dev *d, struct vca_qp *qp, const struct ib_send_wr *wr)
{
	const struct ib_ud_wr *ud = ud_wr(wr);
	const struct rdma_ah_attr *attr = &to_ah(ud->ah)->attr;
	u32 dlid = rdma_ah_get_dlid(attr), port = qp->port, n;
	const struct sma_port *p = &d->sma.port[port - 1];
	u8 f[VCA_FRAME_BYTES];
	unsigned long flags;

	vca_frame_begin(f, VCA_MAD, port);
	n = gather(wr, f + VCA_AT_MAD);
	f[VCA_AT_SL] = rdma_ah_get_sl(attr);
	sma_put16(f + VCA_AT_DLID, (u16)dlid);
	sma_put32(f + VCA_AT_SRC_QP, qp->num);
	sma_put32(f + VCA_AT_DST_QP, ud->remote_qpn);
	sma_put32(f + VCA_AT_QKEY, qp->num ? QKEY_GSI : 0);
	spin_lock_irqsave(&d->lock, flags);
	if (!qp->num && dlid == LID_PERMISSIVE)
		sma_put16(f + VCA_AT_SLID, LID_PERMISSIVE);
	else
		sma_put16(f + VCA_AT_SLID, sma_get16(p->info + PI_LID) |
			  (rdma_ah_get_path_bits(attr) & ((1 << (p->info[PI_LMC] & 7)) - 1)));
	if (qp->num && ud->pkey_index < d->sma.npkeys)
		sma_put16(f + VCA_AT_PKEY, p->pkeys[ud->pkey_index]);
	if (rdma_ah_get_ah_flags(attr) & IB_AH_GRH) {
		f[VCA_AT_FLAGS] = VCA_FLAG_GRH;
		put_grh(d, port, attr, f + VCA_AT_GRH);
	}
	spin_unlock_irqrestore(&d->lock, flags);
	if (!vca_emit_send(d, f, qp, wr->wr_id, n))
		vca_sent(qp, wr->wr_id, n);
}

/*
 * Called under a spinlock with interrupts disabled, so it only copies and queues.  A send completes
 * when the reader has taken it.
 */
static int vca_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr, const struct ib_send_wr **bad)
{
	struct vca_qp *qp = to_qp(ibqp);

	for (; wr; wr = wr->next) {
		if (wr->opcode != IB_WR_SEND || !ud_wr(wr)->ah) {
			*bad = wr;
			return -EINVAL;
		}
		send_one(to_vca(ibqp->device), qp, wr);
	}
	return 0;
}

/* ---- objects ---- */

static int vca_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int vca_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int vca_create_ah(struct ib_ah *ah, struct rdma_ah_init_attr *init, struct ib_udata *udata)
{
	to_ah(ah)->attr = *init->ah_attr;
	return 0;
}

/* The MAD layer calls this to match a LID-routed response with its send. */
static int vca_query_ah(struct ib_ah *ah, struct rdma_ah_attr *attr)
{
	*attr = to_ah(ah)->attr;
	return 0;
}

static int vca_destroy_ah(struct ib_ah *ah, u32 flags)
{
	return 0;
}

static int vca_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	struct vca_dev *d = to_vca(ibqp->device);
	struct vca_qp *qp = to_qp(ibqp);

	if (udata || (init->qp_type != IB_QPT_SMI && init->qp_type != IB_QPT_GSI))
		return -EOPNOTSUPP;
	if (!init->port_num || init->port_num > d->sma.nports || init->cap.max_recv_wr > VCA_RQ_DEPTH)
		return -EINVAL;
	qp->num = init->qp_type == IB_QPT_GSI;
	qp->port = init->port_num;
	ibqp->qp_num = qp->num;
	spin_lock_init(&qp->lock);
	qp->send_cq = to_cq(init->send_cq);
	qp->recv_cq = to_cq(init->recv_cq);
	qp->ring = kcalloc(VCA_RQ_DEPTH, sizeof(*qp->ring), GFP_KERNEL);
	if (!qp->ring)
		return -ENOMEM;
	spin_lock_irq(&d->lock);
	d->qp[qp->port - 1][qp->num] = qp;
	spin_unlock_irq(&d->lock);
	return 0;
}

static int vca_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	return 0;
}

static int vca_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct vca_dev *d = to_vca(ibqp->device);
	struct vca_qp *qp = to_qp(ibqp);

	spin_lock_irq(&d->lock);
	if (d->qp[qp->port - 1][qp->num] == qp)
		d->qp[qp->port - 1][qp->num] = NULL;
	spin_unlock_irq(&d->lock);
	vca_forget(d, qp);
	kfree(qp->ring);
	return 0;
}

/* Stubs: the core attaches kernel clients only to devices that have all of these operations. */
static struct ib_mr *vca_get_dma_mr(struct ib_pd *pd, int access)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static struct ib_mr *vca_reg_user_mr(struct ib_pd *pd, u64 start, u64 len, u64 virt, int access, struct ib_udata *udata)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static int vca_dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	return 0;
}

/* ---- attributes of device and ports ---- */

static int vca_query_device(struct ib_device *ib, struct ib_device_attr *attr, struct ib_udata *udata)
{
	const struct sma *s = &to_vca(ib)->sma;

	memset(attr, 0, sizeof(*attr));
	attr->vendor_id = sma_get32(s->node_info + 36) & 0xffffff;
	attr->vendor_part_id = sma_get16(s->node_info + 30);
	attr->hw_ver = sma_get32(s->node_info + 32);
	attr->sys_image_guid = cpu_to_be64(sma_get64(s->node_info + 4));
	attr->max_qp = 16;
	attr->max_cq = 16;
	attr->max_pd = 16;
	attr->max_qp_wr = VCA_RQ_DEPTH;
	attr->max_send_sge = 4;
	attr->max_recv_sge = 1;
	attr->max_cqe = VCA_CQ_DEPTH - 1;
	attr->max_ah = INT_MAX;
	attr->max_pkeys = s->npkeys;
	attr->kernel_cap_flags = IBK_LOCAL_DMA_LKEY;
	return 0;
}

static int vca_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	struct vca_dev *d = to_vca(ib);
	unsigned long flags;
	u8 pi[64];

	if (!port || port > d->sma.nports)
		return -EINVAL;
	spin_lock_irqsave(&d->lock, flags);
	memcpy(pi, d->sma.port[port - 1].info, sizeof(pi));
	spin_unlock_irqrestore(&d->lock, flags);
	attr->lid = sma_get16(pi + PI_LID);
	attr->sm_lid = sma_get16(pi + PI_SMLID);
	attr->lmc = pi[PI_LMC] & 7;
	attr->sm_sl = pi[PI_MTU_SMSL] & 15;
	attr->state = pi[PI_STATE] & 15;
	attr->phys_state = pi[PI_PHYS] >> 4;
	attr->port_cap_flags = sma_get32(pi + PI_CAPS);
	attr->port_cap_flags2 = sma_get16(pi + PI_CAPS2);
	attr->gid_tbl_len = pi[PI_GUIDCAP];
	attr->pkey_tbl_len = d->sma.npkeys;
	attr->bad_pkey_cntr = sma_get16(pi + PI_PKEY_VIOL);
	attr->qkey_viol_cntr = sma_get16(pi + PI_QKEY_VIOL);
	attr->max_msg_sz = 1 << 30;
	attr->max_mtu = pi[PI_MTUCAP] & 15;
	attr->active_mtu = pi[PI_MTU_SMSL] >> 4;
	attr->max_vl_num = pi[PI_VLCAP] >> 4;
	attr->init_type_reply = pi[PI_MTUCAP] >> 4;
	attr->active_width = pi[PI_WIDTH_ACTIVE];
	/* SDR 1, DDR 2, QDR 4; FDR, EDR, HDR, NDR follow as 16, 32, 64, 128 */
	attr->active_speed = pi[PI_EXT_ACTIVE] >> 4 ? pi[PI_EXT_ACTIVE] & 0xf0 : pi[PI_SPEED] >> 4;
	attr->subnet_timeout = pi[PI_REREG] & 31;
	return 0;
}

static int vca_modify_port(struct ib_device *ib, u32 port, int mask, struct ib_port_modify *mod)
{
	struct vca_dev *d = to_vca(ib);
	struct sma_news news = { 0 };

	if (!port || port > d->sma.nports)
		return -EINVAL;
	spin_lock_irq(&d->lock);
	sma_caps(&d->sma, port, mod->set_port_cap_mask, mod->clr_port_cap_mask, vca_now_ms(), &news);
	vca_tell(d, port, &news);
	vca_arm(d);
	spin_unlock_irq(&d->lock);
	return 0;
}

static int vca_modify_device(struct ib_device *ib, int mask, struct ib_device_modify *mod)
{
	struct vca_dev *d = to_vca(ib);
	struct sma_news news = { 0 };

	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	if (!(mask & IB_DEVICE_MODIFY_NODE_DESC))
		return 0;
	spin_lock_irq(&d->lock);
	memcpy(ib->node_desc, mod->node_desc, sizeof(ib->node_desc));
	sma_describe(&d->sma, mod->node_desc, vca_now_ms(), &news);
	vca_tell(d, 1, &news);
	vca_arm(d);
	spin_unlock_irq(&d->lock);
	return 0;
}

static int vca_get_port_immutable(struct ib_device *ib, u32 port, struct ib_port_immutable *im)
{
	const struct vca_dev *d = to_vca(ib);

	im->gid_tbl_len = d->sma.port[port - 1].info[PI_GUIDCAP];
	im->pkey_tbl_len = d->sma.npkeys;
	im->core_cap_flags = RDMA_CORE_PORT_IBA_IB;	/* QP0, SMI agents, the SA client */
	im->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

static enum rdma_link_layer vca_get_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_INFINIBAND;
}

static int vca_query_gid(struct ib_device *ib, u32 port, int index, union ib_gid *gid)
{
	struct vca_dev *d = to_vca(ib);
	unsigned long flags;

	if (!port || port > d->sma.nports || index < 0 || index >= SMA_GUIDS)
		return -EINVAL;
	spin_lock_irqsave(&d->lock, flags);
	memcpy(gid->raw, d->sma.port[port - 1].info + PI_PREFIX, 8);
	gid->global.interface_id = cpu_to_be64(d->sma.port[port - 1].guids[index]);
	spin_unlock_irqrestore(&d->lock, flags);
	return 0;
}

static int vca_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	const struct vca_dev *d = to_vca(ib);

	if (!port || port > d->sma.nports || index >= d->sma.npkeys)
		return -EINVAL;
	*pkey = READ_ONCE(d->sma.port[port - 1].pkeys[index]);
	return 0;
}

static void vca_get_dev_fw_str(struct ib_device *ib, char *str)
{
	snprintf(str, IB_FW_VERSION_NAME_MAX, "%d.0.0", VCA_VERSION);
}

/* ---- management datagrams ---- */

void vca_events(struct vca_dev *d, u32 port, unsigned int events)
{
	static const struct {
		enum sma_event have;
		enum ib_event_type want;
	} rows[] = {
		{ SMA_GID_CHANGE, IB_EVENT_GID_CHANGE }, { SMA_PKEY_CHANGE, IB_EVENT_PKEY_CHANGE }, { SMA_LID_CHANGE, IB_EVENT_LID_CHANGE },
		{ SMA_PORT_ERR, IB_EVENT_PORT_ERR }, { SMA_PORT_ACTIVE, IB_EVENT_PORT_ACTIVE }, { SMA_SM_CHANGE, IB_EVENT_SM_CHANGE },
		{ SMA_REREGISTER, IB_EVENT_CLIENT_REREGISTER },
	};
	struct ib_event e = { .device = &d->ib, .element.port_num = port };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (events & rows[i].have) {
			e.event = rows[i].want;
			ib_dispatch_event(&e);
		}
}

/*
 * The core calls this for each MAD that arrives, and for a directed-route SMP to the sender's own
 * port.  The latter call comes from the send path and must not sleep.
 */
static int vca_process_mad(struct ib_device *ib, int flags, u32 port, const struct ib_wc *wc, const struct ib_grh *grh,
			   const struct ib_mad *in, struct ib_mad *out, size_t *out_size, u16 *out_pkey_index)
{
	struct vca_dev *d = to_vca(ib);
	struct sma_news news = { 0 };
	enum sma_fate fate;
	unsigned long irq;

	if (in->mad_hdr.mgmt_class != IB_MGMT_CLASS_SUBN_LID_ROUTED && in->mad_hdr.mgmt_class != IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)
		return IB_MAD_RESULT_SUCCESS;		/* for an agent of a program */
	memcpy(out, in, sizeof(*out));
	spin_lock_irqsave(&d->lock, irq);
	fate = sma_smp(&d->sma, port, (u8 *)out, wc ? (u16)wc->slid : LID_PERMISSIVE, vca_now_ms(), &news);
	vca_tell(d, port, &news);
	vca_arm(d);
	if (news.set)
		memcpy(ib->node_desc, d->sma.desc, sizeof(ib->node_desc));
	spin_unlock_irqrestore(&d->lock, irq);
	vca_events(d, port, news.events);
	*out_size = sizeof(*out);
	switch (fate) {
	case SMA_ANSWER:
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
	case SMA_DROP:
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED;
	default:
		return IB_MAD_RESULT_SUCCESS;
	}
}

/* ---- sysfs ---- */

static ssize_t hca_type_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "heddle-vca\n");
}
static DEVICE_ATTR_RO(hca_type);

static ssize_t hw_rev_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%x\n", sma_get32(rdma_device_to_drv_device(dev, struct vca_dev, ib)->sma.node_info + 32));
}
static DEVICE_ATTR_RO(hw_rev);

#define COUNTER(name) \
static ssize_t frames_##name##_show(struct device *dev, struct device_attribute *attr, char *buf) \
{ \
	return sysfs_emit(buf, "%llu\n", (u64)atomic64_read(&rdma_device_to_drv_device(dev, struct vca_dev, ib)->name)); \
} \
static DEVICE_ATTR_RO(frames_##name)
COUNTER(refused);
COUNTER(lost);
COUNTER(dropped);

static struct attribute *vca_attrs[] = {
	&dev_attr_hca_type.attr, &dev_attr_hw_rev.attr, &dev_attr_frames_refused.attr, &dev_attr_frames_lost.attr,
	&dev_attr_frames_dropped.attr, NULL,
};

static const struct attribute_group vca_group = { .attrs = vca_attrs };

const struct ib_device_ops vca_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.device_group = &vca_group,
	.alloc_pd = vca_alloc_pd,
	.dealloc_pd = vca_dealloc_pd,
	.create_ah = vca_create_ah,
	.query_ah = vca_query_ah,
	.destroy_ah = vca_destroy_ah,
	.create_cq = vca_create_cq,
	.destroy_cq = vca_destroy_cq,
	.poll_cq = vca_poll_cq,
	.req_notify_cq = vca_req_notify_cq,
	.create_qp = vca_create_qp,
	.modify_qp = vca_modify_qp,
	.destroy_qp = vca_destroy_qp,
	.post_send = vca_post_send,
	.post_recv = vca_post_recv,
	.get_dma_mr = vca_get_dma_mr,
	.reg_user_mr = vca_reg_user_mr,
	.dereg_mr = vca_dereg_mr,
	.query_device = vca_query_device,
	.query_port = vca_query_port,
	.modify_port = vca_modify_port,
	.modify_device = vca_modify_device,
	.get_port_immutable = vca_get_port_immutable,
	.get_link_layer = vca_get_link_layer,
	.get_dev_fw_str = vca_get_dev_fw_str,
	.query_gid = vca_query_gid,
	.query_pkey = vca_query_pkey,
	.process_mad = vca_process_mad,
	INIT_RDMA_OBJ_SIZE(ib_pd, vca_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_ah, vca_ah, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, vca_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, vca_qp, ib),
};
