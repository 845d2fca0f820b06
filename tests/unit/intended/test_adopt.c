/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_adopt.c - which growth is adopted by rule, and that it changes nothing else.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/intended/changed.h"

static struct snapshot *s;
static struct intended *t, *grown;
static struct intended_growth g;

static void
bed_begin(const char *spec)
{
	s = changed_made(spec, NULL);
	t = intended_learn(s, NULL);
}

static int
teardown(void **state)
{
	(void)state;
	intended_free(t);
	intended_free(grown);
	made_free(s);
	t = grown = NULL;
	s = NULL;
	return 0;
}

static void
learn_again(void)
{
	intended_free(t);
	t = intended_learn(s, NULL);
}

/* Grows, and checks that whatever was there and is still there is as before. */
static void
grow(void)
{
	intended_free(grown);
	grown = intended_grow(t, s, NULL, &g);
	for (uint32_t i = 0; grown && i < t->nsw; i++) {
		uint32_t at = intended_switch_find(grown, t->sw[i].guid);

		assert_int_not_equal(at, INTENDED_NONE);
		assert_memory_equal(&grown->sw[at], &t->sw[i], sizeof(t->sw[i]));
	}
	for (uint32_t i = 0; grown && i < t->nhosts; i++) {
		uint32_t at = intended_host_find(grown, t->hosts[i].guid);

		if (at == INTENDED_NONE || grown->hosts[at].id == t->hosts[i].id)
			continue;
		assert_true(g.moved);
		assert_true(grown->hosts[at].port != t->hosts[i].port ||
			grown->sw[grown->hosts[at].sw].guid != t->sw[t->hosts[i].sw].guid);
	}
	for (uint32_t i = 0; grown && i < t->nlinks; i++) {
		const struct intended_link *l = &t->links[i];
		uint32_t a = intended_switch_find(grown, t->sw[l->a].guid), n = 0;

		for (uint32_t k = 0; k < grown->nlinks; k++)
			n += (grown->links[k].a == a && grown->links[k].aport == l->aport) ||
				(grown->links[k].b == a && grown->links[k].bport == l->aport);
		assert_int_equal(n, 1);
	}
}

static const struct intended_host *
host_of(const struct intended *of, uint64_t guid)
{
	uint32_t at = intended_host_find(of, guid);

	assert_int_not_equal(at, INTENDED_NONE);
	return &of->hosts[at];
}

static void
damage_is_never_adopted(void **state)
{
	(void)state;
	bed_begin("fattree:k=4,levels=3");
	grow();
	assert_null(grown);
	changed_unplug(s, changed_host(s, 3));
	changed_unplug(s, changed_switch_port(s, 0, true, 0));
	changed_switch_off(s, changed_leaf(t, true), true);
	grow();
	assert_null(grown);
}

/* A host that was not there when the topology was learned gets the next id. */
static void
a_new_host_is_appended(void **state)
{
	uint32_t host, peer;
	uint64_t guid;

	(void)state;
	bed_begin("fattree:k=4,levels=3");
	host = changed_host(s, 4);
	peer = s->ports[host].peer;
	guid = s->ports[host].guid;
	changed_unplug(s, host);
	learn_again();
	assert_int_equal(t->nhosts, 15);
	changed_plug(s, host, peer);
	grow();
	assert_non_null(grown);
	assert_int_equal(g.hosts, 1);
	assert_int_equal(grown->nhosts, 16);
	assert_int_equal(host_of(grown, guid)->id, 15);
}

/* An id that became free within its leaf is used before a new one is appended. */
static void
a_free_id_of_the_leaf(void **state)
{
	uint32_t hosts[8], n = 0, leaf = INTENDED_NONE, middle, id;

	(void)state;
	bed_begin("fattree:k=8,levels=2");
	for (uint32_t i = 0; i < t->nhosts && n < 8; i++) {
		uint32_t port = snapshot_port_by_guid(s, t->hosts[i].guid);

		leaf = leaf == INTENDED_NONE ? t->hosts[i].sw : leaf;
		if (t->hosts[i].sw == leaf)
			hosts[n++] = port;
	}
	assert_true(n >= 3);
	for (uint32_t i = 0; i < t->nhosts; i++)
		if (t->hosts[i].guid == s->ports[hosts[1]].guid) {
			/* as if it had been taken out by hand */
			memmove(&t->hosts[i], &t->hosts[i + 1],
				(t->nhosts - i - 1) * sizeof(t->hosts[i]));
			t->nhosts--;
			break;
		}
	middle = hosts[1];
	grow();
	assert_non_null(grown);
	id = host_of(grown, s->ports[middle].guid)->id;
	assert_true(id < t->nhosts + 1);
	for (uint32_t i = 0; i < t->nhosts; i++)
		assert_int_not_equal(t->hosts[i].id, id);
}

/* Another adapter at the port of one that is gone routes like it. */
static void
an_exchanged_host_keeps_the_id(void **state)
{
	uint32_t host, id;
	uint64_t was;

	(void)state;
	bed_begin("fattree:k=4,levels=3");
	host = changed_host(s, 6);
	was = s->ports[host].guid;
	id = host_of(t, was)->id;
	s->ports[host].guid += 0x1000000;
	snapshot_seal(s);
	grow();
	assert_non_null(grown);
	assert_int_equal(g.hosts, 1);
	assert_int_equal(g.replaced, 1);
	assert_int_equal(host_of(grown, was + 0x1000000)->id, id);
	assert_int_equal(intended_host_find(grown, was), INTENDED_NONE);
	assert_int_equal(grown->nhosts, t->nhosts);
}

static void
exchanged_cables(void **state)
{
	uint32_t a, b, pa, pb;

	(void)state;
	bed_begin("fattree:k=4,levels=3");
	a = changed_host(s, 0);
	b = changed_host(s, 9);
	pa = s->ports[a].peer;
	pb = s->ports[b].peer;
	changed_unplug(s, a);
	changed_unplug(s, b);
	changed_plug(s, a, pb);
	changed_plug(s, b, pa);
	grow();
	assert_non_null(grown);
	assert_int_equal(g.moved, 2);
	assert_int_equal(g.replaced, 0);
	assert_int_equal(host_of(grown, s->ports[a].guid)->id, host_of(t, s->ports[b].guid)->id);
	assert_int_equal(host_of(grown, s->ports[b].guid)->id, host_of(t, s->ports[a].guid)->id);
}

/* A leaf that was off when the topology was learned, and its hosts. */
static void
a_new_leaf(void **state)
{
	uint32_t leaf;
	uint64_t guid;

	(void)state;
	bed_begin("fattree:k=8,levels=3");
	leaf = changed_leaf(t, true);
	guid = t->sw[leaf].guid;
	/* the topology without that leaf: its rows are taken out */
	for (uint32_t i = 0, n = t->nhosts; i < n; i++)
		if (t->hosts[n - 1 - i].sw == leaf) {
			memmove(&t->hosts[n - 1 - i], &t->hosts[n - i],
				(t->nhosts - (n - i)) * sizeof(t->hosts[0]));
			t->nhosts--;
		}
	for (uint32_t i = 0, n = t->nlinks; i < n; i++) {
		struct intended_link *l = &t->links[n - 1 - i];

		if (l->a == leaf || l->b == leaf) {
			memmove(l, l + 1, (t->nlinks - (n - i)) * sizeof(*l));
			t->nlinks--;
		}
	}
	memmove(&t->sw[leaf], &t->sw[leaf + 1], (t->nsw - leaf - 1) * sizeof(t->sw[0]));
	t->nsw--;
	for (uint32_t i = 0; i < t->nhosts; i++)
		t->hosts[i].sw -= t->hosts[i].sw > leaf;
	for (uint32_t i = 0; i < t->nlinks; i++) {
		t->links[i].a -= t->links[i].a > leaf;
		t->links[i].b -= t->links[i].b > leaf;
	}
	grow();
	assert_non_null(grown);
	assert_int_equal(g.switches, 1);
	assert_int_equal(g.hosts, 4);
	assert_int_equal(grown->nsw, 80);
	assert_int_equal(grown->nlinks, 256);
	assert_int_equal(grown->nhosts, 128);
	leaf = intended_switch_find(grown, guid);
	assert_int_equal(grown->sw[leaf].rank, 2);
	assert_int_equal(grown->sw[leaf].divider, 1);
	intended_diff_free(intended_compare(grown, s));
}

/* A second link, a spine: they would change the choices between others. */
static void
links_and_spines_are_pending(void **state)
{
	struct intended_diff *d;
	uint32_t port, peer;

	(void)state;
	bed_begin("fattree:k=4,levels=3");
	port = changed_switch_port(s, changed_leaf(t, true), true, 0);
	peer = s->ports[port].peer;
	changed_unplug(s, port);
	learn_again();
	changed_plug(s, port, peer);
	grow();
	assert_null(grown);
	d = intended_compare(t, s);
	assert_int_equal(d->count[INTENDED_NEW_LINK], 1);
	intended_diff_free(d);
	/* a switch without hosts */
	for (uint32_t i = 0; i < t->nsw; i++)
		if (t->sw[i].rank == 0) {
			t->sw[i].guid ^= 1; /* as if another one had been there */
			break;
		}
	grow();
	assert_null(grown);
}

static uint32_t
missing_now(const struct intended *of)
{
	struct intended_diff *d = intended_compare(of, s);
	uint32_t n = intended_diff_missing(d);

	assert_int_equal(intended_diff_pending(d), 0);
	intended_diff_free(d);
	return n;
}

/* All rules on random damage of random trees: nothing grows, and the result holds together. */
static void
random_damage(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 60; seed++) {
		struct made_how how = { .cut_percent = seed % 20, .seed = seed };
		struct made_how whole = { .seed = seed };

		s = changed_made("fattree:k=6,levels=3", &whole);
		t = intended_learn(s, NULL);
		made_free(s);
		s = changed_made("fattree:k=6,levels=3", &how);
		for (uint32_t i = 0; i < seed % 7; i++)
			changed_unplug(s, changed_host(s, i * 3));
		grow();
		assert_null(grown);
		missing_now(t);
		teardown(NULL);
	}
}

int
main(void)
{
#define T(f) cmocka_unit_test_teardown(f, teardown)
	const struct CMUnitTest tests[] = { T(damage_is_never_adopted), T(a_new_host_is_appended),
		T(a_free_id_of_the_leaf), T(an_exchanged_host_keeps_the_id), T(exchanged_cables),
		T(a_new_leaf), T(links_and_spines_are_pending), T(random_damage) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
