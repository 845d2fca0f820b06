/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_ids.c - the order of switches by ids: which of them have one, which count with their GUIDs,
 * and those that are new or gone.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/conf/routing/lines.h"
#include "sm/route/tree/ids.h"
#include "tests/unit/route/modelled.h"

#define LINES_MAX 64

static struct modelled x;
static struct intended *whole;
static struct frame frame;
static struct routing_line line[LINES_MAX];
static uint32_t numbers[LINES_MAX];
static struct routing_lines lines;
static struct route_conf conf;

static int
teardown(void **state)
{
	(void)state;
	frame_clear(&frame);
	intended_free(whole);
	whole = NULL;
	modelled_clear(&x);
	lines = (struct routing_lines){ .n = 0 };
	conf = (struct route_conf){ .ids = &lines };
	return 0;
}

/*
 * A frame of nine switches.  'change': the GUID of the fifth is another one than in the intended
 * topology, so that one is gone and another one is new.
 */
static void
bed_make(bool change)
{
	struct fab_node *n;

	teardown(NULL);
	modelled_plan(&x, "torus:3x3,hosts=1", NULL, 0);
	n = &x.s->nodes[x.s->switches[4]];
	n->guid -= change;
	whole = intended_learn(x.s, NULL);
	n->guid += change;
	x.in.intended = whole;
	assert_int_equal(frame_make(&frame, &x.in, &x.arena, &x.r), ROUTE_OK);
	assert_int_equal(frame.now.g.nsw, change ? 10 : 9);
	lines.line = line;
}

static void
put(uint64_t guid, uint32_t id)
{
	assert_true(lines.n < LINES_MAX);
	numbers[lines.n] = id;
	line[lines.n] = (struct routing_line){ guid, lines.n + 1, 1, &numbers[lines.n] };
	lines.n++;
}

static uint64_t
guid_of(uint32_t sw)
{
	return sw < frame.nknown ? whole->sw[sw].guid : x.s->nodes[frame.node[sw]].guid;
}

/* Runs it, and compares the order with the GUIDs of 'want', in that order. */
static void
check_order(const uint64_t *want)
{
	const uint32_t *order;

	ids_order(&frame, &conf, &x.arena);
	order = frame.now.by_guid;
	assert_non_null(order);
	assert_ptr_equal(frame.whole.by_guid, order);
	for (uint32_t i = 0; i < frame.now.g.nsw; i++)
		assert_int_equal(guid_of(order[i]), want[i]);
}

/* Without ids the models stay as they are. */
static void
nothing_without_ids(void **state)
{
	static const uint32_t before[16];

	(void)state;
	bed_make(false);
	frame.now.by_guid = frame.whole.by_guid = before;
	ids_order(&frame, NULL, &x.arena);
	ids_order(&frame, &conf, &x.arena);     /* a file without lines */
	conf.ids = NULL;
	ids_order(&frame, &conf, &x.arena);
	assert_ptr_equal(frame.now.by_guid, before);
	assert_ptr_equal(frame.whole.by_guid, before);
}

static void
ids_decide(void **state)
{
	uint64_t want[9];

	(void)state;
	bed_make(false);
	for (uint32_t sw = 0; sw < 9; sw++) {
		put(guid_of(sw), 100 - sw);
		want[8 - sw] = guid_of(sw);
	}
	check_order(want);
}

/* Ids have 32 bits, and so come before GUIDs; of equal ids, the GUIDs of their switches decide. */
static void
guids_decide_the_rest(void **state)
{
	uint64_t want[9];

	(void)state;
	bed_make(false);
	put(guid_of(7), 5);
	put(guid_of(3), 5);
	put(guid_of(8), 4);
	put(guid_of(0), UINT32_MAX);
	for (unsigned i = 0; i < 9; i++)
		want[i] = guid_of((uint32_t[]){ 8, 3, 7, 0, 1, 2, 4, 5, 6 }[i]);
	check_order(want);
}

/* Lines of switches that are nowhere change nothing, also with GUIDs between those of others. */
static void
unknown_guids(void **state)
{
	uint64_t want[9];

	(void)state;
	bed_make(false);
	put(1, 1);
	put(UINT64_MAX, 2);
	for (uint32_t sw = 0; sw < 9; sw++) {
		put(guid_of(sw) + 1, 50 - sw);
		want[sw] = guid_of(sw);
	}
	check_order(want);
}

/* The frame numbers switches that are new behind all others; the order does not. */
static void
new_and_absent_switches(void **state)
{
	uint64_t want[10], is_new, gone;

	(void)state;
	bed_make(true);
	is_new = guid_of(9);
	gone = is_new - 1;
	assert_int_equal(guid_of(4), gone);
	assert_int_equal(frame.ordinal[4], FAB_NONE);
	put(1, 1);
	for (uint32_t i = 0; i < 10; i++)
		want[i] = guid_of(i < 5 ? i : i == 5 ? 9 : i - 1);
	check_order(want);
	/* Both can have ids. */
	put(gone, 9);
	put(is_new, 8);
	for (uint32_t i = 0; i < 10; i++)
		want[i] = guid_of((uint32_t[]){ 9, 4, 0, 1, 2, 3, 5, 6, 7, 8 }[i]);
	check_order(want);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, teardown, teardown)
	const struct CMUnitTest tests[] = {
		T(nothing_without_ids),
		T(ids_decide),
		T(guids_decide_the_rest),
		T(unknown_guids),
		T(new_and_absent_switches),
	};

	return cmocka_run_group_tests_name("sm/route/tree/ids", tests, NULL, NULL);
}
