/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_roster.c - what differs between two rosters, and names of places.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/watch/roster.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;
static struct roster *was;

struct seen {
	unsigned lost_nodes, new_nodes, same_nodes, lost_links, new_links;
	uint64_t guid;                  /* of the last node that was lost or is new */
};

static int
roster_setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	was = roster_new(b.s);
	return 0;
}

static int
roster_teardown(void **state)
{
	(void)state;
	roster_free(was);
	served_clear(&b);
	return 0;
}

static void
on_lost_node(void *arg, const struct roster_node *n)
{
	struct seen *x = arg;

	x->lost_nodes++;
	x->guid = n->guid;
}

static void
on_new_node(void *arg, const struct roster_node *n)
{
	struct seen *x = arg;

	x->new_nodes++;
	x->guid = n->guid;
}

static void
on_same_node(void *arg, const struct roster_node *a, const struct roster_node *z)
{
	assert_true(a->guid == z->guid);
	((struct seen *)arg)->same_nodes++;
}

static void
on_lost_link(void *arg, const struct roster_link *l)
{
	(void)l;
	((struct seen *)arg)->lost_links++;
}

static void
on_new_link(void *arg, const struct roster_link *l)
{
	(void)l;
	((struct seen *)arg)->new_links++;
}

static struct seen
compare_with(const struct roster *is)
{
	struct seen x = { 0 };
	struct roster_differ d = { on_lost_node, on_new_node, on_same_node, on_lost_link, on_new_link, &x };

	roster_compare(was, is, &d);
	return x;
}

static void
everything_is_found_by_its_guid(void **state)
{
	(void)state;
	assert_int_equal(was->nnodes, b.s->nnodes);
	assert_int_equal(was->nlinks, b.s->nlinks);
	for (uint32_t i = 0; i < b.s->nnodes; i++)
		assert_true(roster_find(was, b.s->nodes[i].guid)->guid == b.s->nodes[i].guid);
	assert_null(roster_find(was, 0x123456));
	assert_null(roster_find(was, UINT64_MAX));
	for (uint32_t i = 1; i < was->nlinks; i++)
		assert_true(roster_link_cmp(&was->links[i - 1], &was->links[i]) < 0);
}

/* The port before a node on the way from the SM; the SM's own node has none. */
static void
nodes_know_the_port_before_them(void **state)
{
	const struct fab_port *p = &b.s->ports[served_host(&b, 3)], *before = &b.s->ports[p->peer];
	const struct roster_node *n = roster_find(was, b.s->nodes[p->node].guid);

	(void)state;
	assert_true(n->at_guid == b.s->nodes[before->node].guid);
	assert_int_equal(n->at_port, before->num);
	assert_int_equal(n->port, p->num);
	n = roster_find(was, b.s->nodes[b.s->ports[b.s->sm_port].node].guid);
	assert_int_equal(n->at_guid, 0);
}

/* A node that is gone is lost, its links are not lost besides; and the same the other way round. */
static void
a_lost_node_takes_its_links_along(void **state)
{
	struct fab_port *p = &b.s->ports[served_host(&b, 3)], *before = &b.s->ports[p->peer];
	struct fab_node *n = &b.s->nodes[p->node];
	uint32_t peer = p->peer, back = before->peer;
	struct roster *is;
	struct seen x;

	(void)state;
	n->flags |= FAB_NODE_CUT;
	p->peer = before->peer = FAB_NONE;
	is = roster_new(b.s);
	x = compare_with(is);
	assert_int_equal(x.lost_nodes, 1);
	assert_true(x.guid == n->guid);
	assert_int_equal(x.same_nodes, b.s->nnodes - 1);
	assert_int_equal(x.lost_links + x.new_links + x.new_nodes, 0);
	roster_free(was);
	was = is;
	n->flags &= (uint8_t)~FAB_NODE_CUT;
	p->peer = peer;
	before->peer = back;
	is = roster_new(b.s);
	x = compare_with(is);
	assert_int_equal(x.new_nodes, 1);
	assert_int_equal(x.lost_links + x.new_links + x.lost_nodes, 0);
	roster_free(is);
}

static void
a_lost_link_between_nodes_that_stay_is_seen(void **state)
{
	const struct fab_node *sw = &b.s->nodes[b.s->switches[0]];
	struct roster *is;
	struct seen x;

	(void)state;
	for (unsigned k = 1; k <= sw->nports; k++) {
		struct fab_port *p = &b.s->ports[sw->first_port + k];

		if (p->peer == FAB_NONE)
			continue;
		b.s->ports[p->peer].peer = FAB_NONE;
		p->peer = FAB_NONE;
		break;
	}
	is = roster_new(b.s);
	x = compare_with(is);
	assert_int_equal(x.lost_links, 1);
	assert_int_equal(x.lost_nodes + x.new_links + x.new_nodes, 0);
	roster_free(is);
}

static void
places_have_names(void **state)
{
	char buf[ROSTER_PLACE_BYTES];

	(void)state;
	memset(b.s->nodes[0].desc, 0, NODE_DESC_BYTES);
	memcpy(b.s->nodes[0].desc, "leaf-1", 6);
	roster_free(was);
	was = roster_new(b.s);
	assert_string_equal(roster_place(was, b.s->nodes[0].guid, 3, buf), "leaf-1 port 3");
	assert_string_equal(roster_place(was, 0x2a, 3, buf), "0x000000000000002a port 3");
	assert_string_equal(roster_place(NULL, 0x2a, 3, buf), "0x000000000000002a port 3");
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, roster_setup, roster_teardown)
	const struct CMUnitTest tests[] = {
		T(everything_is_found_by_its_guid),
		T(nodes_know_the_port_before_them),
		T(a_lost_node_takes_its_links_along),
		T(a_lost_link_between_nodes_that_stay_is_seen),
		T(places_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
