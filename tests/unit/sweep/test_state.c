/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_state.c - changes of state in the trace, and the time of phases.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/sweep/state.h"
#include "util/xalloc.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;
static struct sweep *w;

static int
sweep_state_setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	w = xcalloc(1, sizeof(*w));
	w->net = &b.net;
	return 0;
}

static int
sweep_state_teardown(void **state)
{
	(void)state;
	free(w);
	served_clear(&b);
	return 0;
}

/* Each change is one line; a state that stays is none. */
static void
changes_are_traced(void **state)
{
	(void)state;
	sweep_set_state(w, SWEEP_DISCOVER);
	assert_string_equal(b.said, "sweep: state IDLE -> DISCOVER");
	sweep_set_state(w, SWEEP_DISCOVER);
	assert_int_equal(b.lines, 1);
	sweep_set_state(w, SWEEP_WORK);
	assert_string_equal(b.said, "sweep: state DISCOVER -> WORK");
	assert_int_equal(w->state, SWEEP_WORK);
}

static void
every_state_has_a_name(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SWEEP_STATE_COUNT; i++)
		assert_string_not_equal(sweep_state_text((enum sweep_state)i), "?");
	assert_string_equal(sweep_state_text(SWEEP_STATE_COUNT), "?");
}

/* A phase takes the time since the one before; parts of a phase add up. */
static void
phases_take_the_time_between(void **state)
{
	(void)state;
	sweep_phase_begin(w);
	served_pass(&b, 100);
	sweep_phase_end(w, PHASE_DISCOVER);
	served_pass(&b, 30);
	sweep_phase_add(w, PHASE_DIFF);
	served_pass(&b, 5);
	sweep_phase_end(w, PHASE_ELECT);
	served_pass(&b, 7);
	sweep_phase_add(w, PHASE_DIFF);
	assert_int_equal(w->cur.phase_us[PHASE_DISCOVER], 100);
	assert_int_equal(w->cur.phase_us[PHASE_DIFF], 37);
	assert_int_equal(w->cur.phase_us[PHASE_ELECT], 5);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, sweep_state_setup, sweep_state_teardown)
	const struct CMUnitTest tests[] = {
		T(changes_are_traced),
		T(every_state_has_a_name),
		T(phases_take_the_time_between),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
