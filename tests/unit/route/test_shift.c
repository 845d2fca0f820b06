/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_shift.c - shift permutations on whole trees: host h sends to host h + s, for every s.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/plan/lid.h"
#include "sm/route/route.h"
#include "tests/unit/route/made.h"
#include "tests/unit/route/part.h"

static struct snapshot *s;
static struct arena arena;
static struct lid_map lids;
static struct fwd_tables f;
static uint32_t *hosts, nhosts;         /* ports of hosts, by LID */

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
route(const char *spec, const struct made_how *how, bool fuse, uint8_t lmc)
{
	struct lid_conf lc = { .lmc = lmc };
	struct lid_report lr;
	struct route_report r;
	struct route_in in = { .lids = &lids };
	char why[200];

	teardown(NULL);
	s = made_snapshot(spec, how);
	if (fuse)
		s = part_fuse_tops(s);
	assert_int_equal(plan_lids(s, NULL, &lc, &arena, &lids, &lr), 0);
	in.snapshot = s;
	assert_int_equal(route_find("ftree", why, sizeof(why))->run(&in, &arena, &f, &r), ROUTE_OK);
	hosts = arena_array(&arena, s->nports, sizeof(*hosts));
	nhosts = 0;
	for (uint32_t lid = 1; lid <= lids.top; lid++)
		if (lids.owner[lid] != FAB_NONE && lids.base[lids.owner[lid]] == lid &&
		    !fab_is_switch(&s->nodes[s->ports[lids.owner[lid]].node]))
			hosts[nhosts++] = lids.owner[lid];
}

/* Adds one flow to the loads of the ports that it leaves switches by; returns the greatest. */
static uint32_t
add_flow(uint32_t from, uint16_t lid, uint32_t *load)
{
	uint32_t p = s->ports[from].peer, most = 0;

	for (unsigned hops = 0; hops < 64 && fab_is_switch(&s->nodes[s->ports[p].node]); hops++) {
		const struct fab_node *n = &s->nodes[s->ports[p].node];
		uint32_t out = n->first_port + fwd_row(&f, n->sw)[lid];

		p = s->ports[out].peer;
		assert_int_not_equal(p, FAB_NONE);
		load[out]++;
		most = load[out] > most ? load[out] : most;
	}
	assert_int_equal(p, lids.owner[lid]);
	return most;
}

/* The greatest load over all shifts, for LID 'sub' of every host. */
static uint32_t
worst_shift(unsigned sub)
{
	uint32_t *load = calloc(s->nports, sizeof(*load)), worst = 0;

	for (uint32_t shift = 1; shift < nhosts; shift++) {
		memset(load, 0, s->nports * sizeof(*load));
		for (uint32_t h = 0; h < nhosts; h++) {
			uint32_t to = hosts[(h + shift) % nhosts];
			uint32_t most = add_flow(hosts[h], (uint16_t)(lids.base[to] + sub), load);

			worst = most > worst ? most : worst;
		}
	}
	free(load);
	return worst;
}

static void
one_flow_per_link(void **state)
{
	static const struct { const char *spec; bool fuse; uint32_t most; } rows[] = {
		{ "fattree:k=4,levels=2", false, 1 }, { "fattree:k=8,levels=2", false, 1 },
		{ "fattree:k=12,levels=2", false, 1 }, { "fattree:k=4,levels=3", false, 1 },
		{ "fattree:k=6,levels=3", false, 1 }, { "fattree:k=8,levels=3", false, 1 },
		{ "fattree:k=8,levels=3,pods=5", false, 1 }, { "xgft:m=4/4/4/2,w=1/4/4/4", false, 1 },
		{ "xgft:m=3/4/5,w=1/3/4", false, 1 }, { "xgft:m=2/2/2/2/2,w=1/2/2/2/2", false, 1 },
		/* parallel links */
		{ "fattree:k=8,levels=2", true, 1 }, { "fattree:k=8,levels=3", true, 1 },
		/* oversubscribed: the greatest ratio of hosts below to links up, rounded up */
		{ "xgft:m=8/4/2,w=1/4/4", false, 2 }, { "xgft:m=4/4/2,w=1/2/2", false, 4 },
		{ "xgft:m=4/6,w=1/2", false, 2 }, { "xgft:m=6/4,w=1/4", false, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (uint32_t seed = 0; seed < 6; seed++) {
			struct made_how how = { .scramble = seed > 0, .seed = seed };
			uint32_t worst;

			route(rows[i].spec, &how, rows[i].fuse, 0);
			worst = worst_shift(0);
			if (worst > rows[i].most)
				fail_msg("%s, seed %u: %u flows on a link", rows[i].spec, seed, worst);
		}
}

/* Each of a host's LIDs is as good by itself. */
static void
every_lid_of_a_host(void **state)
{
	static const char *const specs[] = { "fattree:k=8,levels=2", "fattree:k=4,levels=3", "fattree:k=8,levels=3" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct made_how how = { .scramble = true, .seed = 3 };

		route(specs[i], &how, false, 2);
		for (unsigned sub = 0; sub < 4; sub++)
			assert_int_equal(worst_shift(sub), 1);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(one_flow_per_link, teardown),
		cmocka_unit_test_teardown(every_lid_of_a_host, teardown),
	};

	return cmocka_run_group_tests_name("sm/route/shift", tests, NULL, NULL);
}
