/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * completion.c - area cq: completion queues, their order, overrun, size, events.
 * Room: verbs/conform/cases.
 */
#include <config.h>
#include <errno.h>
#include "verbs/conform/cases/cases.h"
#include "verbs/conform/kit/kit.h"

static void
run_empty(struct kit *k, const struct conform_case *c)
{
	struct verbs_cq *cq = kit_cq(k, &k->a, 16, NULL);
	struct ibv_wc wc;

	(void)c;
	if (cq)
		kit_say(k, "poll %d; size %s", k->ops->poll(cq, 1, &wc),
			cq->cqe >= 16 ? "ok" : "too small");
}

/* Several completions polled at once come in order. */
static void
run_order(struct kit *k, const struct conform_case *c)
{
	struct ibv_wc wc[16];
	uint64_t limit_us = kit_now_us(k) + KIT_WAIT_US;
	unsigned idle = 0;
	int n = 0;

	(void)c;
	if (!kit_pair_connect(k))
		return;
	for (unsigned i = 0; i < 16; i++)
		kit_must(k, "post_send", kit_rdma(k, &k->a, IBV_WR_RDMA_WRITE, 100 + i, 8,
			(uintptr_t)k->b.buf, k->b.mr->rkey));
	do {
		int got = k->ops->poll(k->a.scq, 16 - n, wc + n);

		if (!kit_must(k, "poll", got < 0 ? got : 0))
			return;
		n += got;
	} while (n < 16 && kit_turn(k, limit_us, &idle));
	for (int i = 0; i < n; i++) {
		if (wc[i].wr_id != 100U + (unsigned)i)
			kit_say(k, "number %d is wr_id %llu", i, (unsigned long long)wc[i].wr_id);
	}
	kit_say(k, "%d in order", n);
}

/* One CQ for both queues of both ends. */
static void
run_shared(struct kit *k, const struct conform_case *c)
{
	struct verbs_qp_init init = { .type = IBV_QPT_RC, .cap = k->pair.cap };
	struct kit_end *b = &k->b;
	struct ibv_wc wc;
	unsigned seen = 0;

	(void)c;
	init.send_cq = init.recv_cq = b->scq = b->rcq = kit_cq(k, b, 32, NULL);
	if (k->broken)
		return;
	b->qp = kit_qp(k, b, &init);
	k->a.scq = kit_cq(k, &k->a, 32, NULL);
	init.send_cq = init.recv_cq = k->a.rcq = k->a.scq;
	k->a.qp = kit_qp(k, &k->a, &init);
	kit_walk(k, b, IBV_QPS_RTS);
	kit_walk(k, &k->a, IBV_QPS_RTS);
	kit_recv(k, b, 1, 0, 64);
	kit_recv(k, &k->a, 2, 0, 64);
	kit_send(k, &k->a, 3, 0, 64);
	kit_send(k, b, 4, 0, 64);
	for (unsigned i = 0; i < 4 && !k->broken; i++) {
		kit_must_succeed(k, i & 1 ? k->a.scq : b->scq, &wc);
		seen |= 1U << wc.wr_id;
	}
	if (!k->broken)
		kit_say(k, "seen %x", seen);
}

/* More completions than the queue holds: one event, and no invented completion. */
static void
run_overrun(struct kit *k, const struct conform_case *c)
{
	struct verbs_event event;
	int room, more = 0;

	(void)c;
	k->pair.cqe[0] = 4;
	k->pair.cap.max_send_wr = 64;
	k->pair.timeout = 14;
	k->pair.retry = 7;
	if (!kit_pair_connect(k))
		return;
	room = k->a.scq->cqe;
	for (int i = 0; i < room + 6 && i < 60; i++)
		kit_must(k, "post_send", kit_rdma(k, &k->a, IBV_WR_RDMA_WRITE, (uint64_t)i, 8,
			(uintptr_t)k->b.buf, k->b.mr->rkey));
	if (kit_event(k, &k->a, &event, KIT_WAIT_US))
		kit_say(k, "%s%s", verbs_event_name(event.type), event.cq == k->a.scq ? "" :
			" of another");
	else
		kit_say(k, "no event");
	while (more++ < 64 && kit_event(k, &k->a, &event, KIT_QUIET_US)) {
		if (event.type == IBV_EVENT_CQ_ERR) {
			kit_say(k, "a second CQ_ERR");
			break;
		}
	}
}

/* An exactly full queue is not overrun. */
static void
run_full(struct kit *k, const struct conform_case *c)
{
	struct ibv_wc wc;
	int room, n = 0;

	(void)c;
	k->pair.cqe[0] = 4;
	k->pair.cap.max_send_wr = 64;
	if (!kit_pair_connect(k))
		return;
	room = k->a.scq->cqe < 60 ? k->a.scq->cqe : 60;
	for (int i = 0; i < room; i++)
		kit_must(k, "post_send", kit_rdma(k, &k->a, IBV_WR_RDMA_WRITE, (uint64_t)i, 8,
			(uintptr_t)k->b.buf, k->b.mr->rkey));
	kit_pass(k, KIT_QUIET_US);
	while (n < room && kit_wait(k, k->a.scq, &wc, KIT_WAIT_US) && wc.status == IBV_WC_SUCCESS &&
		    wc.wr_id == (unsigned)n)
		n++;
	kit_say(k, "%s", n == room ? "all" : "some are lost");
	kit_say_events(k, "A", &k->a);
}

enum { DESTROY_CQ, DESTROY_CHAN };

static void
run_used(struct kit *k, const struct conform_case *c)
{
	if (c->value[0] == DESTROY_CHAN)
		k->pair.scq_chan = kit_chan(k, &k->a);
	if (!kit_pair_make(k))
		return;
	kit_say_result(k, "used",
		kit_destroy(k, c->value[0] == DESTROY_CHAN ? (void *)k->pair.scq_chan :
		(void *)k->a.scq));
	kit_must(k, "destroy_qp", kit_destroy(k, k->a.qp));
	kit_say_result(k, "then", kit_destroy(k, k->a.scq));
	if (c->value[0] == DESTROY_CHAN)
		kit_say_result(k, "and", kit_destroy(k, k->pair.scq_chan));
}

static void
run_resize(struct kit *k, const struct conform_case *c)
{
	struct ibv_wc wc;
	int n = 0;

	k->pair.cqe[0] = 16;
	if (!kit_pair_connect(k))
		return;
	for (unsigned i = 0; i < 8; i++)
		kit_must(k, "post_send", kit_rdma(k, &k->a, IBV_WR_RDMA_WRITE, i, 8,
			(uintptr_t)k->b.buf, k->b.mr->rkey));
	kit_pass(k, KIT_QUIET_US);
	kit_say_result(k, "resize", k->ops->resize_cq(k->a.scq, (int)c->value[0]));
	while (n < 8 && kit_wait(k, k->a.scq, &wc, KIT_WAIT_US) && wc.wr_id == (unsigned)n)
		n++;
	kit_say(k, "%d in order", n);
}

/* ---- events ---- */

static bool
next_event(struct kit *k, struct verbs_chan *chan, struct verbs_cq **cq, uint64_t us)
{
	uint64_t limit_us = kit_now_us(k) + us;
	unsigned idle = 0;

	do {
		if (!k->ops->get_cq_event(chan, cq))
			return true;
	} while (kit_turn(k, limit_us, &idle));
	return !k->ops->get_cq_event(chan, cq);
}

static void
say_event(struct kit *k, const char *who, struct verbs_chan *chan, const struct verbs_cq *of,
	uint64_t us)
{
	struct verbs_cq *cq = NULL;

	if (k->broken)
		return;
	if (!next_event(k, chan, &cq, us))
		kit_say(k, "%s none", who);
	else
		kit_say(k, "%s %s", who, cq == of ? "event" : "event of another queue");
}

static void
write_once(struct kit *k)
{
	kit_must(k, "post_send", kit_rdma(k, &k->a, IBV_WR_RDMA_WRITE, 1, 8, (uintptr_t)k->b.buf,
		k->b.mr->rkey));
}

enum { ARMED, UNARMED, ONCE, ARMED_LATE, ARMED_AGAIN };

static void
run_event(struct kit *k, const struct conform_case *c)
{
	struct ibv_wc wc;

	k->pair.scq_chan = kit_chan(k, &k->a);
	if (!kit_pair_connect(k))
		return;
	/* completions that are there already raise no event */
	if (c->value[0] == ARMED_LATE) {
		write_once(k);
		kit_pass(k, KIT_QUIET_US);
	}
	if (c->value[0] != UNARMED)
		kit_must(k, "req_notify", k->ops->req_notify(k->a.scq, false));
	if (c->value[0] != ARMED_LATE)
		write_once(k);
	say_event(k, "first", k->pair.scq_chan, k->a.scq,
		c->value[0] == ARMED_LATE || c->value[0] == UNARMED ? KIT_QUIET_US : KIT_WAIT_US);
	if (c->value[0] == ONCE || c->value[0] == ARMED_AGAIN) {
		kit_must_succeed(k, k->a.scq, &wc);
		if (c->value[0] == ARMED_AGAIN)
			kit_must(k, "req_notify", k->ops->req_notify(k->a.scq, false));
		write_once(k);
		say_event(k, "second", k->pair.scq_chan, k->a.scq,
			c->value[0] == ONCE ? KIT_QUIET_US : KIT_WAIT_US);
	}
	kit_must_succeed(k, k->a.scq, &wc);
}

enum { PLAIN, SOLICITED, ERROR, SOLICITED_WRITE_IMM, SOLICITED_DATAGRAM };

/* A queue armed for solicited completions: a message without the flag, one with it, an error. */
static void
run_solicited(struct kit *k, const struct conform_case *c)
{
	struct ibv_sge sge = kit_sge(&k->a, 0, 32);
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED };
	struct verbs_ah *ah;

	if (c->value[0] == SOLICITED_DATAGRAM)
		k->pair.type = IBV_QPT_UD;
	k->pair.rcq_chan = kit_chan(k, &k->b);
	if (!kit_pair_connect(k))
		return;
	kit_recv(k, &k->b, 1, 0, 128);
	kit_must(k, "req_notify", k->ops->req_notify(k->b.rcq, true));
	if (c->value[0] != PLAIN)
		wr.send_flags |= IBV_SEND_SOLICITED;
	if (c->value[0] == SOLICITED_DATAGRAM) {
		ah = kit_ah(k, &k->a, &k->b);
		wr.wr.ud.ah = ah ? ah->ibv : NULL;
		wr.wr.ud.remote_qpn = k->b.qp->qp_num;
		wr.wr.ud.remote_qkey = KIT_QKEY;
	}
	if (c->value[0] == SOLICITED_WRITE_IMM) {
		wr.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
		wr.wr.rdma.remote_addr = (uintptr_t)k->b.buf;
		wr.wr.rdma.rkey = k->b.mr->rkey;
	}
	if (c->value[0] == ERROR)
		kit_must(k, "ERR", kit_to_state(k, &k->b, IBV_QPS_ERR));
	else
		kit_must(k, "post_send", kit_post(k, &k->a, &wr));
	say_event(k, "receiver", k->pair.rcq_chan, k->b.rcq, c->value[0] == PLAIN ? KIT_QUIET_US :
		KIT_WAIT_US);
}

/* Two queues, one channel: the event names the right one. */
static void
run_two(struct kit *k, const struct conform_case *c)
{
	struct verbs_qp *first;
	struct verbs_cq *first_cq;

	(void)c;
	k->pair.scq_chan = kit_chan(k, &k->a);
	if (!kit_pair_connect(k))
		return;
	first = k->a.qp;
	first_cq = k->a.scq;
	if (!kit_pair_connect(k))
		return;
	kit_must(k, "req_notify", k->ops->req_notify(first_cq, false));
	kit_must(k, "req_notify", k->ops->req_notify(k->a.scq, false));
	write_once(k);
	say_event(k, "second's", k->pair.scq_chan, k->a.scq, KIT_WAIT_US);
	k->a.qp = first;
	write_once(k);
	say_event(k, "first's", k->pair.scq_chan, first_cq, KIT_WAIT_US);
}

#define RC VERBS_CAP(RC)
#define EV (VERBS_CAP(RC) | VERBS_CAP(CQ_EVENTS))

static const struct conform_case rows[] = {
	{ "cq/empty", 0, "poll 0; size ok", run_empty, .value = { 0 } },
	{ "cq/order", RC, "16 in order", run_order, .value = { 0 } },
	{ "cq/one-for-all-queues", RC, "seen 1e", run_shared, .value = { 0 } },
	{ "cq/overrun", RC | VERBS_CAP(ASYNC_EVENTS), "CQ_ERR", run_overrun, .value = { 0 } },
	{ "cq/exactly-full", RC | VERBS_CAP(ASYNC_EVENTS), "all; A no event", run_full,
		.value = { 0 } },
	{ "cq/destroyed-while-used", RC, "used EBUSY; then ok", run_used, .value = { DESTROY_CQ } },
	{ "cq/channel-destroyed-while-used", EV, "used EBUSY; then ok; and ok", run_used,
		.value = { DESTROY_CHAN } },
	{ "cq/grown-with-completions-in-it", RC | VERBS_CAP(RESIZE_CQ), "resize ok; 8 in order",
		run_resize, .value = { 200 } },
	{ "cq/shrunk-to-what-is-in-it", RC | VERBS_CAP(RESIZE_CQ), "resize ok; 8 in order",
		run_resize, .value = { 8 } },
	{ "cq/shrunk-below-what-is-in-it", RC | VERBS_CAP(RESIZE_CQ), "resize EINVAL; 8 in order",
		run_resize, .value = { 3 } },
	{ "cq/event", EV, "first event", run_event, .value = { ARMED } },
	{ "cq/no-event-unless-armed", EV, "first none", run_event, .value = { UNARMED } },
	{ "cq/one-event-for-one-arming", EV, "first event; second none", run_event,
		.value = { ONCE } },
	{ "cq/armed-again", EV, "first event; second event", run_event, .value = { ARMED_AGAIN } },
	{ "cq/armed-behind-a-completion", EV, "first none", run_event, .value = { ARMED_LATE } },
	{ "cq/solicited-only-and-a-plain-message", EV, "receiver none", run_solicited,
		.value = { PLAIN } },
	{ "cq/solicited-only-and-a-solicited-message", EV, "receiver event", run_solicited,
		.value = { SOLICITED } },
	{ "cq/solicited-only-and-a-solicited-immediate", EV, "receiver event", run_solicited,
		.value = { SOLICITED_WRITE_IMM } },
	{ "cq/solicited-only-and-a-solicited-datagram", EV | VERBS_CAP(UD), "receiver event",
		run_solicited, .value = { SOLICITED_DATAGRAM } },
	{ "cq/solicited-only-and-an-error", EV, "receiver event", run_solicited,
		.value = { ERROR } },
	{ "cq/two-on-one-channel", EV, "second's event; first's event", run_two, .value = { 0 } },
};

void
cases_completion(struct case_list *l)
{
	CASE_ADD_ALL(l, rows);
}
