/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_verdict.c - verdicts on outcomes, given known deviations.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "verbs/conform/verdict.h"

static const struct conform_deviation rows[] = {
	{ "error/a*", "rxe", KERNEL(6, 1), KERNEL(6, 12), "sender LOC_*", "seen on 6.1", false },
	{ "error/a*", "rxe", KERNEL(6, 12), KERNEL_ANY, "sender WR_FLUSH_ERR", "seen on 6.12",
		false },
	{ "mw/blocks", "rxe", 0, KERNEL_ANY, NULL, "it never comes back", false },
	{ "timing/a", "rxe", 0, KERNEL_ANY, "early*", "it depends", true },
};

#define ROWS (sizeof(rows) / sizeof(*rows))

static struct conform_verdict
verdict_of(const char *name, const char *provider, unsigned kernel, const char *got)
{
	const struct conform_outcome o = { name, provider, kernel,
		"sender REM_OP_ERR|sender REM_ACCESS_ERR", got };

	return conform_verdict_make(rows, ROWS, &o);
}

static void
as_expected_passes(void **state)
{
	(void)state;
	assert_int_equal(verdict_of("error/b", "rxe", KERNEL(6, 1), "sender REM_OP_ERR").status,
		CONFORM_PASS);
	assert_int_equal(verdict_of("error/b", "rxe", KERNEL(6, 1), "sender REM_ACCESS_ERR").status,
		CONFORM_PASS);
	assert_null(verdict_of("error/b", "rxe", KERNEL(6, 1), "sender REM_OP_ERR").reason);
	assert_false(verdict_of("error/b", "rxe", KERNEL(6, 1), "sender REM_OP_ERR").gone);
}

static void
what_differs_without_a_row_fails(void **state)
{
	(void)state;
	assert_int_equal(verdict_of("error/b", "rxe", KERNEL(6, 1), "sender LOC_QP_OP_ERR").status,
		CONFORM_FAIL);
	assert_int_equal(verdict_of("error/a", "siw", KERNEL(6, 1), "sender LOC_QP_OP_ERR").status,
		CONFORM_FAIL);
	assert_int_equal(verdict_of("error/a", "rxe", KERNEL(5, 10), "sender LOC_QP_OP_ERR").status,
		CONFORM_FAIL);
	assert_int_equal(verdict_of("error/a", "rxe", 0, "sender LOC_QP_OP_ERR").status,
		CONFORM_FAIL);
	assert_int_equal(verdict_of("error/b", "rxe", KERNEL(6, 1), "").status, CONFORM_FAIL);
	assert_int_equal(verdict_of("error/b", "rxe", KERNEL(6, 1), "sender REM_OP_ER").status,
		CONFORM_FAIL);
	assert_int_equal(verdict_of("error/b", "rxe", KERNEL(6, 1),
		"sender REM_OP_ERR; A ERR").status, CONFORM_FAIL);
	/* a row for the case, but for another outcome */
	assert_int_equal(verdict_of("error/a", "rxe", KERNEL(6, 1), "sender WR_FLUSH_ERR").status,
		CONFORM_FAIL);
}

static void
a_known_deviation_has_its_reason(void **state)
{
	struct conform_verdict v = verdict_of("error/ab", "rxe", KERNEL(6, 1),
		"sender LOC_QP_OP_ERR");

	(void)state;
	assert_int_equal(v.status, CONFORM_DEVIATION);
	assert_string_equal(v.reason, "seen on 6.1");
	v = verdict_of("error/ab", "rxe", KERNEL(6, 13), "sender WR_FLUSH_ERR");
	assert_int_equal(v.status, CONFORM_DEVIATION);
	assert_string_equal(v.reason, "seen on 6.12");
	assert_int_equal(verdict_of("error/ab", "rxe", KERNEL(6, 12),
		"sender LOC_QP_OP_ERR").status, CONFORM_FAIL);
}

static void
one_that_is_gone_is_told(void **state)
{
	struct conform_verdict v = verdict_of("error/a", "rxe", KERNEL(6, 1), "sender REM_OP_ERR");

	(void)state;
	assert_int_equal(v.status, CONFORM_PASS);
	assert_true(v.gone);
	assert_non_null(v.reason);
	assert_false(verdict_of("timing/a", "rxe", KERNEL(6, 1), "sender REM_OP_ERR").gone);
	assert_int_equal(verdict_of("timing/a", "rxe", KERNEL(6, 1), "early: 3 us").status,
		CONFORM_DEVIATION);
	assert_false(verdict_of("error/a", "rxe", KERNEL(5, 10), "sender REM_OP_ERR").gone);
	assert_false(verdict_of("error/a", "mlx5", KERNEL(6, 1), "sender REM_OP_ERR").gone);
}

static void
a_case_may_be_avoided(void **state)
{
	(void)state;
	assert_ptr_equal(conform_avoid(rows, ROWS, "mw/blocks", "rxe", KERNEL(6, 1)), &rows[2]);
	assert_null(conform_avoid(rows, ROWS, "mw/blocks", "siw", KERNEL(6, 1)));
	assert_null(conform_avoid(rows, ROWS, "error/a", "rxe", KERNEL(6, 1)));
	assert_int_equal(verdict_of("mw/blocks", "rxe", KERNEL(6, 1), "sender REM_OP_ERR").status,
		CONFORM_PASS);
	assert_false(verdict_of("mw/blocks", "rxe", KERNEL(6, 1), "sender REM_OP_ERR").gone);
}

static void
rows_without_a_reason_are_refused(void **state)
{
	const struct conform_deviation good = { "a/b", "rxe", 0, KERNEL_ANY, "x", "because",
		false };
	struct conform_deviation v[2] = { good, good };
	size_t row;

	(void)state;
	assert_null(conform_deviations_refused(v, 2, &row));
	v[1].reason = NULL;
	assert_non_null(conform_deviations_refused(v, 2, &row));
	assert_int_equal(row, 1);
	v[1] = good, v[1].reason = "";
	assert_non_null(conform_deviations_refused(v, 2, &row));
	v[1] = good, v[1].provider = NULL;
	assert_non_null(conform_deviations_refused(v, 2, &row));
	v[1] = good, v[1].cases = "";
	assert_non_null(conform_deviations_refused(v, 2, &row));
	v[1] = good, v[1].got = "";
	assert_non_null(conform_deviations_refused(v, 2, &row));
	v[1] = good, v[1].kernel_from = v[1].kernel_below = KERNEL(6, 1);
	assert_non_null(conform_deviations_refused(v, 2, &row));
}

static void
our_own_table_is_in_order(void **state)
{
	const struct conform_deviation *v;
	size_t n, row = 0;
	const char *why;

	(void)state;
	v = conform_deviations(&n);
	why = conform_deviations_refused(v, n, &row);
	if (why)
		fail_msg("row %zu (%s): %s", row, v[row].cases ? v[row].cases : "?", why);
	assert_true(n > 5);
}

static void
kernels_compare(void **state)
{
	(void)state;
	assert_int_equal(conform_kernel("6.1.0-56-amd64"), KERNEL(6, 1));
	assert_int_equal(conform_kernel("6.12.117+deb12-amd64"), KERNEL(6, 12));
	assert_true(KERNEL(6, 12) > KERNEL(6, 1));
	assert_int_equal(conform_kernel("6"), 0);
	assert_int_equal(conform_kernel("six.one"), 0);
	assert_int_equal(conform_kernel(""), 0);
	assert_int_equal(conform_kernel("6.99999999"), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_expected_passes),
		cmocka_unit_test(what_differs_without_a_row_fails),
		cmocka_unit_test(a_known_deviation_has_its_reason),
		cmocka_unit_test(one_that_is_gone_is_told),
		cmocka_unit_test(a_case_may_be_avoided),
		cmocka_unit_test(rows_without_a_reason_are_refused),
		cmocka_unit_test(our_own_table_is_in_order),
		cmocka_unit_test(kernels_compare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
