/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_mcast_edges.c - which cables a span may use: by ranks, and by the order of channels, with
 * and without lanes.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/mcast/mcast_edges.h"
#include "tests/unit/route/made.h"

static struct snapshot *s;
static struct arena arena;
static struct mcast_edges e;
static struct mcast_span span;
static struct mcast_spans_in in;

static int
teardown(void **state)
{
	(void)state;
	made_free(s);
	s = NULL;
	arena_clear(&arena);
	return 0;
}

static void
set_mft_cap(uint32_t sw, uint16_t cap)
{
	struct fab_node *n = &s->nodes[s->switches[sw]];
	struct switch_info si = switch_info_decode(n->switch_info);

	si.mft_cap = cap;
	switch_info_encode(n->switch_info, &si);
	n->flags |= FAB_NODE_SWITCH_INFO;
}

static void
make(const char *spec)
{
	teardown(NULL);
	s = made_snapshot(spec, NULL);
	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		set_mft_cap(sw, 1024);
	span = (struct mcast_span){ 0 };
	span.ports = arena_array(&arena, s->nswitches, sizeof(*span.ports));
	in = (struct mcast_spans_in){ .s = s };
}

/* No unicast packet depends on anything. */
static void
make_free_of_turns(unsigned nvls)
{
	struct chan_graph *g = arena_alloc(&arena, sizeof(*g));

	chan_graph_init_lanes(g, s, nvls, &arena);
	in.unicast = g;
}

/* The port of switch 'sw' (snapshot index) to the switch 'to'. */
static uint32_t
port_to(uint32_t sw, uint32_t to)
{
	const struct fab_node *n = &s->nodes[s->switches[sw]];

	for (uint32_t port = n->first_port + 1; port <= n->first_port + n->nports; port++)
		if (s->ports[port].peer != FAB_NONE &&
		    s->nodes[s->ports[s->ports[port].peer].node].sw == to)
			return port;
	fail_msg("switches %u and %u are not neighbours", sw, to);
	return 0;
}

static bool
has_port(uint32_t port)
{
	uint32_t sw = mcast_edges_switch(&e, port);
	unsigned num = s->ports[port].num;

	return span.ports[sw][num / 64] >> num % 64 & 1;
}

static bool
span_is_empty(void)
{
	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		if (mcast_edges_next(&span, sw, 0))
			return false;
	return true;
}

/* A switch forwards multicast if its table has room and it takes part in the plan. */
static void
who_forwards(void **state)
{
	(void)state;
	make("torus:6,hosts=1,radix=4");
	set_mft_cap(1, 0);
	s->nodes[s->switches[2]].flags &= (uint8_t)~FAB_NODE_SWITCH_INFO;
	s->nodes[s->switches[3]].flags |= FAB_NODE_CUT;
	mcast_edges_init(&e, &in, &arena);
	for (uint32_t sw = 0; sw < 6; sw++) {
		uint32_t next = (sw + 1) % 6, port = port_to(sw, next);

		assert_int_equal(mcast_edges_forwards(&e, sw), sw == 0 || sw > 3);
		assert_int_equal(mcast_edges_behind(&e, sw, s->ports[port].num), sw > 3 ? next : FAB_NONE);
		assert_int_equal(mcast_edges_behind(&e, sw, 0), FAB_NONE);
		assert_int_equal(mcast_edges_behind(&e, sw, s->nodes[s->switches[sw]].nports + 1u), FAB_NONE);
	}
}

/* Smaller ranks are higher; of equal ones the later switch is. */
static void
by_ranks(void **state)
{
	static const uint16_t rank[] = { 2, 1, 0, 1, 2, 2 };
	struct lane_plan p = { .nvls = 2, .sls = 0xff, .nclasses = 1 };

	(void)state;
	make("torus:6,hosts=1,radix=4");
	make_free_of_turns(1);
	in.rank = rank;
	mcast_edges_init(&e, &in, &arena);
	assert_non_null(e.rank);                /* ranks count, whatever is known of unicast */
	for (uint32_t a = 0; a < 6; a++)
		for (uint32_t b = 0; b < 6; b++) {
			bool up = rank[b] < rank[a] || (rank[b] == rank[a] && b > a);

			assert_int_equal(mcast_edges_leads_up(&e, a, b), up);
			assert_int_equal(mcast_edges_is_legal(&e, a, b), up);
		}
	for (uint32_t a = 0; a < 6; a++)        /* even the whole ring: ranks are judged elsewhere */
		assert_true(mcast_edges_add(&e, &span, port_to(a, (a + 1) % 6)));
	assert_int_equal(mcast_edges_mark(&e), 0);
	assert_int_equal(mcast_edges_sls(&e), 0xffff);
	p.vl[0][0][3] = 1;
	in.lanes = &p;                          /* nor do SLs matter */
	mcast_edges_init(&e, &in, &arena);
	assert_int_equal(mcast_edges_sls(&e), 0xffff);
}

/* Nothing is known: hops from the switch in the middle. */
static void
from_the_middle(void **state)
{
	uint32_t best = FAB_NONE, least = UINT32_MAX;

	(void)state;
	make("mesh:5x2,hosts=1,radix=5");
	mcast_edges_init(&e, &in, &arena);
	assert_non_null(e.rank);
	for (uint32_t a = 0; a < s->nswitches; a++) {
		uint32_t far = 0;

		for (uint32_t b = 0; b < s->nswitches; b++)
			far = made_hops(s, a, b) > far ? made_hops(s, a, b) : far;
		if (far < least) {
			least = far;
			best = a;
		}
	}
	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		assert_int_equal(e.rank[sw], made_hops(s, best, sw));
}

/* Unicast tables with a cycle leave no order: ranks again. */
static void
without_an_order(void **state)
{
	struct chan_graph g;

	(void)state;
	make("torus:4,hosts=1,radix=4");
	chan_graph_init(&g, s, &arena);
	for (uint32_t a = 0; a < 4; a++)
		chan_graph_add(&g, a, s->ports[port_to(a, (a + 3) % 4)].num,
			s->ports[port_to(a, (a + 1) % 4)].num);
	in.unicast = &g;
	mcast_edges_init(&e, &in, &arena);
	assert_non_null(e.rank);
}

/* A ring that is cut at one place is legal, in any order of edges; the edge that closes it is not,
 * and leaves nothing behind. */
static void
by_turns(void **state)
{
	(void)state;
	make("torus:6,hosts=1,radix=4");
	make_free_of_turns(1);
	mcast_edges_init(&e, &in, &arena);
	assert_null(e.rank);
	assert_true(mcast_edges_is_legal(&e, 0, 1));
	for (uint32_t k = 0; k < 6; k++) {
		uint32_t a = 5 * k % 6, port = port_to(a, (a + 1) % 6), mark = mcast_edges_mark(&e);

		assert_int_equal(mcast_edges_add(&e, &span, port), k < 5);
		assert_int_equal(has_port(port), k < 5);
		assert_int_equal(has_port(s->ports[port].peer), k < 5);
		assert_int_equal(mcast_edges_mark(&e), mark + (k && k < 5 ? 2 : 0));
	}
	mcast_edges_remove(&e, &span, port_to(0, 1));
	assert_false(has_port(port_to(0, 1)) || has_port(port_to(1, 0)));
	assert_true(mcast_edges_add(&e, &span, port_to(1, 0)));         /* from the other end */
	assert_false(mcast_edges_add(&e, &span, port_to(1, 2)) && span_is_empty());
}

/* An attempt that is taken back leaves room for another. */
static void
taken_back(void **state)
{
	uint32_t mark;

	(void)state;
	make("torus:6,hosts=1,radix=4");
	make_free_of_turns(1);
	mcast_edges_init(&e, &in, &arena);
	for (uint32_t a = 0; a < 4; a++)
		assert_true(mcast_edges_add(&e, &span, port_to(a, a + 1)));
	mark = mcast_edges_mark(&e);
	assert_true(mcast_edges_add(&e, &span, port_to(4, 5)));
	assert_false(mcast_edges_add(&e, &span, port_to(5, 0)));
	mcast_edges_undo(&e, mark);
	mcast_edges_remove(&e, &span, port_to(4, 5));
	assert_int_equal(mcast_edges_mark(&e), mark);
	assert_true(mcast_edges_add(&e, &span, port_to(5, 0)));
	for (uint32_t a = 0; a < 6; a++)
		if (has_port(port_to(a, (a + 1) % 6)))
			mcast_edges_remove(&e, &span, port_to(a, (a + 1) % 6));
	assert_true(span_is_empty());
}

/* What unicast packets depend on counts. */
static void
beside_unicast(void **state)
{
	struct chan_graph g;

	(void)state;
	make("torus:4,hosts=1,radix=4");
	chan_graph_init(&g, s, &arena);
	for (uint32_t a = 0; a < 2; a++)        /* 3, 0, 1, 2: two turns */
		chan_graph_add(&g, a, s->ports[port_to(a, (a + 3) % 4)].num,
			s->ports[port_to(a, (a + 1) % 4)].num);
	in.unicast = &g;
	mcast_edges_init(&e, &in, &arena);
	assert_true(mcast_edges_add(&e, &span, port_to(1, 2)));
	assert_true(mcast_edges_add(&e, &span, port_to(2, 3)));
	/* 1, 2, 3, 0 and those two */
	assert_false(mcast_edges_add(&e, &span, port_to(3, 0)));
}

/* SLs that every switch treats alike are one; an edge must fit for each of the others. */
static void
by_lanes(void **state)
{
	struct lane_plan p = { .nvls = 2, .sls = 0xff, .nclasses = 1 };

	(void)state;
	make("torus:6,hosts=1,radix=4");
	make_free_of_turns(2);
	p.nswitches = s->nswitches;
	for (unsigned sl = 0; sl < 16; sl++)
		p.vl[0][0][sl] = sl % 4 == 3;
	in.lanes = &p;
	in.sls = 1 << 0 | 1 << 2 | 1 << 4;
	mcast_edges_init(&e, &in, &arena);
	assert_null(e.rank);
	assert_int_equal(e.sls, 1);                     /* 2 and 4 go where 0 does */
	assert_int_equal(mcast_edges_sls(&e), 0x7777);
	assert_true(mcast_edges_add(&e, &span, port_to(0, 1)));
	assert_true(mcast_edges_add(&e, &span, port_to(1, 2)));
	assert_int_equal(mcast_edges_mark(&e), 2);      /* there and back, on one VL */

	in.sls = 1 << 0 | 1 << 3;
	memset(span.ports, 0, s->nswitches * sizeof(*span.ports));
	mcast_edges_init(&e, &in, &arena);
	assert_int_equal(e.sls, 1 | 1 << 3);
	assert_int_equal(mcast_edges_sls(&e), 0xffff);
	for (uint32_t k = 0; k < 6; k++)
		assert_int_equal(mcast_edges_add(&e, &span, port_to(k, (k + 1) % 6)), k < 5);
	assert_int_equal(mcast_edges_mark(&e), 4 * 4);
	in.sls = 0;                                     /* nobody says: SL 0 */
	mcast_edges_init(&e, &in, &arena);
	assert_int_equal(mcast_edges_sls(&e), 0x7777);
}

/* The ports of a span at one switch, ascending, in every word. */
static void
ports_in_turn(void **state)
{
	static const uint8_t some[] = { 1, 2, 63, 64, 65, 127, 128, 191, 192, 254, 255 };
	uint64_t ports[1][4] = { { 0 } };
	struct mcast_span t = { .ports = ports };
	unsigned at = 0;

	(void)state;
	assert_int_equal(mcast_edges_next(&t, 0, 0), 0);
	assert_int_equal(mcast_edges_next(&t, 0, 255), 0);
	for (unsigned i = 0; i < sizeof(some); i++)
		ports[0][some[i] / 64] |= (uint64_t)1 << some[i] % 64;
	for (unsigned i = 0; i < sizeof(some); i++) {
		at = mcast_edges_next(&t, 0, at);
		assert_int_equal(at, some[i]);
	}
	assert_int_equal(mcast_edges_next(&t, 0, at), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(who_forwards, teardown),
		cmocka_unit_test_teardown(by_ranks, teardown),
		cmocka_unit_test_teardown(from_the_middle, teardown),
		cmocka_unit_test_teardown(without_an_order, teardown),
		cmocka_unit_test_teardown(by_turns, teardown),
		cmocka_unit_test_teardown(taken_back, teardown),
		cmocka_unit_test_teardown(beside_unicast, teardown),
		cmocka_unit_test_teardown(by_lanes, teardown),
		cmocka_unit_test_teardown(ports_in_turn, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
