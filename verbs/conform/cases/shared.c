/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * shared.c - area srq: receive queues that several queue pairs share.
 * Room: verbs/conform/cases.
 */
#include <config.h>
#include <errno.h>
#include <string.h>
#include "verbs/conform/cases/cases.h"
#include "verbs/conform/kit/transfer.h"

#define S (VERBS_CAP(RC) | VERBS_CAP(SRQ))

/* Two connections consume one queue in its order. */
static void
run_two(struct kit *k, const struct conform_case *c)
{
	struct verbs_qp *senders[2], *receivers[2];
	struct verbs_cq *scqs[2];
	struct verbs_srq *srq;
	struct ibv_wc wc;

	(void)c;
	k->pair.srq_b = true;
	if (!kit_pair_connect(k))
		return;
	senders[0] = k->a.qp, receivers[0] = k->b.qp, scqs[0] = k->a.scq;
	srq = k->b.srq;
	{
		struct verbs_qp_init init = { .type = IBV_QPT_RC, .cap = k->pair.cap, .srq = srq };

		init.send_cq = k->b.scq;
		init.recv_cq = k->b.rcq;
		k->b.qp = kit_qp(k, &k->b, &init);
		init.srq = NULL;
		init.send_cq = k->a.scq;
		init.recv_cq = k->a.rcq;
		k->a.qp = kit_qp(k, &k->a, &init);
	}
	kit_walk(k, &k->b, IBV_QPS_RTS);
	kit_walk(k, &k->a, IBV_QPS_RTS);
	senders[1] = k->a.qp, receivers[1] = k->b.qp, scqs[1] = k->a.scq;
	for (unsigned i = 0; i < 6; i++)
		kit_recv(k, &k->b, 10 + i, (size_t)i * 128, 128);
	for (unsigned i = 0; i < 6 && !k->broken; i++) {
		k->a.qp = senders[i & 1];
		kit_pattern(k->a.buf, 100, i + 1);
		kit_send(k, &k->a, i, 0, 100);
		kit_must_succeed(k, scqs[i & 1], &wc);
		kit_must_succeed(k, k->b.rcq, &wc);
		if (wc.wr_id != 10 + i || wc.qp_num != receivers[i & 1]->qp_num)
			kit_say(k, "message %u took receive %llu", i, (unsigned long long)wc.wr_id);
		kit_check(k, "data", k->b.buf + (size_t)i * 128, 100, i + 1);
	}
	if (!k->broken)
		kit_say(k, "six in order");
}

static void
run_query(struct kit *k, const struct conform_case *c)
{
	struct verbs_srq *srq = kit_srq(k, k->a.pd, 20, 2);
	struct ibv_srq_attr attr = { .srq_limit = 5 };

	(void)c;
	if (!srq)
		return;
	k->a.srq = srq;
	for (unsigned i = 0; i < 6; i++)
		kit_recv(k, &k->a, i, 0, 8);
	kit_must(k, "modify_srq", k->ops->modify_srq(srq, &attr, IBV_SRQ_LIMIT));
	memset(&attr, 0, sizeof(attr));
	if (kit_must(k, "query_srq", k->ops->query_srq(srq, &attr)))
		kit_say(k, "max_wr %s; max_sge %s; limit %u", attr.max_wr >= 20 ? "ok" :
			"too small", attr.max_sge >= 2 ? "ok" : "too small", attr.srq_limit);
}

enum { FULL, OWN_QUEUE, PIECES, LIMIT_PAST, USED, ZERO };

static void
run_refused(struct kit *k, const struct conform_case *c)
{
	struct ibv_srq_attr attr = { .srq_limit = 100000 };
	struct ibv_sge sge[4];
	struct ibv_recv_wr wr = { .sg_list = sge, .num_sge = 1 }, *bad;
	struct verbs_srq_init init = { .type = IBV_SRQT_BASIC };
	struct verbs_srq *srq = NULL;
	int ret = 0;

	k->pair.srq_b = true;
	if (!kit_pair_make(k))
		return;
	for (size_t i = 0; i < 4; i++)
		sge[i] = kit_sge(&k->b, 0, 8);
	switch (c->value[0]) {
	case FULL:
		memset(&attr, 0, sizeof(attr));
		kit_must(k, "query_srq", k->ops->query_srq(k->b.srq, &attr));
		for (uint32_t i = 0; i < attr.max_wr && i < 100000 && !k->broken; i++)
			kit_must(k, "post_srq_recv", k->ops->post_srq_recv(k->b.srq, &wr, &bad));
		ret = k->broken ? 0 : k->ops->post_srq_recv(k->b.srq, &wr, &bad);
		break;
	case OWN_QUEUE:
		kit_must(k, "INIT", kit_modify(k, &k->b, IBV_QPS_RESET, IBV_QPS_INIT));
		ret = k->ops->post_recv(k->b.qp, &wr, &bad);
		break;
	case PIECES:
		memset(&attr, 0, sizeof(attr));
		kit_must(k, "query_srq", k->ops->query_srq(k->b.srq, &attr));
		wr.num_sge = (int)attr.max_sge + 1;
		ret = k->ops->post_srq_recv(k->b.srq, &wr, &bad);
		break;
	case LIMIT_PAST:
		ret = k->ops->modify_srq(k->b.srq, &attr, IBV_SRQ_LIMIT);
		break;
	case ZERO:
		ret = k->ops->create_srq(k->b.pd, &init, &srq);
		if (!ret)
			kit_take(k, KIT_SRQ, srq);
		break;
	default:
		ret = kit_destroy(k, k->b.srq);
		break;
	}
	kit_say_result(k, "refused", ret);
}

static void
receives_consume(struct kit *k, unsigned n)
{
	struct ibv_wc wc;

	for (unsigned i = 0; i < n && !k->broken; i++) {
		kit_send(k, &k->a, i, 0, 8);
		kit_must_succeed(k, k->a.scq, &wc);
		kit_must_succeed(k, k->b.rcq, &wc);
	}
}

/* Many more messages than the queue holds: each consumed entry is free again. */
static void
run_again(struct kit *k, const struct conform_case *c)
{
	struct ibv_wc wc;
	unsigned n = (unsigned)c->value[0];

	k->pair.srq_b = true;
	k->pair.srq_wr = 4;
	if (!kit_pair_connect(k))
		return;
	for (unsigned i = 0; i < n && !k->broken; i++) {
		kit_recv(k, &k->b, i, 0, 64);
		kit_send(k, &k->a, i, 0, 8);
		kit_must_succeed(k, k->a.scq, &wc);
		kit_must_succeed(k, k->b.rcq, &wc);
		if (!k->broken && wc.wr_id != i)
			kit_say(k, "message %u took receive %llu", i, (unsigned long long)wc.wr_id);
	}
	if (!k->broken)
		kit_say(k, "all came");
}

/* Limit 4 armed with 6 receives: the event comes when the third is consumed, and only once. */
static void
run_limit(struct kit *k, const struct conform_case *c)
{
	struct ibv_srq_attr attr = { .srq_limit = 4 };
	struct verbs_event event;

	(void)c;
	k->pair.srq_b = true;
	if (!kit_pair_connect(k))
		return;
	for (unsigned i = 0; i < 6; i++)
		kit_recv(k, &k->b, i, 0, 64);
	kit_must(k, "modify_srq", k->ops->modify_srq(k->b.srq, &attr, IBV_SRQ_LIMIT));
	receives_consume(k, 2);
	kit_say(k, "at four: %s", kit_event(k, &k->b, &event, KIT_QUIET_US) ?
		verbs_event_name(event.type) : "none");
	receives_consume(k, 1);
	if (kit_event(k, &k->b, &event, KIT_WAIT_US))
		kit_say(k, "at three: %s%s", verbs_event_name(event.type),
			event.srq == k->b.srq ? "" : " of another");
	else
		kit_say(k, "at three: none");
	receives_consume(k, 1);
	kit_say(k, "at two: %s", kit_event(k, &k->b, &event, KIT_QUIET_US) ?
		verbs_event_name(event.type) : "none");
	memset(&attr, 0, sizeof(attr));
	if (kit_must(k, "query_srq", k->ops->query_srq(k->b.srq, &attr)))
		kit_say(k, "limit %u", attr.srq_limit);
}

/* An error of one queue pair does not flush the shared queue. */
static void
run_error(struct kit *k, const struct conform_case *c)
{
	(void)c;
	k->pair.srq_b = true;
	if (!kit_pair_connect(k))
		return;
	for (unsigned i = 0; i < 4; i++)
		kit_recv(k, &k->b, i, 0, 64);
	kit_must(k, "ERR", kit_to_state(k, &k->b, IBV_QPS_ERR));
	kit_say_quiet(k, "receiver", k->b.rcq);
	kit_say_events(k, "B", &k->b);
}

static void
run_resize(struct kit *k, const struct conform_case *c)
{
	struct ibv_srq_attr attr = { .max_wr = (uint32_t)c->value[0] }, now;

	k->pair.srq_b = true;
	if (!kit_pair_connect(k))
		return;
	for (unsigned i = 0; i < 6; i++)
		kit_recv(k, &k->b, i, 0, 64);
	kit_say_result(k, "resize", k->ops->modify_srq(k->b.srq, &attr, IBV_SRQ_MAX_WR));
	memset(&now, 0, sizeof(now));
	if (kit_must(k, "query_srq", k->ops->query_srq(k->b.srq, &now)))
		kit_say(k, "%s", now.max_wr >= attr.max_wr ? "large enough" : "too small");
	receives_consume(k, 6);
	kit_say(k, "six used");
}

#define T(type_, op, n, broken_, ...) transfer_run, \
	.transfer = { .type = IBV_QPT_##type_, .opcode = IBV_WR_##op, .bytes = n, \
	.broken = broken_, .srq = true, __VA_ARGS__ }

static const struct conform_case rows[] = {
	{ "srq/send", S, "sender SUCCESS; receiver SUCCESS", T(RC, SEND, 64, WHOLE) },
	{ "srq/send-imm", S, "sender SUCCESS; receiver SUCCESS", T(RC, SEND_WITH_IMM, 64, WHOLE) },
	{ "srq/write-imm", S, "sender SUCCESS; receiver SUCCESS",
		T(RC, RDMA_WRITE_WITH_IMM, 5000, WHOLE) },
	{ "srq/16-in-a-row", S, "sender SUCCESS x16; receiver SUCCESS x16",
		T(RC, SEND, 2000, WHOLE, .messages = 16) },
	{ "srq/into-two-pieces", S, "sender SUCCESS; receiver SUCCESS",
		T(RC, SEND, 3000, WHOLE, .receive_pieces = 2) },
	{ "srq/uc-send", S | VERBS_CAP(UC), "sender SUCCESS; receiver SUCCESS",
		T(UC, SEND, 3000, WHOLE) },
	{ "srq/ud-send", S | VERBS_CAP(UD), "sender SUCCESS; receiver SUCCESS",
		T(UD, SEND, 300, WHOLE) },
	{ "srq/receive-too-small", S, "sender REM_INV_REQ_ERR; receiver LOC_LEN_ERR",
		T(RC, SEND, 256, RECEIVE_SMALL) },
	{ "srq/receive-with-bad-lkey", S, "sender REM_OP_ERR; receiver LOC_PROT_ERR",
		T(RC, SEND, 256, RECEIVE_BAD_LKEY) },
	{ "srq/two-queue-pairs", S, "six in order", run_two, .value = { 0 } },
	{ "srq/places-are-free-again", S, "all came", run_again, .value = { 500 } },
	{ "srq/query", S | VERBS_CAP(SRQ_LIMIT), "max_wr ok; max_sge ok; limit 5", run_query,
		.value = { 0 } },
	{ "srq/full", S, "refused ENOMEM", run_refused, .value = { FULL } },
	{ "srq/receive-on-the-queue-pair-itself", S, "refused EINVAL", run_refused,
		.value = { OWN_QUEUE } },
	{ "srq/more-pieces-than-max_sge", S, "refused EINVAL", run_refused, .value = { PIECES } },
	{ "srq/limit-past-its-size", S | VERBS_CAP(SRQ_LIMIT), "refused EINVAL", run_refused,
		.value = { LIMIT_PAST } },
	{ "srq/of-no-receive", S, "refused EINVAL", run_refused, .value = { ZERO } },
	{ "srq/destroyed-while-used", S, "refused EBUSY", run_refused, .value = { USED } },
	{ "srq/limit", S | VERBS_CAP(SRQ_LIMIT) | VERBS_CAP(ASYNC_EVENTS),
		"at four: none; at three: SRQ_LIMIT_REACHED; at two: none; limit 0",
		run_limit, .value = { 0 } },
	{ "srq/error-of-one-user", S | VERBS_CAP(ASYNC_EVENTS),
		"receiver none; B QP_LAST_WQE_REACHED", run_error, .value = { 0 } },
	{ "srq/grown-with-receives-in-it", S | VERBS_CAP(SRQ_RESIZE),
		"resize ok; large enough; six used", run_resize, .value = { 100 } },
	{ "srq/shrunk-below-what-is-in-it", S | VERBS_CAP(SRQ_RESIZE),
		"resize EINVAL; large enough; six used", run_resize, .value = { 2 } },
};

void
cases_shared(struct case_list *l)
{
	CASE_ADD_ALL(l, rows);
}
