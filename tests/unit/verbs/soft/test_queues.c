/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_queues.c - completion queues (overrun, resize, events), shared receive queues (limit,
 * last WQE), asynchronous events.
 */
#include <config.h>
#include "tests/unit/verbs/soft/rig.h"

/* The queue fails once, and so does the queue pair that completes something. */
static void
overrun(void **state)
{
	struct rig r = rig_open(1);
	struct ibv_wc wc[8];

	(void)state;
	r.scqe = 7;
	rig_connect(&r);
	for (unsigned i = 0; i < 12; i++)
		rig_do(&r, IBV_WR_RDMA_WRITE, 0, 8, i);
	r.ops->advance(r.world, 10000);
	rig_expect_event(&r, &r.a, IBV_EVENT_CQ_ERR);
	rig_expect_event(&r, &r.a, IBV_EVENT_QP_FATAL);
	rig_expect_no_event(&r, &r.a);
	assert_int_equal(rig_state(&r, &r.a), IBV_QPS_ERR);
	assert_int_equal(r.ops->poll(r.a.scq, 8, wc), 7);
	assert_int_equal(wc[6].wr_id, 6);
	rig_close(&r);
}

static void
resize(void **state)
{
	struct rig r = rig_open(1);

	(void)state;
	rig_connect(&r);
	for (unsigned i = 0; i < 10; i++)
		rig_do(&r, IBV_WR_RDMA_WRITE, 0, 8, i);
	r.ops->advance(r.world, 1000);
	for (unsigned i = 0; i < 3; i++)
		rig_expect(&r, r.a.scq, i, IBV_WC_SUCCESS);
	assert_int_equal(r.ops->resize_cq(r.a.scq, 6), -EINVAL);
	assert_int_equal(r.ops->resize_cq(r.a.scq, 0), -EINVAL);
	assert_int_equal(r.ops->resize_cq(r.a.scq, 7), 0);
	for (unsigned i = 3; i < 10; i++)
		rig_expect(&r, r.a.scq, i, IBV_WC_SUCCESS);
	assert_int_equal(r.ops->destroy_cq(r.a.scq), -EBUSY);
	rig_close(&r);
}

/* One event per arming; armed for solicited ones, only for messages with the flag and for
 * errors. */
static void
completion_events(void **state)
{
	struct rig r = rig_open(1);
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	struct verbs_chan *chan;
	struct verbs_cq *cq, *plain;

	(void)state;
	rig_qp_create(&r, &r.a);
	assert_int_equal(r.ops->create_chan(r.b.dev, &chan), 0);
	rig_qp_create(&r, &r.b);
	plain = r.b.rcq;
	assert_int_equal(r.ops->destroy_qp(r.b.qp), 0);
	assert_int_equal(r.ops->destroy_cq(plain), 0);
	assert_int_equal(r.ops->create_cq(r.b.dev, 64, chan, &r.b.rcq), 0);
	assert_int_equal(r.ops->create_qp(r.b.pd, &(struct verbs_qp_init){ .type = IBV_QPT_RC,
		.send_cq = r.b.scq,
		.recv_cq = r.b.rcq, .cap = { .max_recv_wr = 16, .max_recv_sge = 1 } }, &r.b.qp), 0);
	assert_int_equal(rig_to_init(&r, &r.a) | rig_to_init(&r, &r.b), 0);
	assert_int_equal(rig_to_rtr(&r, &r.a, &r.b) | rig_to_rtr(&r, &r.b, &r.a), 0);
	assert_int_equal(rig_to_rts(&r, &r.a) | rig_to_rts(&r, &r.b), 0);
	for (unsigned i = 0; i < 8; i++)
		rig_recv(&r, &r.b, 0, 8, i);
	assert_int_equal(rig_post(&r, &r.a, wr, rig_sge(&r.a, 0, 8)), 0);
	r.ops->advance(r.world, 100);
	assert_int_equal(r.ops->get_cq_event(chan, &cq), -EAGAIN);      /* not armed */
	assert_int_equal(r.ops->req_notify(r.b.rcq, false), 0);
	/* earlier completions raise no event */
	assert_int_equal(r.ops->get_cq_event(chan, &cq), -EAGAIN);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(rig_post(&r, &r.a, wr, rig_sge(&r.a, 0, 8)), 0);
	r.ops->advance(r.world, 100);
	assert_int_equal(r.ops->get_cq_event(chan, &cq), 0);
	assert_ptr_equal(cq, r.b.rcq);
	assert_int_equal(r.ops->get_cq_event(chan, &cq), -EAGAIN);
	assert_int_equal(r.ops->req_notify(r.b.rcq, true), 0);
	assert_int_equal(rig_post(&r, &r.a, wr, rig_sge(&r.a, 0, 8)), 0);
	r.ops->advance(r.world, 100);
	assert_int_equal(r.ops->get_cq_event(chan, &cq), -EAGAIN);
	wr.send_flags = IBV_SEND_SOLICITED;
	assert_int_equal(rig_post(&r, &r.a, wr, rig_sge(&r.a, 0, 8)), 0);
	r.ops->advance(r.world, 100);
	assert_int_equal(r.ops->get_cq_event(chan, &cq), 0);
	assert_int_equal(r.ops->req_notify(r.b.rcq, true), 0);
	assert_int_equal(rig_to(&r, &r.b, IBV_QPS_ERR), 0);
	assert_int_equal(r.ops->destroy_chan(chan), -EBUSY);
	assert_int_equal(r.ops->get_cq_event(chan, &cq), 0);            /* an error */
	assert_int_equal(r.ops->destroy_qp(r.b.qp), 0);
	assert_int_equal(r.ops->destroy_cq(r.b.rcq), 0);
	assert_int_equal(r.ops->destroy_chan(chan), 0);
	r.b.qp = NULL;
	r.b.rcq = NULL;
	rig_close(&r);
}

static void
shared_receives(void **state)
{
	struct rig r = rig_open(1);
	struct ibv_srq_attr attr = { .srq_limit = 3 }, got;

	(void)state;
	r.srq = true;
	rig_connect(&r);
	for (unsigned i = 0; i < 4; i++)
		rig_recv(&r, &r.b, 0, 100, i);
	assert_int_equal(r.ops->modify_srq(r.b.srq, &attr, IBV_SRQ_LIMIT), 0);
	for (unsigned i = 0; i < 3; i++) {
		rig_do(&r, IBV_WR_SEND, 0, 100, i);
		rig_expect(&r, r.b.rcq, i, IBV_WC_SUCCESS);
		if (i == 0)
			/* three are left, which is not below the limit */
			rig_expect_no_event(&r, &r.b);
	}
	rig_expect_event(&r, &r.b, IBV_EVENT_SRQ_LIMIT_REACHED);
	rig_expect_no_event(&r, &r.b);
	assert_int_equal(r.ops->query_srq(r.b.srq, &got), 0);
	assert_int_equal(got.srq_limit, 0);                     /* it is raised once */
	assert_int_equal(got.max_wr, 16);
	assert_int_equal(r.ops->modify_srq(r.b.srq, &attr, IBV_SRQ_LIMIT), 0);
	/* at once: only one is left */
	rig_expect_event(&r, &r.b, IBV_EVENT_SRQ_LIMIT_REACHED);
	attr.max_wr = 32;
	assert_int_equal(r.ops->modify_srq(r.b.srq, &attr, IBV_SRQ_MAX_WR), 0);
	for (unsigned i = 0; i < 31; i++)
		rig_recv(&r, &r.b, 0, 100, 10 + i);
	assert_int_equal(rig_to(&r, &r.b, IBV_QPS_ERR), 0);
	rig_expect_event(&r, &r.b, IBV_EVENT_QP_LAST_WQE_REACHED);
	/* receives of the shared queue stay there */
	rig_expect_none(&r, r.b.rcq, 100);
	assert_int_equal(r.ops->destroy_srq(r.b.srq), -EBUSY);
	rig_close(&r);
}

static void
shared_receives_full_and_failed(void **state)
{
	struct rig r = rig_open(1);
	struct ibv_sge sge = rig_sge(&r.b, 0, 8);
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	(void)state;
	r.srq = true;
	rig_connect(&r);
	for (unsigned i = 0; i < 16; i++)
		rig_recv(&r, &r.b, 0, 8, i);
	assert_int_equal(r.ops->post_srq_recv(r.b.srq, &wr, &bad), -ENOMEM);
	assert_ptr_equal(bad, &wr);
	assert_int_equal(r.ops->post_recv(r.b.qp, &wr, &bad), -EINVAL);
	assert_int_equal(r.ops->knob(r.b.dev, 1, VERBS_KNOB_SRQ_FATAL, r.b.qp->qp_num), 0);
	rig_expect_event(&r, &r.b, IBV_EVENT_SRQ_ERR);
	rig_do(&r, IBV_WR_SEND, 0, 8, 1);
	r.ops->advance(r.world, 100);
	rig_expect_event(&r, &r.b, IBV_EVENT_QP_FATAL);
	assert_int_equal(rig_state(&r, &r.b), IBV_QPS_ERR);
	rig_close(&r);
}

static void
communication_established(void **state)
{
	struct rig r = rig_open(1);

	(void)state;
	rig_qp_create(&r, &r.a);
	rig_qp_create(&r, &r.b);
	assert_int_equal(rig_to_init(&r, &r.a) | rig_to_init(&r, &r.b), 0);
	rig_recv(&r, &r.b, 0, 8, 5);
	rig_recv(&r, &r.b, 0, 8, 6);
	assert_int_equal(rig_to_rtr(&r, &r.a, &r.b) | rig_to_rtr(&r, &r.b, &r.a), 0);
	assert_int_equal(rig_to_rts(&r, &r.a), 0);
	rig_do(&r, IBV_WR_SEND, 0, 8, 1);
	rig_do(&r, IBV_WR_SEND, 0, 8, 2);
	rig_expect(&r, r.b.rcq, 5, IBV_WC_SUCCESS);             /* in RTR it receives */
	rig_expect(&r, r.b.rcq, 6, IBV_WC_SUCCESS);
	rig_expect_event(&r, &r.b, IBV_EVENT_COMM_EST);
	rig_expect_no_event(&r, &r.b);
	rig_close(&r);
}

/* Requests that have begun continue, others wait for RTS; the event comes with the last
 * acknowledgement. */
static void
draining(void **state)
{
	(void)state;
	for (int notify = 0; notify < 2; notify++) {
		struct rig r = rig_open(1);
		struct ibv_qp_attr attr = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };

		rig_connect(&r);
		rig_fill(r.b.buf, 60000, 5);
		rig_do(&r, IBV_WR_RDMA_READ, 0, 60000, 1);
		r.ops->advance(r.world, 1);
		assert_int_equal(r.ops->modify_qp(r.a.qp, &attr,
			IBV_QP_STATE | (notify ? IBV_QP_EN_SQD_ASYNC_NOTIFY : 0)), 0);
		rig_do(&r, IBV_WR_RDMA_WRITE, 0, 8, 2);
		rig_expect_no_event(&r, &r.a);
		assert_int_equal(r.ops->query_qp(r.a.qp, &attr, IBV_QP_STATE, NULL), 0);
		assert_int_equal(attr.sq_draining, 1);
		assert_int_equal(r.ops->modify_qp(r.a.qp, &attr, IBV_QP_TIMEOUT), -EBUSY);
		rig_expect(&r, r.a.scq, 1, IBV_WC_SUCCESS);
		assert_memory_equal(r.a.buf, r.b.buf, 60000);
		if (notify)
			rig_expect_event(&r, &r.a, IBV_EVENT_SQ_DRAINED);
		rig_expect_no_event(&r, &r.a);
		rig_expect_none(&r, r.a.scq, 1000);
		assert_int_equal(r.ops->query_qp(r.a.qp, &attr, IBV_QP_STATE, NULL), 0);
		assert_int_equal(attr.sq_draining, 0);
		assert_int_equal(r.ops->modify_qp(r.a.qp, &attr, IBV_QP_TIMEOUT), 0);
		assert_int_equal(rig_to(&r, &r.a, IBV_QPS_RTS), 0);
		rig_expect(&r, r.a.scq, 2, IBV_WC_SUCCESS);
		rig_expect_no_event(&r, &r.a);
		rig_close(&r);
	}
}

static void
ports_and_their_events(void **state)
{
	static const struct { enum verbs_knob knob; uint64_t value; enum ibv_event_type type;
		} rows[] = {
		{ VERBS_KNOB_PORT_UP, 0, IBV_EVENT_PORT_ERR },
			{ VERBS_KNOB_PORT_UP, 1, IBV_EVENT_PORT_ACTIVE },
		{ VERBS_KNOB_LID, 77, IBV_EVENT_LID_CHANGE },
			{ VERBS_KNOB_SM_LID, 9, IBV_EVENT_SM_CHANGE },
		{ VERBS_KNOB_PKEY, 3 << 16 | 0x8003, IBV_EVENT_PKEY_CHANGE },
		{ VERBS_KNOB_GID, UINT64_C(1) << 56 | 5, IBV_EVENT_GID_CHANGE },
		{ VERBS_KNOB_REREGISTER, 0, IBV_EVENT_CLIENT_REREGISTER },
	};
	struct rig r = rig_open(1);
	struct verbs_event e;
	struct ibv_port_attr p;
	struct ibv_gid_entry g;
	uint16_t pkey;

	(void)state;
	rig_connect(&r);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(r.ops->knob(r.b.dev, 2, rows[i].knob, rows[i].value), 0);
		assert_int_equal(r.ops->get_async_event(r.b.dev, &e), 0);
		assert_int_equal(e.type, rows[i].type);
		assert_int_equal(e.port, 2);
	}
	rig_expect_no_event(&r, &r.a);
	assert_int_equal(r.ops->query_port(r.b.dev, 2, &p), 0);
	assert_int_equal(p.lid, 77);
	assert_int_equal(p.sm_lid, 9);
	assert_int_equal(r.ops->query_pkey(r.b.dev, 2, 3, &pkey), 0);
	assert_int_equal(pkey, 0x8003);
	assert_int_equal(r.ops->query_gid(r.b.dev, 2, 1, &g), 0);
	assert_int_equal(g.gid.raw[15], 5);
	assert_int_equal(r.ops->knob(r.b.dev, 1, VERBS_KNOB_LID, 77), -EINVAL);         /* taken */
	assert_int_equal(r.ops->query_port(r.b.dev, 3, &p), -EINVAL);
	assert_int_equal(r.ops->query_gid(r.b.dev, 1, 8, &g), -EINVAL);
	assert_int_equal(r.ops->query_pkey(r.b.dev, 1, 16, &pkey), -EINVAL);
	rig_close(&r);
}

/* A link that is down for less time than the retries take only delays the messages. */
static void
port_flap(void **state)
{
	struct rig r = rig_open(1);

	(void)state;
	r.timeout = 10;
	r.retry = 7;
	rig_connect(&r);
	rig_recv(&r, &r.b, 0, 8, 5);
	assert_int_equal(r.ops->knob(r.b.dev, 1, VERBS_KNOB_PORT_UP, 0), 0);
	rig_do(&r, IBV_WR_SEND, 0, 8, 1);
	rig_expect_none(&r, r.a.scq, 20000);
	assert_int_equal(r.ops->knob(r.b.dev, 1, VERBS_KNOB_PORT_UP, 1), 0);
	rig_expect(&r, r.a.scq, 1, IBV_WC_SUCCESS);
	assert_int_equal(r.ops->knob(r.a.dev, 1, VERBS_KNOB_PORT_UP, 0), 0);
	rig_do(&r, IBV_WR_SEND, 0, 8, 1);
	rig_expect(&r, r.a.scq, 1, IBV_WC_RETRY_EXC_ERR);
	rig_close(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overrun), cmocka_unit_test(resize),
		cmocka_unit_test(completion_events), cmocka_unit_test(shared_receives),
		cmocka_unit_test(shared_receives_full_and_failed),
		cmocka_unit_test(communication_established), cmocka_unit_test(draining),
		cmocka_unit_test(ports_and_their_events), cmocka_unit_test(port_flap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
