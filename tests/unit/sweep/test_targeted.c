/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_targeted.c - when a targeted sweep is not sufficient, and what one makes of nodes that are
 * mute, gone, unknown, or contradict what is known.
 */
#include <config.h>
#include "sm/sweep/targeted.h"
#include "util/bits.h"
#include "tests/unit/sweep/fixture.h"

/* Two sweeps: the second one finds all as planned, so that the next may be a targeted one. */
static int
sweep_targeted_setup(void **state)
{
	swept_setup(state);
	swept_sweep(&b);
	swept_sweep(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_UP);
	return 0;
}

static struct fab_node *
switch_at(uint32_t sw)
{
	struct snapshot *s = b.net.served.s;

	return &s->nodes[s->switches[sw]];
}

/* A switch without our own host, as the hardware numbers it. */
static uint32_t
far_switch(void)
{
	uint32_t own, sw = 0;
	uint8_t port;

	assert_true(hw_peer(b.hw, b.node, 1, &own, &port));
	while (b.topo.nodes[sw].type != TOPO_SWITCH || sw == own)
		sw++;
	return sw;
}

/* A port of that switch with a cable to another switch. */
static uint8_t
port_to_switch(uint32_t sw)
{
	uint32_t peer;
	uint8_t at;

	for (uint8_t p = 1; p <= b.topo.nodes[sw].nports; p++)
		if (hw_peer(b.hw, sw, p, &peer, &at) && b.topo.nodes[peer].type == TOPO_SWITCH)
			return p;
	fail_msg("the switch has no cable to another one");
	return 0;
}

static uint64_t
guid_of(uint32_t node)
{
	struct hw_port_view v;

	assert_int_equal(hw_port_view(b.hw, node, b.topo.nodes[node].type == TOPO_CA, &v), 0);
	return ATTR_GET(node_info, node_guid, v.node_info);
}

static void
report(uint64_t guid)
{
	schedule_look_at(&b.net, "a report", guid);
}

/* A sweep because of what was reported, to its end. */
static void
sweep_reported(void)
{
	b.course[0] = '\0';
	b.sets = 0;
	sweep_start_after_report(&b.w, b.net.schedule.why);
	swept_finish(&b);
}

static void
assert_refused(const char *why)
{
	const char *said = targeted_refusal(&b.w);

	assert_non_null(said);
	assert_string_equal(said, why);
}

static void
assert_sufficient(void)
{
	const char *said = targeted_refusal(&b.w);

	if (said)
		fail_msg("refused: %s", said);
}

/* A whole sweep finds nothing that the targeted one has not found or written. */
static void
assert_as_a_whole_sweep(void)
{
	const struct snapshot *s = b.net.served.s;
	uint32_t nodes = s->nnodes, links = s->nlinks, problems = b.w.last.nproblems;
	struct hw_verdict v;

	swept_sweep(&b);
	assert_false(b.w.last.targeted);
	assert_int_equal(b.sets, 0);
	assert_int_equal(b.net.served.s->nnodes, nodes);
	assert_int_equal(b.net.served.s->nlinks, links);
	assert_int_equal(b.w.last.nproblems, problems);
	hw_check(b.hw, true, &v);
	assert_int_equal(v.lost + v.no_lid + v.duplicate_lids, 0);
}

/* ---- when it is refused ---- */

static void
a_report_of_a_switch_is_sufficient(void **state)
{
	(void)state;
	report(switch_at(0)->guid);
	assert_sufficient();
}

static void
nothing_is_served(void **state)
{
	const struct plan *plan = b.net.served.plan;
	struct snapshot *s = b.net.served.s;

	(void)state;
	report(switch_at(0)->guid);
	b.net.served.s = NULL;
	assert_refused("no fabric is served yet");
	b.net.served.s = s;
	b.net.served.plan = NULL;
	assert_refused("no fabric is served yet");
	b.net.served.plan = plan;
	b.w.history.led = false;
	assert_refused("no fabric is served yet");
	b.w.history.led = true;
	b.election.ha.state = HA_STANDBY;
	assert_refused("no fabric is served yet");
	b.election.ha.state = HA_MASTER;
	assert_sufficient();
}

/* A report without a name, or more names than fit. */
static void
places_are_not_known(void **state)
{
	(void)state;
	assert_refused("the report names no node");
	report(switch_at(0)->guid);
	schedule_look_again(&b.net, "a report");
	assert_refused("the report names no node");
	schedule_begun(&b.net);
	for (unsigned i = 0; i < SCHEDULE_PLACES_MAX; i++)
		report(0x100 + i);
	assert_sufficient();
	report(0x100); /* once more, which is no other node */
	assert_sufficient();
	report(0x100 + SCHEDULE_PLACES_MAX);
	assert_refused("the report names no node");
}

static void
what_is_known_may_not_hold(void **state)
{
	(void)state;
	report(switch_at(0)->guid);
	b.net.served.unsure = true;
	assert_refused("a sweep was given up while it wrote, or another manager may have written");
	b.net.served.unsure = false;
	b.w.release.state = RELEASE_ASKED;
	assert_refused("every port is written");
	b.w.release.state = RELEASE_NONE;
	b.w.lids.reassign = true;
	assert_refused("every port is written");
	b.w.lids.reassign = false;
	b.w.loss.tries = 2 * loss_tries(&(struct loss){ 0 }, b.conf);
	assert_refused("packets are lost");
	b.w.loss.tries = 0;
	assert_sufficient();
}

static const char *
place_text(const void *arg, uint64_t guid, uint8_t port, char buf[static ROSTER_PLACE_BYTES])
{
	(void)arg;
	snprintf(buf, ROSTER_PLACE_BYTES, "0x%llx[%u]", (unsigned long long)guid, port);
	return buf;
}

static void
a_link_flaps(void **state)
{
	struct flaps_now now = { .now = b.net.now, .log = &b.log, .place = place_text };

	(void)state;
	report(switch_at(0)->guid);
	flaps_changed(b.watch.flaps, (struct roster_end){ switch_at(0)->guid, 1 },
		(struct roster_end){ 0 }, FLAPS_CHANGES, &now);
	assert_sufficient();
	flaps_changed(b.watch.flaps, (struct roster_end){ switch_at(0)->guid, 1 },
		(struct roster_end){ 0 }, 1, &now);
	assert_refused("a link flaps");
}

static void
the_sweep_before_left_problems(void **state)
{
	static const enum sweep_outcome bad[] = {
		OUTCOME_RUNNING,
		OUTCOME_REFUSED,
		OUTCOME_STANDBY,
		OUTCOME_NO_FABRIC,
	};
	static const char why[] = "the sweep before left problems";
	struct fab_problem problem = { .kind = FAB_UNRESPONSIVE };
	struct snapshot *s = b.net.served.s;

	(void)state;
	report(switch_at(0)->guid);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		b.w.last.outcome = bad[i];
		assert_refused(why);
	}
	b.w.last.outcome = OUTCOME_PARTIAL;
	assert_sufficient();
	b.w.last.nproblems++; /* one that is not of the snapshot */
	assert_refused(why);
	s->problems = &problem;
	s->nproblems = 1;
	assert_sufficient(); /* nobody answers there: known */
	for (unsigned kind = 0; kind <= FAB_TOO_FAR; kind++) {
		problem.kind = (uint8_t)kind;
		if (kind != FAB_UNRESPONSIVE)
			assert_refused(why);
	}
	s->problems = NULL;
	s->nproblems = 0;
	b.w.last.nproblems--;
}

/* Nodes that were left out, and tables of which nobody knows what they hold. */
static void
what_is_served_is_incomplete(void **state)
{
	static const uint32_t flags[] = { FAB_NODE_CUT, FAB_NODE_FAILED };
	struct fab_node *n = &b.net.served.s->nodes[b.net.served.s->nnodes - 1];
	uint32_t last = b.net.served.s->nswitches - 1;

	(void)state;
	report(switch_at(0)->guid);
	for (unsigned i = 0; i < 2; i++) {
		uint32_t before = n->flags;

		n->flags |= (uint8_t)flags[i];
		assert_refused("the sweep before left problems");
		n->flags = (uint8_t)before;
	}
	assert_sufficient();
	bits_set(b.net.served.observed->lft_unknown, last);
	assert_refused("the sweep before left problems");
}

static void
our_own_node_is_reported(void **state)
{
	(void)state;
	report(switch_at(0)->guid);
	report(guid_of(b.node));
	assert_refused("our own node is concerned");
}

static void
problems_of_what_was_read(void **state)
{
	struct fab_problem problems[2] = { { .kind = FAB_UNRESPONSIVE } };
	struct snapshot s = { .problems = problems, .nproblems = 2 };

	(void)state;
	for (unsigned kind = 0; kind <= FAB_TOO_FAR; kind++) {
		problems[1].kind = (uint8_t)kind;
		s.nproblems = 2;
		if (kind == FAB_UNRESPONSIVE)
			assert_null(targeted_contradiction(&s));
		else
			assert_string_equal(
				targeted_contradiction(&s), "an answer contradicts what is known");
		s.nproblems = 1;
		assert_null(targeted_contradiction(&s));
	}
	s.nproblems = 0;
	assert_null(targeted_contradiction(&s));
}

/* ---- what it makes of the fabric ---- */

/* Nothing has changed: nothing is written, and the same is served. */
static void
a_report_of_nothing(void **state)
{
	(void)state;
	report(guid_of(far_switch()));
	sweep_reported();
	assert_true(b.w.last.targeted);
	assert_string_equal(b.w.last.why, "a report");
	assert_int_equal(b.w.last.outcome, OUTCOME_UP);
	assert_int_equal(b.sets, 0);
	assert_false(b.net.schedule.want);
	assert_as_a_whole_sweep();
}

/* One end of a lost link is reported: traffic leads around it. */
static void
a_lost_link(void **state)
{
	uint32_t sw = far_switch(), links = b.net.served.s->nlinks;

	(void)state;
	assert_int_equal(hw_cable_pull(b.hw, sw, port_to_switch(sw), b.net.now), 0);
	report(guid_of(sw));
	sweep_reported();
	assert_true(b.w.last.targeted);
	assert_int_equal(b.net.served.s->nlinks, links - 1);
	assert_true(b.sets > 0);
	assert_true(b.w.last.verified && b.w.last.verify.ok);
	assert_as_a_whole_sweep();
}

/* A trap for a switch that nobody knows: it says nothing of the fabric that is known. */
static void
a_switch_that_nobody_knows(void **state)
{
	uint32_t nodes = b.net.served.s->nnodes;

	(void)state;
	report(0xdeadbeef);
	sweep_reported();
	assert_int_equal(b.net.served.s->nnodes, nodes);
	assert_int_equal(b.w.last.outcome, OUTCOME_UP);
	assert_int_equal(b.w.last.nproblems, 0);
	assert_int_equal(b.sets, 0);
	assert_as_a_whole_sweep();
}

/* The switch that was reported is mute: everything is read, and the sweep leaves it out. */
static void
a_mute_switch(void **state)
{
	uint32_t sw = far_switch(), nodes = b.net.served.s->nnodes;

	(void)state;
	assert_int_equal(hw_misbehave(b.hw, sw, HW_MUTE, 0, 0), 0);
	report(guid_of(sw));
	sweep_reported();
	assert_false(b.w.last.targeted);
	assert_string_equal(b.w.last.why, "a report");
	assert_true(b.w.last.outcome == OUTCOME_PARTIAL);
	assert_true(b.w.last.nproblems > 0);
	assert_true(b.net.served.s->nnodes < nodes);
	/* As long as it is mute nothing more is written; then it is as before. */
	swept_sweep(&b);
	assert_int_equal(b.sets, 0);
	hw_misbehave(b.hw, sw, HW_NONE, 0, 0);
	swept_sweep(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_UP);
	assert_int_equal(b.net.served.s->nnodes, nodes);
}

/* All is well again after the next sweeps. */
static void
assert_heals(void)
{
	struct hw_verdict v;

	swept_sweep(&b);
	swept_sweep(&b);
	assert_int_equal(b.w.last.outcome, OUTCOME_UP);
	assert_int_equal(b.w.last.nproblems, 0);
	hw_check(b.hw, true, &v);
	assert_int_equal(v.lost + v.no_lid + v.duplicate_lids, 0);
	assert_int_equal(v.active, v.linked);
}

/* The switch that was reported answers, but not what it was asked. */
static void
an_answer_that_contradicts(void **state)
{
	static const struct {
		enum hw_misbehaviour how;
		uint16_t attribute;
	} row[] = {
		{ HW_WRONG_STATUS, PORT_INFO_ID },
		{ HW_WRONG_ATTRIBUTE, PORT_INFO_ID },
		{ HW_WRONG_MODIFIER, PORT_INFO_ID },
		{ HW_WRONG_STATUS, SWITCH_INFO_ID },
	};
	uint32_t sw = far_switch();

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(*row); i++) {
		assert_int_equal(hw_misbehave(b.hw, sw, row[i].how, row[i].attribute, 0), 0);
		report(guid_of(sw));
		sweep_reported();
		if (b.w.last.targeted)
			fail_msg("row %u was believed", i);
		hw_misbehave(b.hw, sw, HW_NONE, 0, 0);
		assert_heals();
	}
}

/* A host comes back behind the switch that was reported, as another host, as nobody, or mute. */
static void
a_neighbour_that_contradicts(void **state)
{
	static const enum hw_misbehaviour how[] = {
		HW_DUPLICATE_GUID,
		HW_ZERO_PAYLOAD,
		HW_BIG_COUNTS,
		HW_MUTE,
	};
	uint32_t host = b.topo.nnodes - 1, sw;
	uint8_t port;

	(void)state;
	while (b.topo.nodes[host].type != TOPO_CA)
		host--;
	assert_true(hw_peer(b.hw, host, 1, &sw, &port));
	for (unsigned i = 0; i < sizeof(how) / sizeof(*how); i++) {
		assert_int_equal(hw_cable_pull(b.hw, host, 1, b.net.now), 0);
		assert_int_equal(hw_misbehave(b.hw, host, how[i], NODE_INFO_ID,
					 how[i] == HW_DUPLICATE_GUID ? guid_of(b.node) : 0),
			0);
		assert_int_equal(hw_cable_plug(b.hw, host, 1, sw, port, b.net.now), 0);
		swept_pass(&b, 1000000); /* the link trains */
		report(guid_of(sw));
		sweep_reported();
		if (b.w.last.targeted)
			fail_msg("row %u was believed", i);
		assert_true(b.w.last.nproblems > 0);
		hw_misbehave(b.hw, host, HW_NONE, 0, 0);
		assert_heals();
	}
}

/* A new problem is left: a whole sweep is wanted at once. */
static void
a_new_problem_wants_a_whole_sweep(void **state)
{
	uint32_t sw = far_switch(), at;
	uint8_t port = port_to_switch(sw), peer;

	(void)state;
	assert_true(hw_peer(b.hw, sw, port, &at, &peer));
	assert_int_equal(hw_misbehave(b.hw, sw, HW_NO_SET, LFT_BLOCK_ID, 0), 0);
	assert_int_equal(hw_cable_pull(b.hw, sw, port, b.net.now), 0);
	report(guid_of(at));
	sweep_reported();
	assert_true(b.w.last.targeted);
	assert_int_equal(b.w.last.outcome, OUTCOME_PARTIAL);
	assert_true(b.net.schedule.want);
	assert_string_equal(b.net.schedule.why, "a targeted sweep left problems");
	report(guid_of(at));
	assert_refused("the sweep before left problems");
	hw_misbehave(b.hw, sw, HW_NONE, 0, 0);
	swept_sweep(&b);
	assert_int_equal(b.w.last.nproblems, 0);
	assert_as_a_whole_sweep();
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, sweep_targeted_setup, swept_teardown)
	const struct CMUnitTest tests[] = {
		T(a_report_of_a_switch_is_sufficient),
		T(nothing_is_served),
		T(places_are_not_known),
		T(what_is_known_may_not_hold),
		T(a_link_flaps),
		T(the_sweep_before_left_problems),
		T(what_is_served_is_incomplete),
		T(our_own_node_is_reported),
		T(problems_of_what_was_read),
		T(a_report_of_nothing),
		T(a_lost_link),
		T(a_switch_that_nobody_knows),
		T(a_mute_switch),
		T(an_answer_that_contradicts),
		T(a_neighbour_that_contradicts),
		T(a_new_problem_wants_a_whole_sweep),
	};

	return cmocka_run_group_tests_name("sm/sweep/targeted", tests, NULL, NULL);
}
