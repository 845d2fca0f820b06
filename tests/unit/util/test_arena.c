/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_arena.c - memory of a phase: zeroed, aligned, disjoint, and freed at once.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "util/arena.h"

enum { N = 2000 };

/* Requests of all sizes around those of a block: each one is zeroed and its own. */
static void
disjoint_and_zeroed(void **state)
{
	static unsigned char *v[N];
	static size_t sizes[N];
	struct arena a = ARENA_INIT;
	uint64_t rng = 88172645463325252u;

	(void)state;
	for (unsigned i = 0; i < N; i++) {
		rng ^= rng << 13, rng ^= rng >> 7, rng ^= rng << 17;
		sizes[i] = rng % (i % 50 ? 300 : 100000);
		v[i] = arena_alloc(&a, sizes[i]);
		assert_int_equal((uintptr_t)v[i] % 16, 0);
		for (size_t b = 0; b < sizes[i]; b++)
			assert_int_equal(v[i][b], 0);
		memset(v[i], (int)(i % 255 + 1), sizes[i]);
	}
	for (unsigned i = 0; i < N; i++)
		for (size_t b = 0; b < sizes[i]; b++)
			assert_int_equal(v[i][b], i % 255 + 1);
	assert_true(a.bytes > 0);
	arena_clear(&a);
	assert_int_equal(a.bytes, 0);
	assert_string_equal(arena_strdup(&a, "again"), "again");
	assert_memory_equal(arena_copy(&a, "abcdef", 3, 2), "abcdef", 6);
	assert_non_null(arena_copy(&a, NULL, 0, 8));
	arena_clear(&a);
}

/* A large request does not waste the room that is left in the block in front. */
static void
large_ones_apart(void **state)
{
	struct arena a = ARENA_INIT;
	char *before = arena_alloc(&a, 16), *after;
	size_t bytes;

	(void)state;
	arena_alloc(&a, 1 << 20);
	bytes = a.bytes;
	after = arena_alloc(&a, 16);
	assert_ptr_equal(after, before + 16);
	assert_int_equal(a.bytes, bytes);
	arena_clear(&a);
}

static void
arrays_grow(void **state)
{
	struct arena a = ARENA_INIT;
	uint32_t *v = NULL, *first = NULL, n = 0, cap = 0;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		v = arena_grow(&a, v, n, &cap, 4, sizeof(*v));
		assert_true(cap > n);
		v[n++] = i;
		if (i == 3)
			first = v;
	}
	assert_int_equal(cap, 1024);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(v[i], i);
	assert_ptr_not_equal(first, v);
	assert_int_equal(first[3], 3);          /* the old array is still there */
	arena_clear(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(disjoint_and_zeroed),
		cmocka_unit_test(large_ones_apart),
		cmocka_unit_test(arrays_grow),
	};

	return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
