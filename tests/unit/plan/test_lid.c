/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_lid.c - who gets which LID: layout, what stays, what moves, what does not fit.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/test.h"
#include "fabric/swgraph.h"
#include "sm/plan/lid.h"
#include "tests/unit/route/made.h"

static struct snapshot *s;
static struct arena arena;
static struct lid_map m;
static struct lid_report r;

static int
teardown(void **state)
{
	(void)state;
	made_free(s);
	s = NULL;
	arena_clear(&arena);
	return 0;
}

static bool
is_switch_port(uint32_t p)
{
	return fab_is_switch(&s->nodes[s->ports[p].node]);
}

/* What must hold of every result. */
static void
check_map(uint8_t lmc)
{
	uint32_t owned = 0;

	for (uint32_t p = 0; p < s->nports; p++) {
		uint32_t n = 1u << m.lmc[p];

		assert_int_equal(m.base[p] != 0, snapshot_is_endport(s, &s->ports[p]));
		if (!m.base[p])
			continue;
		assert_int_equal(m.lmc[p], is_switch_port(p) ? 0 : lmc);
		assert_int_equal(m.base[p] % n, 0);
		assert_in_range(m.base[p] + n - 1, 1, m.top);
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(m.owner[m.base[p] + i], p);
		owned += n;
	}
	for (uint32_t lid = 0; lid <= m.top; lid++)
		owned -= m.owner[lid] != FAB_NONE;
	assert_int_equal(owned, 0);
	assert_int_not_equal(m.owner[m.top], FAB_NONE);
	assert_int_equal(m.owner[0], FAB_NONE);
	assert_int_equal(r.ports, r.kept_stored + r.kept_present + r.fresh);
}

static void
plan(const struct lid_ids *stored, uint8_t lmc, bool reassign)
{
	struct lid_conf c = { .lmc = lmc, .reassign = reassign };

	assert_int_equal(plan_lids(s, stored, &c, &arena, &m, &r), 0);
	check_map(lmc);
}

static void
hold(uint32_t port, uint16_t lid)
{
	struct port_info pi = port_info_decode(s->ports[port].info);

	pi.lid = lid;
	port_info_encode(s->ports[port].info, &pi);
}

static void
layout(void **state)
{
	static const char *const specs[] = { "fattree:k=8,levels=3", "torus:4x4,hosts=3", "fattree:k=36,levels=2" };
	struct made_how how = { .scramble = true, .seed = 3 };
	struct swgraph g;
	uint32_t order[1000], at = 1;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		teardown(NULL);
		s = made_snapshot(specs[i], &how);
		plan(NULL, 0, false);
		assert_int_equal(m.top, s->nswitches + s->nhosts);
		swgraph_make(s, &arena, &g);
		swgraph_leaf_order(&g, &arena, order);
		at = 1;
		for (uint32_t l = 0; l < g.nleaves; l++)
			for (uint32_t h = g.host_first[order[l]]; h < g.host_first[order[l] + 1]; h++)
				assert_int_equal(m.base[g.hosts[h].port], at++);
		for (uint32_t sw = 0; sw < s->nswitches; sw++)
			assert_int_equal(m.base[s->nodes[s->switches[sw]].first_port], at++);
	}
}

/* Leaves of one pod stand together, whatever the GUIDs. */
static void
pods_together(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 10; seed++) {
		struct made_how how = { .scramble = true, .seed = seed };
		struct swgraph g;
		uint32_t order[32], queue[80];
		uint16_t dist[80];

		teardown(NULL);
		s = made_snapshot("fattree:k=8,levels=3", &how);
		swgraph_make(s, &arena, &g);
		assert_int_equal(g.nleaves, 32);
		swgraph_leaf_order(&g, &arena, order);
		for (uint32_t i = 0; i < 32; i++) {
			assert_int_equal(swgraph_distances(&g, &order[i], 1, dist, queue), 80);
			for (uint32_t k = 0; k < 32; k++)
				if (k != i)
					assert_int_equal(dist[order[k]], i / 4 == k / 4 ? 2 : 4);
		}
	}
}

static void
shuffled(void **state)
{
	uint16_t want[512];
	struct made_how how = { .scramble = true, .seed = 8 };

	(void)state;
	s = made_snapshot("dragonfly:a=4,h=2,p=2", &how);
	plan(NULL, 0, false);
	for (uint32_t lid = 1; lid <= m.top; lid++)
		want[lid] = (uint16_t)(s->ports[m.owner[lid]].guid >> 8);
	how.shuffle = true;
	for (how.shuffle_seed = 0; how.shuffle_seed < 5; how.shuffle_seed++) {
		teardown(NULL);
		s = made_snapshot("dragonfly:a=4,h=2,p=2", &how);
		plan(NULL, 0, false);
		for (uint32_t lid = 1; lid <= m.top; lid++)
			assert_int_equal((uint16_t)(s->ports[m.owner[lid]].guid >> 8), want[lid]);
	}
}

/* Stored LIDs come back; held ones stay; both survive a new neighbour. */
static void
kept(void **state)
{
	struct lid_ids stored;
	uint16_t *was;
	uint32_t gone = FAB_NONE, first = FAB_NONE;

	(void)state;
	s = made_snapshot("fattree:k=4,levels=3", NULL);
	plan(NULL, 0, false);
	plan_lids_to_store(s, &m, NULL, &arena, &stored);
	assert_int_equal(stored.n, 36);
	for (uint32_t i = 1; i < stored.n; i++)
		assert_true(stored.rows[i - 1].port_guid < stored.rows[i].port_guid);
	was = m.base;
	for (uint32_t p = 0; p < s->nports; p++)
		if (m.base[p] == 7)
			gone = p;
		else if (m.base[p] == 1)
			first = p;
	hold(first, 500);                       /* stored wins over held */
	plan(&stored, 0, false);
	assert_memory_equal(m.base, was, s->nports * sizeof(*was));
	assert_int_equal(r.kept_stored, 36);

	/* A host goes: its LID is set aside, the others stay, and a stranger does not get it. */
	s->ports[s->ports[gone].peer].peer = FAB_NONE;
	s->ports[gone].peer = FAB_NONE;
	s->ports[first].guid = 0xabc;
	hold(first, 0);
	plan(&stored, 0, false);
	assert_int_equal(r.stale, 2);
	assert_int_equal(r.fresh, 1);
	assert_int_equal(m.base[first], 37);
	plan_lids_to_store(s, &m, &stored, &arena, &stored);
	assert_int_equal(stored.n, 37);         /* 35 live, two remembered */

	/* Without a store what ports hold is kept; who holds nothing gets the gap. */
	for (uint32_t p = 0; p < s->nports; p++)
		hold(p, m.base[p] == 37 ? 0 : m.base[p]);
	plan(NULL, 0, false);
	assert_int_equal(r.kept_present, 34);
	assert_int_equal(m.base[first], 1);
	plan(NULL, 0, true);
	assert_int_equal(r.fresh, 35);
	assert_int_equal(m.top, 35);
}

static void
conflicts(void **state)
{
	uint32_t hosts[4], n = 0;

	(void)state;
	s = made_snapshot("fattree:k=4,levels=3", NULL);
	for (uint32_t p = 0; p < s->nports && n < 4; p++)
		if (snapshot_is_endport(s, &s->ports[p]) && !is_switch_port(p))
			hosts[n++] = p;
	hold(hosts[0], 40);
	hold(hosts[1], 40);                     /* twice: the lower GUID keeps it */
	hold(hosts[2], 0xC000);                 /* out of range */
	hold(hosts[3], 0xBFFF);
	plan(NULL, 0, false);
	assert_int_equal(m.base[hosts[0]], 40);
	assert_int_not_equal(m.base[hosts[1]], 40);
	assert_int_equal(m.base[hosts[3]], 0xBFFF);
	assert_int_equal(r.nconflicts, 2);
	assert_int_equal(r.conflicts[0].port, hosts[1]);
	assert_int_equal(r.conflicts[0].winner, hosts[0]);
	assert_int_equal(r.conflicts[1].winner, FAB_NONE);
	assert_int_equal(r.renumbered, 2);

	/* Stored beats held, whatever the GUIDs; a second stored row for the same LID loses. */
	{
		struct lid_id rows[] = { { s->ports[hosts[1]].guid, 40, 0 }, { s->ports[hosts[2]].guid, 40, 0 } };
		struct lid_ids stored = { rows, 2 };

		plan(&stored, 0, false);
		assert_int_equal(m.base[hosts[1]], 40);
		assert_int_not_equal(m.base[hosts[0]], 40);
		assert_int_equal(r.kept_stored, 1);
	}
	/* LMC 2: 40 is aligned, 0xBFFF is not and 0xBFFC would be. */
	hold(hosts[1], 42);
	hold(hosts[3], 0xBFFC);
	plan(NULL, 2, false);
	assert_int_equal(m.base[hosts[0]], 40);
	assert_int_equal(m.base[hosts[3]], 0xBFFC);
	assert_int_equal(r.nconflicts, 2);
}

static void
every_lmc(void **state)
{
	struct lid_conf c = { .lmc = 8 };

	(void)state;
	s = made_snapshot("torus:4x4,hosts=3", NULL);
	for (uint8_t lmc = 0; lmc <= 7; lmc++) {
		plan(NULL, lmc, false);
		assert_int_equal(r.lids, s->nswitches + (s->nhosts << lmc));
	}
	assert_int_equal(plan_lids(s, NULL, &c, &arena, &m, &r), -EINVAL);
}

static void
enhanced_port0(void **state)
{
	struct lid_conf c = { .lmc = 3, .lmc_esp0 = true };
	struct fab_node *n;
	struct switch_info si;

	(void)state;
	s = made_snapshot("torus:4x4,hosts=3", NULL);
	n = &s->nodes[s->switches[5]];
	si = switch_info_decode(n->switch_info);
	si.enhanced_port0 = 1;
	switch_info_encode(n->switch_info, &si);
	assert_int_equal(plan_lids(s, NULL, &c, &arena, &m, &r), 0);
	assert_int_equal(m.lmc[n->first_port], 3);
	assert_int_equal(m.base[n->first_port] % 8, 0);
	assert_int_equal(m.lmc[s->nodes[s->switches[4]].first_port], 0);
	c.lmc_esp0 = false;
	assert_int_equal(plan_lids(s, NULL, &c, &arena, &m, &r), 0);
	assert_int_equal(m.lmc[n->first_port], 0);
}

static void
too_many(void **state)
{
	struct lid_conf c = { .lmc = 7 };
	struct lid_ids stored;
	struct lid_id *rows;

	(void)state;
	s = made_snapshot("fattree:k=8,levels=3", NULL);
	plan(NULL, 7, false);
	assert_int_equal(m.top, 128 * 128 + 127 + 80);
	teardown(NULL);
	s = made_snapshot("fattree:k=16,levels=3", NULL);
	assert_int_equal(plan_lids(s, NULL, &c, &arena, &m, &r), -ENOSPC);
	assert_int_equal(r.needed, 1024 * 128 + 320);

	/* All LIDs set aside for the gone: they are given out after all. */
	teardown(NULL);
	s = made_snapshot("fattree:k=4,levels=3", NULL);
	rows = calloc(0xC000, sizeof(*rows));
	for (uint32_t i = 1; i < 0xC000; i++)
		rows[i] = (struct lid_id){ i, (uint16_t)i, 0 };
	stored = (struct lid_ids){ rows + 1, 0xBFFF };
	plan(&stored, 0, false);
	assert_int_equal(r.stale_reused, 36);
	assert_int_equal(m.top, 36);
	free(rows);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(layout, teardown),
		cmocka_unit_test_teardown(pods_together, teardown),
		cmocka_unit_test_teardown(shuffled, teardown),
		cmocka_unit_test_teardown(kept, teardown),
		cmocka_unit_test_teardown(conflicts, teardown),
		cmocka_unit_test_teardown(every_lmc, teardown),
		cmocka_unit_test_teardown(enhanced_port0, teardown),
		cmocka_unit_test_teardown(too_many, teardown),
	};

	return cmocka_run_group_tests_name("sm/plan/lid", tests, NULL, NULL);
}
