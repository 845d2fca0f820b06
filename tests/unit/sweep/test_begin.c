/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_begin.c - how sweeps begin, what they need not read again, and how a targeted one becomes a
 * whole one.
 */
#include <config.h>
#include "fabric/discover/discover.h"
#include "tests/unit/sweep/fixture.h"

/* A fabric that is served, and a report of a switch that is not that of our own host. */
static uint64_t
report_switch(void)
{
	const struct snapshot *s;
	uint32_t sw = 0, own;
	uint64_t guid;

	swept_sweep(&b);
	swept_sweep(&b);
	s = b.net.served.s;
	own = s->nodes[s->ports[s->ports[s->sm_port].peer].node].sw;
	while (sw == own)
		sw++;
	guid = s->nodes[s->switches[sw]].guid;
	schedule_look_at(&b.net, "a report", guid);
	return guid;
}

static uint32_t
hardware_of(uint64_t guid)
{
	char name[24];
	uint32_t node;

	snprintf(name, sizeof(name), "0x%016llx", (unsigned long long)guid);
	assert_int_equal(hw_node_find(b.hw, name, &node), 0);
	return node;
}

/* A sweep that begins fulfils all requests for one. */
static void
a_sweep_begins_with_discovery(void **state)
{
	(void)state;
	b.net.schedule.trap_sweep = b.net.now;
	sweep_start(&b.w, "a reason");
	assert_int_equal(b.w.state, SWEEP_DISCOVER);
	assert_string_equal(b.w.cur.why, "a reason");
	assert_int_equal(b.w.cur.started.us, b.net.now.us);
	assert_int_equal(b.net.schedule.last_start.us, b.net.now.us);
	assert_false(b.net.schedule.want);
	assert_int_equal(b.net.schedule.trap_sweep.us, INT64_MAX);
	assert_string_equal(b.said, "sweep: whole sweep: a reason");
}

/* Only a sweep that began after the release was asked for removes the keys. */
static void
a_release_takes_the_next_sweep(void **state)
{
	(void)state;
	swept_start(&b);
	assert_false(b.w.release.by_this_sweep);
	b.w.release.state = RELEASE_ASKED;
	swept_finish(&b);
	assert_int_equal(b.w.release.state, RELEASE_ASKED);
	swept_start(&b);
	assert_true(b.w.release.by_this_sweep);
}

/* Forwarding tables that were written and are unchanged are not read again, unless in doubt. */
static void
known_forwarding_tables_are_not_read(void **state)
{
	(void)state;
	swept_sweep(&b);
	swept_sweep(&b);
	assert_int_equal(b.lft_gets, 0);
	b.net.served.unsure = true;
	swept_sweep(&b);
	assert_true(b.lft_gets > 0);
}

/* Tables of switches that other tables were planned for, or that may have failed, are read. */
static void
doubtful_forwarding_tables_are_read(void **state)
{
	struct change one = { 1, 0 };

	(void)state;
	swept_sweep(&b);
	change_kinds[CHANGE_LFT]->forget(b.net.served.observed, &one);
	swept_sweep(&b);
	assert_int_equal(b.lft_gets, b.net.served.plan->fwd.top / 64u + 1); /* of one switch */
	swept_sweep(&b);
	assert_int_equal(b.lft_gets, 0);
}

static uint64_t
packets_of_a_sweep(void)
{
	uint64_t before = hw_stats(b.hw)->packets;

	swept_sweep(&b);
	return hw_stats(b.hw)->packets - before;
}

/* Nodes that refuse the request for extended speeds are not asked again with it. */
static void
refusals_of_extended_speeds_are_known(void **state)
{
	struct snapshot *s;
	uint64_t usual, asked;
	uint32_t refused = 0;

	(void)state;
	assert_int_equal(hw_extended_speeds_set(b.hw, TOPO_NONE, HW_EXTENDED_REFUSED), 0);
	swept_sweep(&b);
	s = b.net.served.s;
	for (uint32_t i = 0; i < s->nnodes; i++)
		refused += (s->nodes[i].flags & FAB_NODE_NOT_EXTENDED) != 0;
	if (!refused)
		skip(); /* none of these nodes has extended speeds */
	usual = packets_of_a_sweep();
	assert_int_equal(packets_of_a_sweep(), usual);
	s = b.net.served.s;
	for (uint32_t i = 0; i < s->nnodes; i++)
		s->nodes[i].flags &= (uint8_t)~FAB_NODE_NOT_EXTENDED;
	asked = packets_of_a_sweep();
	assert_true(asked > usual);
	assert_int_equal(packets_of_a_sweep(), usual);
}

static void
a_report_begins_a_targeted_sweep(void **state)
{
	struct monotime due = { 77000000 };

	(void)state;
	report_switch();
	b.net.schedule.next_sweep = due;
	sweep_start_after_report(&b.w, b.net.schedule.why);
	assert_int_equal(b.w.state, SWEEP_DISCOVER);
	assert_true(b.w.cur.targeted);
	assert_string_equal(b.w.cur.why, "a report");
	assert_string_equal(b.said, "sweep: targeted sweep, 1 nodes: a report");
	assert_int_equal(b.net.schedule.places.n, 0); /* the request is fulfilled */
	assert_int_equal(b.net.schedule.trap_sweep.us, INT64_MAX);
	assert_int_equal(b.w.history.due.us, due.us); /* a light sweep is due as before */
	swept_finish(&b);
	assert_true(b.w.last.targeted);
}

/* It takes a part of the requests of a whole one. */
static void
a_targeted_sweep_reads_little(void **state)
{
	uint64_t whole, before;

	(void)state;
	report_switch();
	schedule_begun(&b.net);
	whole = packets_of_a_sweep();
	report_switch();
	before = hw_stats(b.hw)->packets;
	sweep_start_after_report(&b.w, "a report");
	swept_finish(&b);
	assert_true(b.w.last.targeted);
	assert_true((hw_stats(b.hw)->packets - before) * 2 < whole);
}

static void
a_report_that_is_not_sufficient(void **state)
{
	(void)state;
	report_switch();
	b.net.served.unsure = true;
	sweep_start_after_report(&b.w, "a report");
	assert_false(b.w.cur.targeted);
	assert_string_equal(b.w.cur.why, "a report");
	assert_string_equal(b.said, "sweep: whole sweep: a report");
	swept_finish(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_UP);
	assert_true(b.lft_gets > 0);
}

/* The reason stays that of the report. */
static void
a_widened_sweep_is_a_whole_one(void **state)
{
	(void)state;
	report_switch();
	sweep_start_after_report(&b.w, "a report");
	assert_true(b.w.cur.targeted);
	sweep_widen(&b.w, "of a test");
	assert_false(b.w.cur.targeted);
	assert_string_equal(b.w.cur.why, "a report");
	assert_int_equal(b.w.state, SWEEP_DISCOVER);
	assert_null(b.w.fresh);
	swept_finish(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_UP);
	assert_false(b.w.last.targeted);
	assert_int_equal(b.sets, 0);
}

static void
a_whole_discovery_continues(void **state)
{
	struct discover *d;

	(void)state;
	swept_start(&b);
	d = b.w.discover;
	assert_true(sweep_discover_continues(&b.w));
	assert_ptr_equal(b.w.discover, d);
	assert_string_equal(b.w.cur.why, "test");
}

/* A request of a targeted sweep fails: what is open is cancelled, then everything is read. */
static void
a_spoiled_discovery_is_given_up(void **state)
{
	uint64_t guid = report_switch();

	(void)state;
	assert_int_equal(hw_misbehave(b.hw, hardware_of(guid), HW_MUTE, PORT_INFO_ID, 0), 0);
	sweep_start_after_report(&b.w, "a report");
	assert_true(sweep_discover_continues(&b.w)); /* nothing has failed yet */
	assert_true(b.w.cur.targeted);
	swept_reach_step(&b, STEP_SEAL);
	swept_finish(&b);
	assert_false(b.w.last.targeted);
	assert_string_equal(b.w.last.why, "a report");
	assert_int_equal(b.w.last.outcome, OUTCOME_PARTIAL);
	hw_misbehave(b.hw, hardware_of(guid), HW_NONE, 0, 0);
	swept_sweep(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_UP);
	assert_int_equal(b.w.last.nproblems, 0);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, swept_setup, swept_teardown)
	const struct CMUnitTest tests[] = {
		T(a_sweep_begins_with_discovery),
		T(a_release_takes_the_next_sweep),
		T(known_forwarding_tables_are_not_read),
		T(doubtful_forwarding_tables_are_read),
		T(refusals_of_extended_speeds_are_known),
		T(a_report_begins_a_targeted_sweep),
		T(a_targeted_sweep_reads_little),
		T(a_report_that_is_not_sufficient),
		T(a_widened_sweep_is_a_whole_one),
		T(a_whole_discovery_continues),
		T(a_spoiled_discovery_is_given_up),
	};

	return cmocka_run_group_tests_name("sm/sweep/begin", tests, NULL, NULL);
}
