/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_dispatch.c - datagrams by class and method, ends of transactions by owner, and what goes on without a sweep.
 */
#include <config.h>
#include "tests/unit/test.h"
#include <errno.h>
#include "sm/manager/manager_int.h"

static struct conf *conf;
static struct manager *m;

static int
dispatch_setup(void **state)
{
	struct manager_conf c = { .port = { .ca_name = "ca-0", .port = 1, .port_guid = 0x10 } };

	(void)state;
	c.conf = conf = conf_default();
	m = manager_new(&c);
	m->net.now = (struct monotime){ 1000000000 };
	return 0;
}

static int
dispatch_teardown(void **state)
{
	(void)state;
	manager_free(m);
	conf_free(conf);
	return 0;
}

static bool
dispatch(uint8_t mgmt_class, uint8_t method, uint16_t attr, int status)
{
	struct dgram d = { .addr = { .lid = 5 }, .bytes = DGRAM_BYTES, .status = status };
	struct dgram_head h = {
		.base_version = MAD_BASE_VERSION, .mgmt_class = mgmt_class, .class_version = 1, .method = method,
		.attr_id = attr,
	};

	dgram_head_encode(d.mad, &h);
	return dispatch_request(m, &d);
}

/* Both classes of SMPs reach the election, with Get and Set: each is answered. */
static void
sminfo_is_answered_by_the_election(void **state)
{
	static const uint8_t classes[] = { CLASS_SM_LID, CLASS_SM_DR }, methods[] = { METHOD_GET, METHOD_SET };
	struct dgram out;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		assert_false(dispatch(classes[i / 2], methods[i % 2], SM_INFO_ID, 0));
		assert_true(outbox_next(&m->net.outbox, &out));
		outbox_settle(&m->net.outbox);
		assert_int_equal(dgram_method(out.mad), METHOD_GET_RESP);
	}
	assert_int_equal(m->unknown_mads, 0);
}

static void
what_nobody_wants_is_counted(void **state)
{
	(void)state;
	assert_false(dispatch(CLASS_PM, METHOD_GET, 1, 0));
	assert_false(dispatch(CLASS_SM_LID, METHOD_REPORT, ATTR_NOTICE, 0));
	assert_false(dispatch(CLASS_SM_DR, METHOD_GET_RESP, SM_INFO_ID, 0));
	assert_false(dispatch(CLASS_SA, METHOD_GET_RESP, ATTR_CLASS_PORT_INFO, 0));
	assert_int_equal(m->unknown_mads, 4);
	assert_int_equal(m->requests.stats.requests, 0);
	assert_int_equal(m->net.outbox.n, 0);
}

/* Requests of any method are the SA's, which is silent before the first sweep. */
static void
sa_requests_of_any_method_are_the_sas(void **state)
{
	(void)state;
	assert_false(dispatch(CLASS_SA, METHOD_GET, ATTR_CLASS_PORT_INFO, 0));
	assert_false(dispatch(CLASS_SA, 0x7f, ATTR_CLASS_PORT_INFO, 0));
	assert_int_equal(m->requests.stats.silent_not_ready, 2);
	assert_int_equal(m->unknown_mads, 0);
}

static void
messages_that_are_too_long_are_counted(void **state)
{
	(void)state;
	assert_false(dispatch(CLASS_SA, METHOD_GET_MULTI, MULTIPATH_RECORD_ID, EMSGSIZE));
	assert_int_equal(m->requests.stats.silent_too_long, 1);
	assert_int_equal(m->requests.stats.requests, 1);
	assert_false(dispatch(CLASS_PM, METHOD_GET, 1, EMSGSIZE));
	assert_false(dispatch(CLASS_SA, METHOD_GET_TABLE_RESP, PATH_RECORD_ID, EMSGSIZE));
	assert_int_equal(m->unknown_mads, 2);
	assert_int_equal(m->requests.stats.silent_too_long, 1);
}

static void
traps_are_counted(void **state)
{
	(void)state;
	dispatch(CLASS_SM_LID, METHOD_TRAP, ATTR_NOTICE, 0);
	dispatch(CLASS_SM_DR, METHOD_TRAP, ATTR_NOTICE, 0);
	assert_int_equal(m->notify.traps, 2);
	assert_int_equal(m->unknown_mads, 0);
}

static void
submit(enum owner owner, uint64_t cookie)
{
	static const uint8_t path[DGRAM_PATH_BYTES];
	struct txn_req r = {
		.cookie = cookie, .mgmt_class = CLASS_SM_DR, .method = METHOD_GET, .attr_id = NODE_INFO_ID, .path = path,
	};

	subnet_submit(&m->net, &r, owner);
}

/* A sweep is given up: ends of its requests are dropped, a poll and a description go on. */
static void
ends_of_a_sweep_that_is_given_up_are_dropped(void **state)
{
	(void)state;
	m->election.polls_open = 1u << 3;
	m->election.open = 1;
	m->watch.descriptions.v[2].state = DESC_ASKED;
	m->watch.own_port.open = true;
	submit(OWN_POLL, 3);
	submit(OWN_SMINFO, 0);
	submit(OWN_DESC, 2);
	submit(OWN_PORT_STATE, 0);
	submit(OWN_LIGHT, 0);
	submit(OWN_APPLY, 0);
	txn_cancel_all(m->net.txn);
	dispatch_ends(m, true);
	assert_int_equal(m->election.polls_open, 0);
	assert_int_equal(m->election.open, 1);
	assert_int_equal(m->watch.descriptions.v[2].state, DESC_FREE);
	assert_false(m->watch.own_port.open);
	assert_int_equal(txn_pending(m->net.txn), 0);
}

/* While a sweep is under way each owner gets its ends, with the cookie that it gave. */
static void
every_owner_gets_its_ends(void **state)
{
	(void)state;
	m->election.open = 2;
	m->election.polls_open = 1u << 5 | 1u << 6;
	m->watch.light.open = 1;
	submit(OWN_SMINFO, 0);
	submit(OWN_SMINFO, 1);
	submit(OWN_POLL, 6);
	submit(OWN_LIGHT, 0);
	txn_cancel_all(m->net.txn);
	dispatch_ends(m, false);
	assert_int_equal(m->election.open, 0);
	assert_int_equal(m->election.polls_open, 1u << 5);
	assert_int_equal(m->watch.light.open, 0);
}

/* Losses are measured on the requests of sweeps, not on those that are dropped. */
static void
losses_are_counted_in_sweeps(void **state)
{
	struct dgram d;
	int timeout_ms;

	(void)state;
	for (unsigned round = 0; round < 2; round++) {
		m->election.open = 1;
		submit(OWN_SMINFO, 0);
		assert_true(txn_next_send(m->net.txn, &d, &timeout_ms, m->net.now));
		dgram_smp_respond(d.mad, STATUS_BAD_METHOD_ATTR);
		assert_true(txn_receive(m->net.txn, &d, m->net.now));
		dispatch_ends(m, round == 0);
		assert_int_equal(m->sweep.loss.answered, round);
	}
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, dispatch_setup, dispatch_teardown)
	const struct CMUnitTest tests[] = {
		T(sminfo_is_answered_by_the_election),
		T(what_nobody_wants_is_counted),
		T(sa_requests_of_any_method_are_the_sas),
		T(messages_that_are_too_long_are_counted),
		T(traps_are_counted),
		T(ends_of_a_sweep_that_is_given_up_are_dropped),
		T(every_owner_gets_its_ends),
		T(losses_are_counted_in_sweeps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
