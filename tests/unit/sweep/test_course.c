/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_course.c - which states and steps a sweep goes through, in which order, and how it ends.
 */
#include <config.h>
#include "sm/sweep/course.h"
#include "tests/unit/planner/given.h"
#include "tests/unit/sweep/fixture.h"

static void
a_first_sweep_goes_through_all_states(void **state)
{
	struct hw_verdict v;

	(void)state;
	swept_sweep(&b);
	assert_string_equal(b.course, "DISCOVER (seal) ELECT (look) READ_QOS (plan) (diff) APPLY "
		"(index) IDLE");
	assert_int_equal(b.w.last.outcome, OUTCOME_UP);
	assert_true(b.w.history.led);
	hw_check(b.hw, true, &v);
	assert_int_equal(v.active, v.linked);
	assert_int_equal(v.lost + v.no_lid + v.duplicate_lids, 0);
}

/* A fabric that is as planned gets nothing written. */
static void
a_second_sweep_writes_nothing(void **state)
{
	(void)state;
	swept_sweep(&b);
	assert_true(b.sets > 0);
	swept_sweep(&b);
	assert_int_equal(b.w.last.changes, 0);
	assert_int_equal(b.sets, 0);
	assert_int_equal(b.w.last.outcome, OUTCOME_UP);
	assert_int_equal(b.w.history.sweeps, 2);
}

/* Tables that an earlier master has written are read before the plan is made. */
static void
a_new_master_reads_what_hosts_registered(void **state)
{
	(void)state;
	swept_sweep(&b);
	b.w.history.led = false;
	swept_sweep(&b);
	assert_non_null(strstr(b.course, "(look) READ_QOS"));
	assert_non_null(strstr(b.course, "READ_MFTS (plan)"));
	swept_sweep(&b);
	assert_null(strstr(b.course, "READ_MFTS"));
}

/* After the first sweep as master another one is requested; after others it is not. */
static void
the_first_sweep_as_master_is_repeated(void **state)
{
	(void)state;
	swept_sweep(&b);
	assert_true(b.net.schedule.trap_sweep.us != INT64_MAX);
	swept_sweep(&b);
	assert_int_equal(b.net.schedule.trap_sweep.us, INT64_MAX);
	assert_false(b.net.schedule.want);
}

static void
a_better_master_is_left_alone(void **state)
{
	struct sm_info better = { .state = HA_MASTER, .priority = 15 };

	(void)state;
	swept_set_rival(&b, &better);
	swept_sweep(&b);
	assert_string_equal(b.course, "DISCOVER (seal) ELECT IDLE");
	assert_int_equal(b.w.last.outcome, OUTCOME_STANDBY);
	assert_int_equal(b.election.ha.state, HA_STANDBY);
	assert_int_equal(b.sets, 0);
	assert_null(b.net.served.plan);
	assert_int_equal(b.net.schedule.next_sweep.us, INT64_MAX);
}

static void
without_a_link_there_is_no_fabric(void **state)
{
	(void)state;
	assert_int_equal(hw_cable_pull(b.hw, b.node, 1, b.net.now), 0);
	swept_sweep(&b);
	assert_string_equal(b.course, "DISCOVER (seal) IDLE");
	assert_int_equal(b.w.last.outcome, OUTCOME_NO_FABRIC);
	assert_int_equal(b.sets, 0);
	assert_int_equal(b.w.history.problem_sweeps, 1);
}

/* Who was master is elected again when there is a fabric again. */
static void
a_master_without_fabric_is_elected_again(void **state)
{
	(void)state;
	swept_sweep(&b);
	assert_int_equal(b.election.ha.state, HA_MASTER);
	assert_int_equal(hw_cable_pull(b.hw, b.node, 1, b.net.now), 0);
	swept_sweep(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_NO_FABRIC);
	assert_int_equal(b.election.ha.state, HA_DISCOVERING);
}

/* Nobody answers behind our link: a sweep soon, for a neighbour that is starting. */
static void
a_silent_neighbour_is_asked_again_soon(void **state)
{
	uint32_t leaf;
	uint8_t port;

	(void)state;
	assert_true(hw_peer(b.hw, b.node, 1, &leaf, &port));
	assert_int_equal(hw_misbehave(b.hw, leaf, HW_MUTE, 0, 0), 0);
	swept_sweep(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_NO_FABRIC);
	assert_true(monotime_sub_us(b.net.schedule.next_sweep, b.net.now) <=
		(int64_t)b.conf->sweep_holddown_ms * 1000);
	hw_misbehave(b.hw, leaf, HW_NONE, 0, 0);
	swept_sweep(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_UP);
	assert_int_equal(b.w.history.problem_sweeps, 0);
}

/* No plan fits: nothing is written, and what was served before is served on. */
static void
a_refused_plan_is_not_written(void **state)
{
	const struct plan *served;

	(void)state;
	swept_sweep(&b);
	served = b.net.served.plan;
	b.conf->lmc = 8;
	swept_sweep(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_REFUSED);
	assert_int_not_equal(b.w.last.refusal[0], 0);
	assert_non_null(strstr(b.course, "(plan) IDLE"));
	assert_int_equal(b.sets, 0);
	assert_ptr_equal(b.net.served.plan, served);
	assert_non_null(b.net.served.sa);
}

/* The verifier refuses the first tables there are: the fabric stays as it was found. */
static void
refused_tables_are_not_written_to_a_new_fabric(void **state)
{
	struct hw_verdict v;

	(void)state;
	swept_clear(&b);
	swept_make(&b, "torus:5,hosts=1");
	b.conf->engines =
		(struct conf_engines){ .n = 1, .name = { "minhop" }, .no_fallback = true };
	swept_sweep(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_REFUSED);
	assert_non_null(strstr(b.w.last.refusal, "engine minhop: its tables were refused"));
	assert_non_null(strstr(b.w.last.refusal, "cycle of channels into 0x"));
	assert_int_equal(b.sets, 0);
	assert_null(b.net.served.plan);
	assert_null(b.net.served.sa);
	hw_check(b.hw, false, &v);
	assert_int_equal(v.init, v.linked);
	assert_int_equal(b.w.history.problem_sweeps, 1);
	assert_true(b.net.schedule.next_sweep.us != INT64_MAX);
}

/*
 * The tables of the next sweep close a cycle: the last good ones stay, in the switches and in what
 * is served, until a plan is accepted again.
 */
static void
refused_tables_leave_the_last_good_ones(void **state)
{
	const struct plan *served;
	struct given g;
	struct hw_verdict v;

	(void)state;
	swept_clear(&b);
	swept_make(&b, "torus:5,hosts=1");
	b.conf->engines = (struct conf_engines){ .n = 1, .name = { "nue" } };
	swept_sweep(&b);
	swept_sweep(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_UP);
	served = b.net.served.plan;
	given_make(&g, b.net.served.s, &served->lids);
	b.conf->routing.lfts = &g.l;
	b.conf->engines = (struct conf_engines){ .n = 1, .name = { "file" }, .no_fallback = true };
	for (unsigned again = 0; again < 2; again++) {
		swept_sweep(&b);
		assert_int_equal(b.w.last.outcome, OUTCOME_REFUSED);
		assert_non_null(strstr(b.w.last.refusal, "engine file: its tables were refused"));
		assert_non_null(strstr(b.w.last.refusal, "cycle of channels into 0x"));
		assert_true(b.w.last.verified);
		assert_false(b.w.last.verify.ok);
		assert_true(json_is_false(json_object_get(b.w.last.verify_doc, "ok")));
		assert_int_equal(json_integer_value(json_object_get(b.w.last.verify_doc,
			"credit_loops")), 1);
		assert_int_equal(b.sets, 0);
		assert_int_equal(b.w.last.changes, 0);
		assert_ptr_equal(b.net.served.plan, served);
		assert_non_null(b.net.served.sa);
	}
	hw_check(b.hw, true, &v);
	assert_int_equal(v.lost + v.no_lid, 0);
	assert_int_equal(v.active, v.linked);
	b.conf->engines = (struct conf_engines){ .n = 1, .name = { "nue" } };
	b.conf->routing.lfts = NULL;
	swept_sweep(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_UP);
	assert_int_equal(b.w.last.refusal[0], 0);
	assert_int_equal(b.sets, 0);
	given_clear(&g);
}

static void
lids_to_store_change_only_when_lids_do(void **state)
{
	(void)state;
	swept_sweep(&b);
	assert_true(b.w.lids.changed);
	assert_int_equal(b.w.lids.n, b.net.served.s->nendports);
	b.w.lids.changed = false;
	swept_sweep(&b);
	assert_false(b.w.lids.changed);
}

/* The sweep that removes the keys is the last one: nobody is served after it. */
static void
a_release_ends_with_its_sweep(void **state)
{
	(void)state;
	swept_sweep(&b);
	b.w.release.state = RELEASE_ASKED;
	swept_sweep(&b);
	assert_int_equal(b.w.release.state, RELEASE_DONE);
	assert_int_equal(b.election.ha.state, HA_NOTACTIVE);
	assert_null(b.net.served.plan);
	assert_true(sweep_is_idle(&b.w));
}

static void
an_idle_sweep_does_nothing(void **state)
{
	(void)state;
	swept_sweep(&b);
	sweep_pump_state(&b.w);
	assert_true(sweep_is_idle(&b.w));
	assert_int_equal(txn_pending(b.net.txn), 0);
	assert_null(b.jobs);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, swept_setup, swept_teardown)
	const struct CMUnitTest tests[] = {
		T(a_first_sweep_goes_through_all_states),
		T(a_second_sweep_writes_nothing),
		T(a_new_master_reads_what_hosts_registered),
		T(the_first_sweep_as_master_is_repeated),
		T(a_better_master_is_left_alone),
		T(without_a_link_there_is_no_fabric),
		T(a_master_without_fabric_is_elected_again),
		T(a_silent_neighbour_is_asked_again_soon),
		T(a_refused_plan_is_not_written),
		T(refused_tables_are_not_written_to_a_new_fabric),
		T(refused_tables_leave_the_last_good_ones),
		T(lids_to_store_change_only_when_lids_do),
		T(a_release_ends_with_its_sweep),
		T(an_idle_sweep_does_nothing),
	};

	return cmocka_run_group_tests_name("sm/sweep/course", tests, NULL, NULL);
}
