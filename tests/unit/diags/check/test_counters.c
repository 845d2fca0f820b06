/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_counters.c - errors that are counted: rates of two samples, and totals of a capture.
 */
#include <config.h>
#include <unistd.h>
#include "fabric/snapshot/capture.h"
#include "libmad/attr/gen_attr.h"
#include "libmad/attr/pm_attr.h"
#include "tests/unit/diags/check/checks.h"

/* The agent of host-0 answers with these counters. */
static void
answers(struct checks *c, const struct pm_port_counters *n)
{
	struct capture *v = capture_new();
	struct capture_key k = {
		.node = 1, .port = 1, .mgmt_class = CLASS_PM, .attr_id = CLASS_PORT_INFO_ID
	};
	uint8_t data[CLASS_PORT_INFO_BYTES] = { 0 }, image[PM_PORT_COUNTERS_BYTES] = { 0 };

	class_port_info_encode(data, &(struct class_port_info){ .base_version = 1 });
	capture_add(v, &k, STATUS_OK, data, sizeof(data));
	k.attr_id = PM_PORT_COUNTERS_ID;
	k.select = 1;
	pm_port_counters_encode(image, n);
	image[1] = 1;
	capture_add(v, &k, STATUS_OK, image, sizeof(image));
	world_answer(&c->d, fake_snapshot(), v);
}

static void
totals(void **state)
{
	struct checks *c = *state;

	assert_int_equal(check_counters_conf(&c->run), 0);
	world_load(&c->d);
	answers(c,
		&(struct pm_port_counters){
			.symbol_error = 3, .link_downed = 2, .rcv_switch_relay_errors = 9 });
	checks_do(c, &check_counters);
	assert_int_equal(c->run.nfindings, 1);
	assert_int_equal(checks_finding(c, "errors_counted")->severity, CHECK_INFO);
	assert_int_equal(checks_value(c, "errors_counted", "value"), 5);
	assert_int_equal(checks_result(c)->end, CHECK_PARTIAL); /* the others are not there */
}

static void
no_totals(void **state)
{
	struct checks *c = *state;

	assert_int_equal(check_counters_conf(&c->run), 0);
	world_load(&c->d);
	world_answer(&c->d, fake_snapshot(), capture_new());
	checks_do(c, &check_counters);
	assert_int_equal(checks_result(c)->end, CHECK_SKIPPED);
	assert_string_equal(checks_result(c)->looked, "the capture has no counters");
}

/* What does not grow is no finding, but a counter that is full cannot grow. */
static void
rates(void **state)
{
	struct checks *c = *state;

	assert_int_equal(check_counters_conf(&c->run), 0);
	answers(c, &(struct pm_port_counters){ .symbol_error = 0xffff, .link_downed = 2 });
	checks_do(c, &check_counters);
	assert_int_equal(c->run.nfindings, 1);
	assert_int_equal(checks_value(c, "counter_full", "value"), 0xffff);
	assert_int_equal(checks_result(c)->end, CHECK_PARTIAL);
	assert_int_equal(diag_status(&c->d), EXIT_PARTIAL);
}

static void
thresholds(void **state)
{
	struct checks *c = *state;
	char *path = fake_file("SymbolErrorCounter=never\n");

	c->opt.thresholds = path;
	assert_int_equal(check_counters_conf(&c->run), EXIT_USAGE);
	check_counters_free(c->run.counters);
	unlink(path);
	assert_int_equal(check_counters_conf(&c->run), EXIT_USAGE);
	check_counters_free(c->run.counters);
	free(path);
	path = fake_file("PortRcvSwitchRelayErrors=0\n");
	c->opt.thresholds = path;
	assert_int_equal(check_counters_conf(&c->run), 0);
	unlink(path);
	free(path);
	/* A file that names it makes a finding of what usually is none. */
	world_load(&c->d);
	answers(c, &(struct pm_port_counters){ .rcv_switch_relay_errors = 9 });
	checks_do(c, &check_counters);
	assert_int_equal(checks_value(c, "errors_counted", "value"), 9);
	check_counters_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(totals, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(no_totals, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(rates, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(thresholds, checks_begin, checks_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
