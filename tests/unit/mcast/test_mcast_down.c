/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_mcast_down.c - what is below tops, beside a plain walk, on random fabrics with any ranks.
 */
#include <config.h>
#include <string.h>
#include "tests/unit/test.h"
#include "sm/mcast/mcast_down.h"
#include "tests/unit/route/made.h"

enum { FABRICS = 400 };

static struct snapshot *s;
static struct arena arena;
static struct mcast_edges e;
static struct mcast_down down;
static uint32_t tops, most_tops;

static int
teardown(void **state)
{
	(void)state;
	if (s)
		made_free(s);
	s = NULL;
	arena_clear(&arena);
	return 0;
}

static void
make(const char *spec, uint32_t seed, const uint16_t *rank, unsigned ranks)
{
	struct made_how how = { .cut_percent = seed % 5 * 6, .seed = seed, .scramble = seed & 1 };
	uint32_t random = seed + 3;
	uint16_t *any;

	teardown(NULL);
	s = made_snapshot(spec, &how);
	any = arena_array(&arena, s->nswitches + 1u, sizeof(*any));
	for (uint32_t sw = 0; sw < s->nswitches; sw++) {
		struct fab_node *n = &s->nodes[s->switches[sw]];
		struct switch_info si = switch_info_decode(n->switch_info);

		si.mft_cap = made_random(&random) % 16 || rank ? 1024 : 0;
		switch_info_encode(n->switch_info, &si);
		n->flags |= FAB_NODE_SWITCH_INFO;
		any[sw] = (uint16_t)(made_random(&random) % ranks);
		if (made_random(&random) % 16 == 0)
			any[sw] = SWGRAPH_FAR;
	}
	mcast_edges_init(&e, &(struct mcast_spans_in){ .s = s, .rank = rank ? rank : any }, &arena);
	mcast_down_init(&down, &e, &arena);
}

/* Walks down from 'top'; counts switches, and those with hosts. */
static void
walk(uint32_t top, uint32_t *switches, uint32_t *leaves)
{
	uint8_t *met = arena_alloc(&arena, s->nswitches + 1u);
	uint32_t *queue = arena_array(&arena, s->nswitches + 1u, sizeof(*queue)), n = 0;

	met[top] = 1;
	queue[n++] = top;
	*leaves = 0;
	for (uint32_t i = 0; i < n; i++) {
		*leaves += swgraph_is_leaf(&e.g, queue[i]);
		for (uint32_t k = e.g.group_first[queue[i]]; k < e.g.group_first[queue[i] + 1]; k++) {
			uint32_t to = e.g.groups[k].to;

			if (met[to] || !mcast_edges_forwards(&e, to) || mcast_edges_leads_up(&e, queue[i], to))
				continue;
			met[to] = 1;
			queue[n++] = to;
		}
	}
	*switches = n;
}

static bool
is_top(uint32_t sw)
{
	for (uint32_t k = e.g.group_first[sw]; k < e.g.group_first[sw + 1]; k++)
		if (mcast_edges_leads_up(&e, sw, e.g.groups[k].to) && mcast_edges_forwards(&e, e.g.groups[k].to))
			return false;
	return mcast_edges_forwards(&e, sw);
}

/* Asks for the tops in another order than theirs. */
static void
compare(uint32_t seed)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->nswitches; i++) {
		uint32_t sw = (i + seed) % s->nswitches, switches, leaves;

		assert_int_equal(mcast_down_is_top(&down, sw), is_top(sw));
		if (!is_top(sw))
			continue;
		walk(sw, &switches, &leaves);
		assert_int_equal(mcast_down_leaves(&down, sw), leaves);
		assert_int_equal(mcast_down_switches(&down, sw), switches);
		n++;
	}
	assert_int_equal(n, down.ntops);
	for (uint32_t i = 1; i < n; i++)
		assert_true(down.top[i - 1] < down.top[i]);
	tops += n;
	most_tops = n > most_tops ? n : most_tops;
}

static void
as_walked(void **state)
{
	static const char *const shapes[] = { "fattree:k=4,levels=3", "fattree:k=8,levels=2", "xgft:m=4/4/2,w=1/2/2",
		"torus:24x24,hosts=1", "dragonfly:a=4,h=2,p=1", "fattree:k=24,levels=3" };

	(void)state;
	tops = most_tops = 0;
	for (uint32_t seed = 0; seed < test_share(FABRICS); seed++) {
		make(shapes[seed % 6], seed, NULL, 1 + seed / 6 % 5);
		compare(seed);
	}
	print_message("%u tops, at most %u of one fabric\n", tops, most_tops);
	assert_true(test_share(FABRICS) < FABRICS || most_tops > 128);
}

/* Of equal ranks the later switch is higher: in a ring of equals, the last one is the only top. */
static void
of_equal_ranks(void **state)
{
	static const uint16_t rank[6];

	(void)state;
	make("torus:6,hosts=1,radix=4", 0, rank, 1);
	assert_int_equal(down.ntops, 1);
	assert_int_equal(down.top[0], 5);
	assert_int_equal(mcast_down_switches(&down, 5), 6);
	assert_int_equal(mcast_down_leaves(&down, 5), 6);
	assert_false(mcast_down_is_top(&down, 0));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(as_walked, teardown),
		cmocka_unit_test_teardown(of_equal_ranks, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
