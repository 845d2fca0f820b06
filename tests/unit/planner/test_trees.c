/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_trees.c - multicast trees of a plan: the verifier accepts them together with the unicast
 * tables, they stay while they are legal, and trees that it refuses change no table.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "fabric/verify/verify_trees.h"
#include "sm/planner/planner.h"
#include "sm/planner/routes.h"
#include "sm/planner/trees.h"
#include "util/xalloc.h"
#include "tests/unit/planner/given.h"
#include "tests/unit/subnet/served.h"

enum { MLID = 0xc001, HOSTS_MAX = 8 };

static struct served_bed b;
static struct sweep_job *j;
static struct plan *p;

static void
make_bed(const char *spec)
{
	served_make(&b, spec);
	j = xcalloc(1, sizeof(*j));
	p = xcalloc(1, sizeof(*p));
	j->in.conf = b.conf;
	j->in.given = b.net.now;
	j->in.led = true;
	j->fresh = b.s;
	p->snapshot = b.s;
	p->lids = b.plan.lids;
}

static void
clear_bed(void)
{
	plan_free(p);
	group_trees_clear(&j->trees);
	sweep_kept_clear(&j->kept);
	sweep_result_clear(&j->cur);
	topology_step_clear(&j->topology);
	free(j);
	served_clear(&b);
}

static int
setup(void **state)
{
	(void)state;
	make_bed("fattree:k=4,levels=2");
	assert_true(routes_make(j, p));
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	clear_bed();
	return 0;
}

/* A group of the first 'n' hosts; the last of them only sends. */
static void
add_group(uint16_t mlid, unsigned n)
{
	struct group_trees *t = &j->trees;

	t->v = xreallocarray(t->v, t->n + 1, sizeof(*t->v));
	t->members = xreallocarray(t->members, t->nmembers + n + 1, sizeof(*t->members));
	for (unsigned i = 0; i < n; i++) {
		uint64_t guid = b.s->ports[served_host(&b, i)].guid;

		t->members[t->nmembers++] =
			(struct group_member){ .guid = guid, .owner = guid, .hears = i + 1 < n };
	}
	t->v[t->n++] =
		(struct group_tree){ .mlid = mlid, .pkey = 0xffff, .sls = 1, .end = t->nmembers };
}

static const uint8_t *
planned_row(const void *plan, uint32_t sw, uint32_t row)
{
	return plan_mcast_row(plan, sw, row);
}

/* By the verifier, with the members as the test has them. */
static void
assert_group_is_connected(uint16_t mlid, unsigned n)
{
	struct verify_member v[HOSTS_MAX];
	struct verify_tree t = { .mlid = mlid, .sls = 1, .members = v, .nmembers = n };
	struct verify_trees_in in = {
		.unicast = { .snapshot = b.s,
			.lids = &p->lids,
			.tables = &p->fwd,
			.scope = VERIFY_ALL },
		.row = planned_row,
		.rows = p->mcast,
		.trees = &t,
		.ntrees = 1,
	};
	struct verify_trees_result r;

	for (unsigned i = 0; i < n; i++)
		v[i] = (struct verify_member){ served_host(&b, i), i + 1 < n };
	verify_trees(&in, &r);
	assert_string_equal(r.sentence, "");
	assert_true(r.ok);
}

static void
no_group_needs_no_rows(void **state)
{
	(void)state;
	trees_make(j, p);
	assert_non_null(p->mcast);
	assert_non_null(plan_mcast_spans(p->mcast)); /* for the first group that comes */
	assert_int_equal(plan_mcast_blocks(p->mcast), 0);
	assert_string_equal(j->refusals.trees, "");
	assert_string_equal(j->refusals.root, "");
}

static void
groups_are_connected(void **state)
{
	(void)state;
	add_group(MLID, 5);
	add_group(MLID + 1, 2);
	trees_make(j, p);
	assert_string_equal(j->refusals.trees, "");
	assert_int_equal(j->trees.v[0].beyond, 0);
	assert_int_equal(j->trees.v[1].beyond, 0);
	assert_group_is_connected(MLID, 5);
	assert_group_is_connected(MLID + 1, 2);
	assert_false(plan_mcast_has_changed(p->mcast)); /* the sweep compares all rows itself */
}

/* A member that is not there is nobody's fault, and breaks nothing. */
static void
members_that_are_gone_are_left_out(void **state)
{
	(void)state;
	add_group(MLID, 4);
	j->trees.members[1].guid = j->trees.members[1].owner = 0xdead;
	trees_make(j, p);
	assert_string_equal(j->refusals.trees, "");
	assert_int_equal(j->trees.v[0].beyond, 0);
	for (uint32_t i = 0; i < b.s->nports; i++)
		assert_int_not_equal(b.s->ports[i].guid, 0xdead);
	assert_true(plan_mcast_reaches(p->mcast, MLID, served_host(&b, 3)));
}

/* Registered by an alias: the port that has it is the member. */
static void
an_alias_stands_for_its_port(void **state)
{
	(void)state;
	add_group(MLID, 3);
	j->trees.members[0].guid = 0xa11a5;
	trees_make(j, p);
	assert_string_equal(j->refusals.trees, "");
	assert_group_is_connected(MLID, 3);
}

/* All cables of a switch with members are lost: they are counted, the others stay connected. */
static void
members_out_of_reach_are_counted(void **state)
{
	uint32_t port = served_host(&b, 0);
	const struct fab_node *n = &b.s->nodes[b.s->ports[b.s->ports[port].peer].node];
	unsigned with = 0;

	(void)state;
	for (unsigned i = 1; i <= n->nports; i++) {
		struct fab_port *end = &b.s->ports[n->first_port + i];

		if (end->peer == FAB_NONE ||
			!fab_is_switch(&b.s->nodes[b.s->ports[end->peer].node]))
			continue;
		b.s->ports[end->peer].peer = FAB_NONE;
		end->peer = FAB_NONE;
	}
	snapshot_seal(b.s);
	fwd_rows_drop(p->step.exact);                   /* of the fabric before */
	p->step.exact = NULL;
	add_group(MLID, 6);
	for (unsigned i = 0; i < 6; i++)
		with += &b.s->nodes[b.s->ports[b.s->ports[served_host(&b, i)].peer].node] == n;
	assert_true(with > 0 && with < 6);
	trees_make(j, p);
	assert_true(j->trees.v[0].beyond == with || j->trees.v[0].beyond == 6 - with);
}

/* The trees of the plan before stay, where nothing has happened to them. */
static void
trees_stay(void **state)
{
	const struct mcast_plan *before;
	const struct mcast_spans *spans;

	(void)state;
	add_group(MLID, 6);
	trees_make(j, p);
	before = p->mcast;
	j->in.spans = plan_mcast_spans(before);
	trees_make(j, p);
	assert_ptr_not_equal(p->mcast, before);
	spans = plan_mcast_spans(p->mcast);
	assert_true(spans->kept > 0);
	assert_int_equal(spans->lost + spans->dropped, 0);
	for (uint32_t sw = 0; sw < b.s->nswitches; sw++)
		for (uint32_t k = 0; k < plan_mcast_positions(before, sw); k++) {
			uint32_t row = mft_row_of(0, k);
			const uint8_t *x = plan_mcast_row(before, sw, row);
			const uint8_t *y = plan_mcast_row(p->mcast, sw, row);

			assert_int_equal(!x, !y);
			if (x)
				assert_memory_equal(x, y, MFT_BLOCK_BYTES);
		}
}

/* A rebalance makes them from nothing. */
static void
a_rebalance_keeps_no_tree(void **state)
{
	(void)state;
	add_group(MLID, 6);
	trees_make(j, p);
	j->in.spans = plan_mcast_spans(p->mcast);
	j->topology.deed = TOPOLOGY_REBALANCED;
	trees_make(j, p);
	assert_int_equal(plan_mcast_spans(p->mcast)->kept, 0);
	assert_group_is_connected(MLID, 6);
}

/* A cable of the tree is lost: the routes and the trees of the next plan lead around it. */
static void
a_lost_cable_of_the_tree(void **state)
{
	struct served_bed before = b;
	struct sweep_job *job = j;
	struct plan *plan = p;
	const struct mcast_span *v;
	uint32_t sw = 0, end, other;

	(void)state;
	add_group(MLID, 6);
	trees_make(j, p);
	v = &plan_mcast_spans(p->mcast)->v[0];
	while (v->above[sw] == FAB_NONE)
		sw++;
	end = b.s->nodes[b.s->switches[sw]].first_port + v->port[sw];
	make_bed("fattree:k=4,levels=2");
	add_group(MLID, 6);
	other = b.s->ports[end].peer;
	b.s->ports[end].peer = b.s->ports[other].peer = FAB_NONE;
	snapshot_seal(b.s);
	j->in.spans = plan_mcast_spans(plan->mcast);
	assert_true(routes_make(j, p));
	trees_make(j, p);
	assert_true(plan_mcast_spans(p->mcast)->lost > 0);
	assert_true(plan_mcast_spans(p->mcast)->kept > 0);
	assert_string_equal(j->refusals.trees, "");
	assert_int_equal(j->trees.v[0].beyond, 0);
	assert_group_is_connected(MLID, 6);
	clear_bed();
	b = before;
	j = job;
	p = plan;
}

/* The operator wants a root that is not there; one that is there has no remark. */
static void
the_wanted_root(void **state)
{
	struct chain before = { .n = 0 };
	unsigned logged = 0;

	(void)state;
	add_group(MLID, 3);
	b.conf->mc_primary_root_guid = 0xdead;
	trees_make(j, p);
	assert_non_null(strstr(j->refusals.root, "no switch that forwards multicast"));
	assert_group_is_connected(MLID, 3);
	j->plan = p;
	planner_log(&b.net, j, &before, &logged);
	assert_non_null(strstr(b.said, "mcast: no switch that forwards multicast"));
	j->plan = NULL;
	b.conf->mc_primary_root_guid =
		b.s->nodes[b.s->switches[plan_mcast_spans(p->mcast)->v[0].root]].guid;
	trees_make(j, p);
	assert_string_equal(j->refusals.root, "");
}

/*
 * Unicast tables that have a cycle of their own: no tree passes together with them.  Then no row
 * differs from what the switches hold, and hosts that join are told that no tree reaches them.
 */
static void
refused_trees_change_no_table(void **state)
{
	struct given g;
	struct mft_seen *seen;
	struct chain before = { .n = 0 };
	struct mcast_leaf leaf = { .hears = true };
	unsigned logged = 0;

	(void)state;
	clear_bed();
	make_bed("torus:5,hosts=1");
	given_make(&g, b.s, &p->lids);
	p->fwd = (struct fwd_tables){
		.nswitches = b.s->nswitches, .stride = g.l.tables[0].n, .top = p->lids.top, .vls = 1
	};
	p->fwd.port = arena_array(&p->fwd_arena, (size_t)p->fwd.nswitches * p->fwd.stride, 1);
	for (uint32_t sw = 0; sw < p->fwd.nswitches; sw++)
		memcpy(fwd_row(&p->fwd, sw), g.l.tables[sw].row, p->fwd.stride);
	j->cur.verify.scope = VERIFY_HOSTS;
	add_group(MLID, 4);
	trees_make(j, p);
	assert_string_not_equal(j->refusals.trees, "");
	seen = mft_seen_new();
	for (uint32_t sw = 0; sw < b.s->nswitches; sw++)
		assert_false(plan_mcast_differs(p->mcast, seen, sw, mft_row_of(0, 0)));
	assert_int_equal(plan_mcast_blocks(p->mcast), 0);
	mft_seen_free(seen);
	leaf.port = served_host(&b, 1);
	assert_int_equal(plan_mcast_group(p->mcast, MLID + 5, &leaf, 1), 1);
	j->plan = p;
	planner_log(&b.net, j, &before, &logged);
	assert_non_null(strstr(
		b.said, "mcast: multicast tables stay as they are: new trees were refused: "));
	assert_non_null(strstr(b.said, j->refusals.trees));
	j->plan = NULL;
	given_clear(&g);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(no_group_needs_no_rows),
		T(groups_are_connected),
		T(members_that_are_gone_are_left_out),
		T(an_alias_stands_for_its_port),
		T(members_out_of_reach_are_counted),
		T(trees_stay),
		T(a_rebalance_keeps_no_tree),
		T(a_lost_cable_of_the_tree),
		T(the_wanted_root),
		T(refused_trees_change_no_table),
	};

	return cmocka_run_group_tests_name("sm/planner/trees", tests, NULL, NULL);
}
