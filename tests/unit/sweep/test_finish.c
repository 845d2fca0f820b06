/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_finish.c - what is served after a sweep, what an abandoned one leaves, when the next is due.
 */
#include <config.h>
#include "sm/sweep/finish.h"
#include "tests/unit/sweep/fixture.h"

static int64_t
due_in_us(void)
{
	return monotime_sub_us(b.net.schedule.next_sweep, b.net.now);
}

/* Snapshot, plan and index are of one sweep, and the sweep has given them away. */
static void
a_sweep_serves_all_it_made(void **state)
{
	const struct served *v = &b.net.served;
	unsigned age = v->age;

	(void)state;
	swept_sweep(&b);
	assert_non_null(v->sa);
	assert_ptr_equal(v->plan->snapshot, v->s);
	assert_ptr_equal(v->observed->s, v->s);
	assert_true(v->age > age);
	assert_false(v->unsure);
	assert_null(b.w.fresh);
	assert_null(b.w.plan);
	assert_null(b.w.observed);
	assert_null(b.w.apply);
	assert_int_equal(sweep_take_events(&b.w), SWEEP_EVENT_SERVED);
}

/* Data that jobs may still read is freed by a job, after them. */
static void
what_was_served_is_freed_by_a_job(void **state)
{
	struct snapshot *old;

	(void)state;
	swept_sweep(&b);
	old = b.net.served.s;
	swept_start(&b);
	swept_reach_step(&b, STEP_INDEX);
	assert_ptr_equal(b.net.served.s, old);
	assert_true(swept_run_job(&b));
	assert_null(b.jobs);
	swept_turn(&b);
	assert_ptr_not_equal(b.net.served.s, old);
	assert_non_null(b.jobs);
}

static void
a_sweep_is_counted_and_timed(void **state)
{
	struct monotime began = b.net.now;

	(void)state;
	swept_start(&b);
	swept_reach_state(&b, SWEEP_APPLY);
	swept_pass(&b, 1000);
	swept_finish(&b);
	assert_int_equal(b.w.history.sweeps, 1);
	assert_int_equal(b.w.last.started.us, began.us);
	assert_true(b.w.last.ended.us >= began.us + 1000);
	assert_int_equal(b.w.last.counts.nodes, b.net.served.s->nnodes);
	assert_int_equal(b.w.cur.nproblems, 0);
}

static void
the_next_sweep_is_due_after_the_interval(void **state)
{
	(void)state;
	b.conf->sweep_interval_s = 17;
	sweep_schedule(&b.w);
	assert_int_equal(due_in_us(), 17000000);
	b.conf->sweep_interval_s = 0;
	sweep_schedule(&b.w);
	assert_int_equal(b.net.schedule.next_sweep.us, INT64_MAX);
}

/* Leases are renewed in time, whatever the interval. */
static void
leases_shorten_the_interval(void **state)
{
	(void)state;
	b.conf->m_key = 0x1234;
	b.conf->m_key_lease_period_s = 30;
	b.conf->sweep_interval_s = 1000;
	sweep_schedule(&b.w);
	assert_in_range(due_in_us(), 1, 15000000);
	b.conf->sweep_interval_s = 0;
	sweep_schedule(&b.w);
	assert_in_range(due_in_us(), 1, 15000000);
	b.conf->sweep_interval_s = 2;
	sweep_schedule(&b.w);
	assert_int_equal(due_in_us(), 2000000);
}

/* A node that does not answer makes the outcome PARTIAL, until a sweep finds nothing wrong. */
static void
problems_are_counted_by_sweeps_in_a_row(void **state)
{
	uint32_t node = b.topo.nnodes - 1;

	(void)state;
	while (b.topo.nodes[node].type != TOPO_CA)
		node--;
	hw_misbehave(b.hw, node, HW_MUTE, PORT_INFO_ID, 0);
	swept_sweep(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_PARTIAL);
	assert_true(b.w.last.nproblems > 0);
	assert_int_equal(b.w.history.problem_sweeps, 1);
	assert_non_null(b.net.served.plan);
	swept_sweep(&b);
	assert_int_equal(b.w.history.problem_sweeps, 2);
	hw_misbehave(b.hw, node, HW_NONE, 0, 0);
	swept_sweep(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_UP);
	assert_int_equal(b.w.history.problem_sweeps, 0);
}

/* Without a plan the SA has nothing to answer from; registrations and events are left alone. */
static void
a_sweep_that_only_looks_serves_no_plan(void **state)
{
	(void)state;
	swept_sweep(&b);
	swept_subscribe(&b, b.net.served.s->sm_port);
	sweep_take_events(&b.w);
	swept_start(&b);
	swept_reach_step(&b, STEP_DIFF);
	while (sweep_works(&b.w))
		swept_run_job(&b);
	sweep_finish_looking(&b.w);
	assert_null(b.net.served.plan);
	assert_null(b.net.served.sa);
	assert_non_null(b.net.served.s);
	assert_int_equal(b.w.last.outcome, OUTCOME_STANDBY);
	assert_int_equal(b.w.last.counts.nodes, b.net.served.s->nnodes);
	assert_int_equal(b.net.schedule.next_sweep.us, INT64_MAX);
	assert_int_equal(inform_count(b.registry.inform), 1);
	assert_int_equal(sweep_take_events(&b.w), SWEEP_EVENT_SERVED);
}

static void
who_stops_leading_forgets_the_registrations(void **state)
{
	(void)state;
	swept_sweep(&b);
	swept_subscribe(&b, b.net.served.s->sm_port);
	b.net.schedule.trap_sweep = b.net.now;
	sweep_take_events(&b.w);
	sweep_stop_leading(&b.w);
	assert_int_equal(inform_count(b.registry.inform), 0);
	assert_false(b.w.history.led);
	assert_true(sweep_take_events(&b.w) & SWEEP_EVENT_STOPPED);
	assert_int_equal(b.net.schedule.next_sweep.us, INT64_MAX);
	assert_int_equal(b.net.schedule.trap_sweep.us, INT64_MAX);
}

/* Wherever a sweep is abandoned, what was served stays; only one that wrote leaves a doubt. */
static void
an_abandoned_sweep_changes_nothing_served(void **state)
{
	struct served was;

	(void)state;
	swept_sweep(&b);
	was = b.net.served;
	for (unsigned step = STEP_SEAL; step <= STEP_DIFF; step++) {
		swept_start(&b);
		swept_reach_step(&b, (enum sweep_step)step);
		sweep_abandon(&b.w);
		assert_null(b.w.fresh);
		assert_null(b.w.plan);
		assert_null(b.w.job);
		assert_false(b.net.served.unsure);
		sweep_schedule(&b.w);
		while (swept_run_job(&b))
			;
	}
	assert_memory_equal(&b.net.served, &was, sizeof(was));
}

static void
a_sweep_abandoned_while_it_writes_leaves_a_doubt(void **state)
{
	const struct plan *was;

	(void)state;
	swept_sweep(&b);
	was = b.net.served.plan;
	swept_start(&b);
	swept_reach_step(&b, STEP_INDEX);
	sweep_abandon(&b.w);
	assert_true(b.net.served.unsure);
	assert_ptr_equal(b.net.served.plan, was);
	sweep_schedule(&b.w);
	swept_sweep(&b);
	assert_false(b.net.served.unsure);
}

static void
qos_levels_follow_the_configuration(void **state)
{
	unsigned age;

	(void)state;
	b.conf->qos = true;
	sweep_set_qos(&b.w, true);
	assert_null(b.net.served.qos);                  /* there is no plan yet */
	b.conf->qos = false;
	swept_sweep(&b);
	assert_null(b.net.served.qos);
	age = b.net.served.age;
	b.conf->qos = true;
	sweep_set_qos(&b.w, true);
	assert_non_null(b.net.served.qos);
	assert_int_equal(b.net.served.age, age + 1);
	sweep_set_qos(&b.w, false);
	assert_null(b.net.served.qos);
	assert_int_equal(b.net.served.age, age + 2);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, swept_setup, swept_teardown)
	const struct CMUnitTest tests[] = {
		T(a_sweep_serves_all_it_made),
		T(what_was_served_is_freed_by_a_job),
		T(a_sweep_is_counted_and_timed),
		T(the_next_sweep_is_due_after_the_interval),
		T(leases_shorten_the_interval),
		T(problems_are_counted_by_sweeps_in_a_row),
		T(a_sweep_that_only_looks_serves_no_plan),
		T(who_stops_leading_forgets_the_registrations),
		T(an_abandoned_sweep_changes_nothing_served),
		T(a_sweep_abandoned_while_it_writes_leaves_a_doubt),
		T(qos_levels_follow_the_configuration),
	};

	return cmocka_run_group_tests_name("sm/sweep/finish", tests, NULL, NULL);
}
