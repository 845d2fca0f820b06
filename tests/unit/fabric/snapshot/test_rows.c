/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_rows.c - memory of tables that several hold: zeroed, aligned, there until the last lets go.
 */
#include <config.h>
#include <pthread.h>
#include "tests/unit/test.h"
#include "fabric/snapshot/rows.h"

static void
holds(void **state)
{
	struct fwd_rows *r = fwd_rows_new(1000);

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(fwd_rows_bytes(r)[i], 0);
	assert_int_equal((uintptr_t)fwd_rows_bytes(r) % 16, 0);
	assert_false(fwd_rows_shared(r));
	assert_ptr_equal(fwd_rows_hold(r), r);
	assert_true(fwd_rows_shared(r));
	fwd_rows_hold(r);
	fwd_rows_drop(r);
	assert_true(fwd_rows_shared(r));
	fwd_rows_drop(r);
	assert_false(fwd_rows_shared(r));
	fwd_rows_bytes(r)[999] = 7;                     /* still there, and ours to write */
	assert_int_equal(fwd_rows_bytes(r)[999], 7);
	fwd_rows_drop(r);
}

static void
nothing(void **state)
{
	struct fwd_rows *r = fwd_rows_new(0);

	(void)state;
	assert_non_null(fwd_rows_bytes(r));
	fwd_rows_drop(r);
	assert_null(fwd_rows_hold(NULL));
	fwd_rows_drop(NULL);
}

static void *
hold_and_drop(void *arg)
{
	for (unsigned i = 0; i < 20000; i++)
		fwd_rows_drop(fwd_rows_hold(arg));
	return NULL;
}

/* Holders on several threads: no hold is lost, none is counted twice. */
static void
threads(void **state)
{
	struct fwd_rows *r = fwd_rows_new(64);
	pthread_t t[4];

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, hold_and_drop, r), 0);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(pthread_join(t[i], NULL), 0);
	assert_false(fwd_rows_shared(r));
	fwd_rows_drop(r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holds), cmocka_unit_test(nothing), cmocka_unit_test(threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
