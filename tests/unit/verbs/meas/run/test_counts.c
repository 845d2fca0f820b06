/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_counts.c - results of a run survive the way through a message, and malformed ones are
 * refused.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "verbs/meas/run/counts.h"

static void
sent_numbers(void **state)
{
	struct meas_end e = { .test = { .qps = 3 } };
	struct meas_flow_qp qps[3] = { { .completed = 5 }, { .completed = 0 }, { .completed = 7 } };
	struct meas_flow f = { .e = &e, .requester = true, .qps = qps };
	json_t *o = meas_sent_json(&f);
	uint64_t *sent = meas_sent_from_json(o, 3);

	(void)state;
	assert_non_null(sent);
	assert_int_equal(sent[0], 5);
	assert_int_equal(sent[2], 7);
	free(sent);
	assert_null(meas_sent_from_json(o, 2));         /* another number of queue pairs */
	json_array_set_new(o, 1, json_integer(-1));
	assert_null(meas_sent_from_json(o, 3));
	json_array_set_new(o, 1, json_integer((json_int_t)1 << 60));
	assert_null(meas_sent_from_json(o, 3));
	json_array_set_new(o, 1, json_string("1"));
	assert_null(meas_sent_from_json(o, 3));
	assert_null(meas_sent_from_json(NULL, 3));
	json_decref(o);
	f.requester = false;                            /* it posts nothing */
	o = meas_sent_json(&f);
	sent = meas_sent_from_json(o, 3);
	assert_int_equal(sent[0] + sent[1] + sent[2], 0);
	free(sent);
	json_decref(o);
}

static void
rates_as_json(void **state)
{
	struct meas_rates r = { 1.5, 2e9, 3e6, 2.5e9, 1e9, 0.25 }, back;
	json_t *o = meas_rates_json(&r);

	(void)state;
	assert_int_equal(meas_rates_from_json(o, &back), 0);
	assert_memory_equal(&r, &back, sizeof(r));
	json_object_del(o, "seconds");
	assert_true(meas_rates_from_json(o, &back) < 0);
	json_object_set_new(o, "seconds", json_real(-1));
	assert_true(meas_rates_from_json(o, &back) < 0);
	assert_true(meas_rates_from_json(NULL, &back) < 0);
	json_decref(o);
}

static void
counts_as_json(void **state)
{
	struct meas_counts c = { 1, 2, 3, 4, 5 }, back;
	struct meas_bad bad = { .is = true, .qp = 1, .message = 9, .offset = 77, .expected = 3,
		.got = 250 }, b;
	json_t *o = meas_counts_json(&c, &bad);

	(void)state;
	assert_int_equal(meas_counts_from_json(o, &back, &b), 0);
	assert_memory_equal(&c, &back, sizeof(c));
	assert_true(b.is && b.qp == 1 && b.message == 9 && b.offset == 77);
	assert_true(b.expected == 3 && b.got == 250);
	json_object_set_new(json_object_get(o, "first_bad"), "got", json_integer(256));
	assert_true(meas_counts_from_json(o, &back, &b) < 0);
	json_decref(o);
	bad.is = false;
	o = meas_counts_json(&c, &bad);
	assert_int_equal(meas_counts_from_json(o, &back, &b), 0);
	assert_false(b.is);
	json_object_set_new(o, "lost", json_integer(-1));
	assert_true(meas_counts_from_json(o, &back, &b) < 0);
	json_decref(o);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(sent_numbers), cmocka_unit_test(rates_as_json),
		cmocka_unit_test(counts_as_json) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
