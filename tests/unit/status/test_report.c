/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_report.c - ports in the report, and problems as errors and findings.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/status/report.h"
#include "util/xalloc.h"
#include "tests/unit/status/routed.h"

static struct routed_bed b;

static int
status_report_setup(void **state)
{
	(void)state;
	routed_make(&b);
	return 0;
}

static int
status_report_teardown(void **state)
{
	(void)state;
	routed_clear(&b);
	return 0;
}

static struct sweep *w;
static struct election e;
static struct sa_stats stats;
static struct notify notify;

static json_t *
make_report(void)
{
	struct status_view v = {
		.net = &b.on.net, .election = &e, .sweep = w, .notify = &notify, .sa_stats = &stats,
		.process = { .wall = 1000000, .pid = 42, .cpu_s = 1.5, .peak_rss_kib = 77 },
	};

	return report_json(&v, b.on.net.now);
}

static void
add_problem(const char *code, uint64_t guid)
{
	struct sweep_problem *f = sweep_result_add(&w->last);

	snprintf(f->code, sizeof(f->code), "%s", code);
	snprintf(f->reason, sizeof(f->reason), "because of %s", code);
	f->at.guid = guid;
}

/* Every problem is an error; what is wrong with the subnet itself is a finding besides, and so is a refused plan. */
static void
problems_are_errors_or_findings(void **state)
{
	json_t *o;

	(void)state;
	w = xcalloc(1, sizeof(*w));
	w->history.sweeps = 1;
	w->last.outcome = OUTCOME_PARTIAL;
	w->last.started = b.on.net.now;
	w->last.ended = monotime_add_us(b.on.net.now, 2500000);
	add_problem("timeout", 1);
	add_problem("duplicate_guid", 2);
	o = make_report();
	assert_string_equal(routed_text(o, "outcome"), "partial");
	assert_true(json_is_true(json_object_get(o, "incomplete")));
	assert_int_equal(json_array_size(json_object_get(o, "failed")), 2);
	assert_int_equal(json_array_size(json_object_get(o, "errors")), 2);
	assert_int_equal(json_array_size(json_object_get(o, "findings")), 1);
	assert_int_equal(json_integer_value(json_object_get(o, "exit_status")), 3);
	assert_true(json_real_value(json_object_get(o, "wall_s")) == 2.5);
	assert_int_equal(json_integer_value(json_object_get(o, "peak_rss_kib")), 77);
	assert_true(json_is_null(json_object_get(o, "verify")));
	json_decref(o);
	snprintf(w->last.refusal, sizeof(w->last.refusal), "no engine");
	o = make_report();
	assert_int_equal(json_array_size(json_object_get(o, "errors")), 3);
	assert_int_equal(json_array_size(json_object_get(o, "findings")), 2);
	json_decref(o);
	sweep_result_clear(&w->last);
	free(w);
}

static void
ports_by_state(void **state)
{
	struct subnet_counts c = { .active = 5, .armed = 4, .init = 3, .down = 2, .unlinked = 1 };
	json_t *o = report_ports_json(&c);

	(void)state;
	assert_int_equal(json_integer_value(json_object_get(o, "active")), 5);
	assert_int_equal(json_integer_value(json_object_get(o, "armed")), 4);
	assert_int_equal(json_integer_value(json_object_get(o, "init")), 3);
	assert_int_equal(json_integer_value(json_object_get(o, "down")), 2);
	assert_int_equal(json_integer_value(json_object_get(o, "unlinked")), 1);
	json_decref(o);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, status_report_setup, status_report_teardown)
	const struct CMUnitTest tests[] = {
		T(problems_are_errors_or_findings),
		T(ports_by_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
