/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_nue_search.c - all dependencies of the paths found are in use, turned ones too.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/route/nue/nue_search.h"
#include "tests/unit/route/made.h"

/* Searches all columns of a fabric; returns how many switches were turned. */
static uint32_t
search_all(uint32_t seed)
{
	struct made_how how = { .seed = seed };
	struct arena arena = ARENA_INIT;
	struct chanorder_net net;
	struct nue_search search;
	struct chanorder order;
	struct swgraph g;
	struct snapshot *s;
	char spec[64];
	uint32_t turned;

	snprintf(spec, sizeof(spec), "random:switches=40,cables=130,hosts=1,seed=%u", seed);
	s = made_snapshot(spec, &how);
	swgraph_make(s, &arena, &g);
	chanorder_net_make(&net, &g, &arena);
	chanorder_init(&order, &net, &arena);
	nue_search_init(&search, &net, &order, &arena);
	for (uint32_t c = 0; c < net.n; c++)
		search.cost[c] = NUE_HOP;
	for (uint32_t dest = 0; dest < g.nsw; dest++) {
		nue_search_begin(&search, dest);
		if (nue_search_run(&search, g.nsw))
			for (uint32_t sw = 0; sw < g.nsw; sw++) {
				uint32_t chan = search.next[sw], then;

				assert_int_equal(chan == NUE_HERE, sw == dest);
				if (sw == dest)
					continue;
				then = search.next[chanorder_to(&net, chan)];
				assert_int_equal(net.from[chan], sw);
				if (then != NUE_HERE)
					assert_int_equal(chanorder_state(&order, chan, then), CHANORDER_USED);
			}
		else
			chanorder_undo(&order, 0);
		chanorder_commit(&order);
	}
	turned = search.turned;
	arena_clear(&arena);
	made_free(s);
	return turned;
}

static void
dependencies_in_use(void **state)
{
	uint32_t turned = 0;

	(void)state;
	for (uint32_t seed = 1; seed <= 30; seed++)
		turned += search_all(seed);
	assert_true(turned > 20);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dependencies_in_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
