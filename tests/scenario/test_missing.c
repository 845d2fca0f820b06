/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_missing.c - what was there and is not any more: in the log by name, and in the status until it is back.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sim/phys/phys.h"
#include "tests/scenario/lines.h"
#include "tests/scenario/world.h"

#define SECOND 1000000
#define DAY (86400 * (int64_t)SECOND)

struct play {
	struct world w;
	struct world_manager *s;
	struct lines l;
};

static void
missing_begin(struct play *p, const char *spec)
{
	memset(p, 0, sizeof(*p));
	world_init(&p->w, spec, 1);
	lines_keep(&p->l, &p->w);
	p->s = world_manager_start(&p->w, "host-0", NULL);
	assert_true(world_run_sweeps(&p->w, p->s, 1, 10 * SECOND));
	world_run(&p->w, 3 * SECOND);
	assert_true(world_is_right(&p->w));
	assert_int_equal(lines_with(&p->l, "fabric"), 0);
	assert_int_equal(lines_with(&p->l, "found"), 0);        /* a first sweep finds everything, and reports nothing */
}

static void
missing_end(struct play *p)
{
	world_clear(&p->w);
	lines_clear(&p->l);
}

/* The entry of that name in what the status lists as missing; NULL.  Owned by '*status'. */
static const json_t *
listed(struct play *p, const char *name, json_t **status)
{
	json_t *e;
	size_t i;

	*status = manager_status(p->s->m, p->w.now);
	json_array_foreach(json_object_get(*status, "missing"), i, e)
		if (!strcmp(json_string_value(json_object_get(e, "name")), name))
			return e;
	return NULL;
}

static void
is_missing(struct play *p, const char *name, const char *kind, const char *place, const char *reason, double for_s)
{
	json_t *o;
	const json_t *e = listed(p, name, &o);

	if (!e)
		fail_msg("%s is not listed", name);
	assert_string_equal(json_string_value(json_object_get(e, "kind")), kind);
	assert_string_equal(json_string_value(json_object_get(e, "place")), place);
	assert_string_equal(json_string_value(json_object_get(e, "reason")), reason);
	assert_int_equal(strlen(json_string_value(json_object_get(e, "since"))), 20);
	assert_true(json_real_value(json_object_get(e, "missing_s")) > for_s - 2);
	assert_true(json_real_value(json_object_get(e, "missing_s")) < for_s + 2);
	json_decref(o);
}

static unsigned
missing(struct play *p)
{
	json_t *o = manager_status(p->s->m, p->w.now);
	unsigned n = (unsigned)json_integer_value(json_object_get(o, "missing_total"));

	json_decref(o);
	return n;
}

static void
a_host_is_switched_off(void **arg)
{
	struct play p;

	(void)arg;
	missing_begin(&p, "fattree:k=4,levels=3");
	assert_int_equal(hw_node_power(p.w.hw, world_node(&p.w, "host-12"), false, p.w.now), 0);
	world_run(&p.w, 30 * SECOND);
	assert_int_equal(lines_with(&p.l, "node lost: host-12 (0x00fe1d0000002000) behind leaf-3-0 port 1: link down\n"), 1);
	is_missing(&p, "host-12", "node", "leaf-3-0 port 1", "link down", 30);
	assert_int_equal(missing(&p), 1);
	assert_int_equal(hw_node_power(p.w.hw, world_node(&p.w, "host-12"), true, p.w.now), 0);
	world_run(&p.w, 10 * SECOND);
	assert_int_equal(lines_with(&p.l, "node back: host-12 (0x00fe1d0000002000) behind leaf-3-0 port 1, away for 30 s\n"), 1);
	assert_int_equal(missing(&p), 0);
	assert_int_equal(p.l.n, 2 + 2);                 /* with the two of the start */
	missing_end(&p);
}

static void
a_cable_is_pulled(void **arg)
{
	struct play p;
	uint32_t agg, core;
	uint8_t port;

	(void)arg;
	missing_begin(&p, "fattree:k=4,levels=3");
	agg = world_node(&p.w, "agg-1-0");
	assert_true(hw_peer(p.w.hw, agg, 3, &core, &port));
	assert_int_equal(hw_cable_pull(p.w.hw, agg, 3, p.w.now), 0);
	world_run(&p.w, 150 * SECOND);
	assert_int_equal(lines_with(&p.l, "link down: agg-1-0 port 3 - core-0-0 port 2\n"), 1);
	is_missing(&p, "agg-1-0 port 3", "link", "core-0-0 port 2", "link down", 150);
	assert_int_equal(hw_cable_plug(p.w.hw, agg, 3, core, port, p.w.now), 0);
	world_run(&p.w, 10 * SECOND);
	assert_int_equal(lines_with(&p.l, "link up: agg-1-0 port 3 - core-0-0 port 2, down for 2 min\n"), 1);
	assert_int_equal(missing(&p), 0);
	assert_int_equal(lines_with(&p.l, "routes changed: "), 2);
	assert_int_equal(p.l.n, 2 + 2 + 2);
	missing_end(&p);
}

/* One line for a switch and what was behind it. */
static void
a_switch_is_lost(void **arg)
{
	struct play p;

	(void)arg;
	missing_begin(&p, "fattree:k=12,levels=2");
	assert_int_equal(hw_node_power(p.w.hw, world_node(&p.w, "leaf-0-3"), false, p.w.now), 0);
	world_run(&p.w, 20 * SECOND);
	assert_int_equal(lines_with(&p.l, "switch lost: leaf-0-3 ("), 1);
	assert_int_equal(lines_with(&p.l, ": link down; 6 hosts behind it lost\n"), 1);
	assert_int_equal(p.l.n, 2 + 1);
	assert_int_equal(missing(&p), 7);
	is_missing(&p, "host-18", "node", "leaf-0-3 port 1", "the switch it was behind is missing", 20);
	assert_int_equal(hw_node_power(p.w.hw, world_node(&p.w, "leaf-0-3"), true, p.w.now), 0);
	world_run(&p.w, 20 * SECOND);
	assert_int_equal(lines_with(&p.l, "away for 20 s; 6 hosts behind it\n"), 1);
	assert_int_equal(p.l.n, 2 + 2);
	assert_int_equal(missing(&p), 0);
	missing_end(&p);
}

/* A storm of events fills no log: so many are named, the rest are counted. */
static void
many_hosts_at_once(void **arg)
{
	struct play p;

	(void)arg;
	missing_begin(&p, "fattree:k=12,levels=2");
	for (unsigned i = 1; i < 61; i++) {
		char name[16];

		snprintf(name, sizeof(name), "host-%u", i);
		hw_node_power(p.w.hw, world_node(&p.w, name), false, p.w.now);
	}
	world_run(&p.w, 20 * SECOND);
	assert_int_equal(lines_with(&p.l, "node lost: host-"), 16);
	assert_int_equal(lines_with(&p.l, "44 more nodes lost\n"), 1);
	assert_int_equal(missing(&p), 60);
	missing_end(&p);
}

/* What does not answer is named by the port before it, and by who was there last: not by its neighbour. */
static void
a_node_does_not_answer(void **arg)
{
	struct play p;
	json_t *o, *t, *target;

	(void)arg;
	missing_begin(&p, "fattree:k=4,levels=3");
	assert_int_equal(hw_misbehave(p.w.hw, world_node(&p.w, "host-12"), HW_MUTE, 0, 0), 0);
	manager_sweep(p.s->m, "test", p.w.now);
	world_run(&p.w, 20 * SECOND);
	assert_int_equal(lines_with(&p.l, "node lost: host-12 (0x00fe1d0000002000) behind leaf-3-0 port 1: no answer\n"), 1);
	assert_int_equal(p.l.n, 2 + 1);
	is_missing(&p, "host-12", "node", "leaf-3-0 port 1", "no answer", 19);
	o = manager_status(p.s->m, p.w.now);
	t = json_array_get(json_object_get(o, "troubles"), 0);
	assert_string_equal(json_string_value(json_object_get(t, "reason")),
		"no answer from the node behind leaf-3-0 port 1, last seen as host-12 (0x00fe1d0000002000)");
	assert_string_equal(json_string_value(json_object_get(t, "guid")), "0x00fe1d0000002000");
	assert_string_equal(json_string_value(json_object_get(t, "description")), "host-12");
	json_decref(o);
	/* A manager that never met it names the place alone. */
	world_manager_kill(&p.w, p.s);
	lines_forget(&p.l);
	p.s = world_manager_start(&p.w, "host-0", NULL);
	assert_true(world_run_sweeps(&p.w, p.s, 1, 10 * SECOND));
	assert_int_equal(lines_with(&p.l, "no answer from the node behind leaf-3-0 port 1\n"), 1);
	o = manager_report(p.s->m, p.w.now);
	target = json_object_get(json_array_get(json_object_get(o, "errors"), 0), "target");
	assert_true(json_is_null(json_object_get(target, "node_guid")));
	t = json_object_get(json_array_get(json_object_get(o, "failed"), 0), "place");
	assert_string_equal(json_string_value(json_object_get(t, "name")), "leaf-3-0 port 1");
	json_decref(o);
	for (unsigned i = 0; i < 5; i++) {
		manager_sweep(p.s->m, "test", p.w.now);
		world_run(&p.w, 10 * SECOND);
	}
	assert_int_equal(lines_with(&p.l, "no answer"), 1);     /* reported once */
	missing_end(&p);
}

/* Gone for good: it leaves the list, with the days or with the manager. */
static void
what_never_comes_back(void **arg)
{
	static const char *const args[] = { "-s", "3600", NULL };
	struct play p;

	(void)arg;
	missing_begin(&p, "fattree:k=4,levels=2");
	world_manager_reload(&p.w, p.s, args);
	world_run(&p.w, 10 * SECOND);
	assert_int_equal(hw_node_power(p.w.hw, world_node(&p.w, "host-5"), false, p.w.now), 0);
	for (unsigned i = 0; i < 6 * 24; i++)
		world_run(&p.w, DAY / 24);
	assert_int_equal(missing(&p), 1);
	world_run(&p.w, 4 * DAY);
	assert_int_equal(missing(&p), 0);
	missing_end(&p);
}

/* With our own link down it is not the subnet that is missing. */
static void
our_own_link(void **arg)
{
	struct play p;

	(void)arg;
	missing_begin(&p, "fattree:k=4,levels=3");
	assert_int_equal(hw_cable_pull(p.w.hw, world_node(&p.w, "host-0"), 1, p.w.now), 0);
	world_run(&p.w, 30 * SECOND);
	assert_int_equal(missing(&p), 0);
	assert_int_equal(lines_with(&p.l, " lost"), 0);
	assert_int_equal(hw_cable_plug(p.w.hw, world_node(&p.w, "host-0"), 1, world_node(&p.w, "leaf-0-0"), 1, p.w.now), 0);
	world_run(&p.w, 30 * SECOND);
	assert_int_equal(missing(&p), 0);
	assert_int_equal(lines_with(&p.l, "found"), 0);
	missing_end(&p);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_host_is_switched_off),
		cmocka_unit_test(a_cable_is_pulled),
		cmocka_unit_test(a_switch_is_lost),
		cmocka_unit_test(many_hosts_at_once),
		cmocka_unit_test(a_node_does_not_answer),
		cmocka_unit_test(what_never_comes_back),
		cmocka_unit_test(our_own_link),
	};

	return cmocka_run_group_tests_name("missing", tests, NULL, NULL);
}
