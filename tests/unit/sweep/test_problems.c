/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_problems.c - problems of discovery, nodes left out: where they are, in words, and logged once.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/sweep/problems.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;
static struct watch w;
static struct sweep_result r, last;
static uint32_t far;                    /* the switch port before host 3 */

static int
sweep_problems_setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	watch_init(&w);
	memset(&r, 0, sizeof(r));
	memset(&last, 0, sizeof(last));
	far = b.s->ports[served_host(&b, 3)].peer;
	return 0;
}

static int
sweep_problems_teardown(void **state)
{
	(void)state;
	b.s->problems = NULL;
	b.s->nproblems = 0;
	sweep_result_clear(&r);
	sweep_result_clear(&last);
	watch_free(&w);
	served_clear(&b);
	return 0;
}

static struct sweep_problem *
collect_one(struct fab_problem *t)
{
	struct problem_sources from = { .s = b.s, .watch = &w };

	b.s->problems = t;
	b.s->nproblems = 1;
	sweep_result_clear(&r);
	problems_collect(&r, &from);
	assert_int_equal(r.nproblems, 1);
	return &r.problems[0];
}

/* A node that never said who it is, behind the far port. */
static struct fab_problem
unresponsive_behind(uint32_t port)
{
	const struct fab_node *n = &b.s->nodes[b.s->ports[port].node];
	struct fab_problem t = {
		.kind = FAB_UNRESPONSIVE, .guid = n->guid, .port = b.s->ports[port].num, .attr_id = NODE_INFO_ID,
		.hop_count = (uint8_t)(n->hop_count + 1), .count = 1,
	};

	memcpy(t.path, n->path, sizeof(t.path));
	t.path[t.hop_count] = b.s->ports[port].num;
	return t;
}

static void
an_unresponsive_node_is_named_by_its_place(void **state)
{
	struct fab_problem t = unresponsive_behind(far);
	struct sweep_problem *f = collect_one(&t);
	char text[NODE_DESC_BYTES * 3 + 1], want[400];

	(void)state;
	assert_string_equal(f->code, "timeout");
	assert_true(f->at.before_guid == b.s->nodes[b.s->ports[far].node].guid);
	assert_int_equal(f->at.before_port, b.s->ports[far].num);
	assert_int_equal(f->at.guid, 0);
	assert_string_equal(f->attribute, "NodeInfo");
	snprintf(want, sizeof(want), "no answer from the node behind %s port %u",
		snapshot_desc_text(&b.s->nodes[b.s->ports[far].node], text, sizeof(text)), b.s->ports[far].num);
	assert_string_equal(f->reason, want);
}

/* A route that does not lead there names the node before it alone. */
static void
an_impossible_route_has_no_place(void **state)
{
	struct fab_problem t = unresponsive_behind(far);
	struct sweep_problem *f;

	(void)state;
	t.path[1] = 200;
	f = collect_one(&t);
	assert_int_equal(f->at.before_guid, 0);
	assert_true(f->at.guid == t.guid);
}

static void
a_known_node_is_named_by_itself(void **state)
{
	const struct fab_port *p = &b.s->ports[served_host(&b, 3)];
	struct fab_problem t = {
		.kind = FAB_BAD_STATUS, .guid = b.s->nodes[p->node].guid, .port = p->num, .attr_id = PORT_INFO_ID,
		.status = STATUS_BAD_VALUE, .modifier = p->num, .reason = "status 0x001c",
	};
	struct sweep_problem *f = collect_one(&t);

	(void)state;
	assert_string_equal(f->code, "mad_status");
	assert_int_equal(f->status, STATUS_BAD_VALUE);
	assert_int_equal(f->at.before_guid, 0);
	assert_true(f->at.port_guid == p->guid);
	assert_int_equal(f->at.lid, b.plan.lids.base[served_host(&b, 3)]);
	assert_string_equal(f->reason, "status 0x001c");
}

/* The second place of a GUID, and who keeps it. */
static void
a_duplicate_names_both_places(void **state)
{
	struct fab_problem t = unresponsive_behind(far);
	const struct fab_node *keeper = &b.s->nodes[b.s->ports[served_host(&b, 1)].node];
	struct sweep_problem *f;

	(void)state;
	t.kind = FAB_DUPLICATE_GUID;
	t.guid = keeper->guid;
	t.other_hop_count = keeper->hop_count;
	memcpy(t.other_path, keeper->path, sizeof(t.other_path));
	f = collect_one(&t);
	assert_string_equal(f->code, "duplicate_guid");
	assert_true(f->at.guid == keeper->guid);
	assert_non_null(strstr(f->reason, "; the node served at "));
	assert_true(f->at.before_guid == b.s->nodes[b.s->ports[far].node].guid);
}

static void
nodes_left_out_are_cut_off(void **state)
{
	uint32_t node = b.s->ports[served_host(&b, 3)].node;
	struct problem_sources from = { .s = b.s, .watch = &w, .isolated = &node, .nisolated = 1 };

	(void)state;
	problems_collect(&r, &from);
	assert_int_equal(r.nproblems, 1);
	assert_string_equal(r.problems[0].code, "cut_off");
	assert_true(r.problems[0].at.guid == b.s->nodes[node].guid);
}

/* What the sweep before had too is not logged again; of many, sixteen are named. */
static void
new_problems_are_logged(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		struct sweep_problem *f = sweep_result_add(&r);

		f->at.guid = i + 1;
		snprintf(f->code, sizeof(f->code), "timeout");
		snprintf(f->reason, sizeof(f->reason), "reason %u", i);
		if (i < 2)
			*sweep_result_add(&last) = *f;
	}
	problems_log(&r, &r, &w, &b.log);
	assert_int_equal(b.lines, 0);
	problems_log(&r, &last, &w, &b.log);
	assert_int_equal(b.lines, 17);
	assert_string_equal(b.said, "fabric: 2 more problems, see heddlectl status");
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, sweep_problems_setup, sweep_problems_teardown)
	const struct CMUnitTest tests[] = {
		T(an_unresponsive_node_is_named_by_its_place),
		T(an_impossible_route_has_no_place),
		T(a_known_node_is_named_by_itself),
		T(a_duplicate_names_both_places),
		T(nodes_left_out_are_cut_off),
		T(new_problems_are_logged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
