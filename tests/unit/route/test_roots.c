/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_roots.c - the ranks that engines for trees begin with, and what becomes of them when damage
 * leaves switches without a path.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/intended/ranks.h"
#include "sm/route/tree/roots.h"
#include "tests/unit/route/modelled.h"
#include "util/bits.h"

static struct modelled x;
static struct intended_ranks intended;
static struct roots t;

static int
teardown(void **state)
{
	(void)state;
	modelled_clear(&x);
	return 0;
}

/* A switch's rank is its distance from the nearest switch of rank 0. */
static void
check_ranks(void)
{
	uint16_t most = 0;

	for (uint32_t sw = 0; sw < x.m.g.nsw; sw++) {
		uint32_t least = UINT32_MAX;

		for (uint32_t top = 0; top < x.m.g.nsw; top++) {
			uint32_t hops = t.rank[top] ? UINT32_MAX : made_hops(x.s, top, sw);

			least = hops < least ? hops : least;
		}
		assert_int_equal(t.rank[sw], least);
		most = t.rank[sw] > most ? t.rank[sw] : most;
	}
	assert_int_equal(t.max_rank, most);
}

/* Begins with the ranks of the fabric as it is; 'given': GUIDs of the roots, or NULL. */
static void
bed_begin(const char *spec, const struct made_how *how, const uint64_t *given, uint32_t ngiven)
{
	modelled_make(&x, spec, how, 0);
	assert_true(intended_ranks_find(&intended, x.s, &x.m.g, given, ngiven, &x.arena));
	roots_init(&t, &x.m, intended.rule, intended.rank, &x.arena);
	check_ranks();
}

/* Takes the links between two switches away, and makes the model again. */
static void
cut(uint32_t a, uint32_t b)
{
	const struct fab_node *n = &x.s->nodes[x.s->switches[a]];

	for (unsigned p = 1; p <= n->nports; p++) {
		struct fab_port *port = &x.s->ports[n->first_port + p];

		if (port->peer == FAB_NONE || x.s->ports[port->peer].node != x.s->switches[b])
			continue;
		x.s->ports[port->peer].peer = FAB_NONE;
		port->peer = FAB_NONE;
	}
	assert_int_equal(route_model_make(&x.in, &x.arena, &x.m, &x.r), ROUTE_OK);
}

/* The only switch of rank 0 in the part that 'sw' belongs to. */
static uint32_t
top_of(uint32_t sw)
{
	uint32_t top = FAB_NONE;

	for (uint32_t i = 0; i < x.m.g.nsw; i++) {
		if (t.part[i] != t.part[sw] || t.rank[i])
			continue;
		assert_int_equal(top, FAB_NONE);
		top = i;
	}
	assert_int_not_equal(top, FAB_NONE);
	return top;
}

static void
ranks_are_those_of_the_intended_topology(void **state)
{
	uint32_t *node, top;

	(void)state;
	bed_begin("fattree:k=4,levels=3", NULL, NULL, 0);
	assert_string_equal(t.rule, "histogram");
	assert_memory_equal(t.rank, intended.rank, x.m.g.nsw * sizeof(*t.rank));
	assert_ptr_not_equal(t.rank, intended.rank);
	assert_int_equal(t.n, 4);
	assert_int_equal(t.max_rank, 2);
	assert_int_equal(t.lowered, 0);

	top = intended.sw[0];           /* it loses all links, and keeps its rank */
	for (uint32_t sw = 0; sw < x.m.g.nsw; sw++)
		cut(top, sw);
	roots_init(&t, &x.m, intended.rule, intended.rank, &x.arena);
	assert_memory_equal(t.rank, intended.rank, x.m.g.nsw * sizeof(*t.rank));
	assert_int_equal(t.n, 4);

	node = arena_array(&x.arena, x.m.g.nsw, sizeof(*node));
	memcpy(node, x.m.node, x.m.g.nsw * sizeof(*node));
	node[top] = FAB_NONE;           /* it is not there at all: not counted */
	x.m.node = node;
	roots_init(&t, &x.m, intended.rule, intended.rank, &x.arena);
	assert_int_equal(t.n, 3);
	for (uint32_t sw = 0; sw < x.m.g.nsw; sw++)
		if (t.rank[sw] == 2)
			node[sw] = FAB_NONE;
	roots_init(&t, &x.m, intended.rule, intended.rank, &x.arena);
	assert_int_equal(t.max_rank, 1);
}

static void
connected_parts_are_numbered(void **state)
{
	struct made_how how = { .cut_percent = 60 };
	bool parted = false;

	(void)state;
	for (how.seed = 0; how.seed < 10; how.seed++) {
		bed_begin("torus:4x4,hosts=1", &how, NULL, 0);
		for (uint32_t sw = 0; sw < x.m.g.nsw; sw++) {
			assert_in_range(t.part[sw], 1, x.m.g.nsw);
			for (uint32_t to = 0; to < x.m.g.nsw; to++) {
				bool one = made_hops(x.s, sw, to) != UINT32_MAX;

				assert_int_equal(one, t.part[sw] == t.part[to]);
				parted |= !one;
			}
		}
	}
	assert_true(parted);
}

static void
a_single_root_is_the_most_central(void **state)
{
	uint64_t guids[2];
	uint32_t top;

	(void)state;
	bed_begin("fattree:k=4,levels=3", NULL, NULL, 0);
	assert_true(roots_single(&t, &x.m));
	assert_int_equal(t.n, 1);
	assert_string_equal(t.rule, "single");
	check_ranks();
	intended_ranks_measure(&intended, &x.m.g, &x.arena);
	top = top_of(0);
	for (uint32_t sw = 0; sw < x.m.g.nsw; sw++)
		assert_true(intended.reach[top] <= intended.reach[sw]);
	assert_false(roots_single(&t, &x.m));
	modelled_make(&x, "mesh:7,hosts=1", NULL, 0);
	guids[0] = x.s->nodes[x.s->switches[0]].guid;   /* of given roots, one of them */
	guids[1] = x.s->nodes[x.s->switches[1]].guid;
	bed_begin("mesh:7,hosts=1", NULL, guids, 2);
	assert_int_equal(t.n, 2);
	assert_true(roots_single(&t, &x.m));
	assert_int_equal(top_of(0), made_hops(x.s, 0, 6) < made_hops(x.s, 1, 6) ? 0 : 1);
	check_ranks();
}

/* Of a fabric in parts, the largest gets the root: one of those given if it has one. */
static void
the_largest_part_has_the_single_root(void **state)
{
	uint64_t guids[3];

	(void)state;
	modelled_make(&x, "mesh:9,hosts=1", NULL, 0);
	for (uint32_t i = 0; i < 3; i++)
		guids[i] = x.s->nodes[x.s->switches[i]].guid;
	bed_begin("mesh:9,hosts=1", NULL, guids, 2);
	cut(1, 2);                      /* 0 1 | 2 .. 8 */
	roots_init(&t, &x.m, intended.rule, intended.rank, &x.arena);
	assert_true(roots_single(&t, &x.m));
	assert_int_equal(t.n, 1);
	assert_int_equal(top_of(8), 5);
	assert_int_equal(top_of(0), 0);
	check_ranks();
	bed_begin("mesh:9,hosts=1", NULL, guids, 3);
	cut(1, 2);
	roots_init(&t, &x.m, intended.rule, intended.rank, &x.arena);
	assert_true(roots_single(&t, &x.m));
	assert_int_equal(top_of(8), 2);
	assert_int_equal(top_of(0), 0);
	check_ranks();
}

/* Switches without hosts go below all others; one with hosts stays, and so do the others then. */
static void
only_switches_without_hosts_are_lowered(void **state)
{
	uint64_t *lost;
	uint32_t c, sw;

	(void)state;
	bed_begin("fattree:k=4,levels=3", NULL, NULL, 0);
	lost = arena_array(&x.arena, BITS_WORDS(x.m.ncols), sizeof(*lost));
	c = x.m.ncols - 1;
	sw = x.m.col_sw[c];
	bits_set(lost, c);
	bits_set(lost, 0);
	assert_false(roots_lower(&t, &x.m, lost));
	assert_memory_equal(t.rank, intended.rank, x.m.g.nsw * sizeof(*t.rank));
	assert_int_equal(t.lowered, 0);
	bits_clear(lost, 0);
	assert_true(roots_lower(&t, &x.m, lost));
	assert_int_equal(t.lowered, 1);
	for (uint32_t i = 0; i < x.m.g.nsw; i++)
		assert_true(i == sw || t.rank[i] < t.rank[sw]);
	assert_true(roots_lower(&t, &x.m, lost));
	assert_int_equal(t.lowered, 1);         /* it is there already */
	assert_true(roots_single(&t, &x.m));
	assert_int_equal(t.lowered, 0);
}

int
main(void)
{
#define T(name) cmocka_unit_test_teardown(name, teardown)
	const struct CMUnitTest tests[] = {
		T(ranks_are_those_of_the_intended_topology),
		T(connected_parts_are_numbered),
		T(a_single_root_is_the_most_central),
		T(the_largest_part_has_the_single_root),
		T(only_switches_without_hosts_are_lowered),
	};

	return cmocka_run_group_tests_name("sm/route/tree/roots", tests, NULL, NULL);
}
