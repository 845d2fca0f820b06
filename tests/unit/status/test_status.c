/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_status.c - outcomes, exit statuses and the line for the service manager.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/status/status.h"
#include "util/xalloc.h"
#include "tests/unit/status/routed.h"

static struct routed_bed b;

static int
status_setup(void **state)
{
	(void)state;
	routed_make(&b);
	return 0;
}

static int
status_teardown(void **state)
{
	(void)state;
	routed_clear(&b);
	return 0;
}

/* Before the first sweep has ended, whatever the last result says, nothing is known. */
static void
outcomes_have_exit_statuses(void **state)
{
	static const struct {
		enum sweep_outcome outcome;
		int exit;
		const char *text;
	} rows[] = {
		{ OUTCOME_UP, 0, "up" }, { OUTCOME_PARTIAL, 3, "partial" }, { OUTCOME_REFUSED, 1, "refused" },
		{ OUTCOME_STANDBY, 1, "standby" }, { OUTCOME_NO_FABRIC, 255, "no fabric" },
		{ OUTCOME_RUNNING, 255, "running" },
	};
	struct sweep *w = xcalloc(1, sizeof(*w));

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		w->last.outcome = rows[i].outcome;
		w->history.sweeps = 0;
		assert_int_equal(status_outcome(w), OUTCOME_RUNNING);
		assert_int_equal(status_exit(w), 255);
		w->history.sweeps = 1;
		assert_int_equal(status_outcome(w), rows[i].outcome);
		assert_int_equal(status_exit(w), rows[i].exit);
		assert_string_equal(status_outcome_text(rows[i].outcome), rows[i].text);
	}
	free(w);
}

static void
the_line_says_what_is_known(void **state)
{
	struct sweep *w = xcalloc(1, sizeof(*w));
	char line[160], want[160];

	(void)state;
	status_line(&b.on.net, w, line, sizeof(line));
	assert_string_equal(line, "master, first sweep");
	w->history.sweeps = 7;
	w->last.outcome = OUTCOME_PARTIAL;
	w->last.nproblems = 2;
	status_line(&b.on.net, w, line, sizeof(line));
	snprintf(want, sizeof(want), "master, partial, %u switches, %u host ports, sweep 7, 2 not configured",
		b.on.s->nswitches, b.on.s->nhosts);
	assert_string_equal(line, want);
	b.on.net.served.s = NULL;
	b.on.role = HA_STANDBY;
	w->last.outcome = OUTCOME_NO_FABRIC;
	status_line(&b.on.net, w, line, sizeof(line));
	assert_string_equal(line, "standby, no fabric");
	b.on.net.served.s = b.on.s;
	free(w);
}

/* Without a port the document has the same keys. */
static void
without_a_port_the_document_says_so(void **state)
{
	json_t *o = status_json_without_port(42);

	(void)state;
	assert_non_null(o);
	assert_string_equal(routed_text(o, "subnet"), "down");
	assert_string_equal(routed_text(o, "waiting"), "no InfiniBand port");
	assert_int_equal(json_integer_value(json_object_get(o, "pid")), 42);
	assert_true(json_is_null(json_object_get(o, "ca")));
	assert_true(json_is_array(json_object_get(o, "standbys")));
	json_decref(o);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, status_setup, status_teardown)
	const struct CMUnitTest tests[] = {
		T(outcomes_have_exit_statuses),
		T(the_line_says_what_is_known),
		T(without_a_port_the_document_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
