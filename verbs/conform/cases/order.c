/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * order.c - areas post (accepted and refused work requests), flush, sqd, fence, mix.
 * Room: verbs/conform/cases.
 */
#include <config.h>
#include <endian.h>
#include <errno.h>
#include <string.h>
#include "verbs/conform/cases/cases.h"
#include "verbs/conform/kit/transfer.h"

#define RC VERBS_CAP(RC)
#define N 8
#define FILL 400                        /* more than a queue of 16 rounded up */

/* ---- post ---- */

enum { IN_STATE_SEND, IN_STATE_RECV };

static void
run_post_state(struct kit *k, const struct conform_case *c)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = { .wr_id = 1, .sg_list = &sge, .num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED };

	if (!kit_pair_make(k) || !kit_walk(k, &k->a, (enum ibv_qp_state)c->value[1]))
		return;
	sge = kit_sge(&k->a, 0, 8);
	wr.wr.rdma.remote_addr = (uintptr_t)k->b.buf;
	wr.wr.rdma.rkey = k->b.mr->rkey;
	kit_say_result(k, "post", c->value[0] == IN_STATE_SEND ? kit_post(k, &k->a, &wr) :
		kit_post_recv_sge(k, &k->a, 1, &sge, 1));
}

/* An opcode that the transport type lacks. */
static void
run_post_opcode(struct kit *k, const struct conform_case *c)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = { .wr_id = 1, .sg_list = &sge, .num_sge = 1,
		.opcode = (enum ibv_wr_opcode)c->value[1],
		.send_flags = IBV_SEND_SIGNALED };
	struct verbs_ah *ah;

	k->pair.type = (enum ibv_qp_type)c->value[0];
	if (!kit_pair_connect(k))
		return;
	sge = kit_sge(&k->a, 0, 8);
	if (k->pair.type == IBV_QPT_UD) {
		ah = kit_ah(k, &k->a, &k->b);
		wr.wr.ud.ah = ah ? ah->ibv : NULL;
		wr.wr.ud.remote_qpn = k->b.qp->qp_num;
		wr.wr.ud.remote_qkey = KIT_QKEY;
	} else {
		wr.wr.rdma.remote_addr = (uintptr_t)k->b.buf;
		wr.wr.rdma.rkey = k->b.mr->rkey;
	}
	kit_say_result(k, "post", kit_post(k, &k->a, &wr));
}

enum { SEND_PIECES, RECV_PIECES, INLINE_BYTES, SEND_FULL, RECV_FULL };

static void
run_post_limit(struct kit *k, const struct conform_case *c)
{
	struct ibv_sge sge[40];
	struct ibv_send_wr wr = { .wr_id = 1, .sg_list = sge, .num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED };
	int ret = 0, n = 0;

	/* The completion queue must not overrun when the device is faster than this loop. */
	k->pair.cqe[0] = 2 * FILL;
	if (c->value[0] == INLINE_BYTES)
		k->pair.cap.max_inline_data = 16;
	if (!kit_pair_connect(k))
		return;
	for (size_t i = 0; i < 40; i++)
		sge[i] = kit_sge(&k->a, 0, 8);
	wr.wr.rdma.remote_addr = (uintptr_t)k->b.buf;
	wr.wr.rdma.rkey = k->b.mr->rkey;
	switch (c->value[0]) {
	case SEND_PIECES:
		wr.num_sge = (int)k->a.qp->cap.max_send_sge + 1;
		ret = kit_post(k, &k->a, &wr);
		break;
	case RECV_PIECES:
		ret = kit_post_recv_sge(k, &k->a, 1, sge, (int)k->a.qp->cap.max_recv_sge + 1);
		break;
	case INLINE_BYTES:
		sge[0].length = k->a.qp->cap.max_inline_data + 1;
		wr.send_flags |= IBV_SEND_INLINE;
		ret = kit_post(k, &k->a, &wr);
		break;
	case SEND_FULL:
		while (!ret && n++ < FILL)
			ret = kit_post(k, &k->a, &wr);
		break;
	default:
		while (!ret && n++ < FILL)
			ret = kit_post_recv_sge(k, &k->a, 1, sge, 1);
		break;
	}
	kit_say_result(k, "post", ret);
}

/* A full queue accepts work again after completions were polled. */
static void
run_full_again(struct kit *k, const struct conform_case *c)
{
	struct ibv_wc wc;
	int n = 0;

	(void)c;
	k->pair.cqe[0] = 2 * FILL;
	if (!kit_pair_connect(k))
		return;
	while (n < FILL && !kit_rdma(k, &k->a, IBV_WR_RDMA_WRITE, (uint64_t)n, 8,
		    (uintptr_t)k->b.buf, k->b.mr->rkey))
		n++;
	for (int i = 0; i < n; i++)
		kit_must_succeed(k, k->a.scq, &wc);
	if (!k->broken)
		kit_say_result(k, "post", kit_rdma(k, &k->a, IBV_WR_RDMA_WRITE, 9, 8,
			(uintptr_t)k->b.buf, k->b.mr->rkey));
	kit_say_wc(k, "it", k->a.scq, &wc);
}

/* A list with a wrong second request: the first is posted, the second is reported, the third is
 * not posted. */
static void
run_list(struct kit *k, const struct conform_case *c)
{
	struct ibv_sge sge[4];
	struct ibv_send_wr wr[3], *bad = NULL;
	struct ibv_wc wc;
	int ret;

	if (!kit_pair_connect(k))
		return;
	memset(wr, 0, sizeof(wr));
	for (size_t i = 0; i < 4; i++)
		sge[i] = kit_sge(&k->a, 0, 8);
	for (size_t i = 0; i < 3; i++) {
		wr[i] = (struct ibv_send_wr){ .wr_id = i + 1, .sg_list = sge, .num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
			.send_flags = IBV_SEND_SIGNALED, .next = i < 2 ? &wr[i + 1] : NULL };
		wr[i].wr.rdma.remote_addr = (uintptr_t)k->b.buf;
		wr[i].wr.rdma.rkey = k->b.mr->rkey;
	}
	if (c->value[0])
		wr[1].num_sge = 3;      /* more than the queue allows */
	ret = k->ops->post_send(k->a.qp, wr, &bad);
	kit_say_result(k, "post", ret);
	if (ret)
		kit_say(k, "bad %d", bad ? (int)(bad - wr) + 1 : 0);
	for (int i = 0; i < 3 &&
		    kit_wait(k, k->a.scq, &wc, i && c->value[0] ? KIT_QUIET_US : KIT_WAIT_US); i++)
		kit_say(k, "%llu %s", (unsigned long long)wc.wr_id, verbs_status_name(wc.status));
}

/* A queue with sq_sig_all: every request completes, whatever its flags. */
static void
run_sig_all(struct kit *k, const struct conform_case *c)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = { .wr_id = 1, .sg_list = &sge, .num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE };
	struct ibv_wc wc;

	k->pair.sig_all = c->value[0];
	if (!kit_pair_connect(k))
		return;
	sge = kit_sge(&k->a, 0, 8);
	wr.wr.rdma.remote_addr = (uintptr_t)k->b.buf;
	wr.wr.rdma.rkey = k->b.mr->rkey;
	kit_must(k, "post_send", kit_post(k, &k->a, &wr));
	if (c->value[0])
		kit_say_wc(k, "sender", k->a.scq, &wc);
	else
		kit_say_quiet(k, "sender", k->a.scq);
}

/* Immediate data arrives as the same four bytes in memory. */
static void
run_imm_bytes(struct kit *k, const struct conform_case *c)
{
	static const uint8_t bytes[4] = { 0x01, 0x23, 0x45, 0x67 };
	struct ibv_sge sge;
	struct ibv_send_wr wr = { .wr_id = 1, .sg_list = &sge, .num_sge = 1,
		.opcode = (enum ibv_wr_opcode)c->value[0],
		.send_flags = IBV_SEND_SIGNALED };
	struct ibv_wc wc;
	uint8_t got[4];

	if (!kit_pair_connect(k))
		return;
	sge = kit_sge(&k->a, 0, 8);
	memcpy(&wr.imm_data, bytes, 4);
	wr.wr.rdma.remote_addr = (uintptr_t)k->b.buf;
	wr.wr.rdma.rkey = k->b.mr->rkey;
	kit_recv(k, &k->b, 1, 0, 64);
	kit_must(k, "post_send", kit_post(k, &k->a, &wr));
	kit_must_succeed(k, k->a.scq, &wc);
	kit_must_succeed(k, k->b.rcq, &wc);
	memcpy(got, &wc.imm_data, 4);
	if (!k->broken)
		kit_say(k, "%02x %02x %02x %02x", got[0], got[1], got[2], got[3]);
}

/* Bytes of the receive buffer behind the message are unchanged. */
static void
run_receive_rest(struct kit *k, const struct conform_case *c)
{
	struct ibv_wc wc;

	(void)c;
	if (!kit_pair_connect(k))
		return;
	kit_pattern(k->b.buf, 4096, 3);
	kit_recv(k, &k->b, 1, 0, 4096);
	kit_send(k, &k->a, 1, 0, 1500);
	kit_must_succeed(k, k->a.scq, &wc);
	kit_must_succeed(k, k->b.rcq, &wc);
	for (size_t i = 1500; i < 4096 && !k->broken; i++) {
		if (k->b.buf[i] != kit_pattern_byte(3, i)) {
			kit_say(k, "byte %zu is written", i);
			return;
		}
	}
	if (!k->broken)
		kit_say(k, "the rest is as it was");
}

/* ---- flush ---- */

/* Reports the run of completions of one queue; their wr_ids must ascend from 'first'. */
static void
say_run(struct kit *k, const char *who, struct verbs_cq *cq, unsigned first, unsigned n)
{
	struct status_words words = { .last = -1 };
	struct ibv_wc wc;

	for (unsigned i = 0; i < n && kit_wait(k, cq, &wc, KIT_WAIT_US); i++) {
		status_words_add(&words, (int)wc.status);
		if (wc.wr_id != first + i)
			kit_say(k, "%s's number %u is wr_id %llu", who, i,
				(unsigned long long)wc.wr_id);
	}
	if (!k->broken)
		kit_say(k, "%s %s", who, status_words_end(&words));
}

enum { FLUSH_RECV, FLUSH_SEND_IN_ERR, FLUSH_RECV_IN_ERR, FLUSH_BOTH, FLUSH_UNDERWAY };

static void
run_flush(struct kit *k, const struct conform_case *c)
{
	long what = c->value[1];

	k->pair.type = (enum ibv_qp_type)c->value[0];
	/* The peer's number does not exist, so the requests wait for an acknowledgement. */
	if (what == FLUSH_UNDERWAY) {
		k->pair.dest_qpn = 0xfffff0;
		k->pair.timeout = 20;
		k->pair.retry = 7;
	}
	if (!kit_pair_connect(k))
		return;
	if (what == FLUSH_SEND_IN_ERR || what == FLUSH_RECV_IN_ERR)
		kit_must(k, "ERR", kit_to_state(k, &k->a, IBV_QPS_ERR));
	for (unsigned i = 0; i < N && what != FLUSH_SEND_IN_ERR && what != FLUSH_UNDERWAY; i++)
		kit_recv(k, &k->a, 50 + i, 0, 64);
	for (unsigned i = 0; i < N && (what == FLUSH_SEND_IN_ERR || what == FLUSH_UNDERWAY); i++)
		kit_must(k, "post_send", kit_rdma(k, &k->a, IBV_WR_RDMA_WRITE, 70 + i, 8,
			(uintptr_t)k->b.buf, k->b.mr->rkey));
	if (what == FLUSH_UNDERWAY)
		kit_pass(k, 1000);
	if (what == FLUSH_RECV || what == FLUSH_UNDERWAY)
		kit_must(k, "ERR", kit_to_state(k, &k->a, IBV_QPS_ERR));
	if (what == FLUSH_SEND_IN_ERR || what == FLUSH_UNDERWAY)
		say_run(k, "sends", k->a.scq, 70, N);
	else
		say_run(k, "receives", k->a.rcq, 50, N);
}

/* A consumed receive is not flushed again: there are exactly as many completions as requests. */
static void
run_flush_complete(struct kit *k, const struct conform_case *c)
{
	struct ibv_wc wc;

	(void)c;
	if (!kit_pair_connect(k))
		return;
	for (unsigned i = 0; i < N; i++)
		kit_recv(k, &k->b, 50 + i, 0, 64);
	for (unsigned i = 0; i < 3; i++) {
		kit_send(k, &k->a, i, 0, 32);
		kit_must_succeed(k, k->a.scq, &wc);
	}
	kit_must(k, "ERR", kit_to_state(k, &k->b, IBV_QPS_ERR));
	say_run(k, "receives", k->b.rcq, 50, N);
	kit_say_quiet(k, "more", k->b.rcq);
}

/* ---- sqd ---- */

enum { SQD_HOLDS, SQD_RECEIVES, SQD_EVENT, SQD_NO_EVENT, SQD_EVENT_AFTER };

static void
run_sqd(struct kit *k, const struct conform_case *c)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };
	bool notify = c->value[0] == SQD_EVENT || c->value[0] == SQD_EVENT_AFTER;
	struct ibv_wc wc;

	if (!kit_pair_connect(k))
		return;
	if (c->value[0] == SQD_EVENT_AFTER) {
		for (unsigned i = 0; i < 3; i++)
			kit_must(k, "post_send", kit_rdma(k, &k->a, IBV_WR_RDMA_WRITE, i, 20000,
				(uintptr_t)k->b.buf, k->b.mr->rkey));
	}
	kit_must(k, "SQD",
		k->ops->modify_qp(k->a.qp, &attr,
		IBV_QP_STATE | (notify ? IBV_QP_EN_SQD_ASYNC_NOTIFY : 0)));
	if (notify || c->value[0] == SQD_NO_EVENT) {
		kit_say_events(k, "A", &k->a);
		return;
	}
	if (c->value[0] == SQD_RECEIVES) {
		kit_recv(k, &k->a, 5, 0, 64);
		kit_send(k, &k->b, 6, 0, 64);
		kit_say_wc(k, "sender", k->b.scq, &wc);
		kit_say_wc(k, "receiver", k->a.rcq, &wc);
		return;
	}
	kit_must(k, "post_send", kit_rdma(k, &k->a, IBV_WR_RDMA_WRITE, 1, 64, (uintptr_t)k->b.buf,
		k->b.mr->rkey));
	kit_say_quiet(k, "in SQD", k->a.scq);
	kit_must(k, "RTS", kit_to_state(k, &k->a, IBV_QPS_RTS));
	kit_say_wc(k, "in RTS", k->a.scq, &wc);
}

/* A datagram queue resumes after its error. */
static void
run_sqe(struct kit *k, const struct conform_case *c)
{
	struct ibv_wc wc;

	k->pair.type = (enum ibv_qp_type)c->value[0];
	if (!kit_pair_make(k))
		return;
	kit_walk(k, &k->b, IBV_QPS_RTS);
	if (!kit_walk(k, &k->a, IBV_QPS_SQE))
		return;
	kit_recv(k, &k->a, 5, 0, 128);
	kit_must(k, "RTS", kit_to_state(k, &k->a, IBV_QPS_RTS));
	kit_recv(k, &k->b, 6, 0, 128);
	if (k->pair.type == IBV_QPT_UC) {
		kit_send(k, &k->a, 7, 0, 64);
		kit_say_wc(k, "sender", k->a.scq, &wc);
	} else {
		struct verbs_ah *ah = kit_ah(k, &k->a, &k->b);
		struct ibv_sge sge = kit_sge(&k->a, 0, 64);
		struct ibv_send_wr wr = { .wr_id = 7, .sg_list = &sge, .num_sge = 1,
			.opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED };

		if (!ah)
			return;
		wr.wr.ud.ah = ah->ibv;
		wr.wr.ud.remote_qpn = k->b.qp->qp_num;
		wr.wr.ud.remote_qkey = KIT_QKEY;
		kit_must(k, "post_send", kit_post(k, &k->a, &wr));
		kit_say_wc(k, "sender", k->a.scq, &wc);
	}
	kit_say_wc(k, "receiver", k->b.rcq, &wc);
}

/* In SQE sends are flushed and receives continue. */
static void
run_in_sqe(struct kit *k, const struct conform_case *c)
{
	struct ibv_wc wc;

	(void)c;
	k->pair.type = IBV_QPT_UC;
	if (!kit_pair_make(k))
		return;
	kit_walk(k, &k->b, IBV_QPS_RTS);
	if (!kit_walk(k, &k->a, IBV_QPS_SQE))
		return;
	kit_send(k, &k->a, 7, 0, 64);
	kit_say_wc(k, "its send", k->a.scq, &wc);
	kit_recv(k, &k->a, 5, 0, 128);
	kit_send(k, &k->b, 6, 0, 64);
	kit_say_wc(k, "its receive", k->a.rcq, &wc);
	if (!k->broken)
		kit_say(k, "A %s", verbs_qp_state_name(kit_state(k, &k->a)));
}

/* ---- fence, order of operations ---- */

enum { FENCED_SEND, FENCED_WRITE, FENCED_AFTER_ATOMIC, WRITE_THEN_READ, WRITE_THEN_SEND };

static int
post_op(struct kit *k, enum ibv_wr_opcode op, unsigned flags, uint64_t wr_id, size_t local,
	uint32_t bytes, size_t remote)
{
	struct ibv_sge sge = kit_sge(&k->a, local, bytes);
	struct ibv_send_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1, .opcode = op,
		.send_flags = IBV_SEND_SIGNALED | flags };

	if (op == IBV_WR_ATOMIC_FETCH_AND_ADD || op == IBV_WR_ATOMIC_CMP_AND_SWP) {
		wr.wr.atomic.remote_addr = (uintptr_t)k->b.buf + remote;
		wr.wr.atomic.rkey = k->b.mr->rkey;
		wr.wr.atomic.compare_add = 1;
	} else if (op != IBV_WR_SEND && op != IBV_WR_SEND_WITH_IMM) {
		wr.wr.rdma.remote_addr = (uintptr_t)k->b.buf + remote;
		wr.wr.rdma.rkey = k->b.mr->rkey;
	}
	return kit_post(k, &k->a, &wr);
}

/* A fenced request sends the data that the read or atomic before it fetched. */
static void
run_fence(struct kit *k, const struct conform_case *c)
{
	const uint32_t bytes = c->value[0] == FENCED_AFTER_ATOMIC ? 8 : 10000;
	const size_t from = 0, to = 32768;
	uint64_t want = 0x1122334455667788;
	struct ibv_wc wc;

	if (!kit_pair_connect(k))
		return;
	kit_pattern(k->b.buf + from, bytes, 21);
	if (c->value[0] == FENCED_AFTER_ATOMIC) {
		memcpy(k->b.buf + from, &want, 8);
		kit_must(k, "post_send", post_op(k, IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 1, 0, 8, from));
	} else if (c->value[0] == WRITE_THEN_READ || c->value[0] == WRITE_THEN_SEND) {
		kit_pattern(k->a.buf + to, bytes, 21);
		kit_must(k, "post_send", post_op(k, IBV_WR_RDMA_WRITE, 0, 1, to, bytes, to));
	} else {
		kit_must(k, "post_send", post_op(k, IBV_WR_RDMA_READ, 0, 1, 0, bytes, from));
	}
	if (c->value[0] == FENCED_SEND || c->value[0] == WRITE_THEN_SEND)
		kit_recv(k, &k->b, 3, c->value[0] == FENCED_SEND ? to : 0, bytes);
	if (c->value[0] == FENCED_SEND)
		kit_must(k, "post_send", post_op(k, IBV_WR_SEND, IBV_SEND_FENCE, 2, 0, bytes, 0));
	else if (c->value[0] == WRITE_THEN_SEND)
		kit_must(k, "post_send", post_op(k, IBV_WR_SEND, 0, 2, 0, 16, 0));
	else if (c->value[0] == WRITE_THEN_READ)
		kit_must(k, "post_send", post_op(k, IBV_WR_RDMA_READ, 0, 2, 0, bytes, to));
	else
		kit_must(k, "post_send", post_op(k, IBV_WR_RDMA_WRITE, IBV_SEND_FENCE, 2, 0, bytes,
			to));
	if (c->value[0] == WRITE_THEN_SEND) {   /* the receive shows that the write arrived */
		kit_must_succeed(k, k->b.rcq, &wc);
		if (kit_check(k, "data", k->b.buf + to, bytes, 21))
			kit_say(k, "in order");
		return;
	}
	kit_must_succeed(k, k->a.scq, &wc);
	kit_must_succeed(k, k->a.scq, &wc);
	if (c->value[0] == FENCED_AFTER_ATOMIC) {
		if (!k->broken)
			kit_say(k, "%s", memcmp(k->b.buf + to, &want, 8) ?
				"what was fetched is not what was sent" : "in order");
	} else if (kit_check(k, "data", c->value[0] == WRITE_THEN_READ ? k->a.buf : k->b.buf + to,
		    bytes, 21)) {
		kit_say(k, "in order");
	}
}

/* All opcodes in turn: completions come in order of the posts, each with its opcode. */
static void
run_mix(struct kit *k, const struct conform_case *c)
{
	static const struct {
		enum ibv_wr_opcode op;
		enum ibv_wc_opcode wc;
		uint32_t bytes;
	} ops[] = {
		{ IBV_WR_RDMA_READ, IBV_WC_RDMA_READ, 5000 }, { IBV_WR_SEND, IBV_WC_SEND, 10 },
			{ IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_WC_FETCH_ADD, 8 },
		{ IBV_WR_RDMA_WRITE, IBV_WC_RDMA_WRITE, 3000 },
			{ IBV_WR_RDMA_READ, IBV_WC_RDMA_READ, 1 },
		{ IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WC_COMP_SWAP, 8 },
			{ IBV_WR_SEND_WITH_IMM, IBV_WC_SEND, 2000 },
				{ IBV_WR_RDMA_READ, IBV_WC_RDMA_READ, 9000 },
		{ IBV_WR_RDMA_WRITE, IBV_WC_RDMA_WRITE, 0 },
			{ IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_WC_FETCH_ADD, 8 },
				{ IBV_WR_SEND, IBV_WC_SEND, 1 },
		{ IBV_WR_RDMA_READ, IBV_WC_RDMA_READ, 2048 },
	};
	const size_t n = sizeof(ops) / sizeof(*ops);
	struct ibv_wc wc;

	k->pair.rd_atomic = k->pair.dest_rd_atomic = (uint8_t)c->value[0];
	if (!kit_pair_connect(k))
		return;
	for (unsigned i = 0; i < 3; i++)
		kit_recv(k, &k->b, i, 40000, 4096);
	for (size_t i = 0; i < n; i++)
		kit_must(k, "post_send", post_op(k, ops[i].op, 0, i, 1024 * i, ops[i].bytes, 0));
	for (size_t i = 0; i < n && !k->broken; i++) {
		kit_must_succeed(k, k->a.scq, &wc);
		if (!k->broken && (wc.wr_id != i || wc.opcode != ops[i].wc))
			kit_say(k, "number %zu is wr_id %llu, %s", i, (unsigned long long)wc.wr_id,
				verbs_wc_opcode_name(wc.opcode));
	}
	if (!k->broken)
		kit_say(k, "all in order");
}

/* ---- atomics ---- */

static void
run_add_both(struct kit *k, const struct conform_case *c)
{
	uint64_t value = (uint64_t)c->value[0], seen = 0, old;
	struct ibv_wc wc;

	if (!kit_pair_connect(k))
		return;
	memcpy(k->b.buf, &value, 8);
	for (size_t i = 0; i < 16; i++)
		kit_must(k, "post_send", post_op(k, IBV_WR_ATOMIC_FETCH_AND_ADD, 0, i, 64 * i, 8,
			0));
	for (size_t i = 0; i < 16 && !k->broken; i++)
		kit_must_succeed(k, k->a.scq, &wc);
	for (size_t i = 0; i < 16 && !k->broken; i++) {
		memcpy(&old, k->a.buf + 64 * i, 8);
		seen |= old - value < 16 ? UINT64_C(1) << (old - value) : 0;
	}
	memcpy(&old, k->b.buf, 8);
	if (!k->broken)
		kit_say(k, "sum %llu; originals %llx", (unsigned long long)(old - value),
			(unsigned long long)seen);
}

static void
run_compare_fails(struct kit *k, const struct conform_case *c)
{
	uint64_t value = 42, old = 0;
	struct ibv_wc wc;

	(void)c;
	if (!kit_pair_connect(k))
		return;
	memcpy(k->b.buf, &value, 8);
	/* compares with 1 */
	kit_must(k, "post_send", post_op(k, IBV_WR_ATOMIC_CMP_AND_SWP, 0, 1, 0, 8, 0));
	kit_must_succeed(k, k->a.scq, &wc);
	memcpy(&old, k->a.buf, 8);
	memcpy(&value, k->b.buf, 8);
	if (!k->broken)
		kit_say(k, "original %llu; memory %llu", (unsigned long long)old,
			(unsigned long long)value);
}

#define AT (RC | VERBS_CAP(ATOMIC))
#define STATE(what, state, expected) \
	{ "post/send-in-" what, RC, expected, run_post_state, \
	.value = { IN_STATE_SEND, IBV_QPS_##state } }, \
	{ "post/receive-in-" what, RC, IBV_QPS_##state == IBV_QPS_RESET ? "post EINVAL" : \
	"post ok", run_post_state, \
		.value = { IN_STATE_RECV, IBV_QPS_##state } }
#define OPCODE(what, caps, type, op) { "post/" what, caps, "post EINVAL", run_post_opcode, \
	.value = { IBV_QPT_##type, IBV_WR_##op } }
#define FLUSH(what, expected, n) \
	{ "flush/rc-" what, RC, expected, run_flush, .value = { IBV_QPT_RC, n } }
#define FLUSH_DATAGRAM(what, expected, n) \
	{ "flush/uc-" what, VERBS_CAP(UC), expected, run_flush, .value = { IBV_QPT_UC, n } }, \
	{ "flush/ud-" what, VERBS_CAP(UD), expected, run_flush, .value = { IBV_QPT_UD, n } }

static const struct conform_case rows[] = {
	STATE("reset", RESET, "post EINVAL"),
	STATE("init", INIT, "post EINVAL"),
	STATE("rtr", RTR, "post EINVAL"),
	STATE("rts", RTS, "post ok"),
	STATE("sqd", SQD, "post ok"),
	STATE("err", ERR, "post ok"),
	OPCODE("uc-read", VERBS_CAP(UC), UC, RDMA_READ),
	OPCODE("uc-fetch-add", VERBS_CAP(UC), UC, ATOMIC_FETCH_AND_ADD),
	OPCODE("uc-compare-swap", VERBS_CAP(UC), UC, ATOMIC_CMP_AND_SWP),
	OPCODE("ud-write", VERBS_CAP(UD), UD, RDMA_WRITE),
	OPCODE("ud-write-imm", VERBS_CAP(UD), UD, RDMA_WRITE_WITH_IMM),
	OPCODE("ud-read", VERBS_CAP(UD), UD, RDMA_READ),
	OPCODE("ud-fetch-add", VERBS_CAP(UD), UD, ATOMIC_FETCH_AND_ADD),
	OPCODE("ud-compare-swap", VERBS_CAP(UD), UD, ATOMIC_CMP_AND_SWP),
	OPCODE("rc-no-such-opcode", RC, RC, DRIVER1),
	{ "post/send-of-too-many-pieces", RC, "post EINVAL|post ENOMEM", run_post_limit,
		.value = { SEND_PIECES } },
	{ "post/receive-of-too-many-pieces", RC, "post EINVAL|post ENOMEM", run_post_limit,
		.value = { RECV_PIECES } },
	{ "post/inline-of-too-many-bytes", RC | VERBS_CAP(INLINE), "post EINVAL|post ENOMEM",
		run_post_limit, .value = { INLINE_BYTES } },
	{ "post/send-queue-full", RC, "post ENOMEM", run_post_limit, .value = { SEND_FULL } },
	{ "post/receive-queue-full", RC, "post ENOMEM", run_post_limit, .value = { RECV_FULL } },
	{ "post/full-and-polled", RC, "post ok; it SUCCESS", run_full_again, .value = { 0 } },
	{ "post/list", RC, "post ok; 1 SUCCESS; 2 SUCCESS; 3 SUCCESS", run_list, .value = { 0 } },
	{ "post/list-with-a-wrong-one", RC,
		"post EINVAL; bad 2; 1 SUCCESS|post ENOMEM; bad 2; 1 SUCCESS", run_list,
		.value = { 1 } },
	{ "post/all-signalled-queue", RC, "sender SUCCESS", run_sig_all, .value = { 1 } },
	{ "post/unsignalled", RC, "sender none", run_sig_all, .value = { 0 } },
	{ "send-recv/rc-send-imm-byte-order", RC, "01 23 45 67", run_imm_bytes,
		.value = { IBV_WR_SEND_WITH_IMM } },
	{ "write/rc-write-imm-byte-order", RC, "01 23 45 67", run_imm_bytes,
		.value = { IBV_WR_RDMA_WRITE_WITH_IMM } },
	{ "send-recv/rc-send-leaves-the-rest", RC, "the rest is as it was", run_receive_rest,
		.value = { 0 } },
	FLUSH("receives", "receives WR_FLUSH_ERR x8", FLUSH_RECV),
	FLUSH("receives-posted-in-err", "receives WR_FLUSH_ERR x8", FLUSH_RECV_IN_ERR),
	FLUSH("sends-posted-in-err", "sends WR_FLUSH_ERR x8", FLUSH_SEND_IN_ERR),
	FLUSH("sends-under-way", "sends WR_FLUSH_ERR x8", FLUSH_UNDERWAY),
	FLUSH_DATAGRAM("receives", "receives WR_FLUSH_ERR x8", FLUSH_RECV),
	FLUSH_DATAGRAM("receives-posted-in-err", "receives WR_FLUSH_ERR x8", FLUSH_RECV_IN_ERR),
	{ "flush/as-many-completions-as-requests", RC,
		"receives SUCCESS x3, WR_FLUSH_ERR x5; more none", run_flush_complete,
		.value = { 0 } },
	{ "sqd/holds-what-is-posted", RC, "in SQD none; in RTS SUCCESS", run_sqd,
		.value = { SQD_HOLDS } },
	{ "sqd/still-receives", RC, "sender SUCCESS; receiver SUCCESS", run_sqd,
		.value = { SQD_RECEIVES } },
	{ "sqd/drained-event", RC | VERBS_CAP(ASYNC_EVENTS), "A SQ_DRAINED", run_sqd,
		.value = { SQD_EVENT } },
	{ "sqd/drained-event-when-the-last-is-done", RC | VERBS_CAP(ASYNC_EVENTS), "A SQ_DRAINED",
		run_sqd, .value = { SQD_EVENT_AFTER } },
	{ "sqd/no-event-unless-asked-for", RC | VERBS_CAP(ASYNC_EVENTS), "A no event", run_sqd,
		.value = { SQD_NO_EVENT } },
	{ "sqd/uc-goes-on-after-sqe", VERBS_CAP(UC), "sender SUCCESS; receiver SUCCESS", run_sqe,
		.value = { IBV_QPT_UC } },
	{ "sqd/ud-goes-on-after-sqe", VERBS_CAP(UD), "sender SUCCESS; receiver SUCCESS", run_sqe,
		.value = { IBV_QPT_UD } },
	{ "sqd/uc-in-sqe", VERBS_CAP(UC), "its send WR_FLUSH_ERR; its receive SUCCESS; A SQE",
		run_in_sqe, .value = { 0 } },
	{ "fence/send-behind-a-read", RC, "in order", run_fence, .value = { FENCED_SEND } },
	{ "fence/write-behind-a-read", RC, "in order", run_fence, .value = { FENCED_WRITE } },
	{ "fence/write-behind-an-atomic", AT, "in order", run_fence,
		.value = { FENCED_AFTER_ATOMIC } },
	{ "fence/read-behind-a-write-needs-none", RC, "in order", run_fence,
		.value = { WRITE_THEN_READ } },
	{ "fence/send-behind-a-write-needs-none", RC, "in order", run_fence,
		.value = { WRITE_THEN_SEND } },
	{ "mix/all-opcodes-depth-1", AT, "all in order", run_mix, .value = { 1 } },
	{ "mix/all-opcodes-depth-4", AT, "all in order", run_mix, .value = { 4 } },
	{ "atomic/rc-16-additions", AT, "sum 16; originals ffff", run_add_both, .value = { 1000 } },
	{ "atomic/rc-additions-wrap", AT, "sum 16; originals ffff", run_add_both, .value = { -7 } },
	{ "atomic/rc-compare-that-fails", AT, "original 42; memory 42", run_compare_fails,
		.value = { 0 } },
};

void
cases_order(struct case_list *l)
{
	CASE_ADD_ALL(l, rows);
}
