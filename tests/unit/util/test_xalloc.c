/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_xalloc.c - allocation that cannot fail: contents, zeros, and the end where it would.
 */
#include <config.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "util/xalloc.h"

static void
contents(void **state)
{
	uint32_t *v = xcalloc(100, sizeof(*v));
	char *s = xstrdup("text"), *f = xasprintf("%s %d", "number", 7), *d = xmemdup("ab\0c", 4);

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(v[i], 0);
		v[i] = i;
	}
	v = xreallocarray(v, 1000, sizeof(*v));
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(v[i], i);
	assert_string_equal(s, "text");
	assert_string_equal(f, "number 7");
	assert_memory_equal(d, "ab\0c", 4);
	free(v);
	free(s);
	free(f);
	free(d);
}

static void
too_many(void)
{
	free(xreallocarray(NULL, SIZE_MAX / 4, 8));
}

/* A sanitizer ends the program itself when so much is asked for. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TOO_MUCH_ENDS_HERE 0
#else
#define TOO_MUCH_ENDS_HERE 1
#endif

static void
too_much(void)
{
	volatile size_t size = SIZE_MAX / 2;

	free(xmalloc(size));
}

static void
a_bug(void)
{
	bug("the test %d", 1);
}

static int
signal_of(void (*f)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		fclose(stderr);
		f();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void
aborts(void **state)
{
	(void)state;
	assert_int_equal(signal_of(too_many), SIGABRT);
	if (TOO_MUCH_ENDS_HERE)
		assert_int_equal(signal_of(too_much), SIGABRT);
	assert_int_equal(signal_of(a_bug), SIGABRT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contents),
		cmocka_unit_test(aborts),
	};

	return cmocka_run_group_tests_name("xalloc", tests, NULL, NULL);
}
