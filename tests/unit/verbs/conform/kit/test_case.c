/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_case.c - lists of cases keep every row and own the texts that were made for them.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "util/xalloc.h"
#include "verbs/conform/cases/cases.h"

static void
keeps_rows_and_texts(void **state)
{
	struct conform_case c = { .needs = 3 };
	struct case_list l = { 0 };
	char name[32];

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		c.name = case_list_keep(&l, xasprintf("area/%u", i));
		c.value[0] = (long)i;
		case_list_add(&l, &c);
	}
	c.name = "changed after it was added";
	assert_int_equal(l.n, 2000);
	for (unsigned i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "area/%u", i);
		assert_string_equal(l.v[i].name, name);
		assert_int_equal(l.v[i].value[0], i);
		assert_int_equal(l.v[i].needs, 3);
	}
	case_list_clear(&l);
	assert_int_equal(l.n, 0);
	assert_null(l.v);
}

/* All cases of an area are neighbours, and no name occurs twice. */
static void
areas_are_together(void **state)
{
	struct case_list l;

	(void)state;
	cases_all(&l);
	assert_true(l.n > 1000);
	for (size_t i = 1; i < l.n; i++) {
		size_t length = strcspn(l.v[i].name, "/") + 1;
		bool apart = strncmp(l.v[i].name, l.v[i - 1].name, length);

		for (size_t j = 0; j < i; j++) {
			assert_string_not_equal(l.v[i].name, l.v[j].name);
			if (apart)
				assert_true(strncmp(l.v[i].name, l.v[j].name, length));
		}
	}
	case_list_clear(&l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(keeps_rows_and_texts),
		cmocka_unit_test(areas_are_together) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
