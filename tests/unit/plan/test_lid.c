/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_lid.c - who gets which LID: layout, what stays, what moves, what does not fit.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/test.h"
#include "fabric/snapshot/swgraph.h"
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
	assert_int_equal(r.ports, r.kept_live + r.kept_stored + r.kept_present + r.fresh);
}

static void
plan(const struct lid_ids *stored, uint8_t lmc, bool reassign)
{
	struct lid_conf c = { .lmc = lmc, .reassign = reassign };

	assert_int_equal(plan_lids(s, stored, &c, &arena, &m, &r), 0);
	check_map(lmc);
}

static void
set_state(uint32_t port, uint8_t state)
{
	struct port_info pi = port_info_decode(s->ports[port].info);

	pi.state = state;
	port_info_encode(s->ports[port].info, &pi);
}

/* The port shows 'lid', which is not in force: its links are in INIT. */
static void
hold(uint32_t port, uint16_t lid)
{
	struct port_info pi = port_info_decode(s->ports[port].info);

	pi.lid = lid;
	port_info_encode(s->ports[port].info, &pi);
}

#define INIT 2
#define ARMED 3
#define ACTIVE 4

/* The port shows 'lid', and the LID is in force: its links are ACTIVE. */
static void
force(uint32_t port, uint16_t lid, uint8_t lmc)
{
	struct fab_node *n = &s->nodes[s->ports[port].node];
	struct port_info pi = port_info_decode(s->ports[port].info);

	pi.lid = lid;
	pi.lmc = lmc;
	port_info_encode(s->ports[port].info, &pi);
	if (is_switch_port(port))
		for (unsigned k = 1; k <= n->nports; k++)
			set_state(port + k, ACTIVE);
	else
		set_state(port, ACTIVE);
}

static uint32_t
end_port(bool of_switch, unsigned nth)
{
	for (uint32_t p = 0; p < s->nports; p++)
		if (snapshot_is_endport(s, &s->ports[p]) && is_switch_port(p) == of_switch && nth-- == 0)
			return p;
	fail();
	return FAB_NONE;
}

static int
port_by_guid(const void *va, const void *vb)
{
	uint64_t a = s->ports[*(const uint32_t *)va].guid, b = s->ports[*(const uint32_t *)vb].guid;

	return a < b ? -1 : a > b;
}

/* All end ports, by GUID. */
static uint32_t
end_ports(uint32_t *v)
{
	uint32_t n = 0;

	for (uint32_t p = 0; p < s->nports; p++)
		if (snapshot_is_endport(s, &s->ports[p]))
			v[n++] = p;
	qsort(v, n, sizeof(*v), port_by_guid);
	return n;
}

/* What moved, by the report: the change of a port, NULL if it has none. */
static const struct lid_change *
change_of(uint32_t port)
{
	for (uint32_t i = 0; i < r.nchanges && i < LID_CHANGES_MAX; i++)
		if (r.changes[i].guid == s->ports[port].guid)
			return &r.changes[i];
	return NULL;
}

static void
expect_change(uint32_t port, uint16_t from, enum lid_reason reason, uint16_t lid, uint32_t holder)
{
	const struct lid_change *c = change_of(port);

	assert_non_null(c);
	assert_int_equal(c->from, from);
	assert_int_equal(c->to, m.base[port]);
	assert_int_equal(c->reason, reason);
	if (reason == LID_REASON_REASSIGNED || reason == LID_REASON_ALTERED)
		return;
	assert_int_equal(c->lid, lid);
	assert_true(c->holder == (holder == FAB_NONE ? 0 : s->ports[holder].guid));
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
	hold(first, 500);                       /* not in force: stored wins */
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

/* The store of another manager, or an old one: LIDs in force stay, whatever it says. */
static void
live_ports_stay(void **state)
{
	struct lid_ids stored, wrong;
	struct lid_id *rows;
	uint16_t *was;
	uint32_t host[3], sw;

	(void)state;
	s = made_snapshot("fattree:k=4,levels=3", NULL);
	plan(NULL, 0, false);
	was = m.base;
	for (uint32_t p = 0; p < s->nports; p++)
		if (was[p])
			force(p, was[p], 0);
	plan_lids_to_store(s, &m, NULL, &arena, &stored);
	plan(&stored, 0, false);
	assert_memory_equal(m.base, was, s->nports * sizeof(*was));
	assert_int_equal(r.kept_live, 36);
	assert_int_equal(r.overrode, 0);
	for (unsigned i = 0; i < 3; i++)
		host[i] = end_port(false, i);
	sw = end_port(true, 0);

	/* Two rows swapped, a third elsewhere, and one of a switch. */
	rows = arena_array(&arena, stored.n, sizeof(*rows));
	memcpy(rows, stored.rows, stored.n * sizeof(*rows));
	for (uint32_t i = 0; i < stored.n; i++)
		if (rows[i].port_guid == s->ports[host[0]].guid)
			rows[i].base_lid = was[host[1]];
		else if (rows[i].port_guid == s->ports[host[1]].guid)
			rows[i].base_lid = was[host[0]];
		else if (rows[i].port_guid == s->ports[host[2]].guid)
			rows[i].base_lid = 300;
		else if (rows[i].port_guid == s->ports[sw].guid)
			rows[i].base_lid = 301;
	wrong = (struct lid_ids){ rows, stored.n };
	plan(&wrong, 0, false);
	assert_memory_equal(m.base, was, s->nports * sizeof(*was));
	assert_int_equal(r.overrode, 4);
	assert_int_equal(r.nchanges, 0);
	set_state(host[0], ARMED);              /* in force as well */
	plan(&wrong, 0, false);
	assert_memory_equal(m.base, was, s->nports * sizeof(*was));

	/* All links in INIT: a cold fabric has its stored LIDs, whatever the ports still show. */
	for (uint32_t p = 0; p < s->nports; p++)
		set_state(p, INIT);
	plan(&wrong, 0, false);
	assert_int_equal(r.kept_stored, 36);
	assert_int_equal(m.base[host[0]], was[host[1]]);
	assert_int_equal(m.base[host[1]], was[host[0]]);
	assert_int_equal(m.base[host[2]], 300);
	assert_int_equal(m.base[sw], 301);
	assert_int_equal(r.nchanges, 0);

	plan(&stored, 0, true);
	assert_int_equal(r.fresh, 36);
	assert_int_equal(r.nchanges, 0);        /* packed as they were */
	force(host[0], 200, 0);
	plan(&stored, 0, true);
	expect_change(host[0], 200, LID_REASON_REASSIGNED, 0, FAB_NONE);
	assert_int_equal(r.renumbered, 1);
}

/* Rebooted ports come back with what is stored for them, unless a live port has that by now. */
static void
live_before_stored(void **state)
{
	struct lid_ids stored, kept;
	uint32_t a, b, sw;
	char text[100];

	(void)state;
	s = made_snapshot("fattree:k=4,levels=3", NULL);
	a = end_port(false, 0);
	b = end_port(false, 1);
	sw = end_port(true, 0);
	{
		struct lid_id rows[] = { { s->ports[a].guid, 40, 0, false }, { s->ports[b].guid, 41, 0, false } };

		stored = (struct lid_ids){ rows, 2 };
		force(b, 40, 0);
		hold(sw, 77);                   /* rebooted: none of its links is up */
		plan(&stored, 0, false);
		assert_int_equal(m.base[b], 40);
		assert_int_equal(m.base[sw], 77);       /* there is no reason for another one */
		assert_int_equal(r.nchanges, 1);
		expect_change(a, 40, LID_REASON_HELD, 40, b);
		assert_false(change_of(a)->live);
		assert_int_equal(r.overrode, 1);

		/* 'a' is not there: its row is lost to 'b', which is told when it comes back. */
		s->ports[s->ports[a].peer].peer = FAB_NONE;
		sw = s->ports[a].peer;
		s->ports[a].peer = FAB_NONE;
		plan(&stored, 0, false);
		assert_int_equal(m.base[b], 40);
		plan_lids_to_store(s, &m, &stored, &arena, &kept);
		assert_int_equal(kept.n, 36);
		for (uint32_t i = 0; i < kept.n; i++)
			assert_int_equal(kept.rows[i].lost, kept.rows[i].port_guid == s->ports[a].guid);
		s->ports[a].peer = sw;
		s->ports[sw].peer = a;
		plan(&kept, 0, false);
		assert_int_equal(r.stale, 0);
		expect_change(a, 40, LID_REASON_HELD, 40, b);
		assert_string_equal(lid_change_text(change_of(a), "host", text, sizeof(text)), "LID 40 is held by host");
		/* Free again: it gets it back. */
		force(b, 500, 0);
		plan(&kept, 0, false);
		assert_int_equal(m.base[b], 500);
		assert_int_equal(m.base[a], 40);
		assert_int_equal(r.nchanges, 0);
		plan_lids_to_store(s, &m, &kept, &arena, &kept);
		for (uint32_t i = 0; i < kept.n; i++)
			assert_false(kept.rows[i].lost);
	}
}

/* A live port takes the stored range of an absent one; a port in INIT, which only shows such a LID, does not. */
static void
live_before_absent(void **state)
{
	uint32_t a, b;

	(void)state;
	s = made_snapshot("fattree:k=4,levels=3", NULL);
	a = end_port(false, 0);
	b = end_port(false, 1);
	{
		struct lid_id rows[] = { { 7, 40, 0, false }, { 8, 50, 2, false } };
		struct lid_ids stored = { rows, 2 }, kept;

		force(a, 40, 0);
		hold(b, 52);
		plan(&stored, 0, false);
		assert_int_equal(m.base[a], 40);
		assert_int_not_equal(m.base[b], 52);
		assert_int_equal(r.stale, 2);
		assert_int_equal(r.nchanges, 0);
		plan_lids_to_store(s, &m, &stored, &arena, &kept);
		assert_true(kept.rows[0].lost);
		assert_false(kept.rows[1].lost);
	}
}

/* What this manager assigned and something else altered is put back; of a port that it did not lead, it is not. */
static void
altered(void **state)
{
	uint64_t *led;
	uint32_t a;

	(void)state;
	s = made_snapshot("fattree:k=4,levels=3", NULL);
	a = end_port(false, 0);
	led = arena_array(&arena, s->nports / 64 + 1, sizeof(*led));
	led[a / 64] |= (uint64_t)1 << a % 64;
	{
		struct lid_id row = { s->ports[a].guid, 40, 0, false };
		struct lid_ids stored = { &row, 1 };
		struct lid_conf c = { .led = led };

		force(a, 99, 0);
		assert_int_equal(plan_lids(s, &stored, &c, &arena, &m, &r), 0);
		assert_int_equal(m.base[a], 40);
		expect_change(a, 99, LID_REASON_ALTERED, 0, FAB_NONE);
		plan(&stored, 0, false);
		assert_int_equal(m.base[a], 99);
		assert_int_equal(r.nchanges, 0);
	}
}

/* Two subnets have become one: of two live ports with one LID, one moves, and it is said why. */
static void
conflicts(void **state)
{
	uint32_t hosts[4], sw;

	(void)state;
	s = made_snapshot("fattree:k=4,levels=3", NULL);
	for (unsigned i = 0; i < 4; i++)
		hosts[i] = end_port(false, i);
	sw = end_port(true, 3);
	force(hosts[0], 40, 0);
	force(hosts[1], 40, 0);                 /* twice: the lower GUID keeps it */
	force(hosts[2], 0xC000, 0);             /* out of range */
	force(hosts[3], 0xBFFF, 0);
	plan(NULL, 0, false);
	assert_int_equal(m.base[hosts[0]], 40);
	assert_int_not_equal(m.base[hosts[1]], 40);
	assert_int_equal(m.base[hosts[3]], 0xBFFF);
	assert_int_equal(r.nchanges, 2);
	assert_int_equal(r.renumbered, 2);
	expect_change(hosts[1], 40, LID_REASON_HELD, 40, hosts[0]);
	expect_change(hosts[2], 0xC000, LID_REASON_RANGE, 0xC000, FAB_NONE);

	/* The stored LID breaks the tie, whatever the GUIDs; a second stored row for the same LID loses. */
	{
		struct lid_id rows[] = { { s->ports[hosts[1]].guid, 40, 0, false }, { s->ports[hosts[2]].guid, 40, 0, false } };
		struct lid_ids stored = { rows, 2 };

		plan(&stored, 0, false);
		assert_int_equal(m.base[hosts[1]], 40);
		assert_int_equal(r.nchanges, 2);
		expect_change(hosts[0], 40, LID_REASON_HELD, 40, hosts[1]);
		assert_int_equal(r.kept_stored, 0);
	}
	/* LMC 2 from now on: 40 is aligned, 42 and 0xBFFF are not and 0xBFFC would be. */
	force(hosts[1], 42, 0);
	force(hosts[2], 60, 0);
	force(sw, 63, 0);
	plan(NULL, 2, false);
	assert_int_equal(m.base[hosts[0]], 40);
	expect_change(hosts[1], 42, LID_REASON_UNALIGNED, 42, FAB_NONE);
	expect_change(hosts[2], 60, LID_REASON_HELD, 63, sw);  /* who grows gives way */
	expect_change(hosts[3], 0xBFFF, LID_REASON_RANGE, 0xBFFF, FAB_NONE);
	assert_int_equal(r.nchanges, 3);
	force(hosts[3], 0xBFFC, 0);
	plan(NULL, 2, false);
	assert_int_equal(m.base[hosts[3]], 0xBFFC);
	/* With LMC 2 in force already, one port of four LIDs moves instead of two of one LID. */
	force(hosts[2], 60, 2);
	force(end_port(true, 4), 62, 0);
	plan(NULL, 2, false);
	assert_int_equal(m.base[sw], 63);
	assert_int_equal(m.base[end_port(true, 4)], 62);
	expect_change(hosts[2], 60, LID_REASON_HELD, 62, end_port(true, 4));
	/* LMC 0 again: nobody moves. */
	force(hosts[1], 48, 2);
	force(hosts[2], 56, 2);
	plan(NULL, 0, false);
	assert_int_equal(m.base[hosts[1]], 48);
	assert_int_equal(m.base[hosts[2]], 56);
	assert_int_equal(r.nchanges, 0);
}

/* Damage of many ports: what was discovered first makes no difference, and the report names the first few. */
static void
shuffled_conflicts(void **state)
{
	struct made_how how = { .scramble = true, .seed = 8 };
	uint64_t guid[512] = { 0 };
	struct lid_report first = { 0 };
	uint32_t ends[512], n;

	(void)state;
	for (how.shuffle_seed = 0; how.shuffle_seed < 6; how.shuffle_seed++) {
		how.shuffle = how.shuffle_seed > 0;
		teardown(NULL);
		s = made_snapshot("dragonfly:a=4,h=2,p=2", &how);
		n = end_ports(ends);
		for (uint32_t i = 0; i < n; i++)
			if (i % 5)
				force(ends[i], (uint16_t)(1 + i / 3), 0);
		plan(NULL, 0, false);
		assert_true(r.nchanges > LID_CHANGES_MAX);
		assert_int_equal(r.nchanges, r.renumbered);
		assert_true(m.top < 512);
		for (uint32_t lid = 1; lid <= m.top; lid++) {
			uint64_t g = m.owner[lid] == FAB_NONE ? 0 : s->ports[m.owner[lid]].guid;

			if (how.shuffle)
				assert_true(guid[lid] == g);
			guid[lid] = g;
		}
		if (how.shuffle)
			for (uint32_t i = 0; i < LID_CHANGES_MAX; i++) {
				assert_true(first.changes[i].guid == r.changes[i].guid);
				assert_true(first.changes[i].holder == r.changes[i].holder);
				assert_int_equal(first.changes[i].to, r.changes[i].to);
			}
		first = r;
	}
}

/* ---- claims of live ports, done in the plain way ---- */

struct claim {
	uint32_t port;
	uint16_t held, stored;
	uint8_t held_lmc, lmc;
	bool granted;
};

static int
claim_cmp(const void *va, const void *vb)
{
	const struct claim *a = va, *b = vb;

	if ((a->lmc > a->held_lmc) != (b->lmc > b->held_lmc))
		return a->lmc > a->held_lmc ? 1 : -1;
	if ((a->stored == a->held) != (b->stored == b->held))
		return a->stored == a->held ? -1 : 1;
	if (a->lmc != b->lmc)
		return a->lmc < b->lmc ? -1 : 1;
	return s->ports[a->port].guid < s->ports[b->port].guid ? -1 : 1;
}

static void
grant(struct claim *v, uint32_t n)
{
	bool *taken = calloc(0x10000, sizeof(*taken));

	qsort(v, n, sizeof(*v), claim_cmp);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t size = 1u << v[i].lmc, free_lids = 0;

		for (uint32_t k = 0; k < size; k++)
			free_lids += v[i].held + k <= LID_UCAST_MAX && !taken[v[i].held + k];
		v[i].granted = free_lids == size && v[i].held % size == 0;
		for (uint32_t k = 0; v[i].granted && k < size; k++)
			taken[v[i].held + k] = true;
	}
	free(taken);
}

/* Live ports with LIDs that are all apart, or that collide; some have the LID stored, and rows are
 * stored for ports that are not there. */
static void
live_claims_are_granted(void **state)
{
	struct made_how how = { .scramble = true };
	struct claim v[200];
	struct lid_id rows[250];
	uint32_t ends[200], seed, crowded = 0, rounds = test_share(200);

	(void)state;
	for (uint32_t round = 0; round < rounds; round++) {
		uint8_t lmc = (uint8_t)(round % 3);
		struct lid_ids stored = { rows, 0 };
		uint32_t n, absent = 0, granted = 0, apart;

		teardown(NULL);
		how.seed = seed = round + 1;
		apart = made_random(&seed) % 2;
		s = made_snapshot("torus:4x4,hosts=3", &how);
		n = end_ports(ends);
		for (uint32_t i = 0; i < n; i++) {
			bool host = !is_switch_port(ends[i]);

			v[i] = (struct claim){ .port = ends[i], .lmc = host ? lmc : 0,
				.held_lmc = (uint8_t)(host ? made_random(&seed) % 3 : 0) };
			v[i].held = (uint16_t)(apart ? 8 * (n - i) : 1 + made_random(&seed) % 400);
			force(ends[i], v[i].held, v[i].held_lmc);
			if (made_random(&seed) % 4 == 0)
				continue;
			if (made_random(&seed) % 4 == 0)
				rows[stored.n++] = (struct lid_id){ s->ports[ends[i]].guid - 1,
					30000, 0, false };
			absent += stored.n && rows[stored.n - 1].base_lid == 30000;
			v[i].stored = made_random(&seed) % 2 ? v[i].held : 20000;
			rows[stored.n++] = (struct lid_id){ s->ports[ends[i]].guid, v[i].stored,
				v[i].lmc, false };
		}
		plan(&stored, lmc, false);
		grant(v, n);
		for (uint32_t i = 0; i < n; i++) {
			assert_int_equal(m.base[v[i].port] == v[i].held, v[i].granted);
			granted += v[i].granted;
		}
		assert_int_equal(r.kept_live, granted);
		assert_int_equal(r.stale, absent);
		crowded += granted < n;
		assert_true(!apart || granted == n);
	}
	assert_true(crowded > rounds / 20);
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
		rows[i] = (struct lid_id){ i, (uint16_t)i, 0, false };
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
		cmocka_unit_test_teardown(live_ports_stay, teardown),
		cmocka_unit_test_teardown(live_before_stored, teardown),
		cmocka_unit_test_teardown(live_before_absent, teardown),
		cmocka_unit_test_teardown(altered, teardown),
		cmocka_unit_test_teardown(conflicts, teardown),
		cmocka_unit_test_teardown(shuffled_conflicts, teardown),
		cmocka_unit_test_teardown(live_claims_are_granted, teardown),
		cmocka_unit_test_teardown(every_lmc, teardown),
		cmocka_unit_test_teardown(enhanced_port0, teardown),
		cmocka_unit_test_teardown(too_many, teardown),
	};

	return cmocka_run_group_tests_name("sm/plan/lid", tests, NULL, NULL);
}
