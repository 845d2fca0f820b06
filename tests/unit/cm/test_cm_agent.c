/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_cm_agent.c - the entry points: which datagrams they accept, listeners, deadlines,
 * configuration, and calls about connections that do not exist.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/cm/rig.h"

static void
texts(void **state)
{
	(void)state;
	assert_string_equal(cm_state_text(CM_STATE_IDLE), "IDLE");
	assert_string_equal(cm_state_text(CM_STATE_SIDR_REQ_RCVD), "SIDR_REQ_RCVD");
	assert_string_equal(cm_state_text(CM_STATE_KINDS), "?");
	assert_string_equal(cm_lap_state_text(CM_LAP_STATE_NONE), "NONE");
	assert_string_equal(cm_lap_state_text(CM_LAP_STATE_MRA_SENT), "MRA_SENT");
	assert_string_equal(cm_lap_state_text((enum cm_lap_state)5), "?");
	assert_string_equal(cm_event_text(CM_EVENT_REQ), "REQ");
	assert_string_equal(cm_event_text(CM_EVENT_RELEASED), "RELEASED");
	assert_string_equal(cm_event_text(CM_EVENT_KINDS), "?");
}

/* 4.096 us x 2^code, in whole microseconds, over the five bits of a code. */
static void
codes(void **state)
{
	(void)state;
	assert_int_equal(cm_code_us(0), 4);
	assert_int_equal(cm_code_us(1), 8);
	assert_int_equal(cm_code_us(12), 16777);
	assert_true(cm_code_us(31) == INT64_C(8796093022));
	for (uint8_t i = 1; i < 32; i++)
		assert_true(cm_code_us(i) > cm_code_us((uint8_t)(i - 1)));
}

/* What is not a Send of class 7 version 2 is the caller's. */
static void
others_datagrams(void **state)
{
	static const unsigned at[] = { 0, 1, 2, 3 };
	struct cm *c = agent_default();

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct dgram d = peer_message(CM_REQ_ID, 9);

		d.mad[at[i]]++;
		assert_false(cm_receive(c, &d, at_us(0)));
	}
	assert_int_equal(cm_stats(c)->received[0], 0);
	expect_no_event(c);
	expect_no_send(c);
	cm_free(c);
}

/* A send that came back, a short datagram and an unknown message are taken and change nothing. */
static void
useless_datagrams(void **state)
{
	struct cm *c = agent_default();
	struct cm_req q = peer_req(1);
	struct dgram d = peer_message(CM_REQ_ID, 9);

	(void)state;
	cm_req_encode(d.mad + CM_MESSAGE_AT, &q);
	d.status = ETIMEDOUT;
	assert_true(cm_receive(c, &d, at_us(0)));
	assert_int_equal(cm_stats(c)->received[0], 0);
	d.status = 0;
	d.bytes = DGRAM_BYTES - 1;
	assert_true(cm_receive(c, &d, at_us(0)));
	assert_int_equal(cm_stats(c)->malformed, 1);
	assert_int_equal(cm_stats(c)->open, 0);
	d.bytes = DGRAM_BYTES;
	for (unsigned id = 0; id < 0x40; id++) {
		if (id >= CM_REQ_ID && id <= CM_APR_ID)
			continue;
		dgram_set_attr_id(d.mad, (uint16_t)id);
		assert_true(cm_receive(c, &d, at_us(0)));
	}
	assert_int_equal(cm_stats(c)->ignored, 0x40 - 11);
	assert_int_equal(cm_stats(c)->open, 0);
	expect_no_event(c);
	expect_no_send(c);
	cm_free(c);
}

static void
listener_limits(void **state)
{
	struct cm *c = cm_new(&(struct cm_conf){
		.open_max = 1, .open_per_source = 1, .wait_min_us = 1, .wait_max_us = 1,
		.exchange_max_us = 1, .consumer_us = 1, .timewait_min_us = 1, .timewait_max_us = 1,
		.queue_max = 1,
	});

	(void)state;
	/* IDs that a CM assigns itself, at both ends of the range and beside it */
	assert_int_equal(cm_listen(c, UINT64_C(0x0200000000000000), UINT64_MAX, 0), -EINVAL);
	assert_int_equal(cm_listen(c, UINT64_C(0x02ffffffffffffff), UINT64_MAX, 0), -EINVAL);
	assert_int_equal(cm_listen(c, UINT64_C(0x01ffffffffffffff), UINT64_MAX, 0), 0);
	assert_int_equal(cm_listen(c, UINT64_C(0x0300000000000000), UINT64_MAX, 0), 0);
	/* bits outside the mask do not make another ID; another mask does */
	assert_int_equal(cm_listen(c, 0x1200, ~UINT64_C(0xff), 0), 0);
	assert_int_equal(cm_listen(c, 0x12fe, ~UINT64_C(0xff), 0), -EBUSY);
	assert_int_equal(cm_listen(c, 0x1200, ~UINT64_C(0xfff), 0), 0);
	for (unsigned i = 4; i < 256; i++)
		assert_int_equal(cm_listen(c, 0x10000 + i, UINT64_MAX, 0), 0);
	assert_int_equal(cm_listen(c, 0x20000, UINT64_MAX, 0), -EINVAL);
	cm_unlisten(c, 0x99999, UINT64_MAX);            /* nobody's: frees no place */
	assert_int_equal(cm_listen(c, 0x20000, UINT64_MAX, 0), -EINVAL);
	cm_unlisten(c, 0x10004, UINT64_MAX);
	assert_int_equal(cm_listen(c, 0x20000, UINT64_MAX, 0), 0);
	cm_free(c);
}

/* The most specific listener gets a request, whatever the order in which they came. */
static void
specific_first(void **state)
{
	static const uint64_t masks[3] = { 0, ~UINT64_C(0xff), UINT64_MAX };
	static const unsigned orders[3][3] = { { 0, 1, 2 }, { 2, 1, 0 }, { 1, 2, 0 } };

	(void)state;
	for (unsigned o = 0; o < 3; o++) {
		struct cm_conf f = cm_conf_default();
		struct cm *c = cm_new(&f);
		struct cm_req q = peer_req(1);

		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(cm_listen(c, SERVICE, masks[orders[o][i]], orders[o][i]),
				0);
		for (unsigned want = 3; want--;) {
			q.local_comm_id = q.local_qpn = 10 + want;
			peer_asks(c, &q, 9, 0);
			assert_int_equal(expect_event(c, CM_EVENT_REQ).cookie, want);
			cm_unlisten(c, SERVICE, masks[want]);
		}
		q.local_comm_id = q.local_qpn = 99;
		peer_asks(c, &q, 9, 0);
		expect_send(c, CM_REJ_ID);
		assert_int_equal(cm_stats(c)->no_listener, 1);
		cm_free(c);
	}
}

/* The deadline is the earliest one; a tick before it does nothing. */
static void
deadlines(void **state)
{
	struct cm_conf f = cm_conf_default();
	struct cm *c;
	struct cm_req q = peer_req(1);
	struct monotime at;

	(void)state;
	f.consumer_us = 1000;
	c = agent_new(&f);
	assert_false(cm_deadline(c, &at));
	peer_asks(c, &q, 9, 500);
	q = peer_req(2);
	peer_asks(c, &q, 9, 700);
	expect_event(c, CM_EVENT_REQ);
	expect_event(c, CM_EVENT_REQ);
	assert_true(cm_deadline(c, &at));
	assert_int_equal(at.us, 1500);
	cm_tick(c, at_us(1499));
	expect_no_event(c);
	cm_tick(c, at_us(1500));
	expect_event(c, CM_EVENT_LATE);
	expect_event(c, CM_EVENT_RELEASED);
	expect_no_event(c);
	assert_true(cm_deadline(c, &at));
	assert_int_equal(at.us, 1700);
	cm_free(c);
}

/* A changed limit holds for what comes next; what is open stays, and so do IDs and QPNs. */
static void
changed_conf(void **state)
{
	struct cm_conf f = cm_conf_default();
	struct cm *c;
	struct cm_req q = peer_req(1);
	struct cm_rej r;
	struct dgram d;
	uint32_t id;

	(void)state;
	f.id_start = 100;
	c = agent_new(&f);
	peer_asks(c, &q, 9, 0);
	id = expect_event(c, CM_EVENT_REQ).id;
	assert_int_equal(id, 100);
	f.open_max = 1;
	f.id_start = 5000;
	f.qpn_first = 0x9000;
	f.ca_guid = 0x333;
	cm_set_conf(c, &f);
	q = peer_req(2);
	peer_asks(c, &q, 9, 0);
	d = expect_send(c, CM_REJ_ID);
	r = cm_rej_decode(d.mad + CM_MESSAGE_AT);
	assert_int_equal(r.reason, CM_REJECT_NO_RESOURCES);
	assert_int_equal(cm_state(c, id), CM_STATE_REQ_RCVD);
	f.open_max = 2;
	cm_set_conf(c, &f);
	peer_asks(c, &q, 9, 0);
	id = expect_event(c, CM_EVENT_REQ).id;
	assert_int_equal(id, 101);
	assert_int_equal(cm_accept(c, id, &(struct cm_rep){ 0 }, at_us(0)), 0);
	d = expect_send(c, CM_REP_ID);
	assert_in_range(cm_rep_decode(d.mad + CM_MESSAGE_AT).local_qpn, 0x40, 0x4f);
	assert_int_equal(cm_rep_decode(d.mad + CM_MESSAGE_AT).local_ca_guid, 0x333);
	cm_free(c);
}

static void
no_such_connection(void **state)
{
	struct cm *c = agent_default();
	struct cm_ends e;
	uint32_t ids[] = { 0, 1, UINT32_MAX };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		uint32_t id = ids[i];

		assert_int_equal(cm_accept(c, id, &(struct cm_rep){ 0 }, at_us(0)), -ENOENT);
		assert_int_equal(cm_ready(c, id, at_us(0)), -ENOENT);
		assert_int_equal(cm_delay(c, id, 3, at_us(0)), -ENOENT);
		assert_int_equal(cm_reject(c, id, 28, NULL, 0, at_us(0)), -ENOENT);
		assert_int_equal(cm_data(c, id, at_us(0)), -ENOENT);
		assert_int_equal(cm_disconnect(c, id, at_us(0)), -ENOENT);
		assert_int_equal(cm_disconnected(c, id, at_us(0)), -ENOENT);
		assert_int_equal(cm_load_path(c, id, &(struct cm_lap){ 0 }, at_us(0)), -ENOENT);
		assert_int_equal(cm_answer_path(c, id, 0, at_us(0)), -ENOENT);
		assert_int_equal(cm_abort(c, id, at_us(0)), -ENOENT);
		assert_int_equal(cm_sidr_answer(c, id, &(struct cm_sidr_rep){ 0 }, at_us(0)),
			-ENOENT);
		assert_int_equal(cm_ends(c, id, &e), -ENOENT);
		assert_int_equal(cm_state(c, id), CM_STATE_IDLE);
		assert_int_equal(cm_lap_state(c, id), CM_LAP_STATE_NONE);
	}
	expect_no_send(c);
	expect_no_event(c);
	cm_free(c);
}

/* Connections, events and messages that nobody pulled are freed with the agent. */
static void
free_with_everything(void **state)
{
	struct cm *c = agent_default();
	struct dgram d;

	(void)state;
	cm_free(NULL);
	agent_established(c, 8);
	agent_connect(c, 0);
	for (uint32_t i = 20; i < 40; i++) {
		struct cm_req q = peer_req(i);

		peer_asks(c, &q, 7, 0);
	}
	d = peer_message_about(CM_DREQ_ID, 5, 1, 2);
	assert_true(cm_receive(c, &d, at_us(0)));
	cm_free(c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),
		cmocka_unit_test(codes),
		cmocka_unit_test(others_datagrams),
		cmocka_unit_test(useless_datagrams),
		cmocka_unit_test(listener_limits),
		cmocka_unit_test(specific_first),
		cmocka_unit_test(deadlines),
		cmocka_unit_test(changed_conf),
		cmocka_unit_test(no_such_connection),
		cmocka_unit_test(free_with_everything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
