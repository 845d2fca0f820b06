/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_groups.c - tables of several engines: entries inside a group are those of its engine, all
 * others those of the engine of the whole fabric, and the verifier has the last word.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/route/group_part.h"
#include "sm/route/groups.h"
#include "tests/unit/route/grouped.h"
#include "util/bits.h"

#define ALL UINT64_MAX

static struct grouped x;
static struct groups_kept kept;

static int
teardown(void **state)
{
	(void)state;
	grouped_clear(&x);
	groups_kept_clear(&kept);
	return 0;
}

/* Entries inside each group are those of its engine for the part alone, the others those of
 * 'engine'. */
static void
assert_composed(const char *engine)
{
	struct fwd_tables own, f;
	uint32_t inside = 0;

	grouped_route_whole(&x, engine, &own);
	for (uint32_t g = 0; g < x.groups.n; g++) {
		struct group_part p;
		struct route_report r;
		char why[256];

		assert_true(group_part_make(&p, &x.in, &x.groups.group[g], why, sizeof(why)));
		assert_int_equal(route_find(x.groups.group[g].engine, why, sizeof(why))
					 ->run(&p.in, &x.arena, &f, &r),
			ROUTE_OK);
		for (uint32_t sw = 0; sw < f.nswitches; sw++)
			for (uint32_t lid = 1; lid <= x.lids.top; lid++) {
				if (!grouped_has_lid(&x, g, lid))
					continue;
				assert_int_equal(
					fwd_row(&x.f, p.whole_sw[sw])[lid], fwd_row(&f, sw)[lid]);
				inside++;
				fwd_row(&own, p.whole_sw[sw])[lid] = fwd_row(&f, sw)[lid];
			}
		group_part_clear(&p);
	}
	assert_true(inside > 0);
	for (uint32_t sw = 0; sw < own.nswitches; sw++)
		assert_memory_equal(fwd_row(&own, sw), fwd_row(&x.f, sw), x.lids.top + 1u);
}

static void
two_trees_have_an_engine_each(void **state)
{
	(void)state;
	grouped_make(&x, "fattree:k=4,levels=3", "fattree:k=4,levels=2", 2);
	grouped_add_range(&x, "a", "ftree", 0, GROUPED_SECOND);
	grouped_add_range(&x, "b", "updn", GROUPED_SECOND, ALL);
	assert_int_equal(grouped_route(&x, "updn", NULL), ROUTE_OK);
	assert_string_equal(x.r.groups.said, "group a: engine ftree; group b: engine updn");
	assert_true(x.r.groups.in_force == 3 && !x.r.groups.refused && !x.r.groups.hosts_only);
	assert_int_equal(x.v.unreachable + x.v.loops, 0);
	assert_composed("updn");
}

static void
one_tree_of_two_is_a_group(void **state)
{
	(void)state;
	grouped_make(&x, "fattree:k=4,levels=3", "fattree:k=4,levels=3", 2);
	grouped_add_range(&x, "b", "ftree", GROUPED_SECOND, ALL);
	assert_int_equal(grouped_route(&x, "updn", NULL), ROUTE_OK);
	assert_int_equal(x.r.groups.in_force, 1);
	assert_true(x.v.ok);
	assert_composed("updn");
	assert_int_equal(groups_scope(x.whole, &x.r.groups), VERIFY_ALL);
}

static void
a_torus_and_a_tree(void **state)
{
	(void)state;
	grouped_make(&x, "torus:4x4,hosts=1", "fattree:k=4,levels=3", 1);
	grouped_add_range(&x, "tree", "ftree", GROUPED_SECOND, ALL);
	assert_int_equal(grouped_route(&x, "nue", NULL), ROUTE_OK);
	assert_int_equal(x.r.groups.in_force, 1);
	assert_true(x.v.ok);
	assert_composed("nue");
	x.groups.n = 0;
	grouped_add_range(&x, "torus", "nue", 0, GROUPED_SECOND);
	assert_int_equal(grouped_route(&x, "updn", NULL), ROUTE_OK);
	/* paths of nue inside and those of updn through the torus may wait for each other */
	assert_int_equal(x.v.unreachable + x.v.loops, 0);
	assert_composed("updn");
}

static void
an_engine_for_hosts_narrows_the_scope(void **state)
{
	(void)state;
	grouped_make(&x, "fattree:k=4,levels=3", "fattree:k=4,levels=2", 1);
	grouped_add_range(&x, "b", "minhop", GROUPED_SECOND, ALL);
	assert_int_equal(grouped_route(&x, "updn", NULL), ROUTE_OK);
	assert_true(x.r.groups.hosts_only);
	assert_int_equal(groups_scope(x.whole, &x.r.groups), VERIFY_HOSTS);
	assert_true(x.v.ok);
	assert_composed("updn");
}

/* Without groups these are the tables of the engine. */
static void
no_group_changes_nothing(void **state)
{
	struct fwd_tables own;

	(void)state;
	grouped_make(&x, "fattree:k=4,levels=3", NULL, 0);
	assert_false(groups_configured(&x.in));
	assert_int_equal(grouped_route(&x, "updn", NULL), ROUTE_OK);
	grouped_route_whole(&x, "updn", &own);
	assert_memory_equal(own.port, x.f.port, (size_t)own.stride * own.nswitches);
	assert_string_equal(x.r.groups.said, "");
}

/* The tables of group 0 are the whole fabric's; x.r.groups.said has this. */
static void
assert_whole(const char *engine, const char *said)
{
	struct fwd_tables own;

	assert_int_equal(grouped_route(&x, engine, NULL), ROUTE_OK);
	assert_true(x.v.ok);
	grouped_route_whole(&x, engine, &own);
	assert_memory_equal(own.port, x.f.port, (size_t)own.stride * own.nswitches);
	assert_int_equal(x.r.groups.in_force, 0);
	assert_int_equal(x.r.groups.refused, x.groups.n);
	if (!strstr(x.r.groups.said, said))
		fail_msg("%s", x.r.groups.said);
}

static void
an_unconnected_group_is_refused(void **state)
{
	uint32_t g;

	(void)state;
	grouped_make(&x, "torus:6,hosts=1", NULL, 0);
	g = grouped_add(&x, "odd", "updn");
	grouped_add_switch(&x, g, x.s->nodes[x.s->switches[0]].guid);
	grouped_add_switch(&x, g, x.s->nodes[x.s->switches[3]].guid);
	assert_whole("updn",
		"group odd is not in force: no links of its own connect its 2 switches, "
		"they are 2 pieces");
	/* The others stay in force. */
	g = grouped_add(&x, "even", "updn");
	grouped_add_switch(&x, g, x.s->nodes[x.s->switches[1]].guid);
	grouped_add_switch(&x, g, x.s->nodes[x.s->switches[2]].guid);
	assert_int_equal(grouped_route(&x, "updn", NULL), ROUTE_OK);
	assert_true(x.r.groups.in_force == 2 && x.r.groups.refused == 1);
	assert_non_null(strstr(x.r.groups.said, "; group even: engine updn"));
}

static void
lanes_are_refused(void **state)
{
	(void)state;
	grouped_make(&x, "torus:5x5,hosts=1", "fattree:k=4,levels=2", 1);
	grouped_add_range(&x, "torus", "torus-2QoS", 0, GROUPED_SECOND);
	assert_whole("updn", "group torus is not in force: engine torus-2qos ");
	x.groups.n = 0;
	grouped_add_range(&x, "torus", "dfsssp", 0, GROUPED_SECOND);
	assert_whole("updn", "group torus is not in force: engine dfsssp ");
	x.groups.n = 0;
	grouped_add_range(&x, "tree", "ftree", GROUPED_SECOND, ALL);
	assert_int_equal(grouped_route(&x, "dfsssp", NULL), ROUTE_OK);
	assert_non_null(x.f.lanes);
	assert_int_equal(x.r.groups.in_force, 0);
	assert_string_equal(x.r.groups.said,
		"group tree is not in force: "
		"engine dfsssp of the whole fabric uses 8 VLs, and groups have one");
	assert_true(x.v.ok);
}

static void
other_groups_that_cannot_be(void **state)
{
	uint32_t g;

	(void)state;
	grouped_make(&x, "torus:5x5,hosts=1", NULL, 0);
	g = grouped_add(&x, "gone", "updn");
	grouped_add_switch(&x, g, 0x1234);
	assert_whole("updn", "group gone is not in force: the fabric has none of its switches");
	x.groups.n = 0;
	grouped_add_range(&x, "torus", "ftree", 0, ALL);
	assert_whole("updn", "group torus is not in force: engine ftree refuses: SHAPE: ");
	x.groups.n = 0;
	grouped_add_range(&x, "torus", "none", 0, ALL);
	assert_whole("updn", "group torus is not in force: there is no routing engine \"none\"");
}

static void
a_refusal_of_the_whole_is_one_of_all(void **state)
{
	(void)state;
	grouped_make(&x, "torus:5x5,hosts=1", "fattree:k=4,levels=2", 1);
	grouped_add_range(&x, "tree", "ftree", GROUPED_SECOND, ALL);
	assert_int_equal(grouped_route(&x, "ftree", &kept), ROUTE_SHAPE);
	assert_null(x.f.port);
	assert_int_equal(kept.n, 0);
}

static void
what_the_caller_refuses_is_said(void **state)
{
	(void)state;
	grouped_make(&x, "torus:6,hosts=1", NULL, 0);
	grouped_add(&x, "a", "updn");
	grouped_add(&x, "b", "updn");
	x.r.groups = (struct route_groups){ .in_force = 2, .refused = 1, .hosts_only = true };
	groups_refuse(&x.groups, &x.r.groups, "1 credit loop");
	assert_string_equal(x.r.groups.said, "group b is not in force: 1 credit loop");
	assert_true(!x.r.groups.in_force && x.r.groups.refused == 2 && !x.r.groups.hosts_only);
	groups_refuse(&x.groups, &x.r.groups, "2 VLs");
	assert_string_equal(x.r.groups.said, "groups a, b are not in force: 2 VLs");
}

/* ---- nothing moves without need ---- */

/* Entries that differ from those of 'was', which it becomes. */
static uint32_t
count_moved(struct fwd_tables *was)
{
	uint32_t n = 0;

	for (uint32_t sw = 0; sw < was->nswitches; sw++)
		for (uint32_t lid = 1; lid <= x.lids.top; lid++)
			n += fwd_row(was, sw)[lid] != fwd_row(&x.f, sw)[lid];
	*was = x.f;
	return n;
}

/* Routes thrice from what is in force: nothing moves. */
static void
assert_still(const char *engine, bool keep)
{
	struct fwd_tables was = x.f;

	for (unsigned turn = 0; turn < 3; turn++) {
		uint32_t n;

		x.in.previous = &was;
		assert_int_equal(grouped_route(&x, engine, keep ? &kept : NULL), ROUTE_OK);
		n = count_moved(&was);
		if (n)
			fail_msg("%s with group %s%s: %u entries move", engine,
				x.groups.group[0].engine, keep ? "" : ", after a restart", n);
	}
	x.in.previous = NULL;
}

/* The fabric that is routed by 'whole', with a group that 'engine' routes.  Whether the verifier
 * accepts it: all of it holds still. */
static bool
holds_still(const char *group, uint32_t joins, const char *whole, const char *engine)
{
	grouped_make(&x, "random:switches=14,cables=26,hosts=2,seed=4", group, joins);
	groups_kept_clear(&kept);
	grouped_add_range(&x, "b", engine, GROUPED_SECOND, ALL);
	if (grouped_route(&x, whole, &kept) != ROUTE_OK)
		return false;
	assert_true(x.v.unreachable == 0 && x.v.loops == 0);
	assert_still(whole, true);
	if (x.v.ok && x.r.groups.in_force)
		assert_still(whole, false);
	return x.v.ok && x.r.groups.in_force;
}

static void
again_moves_nothing(void **state)
{
	static const char *const engines[] = { "updn", "nue", "sssp", "minhop", "dnup", "ftree" };
	static const char tree[] = "fattree:k=4,levels=3";
	static const char mesh[] = "random:switches=10,cables=16,hosts=2,seed=9";
	unsigned accepted[5] = { 0 };

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		for (unsigned k = 0; k < 6; k++) {
			holds_still(mesh, 2, engines[i], engines[k]);
			accepted[i] += holds_still(tree, 1, engines[i], engines[k]);
			accepted[i] += holds_still(tree, 2, engines[i], engines[k]);
		}
	assert_int_equal(accepted[0], 12); /* updn */
	assert_true(accepted[1] >= 6); /* nue */
}

/* What an engine finds as its own is what it made, though groups replaced some of it. */
static void
own_entries_are_kept(void **state)
{
	struct fwd_tables own;

	(void)state;
	grouped_make(&x, "random:switches=20,cables=40,hosts=2,seed=3", "fattree:k=4,levels=3", 2);
	grouped_add_range(&x, "b", "ftree", GROUPED_SECOND, ALL);
	assert_int_equal(grouped_route(&x, "nue", &kept), ROUTE_OK);
	grouped_route_whole(&x, "nue", &own);
	assert_string_equal(kept.engine, "nue");
	assert_int_equal(kept.n, x.groups.group[0].n);
	for (uint32_t i = 0; i < kept.n; i++) {
		uint32_t sw = x.s->nodes[snapshot_node_by_guid(x.s, kept.row[i].guid)].sw;

		assert_memory_equal(kept.row[i].own, fwd_row(&own, sw), own.stride);
		assert_memory_equal(kept.row[i].made, fwd_row(&x.f, sw), own.stride);
	}
}

/* A link between switches of the group, which has others. */
static uint32_t
inner_link(uint32_t nth)
{
	for (uint32_t i = 0; i < x.s->nports; i++) {
		const struct fab_port *p = &x.s->ports[i];
		uint32_t a = x.s->nodes[p->node].sw, b;

		if (a == FAB_NONE || p->peer == FAB_NONE || p->peer < i)
			continue;
		b = x.s->nodes[x.s->ports[p->peer].node].sw;
		if (b != FAB_NONE && grouped_has_switch(&x, 0, a) && grouped_has_switch(&x, 0, b) &&
			!nth--)
			return i;
	}
	fail_msg("no such link");
	return FAB_NONE;
}

/* A lost link inside the group moves few entries, and its return brings them back: what is
 * intended stays. */
static void
a_loss_inside_moves_little(void **state)
{
	struct intended *t;
	struct fwd_tables was, first;
	uint32_t port, peer, moved;

	(void)state;
	grouped_make(&x, "torus:4x4,hosts=1", "fattree:k=6,levels=3", 1);
	grouped_add_range(&x, "tree", "ftree", GROUPED_SECOND, ALL);
	t = intended_learn(x.s, NULL);
	x.in.intended = t;
	assert_int_equal(grouped_route(&x, "nue", &kept), ROUTE_OK);
	assert_int_equal(x.r.groups.in_force, 1);
	was = first = x.f;
	port = inner_link(3);
	peer = x.s->ports[port].peer;
	grouped_unplug(&x, port);
	x.in.previous = &was;
	assert_int_equal(grouped_route(&x, "nue", &kept), ROUTE_OK);
	assert_int_equal(x.r.groups.in_force, 1);
	assert_true(x.v.ok);
	moved = count_moved(&was);
	if (moved > x.s->nswitches * x.lids.top / 20)
		fail_msg("%u entries of %u move", moved, x.s->nswitches * x.lids.top);
	x.s->ports[port].peer = peer;
	x.s->ports[peer].peer = port;
	assert_int_equal(grouped_route(&x, "nue", &kept), ROUTE_OK);
	assert_true(x.v.ok);
	for (uint32_t sw = 0; sw < first.nswitches; sw++)
		for (uint32_t lid = 1; lid <= x.lids.top; lid++)
			if (grouped_has_switch(&x, 0, sw) && grouped_has_lid(&x, 0, lid))
				assert_int_equal(fwd_row(&first, sw)[lid], fwd_row(&x.f, sw)[lid]);
	intended_free(t);
}

/* ---- any groups ---- */

static uint32_t
next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Adds a connected group of up to 'most' switches that are in no group yet. */
static void
add_random_group(
	const char *name, const char *engine, uint64_t *taken, uint32_t most, uint32_t *seed)
{
	uint32_t at = next_random(seed) % x.s->nswitches, n = 0, queue[64], end = 0, g;

	if (bits_test(taken, at))
		return;
	g = grouped_add(&x, name, engine);
	bits_set(taken, at);
	queue[end++] = at;
	while (n < end && n < most) {
		const struct fab_node *k = &x.s->nodes[x.s->switches[queue[n++]]];

		grouped_add_switch(&x, g, k->guid);
		for (unsigned p = 1; p <= k->nports && end < most; p++) {
			uint32_t peer = x.s->ports[k->first_port + p].peer, to;

			to = peer == FAB_NONE ? FAB_NONE : x.s->nodes[x.s->ports[peer].node].sw;
			if (to == FAB_NONE || bits_test(taken, to) || next_random(seed) % 4 == 0)
				continue;
			bits_set(taken, to);
			queue[end++] = to;
		}
	}
}

/* Tables with groups are verified or have credit loops; no packet is lost or runs in circles. */
static void
any_group_is_legal_or_refused(void **state)
{
	static const char *const engines[] = { "updn", "minhop", "nue" };
	static const char *const names[] = { "a", "b", "c" };
	uint32_t seed = 1, passed = 0, in_force = 0;
	char spec[96];

	(void)state;
	for (uint32_t i = 0; i < 60; i++) {
		uint32_t n = 8 + next_random(&seed) % 20;
		uint64_t taken[1] = { 0 };

		snprintf(spec, sizeof(spec), "random:switches=%u,cables=%u,hosts=%u,seed=%u", n,
			n - 1 + next_random(&seed) % n, 1 + i % 2, i + 1);
		grouped_make(&x, spec, NULL, 0);
		for (unsigned k = 0; k < 1 + i % 3; k++)
			add_random_group(names[k], engines[next_random(&seed) % 3], taken,
				2 + next_random(&seed) % 10, &seed);
		assert_int_equal(grouped_route(&x, engines[i / 3 % 3], NULL), ROUTE_OK);
		if (x.v.unreachable || x.v.loops)
			fail_msg("%s: %llu unreachable, %llu loops (%s)", spec,
				(unsigned long long)x.v.unreachable, (unsigned long long)x.v.loops,
				x.r.groups.said);
		assert_int_equal(
			(uint32_t)__builtin_popcountll(x.r.groups.in_force) + x.r.groups.refused,
			x.groups.n);
		passed += x.v.ok;
		in_force += x.r.groups.in_force != 0;
	}
	assert_true(in_force > 50);
	assert_true(passed > 20);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(two_trees_have_an_engine_each, teardown),
		cmocka_unit_test_teardown(one_tree_of_two_is_a_group, teardown),
		cmocka_unit_test_teardown(a_torus_and_a_tree, teardown),
		cmocka_unit_test_teardown(an_engine_for_hosts_narrows_the_scope, teardown),
		cmocka_unit_test_teardown(no_group_changes_nothing, teardown),
		cmocka_unit_test_teardown(an_unconnected_group_is_refused, teardown),
		cmocka_unit_test_teardown(lanes_are_refused, teardown),
		cmocka_unit_test_teardown(other_groups_that_cannot_be, teardown),
		cmocka_unit_test_teardown(a_refusal_of_the_whole_is_one_of_all, teardown),
		cmocka_unit_test_teardown(what_the_caller_refuses_is_said, teardown),
		cmocka_unit_test_teardown(again_moves_nothing, teardown),
		cmocka_unit_test_teardown(own_entries_are_kept, teardown),
		cmocka_unit_test_teardown(a_loss_inside_moves_little, teardown),
		cmocka_unit_test_teardown(any_group_is_legal_or_refused, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
