/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * end.c - see end.h.
 * Room: verbs/meas/run.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/xalloc.h"
#include "verbs/meas/run/end.h"
#include "verbs/meas/control/msg.h"

#define LINE 64u
#define PAGE 4096u
#define PSN_MASK 0xffffffu
#define RD_ATOMIC_MAX 16u
#define MIN_RNR_TIMER 12                /* 0.64 ms */

static uint32_t
min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

int
meas_layout_make(const struct meas_test *t, struct meas_layout *l, char *why)
{
	uint32_t largest = t->sizes[t->nsizes - 1], depth = t->tx_depth > t->rx_depth ?
		t->tx_depth : t->rx_depth;
	uint32_t header = t->transport == MEAS_UD ? MEAS_GRH_BYTES : 0;
	uint64_t fit;

	memset(l, 0, sizeof(*l));
	l->out_bytes = (largest + LINE - 1) / LINE * LINE;
	l->in_bytes = (largest + header + LINE - 1) / LINE * LINE;
	fit = t->memory_bytes / t->qps;
	fit = fit > LINE ? (fit - LINE) / ((uint64_t)l->in_bytes + l->out_bytes) : 0;
	if (!fit) {
		snprintf(why, VERBS_WHY_BYTES, "%" PRIu64 " MiB of memory do not hold a message of "
		"%u bytes for each of %u queue pairs: see --memory",
			t->memory_bytes >> 20, largest, t->qps);
		return -ENOMEM;
	}
	l->slots = fit < depth ? (uint32_t)fit : depth;
	l->out_at = (uint64_t)l->slots * l->in_bytes;
	l->word_at = l->out_at + (uint64_t)l->slots * l->out_bytes;
	l->block_bytes = l->word_at + LINE;
	l->total_bytes = l->block_bytes * t->qps;
	return 0;
}

int
meas_end_open(struct meas_end *e, const struct verbs_choice *c, char *why)
{
	int r;

	memset(e, 0, sizeof(*e));
	e->ops = c->world->ops;
	r = verbs_backend_open(c, &e->dev, why);
	if (r)
		return r;
	r = meas_facts_read(e->dev, &e->facts, why);
	if (r) {
		e->ops->close(e->dev);
		e->dev = NULL;
	}
	return r;
}

/* ---- making ---- */

static int
step_failed(const struct meas_end *e, const char *what, int r, char *why)
{
	snprintf(why, VERBS_WHY_BYTES, "%s: %s: %s", e->facts.device, what, strerror(-r));
	return r;
}

static int
limit_exceeded(const struct meas_end *e, const char *what, uint64_t wanted, uint64_t limit,
	char *why)
{
	snprintf(why, VERBS_WHY_BYTES, "%s: the test needs %s %" PRIu64
		", and the device has at most %" PRIu64, e->facts.device, what, wanted, limit);
	return -EINVAL;
}

static uint64_t
cqes_of(const struct meas_test *t)
{
	return (uint64_t)t->qps * (t->tx_depth + (t->op == MEAS_SEND ? t->rx_depth : 1)) + 16;
}

static int
check_limits(const struct meas_end *e, char *why)
{
	const struct meas_facts *f = &e->facts;
	const struct meas_test *t = &e->test;
	uint32_t depth = t->tx_depth > t->rx_depth ? t->tx_depth : t->rx_depth;

	if (t->qps > f->max_qps)
		return limit_exceeded(e, "queue pairs (max_qp)", t->qps, f->max_qps, why);
	if (depth > f->max_wr)
		return limit_exceeded(e, "work requests in a queue (max_qp_wr)", depth, f->max_wr,
			why);
	if (cqes_of(t) > f->max_cqe)
		return limit_exceeded(e, "completions in a queue (max_cqe)", cqes_of(t), f->max_cqe,
			why);
	if (meas_is_atomic(t->op) && !f->atomic)
		return limit_exceeded(e, "atomic operations (atomic_cap)", 1, 0, why);
	return 0;
}

static int
make_memory(struct meas_end *e, char *why)
{
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	void *p;
	int r;

	if (posix_memalign(&p, PAGE, e->layout.total_bytes)) {
		snprintf(why, VERBS_WHY_BYTES, "no memory for %" PRIu64
			" bytes of messages: see --memory", e->layout.total_bytes);
		return -ENOMEM;
	}
	memset(p, 0, e->layout.total_bytes);
	e->memory = p;
	if (e->facts.atomic)
		access |= IBV_ACCESS_REMOTE_ATOMIC;
	r = e->ops->reg_mr(e->pd, p, e->layout.total_bytes, access, &e->mr);
	if (r)
		snprintf(why, VERBS_WHY_BYTES, "%s: %" PRIu64
			" bytes of memory cannot be registered: %s (see ulimit -l, --memory)",
			e->facts.device, e->layout.total_bytes, strerror(-r));
	return r;
}

static enum ibv_qp_type
qp_type(enum meas_transport t)
{
	return t == MEAS_RC ? IBV_QPT_RC : t == MEAS_UC ? IBV_QPT_UC : IBV_QPT_UD;
}

static int
make_qp(struct meas_end *e, struct meas_qp *q, char *why)
{
	const struct meas_test *t = &e->test;
	struct verbs_qp_init init = {
		.type = qp_type(t->transport), .send_cq = e->cq, .recv_cq = e->cq,
		.cap = { .max_send_wr = t->tx_depth, .max_recv_wr = t->op == MEAS_SEND ?
		t->rx_depth : 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	int r;

	init.cap.max_inline_data = e->inline_bytes;
	/* Devices differ in the inline size that they grant. */
	while ((r = e->ops->create_qp(e->pd, &init, &q->qp)) && e->inline_bytes) {
		e->inline_bytes /= 2;
		init.cap.max_inline_data = e->inline_bytes;
	}
	if (r)
		snprintf(why, VERBS_WHY_BYTES, "%s: a %s queue pair with %u sends and %u receives "
			"cannot be made: %s (max_qp_wr %u, max_qp %u)", e->facts.device,
			meas_transport_name(t->transport), init.cap.max_send_wr,
			init.cap.max_recv_wr, strerror(-r), e->facts.max_wr, e->facts.max_qps);
	return r;
}

static int
to_init(struct meas_end *e, struct meas_qp *q, char *why)
{
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT, r;
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT, .pkey_index = e->test.pkey_index,
		.port_num = e->facts.port, .qkey = MEAS_QKEY,
		.qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE,
	};

	if (e->test.transport == MEAS_RC)
		a.qp_access_flags |= IBV_ACCESS_REMOTE_READ |
			(e->facts.atomic ? IBV_ACCESS_REMOTE_ATOMIC : 0);
	mask |= e->test.transport == MEAS_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
	r = e->ops->modify_qp(q->qp, &a, mask);
	return r ? step_failed(e,
		"a queue pair cannot be brought to INIT (is there such a P_Key index?)", r, why) :
		0;
}

static uint32_t
psn_of(const struct meas_end *e, uint32_t i)
{
	uint64_t v = (e->test.seed + i + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ e->facts.node_guid;

	return (uint32_t)(v >> 40) & PSN_MASK;
}

static int
make_queues(struct meas_end *e, char *why)
{
	const struct meas_test *t = &e->test;
	int r = 0;

	if (t->events)
		r = e->ops->create_chan(e->dev, &e->chan);
	if (r)
		return step_failed(e, "no completion channel", r, why);
	r = e->ops->create_cq(e->dev, (int)cqes_of(t), e->chan, &e->cq);
	if (r)
		return step_failed(e, "no completion queue", r, why);
	e->inline_bytes = t->inline_bytes;
	e->qps = xcalloc(t->qps, sizeof(*e->qps));
	for (uint32_t i = 0; i < t->qps && !r; i++) {
		e->qps[i].psn = psn_of(e, i);
		r = make_qp(e, &e->qps[i], why);
		if (!r)
			r = to_init(e, &e->qps[i], why);
	}
	return r;
}

int
meas_end_prepare(struct meas_end *e, const struct meas_test *t, const struct meas_facts *peer,
	char *why)
{
	int r;

	e->test = *t;
	e->peer = *peer;
	e->rd_atomic = min_u32(min_u32(e->facts.rd_atomic_initiator, peer->rd_atomic_target),
		RD_ATOMIC_MAX);
	r = meas_layout_make(t, &e->layout, why);
	if (!r)
		r = check_limits(e, why);
	if (!r && (r = e->ops->alloc_pd(e->dev, &e->pd)))
		step_failed(e, "no protection domain", r, why);
	if (!r)
		r = make_memory(e, why);
	if (!r)
		r = make_queues(e, why);
	if (r)
		meas_end_release(e);
	return r;
}

/* ---- the other end ---- */

json_t *
meas_end_names(const struct meas_end *e)
{
	json_t *qps = json_array();

	for (uint32_t i = 0; i < e->test.qps; i++)
		json_array_append_new(qps, json_pack("[i,i]", (int)e->qps[i].qp->qp_num,
			(int)e->qps[i].psn));
	return json_pack("{s:o,s:o,s:o}", "addr", meas_hex((uintptr_t)e->memory), "rkey",
		meas_hex(e->mr->rkey), "qps", qps);
}

static bool
number_read(const json_t *v, uint32_t *n)
{
	if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) > PSN_MASK)
		return false;
	*n = (uint32_t)json_integer_value(v);
	return true;
}

int
meas_end_learn(struct meas_end *e, const json_t *o, char *why)
{
	struct meas_reader r = meas_reader(o);
	const json_t *list = json_object_get(o, "qps"), *v;

	e->remote_addr = meas_read_hex(&r, "addr", UINT64_MAX);
	e->remote_rkey = (uint32_t)meas_read_hex(&r, "rkey", UINT32_MAX);
	if (json_array_size(list) != e->test.qps)
		meas_reader_bad(&r, "qps");
	for (uint32_t i = 0; i < e->test.qps && !r.bad; i++) {
		v = json_array_get(list, i);
		if (!number_read(json_array_get(v, 0), &e->qps[i].remote_qpn) ||
			    !number_read(json_array_get(v, 1), &e->qps[i].remote_psn))
			meas_reader_bad(&r, "qps");
	}
	if (r.bad)
		snprintf(why, VERBS_WHY_BYTES,
			"the other end's description of its queue pairs has no valid \"%s\"",
			r.bad);
	return r.bad ? -EINVAL : 0;
}

static struct ibv_ah_attr
peer_address(const struct meas_end *e)
{
	struct ibv_ah_attr a = { .dlid = e->peer.gids.lid, .sl = e->test.sl,
		.port_num = e->facts.port, .is_global = e->route.grh };

	if (e->route.grh) {
		memcpy(a.grh.dgid.raw, e->route.b.raw, 16);
		a.grh.sgid_index = (uint8_t)e->route.a.index;
		a.grh.hop_limit = e->test.hop_limit;
		a.grh.traffic_class = e->test.traffic_class;
	}
	return a;
}

static enum ibv_mtu
mtu_code(uint32_t bytes)
{
	enum ibv_mtu m = IBV_MTU_256;

	while (m < IBV_MTU_4096 && 256u << m <= bytes)
		m++;
	return m;
}

static int
to_rtr(struct meas_end *e, struct meas_qp *q)
{
	int mask = IBV_QP_STATE;
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTR, .path_mtu = mtu_code(e->mtu_bytes),
		.dest_qp_num = q->remote_qpn, .rq_psn = q->remote_psn,
		.max_dest_rd_atomic = (uint8_t)min_u32(min_u32(e->facts.rd_atomic_target,
		e->peer.rd_atomic_initiator), RD_ATOMIC_MAX),
		.min_rnr_timer = MIN_RNR_TIMER, .ah_attr = peer_address(e),
	};

	if (e->test.transport != MEAS_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (e->test.transport == MEAS_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return e->ops->modify_qp(q->qp, &a, mask);
}

static int
to_rts(struct meas_end *e, struct meas_qp *q)
{
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTS, .sq_psn = q->psn, .timeout = e->test.timeout,
		.retry_cnt = e->test.retries,
		.rnr_retry = e->test.rnr_retries, .max_rd_atomic = (uint8_t)e->rd_atomic,
	};

	if (e->test.transport == MEAS_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	return e->ops->modify_qp(q->qp, &a, mask);
}

int
meas_end_connect_one(struct meas_end *e, uint32_t i, char *why)
{
	struct meas_qp *q = &e->qps[i];
	struct ibv_ah_attr to = peer_address(e);
	int r = to_rtr(e, q);

	if (r)
		return step_failed(e, "a queue pair cannot be brought to RTR (wrong GID, MTU, or "
			"no route to the other end's address)", r, why);
	r = to_rts(e, q);
	if (r)
		return step_failed(e, "a queue pair cannot be brought to RTS", r, why);
	if (e->test.transport == MEAS_UD && (r = e->ops->create_ah(e->pd, &to, &q->ah)))
		return step_failed(e,
			"no address handle (is there a route to the other end's address?)", r, why);
	return 0;
}

int
meas_end_connect(struct meas_end *e, char *why)
{
	int r = 0;

	for (uint32_t i = 0; i < e->test.qps && !r; i++)
		r = meas_end_connect_one(e, i, why);
	return r;
}

/* ---- giving back ---- */

void
meas_end_release(struct meas_end *e)
{
	for (uint32_t i = 0; e->qps && i < e->test.qps; i++) {
		if (e->qps[i].qp)
			e->ops->destroy_qp(e->qps[i].qp);
		if (e->qps[i].ah)
			e->ops->destroy_ah(e->qps[i].ah);
	}
	free(e->qps);
	e->qps = NULL;
	if (e->cq)
		e->ops->destroy_cq(e->cq);
	if (e->chan)
		e->ops->destroy_chan(e->chan);
	if (e->mr)
		e->ops->dereg_mr(e->mr);
	if (e->pd)
		e->ops->dealloc_pd(e->pd);
	free(e->memory);
	e->cq = NULL;
	e->chan = NULL;
	e->mr = NULL;
	e->pd = NULL;
	e->memory = NULL;
}

void
meas_end_close(struct meas_end *e)
{
	meas_end_release(e);
	if (e->dev)
		e->ops->close(e->dev);
	e->dev = NULL;
}
