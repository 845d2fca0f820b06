/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_manager.c - the turns of a manager: what a turn sends, when the next is due, what jobs, time
 * and a new configuration do to it.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/test.h"
#include "sm/manager/manager_int.h"
#include "tests/scenario/world.h"

enum { SECOND = 1000000, SENDS_MAX = 10000 };

static struct world w;
static struct world_manager *s;

/* A manager that has not had a turn yet. */
static int
manager_setup(void **state)
{
	(void)state;
	world_init(&w, "fattree:k=4,levels=2", 1);
	s = world_manager_start(&w, NULL, NULL);
	return 0;
}

static int
manager_teardown(void **state)
{
	(void)state;
	world_clear(&w);
	return 0;
}

static void
bring_up(void)
{
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	world_run(&w, 3 * SECOND);
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
}

/* A turn of which nothing is delivered: what it sends. */
static unsigned
turn(struct dgram *last)
{
	struct dgram d;
	int timeout_ms;
	unsigned n = 0;

	manager_tick(s->m, w.now);
	while (manager_next_send(s->m, &d, &timeout_ms, w.now)) {
		assert_true(++n < SENDS_MAX);
		*last = d;
	}
	return n;
}

static void
a_manager_begins_with_its_own_node(void **state)
{
	struct monotime at;
	struct dgram d;

	(void)state;
	assert_true(manager_deadline(s->m, &at));
	assert_true(at.us <= w.now.us);
	assert_int_equal(turn(&d), 1);
	assert_int_equal(dgram_class(d.mad), CLASS_SM_DR);
	assert_int_equal(dgram_attr_id(d.mad), NODE_INFO_ID);
	assert_int_equal(manager_sweeps(s->m), 0);
}

/* Without time and datagrams a turn has nothing to do; the next is due when the try ends. */
static void
a_turn_does_what_is_due_only(void **state)
{
	struct monotime at;
	struct dgram d;

	(void)state;
	turn(&d);
	assert_int_equal(turn(&d), 0);
	assert_true(manager_deadline(s->m, &at));
	assert_true(at.us > w.now.us);
	assert_false(manager_answers_wait(s->m));
	w.now = at;
	assert_int_equal(turn(&d), 1);
	assert_int_equal(dgram_attr_id(d.mad), NODE_INFO_ID);
}

static void
no_manager_is_freed_without_harm(void **state)
{
	(void)state;
	manager_free(NULL);
	world_manager_kill(&w, s);
	assert_null(s->m);
}

/* Answers leave at once and are not tried again. */
static void
requests_of_others_are_answered(void **state)
{
	struct dgram d = { .addr = { .lid = 5 }, .bytes = DGRAM_BYTES }, out;
	struct dgram_head h = { .base_version = MAD_BASE_VERSION, .mgmt_class = CLASS_SM_LID,
		.class_version = 1, .method = METHOD_GET, .attr_id = SM_INFO_ID };
	int timeout_ms = -1;

	(void)state;
	dgram_head_encode(d.mad, &h);
	manager_receive(s->m, &d, w.now);
	assert_true(manager_next_send(s->m, &out, &timeout_ms, w.now));
	assert_int_equal(dgram_method(out.mad), METHOD_GET_RESP);
	assert_int_equal(dgram_attr_id(out.mad), SM_INFO_ID);
	assert_int_equal(timeout_ms, 0);
	assert_false(manager_next_send(s->m, &out, &timeout_ms, w.now));
}

/* The manager owns what it receives, also what nobody wants. */
static void
unwanted_datagrams_are_freed(void **state)
{
	struct dgram d = { .addr = { .lid = 5 }, .bytes = DGRAM_BYTES, .more = malloc(100) };
	struct dgram_head h = { .base_version = MAD_BASE_VERSION, .mgmt_class = CLASS_PM,
		.class_version = 1, .method = METHOD_GET, .attr_id = 1 };

	(void)state;
	dgram_head_encode(d.mad, &h);
	manager_receive(s->m, &d, w.now);
	assert_int_equal(s->m->unknown_mads, 1);
	d = (struct dgram){ .addr = { .lid = 5 }, .bytes = DGRAM_BYTES, .more = malloc(100),
		.status = EIO };
	manager_receive(s->m, &d, w.now);
	assert_int_equal(s->m->unknown_mads, 1);        /* a failed receive is no datagram */
}

static void
a_refused_answer_is_counted(void **state)
{
	struct dgram d = { .bytes = DGRAM_BYTES };
	struct dgram_head h = { .mgmt_class = CLASS_SM_LID, .method = METHOD_GET_RESP,
		.attr_id = SM_INFO_ID };

	(void)state;
	dgram_head_encode(d.mad, &h);
	manager_send_failed(s->m, &d, EIO, w.now);
	assert_int_equal(s->m->net.outbox.dropped, 1);
	turn(&d);
	manager_send_failed(s->m, &d, EIO, w.now);      /* a request of ours */
	assert_int_equal(s->m->net.outbox.dropped, 1);
}

static void
a_settled_manager_waits_for_its_interval(void **state)
{
	struct monotime at;
	struct dgram d;

	(void)state;
	bring_up();
	assert_true(manager_deadline(s->m, &at));
	assert_true(at.us > w.now.us);
	assert_true(at.us <= s->m->net.schedule.next_sweep.us);
	assert_int_equal(turn(&d), 0);
	s->m->watch.own_port.next = MONOTIME_NEVER;     /* which is queried more often */
	assert_true(manager_deadline(s->m, &at));
	assert_int_equal(at.us, s->m->net.schedule.next_sweep.us);
}

static void
a_sweep_can_be_asked_for(void **state)
{
	struct monotime at;

	(void)state;
	bring_up();
	manager_sweep(s->m, "an operator", w.now);
	assert_true(manager_deadline(s->m, &at));
	assert_int_equal(at.us, w.now.us);
	assert_true(world_run_sweeps(&w, s, 1, SECOND));
	assert_string_equal(s->m->sweep.last.why, "an operator");
}

static void
a_new_configuration_is_swept_for(void **state)
{
	static const char *const args[] = { "-p", "7", NULL };
	unsigned age;

	(void)state;
	bring_up();
	age = s->m->net.conf_age;
	world_manager_reload(&w, s, args);
	assert_int_equal(s->m->net.conf_age, age + 1);
	assert_true(world_run_sweeps(&w, s, 1, SECOND));
	assert_string_equal(s->m->sweep.last.why, "configuration read again");
	assert_int_equal(s->m->election.ha.conf.priority, 7);
}

/* Jobs run elsewhere: the manager goes on, and the sweep when its job is done. */
static void
a_sweep_waits_for_its_job(void **state)
{
	struct monotime at;

	(void)state;
	w.job_us = 50000;
	world_manager_kill(&w, s);
	s = world_manager_start(&w, NULL, NULL);
	while (!manager_works(s->m))
		world_run(&w, 1000);
	assert_int_equal(s->njobs, 1);
	assert_true(manager_deadline(s->m, &at));       /* so that a stop is noticed */
	assert_true(monotime_sub_us(at, w.now) <= 2 * SECOND);
	world_run(&w, 49000);
	assert_int_equal(manager_sweeps(s->m), 0);
	bring_up();
}

/* A job that ends after its manager is dropped. */
static void
a_job_may_outlive_its_manager(void **state)
{
	struct job *j;

	(void)state;
	w.job_us = 50000;
	world_manager_kill(&w, s);
	s = world_manager_start(&w, NULL, NULL);
	while (!manager_works(s->m))
		world_run(&w, 1000);
	world_manager_kill(&w, s);
	assert_int_equal(s->njobs, 1);
	while (s->njobs) {
		j = s->jobs[0].j;
		s->jobs[0] = s->jobs[--s->njobs];
		manager_job_done(NULL, j, w.now);
	}
}

/* After a stop of the whole program somebody else may be master: the sweep is begun anew. */
static void
a_stop_is_noticed(void **state)
{
	struct dgram d;

	(void)state;
	turn(&d);
	assert_int_equal(s->m->sweep.state, SWEEP_DISCOVER);
	w.now = monotime_add_us(w.now, 600 * SECOND);
	turn(&d);
	assert_string_equal(s->m->sweep.cur.why, "stood still");
	bring_up();
	w.now = monotime_add_us(w.now, 600 * SECOND);
	turn(&d);
	assert_string_equal(s->m->sweep.cur.why, "stood still");
}

static void
a_released_manager_rests_until_it_is_resumed(void **state)
{
	unsigned sweeps;

	(void)state;
	bring_up();
	manager_release(s->m, w.now);
	world_run(&w, 5 * SECOND);
	assert_int_equal(s->m->election.ha.state, HA_NOTACTIVE);
	sweeps = manager_sweeps(s->m);
	world_run(&w, 100 * SECOND);
	assert_int_equal(manager_sweeps(s->m), sweeps);
	manager_resume(s->m, w.now);
	world_run(&w, 5 * SECOND);
	assert_int_equal(s->m->election.ha.state, HA_MASTER);
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, manager_setup, manager_teardown)
	const struct CMUnitTest tests[] = {
		T(a_manager_begins_with_its_own_node),
		T(a_turn_does_what_is_due_only),
		T(no_manager_is_freed_without_harm),
		T(requests_of_others_are_answered),
		T(unwanted_datagrams_are_freed),
		T(a_refused_answer_is_counted),
		T(a_settled_manager_waits_for_its_interval),
		T(a_sweep_can_be_asked_for),
		T(a_new_configuration_is_swept_for),
		T(a_sweep_waits_for_its_job),
		T(a_job_may_outlive_its_manager),
		T(a_stop_is_noticed),
		T(a_released_manager_rests_until_it_is_resumed),
	};

	return cmocka_run_group_tests_name("sm/manager/manager", tests, NULL, NULL);
}
