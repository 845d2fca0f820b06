/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_echo.c - the echo service alone, without a manager: what it answers, and when it is off.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/conf/conf.h"
#include "sm/echo/echo.h"
#include "sm/sub/service.h"

#define ECHO_ID UINT64_C(0x1000000048656401)
enum { PEER_LID = 40 };

struct fixture {
	struct conf *conf;
	struct log log;
	unsigned warnings;
	struct subnet net;
	struct echo echo;
	struct cm *peer;
};

static void
on_line(void *arg, enum log_level level, const char *room, const char *line)
{
	struct fixture *f = arg;

	(void)room;
	(void)line;
	f->warnings += level <= LOG_WARN;
}

static void
echo_setup(struct fixture *f, bool wanted)
{
	struct cm_conf c = cm_conf_default();

	*f = (struct fixture){ .conf = conf_default() };
	f->conf->cm = wanted;
	f->log = (struct log){ LOG_TRACE, on_line, f };
	f->net = (struct subnet){ .conf = f->conf, .now = { 1000 }, .log = &f->log,
		.port = { .port_guid = 0x101, .node_guid = 0x100 } };
	c.ca_guid = 0x200;
	c.qpn_first = 64;
	c.qpn_count = 100000;
	f->peer = cm_new(&c);
}

static void
echo_teardown(struct fixture *f)
{
	cm_free(f->peer);
	echo_free(&f->echo);
	conf_free(f->conf);
}

static uint32_t
ask_connection(struct fixture *f, uint64_t service)
{
	struct cm_ask a = {
		.addr = { .lid = 1, .qpn = 1 },
		.packet_life = 8,
		.req = { .service_id = service,
			.remote_cm_timeout = 14,
			.local_cm_timeout = 14,
			.max_cm_retries = 3,
			.initiator_depth = 5,
			.resp_resources = 7,
			.rnr_retry = 6,
			.start_psn = 0x123456,
			.primary = { .ack_timeout = 8 } },
	};
	uint32_t id;

	memset(a.req.private_data, 0x5a, sizeof(a.req.private_data));
	assert_int_equal(cm_connect(f->peer, &a, f->net.now, &id), 0);
	return id;
}

/* Hands everything that the peer sends to the service and runs it. */
static void
deliver(struct fixture *f)
{
	struct dgram d;

	while (cm_next_send(f->peer, &d)) {
		d.addr.lid = PEER_LID;
		assert_true(echo_receive(&f->echo, &f->net, &d));
	}
	echo_pump(&f->echo, &f->net);
}

static json_int_t
count_of(const struct fixture *f, const char *key)
{
	json_t *o = echo_json(&f->echo, &f->net);
	json_int_t v = json_integer_value(json_object_get(o, key));

	json_decref(o);
	return v;
}

static void
assert_state(const struct fixture *f, const char *state, const char *reason)
{
	json_t *o = echo_json(&f->echo, &f->net);

	assert_string_equal(json_string_value(json_object_get(o, "state")), state);
	if (reason)
		assert_string_equal(json_string_value(json_object_get(o, "reason")), reason);
	else
		assert_true(json_is_null(json_object_get(o, "reason")));
	json_decref(o);
}

static void
accepts_with_the_values_of_the_request(void **state)
{
	struct fixture f;
	struct dgram d;
	struct cm_rep r;

	(void)state;
	echo_setup(&f, true);
	echo_begin(&f.echo, &f.net, true, "");
	assert_state(&f, "on", NULL);
	ask_connection(&f, ECHO_ID);
	deliver(&f);
	assert_true(echo_next_send(&f.echo, &d));
	assert_int_equal(dgram_attr_id(d.mad), CM_REP_ID);
	assert_int_equal(d.addr.lid, PEER_LID);
	r = cm_rep_decode(d.mad + CM_MESSAGE_AT);
	assert_int_equal(r.start_psn, 0x123456);
	assert_int_equal(r.resp_resources, 5);
	assert_int_equal(r.initiator_depth, 7);
	assert_int_equal(r.rnr_retry, 6);
	assert_int_equal(r.failover, 1);
	assert_true(r.local_qpn >= 0x800000 && r.local_qpn < 0xc00000);
	for (unsigned i = 0; i < sizeof(r.private_data); i++)
		assert_int_equal(r.private_data[i],
			i < sizeof(((struct cm_req *)0)->private_data) ? 0x5a : 0);
	assert_false(echo_next_send(&f.echo, &d));
	echo_teardown(&f);
}

static void
rejects_other_services(void **state)
{
	struct fixture f;
	struct dgram d;

	(void)state;
	echo_setup(&f, true);
	echo_begin(&f.echo, &f.net, true, "");
	ask_connection(&f, ECHO_ID + 1);
	deliver(&f);
	assert_true(echo_next_send(&f.echo, &d));
	assert_int_equal(dgram_attr_id(d.mad), CM_REJ_ID);
	echo_teardown(&f);
}

static void
resolves_to_qp_1(void **state)
{
	struct cm_sidr_ask s = {
		.addr = { .lid = 1, .qpn = 1 }, .service_id = ECHO_ID, .cm_timeout = 14
	};
	struct fixture f;
	struct dgram d;
	struct cm_sidr_rep r;
	uint32_t id;

	(void)state;
	echo_setup(&f, true);
	echo_begin(&f.echo, &f.net, true, "");
	assert_int_equal(cm_sidr_ask(f.peer, &s, f.net.now, &id), 0);
	deliver(&f);
	assert_true(echo_next_send(&f.echo, &d));
	r = cm_sidr_rep_decode(d.mad + CM_MESSAGE_AT);
	assert_int_equal(r.qpn, 1);
	assert_true(r.qkey == QKEY_GSI);
	assert_int_equal(count_of(&f, "resolved"), 1);
	echo_teardown(&f);
}

static void
limits_follow_the_configuration(void **state)
{
	struct fixture f;

	(void)state;
	echo_setup(&f, true);
	f.conf->cm_open_per_source = 2;
	echo_begin(&f.echo, &f.net, true, "");
	for (unsigned i = 0; i < 3; i++)
		ask_connection(&f, ECHO_ID);
	deliver(&f);
	assert_int_equal(count_of(&f, "open"), 2);
	assert_int_equal(count_of(&f, "refused_requests"), 1);
	f.conf->cm_open_per_source = 3;
	echo_set_conf(&f.echo, &f.net);
	ask_connection(&f, ECHO_ID);
	deliver(&f);
	assert_int_equal(count_of(&f, "open"), 3);
	echo_teardown(&f);
}

static void
off_says_why(void **state)
{
	struct fixture f;
	struct dgram d = { .bytes = DGRAM_BYTES };
	struct monotime at;

	(void)state;
	echo_setup(&f, true);
	echo_begin(&f.echo, &f.net, false, "class 7 is the kernel's");
	assert_state(&f, "refused", "class 7 is the kernel's");
	assert_false(echo_receive(&f.echo, &f.net, &d));
	echo_pump(&f.echo, &f.net);
	assert_false(echo_next_send(&f.echo, &d));
	assert_false(echo_deadline(&f.echo, &at));
	echo_teardown(&f);

	echo_setup(&f, false);               /* nobody wants it: that is no refusal */
	echo_begin(&f.echo, &f.net, true, "");
	assert_state(&f, "off", NULL);
	echo_teardown(&f);
}

static void
registers_each_service_id(void **state)
{
	struct fixture f;
	struct services *services = services_new();
	struct service s;

	(void)state;
	echo_setup(&f, true);
	echo_register(&f.echo, &f.net, services);
	assert_false(services_at(services, 0, &s));     /* off: nothing to announce */
	echo_begin(&f.echo, &f.net, true, "");
	echo_register(&f.echo, &f.net, services);
	echo_register(&f.echo, &f.net, services);       /* a later sweep does it again */
	assert_true(services_at(services, 0, &s));
	assert_true(s.rec.id == ECHO_ID);
	assert_true(s.port_guid == 0x101);
	assert_true(wire_get64(s.rec.gid) == f.conf->subnet_prefix);
	assert_true(wire_get64(s.rec.gid + 8) == 0x101);
	assert_string_equal((const char *)s.rec.name, "heddle echo");
	assert_false(services_at(services, 1, &s));
	services_free(services);
	echo_teardown(&f);
}

static void
warns_of_service_ids_listed_twice(void **state)
{
	struct fixture f;

	(void)state;
	echo_setup(&f, true);
	f.conf->cm_service_ids.guid[1] = f.conf->cm_service_ids.guid[0];
	f.conf->cm_service_ids.n = 2;
	echo_begin(&f.echo, &f.net, true, "");
	assert_int_equal(f.warnings, 1);
	echo_teardown(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts_with_the_values_of_the_request),
		cmocka_unit_test(rejects_other_services),
		cmocka_unit_test(resolves_to_qp_1),
		cmocka_unit_test(limits_follow_the_configuration),
		cmocka_unit_test(off_says_why),
		cmocka_unit_test(registers_each_service_id),
		cmocka_unit_test(warns_of_service_ids_listed_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
