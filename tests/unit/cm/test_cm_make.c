/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_cm_make.c - what stands in messages and events, and what the queues hold.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/cm/rig.h"

static struct cm_rej
expect_rej(struct cm *c)
{
	struct dgram d = expect_send(c, CM_REJ_ID);

	return cm_rej_decode(d.mad + CM_MESSAGE_AT);
}

static uint32_t
asked(struct cm *c, uint32_t theirs)
{
	struct cm_req q = peer_req(theirs);

	peer_asks(c, &q, 9, 0);
	return expect_event(c, CM_EVENT_REQ).id;
}

/* The information of a REJ: none, all 72 bytes, and no more than fits. */
static void
rej_info(void **state)
{
	struct cm *c = agent_default();
	uint8_t info[200];
	struct cm_rej r;
	uint32_t id;

	(void)state;
	memset(info, 0x5a, sizeof info);
	id = asked(c, 1);
	assert_int_equal(cm_reject(c, id, CM_REJECT_CONSUMER, NULL, 40, at_us(0)), 0);
	r = expect_rej(c);
	assert_int_equal(r.reason, CM_REJECT_CONSUMER);
	assert_int_equal(r.message, CM_ABOUT_REQ);
	assert_int_equal(r.local_comm_id, id);
	assert_int_equal(r.remote_comm_id, 1);
	assert_int_equal(r.info_length, 0);
	assert_int_equal(r.info[0], 0);
	expect_event(c, CM_EVENT_RELEASED);
	id = asked(c, 2);
	assert_int_equal(cm_reject(c, id, CM_REJECT_CONSUMER, info, 72, at_us(0)), 0);
	assert_int_equal(expect_rej(c).info_length, 72);
	expect_event(c, CM_EVENT_RELEASED);
	id = asked(c, 3);
	assert_int_equal(cm_reject(c, id, CM_REJECT_CONSUMER, info, sizeof info, at_us(0)), 0);
	r = expect_rej(c);
	assert_int_equal(r.info_length, 72);
	assert_memory_equal(r.info, info, 72);
	assert_int_equal(r.private_data[0], 0);
	cm_free(c);
}

/* A REJ after a timeout carries our GUID, by which a peer that never learnt our ID finds it. */
static void
rej_timeout(void **state)
{
	struct cm *c = agent_default();
	uint32_t id = agent_connect(c, 0);
	struct cm_rej r;

	(void)state;
	expect_send(c, CM_REQ_ID);
	assert_int_equal(cm_abort(c, id, at_us(0)), 0);
	r = expect_rej(c);
	assert_int_equal(r.reason, CM_REJECT_TIMEOUT);
	assert_int_equal(r.local_comm_id, id);
	assert_int_equal(r.remote_comm_id, 0);
	assert_int_equal(r.info_length, 8);
	assert_true(wire_get64(r.info) == OUR_GUID);
	cm_free(c);
}

/* A request that is refused without state: the peer's ID, none of ours, to where it came from. */
static void
stateless_rej(void **state)
{
	struct cm_conf f = cm_conf_default();
	struct cm *c;
	struct cm_req q = peer_req(0x1234);
	struct cm_rej r;
	struct dgram d;

	(void)state;
	f.ngids = 1;
	memset(f.gids[0], 0xee, 16);
	c = agent_new(&f);
	peer_asks(c, &q, 0x77, 0);              /* to a GID that is not ours */
	d = expect_send(c, CM_REJ_ID);
	r = cm_rej_decode(d.mad + CM_MESSAGE_AT);
	assert_int_equal(r.reason, CM_REJECT_PRIMARY_GID);
	assert_int_equal(r.local_comm_id, 0);
	assert_int_equal(r.remote_comm_id, 0x1234);
	assert_int_equal(r.info_length, 16);
	assert_memory_equal(r.info, f.gids[0], 16);
	assert_true(dgram_tid(d.mad) == PEER_TID);
	assert_int_equal(d.addr.lid, 0x77);
	assert_int_equal(d.addr.sl, 3);
	assert_int_equal(d.addr.pkey_index, 2);
	cm_free(c);
}

static void
mra(void **state)
{
	struct cm *c = agent_default();
	uint32_t id = asked(c, 1);
	struct cm_mra m;
	struct dgram d;

	(void)state;
	assert_int_equal(cm_delay(c, id, 32, at_us(0)), -EINVAL);
	expect_no_send(c);
	assert_int_equal(cm_delay(c, id, 31, at_us(0)), 0);
	d = expect_send(c, CM_MRA_ID);
	m = cm_mra_decode(d.mad + CM_MESSAGE_AT);
	assert_int_equal(m.message, CM_ABOUT_REQ);
	assert_int_equal(m.service_timeout, 31);
	assert_int_equal(m.local_comm_id, id);
	assert_int_equal(m.remote_comm_id, 1);
	assert_true(dgram_tid(d.mad) == PEER_TID);
	cm_free(c);
}

/* A REP gets IDs, GUID and QPN from us; the rest is the consumer's. */
static void
rep(void **state)
{
	struct cm *c = agent_default();
	uint32_t id = asked(c, 7);
	struct cm_rep r = {
		.local_comm_id = 99,
		.remote_comm_id = 98,
		.local_ca_guid = 97,
		.local_qkey = 0x5555,
		.start_psn = 0xabcdef,
		.private_data = { [195] = 0x77 },
	};
	struct dgram d;

	(void)state;
	assert_int_equal(cm_accept(c, id, &r, at_us(0)), 0);
	d = expect_send(c, CM_REP_ID);
	r = cm_rep_decode(d.mad + CM_MESSAGE_AT);
	assert_int_equal(r.local_comm_id, id);
	assert_int_equal(r.remote_comm_id, 7);
	assert_true(r.local_ca_guid == OUR_GUID);
	assert_in_range(r.local_qpn, 0x40, 0x4f);
	assert_int_equal(r.local_qkey, 0x5555);
	assert_int_equal(r.start_psn, 0xabcdef);
	assert_int_equal(r.private_data[195], 0x77);
	cm_free(c);
}

/* A flood of messages that need no state fills the queue up to its limit, and no connection's
 * message is lost by it. */
static void
queue_limit(void **state)
{
	struct cm_conf f = cm_conf_default();
	struct cm *c;
	struct dgram d;
	uint32_t id;

	(void)state;
	f.queue_max = 3;
	c = agent_new(&f);
	id = asked(c, 1);
	for (uint32_t i = 0; i < 10; i++) {
		d = peer_message_about(CM_DREQ_ID, 5, 100 + i, 200 + i);
		assert_true(cm_receive(c, &d, at_us(0)));
	}
	assert_int_equal(cm_stats(c)->dropped, 7);
	assert_int_equal(cm_accept(c, id, &(struct cm_rep){ 0 }, at_us(0)), 0);
	for (uint32_t i = 0; i < 3; i++) {      /* in the order in which they were asked for */
		d = expect_send(c, CM_DREP_ID);
		assert_int_equal(wire_get32(d.mad + CM_MESSAGE_AT), 200 + i);
		assert_int_equal(wire_get32(d.mad + CM_MESSAGE_AT + 4), 100 + i);
	}
	expect_send(c, CM_REP_ID);
	expect_no_send(c);
	/* refused requests share the limit */
	for (uint32_t i = 0; i < 5; i++) {
		struct cm_req q = peer_req(50 + i);

		q.service_id = SERVICE + 1;
		peer_asks(c, &q, 9, 0);
	}
	assert_int_equal(cm_stats(c)->dropped, 9);
	for (uint32_t i = 0; i < 3; i++)
		expect_send(c, CM_REJ_ID);
	expect_no_send(c);
	/* pulled messages make room again */
	d = peer_message_about(CM_DREQ_ID, 5, 100, 200);
	assert_true(cm_receive(c, &d, at_us(0)));
	expect_send(c, CM_DREP_ID);
	assert_int_equal(cm_stats(c)->dropped, 9);
	cm_free(c);
}

/* An event holds a copy of the peer's message with its address, and no pointer into it. */
static void
event_message(void **state)
{
	struct cm *c = agent_default();
	struct cm_req q = peer_req(0x88);
	struct dgram d = peer_message(CM_REQ_ID, 0x31);
	uint8_t more[1];
	struct cm_event e;

	(void)state;
	q.private_data[91] = 0x42;
	cm_req_encode(d.mad + CM_MESSAGE_AT, &q);
	d.more = more;
	assert_true(cm_receive(c, &d, at_us(0)));
	memset(&d, 0, sizeof d);
	e = expect_event(c, CM_EVENT_REQ);
	assert_true(e.has_message);
	assert_null(e.message.more);
	assert_int_equal(e.message.addr.lid, 0x31);
	assert_int_equal(e.cookie, 5);
	assert_int_equal(cm_req_decode(e.message.mad + CM_MESSAGE_AT).private_data[91], 0x42);
	assert_int_equal(cm_abort(c, e.id, at_us(0)), 0);
	e = expect_event(c, CM_EVENT_RELEASED);
	assert_false(e.has_message);
	cm_free(c);
}

/* A resend has the same bytes and goes to the same address. */
static void
resend(void **state)
{
	struct cm *c = agent_default();
	struct dgram first, again;
	struct monotime at;

	(void)state;
	agent_connect(c, 0);
	first = expect_send(c, CM_REQ_ID);
	assert_true(cm_deadline(c, &at));
	cm_tick(c, at);
	again = expect_send(c, CM_REQ_ID);
	assert_memory_equal(first.mad, again.mad, DGRAM_BYTES);
	assert_int_equal(again.addr.lid, 9);
	assert_int_equal(again.addr.qpn, 1);
	assert_int_equal(cm_stats(c)->resent, 1);
	assert_int_equal(cm_stats(c)->sent[0], 2);
	cm_free(c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rej_info),
		cmocka_unit_test(rej_timeout),
		cmocka_unit_test(stateless_rej),
		cmocka_unit_test(mra),
		cmocka_unit_test(rep),
		cmocka_unit_test(queue_limit),
		cmocka_unit_test(event_message),
		cmocka_unit_test(resend),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
