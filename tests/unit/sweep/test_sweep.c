/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_sweep.c - giving up and reconfiguring sweeps, the interval, and the ends and jobs that reach
 * sweeps.  test_begin.c has how they begin.
 */
#include <config.h>
#include "tests/unit/sweep/fixture.h"

static void
stored_lids_are_copied(void **state)
{
	struct lid_id rows[] = { { 1, 10, 0, false }, { 2, 20, 0, false } };
	struct subnet net = b.net;
	struct sweep w = { .net = &net };

	(void)state;
	sweep_init(&w, rows, 2);
	rows[0].base_lid = 99;
	assert_int_equal(w.lids.n, 2);
	assert_int_equal(w.lids.rows[0].base_lid, 10);
	assert_true(sweep_is_idle(&w));
	sweep_free(&w);
	txn_free(net.txn);
}

static void
stored_lids_are_in_force_again(void **state)
{
	struct lid_id row = { b.net.port.port_guid, 300, 0, false };

	(void)state;
	b.w.lids.rows = malloc(sizeof(row));
	b.w.lids.rows[0] = row;
	b.w.lids.n = 1;
	swept_sweep(&b);
	assert_int_equal(b.net.served.plan->sm_lid, 300);
}

static void
the_interval_begins_a_light_sweep(void **state)
{
	(void)state;
	swept_sweep(&b);
	sweep_on_interval(&b.w);
	assert_int_equal(b.w.state, SWEEP_LIGHT);
	assert_int_equal(b.net.schedule.next_sweep.us, INT64_MAX);
	swept_finish(&b);
	assert_true(sweep_is_idle(&b.w));
	assert_true(b.net.schedule.next_sweep.us != INT64_MAX);
	assert_int_equal(b.w.history.sweeps, 1);        /* heavy ones */
	assert_false(b.net.schedule.want);
}

static void
the_interval_begins_a_heavy_sweep_after_problems(void **state)
{
	(void)state;
	swept_sweep(&b);
	b.w.history.problem_sweeps = 1;
	sweep_on_interval(&b.w);
	assert_int_equal(b.w.state, SWEEP_DISCOVER);
	assert_string_equal(b.w.cur.why, "something was left unconfigured");
}

static void
a_sweep_that_is_given_up_can_begin_again(void **state)
{
	(void)state;
	swept_start(&b);
	swept_reach_state(&b, SWEEP_APPLY);
	txn_cancel_all(b.net.txn);
	sweep_give_up(&b.w);
	assert_true(sweep_is_idle(&b.w));
	assert_null(b.w.fresh);
	swept_turn(&b);                                 /* the cancelled ends are of no one */
	assert_true(sweep_is_idle(&b.w));
	swept_sweep(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_UP);
}

static void
only_the_job_of_the_present_step_is_taken(void **state)
{
	struct job other = { NULL, NULL, NULL };

	(void)state;
	assert_false(sweep_take_job(&b.w, &other));
	swept_start(&b);
	swept_reach_step(&b, STEP_SEAL);
	assert_false(sweep_take_job(&b.w, &other));
	assert_true(sweep_works(&b.w));
	assert_true(swept_run_job(&b));
	assert_false(sweep_works(&b.w));
	assert_int_equal(b.w.job->step, STEP_SEAL);     /* until it is pumped */
	sweep_pump(&b.w);
	assert_int_equal(b.w.job->step, STEP_LOOK);
}

static void
events_are_taken_once(void **state)
{
	(void)state;
	assert_int_equal(sweep_take_events(&b.w), 0);
	swept_sweep(&b);
	assert_int_equal(sweep_take_events(&b.w), SWEEP_EVENT_SERVED);
	assert_int_equal(sweep_take_events(&b.w), 0);
}

/* The registry follows the plan of the sweep from its making until it is served. */
static void
the_registry_sees_the_plan_under_way(void **state)
{
	(void)state;
	swept_start(&b);
	swept_reach_step(&b, STEP_PLAN);
	assert_null(sweep_for_registry(&b.w).plan);
	swept_reach_step(&b, STEP_DIFF);
	assert_ptr_equal(sweep_for_registry(&b.w).plan, b.w.plan);
	assert_non_null(b.w.plan);
	assert_false(sweep_for_registry(&b.w).writes_guids);
	swept_finish(&b);
	assert_null(sweep_for_registry(&b.w).plan);
}

/* Ends of requests of a sweep that is over reach nobody. */
static void
late_ends_are_ignored(void **state)
{
	struct txn_end e = { .kind = TXN_END_TIMED_OUT };

	(void)state;
	sweep_on_discover_end(&b.w, &e);
	sweep_on_apply_end(&b.w, &e);
	sweep_on_read_end(&b.w, &e);
	assert_true(sweep_is_idle(&b.w));
}

/* Switching QoS on needs a sweep that writes the tables; switching it off takes effect at once. */
static void
a_new_configuration_keeps_qos_off_until_a_sweep(void **state)
{
	(void)state;
	swept_sweep(&b);
	b.conf->qos = true;
	sweep_set_conf(&b.w);
	assert_null(b.net.served.qos);
	swept_sweep(&b);
	assert_non_null(b.net.served.qos);
	b.conf->qos = false;
	sweep_set_conf(&b.w);
	assert_null(b.net.served.qos);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, swept_setup, swept_teardown)
	const struct CMUnitTest tests[] = {
		T(stored_lids_are_copied),
		T(stored_lids_are_in_force_again),
		T(the_interval_begins_a_light_sweep),
		T(the_interval_begins_a_heavy_sweep_after_problems),
		T(a_sweep_that_is_given_up_can_begin_again),
		T(only_the_job_of_the_present_step_is_taken),
		T(events_are_taken_once),
		T(the_registry_sees_the_plan_under_way),
		T(late_ends_are_ignored),
		T(a_new_configuration_keeps_qos_off_until_a_sweep),
	};

	return cmocka_run_group_tests_name("sm/sweep/sweep", tests, NULL, NULL);
}
