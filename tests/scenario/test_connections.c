/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_connections.c - the echo service of a manager, asked by another end of the same state machine.
 */
#include <config.h>
#include "tests/unit/test.h"
#include <stdlib.h>
#include "libmad/cm/cm.h"
#include "libmad/mad/dgram.h"
#include "tests/scenario/world.h"

#define ECHO UINT64_C(0x1000000048656401)
enum { PEER_LID = 40 };

struct pair {
	struct log log;
	struct conf *conf;
	struct manager *m;
	struct cm *peer;
	struct monotime now;
	struct cm_event last;
	unsigned counts[CM_EVENT_KINDS];
	unsigned answers;
};

static void
connections_begin(struct pair *p, bool registered, unsigned per_source)
{
	struct cm_conf f = cm_conf_default();

	*p = (struct pair){ .now = { 1000 } };
	p->conf = conf_default();
	p->conf->cm = true;
	p->conf->cm_open_per_source = per_source;
	p->m = manager_new(&(struct manager_conf){
		.conf = p->conf, .port = { .port_guid = 0x101, .node_guid = 0x100, .port = 1, .infiniband = true },
		.log = &p->log, .cm = registered, .cm_why = registered ? "" : "class 7 is the kernel's",
	});
	f.ca_guid = 0x200;
	f.qpn_first = 64;
	f.qpn_count = 100000;
	f.open_max = 50000;
	p->peer = cm_new(&f);
}

static void
connections_end(struct pair *p)
{
	cm_free(p->peer);
	manager_free(p->m);
	conf_free(p->conf);
}

/* What both have to say is exchanged until neither says anything; the subnet itself stays mute. */
static void
talk(struct pair *p)
{
	struct dgram d;
	bool moved;
	int ms;

	do {
		moved = false;
		while (cm_next_send(p->peer, &d)) {
			d.addr.lid = PEER_LID;
			manager_receive(p->m, &d, p->now);
			moved = true;
		}
		manager_tick(p->m, p->now);
		while (manager_next_send(p->m, &d, &ms, p->now)) {
			if (dgram_class(d.mad) != CLASS_CM)
				continue;
			assert_int_equal(d.addr.lid, PEER_LID);
			assert_int_equal(ms, 0);
			p->answers++;
			assert_true(cm_receive(p->peer, &d, p->now));
			moved = true;
		}
		while (cm_next_event(p->peer, &p->last)) {
			p->counts[p->last.kind]++;
			if (p->last.kind == CM_EVENT_REP)
				assert_int_equal(cm_ready(p->peer, p->last.id, p->now), 0);
		}
	} while (moved);
}

static uint32_t
ask(struct pair *p, uint64_t service)
{
	struct cm_ask a = {
		.addr = { .lid = 1, .qpn = 1 }, .packet_life = 8,
		.req = { .service_id = service, .remote_cm_timeout = 14, .local_cm_timeout = 14, .max_cm_retries = 3,
			 .primary = { .ack_timeout = 8 } },
	};
	uint32_t id;

	memset(a.req.private_data, 0x5a, sizeof(a.req.private_data));
	assert_int_equal(cm_connect(p->peer, &a, p->now, &id), 0);
	return id;
}

static json_int_t
status(struct pair *p, const char *key)
{
	json_t *o = manager_status(p->m, p->now);
	json_int_t v = json_integer_value(json_object_get(json_object_get(o, "cm"), key));

	json_decref(o);
	return v;
}

static void
connects_and_disconnects(void **state)
{
	struct pair p;
	struct cm_ends ends;
	uint32_t id;

	(void)state;
	connections_begin(&p, true, 256);
	for (unsigned n = 0; n < 2000; n++) {
		id = ask(&p, ECHO);
		talk(&p);
		assert_int_equal(cm_state(p.peer, id), CM_STATE_ESTABLISHED);
		assert_int_equal(cm_ends(p.peer, id, &ends), 0);
		assert_true(ends.remote_ca_guid == 0x100);
		assert_true(ends.remote_qpn >= 0x800000);
		assert_int_equal(cm_disconnect(p.peer, id, p.now), 0);
		talk(&p);
		assert_int_equal(cm_state(p.peer, id), CM_STATE_TIMEWAIT);
		p.now.us += 20000;
		cm_tick(p.peer, p.now);
		manager_tick(p.m, p.now);
	}
	assert_int_equal(status(&p, "established"), 2000);
	assert_int_equal(status(&p, "disconnected"), 2000);
	assert_int_equal(status(&p, "open"), 0);
	connections_end(&p);
}

static void
gives_private_data_back(void **state)
{
	struct pair p;
	struct dgram d;
	struct cm_rep r;
	int ms;

	(void)state;
	connections_begin(&p, true, 256);
	ask(&p, ECHO);
	assert_true(cm_next_send(p.peer, &d));
	d.addr.lid = PEER_LID;
	manager_receive(p.m, &d, p.now);
	manager_tick(p.m, p.now);
	do
		assert_true(manager_next_send(p.m, &d, &ms, p.now));
	while (dgram_class(d.mad) != CLASS_CM);
	assert_int_equal(dgram_attr_id(d.mad), CM_REP_ID);
	r = cm_rep_decode(d.mad + CM_MESSAGE_AT);
	for (unsigned i = 0; i < sizeof(r.private_data); i++)
		assert_int_equal(r.private_data[i], i < 92 ? 0x5a : 0);
	connections_end(&p);
}

static void
refuses_and_resolves(void **state)
{
	struct cm_sidr_ask s = { .addr = { .lid = 1, .qpn = 1 }, .service_id = ECHO, .cm_timeout = 14 };
	struct pair p;
	uint32_t id;

	(void)state;
	connections_begin(&p, true, 3);
	ask(&p, ECHO + 1);
	talk(&p);
	assert_int_equal(p.counts[CM_EVENT_REJECTED], 1);
	for (unsigned i = 0; i < 5; i++)
		ask(&p, ECHO);
	talk(&p);
	assert_int_equal(p.counts[CM_EVENT_REJECTED], 3);
	assert_int_equal(p.counts[CM_EVENT_REP], 3);
	assert_int_equal(status(&p, "refused_requests"), 2);
	assert_int_equal(status(&p, "open"), 3);
	p.now.us += 61000000;                   /* the peer forgets them: they are ended */
	cm_free(p.peer);
	p.peer = cm_new(&(struct cm_conf){ .ca_guid = 0x300, .open_max = 9, .open_per_source = 9, .id_start = 900,
		.wait_min_us = 1, .wait_max_us = 9, .exchange_max_us = 9, .consumer_us = 9, .timewait_min_us = 1,
		.timewait_max_us = 9, .queue_max = 9 });
	talk(&p);
	p.now.us += 61000000;
	talk(&p);
	assert_int_equal(status(&p, "open"), 0);
	assert_int_equal(cm_sidr_ask(p.peer, &s, p.now, &id), 0);
	talk(&p);
	assert_int_equal(p.counts[CM_EVENT_SIDR_REP], 1);
	s.service_id++;
	assert_int_equal(cm_sidr_ask(p.peer, &s, p.now, &id), 0);
	talk(&p);
	assert_int_equal(p.counts[CM_EVENT_SIDR_REP], 2);
	assert_int_equal(status(&p, "resolved"), 1);
	connections_end(&p);
}

/* The class is somebody else's: nothing is answered, and the status says why. */
static void
off_with_a_reason(void **state)
{
	struct pair p;
	json_t *o, *cm;

	(void)state;
	connections_begin(&p, false, 256);
	ask(&p, ECHO);
	talk(&p);
	assert_int_equal(p.answers, 0);
	o = manager_status(p.m, p.now);
	cm = json_object_get(o, "cm");
	assert_string_equal(json_string_value(json_object_get(cm, "state")), "refused");
	assert_string_equal(json_string_value(json_object_get(cm, "reason")), "class 7 is the kernel's");
	json_decref(o);
	connections_end(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(connects_and_disconnects),
		cmocka_unit_test(gives_private_data_back),
		cmocka_unit_test(refuses_and_resolves),
		cmocka_unit_test(off_with_a_reason),
	};

	return cmocka_run_group_tests_name("connections", tests, NULL, NULL);
}
