/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rig.h - what the tests of libmad/cm share: an agent, messages of a made-up peer, and two agents
 * that are connected with each other.
 */
#ifndef HEDDLE_TESTS_UNIT_CM_RIG_H
#define HEDDLE_TESTS_UNIT_CM_RIG_H

#include "tests/unit/test.h"
#include "libmad/cm/cm.h"

#define SERVICE UINT64_C(0x10000000000000aa)
#define PEER_GUID UINT64_C(0x200)
#define OUR_GUID UINT64_C(0x100)
#define PEER_TID UINT64_C(0x1122334455667788)

static inline struct monotime
at_us(int64_t us)
{
	return (struct monotime){ us };
}

static inline struct dgram
peer_message(uint16_t attr_id, uint16_t lid)
{
	struct dgram d = {
		.bytes = DGRAM_BYTES,
		.addr = { .lid = lid, .qpn = 1, .sl = 3, .pkey_index = 2 },
	};

	dgram_head_encode(d.mad, &(struct dgram_head){
		.base_version = 1, .mgmt_class = CLASS_CM, .class_version = 2,
		.method = METHOD_SEND, .attr_id = attr_id, .tid = PEER_TID,
	});
	return d;
}

/* A message that names a connection by both IDs, as RTU, DREQ and others begin. */
static inline struct dgram
peer_message_about(uint16_t attr_id, uint16_t lid, uint32_t theirs, uint32_t ours)
{
	struct dgram d = peer_message(attr_id, lid);

	wire_put32(d.mad + CM_MESSAGE_AT, theirs);
	wire_put32(d.mad + CM_MESSAGE_AT + 4, ours);
	return d;
}

static inline struct cm_req
peer_req(uint32_t id)
{
	return (struct cm_req){
		.local_comm_id = id, .local_ca_guid = PEER_GUID, .local_qpn = 0x1000 + id,
		.service_id = SERVICE, .local_cm_timeout = 12, .remote_cm_timeout = 12,
		.max_cm_retries = 2, .primary = { .ack_timeout = 10 },
	};
}

static inline void
peer_asks(struct cm *c, const struct cm_req *q, uint16_t lid, int64_t us)
{
	struct dgram d = peer_message(CM_REQ_ID, lid);

	cm_req_encode(d.mad + CM_MESSAGE_AT, q);
	assert_true(cm_receive(c, &d, at_us(us)));
}

/* An agent with a listener at SERVICE. */
static inline struct cm *
agent_new(struct cm_conf *f)
{
	struct cm *c;

	f->ca_guid = OUR_GUID;
	f->qpn_first = 0x40;
	f->qpn_count = f->qpn_count ? f->qpn_count : 16;
	c = cm_new(f);
	assert_int_equal(cm_listen(c, SERVICE, UINT64_MAX, 5), 0);
	return c;
}

static inline struct cm *
agent_default(void)
{
	struct cm_conf f = cm_conf_default();

	return agent_new(&f);
}

/* Starts a connection to LID 9; its ID. */
static inline uint32_t
agent_connect(struct cm *c, int64_t us)
{
	struct cm_ask a = { .addr = { .lid = 9, .qpn = 1 }, .req = peer_req(0), .cookie = 77 };
	uint32_t id = 0;

	a.req.local_qpn = 0x77;
	assert_int_equal(cm_connect(c, &a, at_us(us), &id), 0);
	assert_int_not_equal(id, 0);
	return id;
}

/* The next event must be this one. */
static inline struct cm_event
expect_event(struct cm *c, enum cm_event_kind kind)
{
	struct cm_event e;

	assert_true(cm_next_event(c, &e));
	assert_string_equal(cm_event_text(e.kind), cm_event_text(kind));
	return e;
}

static inline void
expect_no_event(struct cm *c)
{
	struct cm_event e;

	assert_false(cm_next_event(c, &e));
}

/* The next MAD to send must be this message. */
static inline struct dgram
expect_send(struct cm *c, uint16_t attr_id)
{
	struct dgram d;

	assert_true(cm_next_send(c, &d));
	assert_int_equal(dgram_attr_id(d.mad), attr_id);
	assert_int_equal(dgram_class(d.mad), CLASS_CM);
	assert_int_equal(dgram_method(d.mad), METHOD_SEND);
	assert_int_equal(d.mad[2], 2);
	assert_int_equal(d.bytes, DGRAM_BYTES);
	assert_null(d.more);
	return d;
}

static inline void
expect_no_send(struct cm *c)
{
	struct dgram d;

	assert_false(cm_next_send(c, &d));
}

/* Lets the deadlines pass up to 'us'. */
static inline void
pass_until(struct cm *c, int64_t us)
{
	struct monotime at;

	while (cm_deadline(c, &at) && at.us <= us)
		cm_tick(c, at);
	cm_tick(c, at_us(us));
}

/* A passive connection that the peer at LID 9 began with its ID 'theirs', established at time 0. */
static inline uint32_t
agent_established(struct cm *c, uint32_t theirs)
{
	struct cm_req q = peer_req(theirs);
	struct dgram d;
	uint32_t id;

	peer_asks(c, &q, 9, 0);
	id = expect_event(c, CM_EVENT_REQ).id;
	assert_int_equal(cm_accept(c, id, &(struct cm_rep){ 0 }, at_us(0)), 0);
	expect_send(c, CM_REP_ID);
	d = peer_message_about(CM_RTU_ID, 9, theirs, id);
	assert_true(cm_receive(c, &d, at_us(0)));
	expect_event(c, CM_EVENT_ESTABLISHED);
	assert_int_equal(cm_state(c, id), CM_STATE_ESTABLISHED);
	return id;
}

#endif
