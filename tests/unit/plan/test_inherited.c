/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_inherited.c - members from tables: the tree planned over them is the one that was found, and a tree
 * whatever was found.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/test.h"
#include "sm/plan/inherited.h"
#include "tests/unit/route/made.h"
#include "util/xalloc.h"

enum { MEMBERS_MAX = 64, MLIDS = 1024, STATE_DOWN = 1, STATE_INIT = 2 };

static struct snapshot *s;
static struct mcast_plan *plan;
static struct arena arena;
static uint32_t hosts[512], nhosts;

static void
bed_make(const char *spec)
{
	s = made_snapshot(spec, NULL);
	arena = (struct arena)ARENA_INIT;
	for (uint32_t i = 0; i < s->nswitches; i++) {
		struct fab_node *n = &s->nodes[s->switches[i]];
		struct switch_info si = switch_info_decode(n->switch_info);

		si.mft_cap = MLIDS;
		switch_info_encode(n->switch_info, &si);
		n->flags |= FAB_NODE_SWITCH_INFO;
	}
	plan = plan_mcast_make(s, NULL, &arena);
	nhosts = 0;
	for (uint32_t i = 0; i < s->nports && nhosts < 512; i++)
		if (!fab_is_switch(&s->nodes[s->ports[i].node]) && s->ports[i].peer != FAB_NONE)
			hosts[nhosts++] = i;
	s->sm_port = hosts[0];
	snapshot_seal(s);
}

static int
teardown(void **state)
{
	(void)state;
	arena_clear(&arena);
	made_free(s);
	return 0;
}

static struct mft_seen *
empty_tables(void)
{
	struct mft_seen *t = mft_seen_new();
	uint64_t *none = xcalloc(s->nswitches / 64 + 1, sizeof(*none));

	mft_seen_keep(t, s, none);
	free(none);
	return t;
}

/* What switches hold when the plan is written. */
static struct mft_seen *
tables_of(const struct mcast_plan *p)
{
	struct mft_seen *t = empty_tables();

	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		for (uint32_t b = 0; b < plan_mcast_blocks(p); b++)
			for (uint32_t k = 0; k < plan_mcast_positions(p, sw); k++) {
				const uint8_t *row = plan_mcast_row(p, sw, mft_row_of(b, k));

				if (row)
					mft_seen_put(t, s->nodes[s->switches[sw]].guid, mft_row_of(b, k), row);
			}
	return t;
}

static void
put_bit(struct mft_seen *t, uint32_t sw, uint16_t mlid, unsigned port)
{
	uint64_t guid = s->nodes[s->switches[sw]].guid;
	uint32_t i = mlid - MLID_FIRST, row = mft_row_of(i / MFT_BLOCK_MLIDS, port / MFT_POSITION_PORTS);
	const uint8_t *have = mft_seen_row(t, guid, row);
	uint8_t image[MFT_BLOCK_BYTES] = { 0 };

	if (have)
		memcpy(image, have, sizeof(image));
	wire_put16(image + i % MFT_BLOCK_MLIDS * 2,
		wire_get16(image + i % MFT_BLOCK_MLIDS * 2) | (uint16_t)(1u << port % MFT_POSITION_PORTS));
	mft_seen_put(t, guid, row, image);
}

static bool
bit(const struct mcast_plan *p, uint32_t sw, uint16_t mlid, unsigned port)
{
	uint32_t i = mlid - MLID_FIRST;
	const uint8_t *row = plan_mcast_row(p, sw, mft_row_of(i / MFT_BLOCK_MLIDS, port / MFT_POSITION_PORTS));

	return row && wire_get16(row + i % MFT_BLOCK_MLIDS * 2) >> port % MFT_POSITION_PORTS & 1;
}

/* The members of 'mlid' that 'h' has, planned; their number. */
static uint32_t
plan_inherited(struct mcast_plan *p, const struct inherited *h, uint16_t mlid)
{
	struct inherited_members l;
	struct mcast_leaf *leaves;

	inherited_members(h, mlid, &l);
	leaves = xcalloc((size_t)l.n + 1, sizeof(*leaves));
	for (uint32_t i = 0; i < l.n; i++)
		leaves[i] = (struct mcast_leaf){ snapshot_port_by_guid(s, l.v[i].port_guid), l.v[i].hears, true };
	assert_int_equal(plan_mcast_group(p, mlid, leaves, l.n), 0);
	free(leaves);
	free(l.v);
	return l.n;
}

/* Switches joined by ports with a bit, from one end or both: so many links between so many switches. */
static void
assert_tree(const struct mcast_plan *p, uint16_t mlid)
{
	uint32_t *part = xcalloc((size_t)s->nswitches + 1, sizeof(*part));

	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		part[sw] = sw;
	for (uint32_t sw = 0; sw < s->nswitches; sw++) {
		const struct fab_node *n = &s->nodes[s->switches[sw]];

		for (unsigned port = 1; port <= n->nports; port++) {
			uint32_t peer = s->ports[n->first_port + port].peer;
			uint32_t to = peer == FAB_NONE ? FAB_NONE : s->nodes[s->ports[peer].node].sw, old;

			if (to == FAB_NONE || !bit(p, sw, mlid, port))
				continue;
			if (to < sw && bit(p, to, mlid, s->ports[peer].num))
				continue;               /* seen from the other end */
			assert_true(part[to] != part[sw]);      /* else this link closes a cycle */
			old = part[to];
			for (uint32_t i = 0; i < s->nswitches; i++)
				if (part[i] == old)
					part[i] = part[sw];
		}
	}
	free(part);
}

/* Random groups with senders, written and found again: the plan is the same, byte for byte. */
static void
as_it_was(void **state)
{
	static const char *const specs[] = { "fattree:k=4,levels=3", "torus:4x4,hosts=2", "mesh:3x4,hosts=1", "fattree:k=36,levels=2" };
	uint32_t random = 7;

	(void)state;
	for (unsigned shape = 0; shape < 4; shape++) {
		struct mcast_plan *again;
		struct mft_seen *t;
		struct inherited *h;
		uint32_t rows = 0;

		bed_make(specs[shape]);
		for (uint16_t mlid = 0xc000; mlid < 0xc030; mlid++) {
			struct mcast_leaf m[MEMBERS_MAX];
			uint32_t n = made_random(&random) % 9;

			for (uint32_t i = 0; i < n; i++)
				m[i] = (struct mcast_leaf){ hosts[made_random(&random) % nhosts], made_random(&random) % 4 != 0, false };
			plan_mcast_group(plan, mlid, m, n);
		}
		h = inherited_new(tables_of(plan), s, MLIDS);
		again = plan_mcast_make(s, NULL, &arena);
		plan_mcast_prepare(again);
		for (uint16_t mlid = inherited_next(h, 0); mlid; mlid = inherited_next(h, mlid + 1u)) {
			plan_inherited(again, h, mlid);
			assert_tree(again, mlid);
		}
		t = tables_of(plan);
		for (uint32_t sw = 0; sw < s->nswitches; sw++)
			for (uint32_t b = 0; b < 2; b++)
				for (uint32_t k = 0; k < plan_mcast_positions(plan, sw); k++) {
					rows += plan_mcast_row(plan, sw, mft_row_of(b, k)) != NULL;
					if (plan_mcast_row(plan, sw, mft_row_of(b, k)))
						assert_false(plan_mcast_differs(again, t, sw, mft_row_of(b, k)));
				}
		assert_true(rows > 0);
		mft_seen_free(t);
		inherited_free(h);
		if (shape < 3)
			teardown(NULL);
	}
}

/* Tables full of random bits, also of ports that are not there: what is planned is a tree. */
static void
random_tables(void **state)
{
	uint32_t random = 3, members = 0;

	(void)state;
	bed_make("torus:4x4,hosts=2");
	plan_mcast_prepare(plan);
	for (unsigned round = 0; round < 50; round++) {
		struct mft_seen *t = empty_tables();
		struct inherited *h;

		for (unsigned i = 0; i < 200; i++)
			put_bit(t, made_random(&random) % s->nswitches, (uint16_t)(0xc000 + made_random(&random) % 40),
				made_random(&random) % 48);
		h = inherited_new(t, s, MLIDS);
		assert_in_range(inherited_count(h), 1, 40);
		for (uint16_t mlid = 0xc000; mlid < 0xc028; mlid++) {
			members += plan_inherited(plan, h, mlid);
			assert_tree(plan, mlid);
		}
		inherited_free(h);
	}
	assert_true(members > 1000);
}

static void
set_state(uint32_t port, uint8_t state)
{
	struct port_info info = port_info_decode(s->ports[port].info);

	info.state = state;
	port_info_patch(s->ports[port].info, &info);
	s->ports[port].flags |= FAB_PORT_INFO;
}

static uint32_t
count_members(const struct inherited *h, uint16_t mlid, uint32_t *hear)
{
	struct inherited_members l;

	inherited_members(h, mlid, &l);
	*hear = 0;
	for (uint32_t i = 0; i < l.n; i++)
		*hear += l.v[i].hears;
	free(l.v);
	return l.n;
}

/* A host that does not answer in one sweep is a member in the next; one whose link was down, or that is another, is not. */
static void
hosts_come_and_go(void **state)
{
	struct mft_seen *t;
	struct inherited *h;
	uint32_t down, other, hear, peer[3];

	(void)state;
	bed_make("fattree:k=4,levels=2");
	t = empty_tables();
	for (unsigned i = 0; i < 3; i++) {
		const struct fab_port *p;

		peer[i] = s->ports[hosts[i]].peer;
		p = &s->ports[peer[i]];
		put_bit(t, s->nodes[p->node].sw, 0xc005, p->num);
		put_bit(t, s->nodes[p->node].sw, 0xc006, p->num);
	}
	h = inherited_new(t, s, MLIDS);
	assert_int_equal(inherited_count(h), 2);
	assert_int_equal(count_members(h, 0xc005, &hear), 3);
	s->ports[peer[0]].peer = FAB_NONE;              /* no answer; its link is up */
	set_state(peer[0], STATE_INIT);
	inherited_look(h, s);
	count_members(h, 0xc005, &hear);
	assert_int_equal(hear, 3);
	s->ports[peer[0]].peer = hosts[0];
	down = peer[1];
	s->ports[down].peer = FAB_NONE;
	set_state(down, STATE_DOWN);
	inherited_look(h, s);
	s->ports[down].peer = hosts[1];
	set_state(down, STATE_INIT);
	inherited_look(h, s);
	count_members(h, 0xc005, &hear);
	assert_int_equal(hear, 2);
	other = peer[2];
	s->ports[other].peer = hosts[7];                /* another host is there now */
	inherited_look(h, s);
	s->ports[other].peer = hosts[2];
	inherited_look(h, s);
	count_members(h, 0xc005, &hear);
	assert_int_equal(hear, 1);
	inherited_release(h, s, 0xc005, hosts[0]);
	count_members(h, 0xc005, &hear);
	assert_int_equal(hear, 0);
	count_members(h, 0xc006, &hear);
	assert_int_equal(hear, 1);                      /* of that MLID only */
	inherited_release(h, s, 0xc007, hosts[0]);      /* nobody knows that one */
	inherited_free(h);
}

/* What is beyond the MLIDs that every switch has room for is not ours. */
static void
beyond_the_table(void **state)
{
	struct mft_seen *t;
	struct inherited *h;

	(void)state;
	bed_make("fattree:k=4,levels=2");
	t = empty_tables();
	put_bit(t, 0, 0xc000 + 40, 1);
	put_bit(t, 0, 0xc000 + 50, 1);
	h = inherited_new(t, s, 48);
	assert_int_equal(inherited_next(h, 0), 0xc000 + 40);
	assert_int_equal(inherited_next(h, 0xc000 + 41), 0);
	assert_false(inherited_has(h, 0xc000 + 50));
	assert_false(inherited_has(h, 1));
	inherited_free(h);
}

int
main(void)
{
#define T(name) cmocka_unit_test_teardown(name, teardown)
	const struct CMUnitTest tests[] = {
		T(as_it_was), T(random_tables), T(hosts_come_and_go), T(beyond_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
