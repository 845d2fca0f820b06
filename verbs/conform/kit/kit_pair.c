/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * kit_pair.c - pairs of queue pairs, work requests, and waits with limits; see kit.h.
 * Room: verbs/conform/kit.
 */
#include <config.h>
#include <errno.h>
#include <string.h>
#include "verbs/conform/kit/kit.h"
#include "verbs/conform/kit/qp_rules.h"

#define IDLE_TURNS_MAX 1000000          /* ends a wait when the clock does not advance */
#define QUIET_VIRTUAL_US 5000000        /* longer than any timer that a case sets */

/* ---- pairs ---- */

struct kit_pair
kit_defaults(enum ibv_qp_type type)
{
	return (struct kit_pair){
		.type = type, .mtu = IBV_MTU_1024,
		.cap = { .max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 2,
		.max_recv_sge = 2 },
		.cqe = { 64, 64 }, .access_a = KIT_REMOTE, .access_b = KIT_REMOTE, .srq_wr = 16,
		.timeout = 10, .retry = 1, .rnr_retry = 0, .rnr_timer = 1, .rd_atomic = 4,
		.dest_rd_atomic = 4,
		.qkey_a = KIT_QKEY, .qkey_b = KIT_QKEY,
	};
}

static struct kit_end *
other_end(struct kit *k, const struct kit_end *e)
{
	return e == &k->a ? &k->b : &k->a;
}

struct ibv_ah_attr
kit_address(const struct kit *k, const struct kit_end *from, const struct kit_end *to)
{
	struct ibv_ah_attr ah = { .dlid = to->lid, .port_num = from->dev->port };

	if (k->grh) {
		ah.is_global = 1;
		ah.grh = (struct ibv_global_route){ .dgid = to->gid,
			.sgid_index = from->dev->gid_index, .hop_limit = 2 };
	}
	return ah;
}

static void
make_end(struct kit *k, struct kit_end *e)
{
	const struct kit_pair *p = &k->pair;
	struct verbs_qp_init init = { .type = p->type, .cap = p->cap, .sq_sig_all = p->sig_all };

	e->scq = kit_cq(k, e, p->cqe[0], e == &k->a ? p->scq_chan : NULL);
	e->rcq = kit_cq(k, e, p->cqe[1], e == &k->b ? p->rcq_chan : NULL);
	if (e == &k->b && p->srq_b) {
		e->srq = kit_srq(k, e->pd, p->srq_wr, p->cap.max_recv_sge);
		init.srq = e->srq;
	}
	init.send_cq = e->scq;
	init.recv_cq = e->rcq;
	e->qp = kit_qp(k, e, &init);
}

bool
kit_pair_make(struct kit *k)
{
	make_end(k, &k->a);
	make_end(k, &k->b);
	return !k->broken;
}

int
kit_attr(struct kit *k, const struct kit_end *e, enum ibv_qp_state to, struct ibv_qp_attr *attr)
{
	const struct kit_pair *p = &k->pair;
	const struct kit_end *peer = other_end(k, e);
	bool is_a = e == &k->a;

	*attr = (struct ibv_qp_attr){
		.qp_state = to, .cur_qp_state = IBV_QPS_RTS, .path_mtu = p->mtu,
		.path_mig_state = IBV_MIG_MIGRATED,
		.qkey = is_a ? p->qkey_a : p->qkey_b, .rq_psn = KIT_PSN, .sq_psn = KIT_PSN,
		.dest_qp_num = is_a && p->dest_qpn ? p->dest_qpn : peer->qp ? peer->qp->qp_num : 1,
		.qp_access_flags = (unsigned)(is_a ? p->access_a : p->access_b),
		.ah_attr = kit_address(k, e, peer), .alt_ah_attr = kit_address(k, e, peer),
		.pkey_index = is_a ? p->pkey_index_a : p->pkey_index_b,
		.max_rd_atomic = p->rd_atomic,
		.max_dest_rd_atomic = p->dest_rd_atomic, .min_rnr_timer = p->rnr_timer,
		.port_num = e->dev->port, .alt_port_num = e->dev->port,
		.timeout = p->timeout, .alt_timeout = p->timeout, .retry_cnt = p->retry,
		.rnr_retry = p->rnr_retry,
	};
	return IBV_QP_STATE;
}

int
kit_modify(struct kit *k, struct kit_end *e, enum ibv_qp_state from, enum ibv_qp_state to)
{
	const struct qp_rule *rule = qp_rules_find(from, to);
	struct ibv_qp_attr attr;
	int mask = kit_attr(k, e, to, &attr), column = qp_rules_column(k->pair.type);

	if (rule && column >= 0)
		mask |= rule->required[column];
	/* An XRC sender has no responder attributes, an XRC receiver no requester attributes. */
	if (e->qp->type == IBV_QPT_XRC_SEND && to == IBV_QPS_RTR)
		mask &= ~(IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	if (e->qp->type == IBV_QPT_XRC_RECV && to == IBV_QPS_RTS)
		mask &= ~(IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
	return k->ops->modify_qp(e->qp, &attr, mask);
}

int
kit_to_state(struct kit *k, struct kit_end *e, enum ibv_qp_state to)
{
	struct ibv_qp_attr attr = { .qp_state = to };

	return k->broken ? -EINVAL : k->ops->modify_qp(e->qp, &attr, IBV_QP_STATE);
}

/* Enters SQE, which only a send error can lead to. */
static bool
walk_to_sqe(struct kit *k, struct kit_end *e)
{
	struct ibv_sge sge = { (uintptr_t)e->buf, 64, e->mr->lkey ^ 0x5500 };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED };
	struct verbs_ah *ah;
	struct ibv_wc wc;

	if (k->pair.type == IBV_QPT_UD) {
		ah = kit_ah(k, e, other_end(k, e));
		if (!ah)
			return false;
		wr.wr.ud.ah = ah->ibv;
		wr.wr.ud.remote_qpn = other_end(k, e)->qp->qp_num;
		wr.wr.ud.remote_qkey = KIT_QKEY;
	}
	return kit_must(k, "post_send", kit_post(k, e, &wr)) &&
		kit_must(k, "the send's error", kit_wait(k, e->scq, &wc, KIT_WAIT_US) ? 0 :
		-ETIMEDOUT) && kit_must(k, "SQE", kit_state(k, e) == IBV_QPS_SQE ? 0 : -EINVAL);
}

/* Waits until the send queue has drained: only then may it be modified. */
static bool
wait_drained(struct kit *k, struct kit_end *e)
{
	uint64_t limit_us = kit_now_us(k) + KIT_WAIT_US;
	struct ibv_qp_attr attr;
	unsigned idle = 0;

	do {
		attr = (struct ibv_qp_attr){ .sq_draining = 0 };
		if (!kit_must(k, "query_qp", k->ops->query_qp(e->qp, &attr, IBV_QP_STATE, NULL)))
			return false;
		if (!attr.sq_draining)
			return true;
	} while (kit_turn(k, limit_us, &idle));
	return kit_must(k, "the end of draining", -ETIMEDOUT);
}

bool
kit_walk(struct kit *k, struct kit_end *e, enum ibv_qp_state to)
{
	enum ibv_qp_state at = IBV_QPS_RESET, end = to;

	if (k->broken)
		return false;
	if (to == IBV_QPS_SQD || to == IBV_QPS_SQE)
		end = IBV_QPS_RTS;
	if (to == IBV_QPS_ERR)
		end = IBV_QPS_INIT;
	for (; at < end; at++) {
		static const char *const names[] = { "INIT", "RTR", "RTS" };

		if (!kit_must(k, names[at], kit_modify(k, e, at, at + 1)))
			return false;
	}
	if (to == IBV_QPS_SQD || to == IBV_QPS_ERR)
		return kit_must(k, qp_rules_state_name(to), kit_to_state(k, e, to)) &&
			(to == IBV_QPS_ERR || wait_drained(k, e));
	return to != IBV_QPS_SQE || walk_to_sqe(k, e);
}

bool
kit_pair_connect(struct kit *k)
{
	kit_pair_make(k);
	kit_walk(k, &k->b, IBV_QPS_RTS);
	kit_walk(k, &k->a, IBV_QPS_RTS);
	return !k->broken;
}

enum ibv_qp_state
kit_state(struct kit *k, struct kit_end *e)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_UNKNOWN };

	if (k->broken ||
		    !kit_must(k, "query_qp", k->ops->query_qp(e->qp, &attr, IBV_QP_STATE, NULL)))
		return IBV_QPS_UNKNOWN;
	return attr.qp_state;
}

/* ---- work ---- */

struct ibv_sge
kit_sge(const struct kit_end *e, size_t offset, uint32_t bytes)
{
	return (struct ibv_sge){ (uintptr_t)(e->buf + offset), bytes, e->mr ? e->mr->lkey : 0 };
}

int
kit_post(struct kit *k, struct kit_end *e, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad = NULL;

	return k->broken ? -EINVAL : k->ops->post_send(e->qp, wr, &bad);
}

int
kit_post_recv_sge(struct kit *k, struct kit_end *e, uint64_t wr_id, struct ibv_sge *sge, int n)
{
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = sge, .num_sge = n }, *bad = NULL;

	if (k->broken)
		return -EINVAL;
	return e->srq ? k->ops->post_srq_recv(e->srq, &wr, &bad) : k->ops->post_recv(e->qp, &wr,
		&bad);
}

void
kit_recv(struct kit *k, struct kit_end *e, uint64_t wr_id, size_t offset, uint32_t bytes)
{
	struct ibv_sge sge = kit_sge(e, offset, bytes);

	if (!k->broken)
		kit_must(k, "post_recv", kit_post_recv_sge(k, e, wr_id, &sge, 1));
}

void
kit_send(struct kit *k, struct kit_end *e, uint64_t wr_id, size_t offset, uint32_t bytes)
{
	struct ibv_sge sge = kit_sge(e, offset, bytes);
	struct ibv_send_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1,
		.opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED };

	if (!k->broken)
		kit_must(k, "post_send", kit_post(k, e, &wr));
}

int
kit_rdma(struct kit *k, struct kit_end *e, enum ibv_wr_opcode opcode, uint64_t wr_id,
	uint32_t bytes, uint64_t remote, uint32_t rkey)
{
	struct ibv_sge sge = kit_sge(e, 0, bytes);
	struct ibv_send_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1, .opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED };

	if (opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = remote;
		wr.wr.atomic.rkey = rkey;
		wr.wr.atomic.compare_add = 1;
	} else {
		wr.wr.rdma.remote_addr = remote;
		wr.wr.rdma.rkey = rkey;
	}
	return kit_post(k, e, &wr);
}

/* ---- waits ---- */

uint64_t
kit_now_us(struct kit *k)
{
	return k->ops->now_ns(k->world) / 1000;
}

bool
kit_virtual(const struct kit *k)
{
	return k->a.dev->caps & VERBS_CAP(VIRTUAL_TIME);
}

bool
kit_turn(struct kit *k, uint64_t limit_us, unsigned *idle)
{
	uint64_t before = kit_now_us(k);

	if (before >= limit_us)
		return false;
	k->ops->await(k->world, limit_us - before > 1000000 ? 1000000 :
		(uint32_t)(limit_us - before));
	*idle = kit_now_us(k) == before ? *idle + 1 : 0;
	return *idle < IDLE_TURNS_MAX;
}

bool
kit_wait(struct kit *k, struct verbs_cq *cq, struct ibv_wc *wc, uint64_t us)
{
	uint64_t limit_us = kit_now_us(k) + us;
	unsigned idle = 0;

	if (k->broken)
		return false;
	do {
		int n = k->ops->poll(cq, 1, wc);

		if (n > 0)
			return true;
		if (n < 0) {
			kit_must(k, "poll", n);
			return false;
		}
	} while (kit_turn(k, limit_us, &idle));
	return k->ops->poll(cq, 1, wc) > 0;
}

void
kit_say_wc(struct kit *k, const char *who, struct verbs_cq *cq, struct ibv_wc *wc)
{
	*wc = (struct ibv_wc){ .status = IBV_WC_GENERAL_ERR };
	if (k->broken)
		return;
	if (kit_wait(k, cq, wc, KIT_WAIT_US))
		kit_say(k, "%s %s", who, verbs_status_name(wc->status));
	else
		kit_say(k, "%s none", who);
}

void
kit_say_quiet(struct kit *k, const char *who, struct verbs_cq *cq)
{
	struct ibv_wc wc;

	if (k->broken)
		return;
	if (kit_wait(k, cq, &wc, kit_virtual(k) ? QUIET_VIRTUAL_US : KIT_QUIET_US))
		kit_say(k, "%s %s", who, verbs_status_name(wc.status));
	else
		kit_say(k, "%s none", who);
}

void
kit_must_succeed(struct kit *k, struct verbs_cq *cq, struct ibv_wc *wc)
{
	memset(wc, 0, sizeof(*wc));
	if (k->broken)
		return;
	if (!kit_wait(k, cq, wc, KIT_WAIT_US))
		kit_must(k, "a completion", -ETIMEDOUT);
	else if (wc->status != IBV_WC_SUCCESS) {
		kit_say(k, "completion %llu %s", (unsigned long long)wc->wr_id,
			verbs_status_name(wc->status));
		k->broken = true;
	}
}

bool
kit_event(struct kit *k, struct kit_end *e, struct verbs_event *event, uint64_t us)
{
	uint64_t limit_us = kit_now_us(k) + us;
	unsigned idle = 0;

	if (k->broken)
		return false;
	do {
		if (!k->ops->get_async_event(e->dev, event))
			return true;
	} while (kit_turn(k, limit_us, &idle));
	return !k->ops->get_async_event(e->dev, event);
}

void
kit_say_events(struct kit *k, const char *who, struct kit_end *e)
{
	struct verbs_event event;
	unsigned n = 0;

	if (k->broken)
		return;
	while (n < 8 && kit_event(k, e, &event, kit_virtual(k) ? QUIET_VIRTUAL_US : KIT_QUIET_US)) {
		kit_say(k, "%s %s", who, verbs_event_name(event.type));
		n++;
	}
	if (!n)
		kit_say(k, "%s no event", who);
}

void
kit_pass(struct kit *k, uint64_t us)
{
	for (; us > 1000000; us -= 1000000)
		k->ops->advance(k->world, 1000000);
	k->ops->advance(k->world, (uint32_t)us);
}
