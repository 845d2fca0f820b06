/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * modify.c - state transitions of queue pairs: required and allowed attributes.
 * Room: verbs/soft.  Pure.
 *
 * Each transition is a row of the table.  A modify that lacks a required attribute or has one
 * that is not allowed is refused without any change.
 */
#include <config.h>
#include "verbs/soft/soft_impl.h"

/* XS, XR: XRC, the sending and the receiving end */
enum { RC, UC, UD, XS, XR, TYPES };

#define AV IBV_QP_AV
#define PKEY IBV_QP_PKEY_INDEX
#define PORT IBV_QP_PORT
#define QKEY IBV_QP_QKEY
#define ACCESS IBV_QP_ACCESS_FLAGS
#define CUR IBV_QP_CUR_STATE
#define ALT IBV_QP_ALT_PATH
#define MIG IBV_QP_PATH_MIG_STATE
#define RNR_TIMER IBV_QP_MIN_RNR_TIMER
#define PEER (AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define DEST_RD IBV_QP_MAX_DEST_RD_ATOMIC
#define RETRIES (IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC)
#define SQ_PSN IBV_QP_SQ_PSN
#define NOTIFY IBV_QP_EN_SQD_ASYNC_NOTIFY

static const struct transition {
	enum ibv_qp_state from, to;
	int wanted[TYPES], allowed[TYPES];
	bool never[TYPES];
} transitions[] = {
	{ IBV_QPS_RESET, IBV_QPS_INIT,
	  { [RC] = PKEY | PORT | ACCESS, [UC] = PKEY | PORT | ACCESS, [UD] = PKEY | PORT | QKEY,
	    [XS] = PKEY | PORT | ACCESS,
	    [XR] = PKEY | PORT | ACCESS }, { 0 }, { 0 } },
	{ IBV_QPS_INIT, IBV_QPS_INIT, { 0 },
	  { [RC] = PKEY | PORT | ACCESS, [UC] = PKEY | PORT | ACCESS, [UD] = PKEY | PORT | QKEY,
	    [XS] = PKEY | PORT | ACCESS,
	    [XR] = PKEY | PORT | ACCESS }, { 0 } },
	{ IBV_QPS_INIT, IBV_QPS_RTR,
	  { [RC] = PEER | DEST_RD | RNR_TIMER, [UC] = PEER, [XS] = PEER,
	    [XR] = PEER | DEST_RD | RNR_TIMER },
	  { [RC] = ALT | ACCESS | PKEY, [UC] = ALT | ACCESS | PKEY, [UD] = PKEY | QKEY,
	    [XS] = ALT | ACCESS | PKEY,
	    [XR] = ALT | ACCESS | PKEY }, { 0 } },
	{ IBV_QPS_RTR, IBV_QPS_RTS,
	  { [RC] = RETRIES | SQ_PSN, [UC] = SQ_PSN, [UD] = SQ_PSN, [XS] = RETRIES | SQ_PSN,
	    [XR] = IBV_QP_TIMEOUT | SQ_PSN },
	  { [RC] = CUR | ALT | ACCESS | RNR_TIMER | MIG, [UC] = CUR | ALT | ACCESS | MIG,
	    [UD] = CUR | QKEY,
	    [XS] = CUR | ALT | ACCESS | MIG, [XR] = CUR | ALT | ACCESS | RNR_TIMER | MIG }, { 0 } },
	{ IBV_QPS_RTS, IBV_QPS_RTS, { 0 },
	  { [RC] = CUR | ALT | ACCESS | RNR_TIMER | MIG, [UC] = CUR | ALT | ACCESS | MIG,
	    [UD] = CUR | QKEY,
	    [XS] = CUR | ALT | ACCESS | MIG, [XR] = CUR | ALT | ACCESS | RNR_TIMER | MIG }, { 0 } },
	{ IBV_QPS_RTS, IBV_QPS_SQD, { 0 },
	  { [RC] = NOTIFY, [UC] = NOTIFY, [UD] = NOTIFY, [XS] = NOTIFY, [XR] = NOTIFY }, { 0 } },
	{ IBV_QPS_SQD, IBV_QPS_RTS, { 0 },
	  { [RC] = CUR | ALT | ACCESS | RNR_TIMER | MIG, [UC] = CUR | ALT | ACCESS | MIG,
	    [UD] = CUR | QKEY,
	    [XS] = CUR | ALT | ACCESS | MIG, [XR] = CUR | ALT | ACCESS | RNR_TIMER | MIG }, { 0 } },
	{ IBV_QPS_SQD, IBV_QPS_SQD, { 0 },
	  { [RC] = PORT | AV | RETRIES | DEST_RD | ALT | ACCESS | PKEY | RNR_TIMER | MIG,
	    [UC] = AV | ALT | ACCESS | PKEY | MIG,
	    [UD] = PKEY | QKEY, [XS] = PORT | AV | RETRIES | ALT | ACCESS | PKEY | MIG,
	    [XR] = PORT | AV | IBV_QP_TIMEOUT | DEST_RD | ALT | ACCESS | PKEY | RNR_TIMER | MIG },
	    { 0 } },
	{ IBV_QPS_SQE, IBV_QPS_RTS, { 0 }, { [UC] = CUR | ACCESS, [UD] = CUR | QKEY },
	  { [RC] = true, [XS] = true, [XR] = true } },
};

static int
type_index(enum ibv_qp_type type)
{
	switch ((unsigned)type) {
	case IBV_QPT_UC:
		return UC;
	case IBV_QPT_UD:
		return UD;
	case IBV_QPT_XRC_SEND:
		return XS;
	case IBV_QPT_XRC_RECV:
		return XR;
	default:
		return RC;
	}
}

/* To RESET from any state, and to ERR from any but RESET, without attributes; others by the
 * table. */
static bool
change_ok(const struct soft_qp *q, enum ibv_qp_state from, enum ibv_qp_state to, int mask)
{
	int type = type_index(q->pub.type);

	mask &= ~IBV_QP_STATE;
	if (to == IBV_QPS_RESET || (to == IBV_QPS_ERR && from != IBV_QPS_RESET))
		return !mask;
	for (unsigned i = 0; i < sizeof(transitions) / sizeof(transitions[0]); i++) {
		const struct transition *t = &transitions[i];

		if (t->from == from && t->to == to)
			return !t->never[type] && (mask & t->wanted[type]) == t->wanted[type] &&
				!(mask & ~(t->wanted[type] | t->allowed[type]));
	}
	return false;
}

static bool
path_ok(const struct soft_qp *q, const struct ibv_qp_attr *a, int mask)
{
	if (mask & AV && (!soft_av_ok(q->hca, &a->ah_attr) || a->ah_attr.dlid >= 0xc000))
		return false;
	if (mask & ALT && (!soft_av_ok(q->hca, &a->alt_ah_attr) ||
		    a->alt_pkey_index >= SOFT_PKEYS || a->alt_port_num < 1 ||
			   a->alt_port_num > SOFT_PORTS || a->alt_timeout > 31))
		return false;
	if (!(mask & MIG) || a->path_mig_state == IBV_MIG_MIGRATED)
		return true;
	return a->path_mig_state == IBV_MIG_REARM && (mask & ALT || q->attr.alt_port_num);
}

static bool
values_ok(const struct soft_qp *q, const struct ibv_qp_attr *a, int mask)
{
	if (mask & PKEY && a->pkey_index >= SOFT_PKEYS)
		return false;
	if (mask & PORT && (a->port_num < 1 || a->port_num > SOFT_PORTS))
		return false;
	if (mask & ACCESS &&
		    a->qp_access_flags & ~(unsigned)(IBV_ACCESS_LOCAL_WRITE |
		    IBV_ACCESS_REMOTE_WRITE |
	    IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND))
		return false;
	if (mask & IBV_QP_PATH_MTU && (a->path_mtu < IBV_MTU_256 || a->path_mtu > IBV_MTU_4096))
		return false;
	if (mask & IBV_QP_DEST_QPN && a->dest_qp_num > PACKET_PSN_MASK)
		return false;
	if (mask & DEST_RD && a->max_dest_rd_atomic > SOFT_RD_ATOMIC_MAX)
		return false;
	if (mask & IBV_QP_MAX_QP_RD_ATOMIC && a->max_rd_atomic > SOFT_RD_ATOMIC_MAX)
		return false;
	if ((mask & RNR_TIMER && a->min_rnr_timer > 31) ||
		    (mask & IBV_QP_TIMEOUT && a->timeout > 31) ||
	    (mask & IBV_QP_RETRY_CNT && a->retry_cnt > 7) ||
	    (mask & IBV_QP_RNR_RETRY && a->rnr_retry > 7))
		return false;
	if (mask & CUR && a->cur_qp_state != q->state)
		return false;
	return path_ok(q, a, mask);
}

static void
path_apply(struct soft_qp *q, const struct ibv_qp_attr *a, int mask)
{
	struct ibv_qp_attr *t = &q->attr;

	if (mask & PKEY)
		t->pkey_index = a->pkey_index;
	if (mask & PORT) {
		soft_unkick(q);
		t->port_num = a->port_num;
		q->port = &q->hca->ports[a->port_num - 1];
	}
	if (mask & QKEY)
		t->qkey = a->qkey;
	if (mask & ACCESS)
		t->qp_access_flags = a->qp_access_flags;
	if (mask & AV)
		t->ah_attr = a->ah_attr;
	if (mask & IBV_QP_PATH_MTU)
		t->path_mtu = a->path_mtu;
	if (mask & IBV_QP_DEST_QPN)
		t->dest_qp_num = a->dest_qp_num;
	if (mask & ALT) {
		t->alt_ah_attr = a->alt_ah_attr;
		t->alt_pkey_index = a->alt_pkey_index;
		t->alt_port_num = a->alt_port_num;
		t->alt_timeout = a->alt_timeout;
	}
	if (mask & MIG) {
		t->path_mig_state = a->path_mig_state;
		q->mig_err_reported = false;
	}
}

static void
counts_apply(struct soft_qp *q, const struct ibv_qp_attr *a, int mask)
{
	struct ibv_qp_attr *t = &q->attr;

	if (mask & IBV_QP_RQ_PSN)
		t->rq_psn = a->rq_psn & PACKET_PSN_MASK;
	if (mask & SQ_PSN)
		t->sq_psn = a->sq_psn & PACKET_PSN_MASK;
	if (mask & DEST_RD)
		t->max_dest_rd_atomic = a->max_dest_rd_atomic;
	if (mask & IBV_QP_MAX_QP_RD_ATOMIC)
		t->max_rd_atomic = a->max_rd_atomic;
	if (mask & RNR_TIMER)
		t->min_rnr_timer = a->min_rnr_timer;
	if (mask & IBV_QP_TIMEOUT)
		t->timeout = a->timeout;
	if (mask & IBV_QP_RETRY_CNT)
		t->retry_cnt = a->retry_cnt;
	if (mask & IBV_QP_RNR_RETRY)
		t->rnr_retry = a->rnr_retry;
	if (mask & NOTIFY)
		t->en_sqd_async_notify = a->en_sqd_async_notify;
}

int
soft_qp_modify(struct verbs_qp *pub, const struct ibv_qp_attr *a, int mask)
{
	struct soft_qp *q = SOFT_QP(pub);
	enum ibv_qp_state from = q->state, to = mask & IBV_QP_STATE ? a->qp_state : from;

	if (q->hca->fatal)
		return -EIO;
	if (!change_ok(q, from, to, mask) || !values_ok(q, a, mask))
		return -EINVAL;
	if (from == IBV_QPS_SQD && to == IBV_QPS_SQD && !soft_requester_is_drained(q))
		return -EBUSY;
	if (to != IBV_QPS_RESET) {
		path_apply(q, a, mask);
		counts_apply(q, a, mask);
	}
	if (to == IBV_QPS_SQD && from != IBV_QPS_SQD && !(mask & NOTIFY))
		q->attr.en_sqd_async_notify = 0;
	if (mask & IBV_QP_STATE && (to != from || to == IBV_QPS_RESET))
		soft_qp_set_state(q, to);
	soft_kick(q);
	return 0;
}
