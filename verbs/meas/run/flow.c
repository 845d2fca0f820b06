/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * flow.c - what all runs have in common: preparing, posting, polling, checking; see flow.h.
 * Room: verbs/meas/run.
 */
#include <config.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/wire/wire.h"
#include "util/xalloc.h"
#include "verbs/meas/run/flow.h"
#include "verbs/meas/run/pattern.h"

#define LINE 64u
#define POLL_BATCH 16
#define WR_RECEIVE (UINT64_C(1) << 63)
#define WR_QP_SHIFT 48
#define WR_QP_MASK 0x7fffu
#define WR_NUMBER_MASK ((UINT64_C(1) << WR_QP_SHIFT) - 1)
#define IMM_RUN_SHIFT 24
#define MEAS_MS_NS UINT64_C(1000000)

int
meas_flow_fail(struct meas_flow *f, int error, const char *fmt, ...)
{
	va_list ap;

	if (!f->why[0]) {
		va_start(ap, fmt);
		vsnprintf(f->why, sizeof(f->why), fmt, ap);
		va_end(ap);
	}
	return error;
}

uint64_t
meas_flow_clock(const struct meas_flow *f)
{
	return f->e->ops->now_ns(f->e->dev->world);
}

struct meas_moment
meas_flow_now(const struct meas_flow *f, uint64_t real_ns)
{
	return (struct meas_moment){ .real_ns = real_ns, .world_ns = meas_flow_clock(f) };
}

bool
meas_flow_passed(const struct meas_flow *f, struct meas_moment m, uint64_t ns, uint64_t real_ns)
{
	return real_ns > m.real_ns && real_ns - m.real_ns > ns && meas_flow_clock(f) - m.world_ns >
		ns;
}

static uint32_t
align_up(uint32_t bytes)
{
	return (bytes + LINE - 1) / LINE * LINE;
}

uint8_t *
meas_flow_place(const struct meas_flow *f, bool in, uint32_t qp, uint64_t number)
{
	uint8_t *base = in ? meas_end_in(f->e, qp, 0) : meas_end_out(f->e, qp, 0);

	return base + number % f->places * align_up(f->size);
}

static uint64_t
stream_of(const struct meas_flow *f, uint32_t qp, bool of_client)
{
	return meas_pattern_stream(f->e->test.seed, qp, of_client ? 0 : 1);
}

void
meas_flow_init(struct meas_flow *f, struct meas_end *e, bool client)
{
	const struct meas_test *t = &e->test;

	memset(f, 0, sizeof(*f));
	f->e = e;
	f->client = client;
	f->spins = 1;
	f->requester = client || t->bidirectional;
	f->responder = !client || t->bidirectional || (t->mode == MEAS_LAT && t->op == MEAS_SEND);
	f->hist = meas_hist_new();
	f->qps = xcalloc(t->qps, sizeof(*f->qps));
	for (uint32_t i = 0; i < t->qps; i++)
		f->qps[i].post_ns = xcalloc(t->tx_depth, sizeof(uint64_t));
}

void
meas_flow_clear(struct meas_flow *f)
{
	for (uint32_t i = 0; f->qps && i < f->e->test.qps; i++)
		free(f->qps[i].post_ns);
	free(f->qps);
	free(f->hist);
	free(f->peer_sent);
	memset(f, 0, sizeof(*f));
}

/* ---- readying ---- */

int
meas_flow_post_receives(struct meas_flow *f, uint32_t qp)
{
	const struct meas_end *e = f->e;
	struct meas_flow_qp *q = &f->qps[qp];
	int r;

	while (q->recv_posted - q->recv_done < f->rx_limit) {
		struct ibv_sge sge = {
			.addr = (uintptr_t)meas_end_in(e, qp, q->recv_posted % e->layout.slots),
			.length = e->layout.in_bytes, .lkey = e->mr->lkey,
		};
		struct ibv_recv_wr wr = {
			.wr_id = WR_RECEIVE | (uint64_t)qp << WR_QP_SHIFT |
			(q->recv_posted & WR_NUMBER_MASK), .sg_list = &sge, .num_sge = 1,
		}, *bad;

		r = e->ops->post_recv(e->qps[qp].qp, &wr, &bad);
		if (r)
			return meas_flow_fail(f, r, "%s: a receive was refused: %s",
				e->facts.device, strerror(-r));
		q->recv_posted++;
	}
	return 0;
}

/* Fills the memory that the other end reads, writes or counts in. */
static void
ready_memory(struct meas_flow *f)
{
	const struct meas_end *e = f->e;
	const struct meas_test *t = &e->test;

	for (uint32_t i = 0; i < t->qps; i++) {
		memset(meas_end_in(e, i, 0) + e->layout.word_at, 0, LINE);
		if (t->op == MEAS_WRITE && (t->mode == MEAS_LAT || t->validate))
			memset(meas_end_in(e, i, 0), 0, (size_t)f->places * align_up(f->size));
		for (uint32_t k = 0; t->op == MEAS_READ && t->validate && k < f->places; k++)
			meas_pattern_fill(meas_flow_place(f, false, i, k), f->size,
				stream_of(f, i, !f->client), k);
	}
	f->seen = 0;
}

int
meas_flow_begin(struct meas_flow *f, unsigned run, uint32_t size, uint64_t real_ns)
{
	const struct meas_end *e = f->e;
	const struct meas_test *t = &e->test;
	uint32_t depth = t->tx_depth > t->rx_depth ? t->tx_depth : t->rx_depth;
	uint64_t places = (uint64_t)e->layout.slots * e->layout.out_bytes / align_up(size);
	bool careful = t->validate || meas_is_atomic(t->op);
	int r = 0;

	f->run = run;
	f->size = size;
	f->places = places < depth ? (uint32_t)places : depth;
	if (t->mode == MEAS_LAT && t->op == MEAS_WRITE)
		f->places = 1;                  /* both ends poll one byte */
	f->tx_limit = careful && f->places < t->tx_depth ? f->places : t->tx_depth;
	f->rx_limit = t->op != MEAS_SEND ? 0 : careful && e->layout.slots < t->rx_depth ?
		e->layout.slots : t->rx_depth;
	f->total = t->iterations ? t->warmup + t->iterations : UINT64_MAX;
	f->warm_left = t->warmup * (t->mode == MEAS_BW ? t->qps : 1);
	f->going = f->stopping = f->waiting = f->checked = false;
	f->pings = f->answered = 0;
	f->stop_ns = f->real_stop_ns = 0;
	f->progress = meas_flow_now(f, real_ns);
	free(f->peer_sent);
	f->peer_sent = NULL;
	f->counts = (struct meas_counts){ 0 };
	f->bad = (struct meas_bad){ 0 };
	meas_hist_clear(f->hist);
	meas_rate_begin(&f->rate, meas_flow_clock(f));
	for (uint32_t i = 0; i < t->qps; i++)
		f->qps[i].posted = f->qps[i].completed = f->qps[i].received = f->qps[i].signaled =
			0;
	ready_memory(f);
	for (uint32_t i = 0; f->responder && i < t->qps && !r; i++)
		r = meas_flow_post_receives(f, i);
	return r;
}

void
meas_flow_go(struct meas_flow *f, uint64_t real_ns)
{
	const struct meas_test *t = &f->e->test;
	uint64_t now = meas_flow_clock(f);

	f->going = true;
	f->progress = f->answer = meas_flow_now(f, real_ns);
	f->go_ns = now;
	f->paced_bytes = 0;
	meas_rate_begin(&f->rate, now);
	if (!t->duration_ms)
		return;
	f->stop_ns = now + t->duration_ms * MEAS_MS_NS;
	f->real_stop_ns = real_ns + t->duration_ms * MEAS_MS_NS;
}

/* ---- posting ---- */

static void
fill_wr(const struct meas_flow *f, uint32_t qp, uint64_t k, struct ibv_send_wr *wr,
	struct ibv_sge *sge)
{
	const struct meas_end *e = f->e;
	const struct meas_test *t = &e->test;
	bool comes_in = t->op == MEAS_READ || meas_is_atomic(t->op);
	uint8_t *here = meas_flow_place(f, comes_in, qp, k);
	uint8_t *there = t->op == MEAS_READ ? meas_flow_place(f, false, qp, k) : meas_flow_place(f,
		true, qp, k);

	*sge = (struct ibv_sge){ .addr = (uintptr_t)here, .length = f->size, .lkey = e->mr->lkey };
	if (!comes_in && f->size <= e->inline_bytes)
		wr->send_flags |= IBV_SEND_INLINE;
	switch (t->op) {
	case MEAS_SEND:
		wr->opcode = t->transport == MEAS_RC ? IBV_WR_SEND : IBV_WR_SEND_WITH_IMM;
		wr->imm_data = wire_order32(f->run << IMM_RUN_SHIFT | (uint32_t)(k & 0xffffff));
		break;
	case MEAS_WRITE:
	case MEAS_READ:
		wr->opcode = t->op == MEAS_WRITE ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ;
		wr->wr.rdma.remote_addr = meas_end_remote(e, there);
		wr->wr.rdma.rkey = e->remote_rkey;
		break;
	case MEAS_CAS:
	case MEAS_FAA:
	case MEAS_OPS:
		wr->opcode = t->op == MEAS_CAS ? IBV_WR_ATOMIC_CMP_AND_SWP :
			IBV_WR_ATOMIC_FETCH_AND_ADD;
		wr->wr.atomic.remote_addr = meas_end_remote(e,
			meas_end_in(e, qp, 0) + e->layout.word_at);
		wr->wr.atomic.rkey = e->remote_rkey;
		wr->wr.atomic.compare_add = t->op == MEAS_CAS ? k : 1;
		wr->wr.atomic.swap = k + 1;
	}
	if (t->transport == MEAS_UD) {
		wr->wr.ud.ah = e->qps[qp].ah->ibv;
		wr->wr.ud.remote_qpn = e->qps[qp].remote_qpn;
		wr->wr.ud.remote_qkey = MEAS_QKEY;
	}
}

/* 1: posted.  0: the queue is full. */
int
meas_flow_post(struct meas_flow *f, uint32_t qp, bool signaled)
{
	const struct meas_end *e = f->e;
	const struct meas_test *t = &e->test;
	struct meas_flow_qp *q = &f->qps[qp];
	uint64_t k = q->posted;
	struct ibv_sge sge;
	struct ibv_send_wr wr = {
		.wr_id = (uint64_t)qp << WR_QP_SHIFT | (k & WR_NUMBER_MASK), .sg_list = &sge,
		.num_sge = 1,
		.send_flags = signaled ? IBV_SEND_SIGNALED : 0,
	}, *bad;
	int r;

	if (t->validate && (t->op == MEAS_SEND || t->op == MEAS_WRITE))
		meas_pattern_fill(meas_flow_place(f, false, qp, k), f->size,
			stream_of(f, qp, f->client), k);
	else if (t->validate)
		memset(meas_flow_place(f, true, qp, k), 0xa5, f->size);
	fill_wr(f, qp, k, &wr, &sge);
	q->post_ns[k % t->tx_depth] = meas_flow_clock(f);
	r = e->ops->post_send(e->qps[qp].qp, &wr, &bad);
	if (r == -ENOMEM)
		return 0;
	if (r)
		return meas_flow_fail(f, r, "%s: a %s of %u bytes was refused: %s", e->facts.device,
			meas_op_name(t->op), f->size, strerror(-r));
	q->posted++;
	f->paced_bytes += f->size;
	if (signaled)
		q->signaled = q->posted;
	return 1;
}

/* ---- what came ---- */

static void
message_check(struct meas_flow *f, uint32_t qp, uint64_t number, const uint8_t *b,
	uint64_t from_stream, uint64_t of_number)
{
	size_t at = meas_pattern_check(b, f->size, from_stream, of_number);

	if (at == f->size)
		return;
	f->counts.corrupt++;
	if (!f->bad.is)
		f->bad = (struct meas_bad){ .is = true, .qp = qp, .message = number,
			.offset = (uint32_t)at, .got = b[at],
			.expected = meas_pattern_byte(f->size, at, from_stream, of_number) };
}

/* The number that an atomic operation returned must be the count of the operations before it. */
static void
check_atomic(struct meas_flow *f, uint32_t qp, uint64_t k)
{
	const uint8_t *b = meas_flow_place(f, true, qp, k);
	uint64_t v;

	memcpy(&v, b, sizeof(v));               /* the device writes it in host byte order */
	if (v == k)
		return;
	f->counts.corrupt++;
	if (!f->bad.is)
		f->bad = (struct meas_bad){ .is = true, .qp = qp, .message = k, .offset = 0,
			.got = (uint8_t)v, .expected = (uint8_t)k };
}

static void
request_done(struct meas_flow *f, uint32_t qp, uint64_t low_number)
{
	const struct meas_test *t = &f->e->test;
	struct meas_flow_qp *q = &f->qps[qp];
	uint64_t now = meas_flow_clock(f),
		upto = q->completed + ((low_number - q->completed) & WR_NUMBER_MASK) + 1, n;

	if (upto > q->posted)
		/* an unknown number: the device's fault, ignored here */
		return;
	for (uint64_t k = q->completed; k < upto; k++) {
		if (meas_is_atomic(t->op))
			check_atomic(f, qp, k);
		else if (t->op == MEAS_READ && t->validate)
			message_check(f, qp, k, meas_flow_place(f, true, qp, k),
				stream_of(f, qp, f->client), k % f->places);
	}
	n = upto - q->completed;
	q->completed = upto;
	f->counts.sent += n;
	if (t->mode != MEAS_BW)
		return;
	if (f->warm_left) {
		f->warm_left = f->warm_left > n ? f->warm_left - n : 0;
		if (!f->warm_left)
			meas_rate_begin(&f->rate, now);
		return;
	}
	meas_rate_add(&f->rate, now, n * f->size, n);
	meas_hist_add(f->hist, now - q->post_ns[(upto - 1) % t->tx_depth]);
}

static void
message_came(struct meas_flow *f, uint32_t qp, uint64_t low_number, const struct ibv_wc *wc)
{
	const struct meas_end *e = f->e;
	const struct meas_test *t = &e->test;
	struct meas_flow_qp *q = &f->qps[qp];
	const uint8_t *b = meas_end_in(e, qp, q->recv_done % e->layout.slots);
	bool unreliable = t->transport != MEAS_RC;
	uint32_t header = t->transport == MEAS_UD ? MEAS_GRH_BYTES : 0;
	uint64_t number;

	(void)low_number;
	q->recv_done++;
	if (unreliable &&
		    (!(wc->wc_flags & IBV_WC_WITH_IMM) ||
		    wire_order32(wc->imm_data) >> IMM_RUN_SHIFT != (f->run & 0xff)))
		return;                         /* belongs to an earlier run */
	number = q->received++;
	f->counts.received++;
	if (wc->byte_len != f->size + header) {
		f->counts.corrupt++;
		return;
	}
	if (!t->validate)
		return;
	if (unreliable)
		number = meas_pattern_number(b + header);
	message_check(f, qp, number, b + header, stream_of(f, qp, !f->client), number);
}

static int
error_came(struct meas_flow *f, const struct ibv_wc *wc, uint32_t qp)
{
	f->counts.errors++;
	return meas_flow_fail(f, -EIO, "%s: %s on queue pair %u failed: %s (vendor error 0x%x): %s",
		f->e->facts.device, wc->wr_id & WR_RECEIVE ? "receive" :
		meas_op_name(f->e->test.op), qp, verbs_status_name(wc->status), wc->vendor_err,
			meas_status_hint(wc->status));
}

int
meas_flow_poll(struct meas_flow *f)
{
	const struct meas_end *e = f->e;
	struct ibv_wc wc[POLL_BATCH];
	int n = e->ops->poll(e->cq, POLL_BATCH, wc), r = 0;

	if (n < 0)
		return meas_flow_fail(f, n, "%s: the completion queue failed: %s", e->facts.device,
			strerror(-n));
	for (int i = 0; i < n && !r; i++) {
		uint32_t qp = (uint32_t)(wc[i].wr_id >> WR_QP_SHIFT) & WR_QP_MASK;

		if (qp >= e->test.qps)
			return meas_flow_fail(f, -EIO,
				"%s: a completion of nothing that was posted", e->facts.device);
		if (wc[i].status != IBV_WC_SUCCESS)
			return error_came(f, &wc[i], qp);
		if (!(wc[i].wr_id & WR_RECEIVE)) {
			request_done(f, qp, wc[i].wr_id & WR_NUMBER_MASK);
			continue;
		}
		message_came(f, qp, wc[i].wr_id & WR_NUMBER_MASK, &wc[i]);
		r = meas_flow_post_receives(f, qp);
	}
	return r ? r : n;
}

int
meas_flow_turn(struct meas_flow *f, uint64_t real_ns)
{
	int n = f->why[0] ? -EIO : f->e->test.mode == MEAS_BW ? meas_flow_bw_turn(f) :
		meas_flow_lat_turn(f, real_ns);

	if (n > 0 || meas_flow_ahead(f))        /* pacing is not a standstill */
		f->progress = meas_flow_now(f, real_ns);
	if (f->stop_ns && real_ns >= f->real_stop_ns)
		f->stopping = true;             /* a virtual clock may be slow */
	if (n == 0 && f->going && f->requester && !meas_flow_sent(f) &&
		    meas_flow_passed(f, f->progress, MEAS_STUCK_NS, real_ns))
		return meas_flow_fail(f, -ETIMEDOUT, "%s: no completion for %d s",
			f->e->facts.device, (int)(MEAS_STUCK_NS / 1000000000));
	return n;
}

/* ---- the end of a run ---- */

void
meas_flow_peer_sent(struct meas_flow *f, const uint64_t *sent, uint64_t real_ns)
{
	f->peer_sent = xmemdup(sent, f->e->test.qps * sizeof(*sent));
	f->peer_end = meas_flow_now(f, real_ns);
}

/* True when a wrong place still has its old contents: the message, or its end, never came. */
static bool
is_stale(const struct meas_flow *f, const uint8_t *b, uint64_t from_stream, uint64_t k)
{
	size_t at = meas_pattern_check(b, f->size, from_stream, k);

	return at < f->size &&
		b[at] == (k < f->places ? 0 : meas_pattern_byte(f->size, at, from_stream,
		k - f->places));
}

/* Each place must hold the message that was sent last to it; over UC also the contents before. */
static void
check_written(struct meas_flow *f)
{
	const struct meas_test *t = &f->e->test;

	for (uint32_t i = 0; i < t->qps; i++)
		for (uint64_t p = 0; p < f->places && p < f->peer_sent[i]; p++) {
			uint64_t k = f->peer_sent[i] - 1 - (f->peer_sent[i] - 1 - p) % f->places,
				from = stream_of(f, i, !f->client);
			const uint8_t *b = meas_flow_place(f, true, i, k);

			if (t->transport != MEAS_RC && is_stale(f, b, from, k))
				f->counts.lost++;
			else
				message_check(f, i, k, b, from, k);
		}
}

bool
meas_flow_received(struct meas_flow *f, uint64_t real_ns)
{
	const struct meas_test *t = &f->e->test;
	uint64_t missing = 0;

	if (!f->peer_sent)
		return false;
	if (t->mode == MEAS_BW && t->op == MEAS_WRITE && t->validate && !f->checked) {
		if (t->transport != MEAS_RC &&
			    !meas_flow_passed(f, f->peer_end, MEAS_LOST_NS, real_ns))
			return false;           /* the last ones have no acknowledgement */
		check_written(f);
		f->checked = true;
	}
	if (t->op != MEAS_SEND || t->mode == MEAS_LAT)
		return true;
	for (uint32_t i = 0; i < t->qps; i++)
		missing += f->peer_sent[i] > f->qps[i].received ?
			f->peer_sent[i] - f->qps[i].received : 0;
	if (missing && (!meas_flow_passed(f, f->peer_end, MEAS_LOST_NS, real_ns) ||
		    !meas_flow_passed(f, f->progress, MEAS_LOST_NS, real_ns)))
		return false;
	f->counts.lost = missing;
	return true;
}
