/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_rebalance.c - all growth is adopted and nothing that is missing is lost.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/intended/document.h"
#include "tests/unit/intended/changed.h"

static struct snapshot *s;
static struct intended *t, *made;

static int
rebalance_setup(void **state)
{
	(void)state;
	s = changed_made("fattree:k=4,levels=3", NULL);
	t = intended_learn(s, NULL);
	return 0;
}

static int
rebalance_teardown(void **state)
{
	(void)state;
	intended_free(t);
	intended_free(made);
	made_free(s);
	made = NULL;
	return 0;
}

static void
same(const struct intended *a, const struct intended *b)
{
	size_t na, nb;
	char *ta = intended_text_write(a, &na), *tb = intended_text_write(b, &nb);

	/* the system GUIDs of hosts' nodes play no role; all else must be equal */
	assert_int_equal(na, nb);
	assert_memory_equal(ta, tb, na);
	free(ta);
	free(tb);
}

/* Whatever is missing, the whole fabric is learned again. */
static void
damage_changes_nothing(void **state)
{
	(void)state;
	changed_unplug(s, changed_host(s, 3));
	changed_unplug(s, changed_switch_port(s, 0, true, 0));
	changed_switch_off(s, changed_leaf(t, true), true);
	made = intended_rebalance(t, s, NULL);
	assert_non_null(made);
	same(made, t);
}

static void
growth_is_adopted(void **state)
{
	uint32_t port = changed_switch_port(s, changed_leaf(t, true), true, 0);
	uint32_t peer = s->ports[port].peer, host = changed_host(s, 8), hp = s->ports[host].peer;
	struct intended *less;

	(void)state;
	changed_unplug(s, port);
	changed_unplug(s, host);
	less = intended_learn(s, NULL);
	changed_plug(s, port, peer);
	changed_plug(s, host, hp);
	made = intended_rebalance(less, s, NULL);
	intended_free(less);
	same(made, t);
}

/* An exchanged spine: the new one takes the place, and the old one is no longer missing. */
static void
an_exchanged_switch(void **state)
{
	uint32_t spine = changed_leaf(t, false);
	struct intended_diff *d;

	(void)state;
	t->sw[spine].guid ^= 1; /* another one was there when it was learned */
	made = intended_rebalance(t, s, NULL);
	assert_non_null(made);
	assert_int_equal(made->nsw, t->nsw);
	assert_int_equal(made->nlinks, t->nlinks);
	d = intended_compare(made, s);
	assert_int_equal(d->n, 0);
	intended_diff_free(d);
}

static void
kinds_are_kept(void **state)
{
	uint64_t io = t->hosts[5].guid;
	struct intended_conf c = { .io = &io, .nio = 1 };

	(void)state;
	intended_free(t);
	t = intended_learn(s, &c);
	assert_int_equal(t->hosts[5].kind, INTENDED_IO);
	changed_unplug(s, snapshot_port_by_guid(s, io));
	made = intended_rebalance(t, s, NULL);
	same(made, t);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, rebalance_setup, rebalance_teardown)
	const struct CMUnitTest tests[] = { T(damage_changes_nothing), T(growth_is_adopted),
		T(an_exchanged_switch), T(kinds_are_kept) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
