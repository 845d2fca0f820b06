/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_own_link.c - the link of the manager's own port goes down: nothing is called up that is not, and all is well soon after it is back.
 */
#include <config.h>
#include <string.h>
#include "tests/unit/test.h"
#include "tests/scenario/world.h"

#define SECOND 1000000
#define SPEC "fattree:k=4,levels=3"
#define SOON (2 * SECOND)

static struct world w;
static struct world_manager *sm;

static int
own_link_teardown(void **state)
{
	(void)state;
	world_clear(&w);
	return 0;
}

static void
own_link_begin(const char *spec)
{
	world_init(&w, spec, 1);
	sm = world_manager_start(&w, "host-0", NULL);
	assert_true(world_run_sweeps(&w, sm, 2, 10 * SECOND));
	assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
}

static void
pull(const char *node)
{
	assert_int_equal(hw_cable_pull(w.hw, world_node(&w, node), 1, w.now), 0);
}

static void
plug(const char *host, const char *leaf, uint8_t port)
{
	assert_int_equal(hw_cable_plug(w.hw, world_node(&w, host), 1, world_node(&w, leaf), port, w.now), 0);
}

/* What operators see: systemd's line, heddlectl status. */
static void
shows(const struct world_manager *s, const char *state, const char *subnet, const char *line)
{
	json_t *o = manager_status(s->m, w.now);
	char buf[160];

	manager_line(s->m, buf, sizeof(buf));
	print_message("# %s\n", buf);
	assert_non_null(strstr(buf, line));
	assert_string_equal(json_string_value(json_object_get(o, "state")), state);
	assert_string_equal(json_string_value(json_object_get(o, "subnet")), subnet);
	json_decref(o);
}

static void
link_down_and_up(void **state)
{
	uint64_t tables, sent;
	unsigned sweeps;

	(void)state;
	own_link_begin(SPEC);
	tables = world_tables(&w);
	pull("host-0");
	world_run(&w, SOON);
	assert_int_equal(manager_outcome(sm->m), OUTCOME_NO_FABRIC);
	shows(sm, "discovering", "down", "discovering, no fabric");
	sent = sm->smps;
	sweeps = manager_sweeps(sm->m);
	world_run(&w, 60 * SECOND);
	assert_true(sm->smps - sent < 200);             /* a question a second */
	assert_true(manager_sweeps(sm->m) - sweeps < 10);
	plug("host-0", "leaf-0-0", 1);
	world_run(&w, SOON);
	assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
	shows(sm, "master", "up", "master, up");
	world_run(&w, SOON);
	assert_true(world_is_right(&w));
	assert_true(world_tables(&w) == tables);
}

/* The switch is switched off, and on again. */
static void
switch_off_and_on(void **state)
{
	(void)state;
	own_link_begin(SPEC);
	assert_int_equal(hw_node_power(w.hw, world_node(&w, "leaf-0-0"), false, w.now), 0);
	world_run(&w, SOON);
	shows(sm, "discovering", "down", "no fabric");
	assert_int_equal(hw_node_power(w.hw, world_node(&w, "leaf-0-0"), true, w.now), 0);
	world_run(&w, SOON);
	shows(sm, "master", "up", "master, up");
	world_run(&w, SOON);
	assert_true(world_is_right(&w));
}

/* It does not answer any more, but its link stays up: found out within an interval, and tried again soon. */
static void
switch_is_silent(void **state)
{
	(void)state;
	own_link_begin(SPEC);
	assert_int_equal(hw_misbehave(w.hw, world_node(&w, "leaf-0-0"), HW_MUTE, 0, 0), 0);
	world_run(&w, 15 * SECOND);
	assert_int_equal(manager_outcome(sm->m), OUTCOME_NO_FABRIC);
	assert_int_equal(hw_misbehave(w.hw, world_node(&w, "leaf-0-0"), HW_NONE, 0, 0), 0);
	world_run(&w, 12 * SECOND);
	assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
}

/* It answers some seconds after its link is up, as one that starts: that is not waited for until the next interval. */
static void
switch_answers_late(void **state)
{
	(void)state;
	world_init(&w, SPEC, 1);
	assert_int_equal(hw_misbehave(w.hw, world_node(&w, "leaf-0-0"), HW_MUTE, 0, 0), 0);
	sm = world_manager_start(&w, "host-0", NULL);
	world_run(&w, 3 * SECOND);
	assert_int_equal(manager_outcome(sm->m), OUTCOME_NO_FABRIC);
	assert_int_equal(hw_misbehave(w.hw, world_node(&w, "leaf-0-0"), HW_NONE, 0, 0), 0);
	world_run(&w, 4 * SECOND);
	assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
}

/* In the midst of a sweep, whose requests would all have to time out first. */
static void
link_goes_during_a_sweep(void **state)
{
	(void)state;
	world_init(&w, "fattree:k=8,levels=3", 1);
	hw_latency_set(w.hw, 3000);                     /* the sweep takes a while */
	sm = world_manager_start(&w, "host-0", NULL);
	assert_true(world_run_sweeps(&w, sm, 2, 60 * SECOND));
	manager_sweep(sm->m, "test", w.now);
	world_run(&w, SECOND / 20);
	pull("host-0");
	world_run(&w, SOON);
	assert_int_equal(manager_outcome(sm->m), OUTCOME_NO_FABRIC);
	plug("host-0", "leaf-0-0", 1);
	world_run(&w, 10 * SECOND);
	assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
	assert_true(world_is_right(&w));
}

/* There is no link when the manager starts; it leads as soon as there is one. */
static void
started_without_a_link(void **state)
{
	(void)state;
	world_init(&w, SPEC, 1);
	pull("host-0");
	sm = world_manager_start(&w, "host-0", NULL);
	world_run(&w, 30 * SECOND);
	shows(sm, "discovering", "down", "no fabric");
	plug("host-0", "leaf-0-0", 1);
	world_run(&w, SOON);
	shows(sm, "master", "up", "master, up");
}

/* A standby that has lost its link neither stands by nor leads; when it is back, it stands by, and nobody has noticed. */
static void
standby_loses_its_link(void **state)
{
	struct world_manager *standby;
	uint64_t acts;

	(void)state;
	own_link_begin(SPEC);
	standby = world_manager_start(&w, "host-5", NULL);
	world_run(&w, 5 * SECOND);
	shows(standby, "standby", "up", "standby, standby");
	acts = standby->sets;
	assert_int_equal(hw_cable_pull(w.hw, world_node(&w, "host-5"), 1, w.now), 0);
	world_run(&w, SOON);
	shows(standby, "discovering", "down", "no fabric");
	world_run(&w, 60 * SECOND);
	shows(standby, "discovering", "down", "no fabric");
	assert_int_equal(manager_outcome(standby->m), OUTCOME_NO_FABRIC);
	plug("host-5", "leaf-1-0", 2);
	world_run(&w, SOON);
	shows(standby, "standby", "up", "standby, standby");
	assert_int_equal(standby->sets, acts);
	assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
	world_run(&w, SOON);
	assert_true(world_is_right(&w));
}

/* The master loses its link, the standby takes over; the old master comes back and finds a better one, or is the better one. */
static void
master_loses_its_link(void **state)
{
	struct world_manager *standby;

	(void)state;
	own_link_begin(SPEC);
	standby = world_manager_start(&w, "host-5", NULL);
	world_run(&w, 5 * SECOND);
	pull("host-0");
	world_run(&w, 10 * SECOND);
	shows(sm, "discovering", "down", "no fabric");
	shows(standby, "master", "up", "master, up");
	plug("host-0", "leaf-0-0", 1);
	world_run(&w, 30 * SECOND);
	assert_int_not_equal(manager_outcome(sm->m), manager_outcome(standby->m));      /* one leads, the other stands by */
	assert_true(manager_outcome(sm->m) == OUTCOME_UP || manager_outcome(sm->m) == OUTCOME_STANDBY);
	assert_true(manager_outcome(standby->m) == OUTCOME_UP || manager_outcome(standby->m) == OUTCOME_STANDBY);
	assert_true(world_is_right(&w));
}

/* Up and down all the time: no more than a sweep a second, and right in the end. */
static void
link_flaps(void **state)
{
	unsigned sweeps;

	(void)state;
	own_link_begin(SPEC);
	sweeps = manager_sweeps(sm->m);
	for (unsigned i = 0; i < 50; i++) {
		pull("host-0");
		world_run(&w, (i * 7919 % 400) * 1000);
		plug("host-0", "leaf-0-0", 1);
		world_run(&w, (i * 104729 % 400) * 1000);
	}
	assert_true(manager_sweeps(sm->m) - sweeps < 50);
	world_run(&w, 5 * SECOND);
	assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
	assert_true(world_is_right(&w));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(link_down_and_up, own_link_teardown),
		cmocka_unit_test_teardown(switch_off_and_on, own_link_teardown),
		cmocka_unit_test_teardown(switch_is_silent, own_link_teardown),
		cmocka_unit_test_teardown(switch_answers_late, own_link_teardown),
		cmocka_unit_test_teardown(link_goes_during_a_sweep, own_link_teardown),
		cmocka_unit_test_teardown(started_without_a_link, own_link_teardown),
		cmocka_unit_test_teardown(standby_loses_its_link, own_link_teardown),
		cmocka_unit_test_teardown(master_loses_its_link, own_link_teardown),
		cmocka_unit_test_teardown(link_flaps, own_link_teardown),
	};

	return cmocka_run_group_tests_name("own_link", tests, NULL, NULL);
}
