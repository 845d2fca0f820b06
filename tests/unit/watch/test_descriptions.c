/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_descriptions.c - descriptions that are asked again, kept when nobody reads them, and too many of them.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/watch/descriptions.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;
static struct descriptions l;

static int
descriptions_setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	memset(&l, 0, sizeof(l));
	return 0;
}

static int
descriptions_teardown(void **state)
{
	(void)state;
	served_clear(&b);
	return 0;
}

/* Asks for what is wanted and answers 'text'; the number of requests. */
static unsigned
read_wanted(const char *text)
{
	uint8_t image[NODE_DESC_BYTES] = { 0 };
	struct txn_end e;
	struct dgram d;
	unsigned n = 0;

	memcpy(image, text, strlen(text));
	descriptions_ask(&l, &b.net);
	while (served_next(&b, &d)) {
		assert_int_equal(dgram_attr_id(d.mad), NODE_DESC_ID);
		served_answer_image(&b, &d, image, sizeof(image));
		n++;
		while (served_take_end(&b, OWN_DESC, &e))
			descriptions_on_end(&l, &b.net, &e);
	}
	return n;
}

/* However often its trap comes, a node is asked once; the snapshot changes when it may, not before. */
static void
a_node_is_asked_once_and_kept_later(void **state)
{
	struct fab_node *n = &b.s->nodes[b.s->switches[0]];
	char text[NODE_DESC_BYTES * 3 + 1];

	(void)state;
	descriptions_want(&l, &b.net, n->guid);
	descriptions_want(&l, &b.net, n->guid);
	assert_int_equal(read_wanted("renamed"), 1);
	assert_string_not_equal(snapshot_desc_text(n, text, sizeof(text)), "renamed");
	descriptions_keep(&l, &b.net);
	assert_string_equal(snapshot_desc_text(n, text, sizeof(text)), "renamed");
	memset(n->desc, 0, sizeof(n->desc));
	descriptions_keep(&l, &b.net);                  /* it was kept: nothing is left */
	assert_string_equal(snapshot_desc_text(n, text, sizeof(text)), "");
	assert_int_equal(read_wanted("x"), 0);
}

static void
without_an_answer_nothing_changes(void **state)
{
	struct fab_node *n = &b.s->nodes[b.s->switches[0]], was = *n;
	struct txn_end e;

	(void)state;
	descriptions_want(&l, &b.net, n->guid);
	descriptions_ask(&l, &b.net);
	subnet_cancel(&b.net, OWN_DESC);
	assert_true(served_take_end(&b, OWN_DESC, &e));
	descriptions_on_end(&l, &b.net, &e);
	descriptions_keep(&l, &b.net);
	assert_memory_equal(n->desc, was.desc, NODE_DESC_BYTES);
	assert_int_equal(l.v[0].state, DESC_FREE);
}

static void
nodes_that_are_gone_are_not_asked(void **state)
{
	(void)state;
	descriptions_want(&l, &b.net, 0x123456);
	assert_int_equal(read_wanted("x"), 0);
	assert_int_equal(l.v[0].state, DESC_FREE);
}

/* With all places taken, a heavy sweep reads them all. */
static void
too_many_are_swept_for(void **state)
{
	(void)state;
	for (uint64_t g = 1; g <= DESCRIPTIONS_MAX; g++)
		descriptions_want(&l, &b.net, g);
	assert_int_equal(b.net.schedule.trap_sweep.us, MONOTIME_NEVER.us);
	descriptions_want(&l, &b.net, 3);               /* known */
	assert_int_equal(b.net.schedule.trap_sweep.us, MONOTIME_NEVER.us);
	descriptions_want(&l, &b.net, DESCRIPTIONS_MAX + 1);
	assert_int_equal(b.net.schedule.trap_sweep.us, b.net.now.us);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, descriptions_setup, descriptions_teardown)
	const struct CMUnitTest tests[] = {
		T(a_node_is_asked_once_and_kept_later),
		T(without_an_answer_nothing_changes),
		T(nodes_that_are_gone_are_not_asked),
		T(too_many_are_swept_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
