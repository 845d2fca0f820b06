/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_verify_graph.c - channels, dependencies, components and cycles of small graphs.
 */
#include <config.h>
#include "tests/unit/fabric/small.h"
#include "fabric/verify/verify_graph.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MAKE(nodes, cables) small_snapshot(nodes, COUNT(nodes), cables, COUNT(cables))

static struct snapshot *s;
static struct arena arena;
static struct chan_graph g;
static uint32_t comp[1024];

static int
teardown(void **state)
{
	(void)state;
	snapshot_free(s);
	s = NULL;
	arena_clear(&arena);
	return 0;
}

/* A ring of four switches; port 1 leads to the next, port 2 to the one before, port 3 to a host,
 * and port 4 of the first to its own port 5. */
static void
make_ring(void)
{
	static const struct small_node nodes[] = {
		{ TOPO_SWITCH, 5 }, { TOPO_SWITCH, 5 }, { TOPO_SWITCH, 5 }, { TOPO_SWITCH, 5 },
		{ TOPO_CA, 1 },
	};
	static const struct small_cable cables[] = {
		{ 0, 1, 1, 2 }, { 1, 1, 2, 2 }, { 2, 1, 3, 2 }, { 3, 1, 0, 2 }, { 0, 3, 4, 1 },
		{ 0, 4, 0, 5 },
	};

	s = MAKE(nodes, cables);
	chan_graph_init(&g, s, &arena);
	assert_true(g.nchans <= COUNT(comp));
}

/* The channel that switch 'sw' receives by 'port'. */
static uint32_t
channel(uint32_t sw, uint32_t port)
{
	return g.first[sw] + port;
}

static void
hops(void **state)
{
	(void)state;
	make_ring();
	assert_int_equal(g.nsw, 4);
	assert_int_equal(g.nchans, 4 * 6);
	assert_int_equal(chan_graph_channels(&g), 8);
	assert_int_equal(chan_graph_hop(&g, 0, 1)->sw, 1);
	assert_int_equal(chan_graph_hop(&g, 0, 1)->chan, channel(1, 2));
	assert_int_equal(chan_graph_hop(&g, 3, 1)->chan, channel(0, 2));
	assert_int_equal(chan_graph_hop(&g, 0, 3)->sw, FAB_NONE);       /* a host */
	assert_int_equal(chan_graph_hop(&g, 1, 3)->chan, FAB_NONE);     /* nothing */
	assert_int_equal(chan_graph_hop(&g, 0, 4)->chan, FAB_NONE);     /* itself */
	assert_int_equal(chan_graph_hop(&g, 0, 0)->chan, FAB_NONE);
	assert_non_null(chan_graph_hop(&g, 0, 5));
	assert_null(chan_graph_hop(&g, 0, 6));
	assert_null(chan_graph_hop(&g, 3, 255));
	assert_int_equal(g.port[channel(2, 2)], small_port(s, 2, 2));
	assert_int_equal(g.sw[channel(2, 2)], 2);
}

/* Turns by ports that do not exist, or that lead to no switch, are no dependencies. */
static void
ignored_turns(void **state)
{
	(void)state;
	make_ring();
	chan_graph_add(&g, 0, 2, 3);
	chan_graph_add(&g, 0, 2, 4);
	chan_graph_add(&g, 0, 2, 0);
	chan_graph_add(&g, 0, 2, 6);
	chan_graph_add(&g, 0, 2, 255);
	chan_graph_add(&g, 0, 6, 1);
	chan_graph_add(&g, 0, 255, 1);
	chan_graph_add(&g, 3, 6, 1);
	assert_int_equal(chan_graph_dependencies(&g), 0);
	chan_graph_add(&g, 0, 2, 1);
	chan_graph_add(&g, 0, 2, 1);
	assert_int_equal(chan_graph_dependencies(&g), 1);
	chan_graph_clear(&g);
	assert_int_equal(chan_graph_dependencies(&g), 0);
	assert_int_equal(chan_graph_channels(&g), 8);
}

/* Three quarters of a ring are no cycle; the fourth closes it. */
static void
ring(void **state)
{
	uint32_t cycle[8];

	(void)state;
	make_ring();
	for (uint32_t i = 0; i < 3; i++)
		chan_graph_add(&g, i, 2, 1);
	assert_int_equal(chan_graph_components(&g, &arena, comp), 0);
	for (uint32_t c = 0; c < g.nchans; c++)
		assert_int_equal(comp[c], 0);
	chan_graph_add(&g, 3, 2, 1);
	assert_int_equal(chan_graph_components(&g, &arena, comp), 1);
	for (uint32_t c = 0; c < g.nchans; c++)
		assert_int_equal(comp[c], g.port[c] == small_port(s, g.sw[c], 2));
	memset(cycle, 0xff, sizeof cycle);
	assert_int_equal(chan_graph_cycle(&g, &arena, comp, 1, cycle, 8), 4);
	for (uint32_t i = 0; i < 4; i++)        /* from the lowest channel on, in order */
		assert_int_equal(cycle[i], channel(i, 2));
	assert_int_equal(cycle[4], FAB_NONE);
	assert_int_equal(chan_graph_cycle(&g, &arena, comp, 2, cycle, 8), 0);
}

/* A cycle longer than the room for it: its whole length, and nothing behind the room. */
static void
cycle_cut(void **state)
{
	uint32_t cycle[3] = { 7, 7, 7 };

	(void)state;
	make_ring();
	for (uint32_t i = 0; i < 4; i++)
		chan_graph_add(&g, i, 2, 1);
	assert_int_equal(chan_graph_components(&g, &arena, comp), 1);
	assert_int_equal(chan_graph_cycle(&g, &arena, comp, 1, cycle, 2), 4);
	assert_int_equal(cycle[0], channel(0, 2));
	assert_int_equal(cycle[1], channel(1, 2));
	assert_int_equal(cycle[2], 7);
	assert_int_equal(chan_graph_cycle(&g, &arena, comp, 1, NULL, 0), 4);
}

/* Both directions of a ring are two components, each numbered from 1 on. */
static void
two_components(void **state)
{
	uint32_t cycle[8];

	(void)state;
	make_ring();
	for (uint32_t i = 0; i < 4; i++) {
		chan_graph_add(&g, i, 2, 1);
		chan_graph_add(&g, i, 1, 2);
	}
	assert_int_equal(chan_graph_components(&g, &arena, comp), 2);
	assert_int_not_equal(comp[channel(0, 1)], comp[channel(0, 2)]);
	for (uint32_t i = 0; i < 4; i++)
		for (uint32_t port = 1; port <= 2; port++) {
			assert_in_range(comp[channel(i, port)], 1, 2);
			assert_int_equal(comp[channel(i, port)], comp[channel(0, port)]);
		}
	for (uint32_t which = 1; which <= 2; which++)
		assert_int_equal(chan_graph_cycle(&g, &arena, comp, which, cycle, 8), 4);
	/* one U-turn joins them */
	chan_graph_add(&g, 2, 2, 2);
	assert_int_equal(chan_graph_components(&g, &arena, comp), 2);
	chan_graph_add(&g, 1, 1, 1);
	assert_int_equal(chan_graph_components(&g, &arena, comp), 1);
}

/* The shortest cycle is shown where there is a longer one. */
static void
shortest(void **state)
{
	uint32_t cycle[8];

	(void)state;
	make_ring();
	for (uint32_t i = 0; i < 4; i++) {
		chan_graph_add(&g, i, 2, 1);
		chan_graph_add(&g, i, 1, 2);
		chan_graph_add(&g, i, 2, 2);
		chan_graph_add(&g, i, 1, 1);
	}
	assert_int_equal(chan_graph_components(&g, &arena, comp), 1);
	assert_int_equal(chan_graph_cycle(&g, &arena, comp, 1, cycle, 8), 2);
	/* 0 received by port 1, so it came from 1; it goes back to 1, which received by port 2 */
	assert_int_equal(cycle[0], channel(0, 1));
	assert_int_equal(cycle[1], channel(1, 2));
}

/* Switches with more than 64 and with 254 ports: bits of the last words. */
static void
wide_switches(void **state)
{
	static const struct small_node nodes[] = { { TOPO_SWITCH, 254 }, { TOPO_SWITCH, 254 } };
	static const struct small_cable cables[] = {
		{ 0, 254, 1, 254 }, { 0, 63, 1, 64 }, { 0, 64, 1, 63 },
	};
	uint32_t cycle[4];

	(void)state;
	s = MAKE(nodes, cables);
	chan_graph_init(&g, s, &arena);
	assert_int_equal(chan_graph_words(&g, 0), 4);
	assert_int_equal(chan_graph_channels(&g), 6);
	chan_graph_add(&g, 0, 254, 254);
	chan_graph_add(&g, 1, 254, 254);
	chan_graph_add(&g, 0, 63, 64);
	chan_graph_add(&g, 1, 63, 64);
	assert_int_equal(chan_graph_dependencies(&g), 4);
	assert_int_equal(chan_graph_components(&g, &arena, comp), 2);
	assert_int_equal(comp[channel(0, 254)], comp[channel(1, 254)]);
	assert_int_equal(comp[channel(0, 63)], comp[channel(1, 63)]);
	assert_int_equal(comp[channel(0, 64)], 0);
	assert_int_equal(chan_graph_cycle(&g, &arena, comp, comp[channel(0, 254)], cycle, 4), 2);
	assert_int_equal(cycle[0], channel(0, 254));
	assert_int_equal(cycle[1], channel(1, 254));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(hops, teardown),
		cmocka_unit_test_teardown(ignored_turns, teardown),
		cmocka_unit_test_teardown(ring, teardown),
		cmocka_unit_test_teardown(cycle_cut, teardown),
		cmocka_unit_test_teardown(two_components, teardown),
		cmocka_unit_test_teardown(shortest, teardown),
		cmocka_unit_test_teardown(wide_switches, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
