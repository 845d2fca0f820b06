/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_cm_sidr.c - service ID resolution: both sides, lost messages, limits, hostile answers.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/cm/rig.h"

static void
peer_resolves(struct cm *c, uint32_t request_id, uint64_t service_id, uint16_t lid)
{
	struct dgram d = peer_message(CM_SIDR_REQ_ID, lid);
	struct cm_sidr_req q = { .request_id = request_id, .service_id = service_id };

	cm_sidr_req_encode(d.mad + CM_MESSAGE_AT, &q);
	assert_true(cm_receive(c, &d, at_us(0)));
}

static uint32_t
agent_resolves(struct cm *c, uint8_t retries)
{
	struct cm_sidr_ask a = {
		.addr = { .lid = 9, .qpn = 1 }, .service_id = SERVICE, .cookie = 88,
		.pkey = 0x8001, .cm_timeout = 12, .retries = retries,
		.private_data = { [0] = 0xa1, [215] = 0xa2 },
	};
	uint32_t id = 0;

	assert_int_equal(cm_sidr_ask(c, &a, at_us(0), &id), 0);
	return id;
}

static struct cm_sidr_rep
expect_rep(struct cm *c)
{
	struct dgram d = expect_send(c, CM_SIDR_REP_ID);

	assert_true(dgram_tid(d.mad) == PEER_TID);
	return cm_sidr_rep_decode(d.mad + CM_MESSAGE_AT);
}

static void
asked_and_answered(void **state)
{
	struct cm *c = agent_default();
	uint32_t id = agent_resolves(c, 0);
	struct dgram d = expect_send(c, CM_SIDR_REQ_ID);
	struct cm_sidr_req q = cm_sidr_req_decode(d.mad + CM_MESSAGE_AT);
	struct cm_sidr_rep r = { .request_id = id, .status = 3, .qpn = 0x55 };
	struct cm_event e;

	(void)state;
	assert_int_equal(d.addr.lid, 9);
	assert_int_equal(q.request_id, id);
	assert_true(q.service_id == SERVICE);
	assert_int_equal(q.pkey, 0x8001);
	assert_int_equal(q.private_data[0], 0xa1);
	assert_int_equal(q.private_data[215], 0xa2);
	assert_int_equal(cm_state(c, id), CM_STATE_SIDR_REQ_SENT);
	d = peer_message(CM_SIDR_REP_ID, 9);
	cm_sidr_rep_encode(d.mad + CM_MESSAGE_AT, &r);
	assert_true(cm_receive(c, &d, at_us(10)));
	e = expect_event(c, CM_EVENT_SIDR_REP);
	assert_int_equal(e.id, id);
	assert_int_equal(e.cookie, 88);
	assert_int_equal(e.reason, 3);
	assert_true(e.has_message);
	assert_int_equal(cm_sidr_rep_decode(e.message.mad + CM_MESSAGE_AT).qpn, 0x55);
	assert_int_equal(expect_event(c, CM_EVENT_RELEASED).id, id);
	/* the same answer again belongs to nothing */
	assert_true(cm_receive(c, &d, at_us(11)));
	assert_int_equal(cm_stats(c)->unmatched, 1);
	expect_no_event(c);
	cm_free(c);
}

static void
answers(void **state)
{
	struct cm *c = agent_default();
	struct cm_sidr_rep r = {
		.request_id = 999, .service_id = 1, .qpn = 0x66, .qkey = 0x1234, .status = 0,
	};
	struct cm_event e;

	(void)state;
	peer_resolves(c, 41, SERVICE, 9);
	e = expect_event(c, CM_EVENT_SIDR_REQ);
	assert_int_equal(e.cookie, 5);
	assert_int_equal(cm_state(c, e.id), CM_STATE_SIDR_REQ_RCVD);
	/* calls that are for connections */
	assert_int_equal(cm_accept(c, e.id, &(struct cm_rep){ 0 }, at_us(0)), -EINVAL);
	assert_int_equal(cm_reject(c, e.id, 28, NULL, 0, at_us(0)), -EINVAL);
	assert_int_equal(cm_disconnect(c, e.id, at_us(0)), -EINVAL);
	assert_int_equal(cm_sidr_answer(c, e.id, &r, at_us(0)), 0);
	r = expect_rep(c);
	assert_int_equal(r.request_id, 41);             /* filled in, not the caller's */
	assert_true(r.service_id == SERVICE);
	assert_int_equal(r.qpn, 0x66);
	assert_int_equal(r.qkey, 0x1234);
	assert_int_equal(expect_event(c, CM_EVENT_RELEASED).id, e.id);
	assert_int_equal(cm_sidr_answer(c, e.id, &r, at_us(0)), -ENOENT);
	cm_free(c);
}

/* A repeated request makes one event; the same number from another LID is another request. */
static void
repeated(void **state)
{
	struct cm *c = agent_default();
	uint32_t first, second;

	(void)state;
	peer_resolves(c, 41, SERVICE, 9);
	peer_resolves(c, 41, SERVICE, 9);
	first = expect_event(c, CM_EVENT_SIDR_REQ).id;
	expect_no_event(c);
	assert_int_equal(cm_stats(c)->duplicates, 1);
	peer_resolves(c, 41, SERVICE, 8);
	second = expect_event(c, CM_EVENT_SIDR_REQ).id;
	assert_int_not_equal(first, second);
	assert_int_equal(cm_stats(c)->open, 2);
	cm_free(c);
}

/* What nobody serves and what is over a limit is refused without state and without an event. */
static void
refused(void **state)
{
	struct cm_conf f = cm_conf_default();
	struct cm *c;
	struct cm_sidr_rep r;

	(void)state;
	f.open_per_source = 2;
	c = agent_new(&f);
	peer_resolves(c, 41, SERVICE + 1, 9);
	r = expect_rep(c);
	assert_int_equal(r.status, CM_SIDR_UNSUPPORTED);
	assert_int_equal(r.request_id, 41);
	assert_true(r.service_id == SERVICE + 1);
	assert_int_equal(cm_stats(c)->no_listener, 1);
	peer_resolves(c, 1, SERVICE, 9);
	peer_resolves(c, 2, SERVICE, 9);
	peer_resolves(c, 3, SERVICE, 9);
	assert_int_equal(expect_rep(c).status, CM_SIDR_REJECTED);
	assert_int_equal(cm_stats(c)->refused_source, 1);
	assert_int_equal(cm_stats(c)->open, 2);
	expect_event(c, CM_EVENT_SIDR_REQ);
	expect_event(c, CM_EVENT_SIDR_REQ);
	expect_no_event(c);
	cm_free(c);
}

/* Without an answer the request is sent 1 + retries times, the same bytes, then ends once. */
static void
unanswered(void **state)
{
	struct cm *c = agent_default();
	uint32_t id = agent_resolves(c, 2);
	struct dgram first = expect_send(c, CM_SIDR_REQ_ID), d;
	struct cm_event e;

	(void)state;
	pass_until(c, 60 * 1000000);
	for (unsigned i = 0; i < 2; i++) {
		d = expect_send(c, CM_SIDR_REQ_ID);
		assert_memory_equal(d.mad, first.mad, DGRAM_BYTES);
	}
	expect_no_send(c);
	e = expect_event(c, CM_EVENT_SIDR_UNANSWERED);
	assert_int_equal(e.id, id);
	assert_int_equal(e.tries, 3);
	assert_int_equal(expect_event(c, CM_EVENT_RELEASED).id, id);
	expect_no_event(c);
	assert_int_equal(cm_stats(c)->resent, 2);
	assert_int_equal(cm_stats(c)->open, 0);
	cm_free(c);
}

/* A consumer that does not answer in its time is answered for. */
static void
late_consumer(void **state)
{
	struct cm_conf f = cm_conf_default();
	struct cm *c;
	struct monotime at;
	uint32_t id;

	(void)state;
	f.consumer_us = 3000;
	c = agent_new(&f);
	peer_resolves(c, 41, SERVICE, 9);
	id = expect_event(c, CM_EVENT_SIDR_REQ).id;
	assert_true(cm_deadline(c, &at));
	assert_int_equal(at.us, 3000);
	cm_tick(c, at);
	assert_int_equal(expect_rep(c).status, CM_SIDR_REJECTED);
	assert_int_equal(expect_event(c, CM_EVENT_LATE).id, id);
	assert_int_equal(expect_event(c, CM_EVENT_RELEASED).id, id);
	assert_int_equal(cm_stats(c)->late, 1);
	cm_free(c);
}

/* An answer that names a connection, or a resolution that the peer began, is nobody's. */
static void
answers_to_nothing(void **state)
{
	struct cm *c = agent_default();
	uint32_t conn = agent_connect(c, 0), theirs;
	struct dgram d = peer_message(CM_SIDR_REP_ID, 9);

	(void)state;
	expect_send(c, CM_REQ_ID);
	peer_resolves(c, 41, SERVICE, 9);
	theirs = expect_event(c, CM_EVENT_SIDR_REQ).id;
	cm_sidr_rep_encode(d.mad + CM_MESSAGE_AT, &(struct cm_sidr_rep){ .request_id = conn });
	assert_true(cm_receive(c, &d, at_us(0)));
	cm_sidr_rep_encode(d.mad + CM_MESSAGE_AT, &(struct cm_sidr_rep){ .request_id = theirs });
	assert_true(cm_receive(c, &d, at_us(0)));
	cm_sidr_rep_encode(d.mad + CM_MESSAGE_AT, &(struct cm_sidr_rep){ .request_id = 0 });
	assert_true(cm_receive(c, &d, at_us(0)));
	assert_int_equal(cm_stats(c)->unmatched, 3);
	assert_int_equal(cm_state(c, conn), CM_STATE_REQ_SENT);
	assert_int_equal(cm_state(c, theirs), CM_STATE_SIDR_REQ_RCVD);
	expect_no_event(c);
	cm_free(c);
}

/* An abort of either side ends it; the side that was asked answers. */
static void
aborted(void **state)
{
	struct cm *c = agent_default();
	uint32_t ours = agent_resolves(c, 2), theirs;

	(void)state;
	expect_send(c, CM_SIDR_REQ_ID);
	assert_int_equal(cm_abort(c, ours, at_us(0)), 0);
	expect_no_send(c);
	assert_int_equal(expect_event(c, CM_EVENT_RELEASED).id, ours);
	peer_resolves(c, 41, SERVICE, 9);
	theirs = expect_event(c, CM_EVENT_SIDR_REQ).id;
	assert_int_equal(cm_abort(c, theirs, at_us(0)), 0);
	assert_int_equal(expect_rep(c).status, CM_SIDR_REJECTED);
	assert_int_equal(expect_event(c, CM_EVENT_RELEASED).id, theirs);
	assert_int_equal(cm_stats(c)->open, 0);
	cm_free(c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(asked_and_answered),
		cmocka_unit_test(answers),
		cmocka_unit_test(repeated),
		cmocka_unit_test(refused),
		cmocka_unit_test(unanswered),
		cmocka_unit_test(late_consumer),
		cmocka_unit_test(answers_to_nothing),
		cmocka_unit_test(aborted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
