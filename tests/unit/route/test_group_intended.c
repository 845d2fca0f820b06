/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_group_intended.c - the intended topology of a group is that of the group alone.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/route/group_intended.h"
#include "sm/route/group_part.h"
#include "tests/unit/route/grouped.h"

static struct grouped x;
static struct intended *whole, *got;
static const struct route_conf none;

static int
teardown(void **state)
{
	(void)state;
	intended_free(whole);
	intended_free(got);
	whole = got = NULL;
	grouped_clear(&x);
	return 0;
}

static void
make_fabric(void)
{
	grouped_make(&x, "torus:3x3,hosts=1", "fattree:k=4,levels=3", 2);
	grouped_add_range(&x, "tree", "ftree", GROUPED_SECOND, UINT64_MAX);
	whole = intended_learn(x.s, NULL);
	assert_non_null(whole);
}

/* As if the group had been swept alone. */
static void
a_group_is_learned_alone(void **state)
{
	struct group_part p;
	struct intended *alone;
	char why[256];

	(void)state;
	make_fabric();
	got = group_intended_make(whole, &x.groups.group[0], &none);
	assert_non_null(got);
	assert_true(group_part_make(&p, &x.in, &x.groups.group[0], why, sizeof(why)));
	alone = intended_learn(p.s, NULL);
	assert_int_equal(got->nsw, alone->nsw);
	assert_int_equal(got->nlinks, alone->nlinks);
	assert_int_equal(got->nhosts, alone->nhosts);
	assert_true(intended_switches_equal(got->sw, alone->sw, got->nsw));
	assert_true(intended_links_equal(got->links, alone->links, got->nlinks));
	assert_true(intended_hosts_equal(got->hosts, alone->hosts, got->nhosts));
	intended_free(alone);
	group_part_clear(&p);
}

static void
kinds_of_hosts_stay(void **state)
{
	uint32_t io = 0;

	(void)state;
	make_fabric();
	for (uint32_t i = 0; i < whole->nhosts; i++)
		whole->hosts[i].kind = i % 3 ? INTENDED_COMPUTE : INTENDED_IO;
	got = group_intended_make(whole, &x.groups.group[0], &none);
	for (uint32_t i = 0; i < got->nhosts; i++) {
		uint32_t k = intended_host_find(whole, got->hosts[i].guid);

		assert_int_equal(got->hosts[i].kind, whole->hosts[k].kind);
		io += got->hosts[i].kind == INTENDED_IO;
	}
	assert_true(io > 0 && io < got->nhosts);
}

static void
what_is_not_intended_has_none(void **state)
{
	(void)state;
	make_fabric();
	x.groups.group[0].n = 0;
	grouped_add_switch(&x, 0, 0x1234);
	assert_null(group_intended_make(whole, &x.groups.group[0], &none));
	grouped_add_switch(&x, 0, whole->sw[0].guid);
	got = group_intended_make(whole, &x.groups.group[0], &none);
	assert_true(got && got->nsw == 1);
	/* two switches that no link of the two joins */
	grouped_add_switch(&x, 0, whole->sw[whole->nsw - 1].guid);
	assert_null(group_intended_make(whole, &x.groups.group[0], &none));
}

static void
roots_are_taken(void **state)
{
	uint64_t root;
	struct route_conf c = { .roots = &root, .nroots = 1 };

	(void)state;
	make_fabric();
	root = x.groups.group[0].sw[0].guid;
	got = group_intended_make(whole, &x.groups.group[0], &c);
	assert_string_equal(got->root_rule, "given");
	assert_int_equal(got->sw[intended_switch_find(got, root)].rank, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_group_is_learned_alone, teardown),
		cmocka_unit_test_teardown(kinds_of_hosts_stay, teardown),
		cmocka_unit_test_teardown(what_is_not_intended_has_none, teardown),
		cmocka_unit_test_teardown(roots_are_taken, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
