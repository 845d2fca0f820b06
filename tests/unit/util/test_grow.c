/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_grow.c - arrays that grow: what is in them stays, capacities double, and overflow ends the program.
 */
#include <config.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "util/grow.h"

static void
elements_stay(void **state)
{
	uint32_t *v = NULL, n = 0, cap = 0, moves = 0;

	(void)state;
	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t before = cap;

		GROW(v, n, cap, 16);
		assert_true(cap > n);
		if (cap != before) {
			assert_int_equal(cap, before ? before * 2 : 16);
			moves++;
		}
		v[n++] = i * 7;
	}
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(v[i], i * 7);
	assert_int_equal(moves, 14);            /* 16 x 2^13 is the first that is enough */
	free(v);
}

static void
many_at_once(void **state)
{
	uint64_t *v = NULL;
	size_t cap = 0;

	(void)state;
	GROW_TO(v, 0, cap, 4);
	assert_null(v);
	GROW_TO(v, 1, cap, 4);
	assert_int_equal(cap, 4);
	GROW_TO(v, 4, cap, 4);
	assert_int_equal(cap, 4);
	GROW_TO(v, 1000, cap, 4);
	assert_int_equal(cap, 1024);
	v[999] = 1;
	GROW_TO(v, 3, cap, 4);
	assert_int_equal(cap, 1024);
	free(v);
}

/* The capacity never passes what its type holds. */
static void
small_types(void **state)
{
	uint8_t *v = NULL, cap = 0;

	(void)state;
	GROW_TO(v, 1, cap, 100);
	assert_int_equal(cap, 100);
	GROW_TO(v, 101, cap, 100);
	assert_int_equal(cap, 200);
	GROW_TO(v, 201, cap, 100);
	assert_int_equal(cap, 255);
	free(v);
	assert_int_equal(grow_capacity(0, 1, 1000, 255), 255);
	assert_int_equal(grow_capacity(SIZE_MAX / 2 + 1, SIZE_MAX, 16, SIZE_MAX), SIZE_MAX);
}

static void
past_the_type(void)
{
	uint8_t *v = NULL, cap = 255;

	GROW_TO(v, 256, cap, 1);
}

static void
past_memory(void)
{
	uint64_t *v = NULL;
	size_t cap = 0;

	GROW_TO(v, SIZE_MAX / 4, cap, 1);
}

/* How a process that does that ends. */
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
overflow_aborts(void **state)
{
	(void)state;
	assert_int_equal(signal_of(past_the_type), SIGABRT);
	assert_int_equal(signal_of(past_memory), SIGABRT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_stay),
		cmocka_unit_test(many_at_once),
		cmocka_unit_test(small_types),
		cmocka_unit_test(overflow_aborts),
	};

	return cmocka_run_group_tests_name("grow", tests, NULL, NULL);
}
