/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_cm_conn.c - the state machine of a connection: the whole course of one, calls in the wrong
 * state, lost messages, and messages of a peer that lies.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/cm/rig.h"

/* The peer's REP to our connection 'ours'. */
static void
peer_accepts(struct cm *c, uint32_t theirs, uint32_t ours)
{
	struct dgram d = peer_message(CM_REP_ID, 9);

	cm_rep_encode(d.mad + CM_MESSAGE_AT, &(struct cm_rep){
		.local_comm_id = theirs, .remote_comm_id = ours, .local_ca_guid = PEER_GUID,
		.local_qpn = 0x1000 + theirs,
	});
	assert_true(cm_receive(c, &d, at_us(0)));
}

static void
peer_says(struct cm *c, uint16_t attr_id, uint32_t theirs, uint32_t ours, int64_t us)
{
	struct dgram d = peer_message_about(attr_id, 9, theirs, ours);

	assert_true(cm_receive(c, &d, at_us(us)));
}

static void
peer_disconnects(struct cm *c, uint32_t theirs, uint32_t ours, uint32_t qpn)
{
	struct dgram d = peer_message(CM_DREQ_ID, 9);

	cm_dreq_encode(d.mad + CM_MESSAGE_AT, &(struct cm_dreq){
		.local_comm_id = theirs, .remote_comm_id = ours, .remote_qpn = qpn,
	});
	assert_true(cm_receive(c, &d, at_us(0)));
}

/* Active: REQ, REP, RTU, DREQ, DREP, TIMEWAIT, and one end. */
static void
whole_course(void **state)
{
	struct cm *c = agent_default();
	uint32_t id = agent_connect(c, 0);
	struct cm_ends e;

	(void)state;
	expect_send(c, CM_REQ_ID);
	assert_int_equal(cm_state(c, id), CM_STATE_REQ_SENT);
	peer_accepts(c, 31, id);
	assert_int_equal(expect_event(c, CM_EVENT_REP).cookie, 77);
	assert_int_equal(cm_ready(c, id, at_us(0)), 0);
	expect_send(c, CM_RTU_ID);
	assert_int_equal(cm_state(c, id), CM_STATE_ESTABLISHED);
	assert_int_equal(cm_ends(c, id, &e), 0);
	assert_true(e.active);
	assert_int_equal(e.local_id, id);
	assert_int_equal(e.remote_id, 31);
	assert_int_equal(e.local_qpn, 0x77);
	assert_int_equal(e.remote_qpn, 0x1000 + 31);
	assert_true(e.remote_ca_guid == PEER_GUID);
	assert_true(e.service_id == SERVICE);
	assert_int_equal(e.addr.lid, 9);
	assert_int_equal(cm_disconnect(c, id, at_us(0)), 0);
	expect_send(c, CM_DREQ_ID);
	peer_says(c, CM_DREP_ID, 31, id, 0);
	expect_event(c, CM_EVENT_DISCONNECTED);
	assert_int_equal(cm_state(c, id), CM_STATE_TIMEWAIT);
	expect_no_event(c);
	pass_until(c, 100 * 1000000);
	assert_int_equal(expect_event(c, CM_EVENT_RELEASED).id, id);
	expect_no_event(c);
	assert_int_equal(cm_stats(c)->established, 1);
	assert_int_equal(cm_stats(c)->disconnected, 1);
	assert_int_equal(cm_stats(c)->open, 0);
	cm_free(c);
}

/* Calls that the state does not allow change nothing. */
static void
wrong_state(void **state)
{
	struct cm *c = agent_default();
	uint32_t ids[2] = { agent_connect(c, 0), 0 };
	enum cm_state states[2] = { CM_STATE_REQ_SENT, CM_STATE_ESTABLISHED };

	(void)state;
	expect_send(c, CM_REQ_ID);
	ids[1] = agent_established(c, 4);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(cm_accept(c, ids[i], &(struct cm_rep){ 0 }, at_us(0)), -EINVAL);
		assert_int_equal(cm_ready(c, ids[i], at_us(0)), -EINVAL);
		assert_int_equal(cm_delay(c, ids[i], 5, at_us(0)), -EINVAL);
		assert_int_equal(cm_reject(c, ids[i], 28, NULL, 0, at_us(0)), -EINVAL);
		assert_int_equal(cm_data(c, ids[i], at_us(0)), -EINVAL);
		assert_int_equal(cm_disconnected(c, ids[i], at_us(0)), -EINVAL);
		/* only the active side of an established connection may load a path */
		assert_int_equal(cm_load_path(c, ids[i], &(struct cm_lap){ 0 }, at_us(0)),
			-EINVAL);
		assert_int_equal(cm_answer_path(c, ids[i], 0, at_us(0)), -EINVAL);
		assert_int_equal(cm_sidr_answer(c, ids[i], &(struct cm_sidr_rep){ 0 }, at_us(0)),
			-EINVAL);
		assert_int_equal(cm_state(c, ids[i]), states[i]);
	}
	assert_int_equal(cm_disconnect(c, ids[0], at_us(0)), -EINVAL);
	expect_no_send(c);
	expect_no_event(c);
	cm_free(c);
}

/* A message must name both IDs, and a DREQ our QPN too; otherwise nothing happens. */
static void
wrong_names(void **state)
{
	struct cm *c = agent_default();
	uint32_t id = agent_established(c, 4);
	struct cm_ends e;

	(void)state;
	assert_int_equal(cm_ends(c, id, &e), 0);
	peer_disconnects(c, 4, id, e.local_qpn + 1);
	assert_int_equal(cm_stats(c)->ignored, 1);
	expect_no_send(c);
	peer_disconnects(c, 5, id, e.local_qpn);
	assert_int_equal(cm_stats(c)->unmatched, 1);
	expect_send(c, CM_DREP_ID);             /* to a peer that believes in a connection */
	peer_says(c, CM_REJ_ID, 5, id, 0);
	peer_says(c, CM_REJ_ID, 4, id + 1, 0);
	assert_int_equal(cm_stats(c)->unmatched, 3);
	expect_no_send(c);
	expect_no_event(c);
	assert_int_equal(cm_state(c, id), CM_STATE_ESTABLISHED);
	peer_disconnects(c, 4, id, e.local_qpn);
	expect_event(c, CM_EVENT_DISCONNECT);
	assert_int_equal(cm_disconnected(c, id, at_us(0)), 0);
	expect_send(c, CM_DREP_ID);
	assert_int_equal(cm_state(c, id), CM_STATE_TIMEWAIT);
	cm_free(c);
}

/* An unanswered REQ is sent 1 + max_cm_retries times; then a REJ goes to the
 * peer, and the connection ends. */
static void
req_unanswered(void **state)
{
	struct cm *c = agent_default();
	uint32_t id = agent_connect(c, 0);
	struct cm_event e;

	(void)state;
	pass_until(c, 100 * 1000000);
	for (unsigned i = 0; i < 3; i++)
		expect_send(c, CM_REQ_ID);
	expect_send(c, CM_REJ_ID);
	expect_no_send(c);
	e = expect_event(c, CM_EVENT_UNANSWERED);
	assert_int_equal(e.tries, 3);
	assert_int_equal(e.about, CM_ABOUT_REQ);
	assert_int_equal(expect_event(c, CM_EVENT_RELEASED).id, id);
	expect_no_event(c);
	assert_int_equal(cm_stats(c)->unanswered, 1);
	cm_free(c);
}

/* MRAs with the longest timeout stretch an exchange to exchange_max_us and not beyond. */
static void
endless_mra(void **state)
{
	struct cm_conf f = cm_conf_default();
	struct cm *c;
	struct dgram d = peer_message(CM_MRA_ID, 9);
	struct monotime at;
	uint32_t id;

	(void)state;
	f.exchange_max_us = 2000000;
	c = agent_new(&f);
	id = agent_connect(c, 0);
	cm_mra_encode(d.mad + CM_MESSAGE_AT, &(struct cm_mra){
		.local_comm_id = 4, .remote_comm_id = id, .message = CM_ABOUT_REQ,
		.service_timeout = 31,
	});
	for (int64_t us = 0; us < 2000000; us += 100000) {
		assert_true(cm_receive(c, &d, at_us(us)));
		assert_int_equal(cm_state(c, id), CM_STATE_MRA_REQ_RCVD);
		assert_true(cm_deadline(c, &at));
		assert_true(at.us <= 2000000);
	}
	expect_event(c, CM_EVENT_MRA);
	cm_tick(c, at_us(2000000));
	assert_int_equal(cm_state(c, id), CM_STATE_IDLE);
	cm_free(c);
}

/* Data on the QP establishes a connection whose RTU was lost; the RTU that comes then is late. */
static void
data_before_rtu(void **state)
{
	struct cm *c = agent_default();
	struct cm_req q = peer_req(6);
	uint32_t id;

	(void)state;
	peer_asks(c, &q, 9, 0);
	id = expect_event(c, CM_EVENT_REQ).id;
	assert_int_equal(cm_accept(c, id, &(struct cm_rep){ 0 }, at_us(0)), 0);
	assert_int_equal(cm_data(c, id, at_us(0)), 0);
	expect_event(c, CM_EVENT_ESTABLISHED);
	peer_says(c, CM_RTU_ID, 6, id, 1);
	expect_no_event(c);
	assert_int_equal(cm_stats(c)->established, 1);
	assert_int_equal(cm_stats(c)->duplicates, 1);
	cm_free(c);
}

/* A REQ from the QP of an open connection: the peer lost it, so ours is disconnected. */
static void
stale(void **state)
{
	struct cm *c = agent_default();
	uint32_t id = agent_established(c, 4);
	struct cm_req q = peer_req(4);
	struct dgram d;

	(void)state;
	peer_asks(c, &q, 9, 0);                 /* the same REQ again is no other connection */
	assert_int_equal(cm_stats(c)->duplicates, 1);
	assert_int_equal(cm_state(c, id), CM_STATE_ESTABLISHED);
	expect_no_send(c);
	q.local_comm_id = 5;
	peer_asks(c, &q, 9, 0);
	d = expect_send(c, CM_REJ_ID);
	assert_int_equal(cm_rej_decode(d.mad + CM_MESSAGE_AT).reason, CM_REJECT_STALE);
	expect_send(c, CM_DREQ_ID);
	assert_int_equal(expect_event(c, CM_EVENT_STALE).id, id);
	assert_int_equal(cm_state(c, id), CM_STATE_DREQ_SENT);
	assert_int_equal(cm_stats(c)->stale, 1);
	cm_free(c);
}

/* A REP from a QP that is connected already is refused. */
static void
stale_rep(void **state)
{
	struct cm *c = agent_default();
	uint32_t open = agent_established(c, 4), id = agent_connect(c, 0);
	struct cm_event e;
	struct dgram d;

	(void)state;
	expect_send(c, CM_REQ_ID);
	peer_accepts(c, 4, id);
	e = expect_event(c, CM_EVENT_REJECTED);
	assert_int_equal(e.id, id);
	assert_int_equal(e.reason, CM_REJECT_STALE);
	expect_event(c, CM_EVENT_RELEASED);
	d = expect_send(c, CM_REJ_ID);
	assert_int_equal(cm_rej_decode(d.mad + CM_MESSAGE_AT).reason, CM_REJECT_STALE);
	assert_int_equal(cm_state(c, open), CM_STATE_ESTABLISHED);
	cm_free(c);
}

/* An alternate path: asked for once at a time, answered with the peer's status. */
static void
alternate_path(void **state)
{
	struct cm *c = agent_default();
	uint32_t id = agent_connect(c, 0);
	struct dgram d;

	(void)state;
	peer_accepts(c, 31, id);
	assert_int_equal(cm_ready(c, id, at_us(0)), 0);
	while (cm_next_send(c, &d))
		continue;
	expect_event(c, CM_EVENT_REP);
	assert_int_equal(cm_load_path(c, id, &(struct cm_lap){ .local_lid = 12 }, at_us(0)), 0);
	assert_int_equal(cm_lap_state(c, id), CM_LAP_STATE_SENT);
	d = expect_send(c, CM_LAP_ID);
	assert_int_equal(cm_lap_decode(d.mad + CM_MESSAGE_AT).remote_qpn, 0x1000 + 31);
	assert_int_equal(cm_lap_decode(d.mad + CM_MESSAGE_AT).local_lid, 12);
	assert_int_equal(cm_load_path(c, id, &(struct cm_lap){ 0 }, at_us(0)), -EINVAL);
	d = peer_message(CM_APR_ID, 9);
	cm_apr_encode(d.mad + CM_MESSAGE_AT, &(struct cm_apr){
		.local_comm_id = 31, .remote_comm_id = id, .status = CM_APR_REJECTED,
	});
	assert_true(cm_receive(c, &d, at_us(1)));
	assert_int_equal(expect_event(c, CM_EVENT_APR).reason, CM_APR_REJECTED);
	assert_int_equal(cm_lap_state(c, id), CM_LAP_STATE_NONE);
	assert_int_equal(cm_load_path(c, id, &(struct cm_lap){ 0 }, at_us(1)), 0);
	pass_until(c, 100 * 1000000);           /* this time nobody answers */
	expect_event(c, CM_EVENT_LAP_UNANSWERED);
	assert_int_equal(cm_state(c, id), CM_STATE_ESTABLISHED);
	assert_int_equal(cm_lap_state(c, id), CM_LAP_STATE_NONE);
	cm_free(c);
}

/* A consumer that answers too late: the peer is refused in its name. */
static void
late_consumer(void **state)
{
	struct cm_conf f = cm_conf_default();
	struct cm *c;
	struct cm_req q = peer_req(6);
	struct dgram d;
	uint32_t id;

	(void)state;
	f.consumer_us = 5000;
	c = agent_new(&f);
	peer_asks(c, &q, 9, 0);
	id = expect_event(c, CM_EVENT_REQ).id;
	cm_tick(c, at_us(5000));
	expect_event(c, CM_EVENT_LATE);
	expect_event(c, CM_EVENT_RELEASED);
	d = expect_send(c, CM_REJ_ID);
	assert_int_equal(cm_rej_decode(d.mad + CM_MESSAGE_AT).reason, CM_REJECT_CONSUMER);
	assert_int_equal(cm_accept(c, id, &(struct cm_rep){ 0 }, at_us(5001)), -ENOENT);
	assert_int_equal(cm_stats(c)->late, 1);
	cm_free(c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_course),
		cmocka_unit_test(wrong_state),
		cmocka_unit_test(wrong_names),
		cmocka_unit_test(req_unanswered),
		cmocka_unit_test(endless_mra),
		cmocka_unit_test(data_before_rtu),
		cmocka_unit_test(stale),
		cmocka_unit_test(stale_rep),
		cmocka_unit_test(alternate_path),
		cmocka_unit_test(late_consumer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
