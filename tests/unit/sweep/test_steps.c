/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_steps.c - what a job of a sweep gets, what it makes, and what becomes of it when the sweep
 * is abandoned.
 */
#include <config.h>
#include "sm/sweep/finish.h"
#include "sm/sweep/steps.h"
#include "tests/unit/sweep/fixture.h"

/* Runs the job of the present step, and takes it as the sweep does. */
static struct sweep_job *
run_and_take(void)
{
	while (sweep_works(&b.w))
		assert_true(swept_run_job(&b));
	assert_true(b.w.job->ended);
	return steps_take(&b.w);
}

/* The rest of the sweep is of no interest. */
static void
drop(struct sweep_job *j)
{
	steps_drop(j);
	sweep_abandon(&b.w);
	sweep_schedule(&b.w);
}

/* The job owns what it computes from; nothing runs before the runner runs it. */
static void
a_step_is_handed_out(void **state)
{
	struct monotime began = b.net.now;

	(void)state;
	swept_start(&b);
	swept_reach_step(&b, STEP_SEAL);
	assert_int_equal(b.w.state, SWEEP_WORK);
	assert_true(sweep_works(&b.w));
	assert_ptr_equal(b.jobs, &b.w.job->job);
	assert_false(b.w.job->ended);
	assert_null(b.w.discover);
	assert_null(b.w.job->sealed);
	assert_int_equal(b.w.cur.started.us, 0);
	assert_int_equal(b.w.job->cur.started.us, began.us);
}

static void
taking_a_step_restores_the_result(void **state)
{
	struct monotime began = b.net.now;
	struct sweep_job *j;

	(void)state;
	swept_start(&b);
	swept_reach_step(&b, STEP_SEAL);
	j = run_and_take();
	assert_null(b.w.job);
	assert_int_equal(b.w.cur.started.us, began.us);
	assert_string_equal(b.w.cur.why, "test");
	assert_int_equal(j->err, 0);
	assert_int_equal(j->sealed->nnodes, b.topo.nnodes);
	drop(j);
}

/* Jobs run on other threads: they must not log. */
static void
jobs_log_nothing(void **state)
{
	(void)state;
	swept_start(&b);
	for (unsigned step = STEP_SEAL; step <= STEP_INDEX; step++) {
		unsigned lines;

		swept_reach_step(&b, (enum sweep_step)step);
		lines = b.lines;
		while (sweep_works(&b.w))
			swept_run_job(&b);
		assert_int_equal(b.lines, lines);
	}
	swept_finish(&b);
}

static void
looking_finds_what_cannot_be_configured(void **state)
{
	uint32_t spine = 0;
	struct sweep_job *j;

	(void)state;
	while (b.topo.nodes[spine].type != TOPO_SWITCH)
		spine++;
	for (uint32_t n = spine; n < b.topo.nnodes; n++)        /* a switch without hosts */
		if (b.topo.nodes[n].type == TOPO_SWITCH) {
			bool leaf = false;

			for (unsigned p = 1; p <= b.topo.nodes[n].nports; p++) {
				const struct topo_port *tp = topo_port(&b.topo, n, (uint8_t)p);

				leaf |= tp->peer_node != TOPO_NONE &&
					b.topo.nodes[tp->peer_node].type == TOPO_CA;
			}
			spine = leaf ? spine : n;
		}
	hw_misbehave(b.hw, spine, HW_MUTE, SWITCH_INFO_ID, 0);
	swept_start(&b);
	swept_reach_step(&b, STEP_LOOK);
	j = run_and_take();
	assert_int_equal(j->look.nisolated, 1);
	assert_int_equal(b.w.fresh->nodes[j->look.isolated[0]].guid, b.topo.nodes[spine].guid);
	drop(j);
}

/* Flapping links are left out of the plan. */
static void
looking_leaves_out_flapping_links(void **state)
{
	const struct snapshot *s;
	struct sweep_job *j;
	struct roster_end end = { 0, 0 }, other = { 0, 0 };
	struct flaps_now now = { b.net.now, &b.log, missing_place, NULL };
	uint32_t links;

	(void)state;
	swept_sweep(&b);
	s = b.net.served.s;
	links = s->nlinks;
	for (uint32_t p = 0; p < s->nports; p++) {
		const struct fab_node *n = &s->nodes[s->ports[p].node];

		if (s->ports[p].peer != FAB_NONE && fab_is_switch(n) &&
		    fab_is_switch(&s->nodes[s->ports[s->ports[p].peer].node]))
			end = (struct roster_end){ n->guid, s->ports[p].num };
	}
	now.arg = b.watch.missing;
	assert_true(flaps_changed(b.watch.flaps, end, other, FLAPS_CHANGES + 1, &now));
	swept_start(&b);
	swept_reach_step(&b, STEP_LOOK);
	assert_int_equal(b.w.job->look.nflapping, 1);
	j = run_and_take();
	assert_int_equal(b.w.fresh->nlinks, links - 1);
	assert_int_equal(j->look.nisolated, 0);
	drop(j);
}

/* The planner gets copies of the rows to keep, because the store may take the sweep's meanwhile. */
static void
the_planner_gets_its_own_rows(void **state)
{
	struct sweep_job *j;

	(void)state;
	swept_sweep(&b);
	swept_start(&b);
	swept_reach_step(&b, STEP_PLAN);
	j = b.w.job;
	assert_int_equal(j->nlids, b.w.lids.n);
	assert_ptr_not_equal(j->lids, b.w.lids.rows);
	assert_memory_equal(j->lids, b.w.lids.rows, j->nlids * sizeof(*j->lids));
	j = run_and_take();
	assert_int_equal(j->err, 0);
	assert_non_null(j->plan);
	assert_ptr_equal(j->plan->snapshot, b.w.fresh);
	drop(j);
}

static void
the_index_shows_the_plan_and_this_sm(void **state)
{
	struct sweep_job *j;

	(void)state;
	swept_start(&b);
	swept_reach_step(&b, STEP_INDEX);
	j = run_and_take();
	assert_non_null(j->made.index);
	assert_non_null(j->made.roster);
	assert_true(j->made.view.ready);
	assert_ptr_equal(j->made.view.s, b.w.fresh);
	assert_int_equal(j->made.view.nsms, 1);
	assert_int_equal(j->made.sms[0].guid, b.net.port.port_guid);
	assert_int_equal(j->made.view.sm_lid, b.w.plan->sm_lid);
	assert_int_equal(j->nlids, b.w.fresh->nendports);
	assert_int_equal(b.w.cur.counts.nodes, b.w.fresh->nnodes);
	drop(j);
}

static void
input_is_that_of_the_beginning(void **state)
{
	(void)state;
	b.net.conf_age = 7;
	swept_start(&b);
	swept_reach_step(&b, STEP_LOOK);
	b.net.conf_age = 8;
	assert_int_equal(b.w.job->in.conf_age, 7);
	assert_int_equal(b.w.job->in.given.us, b.net.now.us);
	assert_ptr_equal(b.w.job->in.conf, b.conf);
	assert_null(b.w.job->in.served);
	assert_false(b.w.job->in.led);
}

/* A running job of an abandoned sweep is refused when it ends; its runner drops it. */
static void
a_job_of_an_abandoned_step_is_refused(void **state)
{
	struct job *j;

	(void)state;
	swept_start(&b);
	swept_reach_step(&b, STEP_SEAL);
	j = b.jobs;
	steps_abandon(&b.w);
	assert_null(b.w.job);
	assert_false(sweep_works(&b.w));
	assert_false(sweep_take_job(&b.w, j));
	assert_true(swept_run_job(&b));
	assert_null(b.w.fresh);
}

/* One that has ended is dropped with the step. */
static void
an_ended_job_is_dropped_with_its_step(void **state)
{
	(void)state;
	swept_start(&b);
	swept_reach_step(&b, STEP_SEAL);
	assert_true(swept_run_job(&b));
	assert_true(b.w.job->ended);
	steps_abandon(&b.w);
	assert_null(b.w.job);
	assert_null(b.jobs);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, swept_setup, swept_teardown)
	const struct CMUnitTest tests[] = {
		T(a_step_is_handed_out),
		T(taking_a_step_restores_the_result),
		T(jobs_log_nothing),
		T(looking_finds_what_cannot_be_configured),
		T(looking_leaves_out_flapping_links),
		T(the_planner_gets_its_own_rows),
		T(the_index_shows_the_plan_and_this_sm),
		T(input_is_that_of_the_beginning),
		T(a_job_of_an_abandoned_step_is_refused),
		T(an_ended_job_is_dropped_with_its_step),
	};

	return cmocka_run_group_tests_name("sm/sweep/steps", tests, NULL, NULL);
}
