/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_group_trees.c - the copy of all members: its order, what it says of each, and the trees that
 * are planned from it.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/registry/group_trees.h"
#include "tests/unit/registry/fixture.h"
#include "util/xalloc.h"

static struct fixture f;
static struct group_trees t;

static int
group_trees_setup(void **state)
{
	(void)state;
	fixture_make(&f);
	t = (struct group_trees){ .v = NULL };
	return 0;
}

static int
group_trees_teardown(void **state)
{
	(void)state;
	group_trees_clear(&t);
	fixture_clear(&f);
	return 0;
}

/* Host 'h' joins the n-th group; its MLID. */
static uint16_t
join(unsigned h, uint8_t group)
{
	const uint8_t mgid[16] = { 0xff, 0x18, [15] = group };
	uint16_t mlid;

	fixture_join(&f, h, mgid, &mlid);
	return mlid;
}

static void
make_trees(void)
{
	group_trees_clear(&t);
	group_trees_make(&t, f.reg.mcast, f.reg.alias, NULL);
}

static const struct group_tree *
tree_of(uint16_t mlid)
{
	for (uint32_t i = 0; i < t.n; i++)
		if (t.v[i].mlid == mlid)
			return &t.v[i];
	fail_msg("no tree of MLID 0x%x", mlid);
	return NULL;
}

static uint32_t
first_of(const struct group_tree *tree)
{
	return tree == t.v ? 0 : tree[-1].end;
}

/* The member with that GUID; NULL: the tree has none. */
static struct group_member *
member_of(uint16_t mlid, uint64_t guid)
{
	const struct group_tree *tree = tree_of(mlid);

	for (uint32_t i = first_of(tree); i < tree->end; i++)
		if (t.members[i].guid == guid)
			return &t.members[i];
	return NULL;
}

/* Whether the switch of host 'h' sends packets of 'mlid' out to it. */
static bool
leads_to(const struct mcast_plan *p, uint16_t mlid, unsigned h)
{
	uint8_t num = f.bed.s->ports[f.bed.s->ports[f.host[h]].peer].num;
	uint32_t row = mft_row_of((mlid - 0xc000u) / 32, num / 16u);
	const uint8_t *image = plan_mcast_row(p, fixture_leaf(&f, h), row);

	return image && wire_get16(image + mlid % 32u * 2u) >> num % 16 & 1;
}

static struct mcast_plan *
plan_trees(void)
{
	struct mcast_plan *p = plan_mcast_make(f.bed.s, NULL, &f.bed.plan.arena);

	group_trees_find(&t, f.bed.s);
	group_trees_plan(&t, p);
	return p;
}

static void
trees_are_in_the_order_of_mlids(void **state)
{
	uint16_t mlid[4];
	uint32_t first = 0;

	(void)state;
	for (unsigned g = 0; g < 4; g++)
		for (unsigned h = 0; h <= g; h++)
			mlid[3 - g] = join(h, (uint8_t)(9 - g));
	make_trees();
	assert_true(t.n >= 4);
	for (uint32_t i = 0; i < t.n; first = t.v[i++].end) {
		assert_true(i == 0 || t.v[i - 1].mlid < t.v[i].mlid);
		assert_true(first <= t.v[i].end);
	}
	assert_int_equal(first, t.nmembers);
	for (unsigned g = 0; g < 4; g++) {
		const struct group_tree *tree = tree_of(mlid[3 - g]);

		assert_int_equal(tree->end - first_of(tree), g + 1);
		for (unsigned h = 0; h < FIXTURE_HOSTS; h++) {
			bool found = member_of(tree->mlid, fixture_guid(&f, h));

			assert_int_equal(found, h <= g);
		}
	}
}

static void
a_copy_says_what_members_are(void **state)
{
	uint16_t mlid = join(1, 1);
	struct group_member *m;

	(void)state;
	make_trees();
	m = member_of(mlid, fixture_guid(&f, 1));
	assert_non_null(m);
	assert_true(m->hears);
	assert_false(m->inherited);
	assert_false(m->lacks_pkey);
	assert_int_equal(m->owner, 0);
	assert_int_equal(tree_of(mlid)->pkey, 0xffff);
	assert_false(tree_of(mlid)->inherited);
}

/* The job has its own members: joins that come later do not change them. */
static void
a_copy_does_not_follow_the_groups(void **state)
{
	uint16_t mlid = join(1, 1);
	uint32_t n;

	(void)state;
	make_trees();
	n = t.nmembers;
	join(2, 1);
	join(2, 2);
	assert_int_equal(t.nmembers, n);
	assert_null(member_of(mlid, fixture_guid(&f, 2)));
}

/* An alias is a member at the port that has it. */
static void
an_alias_is_reached_by_its_owner(void **state)
{
	enum { ALIAS = 0xa11a5 };
	const uint8_t mgid[16] = { 0xff, 0x18, [15] = 1 };
	uint16_t mlid;

	(void)state;
	assert_true(alias_put(f.reg.alias, fixture_guid(&f, 5), 1, ALIAS));
	fixture_join_as(&f, 5, ALIAS, mgid, &mlid);
	make_trees();
	assert_non_null(member_of(mlid, ALIAS));
	assert_int_equal(member_of(mlid, ALIAS)->owner, fixture_guid(&f, 5));
	assert_true(leads_to(plan_trees(), mlid, 5));
	assert_int_equal(tree_of(mlid)->beyond, 0);
}

static void
planned_trees_reach_all_members(void **state)
{
	uint16_t one = join(1, 1), two;
	struct mcast_plan *p;

	(void)state;
	join(6, 1);
	two = join(3, 2);
	join(4, 2);
	make_trees();
	p = plan_trees();
	for (unsigned h = 0; h < FIXTURE_HOSTS; h++) {
		assert_int_equal(leads_to(p, one, h), h == 1 || h == 6);
		assert_int_equal(leads_to(p, two, h), h == 3 || h == 4);
	}
	assert_int_equal(tree_of(one)->beyond, 0);
	assert_false(plan_mcast_has_changed(p));
}

/* A member whose port is not in the snapshot is left out; one that is cut off is counted. */
static void
members_beyond_the_tree_are_counted(void **state)
{
	uint16_t mlid = join(1, 1);
	struct mcast_plan *p;
	uint32_t leaf;

	(void)state;
	join(6, 1);
	leaf = f.bed.s->ports[f.bed.s->ports[f.host[6]].peer].node;
	for (unsigned i = 1; i <= f.bed.s->nodes[leaf].nports; i++) {
		struct fab_port *port = snapshot_port(f.bed.s, leaf, (uint8_t)i);

		if (port->peer == FAB_NONE ||
		    !fab_is_switch(&f.bed.s->nodes[f.bed.s->ports[port->peer].node]))
			continue;
		f.bed.s->ports[port->peer].peer = FAB_NONE;
		port->peer = FAB_NONE;
	}
	make_trees();
	p = plan_trees();
	assert_int_equal(tree_of(mlid)->beyond, 1);
	member_of(mlid, fixture_guid(&f, 6))->guid = 0xdead;
	p = plan_trees();
	assert_int_equal(tree_of(mlid)->beyond, 0);
	assert_false(leads_to(p, mlid, 6));
}

/* Members in any order, twice, unknown, with and without an owner: each has the port that a lookup finds. */
static void
ports_are_found(void **state)
{
	const struct snapshot *s = f.bed.s;
	uint32_t random = 3;

	(void)state;
	for (unsigned i = 0; i < 400; i++) {
		group_trees_clear(&t);
		t.nmembers = 1 + i % 40;
		t.members = xcalloc(t.nmembers, sizeof(*t.members));
		for (uint32_t k = 0; k < t.nmembers; k++) {
			struct group_member *r = &t.members[k];
			uint32_t end, sorted = k * s->nendports / t.nmembers;

			random = random * 1664525u + 1013904223u;
			end = i % 2 ? sorted : (random >> 8) % s->nendports;
			r->guid = s->ports[s->endports[end]].guid + (random >> 28 == 0) - (random >> 28 == 1);
			if (random >> 28 == 2)
				r->guid = k % 2 ? UINT64_MAX : 0;
			r->owner = random >> 27 & 1 ? s->ports[s->endports[(random >> 12) % s->nendports]].guid : 0;
		}
		group_trees_find(&t, s);
		for (uint32_t k = 0; k < t.nmembers; k++) {
			uint32_t want = snapshot_port_by_guid(s, t.members[k].guid);

			if (want == FAB_NONE && t.members[k].owner)
				want = snapshot_port_by_guid(s, t.members[k].owner);
			assert_int_equal(t.members[k].port, want);
		}
	}
}

/* The SA index with the table of host 'h', which holds 'key' only. */
static struct sa_index *
index_with_table(unsigned h, uint16_t key)
{
	struct fab_port *p = &f.bed.s->ports[f.host[h]];

	f.bed.s->pkey_blocks =
		arena_array(&f.bed.plan.arena, 1, sizeof(*f.bed.s->pkey_blocks));
	f.bed.s->npkey_blocks = 1;
	wire_put16(f.bed.s->pkey_blocks[0], key);
	p->pkeys = 0;
	p->flags |= FAB_PORT_PKEYS;
	return sa_index_new(&(struct sa_view){ .s = f.bed.s, .lids = &f.bed.plan.lids,
		.fwd = &f.bed.plan.fwd, .ready = true });
}

static void
a_port_lacks_a_key_only_if_its_table_was_read(void **state)
{
	struct sa_index *x = index_with_table(5, 0x8123);

	(void)state;
	assert_true(group_trees_port_lacks_pkey(f.bed.s, x, f.host[5], 0xffff));
	assert_false(group_trees_port_lacks_pkey(f.bed.s, x, f.host[5], 0x8123));
	assert_false(group_trees_port_lacks_pkey(f.bed.s, x, f.host[1], 0x8123));
	assert_false(group_trees_port_lacks_pkey(f.bed.s, x, FAB_NONE, 0x8123));
	sa_index_free(x);
}

static void
members_without_the_key_of_their_group_are_found(void **state)
{
	struct sa_index *x = index_with_table(5, 0x8123);
	uint16_t mlid = join(1, 1);

	(void)state;
	join(5, 1);
	make_trees();
	group_trees_check_pkeys(&t, f.bed.s, x);
	assert_int_equal(t.nlacking, 1);
	assert_true(member_of(mlid, fixture_guid(&f, 5))->lacks_pkey);
	assert_false(member_of(mlid, fixture_guid(&f, 1))->lacks_pkey);
	sa_index_free(x);
}

static void
a_cleared_copy_is_empty(void **state)
{
	(void)state;
	join(1, 1);
	make_trees();
	group_trees_clear(&t);
	assert_int_equal(t.n, 0);
	assert_int_equal(t.nmembers, 0);
	assert_null(t.v);
	assert_false(plan_mcast_has_changed(plan_trees()));
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, group_trees_setup, group_trees_teardown)
	const struct CMUnitTest tests[] = {
		T(trees_are_in_the_order_of_mlids),
		T(a_copy_says_what_members_are),
		T(a_copy_does_not_follow_the_groups),
		T(an_alias_is_reached_by_its_owner),
		T(planned_trees_reach_all_members),
		T(members_beyond_the_tree_are_counted),
		T(ports_are_found),
		T(a_port_lacks_a_key_only_if_its_table_was_read),
		T(members_without_the_key_of_their_group_are_found),
		T(a_cleared_copy_is_empty),
	};

	return cmocka_run_group_tests_name("sm/registry/group_trees", tests, NULL, NULL);
}
