/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_cm_table.c - IDs and QPNs: wrap-around, rotation, exhaustion; the limits that count
 * connections; the order of timers.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/cm/rig.h"

/* IDs go on after the last one; 0 is none. */
static void
id_wraps(void **state)
{
	struct cm_conf f = cm_conf_default();
	struct cm *c;

	(void)state;
	f.id_start = UINT32_MAX - 1;
	c = agent_new(&f);
	assert_true(agent_connect(c, 0) == UINT32_MAX - 1);
	assert_true(agent_connect(c, 0) == UINT32_MAX);
	assert_int_equal(agent_connect(c, 0), 1);
	assert_int_equal(agent_connect(c, 0), 2);
	cm_free(c);
}

/* An ID that is still open when the counter comes round is passed over. */
static void
id_in_use(void **state)
{
	struct cm_conf f = cm_conf_default();
	struct cm *c;
	uint32_t open;

	(void)state;
	f.id_start = 0;
	c = agent_new(&f);
	open = agent_connect(c, 0);
	assert_int_equal(open, 1);
	for (uint32_t i = 2; i < 50; i++) {
		assert_int_equal(agent_connect(c, 0), i);
		assert_int_equal(cm_abort(c, i, at_us(0)), 0);
		assert_int_equal(cm_state(c, i), CM_STATE_IDLE);
	}
	assert_int_equal(cm_state(c, open), CM_STATE_REQ_SENT);
	assert_int_equal(cm_stats(c)->open, 1);
	assert_int_equal(cm_stats(c)->open_max_seen, 2);
	cm_free(c);
}

/* All QPNs of the range are given out once, then none; a freed one comes back. */
static void
qpns_run_out(void **state)
{
	struct cm_conf f = cm_conf_default();
	struct cm_ask a = { .addr = { .lid = 9, .qpn = 1 } };
	struct cm *c;
	uint32_t ids[16], id;
	unsigned seen = 0;
	struct cm_ends e;

	(void)state;
	a.req = peer_req(0);
	a.req.local_qpn = 0;
	f.id_start = UINT32_MAX - 5;            /* the start of the rotation wraps too */
	c = agent_new(&f);
	for (unsigned i = 0; i < 16; i++) {
		assert_int_equal(cm_connect(c, &a, at_us(0), &ids[i]), 0);
		assert_int_equal(cm_ends(c, ids[i], &e), 0);
		assert_in_range(e.local_qpn, 0x40, 0x4f);
		seen |= 1u << (e.local_qpn - 0x40);
	}
	assert_int_equal(seen, 0xffff);
	assert_int_equal(cm_connect(c, &a, at_us(0), &id), -ENOSPC);
	assert_int_equal(cm_stats(c)->open, 16);        /* the failed one left nothing */
	expect_no_event(c);
	/* a QPN of the consumer's own needs none of the range */
	a.req.local_qpn = 0x123456;
	assert_int_equal(cm_connect(c, &a, at_us(0), &id), 0);
	assert_int_equal(cm_ends(c, id, &e), 0);
	assert_int_equal(e.local_qpn, 0x123456);
	a.req.local_qpn = 0;
	assert_int_equal(cm_ends(c, ids[3], &e), 0);
	assert_int_equal(cm_abort(c, ids[3], at_us(0)), 0);
	assert_int_equal(cm_connect(c, &a, at_us(0), &id), 0);
	seen = e.local_qpn;
	assert_int_equal(cm_ends(c, id, &e), 0);
	assert_int_equal(e.local_qpn, seen);
	cm_free(c);
}

/* A QPN just freed is used again only after all others. */
static void
qpns_rotate(void **state)
{
	struct cm_ask a = { .addr = { .lid = 9, .qpn = 1 } };
	struct cm *c = agent_default();
	uint32_t last = 0;

	(void)state;
	a.req = peer_req(0);
	a.req.local_qpn = 0;
	for (unsigned i = 0; i < 40; i++) {
		struct cm_ends e;
		uint32_t id;

		assert_int_equal(cm_connect(c, &a, at_us(0), &id), 0);
		assert_int_equal(cm_ends(c, id, &e), 0);
		if (i)
			assert_int_equal(e.local_qpn, last == 0x4f ? 0x40 : last + 1);
		last = e.local_qpn;
		assert_int_equal(cm_abort(c, id, at_us(0)), 0);
	}
	cm_free(c);
}

/* An accept without a free QPN fails and leaves the request as it was. */
static void
accept_without_qpn(void **state)
{
	struct cm_conf f = cm_conf_default();
	struct cm *c;
	struct cm_req q = peer_req(1);
	uint32_t id;

	(void)state;
	f.qpn_count = 1;
	c = agent_new(&f);
	agent_established(c, 7);
	peer_asks(c, &q, 9, 0);
	id = expect_event(c, CM_EVENT_REQ).id;
	assert_int_equal(cm_accept(c, id, &(struct cm_rep){ 0 }, at_us(0)), -ENOSPC);
	assert_int_equal(cm_state(c, id), CM_STATE_REQ_RCVD);
	expect_no_send(c);
	assert_int_equal(cm_accept(c, id, &(struct cm_rep){ .local_qpn = 0x99 }, at_us(0)), 0);
	cm_free(c);
}

/* What a source opened is counted until it is released, after TIMEWAIT; ours never count. */
static void
source_counts(void **state)
{
	struct cm_conf f = cm_conf_default();
	struct cm *c;
	struct cm_req q = peer_req(3);
	struct dgram d;
	uint32_t id;

	(void)state;
	f.open_per_source = 2;
	c = agent_new(&f);
	for (unsigned i = 0; i < 4; i++)
		agent_connect(c, 0);
	while (cm_next_send(c, &d))
		continue;
	id = agent_established(c, 1);
	agent_established(c, 2);
	peer_asks(c, &q, 9, 0);
	expect_send(c, CM_REJ_ID);
	assert_int_equal(cm_stats(c)->refused_source, 1);
	peer_asks(c, &q, 8, 0);                 /* another LID has its own limit */
	expect_event(c, CM_EVENT_REQ);
	assert_int_equal(cm_disconnect(c, id, at_us(0)), 0);
	expect_send(c, CM_DREQ_ID);
	d = peer_message_about(CM_DREP_ID, 9, 1, id);
	assert_true(cm_receive(c, &d, at_us(0)));
	assert_int_equal(cm_state(c, id), CM_STATE_TIMEWAIT);
	assert_int_equal(cm_stats(c)->timewait, 1);
	q = peer_req(4);
	peer_asks(c, &q, 9, 0);
	assert_int_equal(cm_stats(c)->refused_source, 2);
	pass_until(c, 5000);
	assert_int_equal(cm_state(c, id), CM_STATE_IDLE);
	assert_int_equal(cm_stats(c)->timewait, 0);
	peer_asks(c, &q, 9, 5000);
	assert_int_equal(cm_stats(c)->refused_source, 2);
	cm_free(c);
}

/* Hundreds of timers, set in scrambled order and partly stopped, run out in the order of time. */
static void
timers_in_order(void **state)
{
	enum { N = 500 };
	struct cm_conf f = cm_conf_default();
	struct cm *c;
	struct monotime at;
	struct cm_event e;
	int64_t due[N + 1] = { 0 };             /* by ID, which counts from 1 */
	unsigned late = 0;

	(void)state;
	f.open_per_source = N;
	f.consumer_us = 1000000;
	c = agent_new(&f);
	for (uint32_t i = 0; i < N; i++) {
		struct cm_req q = peer_req(1 + i);
		uint32_t id;

		peer_asks(c, &q, 9, (int64_t)(i * 7919 % 1009));
		id = expect_event(c, CM_EVENT_REQ).id;
		assert_in_range(id, 1, N);
		due[id] = 1000000 + i * 7919 % 1009;
		if (i % 5)
			continue;
		assert_int_equal(cm_abort(c, id, at_us(0)), 0);
		expect_event(c, CM_EVENT_RELEASED);
	}
	while (cm_deadline(c, &at)) {
		cm_tick(c, at);
		while (cm_next_event(c, &e)) {
			assert_int_equal(due[e.id], at.us);
			late += e.kind == CM_EVENT_LATE;
		}
	}
	assert_int_equal(late, N - N / 5);
	assert_int_equal(cm_stats(c)->open, 0);
	cm_free(c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(id_wraps),
		cmocka_unit_test(id_in_use),
		cmocka_unit_test(qpns_run_out),
		cmocka_unit_test(qpns_rotate),
		cmocka_unit_test(accept_without_qpn),
		cmocka_unit_test(source_counts),
		cmocka_unit_test(timers_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
