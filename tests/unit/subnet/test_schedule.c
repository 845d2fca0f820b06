/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_schedule.c - the hold-down of sweeps and elections, and what a beginning sweep answers.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/conf/conf.h"
#include "sm/subnet/subnet.h"

#define SECOND INT64_C(1000000)

struct bed {
	struct conf *conf;
	enum ha_state role;
	struct subnet n;
};

static int
schedule_setup(void **state)
{
	static struct bed b;

	b = (struct bed){ .conf = conf_default(), .role = HA_MASTER };
	b.conf->sweep_holddown_ms = 1000;
	b.n = (struct subnet){ .conf = b.conf, .role = &b.role, .now = { 100 * SECOND } };
	schedule_init(&b.n.schedule);
	*state = &b;
	return 0;
}

static int
schedule_teardown(void **state)
{
	conf_free(((struct bed *)*state)->conf);
	return 0;
}

static void
nothing_is_due_at_first(void **state)
{
	struct schedule *s = &((struct bed *)*state)->n.schedule;

	assert_false(s->want);
	assert_int_equal(s->next_sweep.us, MONOTIME_NEVER.us);
	assert_int_equal(s->trap_sweep.us, MONOTIME_NEVER.us);
	assert_int_equal(s->election.us, MONOTIME_NEVER.us);
}

/* The first report asks for a sweep at once; one shortly after a sweep waits for the hold-down. */
static void
reports_wait_for_the_holddown(void **state)
{
	struct bed *b = *state;
	struct schedule *s = &b->n.schedule;

	schedule_look_again(&b->n, "trap");
	assert_int_equal(s->trap_sweep.us, b->n.now.us);
	assert_string_equal(s->why, "trap");
	schedule_begun(&b->n);
	assert_int_equal(s->trap_sweep.us, MONOTIME_NEVER.us);
	b->n.now.us += SECOND / 4;
	schedule_look_again(&b->n, "second");
	assert_int_equal(s->trap_sweep.us, 101 * SECOND);
	b->n.now.us += SECOND / 4;
	schedule_look_again(&b->n, "third");            /* the same sweep, with the first reason */
	assert_int_equal(s->trap_sweep.us, 101 * SECOND);
	assert_string_equal(s->why, "second");
}

/* A sweep may look at places only if every report since the last one names one. */
static void
places_are_kept_until_a_sweep(void **state)
{
	struct bed *b = *state;
	struct schedule *s = &b->n.schedule;

	schedule_look_at(&b->n, "trap", 7);
	schedule_look_at(&b->n, "trap", 8);
	schedule_look_at(&b->n, "trap", 7);
	assert_int_equal(s->places.n, 2);
	assert_int_equal(s->places.guids[1], 8);
	assert_false(s->places.whole);
	schedule_look_again(&b->n, "of no place");
	assert_true(s->places.whole);
	schedule_begun(&b->n);
	assert_int_equal(s->places.n, 0);
	assert_false(s->places.whole);
	for (uint64_t guid = 1; guid <= SCHEDULE_PLACES_MAX; guid++)
		schedule_look_at(&b->n, "trap", guid);
	assert_false(s->places.whole);
	schedule_look_at(&b->n, "trap", SCHEDULE_PLACES_MAX + 1);
	assert_true(s->places.whole);
	schedule_clear(&b->n);
	b->role = HA_STANDBY;
	schedule_look_at(&b->n, "trap", 1);
	assert_int_equal(s->places.n, 0);
}

static void
only_a_master_looks_again(void **state)
{
	struct bed *b = *state;

	b->role = HA_STANDBY;
	schedule_look_again(&b->n, "trap");
	assert_int_equal(b->n.schedule.trap_sweep.us, MONOTIME_NEVER.us);
	schedule_want(&b->n, "election");               /* which everybody may */
	assert_true(b->n.schedule.want);
	assert_string_equal(b->n.schedule.why, "election");
}

/* A master is asked to look who leads ten times more rarely than a standby. */
static void
elections_are_rarer_for_a_master(void **state)
{
	struct bed *b = *state;
	struct schedule *s = &b->n.schedule;

	schedule_election(&b->n);
	assert_int_equal(s->election.us, b->n.now.us);
	s->election = MONOTIME_NEVER;
	s->last_election = b->n.now;
	b->n.now.us += SECOND / 2;
	schedule_election(&b->n);
	assert_int_equal(s->election.us, 110 * SECOND);
	b->role = HA_STANDBY;
	schedule_election(&b->n);
	assert_int_equal(s->election.us, 101 * SECOND);
	b->role = HA_MASTER;                            /* never later than was promised */
	schedule_election(&b->n);
	assert_int_equal(s->election.us, 101 * SECOND);
}

static void
a_sweep_answers_all(void **state)
{
	struct bed *b = *state;
	struct schedule *s = &b->n.schedule;

	schedule_want(&b->n, "a");
	schedule_look_again(&b->n, "b");
	schedule_election(&b->n);
	s->next_sweep = b->n.now;
	schedule_begun(&b->n);
	nothing_is_due_at_first(state);
	assert_int_equal(s->last_start.us, b->n.now.us);
	schedule_want(&b->n, "a");
	schedule_election(&b->n);
	s->last_start.us = 5;
	schedule_clear(&b->n);
	nothing_is_due_at_first(state);
	assert_int_equal(s->last_start.us, 5);          /* no sweep has begun */
}

static void
long_reasons_are_cut(void **state)
{
	struct bed *b = *state;
	char why[400];

	memset(why, 'x', sizeof(why) - 1);
	why[sizeof(why) - 1] = '\0';
	schedule_want(&b->n, why);
	assert_int_equal(strlen(b->n.schedule.why), sizeof(b->n.schedule.why) - 1);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, schedule_setup, schedule_teardown)
	const struct CMUnitTest tests[] = {
		T(nothing_is_due_at_first),
		T(reports_wait_for_the_holddown),
		T(places_are_kept_until_a_sweep),
		T(only_a_master_looks_again),
		T(elections_are_rarer_for_a_master),
		T(a_sweep_answers_all),
		T(long_reasons_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
