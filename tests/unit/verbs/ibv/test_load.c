/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_load.c - a library is loaded once; one that is missing or lacks a symbol is reported.
 */
#include <config.h>
#include <dlfcn.h>
#include <errno.h>
#include "tests/unit/test.h"
#include "verbs/ibv/load.h"

static size_t (*length)(const char *);
static void *nothing;

static void
loads_once(void **state)
{
	const struct load_symbol symbols[] = { { "strlen", (void **)&length } };
	const struct load_library l = { "libc.so.6", RTLD_NOW, "install it", symbols, 1 };
	void *handle = NULL, *first;
	char why[200] = "";

	(void)state;
	assert_int_equal(load_library(&l, &handle, why, sizeof(why)), 0);
	assert_non_null(handle);
	assert_int_equal(length("four"), 4);
	first = handle;
	length = NULL;
	assert_int_equal(load_library(&l, &handle, why, sizeof(why)), 0);
	assert_ptr_equal(handle, first);
	assert_null(length);                    /* the second call does nothing */
	dlclose(handle);
}

static void
failures(void **state)
{
	const struct load_symbol symbols[] = { { "heddle_has_no_such_symbol", &nothing } };
	const struct load_library missing = { "libheddle-none.so.9", RTLD_NOW, "install it",
		symbols, 1 };
	const struct load_library old = { "libc.so.6", RTLD_NOW, "install it", symbols, 1 };
	void *handle = NULL;
	char why[200];

	(void)state;
	assert_int_equal(load_library(&missing, &handle, why, sizeof(why)), -ENOENT);
	assert_non_null(strstr(why, "install it"));
	assert_int_equal(load_library(&old, &handle, why, sizeof(why)), -ENOENT);
	assert_non_null(strstr(why, "heddle_has_no_such_symbol"));
	assert_null(handle);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(loads_once),
		cmocka_unit_test(failures) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
