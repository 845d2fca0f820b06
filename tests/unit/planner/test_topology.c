/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_topology.c - when a topology is learned, learned again, kept, and replaced on command.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/planner/sweep_job.h"
#include "util/xalloc.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;
static struct topology w;

static int
setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	w = (struct topology){ .t = NULL };
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	topology_clear(&w, &b.net);
	served_run_jobs(&b);
	served_clear(&b);
	return 0;
}

/* A plan; whether the engines got the topology. */
static bool
plan(bool calm)
{
	struct sweep_job *j = xcalloc(1, sizeof(*j));
	bool used;

	j->in.conf = b.conf;
	j->fresh = b.s;
	topology_give(&w, calm, &j->topology);
	used = topology_plan(j) != NULL;
	topology_take(&w, &b.net, &j->topology);
	topology_step_clear(&j->topology);
	free(j);
	served_run_jobs(&b);
	return used;
}

static uint32_t
unplug(unsigned host)
{
	uint32_t port = served_host(&b, host), peer = b.s->ports[port].peer;

	b.s->ports[port].peer = b.s->ports[peer].peer = FAB_NONE;
	snapshot_seal(b.s);
	return peer;
}

/* Cuts a link between switches; its ends. */
static void
cut(uint32_t end[2])
{
	const struct fab_node *n = &b.s->nodes[b.s->switches[0]];

	for (unsigned p = 1; p <= n->nports; p++) {
		end[0] = n->first_port + p;
		end[1] = b.s->ports[end[0]].peer;
		if (end[1] != FAB_NONE && fab_is_switch(&b.s->nodes[b.s->ports[end[1]].node]))
			break;
	}
	b.s->ports[end[0]].peer = b.s->ports[end[1]].peer = FAB_NONE;
	snapshot_seal(b.s);
}

static void
mend(const uint32_t end[2])
{
	b.s->ports[end[0]].peer = end[1];
	b.s->ports[end[1]].peer = end[0];
	snapshot_seal(b.s);
}

static void
learned_when_whole(void **state)
{
	uint32_t node = b.s->switches[0];

	(void)state;
	assert_false(plan(false)); /* a link flaps */
	b.s->nodes[node].flags |= FAB_NODE_FAILED;
	assert_false(plan(true));
	b.s->nodes[node].flags &= (uint8_t)~FAB_NODE_FAILED;
	b.s->nproblems = 1;
	assert_false(plan(true));
	b.s->nproblems = 0;
	assert_true(plan(true));
	assert_true(w.changed);
	assert_true(w.young);
	assert_true(w.len > 100);
	assert_non_null(strstr(b.said, "topology: learned: 6 switches"));
	w.changed = false;
	assert_true(plan(true));
	assert_false(w.changed);
	assert_false(w.young);
}

/* A fabric that starts: links come one after the other, until a sweep finds nothing new. */
static void
learned_again_while_young(void **state)
{
	uint32_t one[2], two[2];

	(void)state;
	cut(one);
	cut(two);
	assert_true(plan(true));
	mend(one);
	assert_true(plan(true));
	assert_true(w.young);
	mend(two);
	assert_true(plan(true));
	assert_int_equal(w.t->nlinks, 8);
	plan(true);
	assert_false(w.young);
	cut(one);
	assert_true(plan(true));
	assert_int_equal(w.t->nlinks, 8);
	assert_int_equal(w.diff->count[INTENDED_MISSING_LINK], 1);
}

static void
links_wait_for_a_command(void **state)
{
	uint32_t one[2];

	(void)state;
	cut(one);
	plan(true);
	plan(true);
	mend(one);
	assert_true(plan(true));
	assert_int_equal(w.t->nlinks, 7);
	assert_non_null(strstr(b.said, "1 new or contradicting"));
	w.wish = TOPOLOGY_REBALANCE;
	plan(true);
	assert_int_equal(w.t->nlinks, 8);
	assert_int_equal(w.wish, TOPOLOGY_KEEP);
	cut(one);
	w.wish = TOPOLOGY_REBALANCE;
	plan(true);
	assert_int_equal(w.t->nlinks, 8);
	w.wish = TOPOLOGY_ADOPT;
	plan(true);
	assert_int_equal(w.t->nlinks, 7);
	assert_non_null(strstr(b.said, "adopted as it is: 6 switches, 7 links"));
}

static void
hosts_grow(void **state)
{
	uint32_t port = served_host(&b, 3), peer = unplug(3);

	(void)state;
	plan(true);
	plan(true);
	assert_int_equal(w.t->nhosts, 7);
	mend((const uint32_t[]){ port, peer });
	plan(true);
	assert_int_equal(w.t->nhosts, 8);
	assert_non_null(strstr(b.said, "adopted: 1 new hosts"));
}

static void
stored_and_read(void **state)
{
	struct topology other = { .t = NULL };

	(void)state;
	plan(true);
	topology_init(&other, w.text, w.len);
	assert_non_null(other.t);
	assert_false(other.young);
	assert_int_equal(other.t->nhosts, w.t->nhosts);
	topology_clear(&other, &b.net);
	topology_init(&other, w.text, w.len - 5);
	assert_null(other.t);
	assert_non_null(strstr(other.unread, "the stored topology is not valid: line 1"));
	topology_clear(&other, &b.net);
}

/* A topology of another fabric is kept and not used. */
static void
foreign(void **state)
{
	(void)state;
	plan(true);
	for (uint32_t i = 0; i < w.t->nsw; i++)
		w.t->sw[i].guid += 0x100000000;
	assert_false(plan(true));
	assert_true(w.foreign);
	assert_non_null(strstr(b.said, "is of another fabric: 0 of 6 switches"));
	w.wish = TOPOLOGY_ADOPT;
	assert_true(plan(true));
	assert_false(w.foreign);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = { T(learned_when_whole), T(learned_again_while_young),
		T(links_wait_for_a_command), T(hosts_grow), T(stored_and_read), T(foreign) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
