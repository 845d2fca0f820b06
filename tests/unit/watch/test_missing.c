/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_missing.c - what goes missing, why, what is logged, and what ends an entry.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/watch/missing.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;
static struct missing *x;
static struct flaps *flaps;
static struct fab_node *host;           /* the last node by GUID */
static uint32_t before;                 /* the port before it */

static int
watch_missing_setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	x = missing_new();
	flaps = flaps_new();
	host = &b.s->nodes[b.s->nnodes - 1];
	assert_false(fab_is_switch(host));
	before = b.s->ports[host->first_port + host->entry_port].peer;
	return 0;
}

static int
watch_missing_teardown(void **state)
{
	(void)state;
	missing_free(x);
	flaps_free(flaps);
	served_clear(&b);
	return 0;
}

static void
sweep_ends(void)
{
	missing_swept(x, roster_new(b.s), &(struct missing_sweep){ b.s, flaps, b.net.now, &b.log });
}

/* The last host is not there; its cable has one end. */
static void
take_host_away(void)
{
	b.s->ports[before].peer = FAB_NONE;
	b.s->nnodes--;
	b.s->nlinks--;
}

static void
bring_host_back(void)
{
	b.s->nnodes++;
	b.s->nlinks++;
	b.s->ports[before].peer = host->first_port + host->entry_port;
}

static const char *
reason_of_first(char buf[static 80])
{
	json_t *a = missing_json(x, b.net.now, 1000000);

	snprintf(buf, 80, "%s", json_string_value(json_object_get(json_array_get(a, 0), "reason")));
	json_decref(a);
	return buf;
}

static void
the_first_sweep_misses_nothing(void **state)
{
	(void)state;
	sweep_ends();
	sweep_ends();
	assert_int_equal(b.lines, 0);
	assert_int_equal(missing_count(x), 0);
}

static void
a_host_is_lost_once_and_comes_back(void **state)
{
	char name[ROSTER_NAME_BYTES], reason[80];

	(void)state;
	sweep_ends();
	take_host_away();
	sweep_ends();
	assert_int_equal(missing_count(x), 1);
	assert_int_equal(b.lines, 1);
	assert_non_null(strstr(b.said, "fabric: node lost: "));
	assert_non_null(strstr(b.said, ": link down"));
	assert_string_equal(reason_of_first(reason), "link down");
	assert_true(missing_behind(x, b.s->nodes[b.s->ports[before].node].guid, b.s->ports[before].num, name) == host->guid);
	served_pass(&b, 90000000);
	sweep_ends();
	assert_int_equal(b.lines, 1);
	bring_host_back();
	sweep_ends();
	assert_int_equal(missing_count(x), 0);
	assert_non_null(strstr(b.said, "node back: "));
	assert_non_null(strstr(b.said, "away for 90 s"));
	assert_int_equal(missing_behind(x, b.s->nodes[b.s->ports[before].node].guid, b.s->ports[before].num, name), 0);
}

/* Behind a port whose node does not answer it is silent, and named for the next discovery. */
static void
an_unresponsive_host_is_silent(void **state)
{
	struct fab_problem t = {
		.kind = FAB_UNRESPONSIVE, .guid = b.s->nodes[b.s->ports[before].node].guid, .port = b.s->ports[before].num,
	};
	struct discover_place *places;
	char reason[80];

	(void)state;
	sweep_ends();
	take_host_away();
	b.s->problems = &t;
	b.s->nproblems = 1;
	sweep_ends();
	assert_string_equal(reason_of_first(reason), "no answer");
	assert_int_equal(missing_silent(x, &places), 1);
	free(places);
	t.port++;                                       /* another port of that switch */
	sweep_ends();
	assert_string_equal(reason_of_first(reason), "link down");
	assert_int_equal(missing_silent(x, &places), 0);
	free(places);
	b.s->problems = NULL;
	b.s->nproblems = 0;
}

static void
what_is_left_out_is_unusable(void **state)
{
	char reason[80];

	(void)state;
	sweep_ends();
	host->flags |= FAB_NODE_CUT;
	sweep_ends();
	assert_non_null(strstr(reason_of_first(reason), "left out: "));
}

static void
entries_end_after_a_week_or_with_the_master(void **state)
{
	(void)state;
	sweep_ends();
	take_host_away();
	sweep_ends();
	served_pass(&b, MISSING_DAYS * INT64_C(86400000000));
	sweep_ends();
	assert_int_equal(missing_count(x), 1);
	served_pass(&b, 1);
	sweep_ends();
	assert_int_equal(missing_count(x), 0);
	bring_host_back();
	sweep_ends();
	take_host_away();
	sweep_ends();
	assert_int_equal(missing_count(x), 1);
	missing_forget(x);
	assert_int_equal(missing_count(x), 0);
	b.lines = 0;
	bring_host_back();
	sweep_ends();                                   /* nothing is known: it is not found either */
	assert_int_equal(b.lines, 0);
}

static void
durations_have_units(void **state)
{
	char buf[24];

	(void)state;
	assert_string_equal(missing_duration(119999999, buf), "119 s");
	assert_string_equal(missing_duration(120000000, buf), "2 min");
	assert_string_equal(missing_duration(INT64_C(7200000000), buf), "2 h");
	assert_string_equal(missing_duration(INT64_C(172800000000), buf), "2 days");
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, watch_missing_setup, watch_missing_teardown)
	const struct CMUnitTest tests[] = {
		T(the_first_sweep_misses_nothing),
		T(a_host_is_lost_once_and_comes_back),
		T(an_unresponsive_host_is_silent),
		T(what_is_left_out_is_unusable),
		T(entries_end_after_a_week_or_with_the_master),
		T(durations_have_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
