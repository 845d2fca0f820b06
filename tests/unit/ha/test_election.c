/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_election.c - whom an election asks and how often, whose answers count, polls of the master, the handover.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/ha/election.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;
static struct election e;

static void
set_is_sm(uint32_t port)
{
	struct port_info info = served_info(&b, port);

	info.capability_mask |= PORT_CAP_IS_SM;
	served_set_info(&b, port, info);
}

static uint64_t
host_guid(unsigned n)
{
	return b.s->ports[served_host(&b, n)].guid;
}

/* Three hosts say that they have managers: our own, 1 and 2. */
static int
election_setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	for (unsigned i = 0; i < 3; i++)
		set_is_sm(served_host(&b, i));
	memset(&e, 0, sizeof(e));
	election_init(&e, &b.net);
	return 0;
}

static int
election_teardown(void **state)
{
	(void)state;
	served_clear(&b);
	return 0;
}

/* The host that a request goes to, by its route. */
static unsigned
host_of(const struct dgram *d)
{
	for (unsigned i = 1; i < 3; i++) {
		uint8_t path[DGRAM_PATH_BYTES] = { 0 };
		uint8_t hops = snapshot_port_path(b.s, served_host(&b, i), path);

		if (dgram_hop_count(d->mad) == hops && !memcmp(dgram_initial_hops(d->mad) + 1, path + 1, hops))
			return i;
	}
	return 0;
}

static void
answer_with(struct dgram *d, struct sm_info si)
{
	sm_info_encode(dgram_smp_data(d->mad), &si);
	served_answer(&b, d, STATUS_OK);
}

static void
take_sminfo_ends(void)
{
	struct txn_end end;

	while (served_take_end(&b, OWN_SMINFO, &end))
		election_on_sminfo_end(&e, &b.net, &end);
}

/* Both answer as managers in 'state', with our key. */
static void
answer_both(enum ha_state state)
{
	struct dgram d;

	while (served_next(&b, &d)) {
		struct sm_info si = {
			.guid = host_guid(host_of(&d)), .sm_key = b.conf->sm_key, .priority = 15, .state = (uint8_t)state,
		};

		answer_with(&d, si);
	}
	take_sminfo_ends();
}

static void
asks_ports_with_managers_but_not_its_own(void **state)
{
	bool asked[3] = { false };
	struct dgram d;

	(void)state;
	election_ask(&e, &b.net, b.s);
	assert_true(election_open(&e));
	assert_int_equal(e.nasked, 2);
	while (served_next(&b, &d)) {
		assert_int_equal(dgram_attr_id(d.mad), SM_INFO_ID);
		assert_int_equal(dgram_method(d.mad), METHOD_GET);
		asked[host_of(&d)] = true;
		served_answer(&b, &d, STATUS_BAD_METHOD_ATTR);
	}
	assert_true(asked[1] && asked[2] && !asked[0]);
	take_sminfo_ends();
	assert_false(election_open(&e));
	assert_int_equal(e.nanswers, 0);                /* a refusal is no manager */
}

/* Ports whose PortInfo was not received show nothing, whatever is in its place. */
static void
ports_that_were_not_read_are_not_asked(void **state)
{
	(void)state;
	b.s->ports[served_host(&b, 1)].flags &= (uint8_t)~FAB_PORT_INFO;
	election_ask(&e, &b.net, b.s);
	assert_int_equal(e.nasked, 1);
	assert_true(e.asked[0].guid == host_guid(2));
}

/* Sends each request to host 'n' that is due within a second; they stay unanswered, others are answered. */
static unsigned
count_tries(unsigned n, int64_t *last_us)
{
	struct monotime began = b.net.now;
	unsigned tries = 0;
	struct dgram d;

	for (unsigned ms = 0; ms < 1000; ms += 5, served_pass(&b, 5000))
		while (served_next(&b, &d)) {
			if (host_of(&d) != n) {
				served_answer(&b, &d, STATUS_BAD_METHOD_ATTR);
				continue;
			}
			tries++;
			*last_us = monotime_sub_us(b.net.now, began);
		}
	return tries;
}

/* The master whose silence led to this election holds up the takeover for no longer than 0.3 s. */
static void
a_silent_master_gets_three_tries_in_300_ms(void **state)
{
	int64_t last_us = 0;

	(void)state;
	e.ha.silent_guid = host_guid(1);
	election_ask(&e, &b.net, b.s);
	assert_int_equal(count_tries(1, &last_us), 3);
	assert_in_range(last_us, 200000, 300000);
	take_sminfo_ends();
	assert_false(election_open(&e));
}

static void
others_get_the_configured_tries(void **state)
{
	int64_t last_us = 0;

	(void)state;
	e.ha.silent_guid = host_guid(1);
	election_ask(&e, &b.net, b.s);
	assert_true(count_tries(2, &last_us) >= 3);
	assert_true(last_us > 300000);
	take_sminfo_ends();
	assert_true(election_open(&e));
}

/* The manager that answers must be the one that was asked: another node is there now, or one speaks for another. */
static void
answers_of_another_guid_are_dropped(void **state)
{
	struct dgram d;

	(void)state;
	election_ask(&e, &b.net, b.s);
	while (served_next(&b, &d)) {
		unsigned n = host_of(&d);

		answer_with(&d, (struct sm_info){
			.guid = n == 1 ? host_guid(2) : host_guid(n), .sm_key = b.conf->sm_key, .state = HA_STANDBY });
	}
	take_sminfo_ends();
	assert_int_equal(e.nanswers, 1);
	assert_true(e.answers[0].guid == host_guid(2));
}

static void
known_managers_are_asked_where_they_are_still(void **state)
{
	struct dgram d;

	(void)state;
	election_ask(&e, &b.net, b.s);
	answer_both(HA_STANDBY);
	assert_int_equal(e.nanswers, 2);
	e.asked[0].guid = 0x123456;                     /* not in what is served */
	election_ask_known(&e, &b.net);
	assert_int_equal(e.nanswers, 0);
	assert_int_equal(e.open, 1);
	assert_true(served_next(&b, &d));
	assert_true(host_guid(host_of(&d)) == e.asked[1].guid);
	assert_false(served_next(&b, &d));
}

/* We stand by for host 1: its route is noted, and it is polled. */
static void
stand_by_for_host_1(void)
{
	struct dgram d;

	b.role = HA_DISCOVERING;
	election_ask(&e, &b.net, b.s);
	while (served_next(&b, &d)) {
		unsigned n = host_of(&d);

		answer_with(&d, (struct sm_info){
			.guid = host_guid(n), .sm_key = b.conf->sm_key, .priority = 15,
			.state = n == 1 ? HA_MASTER : HA_STANDBY });
	}
	take_sminfo_ends();
	assert_int_equal(election_decide(&e, &b.net, b.s), HA_STAND_BY);
	election_stand_by(&e, &b.net);
	assert_true(e.master.guid == host_guid(1));
	assert_non_null(strstr(b.said, "Entering STANDBY state"));
}

/* Moves the time to the next poll that is due, and sends it. */
static void
poll_once(struct dgram *d)
{
	struct monotime at;

	assert_true(ha_deadline(&e.ha, &at));
	served_pass(&b, monotime_sub_us(at, b.net.now));
	election_poll(&e, &b.net);
	assert_true(served_next(&b, d));
	assert_int_equal(host_of(d), 1);
}

/* Polls do not wait for those before them: each has a slot and a target of its own until it ends. */
static void
polls_overlap_in_slots_of_their_own(void **state)
{
	struct txn_end end;
	struct dgram first, second, third;

	(void)state;
	stand_by_for_host_1();
	poll_once(&first);
	poll_once(&second);
	assert_int_equal(e.polls_open, 3);
	answer_with(&first, (struct sm_info){ .guid = host_guid(1), .state = HA_MASTER });
	assert_true(served_take_end(&b, OWN_POLL, &end));
	assert_int_equal(end.cookie, 0);
	election_on_poll_end(&e, &b.net, &end);
	assert_int_equal(e.polls_open, 2);
	assert_int_equal(e.ha.unanswered, 0);
	poll_once(&third);                              /* the lowest slot that is free */
	assert_int_equal(e.polls_open, 3);
}

/* The answer of a master before the present one says nothing of the present one. */
static void
polls_of_an_earlier_master_do_not_count(void **state)
{
	struct txn_end end;
	struct dgram d;

	(void)state;
	stand_by_for_host_1();
	poll_once(&d);
	assert_int_equal(e.ha.unanswered, 1);
	e.ha.master_guid = host_guid(2);
	answer_with(&d, (struct sm_info){ .guid = host_guid(1), .state = HA_MASTER });
	assert_true(served_take_end(&b, OWN_POLL, &end));
	election_on_poll_end(&e, &b.net, &end);
	assert_int_equal(e.polls_open, 0);
	assert_int_equal(e.ha.unanswered, 1);
}

/* When too many polls stay unanswered, the subnet is looked at, and the log says who is silent. */
static void
silence_asks_for_a_sweep(void **state)
{
	struct monotime at;
	struct dgram d;
	unsigned sent = 0;

	(void)state;
	stand_by_for_host_1();
	while (!b.net.schedule.want && sent < 1000) {
		assert_true(ha_deadline(&e.ha, &at));
		served_pass(&b, monotime_sub_us(at, b.net.now));
		election_poll(&e, &b.net);
		sent += served_next(&b, &d);
	}
	assert_true(b.net.schedule.want);
	assert_string_equal(b.net.schedule.why, "election");
	assert_non_null(strstr(b.said, "does not answer: looking who leads"));
	assert_true(e.ha.silent_guid == host_guid(1));
	assert_int_equal(sent, 13);                     /* as ha.h says of the default settings */
}

/* A better manager that stands by gets Set(SMInfo) HANDOVER, by its route, from a master. */
static void
the_handover_is_a_set_with_modifier_1(void **state)
{
	struct txn_end end;
	struct sm_info si;
	struct dgram d;

	(void)state;
	e.ha.state = HA_MASTER;
	b.conf->sm_key = 0x77;
	election_set_conf(&e, &b.net);
	election_ask(&e, &b.net, b.s);
	answer_both(HA_STANDBY);
	assert_int_equal(election_decide(&e, &b.net, b.s), HA_HAND_OVER);
	election_hand_over(&e, &b.net);
	assert_true(served_next(&b, &d));
	assert_true(host_guid(host_of(&d)) == e.ha.other);
	assert_int_equal(dgram_method(d.mad), METHOD_SET);
	assert_int_equal(dgram_attr_id(d.mad), SM_INFO_ID);
	assert_int_equal(dgram_modifier(d.mad), SM_INFO_SET_HANDOVER);
	si = sm_info_decode(dgram_smp_image(d.mad));
	assert_true(si.guid == b.net.port.port_guid);
	assert_int_equal(si.state, SM_STATE_MASTER);
	assert_true(si.sm_key == 0x77);
	served_answer(&b, &d, STATUS_BAD_VALUE);
	assert_true(served_take_end(&b, OWN_HANDOVER, &end));
	election_on_handover_end(&e, &b.net, &end);
	assert_non_null(strstr(b.said, "the handover was refused: status 0x001c"));
}

/* A better manager that is still starting is looked at after the hold-down, ten times in a row. */
static void
starting_rivals_are_watched_for_a_while(void **state)
{
	(void)state;
	e.ha.state = HA_MASTER;
	election_ask(&e, &b.net, b.s);
	answer_both(HA_DISCOVERING);
	for (unsigned i = 0; i < 10; i++) {
		b.net.schedule.next_sweep = MONOTIME_NEVER;
		election_watch_rivals(&e, &b.net);
		assert_int_equal(monotime_sub_us(b.net.schedule.next_sweep, b.net.now),
			(int64_t)b.conf->sweep_holddown_ms * 1000);
	}
	b.net.schedule.next_sweep = MONOTIME_NEVER;
	election_watch_rivals(&e, &b.net);
	assert_int_equal(b.net.schedule.next_sweep.us, MONOTIME_NEVER.us);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, election_setup, election_teardown)
	const struct CMUnitTest tests[] = {
		T(asks_ports_with_managers_but_not_its_own),
		T(ports_that_were_not_read_are_not_asked),
		T(a_silent_master_gets_three_tries_in_300_ms),
		T(others_get_the_configured_tries),
		T(answers_of_another_guid_are_dropped),
		T(known_managers_are_asked_where_they_are_still),
		T(polls_overlap_in_slots_of_their_own),
		T(polls_of_an_earlier_master_do_not_count),
		T(silence_asks_for_a_sweep),
		T(the_handover_is_a_set_with_modifier_1),
		T(starting_rivals_are_watched_for_a_while),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
