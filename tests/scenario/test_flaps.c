/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_flaps.c - links that go up and down without an end: reported once, looked at rarely, and no burden to the others.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sim/phys/phys.h"
#include "tests/scenario/lines.h"
#include "tests/scenario/world.h"

#define SECOND 1000000

struct cable {
	uint32_t a, b;
	uint8_t pa, pb;
};

struct play {
	struct world w;
	struct world_manager *s;
	struct lines l;
	unsigned sweeps;
};

static void
flaps_begin(struct play *p, const char *spec)
{
	memset(p, 0, sizeof(*p));
	world_init(&p->w, spec, 1);
	lines_keep(&p->l, &p->w);
	p->s = world_manager_start(&p->w, "host-0", NULL);
	assert_true(world_run_sweeps(&p->w, p->s, 1, 10 * SECOND));
	world_run(&p->w, 3 * SECOND);
	assert_true(world_is_right(&p->w));
	lines_forget(&p->l);
	p->sweeps = manager_sweeps(p->s->m);
}

static void
flaps_end(struct play *p)
{
	world_clear(&p->w);
	lines_clear(&p->l);
}

static struct cable
cable_at(struct play *p, const char *name, uint8_t port)
{
	struct cable c = { .a = world_node(&p->w, name), .pa = port };

	assert_true(hw_peer(p->w.hw, c.a, port, &c.b, &c.pb));
	return c;
}

static void
turn(struct play *p, const struct cable *c, bool in)
{
	if (in)
		assert_int_equal(hw_cable_plug(p->w.hw, c->a, c->pa, c->b, c->pb, p->w.now), 0);
	else
		assert_int_equal(hw_cable_pull(p->w.hw, c->a, c->pa, p->w.now), 0);
}

/* 'n' times down and up, half of 'period_us' each. */
static void
flap(struct play *p, const struct cable *c, unsigned n, int64_t period_us)
{
	for (unsigned i = 0; i < 2 * n; i++) {
		turn(p, c, i % 2);
		world_run(&p->w, period_us / 2);
	}
}

static unsigned
sweeps_since(struct play *p)
{
	unsigned n = manager_sweeps(p->s->m) - p->sweeps;

	p->sweeps += n;
	return n;
}

/* No walk between hosts is lost but those from and to 'but' of them. */
static uint64_t
walks_lost(struct play *p)
{
	struct hw_verdict v;

	hw_check(p->w.hw, true, &v);
	return v.lost;
}

/* Two changes a second for a minute beside a link that is lost for good: on another switch, then on the same one. */
static void
beside(const char *lost_at, uint8_t lost_port)
{
	struct cable c, lost;
	struct play p;
	unsigned lines, n;

	flaps_begin(&p, "fattree:k=8,levels=3");
	printf("# agg-1-0 port 5 flaps, %s port %u is lost\n", lost_at, lost_port);
	c = cable_at(&p, "agg-1-0", 5);
	lost = cable_at(&p, lost_at, lost_port);
	flap(&p, &c, 60, SECOND / 2);           /* 30 s at 2 Hz */
	turn(&p, &lost, false);
	flap(&p, &c, 4, SECOND / 2);            /* 2 s */
	assert_int_equal(walks_lost(&p), 0);
	flap(&p, &c, 56, SECOND / 2);
	lines = p.l.n;
	n = sweeps_since(&p);
	printf("# 120 times down and up in 60 s: %u sweeps, %u lines\n", n, lines);
	assert_in_range(n, 3, 8);
	assert_int_equal(lines_with(&p.l, "link flapping: agg-1-0 port 5 - core-0-0 port 2: 4 changes within 10 s"), 1);
	assert_int_equal(lines_with(&p.l, "agg-1-0 port 5"), 2);        /* when it went down first, too */
	assert_int_equal(lines_with(&p.l, "routes changed"), 2);        /* each cable once */
	assert_in_range(lines, 4, 6);
	/* It is up, and no packet depends on it until it has been quiet. */
	world_run(&p.w, 20 * SECOND);
	assert_int_equal(lines_with(&p.l, "link quiet"), 0);
	assert_int_equal(walks_lost(&p), 0);
	world_run(&p.w, 15 * SECOND);
	assert_int_equal(lines_with(&p.l, "link quiet: agg-1-0 port 5 - core-0-0 port 2: no change for 30 s, "), 1);
	assert_int_equal(lines_with(&p.l, "link up: agg-1-0 port 5 - core-0-0 port 2"), 1);
	world_run(&p.w, 5 * SECOND);
	assert_true(world_is_right(&p.w));
	flaps_end(&p);
}

static void
the_others_keep_their_sweeps(void **arg)
{
	(void)arg;
	beside("agg-2-1", 6);
	beside("agg-1-0", 6);
	beside("core-0-0", 5);
}

/* A host's link is the only way to it, so it stays in the routes; a change of the next port is found as soon as any other. */
static void
the_link_of_a_host(void **arg)
{
	struct cable c, other;
	struct play p;
	unsigned n;

	(void)arg;
	flaps_begin(&p, "fattree:k=8,levels=3");
	c = cable_at(&p, "leaf-1-0", 2);
	other = cable_at(&p, "leaf-1-0", 3);
	flap(&p, &c, 40, SECOND / 2);
	turn(&p, &other, false);
	flap(&p, &c, 8, SECOND / 2);            /* the sweep itself may wait for a host that goes down in the midst of it */
	assert_int_equal(lines_with(&p.l, "node lost: host-18 ("), 1);
	flap(&p, &c, 32, SECOND / 2);
	n = sweeps_since(&p);
	printf("# 80 times down and up in 40 s: %u sweeps, %u lines\n", n, p.l.n);
	assert_in_range(n, 3, 8);
	assert_int_equal(lines_with(&p.l, "link flapping: "), 1);
	assert_in_range(lines_with(&p.l, "host-17"), 1, 2);
	world_run(&p.w, 45 * SECOND);
	assert_true(world_is_right(&p.w));
	flaps_end(&p);
}

/* Forty changes in two seconds: at most a sweep for each hold-down, and what is there afterwards is right. */
static void
forty_changes_in_two_seconds(void **arg)
{
	struct cable c;
	struct play p;
	unsigned n;

	(void)arg;
	flaps_begin(&p, "fattree:k=4,levels=3");
	c = cable_at(&p, "agg-1-0", 3);
	flap(&p, &c, 20, SECOND / 10);
	n = sweeps_since(&p);
	printf("# 40 changes in 2 s: %u sweeps\n", n);
	assert_in_range(n, 1, 3);
	assert_int_equal(lines_with(&p.l, "link flapping: "), 1);
	world_run(&p.w, 45 * SECOND);
	assert_true(world_is_right(&p.w));
	assert_in_range(sweeps_since(&p), 1, 6);
	flaps_end(&p);
}

/* A link that is pulled, put back, pulled and put back with time in between is no flapping one. */
static void
slow_changes_are_none(void **arg)
{
	struct cable c;
	struct play p;

	(void)arg;
	flaps_begin(&p, "fattree:k=4,levels=3");
	c = cable_at(&p, "agg-1-0", 3);
	flap(&p, &c, 5, 10 * SECOND);
	assert_int_equal(lines_with(&p.l, "flapping"), 0);
	assert_int_equal(lines_with(&p.l, "link down: "), 5);
	assert_int_equal(lines_with(&p.l, "link up: "), 5);
	world_run(&p.w, 2 * SECOND);
	assert_true(world_is_right(&p.w));
	flaps_end(&p);
}

/* It flaps for ever: it is looked at ever more rarely. */
static void
for_an_hour(void **arg)
{
	struct cable c;
	struct play p;
	json_t *o;

	(void)arg;
	flaps_begin(&p, "fattree:k=4,levels=3");
	c = cable_at(&p, "agg-1-0", 3);
	flap(&p, &c, 7200, SECOND / 2);
	o = manager_status(p.s->m, p.w.now);
	assert_int_equal(json_integer_value(json_object_get(o, "flapping_total")), 1);
	assert_string_equal(json_string_value(json_object_get(json_array_get(json_object_get(o, "flapping"), 0), "link")),
		"agg-1-0 port 3 - core-0-0 port 2");
	json_decref(o);
	printf("# 7200 times down and up in an hour: %u sweeps, %u lines\n", manager_sweeps(p.s->m) - p.sweeps, p.l.n);
	assert_in_range(sweeps_since(&p), 20, 45);
	assert_int_equal(lines_with(&p.l, "routes changed"), 1);
	assert_in_range(p.l.n, 3, 3);
	world_run(&p.w, 40 * SECOND);
	assert_true(world_is_right(&p.w));
	flaps_end(&p);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_others_keep_their_sweeps),
		cmocka_unit_test(the_link_of_a_host),
		cmocka_unit_test(forty_changes_in_two_seconds),
		cmocka_unit_test(slow_changes_are_none),
		cmocka_unit_test(for_an_hour),
	};

	return cmocka_run_group_tests_name("flaps", tests, NULL, NULL);
}
