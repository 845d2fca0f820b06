/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_expect.c - valid and invalid terms of --expect.
 */
#include <config.h>
#include <math.h>
#include <string.h>
#include "tests/unit/test.h"
#include "verbs/meas/expect.h"

static void
terms_of_an_option(void **state)
{
	struct meas_expect e = { 0 };
	char why[200];

	(void)state;
	assert_int_equal(meas_expect_parse(&e, "bw@65536>=12.5GB/s,p99<=3000ns,lost<=0", false, why,
		sizeof(why)), 0);
	assert_int_equal(e.n, 3);
	assert_int_equal(e.terms[0].figure, MEAS_FIGURE_BW);
	assert_int_equal(e.terms[0].size, 65536);
	assert_int_equal(e.terms[0].relation, MEAS_GE);
	assert_true(fabs(e.terms[0].bound - 100) < 1e-9);
	assert_true(fabs(e.terms[1].bound - 3) < 1e-9);
	assert_string_equal(e.terms[1].text, "p99<=3000ns");
	assert_ptr_equal(meas_expect_speed(&e), &e.terms[0]);
	assert_int_equal(meas_expect_parse(&e, "p99.9<7,msgrate>1", false, why, sizeof(why)), 0);
	assert_int_equal(e.n, 5);
	assert_int_equal(e.terms[3].figure, MEAS_FIGURE_P999);
	assert_int_equal(e.terms[3].relation, MEAS_LT);
	assert_int_equal(e.terms[4].relation, MEAS_GT);
}

static void
counts_are_no_speed(void **state)
{
	struct meas_expect e = { 0 };
	char why[200];

	(void)state;
	assert_int_equal(meas_expect_parse(&e, "lost<=0,corrupt<=0,errors<=0,messages>=10", true,
		why, sizeof(why)), 0);
	assert_null(meas_expect_speed(&e));
}

static void
mistakes(void **state)
{
	static const char *const wrong[] = { "", "bw", "bw=5", "bw>=", "bw>=x", "bw>=5us",
	"p99<=5Gb/s", "speed>=1", "bw>=5,", ",bw>=5", "bw@>=5", "bw@0>=5",
		"bw@99999999999>=5", "bw>=nan", "bw>=inf", "bw>=-1", "p99<=1 000", "lost<=1us",
		"bw@-1>=5",
		"bw>=111111111111111111111111111111111111111111111111111111" };
	struct meas_expect e;
	char why[200];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		memset(&e, 0, sizeof(e));
		why[0] = '\0';
		assert_true(meas_expect_parse(&e, wrong[i], false, why, sizeof(why)) < 0);
		assert_true(why[0]);
	}
	memset(&e, 0, sizeof(e));
	/* latency tests have no bandwidth */
	assert_true(meas_expect_parse(&e, "bw>=1", true, why, sizeof(why)) < 0);
}

static void
too_many(void **state)
{
	struct meas_expect e = { 0 };
	char why[200];

	(void)state;
	for (int i = 0; i < MEAS_TERMS_MAX; i++)
		assert_int_equal(meas_expect_parse(&e, "lost<=0", false, why, sizeof(why)), 0);
	assert_true(meas_expect_parse(&e, "lost<=0", false, why, sizeof(why)) < 0);
}

static void
judging(void **state)
{
	struct meas_term t = { .relation = MEAS_LE, .bound = 5 };

	(void)state;
	assert_true(meas_term_holds(&t, 5));
	assert_false(meas_term_holds(&t, 5.1));
	t.relation = MEAS_LT;
	assert_false(meas_term_holds(&t, 5));
	t.relation = MEAS_GE;
	assert_true(meas_term_holds(&t, 5));
	t.relation = MEAS_GT;
	assert_false(meas_term_holds(&t, 5));
	assert_false(meas_term_holds(&t, NAN));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(terms_of_an_option), cmocka_unit_test(counts_are_no_speed),
		cmocka_unit_test(mistakes), cmocka_unit_test(too_many), cmocka_unit_test(judging),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
