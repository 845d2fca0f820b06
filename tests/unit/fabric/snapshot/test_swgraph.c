/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_swgraph.c - neighbours, parallel cables, hosts, distances, and the order of the leaves.
 */
#include <config.h>
#include "tests/unit/fabric/small.h"
#include "fabric/snapshot/swgraph.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MAKE(nodes, cables) small_snapshot(nodes, COUNT(nodes), cables, COUNT(cables))

static struct snapshot *s;
static struct arena arena;
static struct swgraph g;

static int
teardown(void **state)
{
	(void)state;
	snapshot_free(s);
	s = NULL;
	arena_clear(&arena);
	return 0;
}

/* Neighbours ascend, and the ports of each do; a cable to itself and a dead port are left out. */
static void
groups(void **state)
{
	static const struct small_node nodes[] = {
		{ TOPO_SWITCH, 8 }, { TOPO_SWITCH, 8 }, { TOPO_SWITCH, 8 }, { TOPO_CA, 2 },
	};
	static const struct small_cable cables[] = {
		{ 1, 7, 0, 3 }, { 1, 1, 2, 1 }, { 1, 2, 0, 1 }, { 1, 5, 0, 2 },
		{ 0, 6, 0, 7 }, { 1, 4, 3, 1 }, { 2, 8, 3, 2 },
	};
	const struct swgraph_group *gr;

	(void)state;
	s = MAKE(nodes, cables);
	swgraph_make(s, &arena, &g);
	assert_int_equal(g.nsw, 3);
	assert_int_equal(g.nleaves, 2);
	assert_int_equal(g.group_first[0], 0);
	assert_int_equal(g.group_first[1], 1);  /* switch 0 has one neighbour, not itself */
	assert_int_equal(g.group_first[2], 3);
	assert_int_equal(g.group_first[3], 4);
	gr = &g.groups[0];
	assert_int_equal(gr->to, 1);
	assert_int_equal(gr->nports, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(g.ports[gr->first_port + i], i + 1);
	gr = &g.groups[1];
	assert_int_equal(gr[0].to, 0);
	assert_int_equal(gr[1].to, 2);
	assert_int_equal(gr[0].nports, 3);
	assert_int_equal(gr[1].nports, 1);
	assert_int_equal(g.ports[gr[0].first_port], 2);
	assert_int_equal(g.ports[gr[0].first_port + 1], 5);
	assert_int_equal(g.ports[gr[0].first_port + 2], 7);
	assert_int_equal(g.ports[gr[1].first_port], 1);
}

/* Hosts of a switch ascend by its port, each with the host's own port. */
static void
hosts(void **state)
{
	static const struct small_node nodes[] = {
		{ TOPO_SWITCH, 8 }, { TOPO_SWITCH, 8 }, { TOPO_CA, 2 }, { TOPO_ROUTER, 1 },
	};
	static const struct small_cable cables[] = {
		{ 0, 1, 1, 1 }, { 0, 8, 2, 1 }, { 0, 3, 3, 1 }, { 0, 4, 2, 2 },
	};
	static const uint8_t via[] = { 3, 4, 8 };

	(void)state;
	s = MAKE(nodes, cables);
	swgraph_make(s, &arena, &g);
	assert_true(swgraph_is_leaf(&g, 0));
	assert_false(swgraph_is_leaf(&g, 1));
	assert_int_equal(g.host_first[1], 3);
	assert_int_equal(g.host_first[2], 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(g.hosts[i].via, via[i]);
	assert_int_equal(g.hosts[0].port, small_port(s, 3, 1));
	assert_int_equal(g.hosts[1].port, small_port(s, 2, 2));
	assert_int_equal(g.hosts[2].port, small_port(s, 2, 1));
}

/* A row of four switches, and one that no cable reaches. */
static const struct small_node row_nodes[] = {
	{ TOPO_SWITCH, 4 }, { TOPO_SWITCH, 4 }, { TOPO_SWITCH, 4 }, { TOPO_SWITCH, 4 },
	{ TOPO_SWITCH, 4 },
};
static const struct small_cable row_cables[] = {
	{ 0, 1, 1, 1 }, { 1, 2, 2, 1 }, { 2, 2, 3, 1 }, { 1, 3, 2, 3 },
};

static void
distances(void **state)
{
	static const uint16_t from_end[] = { 0, 1, 2, 3, SWGRAPH_FAR };
	static const uint16_t from_both[] = { 0, 1, 1, 0, SWGRAPH_FAR };
	uint32_t queue[5], from[3] = { 0, 3, 0 };
	uint16_t dist[5];

	(void)state;
	s = MAKE(row_nodes, row_cables);
	swgraph_make(s, &arena, &g);
	assert_int_equal(swgraph_distances(&g, from, 1, dist, queue), 4);
	assert_memory_equal(dist, from_end, sizeof dist);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(queue[i], i);          /* nearest first */
	/* the same switch named twice counts once */
	assert_int_equal(swgraph_distances(&g, from, 3, dist, queue), 4);
	assert_memory_equal(dist, from_both, sizeof dist);
	assert_int_equal(swgraph_distances(&g, from, 0, dist, queue), 0);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(dist[i], SWGRAPH_FAR);
	from[0] = 4;
	assert_int_equal(swgraph_distances(&g, from, 1, dist, queue), 1);
	assert_int_equal(dist[4], 0);
	assert_int_equal(dist[0], SWGRAPH_FAR);
}

/* Leaves 0, 3 under spine 6; 1, 4 under 7; 2, 5 under 8; a core joins them: each subtree is
 * together, also those far from the first leaf. */
static void
leaf_order(void **state)
{
	static const struct small_node nodes[] = {
		{ TOPO_SWITCH, 4 }, { TOPO_SWITCH, 4 }, { TOPO_SWITCH, 4 }, { TOPO_SWITCH, 4 },
		{ TOPO_SWITCH, 4 }, { TOPO_SWITCH, 4 }, { TOPO_SWITCH, 4 }, { TOPO_SWITCH, 4 },
		{ TOPO_SWITCH, 4 }, { TOPO_SWITCH, 4 },
		{ TOPO_CA, 2 }, { TOPO_CA, 2 }, { TOPO_CA, 2 },
	};
	static const struct small_cable cables[] = {
		{ 0, 1, 6, 1 }, { 3, 1, 6, 2 }, { 1, 1, 7, 1 }, { 4, 1, 7, 2 }, { 2, 1, 8, 1 },
		{ 5, 1, 8, 2 }, { 6, 3, 9, 1 }, { 7, 3, 9, 2 }, { 8, 3, 9, 3 },
		{ 0, 4, 10, 1 }, { 1, 4, 10, 2 }, { 2, 4, 11, 1 }, { 3, 4, 11, 2 },
		{ 4, 4, 12, 1 }, { 5, 4, 12, 2 },
	};
	static const uint32_t want[] = { 0, 3, 1, 4, 2, 5 };
	uint32_t order[6];

	(void)state;
	s = MAKE(nodes, cables);
	swgraph_make(s, &arena, &g);
	assert_int_equal(g.nleaves, 6);
	swgraph_leaf_order(&g, &arena, order);
	assert_memory_equal(order, want, sizeof order);
}

/* Leaves that no path joins are all in the order, once each. */
static void
leaf_order_in_pieces(void **state)
{
	static const struct small_node nodes[] = {
		{ TOPO_SWITCH, 4 }, { TOPO_SWITCH, 4 }, { TOPO_SWITCH, 4 }, { TOPO_SWITCH, 4 },
		{ TOPO_CA, 2 }, { TOPO_CA, 2 },
	};
	static const struct small_cable cables[] = {
		{ 0, 1, 4, 1 }, { 1, 1, 4, 2 }, { 2, 1, 5, 1 }, { 3, 1, 5, 2 }, { 0, 2, 3, 2 },
	};
	static const uint32_t want[] = { 0, 3, 1, 2 };
	uint32_t order[4];

	(void)state;
	s = MAKE(nodes, cables);
	swgraph_make(s, &arena, &g);
	swgraph_leaf_order(&g, &arena, order);
	assert_memory_equal(order, want, sizeof order);
}

/* Two hosts and no switch: a graph of nothing. */
static void
no_switches(void **state)
{
	static const struct small_node nodes[] = { { TOPO_CA, 1 }, { TOPO_CA, 1 } };
	static const struct small_cable cables[] = { { 0, 1, 1, 1 } };
	uint32_t none;

	(void)state;
	s = MAKE(nodes, cables);
	swgraph_make(s, &arena, &g);
	assert_int_equal(g.nsw, 0);
	assert_int_equal(g.nleaves, 0);
	assert_int_equal(g.group_first[0], 0);
	assert_int_equal(g.host_first[0], 0);
	assert_int_equal(swgraph_distances(&g, NULL, 0, (uint16_t[1]){ 0 }, &none), 0);
	swgraph_leaf_order(&g, &arena, &none);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(groups, teardown),
		cmocka_unit_test_teardown(hosts, teardown),
		cmocka_unit_test_teardown(distances, teardown),
		cmocka_unit_test_teardown(leaf_order, teardown),
		cmocka_unit_test_teardown(leaf_order_in_pieces, teardown),
		cmocka_unit_test_teardown(no_switches, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
