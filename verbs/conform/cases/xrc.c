/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * xrc.c - area xrc: one receiving queue pair for several shared receive queues, chosen by the
 * sender.
 * Room: verbs/conform/cases.
 */
#include <config.h>
#include <errno.h>
#include <string.h>
#include "verbs/conform/cases/cases.h"
#include "verbs/conform/kit/kit.h"

enum { XRC_SEND, XRC_WRITE, XRC_READ, XRC_IMM, XRC_NO_SRQ, XRC_OTHER_DOMAIN, XRC_NO_RECEIVE };

struct xrc {
	struct verbs_xrcd *domain, *other;
	struct verbs_srq *srq[3];       /* the third belongs to the other domain */
	struct verbs_cq *cq;            /* of all receives */
};

static struct verbs_xrcd *
open_domain(struct kit *k)
{
	struct verbs_xrcd *x;

	if (k->broken || !kit_must(k, "open_xrcd", k->ops->open_xrcd(k->b.dev, &x)))
		return NULL;
	kit_take(k, KIT_XRCD, x);
	return x;
}

static struct verbs_srq *
xrc_srq(struct kit *k, struct verbs_xrcd *domain, struct verbs_cq *cq)
{
	struct verbs_srq_init init = { .attr = { .max_wr = 8, .max_sge = 1 }, .type = IBV_SRQT_XRC,
		.xrcd = domain, .cq = cq };
	struct verbs_srq *srq;

	if (k->broken || !kit_must(k, "create_srq", k->ops->create_srq(k->b.pd, &init, &srq)))
		return NULL;
	kit_take(k, KIT_SRQ, srq);
	return srq;
}

/* An XRC receiver of B in the domain and an XRC sender of A, connected. */
static bool
connect_pair(struct kit *k, struct xrc *x)
{
	struct verbs_qp_init init = { .type = IBV_QPT_XRC_RECV, .cap = k->pair.cap };

	x->domain = open_domain(k);
	x->other = open_domain(k);
	x->cq = kit_cq(k, &k->b, 32, NULL);
	for (size_t i = 0; i < 3; i++)
		x->srq[i] = xrc_srq(k, i < 2 ? x->domain : x->other, x->cq);
	init.xrcd = x->domain;
	k->b.qp = k->broken ? NULL : kit_qp(k, &k->b, &init);
	init = (struct verbs_qp_init){ .type = IBV_QPT_XRC_SEND, .cap = k->pair.cap };
	k->a.scq = kit_cq(k, &k->a, 32, NULL);
	init.send_cq = init.recv_cq = k->a.scq;
	k->a.qp = k->broken ? NULL : kit_qp(k, &k->a, &init);
	kit_walk(k, &k->b, IBV_QPS_RTS);
	return kit_walk(k, &k->a, IBV_QPS_RTS);
}

static void
post_receives(struct kit *k, struct xrc *x)
{
	struct ibv_sge sge;
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	for (size_t i = 0; i < 3 && !k->broken; i++) {
		sge = kit_sge(&k->b, 8192 * (i + 1), 4096);
		wr.wr_id = 10 + i;
		kit_must(k, "post_srq_recv", k->ops->post_srq_recv(x->srq[i], &wr, &bad));
	}
}

static void
xrc_run(struct kit *k, const struct conform_case *c)
{
	static const enum ibv_wr_opcode ops[] = { [XRC_SEND] = IBV_WR_SEND,
	[XRC_WRITE] = IBV_WR_RDMA_WRITE, [XRC_READ] = IBV_WR_RDMA_READ,
		[XRC_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM, [XRC_NO_SRQ] = IBV_WR_SEND,
			[XRC_OTHER_DOMAIN] = IBV_WR_SEND, [XRC_NO_RECEIVE] = IBV_WR_SEND };
	long what = c->value[0];
	struct ibv_sge sge;
	struct ibv_send_wr wr = { .wr_id = 1, .sg_list = &sge, .num_sge = 1, .opcode = ops[what],
		.send_flags = IBV_SEND_SIGNALED };
	struct ibv_wc wc;
	struct xrc x = { NULL, NULL, { NULL }, NULL };

	if (!connect_pair(k, &x))
		return;
	if (what != XRC_NO_RECEIVE)
		post_receives(k, &x);
	sge = kit_sge(&k->a, 0, 3000);
	kit_pattern(what == XRC_READ ? k->b.buf : k->a.buf, 3000, 5);
	wr.wr.rdma.remote_addr = (uintptr_t)k->b.buf;
	wr.wr.rdma.rkey = k->b.mr->rkey;
	for (size_t i = 0; i < 2 && !k->broken; i++) {  /* the second queue first */
		struct verbs_srq *srq = x.srq[what == XRC_OTHER_DOMAIN ? 2 : 1 - i];

		wr.qp_type.xrc.remote_srqn = what == XRC_NO_SRQ ? 0xfffff0 : srq->srq_num;
		kit_must(k, "post_send", kit_post(k, &k->a, &wr));
		kit_say_wc(k, "sender", k->a.scq, &wc);
		if (k->broken || wc.status != IBV_WC_SUCCESS)
			return;
		if (what == XRC_SEND || what == XRC_IMM) {
			kit_must_succeed(k, x.cq, &wc);
			if (!k->broken)
				kit_say(k, "queue %llu", (unsigned long long)wc.wr_id - 10);
		}
		if (what == XRC_SEND)
			kit_check(k, "data", k->b.buf + 8192 * (2 - i), 3000, 5);
		else
			kit_check(k, "data", what == XRC_READ ? k->a.buf : k->b.buf, 3000, 5);
	}
}

#define X (VERBS_CAP(XRC) | VERBS_CAP(SRQ))

static const struct conform_case rows[] = {
	{ "xrc/send", X, "sender SUCCESS; queue 1; sender SUCCESS; queue 0", xrc_run,
		.value = { XRC_SEND } },
	{ "xrc/write", X, "sender SUCCESS; sender SUCCESS", xrc_run, .value = { XRC_WRITE } },
	{ "xrc/read", X, "sender SUCCESS; sender SUCCESS", xrc_run, .value = { XRC_READ } },
	{ "xrc/write-imm", X, "sender SUCCESS; queue 1; sender SUCCESS; queue 0", xrc_run,
		.value = { XRC_IMM } },
	{ "xrc/no-such-queue", X,
		"sender REM_INV_REQ_ERR|sender REM_INV_RD_REQ_ERR|sender REM_OP_ERR", xrc_run,
		.value = { XRC_NO_SRQ } },
	{ "xrc/queue-of-another-domain", X,
		"sender REM_INV_REQ_ERR|sender REM_INV_RD_REQ_ERR|sender REM_OP_ERR", xrc_run,
		.value = { XRC_OTHER_DOMAIN } },
	{ "xrc/no-receive", X, "sender RNR_RETRY_EXC_ERR", xrc_run, .value = { XRC_NO_RECEIVE } },
};

void
cases_xrc(struct case_list *l)
{
	CASE_ADD_ALL(l, rows);
}
