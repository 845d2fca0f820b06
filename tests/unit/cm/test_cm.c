/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_cm.c - limits, listeners, IDs and QPNs, what stands in the messages, and how long things take.
 */
#include <config.h>
#include "tests/unit/test.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/cm/cm.h"

#define SERVICE UINT64_C(0x10000000000000aa)
#define PEER_GUID UINT64_C(0x200)
static const uint8_t our_gid[16] = { 0xfe, 0x80, [15] = 1 };

static struct dgram
message(uint16_t id, uint16_t lid)
{
	struct dgram d = { .bytes = DGRAM_BYTES, .addr = { .lid = lid, .qpn = 1, .sl = 3, .pkey_index = 2 } };

	dgram_head_encode(d.mad, &(struct dgram_head){
		.base_version = 1, .mgmt_class = CLASS_CM, .class_version = 2, .method = METHOD_SEND, .attr_id = id,
		.tid = UINT64_C(0x1122334455667788),
	});
	return d;
}

static struct cm_req
req_plain(uint32_t id)
{
	struct cm_req q = {
		.local_comm_id = id, .local_ca_guid = PEER_GUID, .local_qpn = 0x1000 + id, .service_id = SERVICE,
		.local_cm_timeout = 12, .max_cm_retries = 2, .primary = { .ack_timeout = 10 },
	};

	memcpy(q.primary.remote_gid, our_gid, 16);
	return q;
}

static void
ask(struct cm *c, const struct cm_req *q, uint16_t lid, int64_t us)
{
	struct dgram d = message(CM_REQ_ID, lid);

	cm_req_encode(d.mad + 24, q);
	assert_true(cm_receive(c, &d, (struct monotime){ us }));
}

static struct cm *
fresh(struct cm_conf *f)
{
	struct cm *c;

	f->ca_guid = 0x100;
	f->qpn_first = 0x40;
	f->qpn_count = 16;
	f->ngids = 1;
	memcpy(f->gids[0], our_gid, 16);
	c = cm_new(f);
	assert_int_equal(cm_listen(c, SERVICE, UINT64_MAX, 5), 0);
	return c;
}

/* The next REJ's reason; 0: something else, or nothing. */
static uint16_t
rejected(struct cm *c, struct cm_rej *r)
{
	struct dgram d;

	if (!cm_next_send(c, &d) || dgram_attr_id(d.mad) != CM_REJ_ID)
		return 0;
	*r = cm_rej_decode(d.mad + 24);
	assert_true(dgram_tid(d.mad) == UINT64_C(0x1122334455667788));
	assert_int_equal(d.addr.sl, 3);
	assert_int_equal(d.addr.pkey_index, 2);
	return r->reason;
}

static void
limits(void **state)
{
	struct cm_conf f = cm_conf_default();
	struct cm *c;
	struct cm_rej r;
	struct dgram d;

	(void)state;
	f.open_max = 10;
	f.open_per_source = 4;
	c = fresh(&f);
	for (uint32_t i = 0; i < 5; i++) {
		struct cm_req q = req_plain(1 + i);

		ask(c, &q, 7, 0);
	}
	assert_int_equal(rejected(c, &r), CM_REJECT_NO_RESOURCES);
	assert_int_equal(r.remote_comm_id, 5);
	assert_int_equal(r.local_comm_id, 0);
	assert_false(cm_next_send(c, &d));
	assert_int_equal(cm_stats(c)->refused_source, 1);
	for (uint32_t i = 0; i < 7; i++) {      /* others still get in, up to the limit in all */
		struct cm_req q = req_plain(100 + i);

		ask(c, &q, (uint16_t)(8 + i), 0);
	}
	assert_int_equal(rejected(c, &r), CM_REJECT_NO_RESOURCES);
	assert_int_equal(cm_stats(c)->refused_total, 1);
	assert_int_equal(cm_stats(c)->open, 10);
	cm_tick(c, (struct monotime){ f.consumer_us });         /* the consumer never answered any */
	assert_int_equal(cm_stats(c)->open, 0);
	assert_int_equal(cm_stats(c)->late, 10);
	cm_free(c);
}

/* A flood from many: what is kept is bounded, also what waits to be sent. */
static void
flood(void **state)
{
	struct cm_conf f = cm_conf_default();
	struct cm *c;
	struct dgram d;
	unsigned n = 0;

	(void)state;
	f.open_max = 100;
	f.queue_max = 200;
	c = fresh(&f);
	for (uint32_t i = 0; i < 20000; i++) {
		struct cm_req q = req_plain(1 + i);

		ask(c, &q, (uint16_t)(1 + i % 5000), i);
	}
	assert_int_equal(cm_stats(c)->open_max_seen, 100);
	while (cm_next_send(c, &d))
		n++;
	assert_int_equal(n, 200);
	assert_int_equal(cm_stats(c)->dropped, 20000 - 100 - 200);
	cm_free(c);
}

static void
refusals(void **state)
{
	static const uint8_t other[16] = { 0xfe, 0x80, [15] = 9 };
	struct cm_conf f = cm_conf_default();
	struct cm *c = fresh(&f);
	struct cm_req q = req_plain(1);
	struct cm_rej r;

	(void)state;
	memcpy(q.primary.remote_gid, other, 16);
	ask(c, &q, 7, 0);
	assert_int_equal(rejected(c, &r), CM_REJECT_PRIMARY_GID);
	assert_int_equal(r.info_length, 16);
	assert_memory_equal(r.info, our_gid, 16);
	q = req_plain(1);
	memcpy(q.alternate.remote_gid, other, 16);
	ask(c, &q, 7, 0);
	assert_int_equal(rejected(c, &r), CM_REJECT_ALTERNATE_GID);
	q = req_plain(1);
	q.transport = CM_RD;
	ask(c, &q, 7, 0);
	assert_int_equal(rejected(c, &r), CM_REJECT_TRANSPORT);
	q = req_plain(1);
	q.service_id++;
	ask(c, &q, 7, 0);
	assert_int_equal(rejected(c, &r), CM_REJECT_SERVICE_ID);
	assert_int_equal(cm_stats(c)->open, 0);
	cm_free(c);
}

static void
listeners(void **state)
{
	struct cm_conf f = cm_conf_default();
	struct cm *c = fresh(&f);
	struct cm_event e;
	struct cm_req q = req_plain(1);

	(void)state;
	assert_int_equal(cm_listen(c, SERVICE, UINT64_MAX, 6), -EBUSY);
	assert_int_equal(cm_listen(c, UINT64_C(0x0200000000000001), UINT64_MAX, 6), -EINVAL);
	assert_int_equal(cm_listen(c, SERVICE, ~UINT64_C(0xff), 7), 0);
	ask(c, &q, 7, 0);
	assert_true(cm_next_event(c, &e));
	assert_int_equal(e.cookie, 5);                          /* the exact one */
	q = req_plain(2);
	q.service_id ^= 0x11;
	ask(c, &q, 7, 0);
	assert_true(cm_next_event(c, &e));
	assert_int_equal(e.cookie, 7);
	cm_unlisten(c, SERVICE, UINT64_MAX);
	q = req_plain(3);
	ask(c, &q, 7, 0);
	assert_true(cm_next_event(c, &e));
	assert_int_equal(e.cookie, 7);
	cm_free(c);
}

/* IDs and QPNs come back only when TIMEWAIT is over, and in turn. */
static void
no_reuse(void **state)
{
	struct cm_conf f = cm_conf_default();
	struct cm *c;
	struct cm_rep rep = { .resp_resources = 1 };
	struct cm_event e;
	bool used[17] = { false };

	(void)state;
	f.id_start = UINT32_MAX - 3;            /* and no ID is 0 */
	c = fresh(&f);
	for (uint32_t i = 0; i < 17; i++) {
		struct cm_req q = req_plain(1 + i);
		struct cm_ends ends;
		struct dgram d = message(CM_RTU_ID, 7);
		int r;

		q.primary.ack_timeout = 16;     /* 268 ms */
		ask(c, &q, 7, 1000);
		while (cm_next_event(c, &e) && e.kind != CM_EVENT_REQ)
			continue;
		assert_int_not_equal(e.id, 0);
		r = cm_accept(c, e.id, &rep, (struct monotime){ 1000 });
		if (i == 16) {
			assert_int_equal(r, -ENOSPC);   /* 16 QPNs, all in TIMEWAIT */
			break;
		}
		assert_int_equal(r, 0);
		assert_int_equal(cm_ends(c, e.id, &ends), 0);
		assert_in_range(ends.local_qpn, 0x40, 0x4f);
		assert_false(used[ends.local_qpn - 0x40]);
		used[ends.local_qpn - 0x40] = true;
		wire_put32(d.mad + 24, 1 + i);
		wire_put32(d.mad + 28, e.id);
		assert_true(cm_receive(c, &d, (struct monotime){ 1000 }));
		assert_int_equal(cm_state(c, e.id), CM_STATE_ESTABLISHED);
		d = message(CM_DREQ_ID, 7);
		wire_put32(d.mad + 24, 1 + i);
		wire_put32(d.mad + 28, e.id);
		wire_put32(d.mad + 32, ends.local_qpn << 8);
		assert_true(cm_receive(c, &d, (struct monotime){ 1000 }));
		assert_int_equal(cm_disconnected(c, e.id, (struct monotime){ 1000 }), 0);
		assert_int_equal(cm_state(c, e.id), CM_STATE_TIMEWAIT);
	}
	assert_int_equal(cm_stats(c)->timewait, 16);
	cm_tick(c, (struct monotime){ 1000 + 268435 - 1 });
	assert_int_equal(cm_stats(c)->timewait, 16);
	cm_tick(c, (struct monotime){ 1000 + 268435 });
	assert_int_equal(cm_stats(c)->timewait, 0);
	assert_int_equal(cm_accept(c, e.id, &rep, (struct monotime){ 300000 }), 0);
	cm_free(c);
}

/* REQ: 2 x packet life + the peer's time, MaxCMRetries times again; an MRA stops that for its time. */
static void
times(void **state)
{
	struct cm_conf f = cm_conf_default();
	struct cm *c = fresh(&f);
	struct cm_ask a = {
		.addr = { .lid = 7, .qpn = 1 }, .packet_life = 10,
		.req = { .service_id = SERVICE, .local_qpn = 5, .remote_cm_timeout = 12, .max_cm_retries = 1 },
	};
	struct dgram d = message(CM_MRA_ID, 7);
	int64_t wait = 2 * cm_code_us(10) + cm_code_us(12), at0 = 1000;
	struct monotime at;
	uint32_t id;

	(void)state;
	assert_int_equal(cm_code_us(0), 4);
	assert_int_equal(cm_code_us(20), 4294967);
	assert_int_equal(cm_connect(c, &a, (struct monotime){ at0 }, &id), 0);
	assert_true(cm_deadline(c, &at));
	assert_int_equal(at.us, at0 + wait);
	wire_put32(d.mad + 24, 99);
	wire_put32(d.mad + 28, id);
	d.mad[24 + 9] = 15 << 3;
	assert_true(cm_receive(c, &d, (struct monotime){ 2000 }));
	assert_true(cm_deadline(c, &at));
	assert_int_equal(at.us, 2000 + cm_code_us(15) + cm_code_us(10));
	d.mad[24 + 9] = 31 << 3;                /* hours: cut */
	assert_true(cm_receive(c, &d, (struct monotime){ 3000 }));
	assert_true(cm_deadline(c, &at));
	assert_int_equal(at.us, at0 + f.exchange_max_us);
	cm_tick(c, at);
	assert_int_equal(cm_state(c, id), CM_STATE_IDLE);
	cm_free(c);
}

/* A connection that nobody ends is ended; what goes on meanwhile does not make it live longer. */
static void
old_age(void **state)
{
	struct cm_conf f = cm_conf_default();
	struct cm *c;
	struct cm_req q = req_plain(1);
	struct cm_rep rep = { .resp_resources = 1 };
	struct cm_event e;
	struct dgram d;
	struct monotime at, now = { 1000 };

	(void)state;
	f.established_max_us = 5000000;
	c = fresh(&f);
	ask(c, &q, 7, 0);
	assert_true(cm_next_event(c, &e));
	assert_int_equal(cm_accept(c, e.id, &rep, now), 0);
	assert_int_equal(cm_data(c, e.id, now), 0);
	d = message(CM_LAP_ID, 7);
	wire_put32(d.mad + 24, 1);
	wire_put32(d.mad + 28, e.id);
	assert_true(cm_receive(c, &d, (struct monotime){ 2000 }));
	assert_int_equal(cm_answer_path(c, e.id, CM_APR_OK, (struct monotime){ 3000 }), 0);
	assert_true(cm_deadline(c, &at));
	assert_int_equal(at.us, 1000 + f.established_max_us);
	cm_tick(c, at);
	assert_int_equal(cm_state(c, e.id), CM_STATE_DREQ_SENT);
	cm_free(c);
}

static void
contents(void **state)
{
	struct cm_conf f = cm_conf_default();
	struct cm *c = fresh(&f);
	struct cm_ask a = {
		.addr = { .lid = 7, .qpn = 1 },
		.req = { .service_id = SERVICE, .remote_cm_timeout = 12, .start_psn = 0x123456, .pkey = 0xffff },
	};
	struct cm_rej r;
	struct dgram d;
	struct cm_req q;
	uint32_t id;

	(void)state;
	assert_int_equal(cm_connect(c, &a, (struct monotime){ 0 }, &id), 0);
	assert_true(cm_next_send(c, &d));
	q = cm_req_decode(d.mad + 24);
	assert_int_equal(q.local_comm_id, id);
	assert_true(q.local_ca_guid == 0x100);
	assert_int_equal(q.local_qpn, 0x41);    /* the range, and id_start, begin the count */
	assert_int_equal(q.start_psn, 0x123456);
	assert_int_equal((uint32_t)dgram_tid(d.mad), id);
	assert_int_equal(d.mad[2], 2);
	assert_int_equal(dgram_method(d.mad), METHOD_SEND);
	assert_int_equal(cm_abort(c, id, (struct monotime){ 0 }), 0);
	assert_true(cm_next_send(c, &d));
	r = cm_rej_decode(d.mad + 24);
	assert_int_equal(r.reason, CM_REJECT_TIMEOUT);
	assert_int_equal(r.info_length, 8);
	assert_true(wire_get64(r.info) == 0x100);
	assert_string_equal(cm_reject_text(28), "consumer reject");
	assert_string_equal(cm_reject_text(34), "a reason without a name");
	cm_free(c);
}

static void
not_ours(void **state)
{
	struct cm_conf f = cm_conf_default();
	struct cm *c = fresh(&f);
	struct dgram d = message(CM_REQ_ID, 7);
	struct monotime now = { 0 };

	(void)state;
	d.mad[2] = 1;
	assert_false(cm_receive(c, &d, now));
	d = message(ATTR_CLASS_PORT_INFO, 7);
	d.mad[3] = METHOD_GET;
	assert_false(cm_receive(c, &d, now));
	d = message(CM_REQ_ID, 7);
	d.bytes = 100;
	assert_true(cm_receive(c, &d, now));
	assert_int_equal(cm_stats(c)->malformed, 1);
	d = message(0x1c, 7);
	assert_true(cm_receive(c, &d, now));
	assert_false(cm_next_send(c, &d));
	cm_free(c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits),
		cmocka_unit_test(flood),
		cmocka_unit_test(refusals),
		cmocka_unit_test(listeners),
		cmocka_unit_test(no_reuse),
		cmocka_unit_test(times),
		cmocka_unit_test(old_age),
		cmocka_unit_test(contents),
		cmocka_unit_test(not_ours),
	};

	return cmocka_run_group_tests_name("cm", tests, NULL, NULL);
}
