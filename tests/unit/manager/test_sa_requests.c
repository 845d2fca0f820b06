/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_sa_requests.c - turns and their cost, silence, BUSY to those whose line is full.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/manager/sa_requests.h"
#include "tests/unit/registry/fixture.h"

static struct fixture f;
static struct sa_requests q;

static int
sa_requests_setup(void **state)
{
	(void)state;
	fixture_make(&f);
	f.conf->sa_source_rate = 0;
	sa_requests_init(&q);
	return 0;
}

static int
sa_requests_teardown(void **state)
{
	(void)state;
	sa_requests_free(&q);
	fixture_clear(&f);
	return 0;
}

/* A request of host 'h': ClassPortInfo costs nothing but its answer, a table of nodes looks at all of them. */
static struct dgram
request(unsigned h, uint8_t method, uint16_t attr)
{
	struct dgram d = {
		.addr = { .lid = fixture_lid(&f, h), .qpn = QPN_GSI }, .bytes = DGRAM_BYTES,
	};
	struct dgram_head head = {
		.base_version = MAD_BASE_VERSION, .mgmt_class = CLASS_SA, .class_version = CLASS_VERSION_SA,
		.method = method, .attr_id = attr, .tid = 7,
	};

	dgram_head_encode(d.mad, &head);
	return d;
}

static bool
receive_from(unsigned h)
{
	struct dgram d = request(h, METHOD_GET, ATTR_CLASS_PORT_INFO);

	return sa_requests_receive(&q, &f.net, &d);
}

/* Answers all that wait; the number of answers made. */
static unsigned
answer_all(void)
{
	struct dgram out;
	unsigned n = 0;
	bool made;

	while (sa_requests_answer_next(&q, &f.net, &f.reg, &out, &made)) {
		n += made;
		if (made)
			assert_int_equal(dgram_status(out.mad), STATUS_OK);
		free(made ? out.more : NULL);
	}
	return n;
}

static void
requests_wait_for_their_turn(void **state)
{
	struct dgram out;
	bool made;

	(void)state;
	assert_false(sa_requests_wait(&q));
	assert_false(sa_requests_answer_next(&q, &f.net, &f.reg, &out, &made));
	assert_true(receive_from(1));
	assert_true(receive_from(2));
	assert_true(sa_requests_wait(&q));
	assert_int_equal(answer_all(), 2);
	assert_false(sa_requests_wait(&q));
	assert_int_equal(fixture_answer(&f), -1);       /* the caller sends them */
}

static void
whoever_does_not_lead_is_silent(void **state)
{
	(void)state;
	f.role = HA_STANDBY;
	assert_false(receive_from(1));
	f.role = HA_MASTER;
	assert_true(receive_from(1));
	f.role = HA_STANDBY;                            /* while it waited */
	assert_int_equal(answer_all(), 0);
	assert_int_equal(q.stats.silent_not_ready, 2);
	assert_int_equal(q.stats.requests, 2);
	assert_int_equal(fixture_answer(&f), -1);
}

/* Answers one request; what that took off the turn, and how much was looked at for it. */
static unsigned
answer_cost(struct dgram d, uint64_t *looked)
{
	uint64_t before = q.stats.looked;
	unsigned left = q.answers_left;
	struct dgram out;
	bool made;

	assert_true(sa_requests_receive(&q, &f.net, &d));
	assert_true(sa_requests_answer_next(&q, &f.net, &f.reg, &out, &made));
	assert_true(made);
	free(out.more);
	*looked = q.stats.looked - before;
	return left - q.answers_left;
}

/* A turn has sixteen cheap answers, or fewer that look at much: each 64 records cost one more.  It never wraps. */
static void
what_is_looked_at_is_taken_off_the_turn(void **state)
{
	uint64_t looked;
	unsigned cost;

	(void)state;
	assert_int_equal(q.answers_left, 16);
	assert_int_equal(answer_cost(request(1, METHOD_GET, ATTR_CLASS_PORT_INFO), &looked), 1);
	cost = answer_cost(request(1, METHOD_GET_TABLE, PORT_INFO_RECORD_ID), &looked);
	assert_int_equal(cost, 1 + looked / 64);
	assert_true(looked >= 64);
	assert_true(q.answers_left > 0);
	answer_cost(request(1, METHOD_GET_TABLE, PATH_RECORD_ID), &looked);
	assert_true(looked / 64 > 16);
	assert_int_equal(q.answers_left, 0);
	sa_requests_begin_turn(&q);
	assert_int_equal(q.answers_left, 16);
}

/* A source whose line is full gets BUSY, sixteen times a turn, and holds up nobody else. */
static void
a_full_line_gets_busy(void **state)
{
	unsigned busy = 0;
	int status;

	(void)state;
	for (unsigned i = 0; i < SA_QUEUE_SOURCE_MAX; i++)
		assert_true(receive_from(1));
	for (unsigned i = 0; i < 20; i++)
		assert_false(receive_from(1));
	while ((status = fixture_answer(&f)) >= 0) {
		assert_int_equal(status, STATUS_BUSY);
		busy++;
	}
	assert_int_equal(busy, 16);
	assert_int_equal(q.stats.silent_overload, 4);
	assert_true(receive_from(2));
	sa_requests_begin_turn(&q);
	assert_false(receive_from(1));
	assert_int_equal(fixture_answer(&f), STATUS_BUSY);
}

/* A Set may change tables: the turn goes on until they are written. */
static void
registrations_keep_the_turn_going(void **state)
{
	struct dgram out, d = request(1, METHOD_SET, SERVICE_RECORD_ID);
	bool made;

	(void)state;
	if (sa_requests_receive(&q, &f.net, &d))
		sa_requests_answer_next(&q, &f.net, &f.reg, &out, &made);
	assert_true(q.registered);
	assert_true(sa_requests_wait(&q));
	sa_requests_begin_turn(&q);
	assert_false(sa_requests_wait(&q));
}

/* What gets no answer takes no place. */
static void
responses_are_not_queued(void **state)
{
	struct dgram d = request(1, METHOD_GET_RESP, ATTR_CLASS_PORT_INFO);

	(void)state;
	assert_false(sa_requests_receive(&q, &f.net, &d));
	assert_false(sa_requests_wait(&q));
	assert_int_equal(fixture_answer(&f), -1);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, sa_requests_setup, sa_requests_teardown)
	const struct CMUnitTest tests[] = {
		T(requests_wait_for_their_turn),
		T(whoever_does_not_lead_is_silent),
		T(what_is_looked_at_is_taken_off_the_turn),
		T(a_full_line_gets_busy),
		T(registrations_keep_the_turn_going),
		T(responses_are_not_queued),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
