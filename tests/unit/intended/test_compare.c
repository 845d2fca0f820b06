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
intended_compare_setup(void **state)
{
	(void)state;
	s = changed_made("fattree:k=4,levels=3", NULL);
	t = intended_learn(s, NULL);
	return 0;
}

static int
intended_compare_teardown(void **state)
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

/* ---- any changes, beside lookups of everything ---- */

static struct intended_change want[4096];
static uint32_t nwant;

static void
expect(enum intended_change_kind kind, uint64_t guid, uint64_t other, uint8_t port, uint8_t other_port)
{
	assert_true(nwant < sizeof(want) / sizeof(want[0]));
	want[nwant++] = (struct intended_change){ kind, guid, other, port, other_port };
}

/* The switch of the fabric that has this place in the topology. */
static uint32_t
ordinal(uint32_t sw)
{
	uint32_t node = snapshot_node_by_guid(s, t->sw[sw].guid);

	if (node == FAB_NONE || s->nodes[node].sw == FAB_NONE || !intended_switch_there(s, s->nodes[node].sw))
		return INTENDED_NONE;
	return s->nodes[node].sw;
}

static const struct fab_node *
node_of(uint32_t sw)
{
	return &s->nodes[s->switches[sw]];
}

/* What is intended at a port of a switch of the fabric: 1 + a link, -1 - a host, 0 nothing. */
static int
use(uint32_t sw, uint8_t port)
{
	uint32_t at = intended_switch_find(t, node_of(sw)->guid);

	for (uint32_t i = 0; i < t->nlinks; i++)
		if ((t->links[i].a == at && t->links[i].aport == port) || (t->links[i].b == at && t->links[i].bport == port))
			return (int)i + 1;
	for (uint32_t i = 0; i < t->nhosts; i++)
		if (t->hosts[i].sw == at && t->hosts[i].port == port)
			return -1 - (int)i;
	return 0;
}

static void
expect_missing(void)
{
	for (uint32_t i = 0; i < t->nsw; i++)
		if (ordinal(i) == INTENDED_NONE)
			expect(INTENDED_MISSING_SWITCH, t->sw[i].guid, 0, 0, 0);
	for (uint32_t i = 0; i < t->nlinks; i++) {
		const struct intended_link *l = &t->links[i];
		uint32_t a = ordinal(l->a), b = ordinal(l->b), peer;

		if (a == INTENDED_NONE || b == INTENDED_NONE)
			continue;
		peer = snapshot_port(s, s->switches[a], l->aport)->peer;
		if (peer == FAB_NONE || s->ports[peer].num != l->bport || s->nodes[s->ports[peer].node].sw != b)
			expect(INTENDED_MISSING_LINK, t->sw[l->a].guid, t->sw[l->b].guid, l->aport, l->bport);
	}
	for (uint32_t i = 0; i < t->nhosts; i++)
		if (intended_place_of(s, snapshot_port_by_guid(s, t->hosts[i].guid)).sw == INTENDED_NONE)
			expect(INTENDED_MISSING_HOST, t->hosts[i].guid, t->sw[t->hosts[i].sw].guid, 0, t->hosts[i].port);
	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		if (intended_switch_there(s, sw) && intended_switch_find(t, node_of(sw)->guid) == INTENDED_NONE)
			expect(INTENDED_NEW_SWITCH, node_of(sw)->guid, 0, 0, 0);
}

/* A link is new, or in the wrong place. */
static void
expect_link(bool new, const struct fab_port *a, const struct fab_port *b)
{
	uint32_t sw = s->nodes[a->node].sw, to = s->nodes[b->node].sw;
	int ua = use(sw, a->num), ub = use(to, b->num);
	bool known = intended_switch_find(t, node_of(sw)->guid) != INTENDED_NONE &&
		intended_switch_find(t, node_of(to)->guid) != INTENDED_NONE;

	if (new && known && !ua && !ub)
		expect(INTENDED_NEW_LINK, node_of(sw)->guid, node_of(to)->guid, a->num, b->num);
	if (new || (ua > 0 && ua == ub))
		return;
	if (ua)
		expect(INTENDED_OTHER_PEER, node_of(sw)->guid, node_of(to)->guid, a->num, b->num);
	if (ub)
		expect(INTENDED_OTHER_PEER, node_of(to)->guid, node_of(sw)->guid, b->num, a->num);
}

static void
expect_links(bool new)
{
	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		for (unsigned p = 1; intended_switch_there(s, sw) && p <= node_of(sw)->nports; p++) {
			const struct fab_port *a = snapshot_port(s, s->switches[sw], (uint8_t)p);
			uint32_t to = a->peer == FAB_NONE ? FAB_NONE : s->nodes[s->ports[a->peer].node].sw;

			if (to != FAB_NONE && to > sw && intended_switch_there(s, to))
				expect_link(new, a, &s->ports[a->peer]);
		}
}

static void
expect_hosts(enum intended_change_kind kind)
{
	for (uint32_t i = 0; i < s->nendports; i++) {
		uint64_t guid = s->ports[s->endports[i]].guid;
		struct intended_place at = intended_place_of(s, s->endports[i]);
		uint32_t h = intended_host_find(t, guid);
		bool differs = false;

		if (at.sw == INTENDED_NONE)
			continue;
		if (kind == INTENDED_NEW_HOST)
			differs = h == INTENDED_NONE;
		else if (kind == INTENDED_MOVED_HOST)
			differs = h != INTENDED_NONE && (t->sw[t->hosts[h].sw].guid != node_of(at.sw)->guid ||
								t->hosts[h].port != at.port);
		if (differs)
			expect(kind, guid, node_of(at.sw)->guid, 0, at.port);
		if (kind == INTENDED_OTHER_PEER && use(at.sw, at.port) > 0)
			expect(kind, node_of(at.sw)->guid, guid, at.port, 0);
	}
}

static void
change(uint32_t *random)
{
	uint32_t a = made_random(random) % s->nports, b = made_random(random) % s->nports;

	switch (made_random(random) % 6) {
	case 0:
		changed_switch_off(s, made_random(random) % s->nswitches, made_random(random) % 2);
		break;
	case 1:
		changed_unplug(s, a);
		break;
	case 2: /* an exchanged host or switch; GUIDs stay in order */
		s->nodes[s->ports[a].node].guid++;
		for (unsigned p = 0; p <= s->nodes[s->ports[a].node].nports; p++)
			s->ports[s->nodes[s->ports[a].node].first_port + p].guid++;
		snapshot_seal(s);
		break;
	case 3: /* two ports with one GUID */
		if (made_random(random) % 8 == 0)
			s->ports[a].guid = s->ports[b].guid;
		snapshot_seal(s);
		break;
	default:
		if (!s->ports[a].num || !s->ports[b].num || s->ports[a].node == s->ports[b].node)
			return;
		changed_unplug(s, a);
		changed_unplug(s, b);
		changed_plug(s, a, b);
		break;
	}
}

static void
any_changes(void **state)
{
	static const char *const shapes[] = { "fattree:k=4,levels=3", "torus:3x3,hosts=2", "fattree:k=4,levels=2" };
	uint32_t random = 5, kinds[INTENDED_CHANGE_KINDS] = { 0 };

	for (unsigned i = 0; i < test_share(300); i++) {
		struct made_how how = { .seed = i, .scramble = i & 1, .shuffle = i & 2 };

		intended_compare_teardown(state);
		s = changed_made(shapes[i % 3], &how);
		t = intended_learn(s, NULL);
		for (unsigned k = 0; k < 12; k++) {
			intended_diff_free(d);
			d = intended_compare(t, s);
			nwant = 0;
			expect_missing();
			expect_links(true);
			expect_hosts(INTENDED_NEW_HOST);
			expect_hosts(INTENDED_MOVED_HOST);
			expect_links(false);
			expect_hosts(INTENDED_OTHER_PEER);
			assert_int_equal(d->n, nwant);
			for (uint32_t n = 0; n < nwant; n++) {
				const struct intended_change *x = &d->v[n], *y = &want[n];

				kinds[y->kind]++;
				assert_true(x->kind == y->kind && x->guid == y->guid && x->other == y->other &&
					x->port == y->port && x->other_port == y->other_port);
			}
			change(&random);
		}
	}
	for (unsigned k = 0; k < INTENDED_CHANGE_KINDS; k++)
		assert_true(kinds[k] > 0);
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
#define T(f) cmocka_unit_test_setup_teardown(f, intended_compare_setup, intended_compare_teardown)
	const struct CMUnitTest tests[] = { T(equal), T(a_missing_host), T(a_missing_link),
		T(a_missing_switch), T(new_things), T(moved_hosts), T(a_cable_in_the_wrong_place),
		T(a_host_on_a_link), T(another_fabric), T(any_changes), T(words) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
