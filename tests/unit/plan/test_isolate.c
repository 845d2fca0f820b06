/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_isolate.c - which links and nodes are taken out of a snapshot, and which stay.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/plan/isolate.h"
#include "tests/unit/route/made.h"

static struct snapshot *s;
static uint32_t *out, nout;             /* the nodes that were cut off */

/* fattree:k=4,levels=2: every leaf has two hosts and one link to each of two spines. */
static int
setup(void **state)
{
	uint32_t p = 0;

	(void)state;
	s = made_snapshot("fattree:k=4,levels=2", NULL);
	while (fab_is_switch(&s->nodes[s->ports[p].node]) || s->ports[p].peer == FAB_NONE)
		p++;
	s->sm_port = p;
	snapshot_seal(s);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	free(out);
	out = NULL;
	made_free(s);
	return 0;
}

static uint32_t
own_leaf(void)
{
	return s->ports[s->ports[s->sm_port].peer].node;
}

static bool
has_host(uint32_t node)
{
	for (unsigned i = 1; i <= s->nodes[node].nports; i++) {
		uint32_t peer = snapshot_port(s, node, (uint8_t)i)->peer;

		if (peer != FAB_NONE && !fab_is_switch(&s->nodes[s->ports[peer].node]))
			return true;
	}
	return false;
}

/* A leaf that is not the SM's, or a spine. */
static uint32_t
other_switch(bool leaf)
{
	for (uint32_t i = 0; i < s->nswitches; i++)
		if (s->switches[i] != own_leaf() && has_host(s->switches[i]) == leaf)
			return s->switches[i];
	fail();
	return FAB_NONE;
}

static uint32_t
links_of(uint32_t node)
{
	uint32_t n = 0;

	for (unsigned i = 1; i <= s->nodes[node].nports; i++)
		n += snapshot_port(s, node, (uint8_t)i)->peer != FAB_NONE;
	return n;
}

static uint32_t
hosts_of(uint32_t node)
{
	uint32_t n = 0;

	for (unsigned i = 1; i <= s->nodes[node].nports; i++) {
		uint32_t peer = snapshot_port(s, node, (uint8_t)i)->peer;

		n += peer != FAB_NONE && !fab_is_switch(&s->nodes[s->ports[peer].node]);
	}
	return n;
}

/* The port of a switch that leads to another switch. */
static uint32_t
up_port(uint32_t node, unsigned nth)
{
	for (unsigned i = 1; i <= s->nodes[node].nports; i++) {
		uint32_t peer = snapshot_port(s, node, (uint8_t)i)->peer;

		if (peer != FAB_NONE && fab_is_switch(&s->nodes[s->ports[peer].node]) && nth-- == 0)
			return s->nodes[node].first_port + i;
	}
	fail();
	return FAB_NONE;
}

static struct plan_end
end_of(uint32_t port)
{
	return (struct plan_end){ s->nodes[s->ports[port].node].guid, s->ports[port].num };
}

static void
isolate(void)
{
	free(out);
	nout = plan_isolate(s, &out);
	assert_int_equal(out != NULL, nout != 0);
	for (uint32_t i = 0; i < nout; i++) {
		assert_true(i == 0 || out[i - 1] < out[i]);
		assert_true(s->nodes[out[i]].flags & FAB_NODE_CUT);
		assert_int_equal(links_of(out[i]), 0);
	}
}

static bool
is_out(uint32_t node)
{
	for (uint32_t i = 0; i < nout; i++)
		if (out[i] == node)
			return true;
	return false;
}

static void
a_whole_fabric_stays(void **state)
{
	uint32_t hosts = s->nhosts, links = s->nlinks;

	(void)state;
	isolate();
	assert_int_equal(nout, 0);
	assert_int_equal(s->nhosts, hosts);
	assert_int_equal(s->nlinks, links);
}

static void
a_leaf_without_switch_info_is_cut_off_with_its_hosts(void **state)
{
	uint32_t leaf = other_switch(true), hosts = hosts_of(leaf), links = links_of(leaf);
	uint32_t nhosts = s->nhosts, nlinks = s->nlinks;

	(void)state;
	s->nodes[leaf].flags &= (uint8_t)~FAB_NODE_SWITCH_INFO;
	isolate();
	assert_int_equal(nout, 1 + hosts);
	assert_true(is_out(leaf));
	assert_int_equal(s->nhosts, nhosts - hosts);
	assert_int_equal(s->nlinks, nlinks - links);
}

static void
a_spine_without_switch_info_is_cut_off_alone(void **state)
{
	uint32_t spine = other_switch(false);

	(void)state;
	s->nodes[spine].flags &= (uint8_t)~FAB_NODE_SWITCH_INFO;
	isolate();
	assert_int_equal(nout, 1);
	assert_int_equal(out[0], spine);
}

static void
a_switch_without_forwarding_table_is_cut_off(void **state)
{
	uint32_t spine = other_switch(false);
	struct switch_info si = switch_info_decode(s->nodes[spine].switch_info);

	(void)state;
	si.lft_cap = 0;
	switch_info_encode(s->nodes[spine].switch_info, &si);
	isolate();
	assert_int_equal(nout, 1);
	assert_true(is_out(spine));
}

static void
a_switch_whose_port_0_is_unknown_is_cut_off(void **state)
{
	uint32_t spine = other_switch(false);

	(void)state;
	snapshot_port(s, spine, 0)->flags &= (uint8_t)~FAB_PORT_INFO;
	isolate();
	assert_int_equal(nout, 1);
	assert_true(is_out(spine));
}

/* A link with one end that was not read carries nothing, but its nodes have other links. */
static void
a_link_with_an_unread_end_is_unplugged(void **state)
{
	uint32_t port = up_port(other_switch(true), 0), peer = s->ports[port].peer;
	uint32_t links = s->nlinks;

	(void)state;
	s->ports[peer].flags &= (uint8_t)~FAB_PORT_INFO;
	isolate();
	assert_int_equal(nout, 0);
	assert_int_equal(s->ports[port].peer, FAB_NONE);
	assert_int_equal(s->ports[peer].peer, FAB_NONE);
	assert_int_equal(s->nlinks, links - 1);
}

/* Adapters do not forward: what lies behind one is not reached, the adapter itself is. */
static void
nothing_is_reached_through_an_adapter(void **state)
{
	uint32_t adapters = 0, leaf = other_switch(true);

	(void)state;
	for (uint32_t i = 0; i < s->nnodes; i++)
		if (fab_is_switch(&s->nodes[i]) && !has_host(i)) {
			s->nodes[i].type = NODE_TYPE_CA;
			adapters++;
		}
	assert_int_equal(adapters, 2);
	snapshot_seal(s);
	isolate();
	assert_true(is_out(leaf));
	for (uint32_t i = 0; i < s->nnodes; i++)
		if (s->nodes[i].type == NODE_TYPE_CA && s->nodes[i].nports > 1)
			assert_false(is_out(i));
	assert_false(is_out(own_leaf()));
}

/* Every node has a route from the SM, and the ports along it are linked. */
static void
check_paths(void)
{
	for (uint32_t i = 0; i < s->nnodes; i++) {
		const struct fab_node *n = &s->nodes[i];
		uint32_t at = s->ports[s->sm_port].node;

		assert_int_not_equal(n->hop_count, FAB_NO_PATH);
		for (unsigned hop = 1; hop <= n->hop_count; hop++) {
			uint32_t peer = snapshot_port(s, at, n->path[hop])->peer;

			assert_int_not_equal(peer, FAB_NONE);
			at = s->ports[peer].node;
		}
		assert_int_equal(at, i);
	}
}

static void
a_link_with_an_alternative_is_left_out(void **state)
{
	uint32_t port = up_port(own_leaf(), 0), peer = s->ports[port].peer, links = s->nlinks;
	struct plan_end end = end_of(port);

	(void)state;
	assert_int_equal(plan_leave_out(s, &end, 1), 1);
	assert_int_equal(s->ports[port].peer, FAB_NONE);
	assert_int_equal(s->ports[peer].peer, FAB_NONE);
	check_paths();
	isolate();
	assert_int_equal(nout, 0);
	assert_int_equal(s->nlinks, links - 1);
	assert_true(s->unplugged);
}

/* Of the two links of a leaf, one has to stay. */
static void
the_last_link_stays(void **state)
{
	uint32_t leaf = other_switch(true);
	uint32_t one = up_port(leaf, 0), two = up_port(leaf, 1), links = links_of(leaf);
	struct plan_end ends[2] = { end_of(one), end_of(two) };

	(void)state;
	assert_int_equal(plan_leave_out(s, ends, 2), 1);
	assert_int_equal(links_of(leaf), links - 1);
	assert_int_equal(s->ports[one].peer, FAB_NONE);
	assert_int_equal(s->ports[s->ports[two].peer].peer, two);
	check_paths();
}

static void
a_link_named_by_both_ends_counts_once(void **state)
{
	uint32_t port = up_port(other_switch(true), 0);
	struct plan_end ends[2] = { end_of(port), end_of(s->ports[port].peer) };

	(void)state;
	assert_int_equal(plan_leave_out(s, ends, 2), 1);
}

static void
ends_that_are_no_switch_link_are_ignored(void **state)
{
	uint32_t leaf = own_leaf(), links = s->nlinks;
	struct plan_end ends[] = {
		end_of(s->sm_port), end_of(s->ports[s->sm_port].peer),
		{ s->nodes[leaf].guid, 0 }, { s->nodes[leaf].guid, 200 }, { 0xdead, 1 },
	};

	(void)state;
	assert_int_equal(plan_leave_out(s, ends, sizeof(ends) / sizeof(ends[0])), 0);
	isolate();
	assert_int_equal(s->nlinks, links);
	assert_int_equal(nout, 0);
	assert_false(s->unplugged);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_whole_fabric_stays),
		T(a_leaf_without_switch_info_is_cut_off_with_its_hosts),
		T(a_spine_without_switch_info_is_cut_off_alone),
		T(a_switch_without_forwarding_table_is_cut_off),
		T(a_switch_whose_port_0_is_unknown_is_cut_off),
		T(a_link_with_an_unread_end_is_unplugged),
		T(nothing_is_reached_through_an_adapter),
		T(a_link_with_an_alternative_is_left_out),
		T(the_last_link_stays),
		T(a_link_named_by_both_ends_counts_once),
		T(ends_that_are_no_switch_link_are_ignored),
	};

	return cmocka_run_group_tests_name("sm/plan/isolate", tests, NULL, NULL);
}
