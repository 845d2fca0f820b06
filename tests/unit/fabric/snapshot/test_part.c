/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_part.c - a part of a snapshot keeps its links, and nothing that is not connected.
 */
#include <config.h>
#include <string.h>
#include "fabric/snapshot/part.h"
#include "tests/unit/fabric/small.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Hosts 3, 4, 5 on switches 0, 1, 2, which form a line. */
static const struct small_node nodes[] = {
	{ TOPO_SWITCH, 4 },
	{ TOPO_SWITCH, 4 },
	{ TOPO_SWITCH, 4 },
	{ TOPO_CA, 1 },
	{ TOPO_CA, 1 },
	{ TOPO_CA, 1 },
};
static const struct small_cable cables[] = {
	{ 0, 1, 3, 1 },
	{ 1, 1, 4, 1 },
	{ 2, 1, 5, 1 },
	{ 0, 2, 1, 2 },
	{ 1, 3, 2, 3 },
};

static struct snapshot *s, *t;
static bool node[8], port[64];

static int
setup(void **state)
{
	(void)state;
	s = small_snapshot(nodes, COUNT(nodes), cables, COUNT(cables));
	memset(node, 1, sizeof(node));
	memset(port, 1, sizeof(port));
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	snapshot_free(s);
	snapshot_free(t);
	s = t = NULL;
	return 0;
}

static void
all_of_it(void **state)
{
	(void)state;
	assert_int_equal(part_connect(s, node, port), 1);
	t = part_make(s, node, port);
	assert_int_equal(t->nnodes, s->nnodes);
	assert_int_equal(t->nlinks, s->nlinks);
	for (uint32_t i = 0; i < s->nports; i++)
		assert_int_equal(t->ports[i].peer, s->ports[i].peer);
	assert_int_equal(t->sm_port, s->sm_port);
}

/* Without the middle, one end is left: that with the least GUID, as both have one host. */
static void
without_a_switch(void **state)
{
	(void)state;
	node[1] = false;
	assert_int_equal(part_connect(s, node, port), 2);
	t = part_make(s, node, port);
	assert_int_equal(t->nnodes, 2);
	assert_int_equal(t->nodes[0].guid, s->nodes[0].guid);
	assert_int_equal(t->nodes[1].guid, s->nodes[3].guid);
	assert_int_equal(t->nlinks, 1);
	assert_int_equal(snapshot_port(t, 0, 2)->peer, FAB_NONE);
}

/* The larger piece remains, and the start moves if it was in the other one. */
static void
without_a_link(void **state)
{
	(void)state;
	port[s->nodes[0].first_port + 2] = port[s->nodes[1].first_port + 2] = false;
	assert_int_equal(part_connect(s, node, port), 2);
	t = part_make(s, node, port);
	assert_int_equal(t->nnodes, 4);
	assert_int_equal(t->nodes[0].guid, s->nodes[1].guid);
	assert_int_equal(t->ports[t->sm_port].node, 0);
	assert_int_equal(t->nhosts, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_of_it, setup, teardown),
		cmocka_unit_test_setup_teardown(without_a_switch, setup, teardown),
		cmocka_unit_test_setup_teardown(without_a_link, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
