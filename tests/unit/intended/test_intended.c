/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_intended.c - lookups in an intended topology.
 */
#include <config.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "sm/intended/intended.h"
#include "util/xalloc.h"

static void
finds_what_is_there_and_nothing_else(void **state)
{
	struct intended *t = xcalloc(1, sizeof(*t));

	(void)state;
	t->nsw = 3;
	t->sw = arena_array(&t->arena, t->nsw, sizeof(*t->sw));
	t->nhosts = 2;
	t->hosts = arena_array(&t->arena, t->nhosts, sizeof(*t->hosts));
	for (uint32_t i = 0; i < t->nsw; i++)
		t->sw[i].guid = 10 * (i + 1);
	for (uint32_t i = 0; i < t->nhosts; i++)
		t->hosts[i].guid = UINT64_MAX - 1 + i;
	for (uint32_t i = 0; i < t->nsw; i++)
		assert_int_equal(intended_switch_find(t, 10 * (i + 1)), i);
	assert_int_equal(intended_switch_find(t, 0), INTENDED_NONE);
	assert_int_equal(intended_switch_find(t, 15), INTENDED_NONE);
	assert_int_equal(intended_switch_find(t, 31), INTENDED_NONE);
	assert_int_equal(intended_host_find(t, UINT64_MAX), 1);
	assert_int_equal(intended_host_find(t, UINT64_MAX - 1), 0);
	assert_int_equal(intended_host_find(t, 0), INTENDED_NONE);
	intended_free(t);
	intended_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_is_there_and_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
