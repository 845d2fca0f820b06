/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * event.c - area async: asynchronous events.
 * Room: verbs/conform/cases.
 */
#include <config.h>
#include <errno.h>
#include "verbs/conform/cases/cases.h"
#include "verbs/conform/kit/transfer.h"

#define RC VERBS_CAP(RC)
#define EV (VERBS_CAP(RC) | VERBS_CAP(ASYNC_EVENTS))
#define KNOB (VERBS_CAP(ASYNC_EVENTS) | VERBS_CAP(KNOBS))

/* A responder that refuses a request without a receive to complete raises an event instead. */
#define T(type_, op, n, broken_, ...) transfer_run, \
	.transfer = { .type = IBV_QPT_##type_, .opcode = IBV_WR_##op, .bytes = n, \
	.broken = broken_, .events = true, __VA_ARGS__ }

/* A packet that arrives in RTR raises COMM_EST. */
static void
run_comm_est(struct kit *k, const struct conform_case *c)
{
	struct verbs_event event;
	struct ibv_wc wc;

	k->pair.type = (enum ibv_qp_type)c->value[0];
	k->pair.retry = 7;
	kit_pair_make(k);
	kit_walk(k, &k->b, IBV_QPS_RTR);
	if (!kit_walk(k, &k->a, IBV_QPS_RTS))
		return;
	kit_recv(k, &k->b, 1, 0, 64);
	kit_send(k, &k->a, 2, 0, 64);
	kit_say_wc(k, "receiver", k->b.rcq, &wc);
	if (kit_event(k, &k->b, &event, KIT_WAIT_US))
		kit_say(k, "B %s%s", verbs_event_name(event.type), event.qp == k->b.qp ? "" :
			" of another");
	else
		kit_say(k, "B no event");
	kit_recv(k, &k->b, 3, 0, 64);           /* once only */
	kit_send(k, &k->a, 4, 0, 64);
	kit_say_wc(k, "receiver", k->b.rcq, &wc);
	kit_say_events(k, "B", &k->b);
}

enum { FLAP, LID, SM_LID, PKEY, GID, REREGISTER };

static void
run_port(struct kit *k, const struct conform_case *c)
{
	static const struct {
		enum verbs_knob knob;
		uint64_t value;
	} turns[] = {
		{ VERBS_KNOB_PORT_UP, 0 }, { VERBS_KNOB_LID, 77 }, { VERBS_KNOB_SM_LID, 78 },
			{ VERBS_KNOB_PKEY, UINT64_C(3) << 16 | 0x8003 },
		{ VERBS_KNOB_GID, UINT64_C(2) << 56 | 0x1234 }, { VERBS_KNOB_REREGISTER, 0 },
	};
	struct verbs_event event;
	uint8_t port = k->a.dev->port;

	kit_must(k, "knob", k->ops->knob(k->a.dev, port, turns[c->value[0]].knob,
		turns[c->value[0]].value));
	if (kit_event(k, &k->a, &event, KIT_WAIT_US))
		kit_say(k, "%s%s", verbs_event_name(event.type), event.port == port ? "" :
			" of another port");
	if (c->value[0] == FLAP) {
		kit_must(k, "knob", k->ops->knob(k->a.dev, port, VERBS_KNOB_PORT_UP, 1));
		if (kit_event(k, &k->a, &event, KIT_WAIT_US))
			kit_say(k, "%s%s", verbs_event_name(event.type), event.port == port ? "" :
				" of another port");
	}
	for (int i = 0; i < 8 && kit_event(k, &k->a, &event, KIT_QUIET_US); i++)
		kit_say(k, "and %s", verbs_event_name(event.type));
}

/* Queries return what a knob changed. */
static void
run_port_told(struct kit *k, const struct conform_case *c)
{
	struct ibv_port_attr p = { .lid = 0 };
	uint16_t pkey = 0;
	uint8_t port = k->a.dev->port;

	(void)c;
	kit_must(k, "knob", k->ops->knob(k->a.dev, port, VERBS_KNOB_LID, 99));
	kit_must(k, "knob", k->ops->knob(k->a.dev, port, VERBS_KNOB_SM_LID, 98));
	kit_must(k, "knob", k->ops->knob(k->a.dev, port, VERBS_KNOB_PKEY,
		UINT64_C(3) << 16 | 0x8003));
	kit_must(k, "knob", k->ops->knob(k->a.dev, port, VERBS_KNOB_PORT_UP, 0));
	kit_must(k, "query_port", k->ops->query_port(k->a.dev, port, &p));
	kit_must(k, "query_pkey", k->ops->query_pkey(k->a.dev, port, 3, &pkey));
	if (!k->broken)
		kit_say(k, "lid %u; sm_lid %u; P_Key %04x; %s", p.lid, p.sm_lid, pkey,
			p.state == IBV_PORT_ACTIVE ? "active" : "not active");
}

/* A port that is down loses all packets; when it is up again, retries arrive. */
static void
run_port_flap_data(struct kit *k, const struct conform_case *c)
{
	struct ibv_wc wc;

	k->pair.timeout = 14;
	k->pair.retry = (uint8_t)c->value[0];
	if (!kit_pair_connect(k))
		return;
	kit_pattern(k->a.buf, 3000, 4);
	kit_recv(k, &k->b, 1, 0, 4096);
	kit_must(k, "knob", k->ops->knob(k->b.dev, k->b.dev->port, VERBS_KNOB_PORT_UP, 0));
	kit_send(k, &k->a, 2, 0, 3000);
	kit_pass(k, 100000);
	kit_must(k, "knob", k->ops->knob(k->b.dev, k->b.dev->port, VERBS_KNOB_PORT_UP, 1));
	kit_say_wc(k, "sender", k->a.scq, &wc);
	if (!k->broken && wc.status == IBV_WC_SUCCESS) {
		kit_say_wc(k, "receiver", k->b.rcq, &wc);
		kit_check(k, "data", k->b.buf, 3000, 4);
	}
}

static void
run_device_fatal(struct kit *k, const struct conform_case *c)
{
	struct verbs_event event;
	struct verbs_pd *pd = NULL;
	int ret;

	(void)c;
	kit_must(k, "knob", k->ops->knob(k->a.dev, k->a.dev->port, VERBS_KNOB_DEVICE_FATAL, 0));
	kit_say(k, "%s", kit_event(k, &k->a, &event, KIT_WAIT_US) ? verbs_event_name(event.type) :
		"no event");
	ret = k->ops->alloc_pd(k->a.dev, &pd);
	if (!ret)
		kit_take(k, KIT_PD, pd);
	kit_say_result(k, "alloc_pd", ret);
}

/* An internal error of the queue pair: pending work completes with that error. */
static void
run_qp_fatal(struct kit *k, const struct conform_case *c)
{
	struct verbs_event event;
	struct ibv_wc wc;

	(void)c;
	k->pair.dest_qpn = 0xfffff0;
	k->pair.timeout = 20;
	if (!kit_pair_connect(k))
		return;
	kit_must(k, "post_send", kit_rdma(k, &k->a, IBV_WR_RDMA_WRITE, 1, 16, (uintptr_t)k->b.buf,
		k->b.mr->rkey));
	kit_must(k, "post_send", kit_rdma(k, &k->a, IBV_WR_RDMA_WRITE, 2, 16, (uintptr_t)k->b.buf,
		k->b.mr->rkey));
	kit_pass(k, 1000);
	kit_must(k, "knob", k->ops->knob(k->a.dev, k->a.dev->port, VERBS_KNOB_QP_FATAL,
		k->a.qp->qp_num));
	kit_say(k, "%s", kit_event(k, &k->a, &event, KIT_WAIT_US) ? verbs_event_name(event.type) :
		"no event");
	kit_say_wc(k, "sender", k->a.scq, &wc);
	kit_say_wc(k, "then", k->a.scq, &wc);
	kit_say(k, "A %s", verbs_qp_state_name(kit_state(k, &k->a)));
}

static void
run_srq_fatal(struct kit *k, const struct conform_case *c)
{
	struct verbs_event event;

	(void)c;
	k->pair.srq_b = true;
	if (!kit_pair_connect(k))
		return;
	kit_recv(k, &k->b, 1, 0, 64);
	kit_must(k, "knob", k->ops->knob(k->b.dev, k->b.dev->port, VERBS_KNOB_SRQ_FATAL,
		k->b.qp->qp_num));
	if (kit_event(k, &k->b, &event, KIT_WAIT_US))
		kit_say(k, "%s%s", verbs_event_name(event.type), event.srq == k->b.srq ? "" :
			" of another");
	else
		kit_say(k, "no event");
}

/* Unread events are discarded with their object. */
static void
run_vanish(struct kit *k, const struct conform_case *c)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };

	(void)c;
	if (!kit_pair_connect(k))
		return;
	kit_must(k, "SQD",
		k->ops->modify_qp(k->a.qp, &attr, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY));
	kit_pass(k, KIT_QUIET_US);
	kit_must(k, "destroy_qp", kit_destroy(k, k->a.qp));
	kit_say_events(k, "A", &k->a);
}

static const struct conform_case rows[] = {
	{ "async/rc-comm-est", EV, "receiver SUCCESS; B COMM_EST; receiver SUCCESS; B no event",
		run_comm_est, .value = { IBV_QPT_RC } },
	{ "async/uc-comm-est", EV | VERBS_CAP(UC),
		"receiver SUCCESS; B COMM_EST; receiver SUCCESS; B no event", run_comm_est,
		.value = { IBV_QPT_UC } },
	{ "async/write-with-bad-rkey", EV, "sender REM_ACCESS_ERR; B QP_ACCESS_ERR",
		T(RC, RDMA_WRITE, 64, BAD_RKEY) },
	{ "async/read-with-bad-rkey", EV, "sender REM_ACCESS_ERR; B QP_ACCESS_ERR",
		T(RC, RDMA_READ, 64, BAD_RKEY) },
	{ "async/atomic-with-bad-rkey", EV | VERBS_CAP(ATOMIC),
		"sender REM_ACCESS_ERR; B QP_ACCESS_ERR",
		T(RC, ATOMIC_FETCH_AND_ADD, 8, BAD_RKEY) },
	{ "async/write-without-the-right", EV, "sender REM_INV_REQ_ERR; B QP_REQ_ERR",
		T(RC, RDMA_WRITE, 64, QP_WITHOUT_RIGHT) },
	{ "async/read-without-depth", EV, "sender REM_INV_REQ_ERR; B QP_REQ_ERR",
		T(RC, RDMA_READ, 64, RESPONDER_DEPTH_0) },
	{ "async/atomic-misaligned", EV | VERBS_CAP(ATOMIC), "sender REM_INV_REQ_ERR; B QP_REQ_ERR",
		T(RC, ATOMIC_FETCH_AND_ADD, 8, MISALIGNED) },
	{ "async/receive-too-small-has-a-completion-instead", EV,
		"sender REM_INV_REQ_ERR; receiver LOC_LEN_ERR; B no event",
		T(RC, SEND, 256, RECEIVE_SMALL) },
	{ "async/none-for-what-is-well", EV, "sender SUCCESS; receiver SUCCESS; B no event",
		T(RC, SEND, 256, WHOLE) },
	{ "async/none-for-a-drop", EV | VERBS_CAP(UC), "sender SUCCESS; B no event",
		T(UC, RDMA_WRITE, 64, BAD_RKEY) },
	{ "async/port-down-and-up", KNOB, "PORT_ERR; PORT_ACTIVE", run_port, .value = { FLAP } },
	{ "async/lid-change", KNOB, "LID_CHANGE", run_port, .value = { LID } },
	{ "async/sm-change", KNOB, "SM_CHANGE", run_port, .value = { SM_LID } },
	{ "async/pkey-change", KNOB, "PKEY_CHANGE", run_port, .value = { PKEY } },
	{ "async/gid-change", KNOB, "GID_CHANGE", run_port, .value = { GID } },
	{ "async/client-reregister", KNOB, "CLIENT_REREGISTER", run_port, .value = { REREGISTER } },
	{ "async/changes-are-told-by-queries", KNOB, "lid 99; sm_lid 98; P_Key 8003; not active",
		run_port_told, .value = { 0 } },
	{ "async/port-flap-with-retries", KNOB | RC | VERBS_CAP(TWO_DEVICES),
		"sender SUCCESS; receiver SUCCESS", run_port_flap_data, .value = { 7 } },
	{ "async/port-flap-without-retries", KNOB | RC | VERBS_CAP(TWO_DEVICES),
		"sender RETRY_EXC_ERR", run_port_flap_data, .value = { 0 } },
	{ "async/device-fatal", KNOB, "DEVICE_FATAL; alloc_pd EIO", run_device_fatal,
		.value = { 0 } },
	{ "async/qp-fatal", KNOB | RC, "QP_FATAL; sender FATAL_ERR; then WR_FLUSH_ERR; A ERR",
		run_qp_fatal, .value = { 0 } },
	{ "async/srq-fatal", KNOB | RC | VERBS_CAP(SRQ), "SRQ_ERR", run_srq_fatal, .value = { 0 } },
	{ "async/vanish-with-their-object", EV, "A no event", run_vanish, .value = { 0 } },
};

void
cases_event(struct case_list *l)
{
	CASE_ADD_ALL(l, rows);
}
