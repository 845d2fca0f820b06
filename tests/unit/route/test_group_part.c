/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_group_part.c - a group as a fabric of its own: LIDs, present entries, absent hosts, roots.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/route/group_part.h"
#include "tests/unit/route/grouped.h"
#include "util/bits.h"

static struct grouped x;
static struct group_part p;
static char why[256];

static int
teardown(void **state)
{
	(void)state;
	group_part_clear(&p);
	grouped_clear(&x);
	return 0;
}

static void
make_tree_and_torus(void)
{
	grouped_make(&x, "torus:3x3,hosts=1", "fattree:k=4,levels=2", 2);
	grouped_add_range(&x, "tree", "ftree", GROUPED_SECOND, UINT64_MAX);
}

static bool
make_part(void)
{
	group_part_clear(&p);
	return group_part_make(&p, &x.in, &x.groups.group[0], why, sizeof(why));
}

static void
lids_are_those_of_the_whole(void **state)
{
	uint32_t n = 0;

	(void)state;
	make_tree_and_torus();
	assert_true(make_part());
	assert_int_equal(p.s->nswitches, x.groups.group[0].n);
	assert_int_equal(p.lids.top, x.lids.top);
	for (uint32_t lid = 1; lid <= x.lids.top; lid++) {
		uint32_t port = p.lids.owner[lid];

		assert_int_equal(port != FAB_NONE, grouped_has_lid(&x, 0, lid));
		assert_int_equal(bits_test(p.lid, lid), port != FAB_NONE);
		if (port == FAB_NONE)
			continue;
		n++;
		assert_int_equal(p.lids.base[port], lid);
		assert_true(p.s->ports[port].guid == x.s->ports[x.lids.owner[lid]].guid);
	}
	assert_int_equal(n, p.s->nswitches + p.s->nhosts);
	for (uint32_t sw = 0; sw < p.s->nswitches; sw++)
		assert_true(p.s->nodes[p.s->switches[sw]].guid ==
			x.s->nodes[x.s->switches[p.whole_sw[sw]]].guid);
}

/* Entries of links that leave the group are unknown, as are those to LIDs outside. */
static void
present_entries_are_narrowed(void **state)
{
	struct fwd_tables was;
	uint32_t known = 0;

	(void)state;
	make_tree_and_torus();
	grouped_route_whole(&x, "minhop", &was);
	x.in.previous = &was;
	assert_true(make_part());
	assert_true(p.in.previous == &p.previous);
	for (uint32_t sw = 0; sw < p.s->nswitches; sw++)
		for (uint32_t lid = 1; lid <= x.lids.top; lid++) {
			uint8_t port = fwd_row(&p.previous, sw)[lid];

			if (port == FAB_LFT_DROP)
				continue;
			known++;
			assert_true(grouped_has_lid(&x, 0, lid));
			assert_int_equal(port, fwd_row(&was, p.whole_sw[sw])[lid]);
			assert_true(!port ||
				snapshot_port(p.s, p.s->switches[sw], port)->peer != FAB_NONE);
		}
	assert_true(known > 0);
}

static void
absent_hosts_of_the_group_stay(void **state)
{
	struct route_absent absent[2] = { { .lid = 40, .sw = 0, .port = 4 } };

	(void)state;
	make_tree_and_torus();
	absent[1] = (struct route_absent){ .lid = 41, .sw = x.s->nswitches - 1, .port = 3 };
	x.in.absent = absent;
	x.in.nabsent = 2;
	assert_true(make_part());
	assert_int_equal(p.in.nabsent, 1);
	assert_int_equal(p.in.absent[0].lid, 41);
	assert_int_equal(p.whole_sw[p.in.absent[0].sw], x.s->nswitches - 1);
	assert_true(bits_test(p.lid, 41) && !bits_test(p.lid, 40));
}

static void
options_of_the_whole_are_left_out(void **state)
{
	static const struct route_torus torus = { .ndims = 2 };
	uint64_t roots[2];

	(void)state;
	make_tree_and_torus();
	roots[0] = x.s->nodes[x.s->switches[0]].guid;
	roots[1] = x.groups.group[0].sw[0].guid;
	x.conf.roots = roots;
	x.conf.nroots = 2;
	x.conf.torus = &torus;
	x.conf.lash_start_vl = 3;
	assert_true(make_part());
	assert_true(p.in.conf->nroots == 1 && p.in.conf->roots[0] == roots[1]);
	assert_null(p.in.conf->torus);
	assert_null(p.in.conf->groups);
	assert_int_equal(p.in.conf->lash_start_vl, 0);
	assert_true(p.in.vls == 1 && !p.in.state && !p.in.no_sl2vl && !p.in.intended);
	x.conf.nroots = 1;
	assert_true(make_part());
	assert_true(p.in.conf->nroots == 0 && !p.in.conf->roots);
	x.in.conf = NULL;
	assert_true(make_part());
	assert_null(p.in.conf);
}

static void
a_part_must_be_in_one_piece(void **state)
{
	(void)state;
	make_tree_and_torus();
	x.groups.group[0].n = 0;
	grouped_add_switch(&x, 0, 0x1234);
	assert_false(make_part());
	assert_string_equal(why, "the fabric has none of its switches");
	grouped_add_switch(&x, 0, x.s->nodes[x.s->switches[0]].guid);
	assert_true(make_part());
	assert_int_equal(p.s->nswitches, 1);
	grouped_add_switch(&x, 0, x.s->nodes[x.s->switches[x.s->nswitches - 1]].guid);
	assert_false(make_part());
	assert_string_equal(why, "no links of its own connect its 2 switches, they are 2 pieces");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(lids_are_those_of_the_whole, teardown),
		cmocka_unit_test_teardown(present_entries_are_narrowed, teardown),
		cmocka_unit_test_teardown(absent_hosts_of_the_group_stay, teardown),
		cmocka_unit_test_teardown(options_of_the_whole_are_left_out, teardown),
		cmocka_unit_test_teardown(a_part_must_be_in_one_piece, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
