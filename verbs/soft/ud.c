/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ud.c - arriving datagrams, and the multicast groups of a device.
 * Room: verbs/soft.  Pure.
 *
 * A receive begins with 40 bytes for the global route header, whether there is one or not.  A
 * wrong Q_Key is counted; that and a missing or too small receive drop the datagram (a receive
 * of a shared queue is used up: LOC_LEN_ERR).
 */
#include <config.h>
#include <string.h>
#include "libmad/wire/gid.h"
#include "verbs/soft/soft_impl.h"

static void
receive_fail(struct soft_qp *q, const struct soft_rwqe *e, enum ibv_wc_status status)
{
	struct ibv_wc wc = { .wr_id = e->wr_id, .status = status, .opcode = IBV_WC_RECV };

	soft_qp_receive_done(q, q->srq, &wc, false);
}

static void
datagram_deliver(struct soft_qp *q, const struct soft_rwqe *e, const struct packet *p)
{
	struct ibv_wc wc = {
		.wr_id = e->wr_id, .opcode = IBV_WC_RECV, .byte_len = PACKET_GRH_BYTES +
		p->payload_bytes, .src_qp = p->src_qpn,
		.slid = p->slid, .sl = p->sl, .pkey_index = q->attr.pkey_index,
		.wc_flags = p->has_grh ? IBV_WC_GRH : 0,
	};

	if (packet_traits(p->opcode) & PACKET_HAS_IMM) {
		wc.wc_flags |= IBV_WC_WITH_IMM;
		memcpy(&wc.imm_data, p->imm, 4);
	}
	soft_qp_receive_done(q, q->srq, &wc, p->solicited);
}

void
soft_ud_receive(struct soft_qp *q, const struct packet *p)
{
	const struct soft_pd *pd = q->srq ? q->srq->pd : q->pd;
	struct soft_rwqe e;

	if (!packet_traits(p->opcode))
		return;
	if (p->qkey != q->attr.qkey) {
		q->port->bad_qkeys++;
		return;
	}
	if (q->srq && q->srq->failed) {
		soft_qp_fatal(q);
		return;
	}
	if (!soft_rwqe_take(q, q->srq, &e))
		return;
	if (PACKET_GRH_BYTES + p->payload_bytes > soft_sges_bytes(e.sge, e.nsge)) {
		if (q->srq)
			receive_fail(q, &e, IBV_WC_LOC_LEN_ERR);
		else
			q->rq.head--;
		return;
	}
	if ((p->has_grh && soft_scatter(pd, e.sge, e.nsge, 0, p->grh, PACKET_GRH_BYTES) < 0) ||
	    (p->payload_bytes && soft_scatter(pd, e.sge, e.nsge, PACKET_GRH_BYTES, p->payload,
	    p->payload_bytes) < 0)) {
		receive_fail(q, &e, IBV_WC_LOC_PROT_ERR);
		if (q->state != IBV_QPS_ERR)
			soft_qp_set_state(q, IBV_QPS_ERR);
		return;
	}
	datagram_deliver(q, &e, p);
}

static struct soft_mcast *
mcast_find(struct soft_qp *q, const union ibv_gid *gid, uint16_t mlid)
{
	for (uint32_t i = 0; i < q->hca->nmcast; i++) {
		struct soft_mcast *m = &q->hca->mcast[i];

		if (m->qp == q && m->mlid == mlid && !memcmp(m->gid.raw, gid->raw, 16))
			return m;
	}
	return NULL;
}

int
soft_mcast_attach(struct verbs_qp *pub, const union ibv_gid *gid, uint16_t mlid)
{
	struct soft_qp *q = SOFT_QP(pub);
	struct soft_hca *h = q->hca;

	if (h->fatal)
		return -EIO;
	if (pub->type != IBV_QPT_UD || !gid_is_multicast(gid->raw) || mlid < 0xc000 ||
	    mlid == 0xffff)
		return -EINVAL;
	if (mcast_find(q, gid, mlid))
		return 0;
	if (h->nmcast == SOFT_MCAST_MAX)
		return -ENOMEM;
	h->mcast[h->nmcast++] = (struct soft_mcast){ .gid = *gid, .mlid = mlid, .qp = q };
	q->mcasts++;
	return 0;
}

int
soft_mcast_detach(struct verbs_qp *pub, const union ibv_gid *gid, uint16_t mlid)
{
	struct soft_qp *q = SOFT_QP(pub);
	struct soft_mcast *m = mcast_find(q, gid, mlid);

	if (!m)
		return -EINVAL;
	*m = q->hca->mcast[--q->hca->nmcast];
	q->mcasts--;
	return 0;
}
