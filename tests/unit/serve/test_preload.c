/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_preload.c - LD_PRELOAD: runtimes first, the shim, the rest.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/test.h"
#include "sim/serve/preload.h"

static void
sanitizers_come_first_and_the_shim_once(void **state)
{
	static const struct {
		const char *before, *after;
	} cases[] = {
		{ NULL, "/x/libheddle-umad.so" },
		{ "", "/x/libheddle-umad.so" },
		{ "/old/libheddle-umad.so", "/x/libheddle-umad.so" },
		{ "libfoo.so", "/x/libheddle-umad.so:libfoo.so" },
		{ "libfoo.so:/y/libasan.so.8:/old/libheddle-umad.so",
			"/y/libasan.so.8:/x/libheddle-umad.so:libfoo.so" },
		{ "libtsan.so.2 libfoo.so libtsan.so.2",
			"libtsan.so.2:/x/libheddle-umad.so:libfoo.so" },
		{ "/x/libheddle-umad.so:/x/libheddle-umad.so", "/x/libheddle-umad.so" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *v = preload_value("no-such-command", "/x/libheddle-umad.so", cases[i].before);

		assert_string_equal(v, cases[i].after);
		free(v);
	}
}

/* This program needs the runtime that everything was built with, if any; /bin/sh needs none. */
static void
a_guest_is_who_needs_no_runtime(void **state)
{
	bool sanitized = false;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	sanitized = true;
#elif defined(__SANITIZE_THREAD__)
	sanitized = true;
#endif
	assert_int_equal(preload_is_guest("/bin/sh", "/proc/self/exe"), sanitized);
	assert_int_equal(preload_is_guest("sh", "/proc/self/exe"), sanitized);
	assert_false(preload_is_guest("/proc/self/exe", "/proc/self/exe"));
	assert_false(preload_is_guest("/bin/sh", "/no/such/shim"));
	assert_false(preload_is_guest("no-such-command", "/proc/self/exe"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sanitizers_come_first_and_the_shim_once),
		cmocka_unit_test(a_guest_is_who_needs_no_runtime),
	};

	return cmocka_run_group_tests_name("preload", tests, NULL, NULL);
}
