/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_row.c - the row of a result: every key, its figures, and rows of hostile servers.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "verbs/meas/row.h"

static json_t *
bandwidth_row(void)
{
	struct meas_test t = meas_test_default(MEAS_BW);
	struct meas_result r = { .size = 64, .iterations = 5000,
		.rates = { 2, 1e9, 1.5e6, 2e9, 5e8, 0.5 }, .counts = { .received = 5000, .lost = 2,
		.corrupt = 3 },
		.bad = { .is = true, .qp = 1, .message = 17, .offset = 4 },
		.hist = meas_hist_new() };
	json_t *row;

	for (unsigned i = 1; i <= 100; i++)
		meas_hist_add(r.hist, i * 1000);
	row = meas_row_json(&r, &t);
	free(r.hist);
	return row;
}

static void
figures(void **state)
{
	json_t *row = bandwidth_row();
	double v;

	(void)state;
	assert_true(meas_row_figure(row, MEAS_FIGURE_BW, &v) && v > 7.99 && v < 8.01);
	assert_true(meas_row_figure(row, MEAS_FIGURE_BW_PEAK, &v) && v > 15.9 && v < 16.1);
	assert_true(meas_row_figure(row, MEAS_FIGURE_MSGRATE, &v) && v > 1.49 && v < 1.51);
	assert_true(meas_row_figure(row, MEAS_FIGURE_MESSAGES, &v) && v == 5000);
	assert_true(meas_row_figure(row, MEAS_FIGURE_P50, &v) && v > 49 && v < 51);
	assert_true(meas_row_figure(row, MEAS_FIGURE_LOST, &v) && v == 2);
	assert_false(meas_row_figure(NULL, MEAS_FIGURE_BW, &v));
	json_object_set_new(json_object_get(row, "bandwidth"), "avg_gbps", json_string("8"));
	assert_false(meas_row_figure(row, MEAS_FIGURE_BW, &v));
	json_decref(row);
}

static void
problems(void **state)
{
	json_t *row = bandwidth_row();
	char text[300];

	(void)state;
	assert_true(meas_row_problem(row, text, sizeof(text)));
	assert_non_null(strstr(text, "3 of the messages of 64 bytes"));
	assert_non_null(strstr(text, "17"));
	json_object_set_new(json_object_get(row, "counts"), "corrupt", json_integer(0));
	assert_false(meas_row_problem(row, text, sizeof(text)));
	json_decref(row);
}

/* Only known keys of the right types pass. */
static void
clean_rows(void **state)
{
	json_t *row = bandwidth_row(), *o;

	(void)state;
	json_object_set_new(row, "extra", json_integer(1));
	o = meas_row_clean(row);
	assert_non_null(o);
	assert_null(json_object_get(o, "extra"));
	assert_int_equal(json_integer_value(json_object_get(o, "size")), 64);
	json_decref(o);
	json_object_set_new(row, "size", json_integer(0));
	assert_null(meas_row_clean(row));
	json_object_set_new(row, "size", json_integer(64));
	json_object_set_new(row, "counts", json_null());
	assert_null(meas_row_clean(row));
	assert_null(meas_row_clean(NULL));
	json_decref(row);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(figures), cmocka_unit_test(problems),
		cmocka_unit_test(clean_rows) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
