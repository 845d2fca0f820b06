/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_compare.c - what is missing, new or contradicts the intended topology.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/intended/changed.h"

static struct snapshot *s;
static struct intended *t;
static struct intended_diff *d;

static int
setup(void **state)
{
	(void)state;
	s = changed_made("fattree:k=4,levels=3", NULL);
	t = intended_learn(s, NULL);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	intended_diff_free(d);
	d = NULL;
	intended_free(t);
	made_free(s);
	return 0;
}

/* Compares and expects 'n' differences, the first of them of that kind. */
static const struct intended_change *
differ(uint32_t n, enum intended_change_kind kind, uint32_t count)
{
	intended_diff_free(d);
	d = intended_compare(t, s);
	assert_int_equal(d->n, n);
	assert_int_equal(d->count[kind], count);
	return d->v;
}

static void
equal(void **state)
{
	(void)state;
	differ(0, INTENDED_NEW_HOST, 0);
	assert_int_equal(d->known, t->nsw);
	assert_int_equal(d->present, t->nsw);
	assert_false(intended_diff_foreign(d));
	assert_true(intended_is_whole(s));
}

static void
a_missing_host(void **state)
{
	uint32_t host = changed_host(s, 5);
	uint64_t guid = s->ports[host].guid;
	struct intended_place at = intended_place_of(s, host);
	const struct intended_change *v;

	(void)state;
	changed_unplug(s, host);
	v = differ(1, INTENDED_MISSING_HOST, 1);
	assert_true(v->guid == guid);
	assert_true(v->other == s->nodes[s->switches[at.sw]].guid);
	assert_int_equal(v->other_port, at.port);
	assert_int_equal(intended_diff_missing(d), 1);
	assert_int_equal(intended_diff_pending(d), 0);
}

static void
a_missing_link(void **state)
{
	uint32_t port = changed_switch_port(s, changed_leaf(t, true), true, 0);
	uint32_t peer = s->ports[port].peer;
	const struct intended_change *v;

	(void)state;
	changed_unplug(s, port);
	v = differ(1, INTENDED_MISSING_LINK, 1);
	if (v->guid == s->ports[port].guid) {
		assert_int_equal(v->port, s->ports[port].num);
		assert_int_equal(v->other_port, s->ports[peer].num);
	} else {
		assert_true(v->guid == s->ports[peer].guid && v->other == s->ports[port].guid);
	}
}

/* A leaf that is off takes its hosts with it; its links go without saying. */
static void
a_missing_switch(void **state)
{
	(void)state;
	changed_switch_off(s, changed_leaf(t, true), true);
	differ(3, INTENDED_MISSING_SWITCH, 1);
	assert_int_equal(d->count[INTENDED_MISSING_HOST], 2);
	assert_int_equal(d->count[INTENDED_MISSING_LINK], 0);
	assert_int_equal(intended_diff_missing(d), 3);
	assert_false(intended_is_whole(s));
	assert_int_equal(d->present, t->nsw - 1);
}

static void
new_things(void **state)
{
	uint32_t leaf = changed_leaf(t, true), host = changed_host(s, 3);
	uint32_t port = changed_switch_port(s, leaf, true, 0), peer = s->ports[port].peer;
	struct intended *whole = t;

	(void)state;
	changed_unplug(s, host);
	changed_unplug(s, port);
	t = intended_learn(s, NULL);
	intended_free(whole);
	changed_plug(s, port, peer);
	assert_int_equal(differ(1, INTENDED_NEW_LINK, 1)->kind, INTENDED_NEW_LINK);
	changed_unplug(s, port);
	made_free(s);
	s = changed_made("fattree:k=4,levels=3", NULL);
	differ(2, INTENDED_NEW_HOST, 1);
	assert_int_equal(d->count[INTENDED_NEW_LINK], 1);
	assert_int_equal(intended_diff_pending(d), 2);
}

/* Two hosts whose cables were exchanged. */
static void
moved_hosts(void **state)
{
	uint32_t a = changed_host(s, 0), b = changed_host(s, 9), pa = s->ports[a].peer,
		 pb = s->ports[b].peer;

	(void)state;
	changed_unplug(s, a);
	changed_unplug(s, b);
	changed_plug(s, a, pb);
	changed_plug(s, b, pa);
	differ(2, INTENDED_MOVED_HOST, 2);
	assert_int_equal(intended_diff_missing(d), 0);
}

/* A cable in the wrong place: two links are missing, and the ports lead elsewhere. */
static void
a_cable_in_the_wrong_place(void **state)
{
	uint32_t a = changed_switch_port(s, changed_leaf(t, true), true, 0),
		 b = changed_switch_port(s, changed_leaf(t, true) + 1, true, 0);

	(void)state;
	changed_unplug(s, a);
	changed_unplug(s, b);
	changed_plug(s, a, b);
	differ(4, INTENDED_OTHER_PEER, 2);
	assert_int_equal(d->count[INTENDED_MISSING_LINK], 2);
	assert_int_equal(d->count[INTENDED_NEW_LINK], 0);
}

/* A host where a switch was. */
static void
a_host_on_a_link(void **state)
{
	uint32_t a = changed_switch_port(s, changed_leaf(t, true), true, 0), h = changed_host(s, 7);

	(void)state;
	changed_unplug(s, a);
	changed_unplug(s, h);
	changed_plug(s, a, h);
	differ(3, INTENDED_OTHER_PEER, 1);
	assert_int_equal(d->count[INTENDED_MOVED_HOST], 1);
	assert_int_equal(d->count[INTENDED_MISSING_LINK], 1);
}

static void
another_fabric(void **state)
{
	struct made_how how = { .scramble = true, .seed = 3 };

	(void)state;
	made_free(s);
	s = changed_made("fattree:k=4,levels=3", &how);
	differ(2 * t->nsw + 2 * t->nhosts, INTENDED_NEW_SWITCH, t->nsw);
	assert_true(intended_diff_foreign(d));
}

static void
words(void **state)
{
	(void)state;
	assert_string_equal(intended_change_text(INTENDED_MISSING_LINK), "missing link");
	assert_string_equal(intended_change_text(INTENDED_CHANGE_KINDS), "?");
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = { T(equal), T(a_missing_host), T(a_missing_link),
		T(a_missing_switch), T(new_things), T(moved_hosts), T(a_cable_in_the_wrong_place),
		T(a_host_on_a_link), T(another_fabric), T(words) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
