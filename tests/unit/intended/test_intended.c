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

/* Members count, the bytes between them do not. */
static void
equal_by_member(void **state)
{
	struct intended_switch x, y;
	struct intended_link l, m;
	struct intended_host h, i;

	(void)state;
	memset(&x, 0x11, sizeof(x));
	memset(&y, 0x22, sizeof(y));
	x.guid = y.guid = x.system_guid = y.system_guid = 5;
	x.rank = y.rank = 1;
	x.nports = y.nports = 4;
	x.plane = y.plane = x.divider = y.divider = x.leaf = y.leaf = 3;
	assert_true(intended_switches_equal(&x, &y, 1));
	y.leaf++;
	assert_false(intended_switches_equal(&x, &y, 1));
	assert_true(intended_switches_equal(&x, &y, 0));
	memset(&l, 0x11, sizeof(l));
	memset(&m, 0x22, sizeof(m));
	l.a = m.a = l.b = m.b = 7;
	l.aport = m.aport = l.bport = m.bport = 2;
	assert_true(intended_links_equal(&l, &m, 1));
	m.bport++;
	assert_false(intended_links_equal(&l, &m, 1));
	memset(&h, 0x11, sizeof(h));
	memset(&i, 0x22, sizeof(i));
	h.guid = i.guid = h.sw = i.sw = h.id = i.id = 9;
	h.port = i.port = h.kind = i.kind = 1;
	assert_true(intended_hosts_equal(&h, &i, 1));
	i.id++;
	assert_false(intended_hosts_equal(&h, &i, 1));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_is_there_and_nothing_else),
		cmocka_unit_test(equal_by_member),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
