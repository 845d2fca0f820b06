/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_layout.c - positions: within the picture, boxes that do not overlap, rows by level, rings,
 * and how hosts are shown.
 */
#include <config.h>
#include <math.h>
#include "fabric/draw/layout.h"
#include "tests/unit/fabric/draw/drawing.h"

#define NEAR 1e-6

struct laid {
	struct snapshot *s;
	struct levels l;
	struct layout o;
};

/* Takes 's'. */
static void
laid_begin(struct laid *k, struct snapshot *s)
{
	k->s = s;
	levels_make(s, &k->l);
	layout_make(s, &k->l, &k->o);
}

static void
laid_end(struct laid *k)
{
	levels_clear(&k->l);
	snapshot_free(k->s);
}

static void
check_within(const struct layout *o, double x, double y, double w, double h)
{
	assert_true(x - w / 2 >= -NEAR && x + w / 2 <= o->width + NEAR);
	assert_true(y - h / 2 >= -NEAR && y + h / 2 <= o->height + NEAR);
}

/* Rows by level from the bottom to the top, in which no two boxes overlap. */
static void
check_rows(const struct laid *k)
{
	const struct layout *o = &k->o;

	for (uint32_t a = 0; a < k->l.g.nsw; a++) {
		check_within(o, o->sw[a].x, o->sw[a].y, o->box_w, o->box_h);
		for (uint32_t b = 0; b < a; b++) {
			unsigned la = k->l.of[a], lb = k->l.of[b];

			if (la == lb) {
				assert_true(fabs(o->sw[a].y - o->sw[b].y) < NEAR);
				assert_true(fabs(o->sw[a].x - o->sw[b].x) >= o->box_w - NEAR);
			} else if (la > lb) {
				assert_true(o->sw[a].y + o->box_h < o->sw[b].y);
			} else {
				assert_true(o->sw[b].y + o->box_h < o->sw[a].y);
			}
		}
	}
}

/* Hosts are below their switch, and do not overlap those of the same switch. */
static void
check_hosts(const struct laid *k)
{
	const struct layout *o = &k->o;
	const uint32_t *first = k->l.g.host_first;

	for (uint32_t sw = 0; sw < k->l.g.nsw; sw++)
		for (uint32_t i = first[sw]; i < first[sw + 1]; i++) {
			check_within(o, o->host[i].x, o->host[i].y, o->host_w, o->host_h);
			assert_true(o->host[i].y - o->host_h / 2 >
				o->sw[sw].y + o->box_h / 2);
			assert_true(o->host[i].y < o->below[sw]);
			assert_true(fabs(o->host[i].x - o->sw[sw].x) <= o->step / 2);
			for (uint32_t j = first[sw]; j < i; j++)
				assert_true(fabs(o->host[i].x - o->host[j].x) >=
					o->host_w - NEAR ||
					fabs(o->host[i].y - o->host[j].y) >= o->host_h - NEAR);
		}
}

static void
rows(void **state)
{
	static const struct { unsigned spines, leaves, hosts; } trees[] = {
		{ 0, 1, 0 }, { 0, 1, 1 }, { 0, 3, 2 }, { 1, 1, 4 }, { 1, 2, 3 }, { 2, 8, 4 },
		{ 4, 4, 4 }, { 9, 12, 1 }, { 30, 20, 8 }, { 100, 5, 2 }, { 200, 2, 1 },
		{ 1, 90, 5 }, { 9, 1, 2 }, { 12, 2, 2 }, { 20, 4, 4 }, { 17, 1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		struct laid k;

		laid_begin(&k, drawing_tree(trees[i].spines, trees[i].leaves, trees[i].hosts));
		assert_false(k.o.ring);
		assert_ptr_equal(k.o.l, &k.l);
		assert_true(k.o.scale >= 1);
		check_rows(&k);
		check_hosts(&k);
		laid_end(&k);
	}
}

/* A spine above two leaves is in the middle between them. */
static void
middle(void **state)
{
	struct laid k;

	(void)state;
	laid_begin(&k, drawing_tree(1, 2, 2));
	assert_true(fabs(k.o.sw[0].x - (k.o.sw[1].x + k.o.sw[2].x) / 2) < NEAR);
	assert_true(fabs(k.o.sw[0].x - k.o.width / 2) < NEAR);
	laid_end(&k);
}

/* Spines that are all linked to the first leaf, or to the last one, stay within the picture. */
static void
edges(void **state)
{
	static struct plan p;
	struct laid k;

	(void)state;
	for (unsigned i = 0; i < 26; i++)
		plan_switch(&p);
	for (unsigned i = 10; i < 26; i++)
		plan_cable(&p, i, i < 18 ? 0 : 9);
	for (unsigned i = 0; i < 10; i++)
		plan_hosts(&p, i, 2);
	laid_begin(&k, plan_take(&p));
	assert_int_equal(k.l.top, 2);
	check_rows(&k);
	laid_end(&k);
}

/* Switches of one level only: from four on they form a ring around the centre. */
static void
ring(void **state)
{
	static const unsigned sizes[] = { 3, 4, 5, 57, 58, 200 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct laid k;
		const struct layout *o = &k.o;
		double r;

		laid_begin(&k, drawing_ring(sizes[i], 1));
		assert_int_equal(k.o.ring, sizes[i] >= 4);
		if (!k.o.ring) {
			check_rows(&k);
			laid_end(&k);
			continue;
		}
		assert_int_equal(o->hosts, LAYOUT_COUNTS);
		r = o->ring_y - o->sw[0].y; /* the first one is at the top */
		assert_true(r >= 200);
		for (uint32_t a = 0; a < sizes[i]; a++) {
			const struct layout_switch *p = &o->sw[a], *q = &o->sw[(a + 1) % sizes[i]];

			check_within(o, p->x, p->y, o->box_w, o->box_h);
			assert_true(fabs(hypot(p->x - o->width / 2, p->y - o->ring_y) - r) < NEAR);
			assert_true(fabs(o->width / 2 + r * cos(p->angle) - p->x) < NEAR);
			assert_true(hypot(p->x - q->x, p->y - q->y) > o->box_w);
		}
		laid_end(&k);
	}
}

/* Few hosts have boxes with names, more are dots, very many are a number. */
static void
hosts(void **state)
{
	static const struct { unsigned leaves, hosts; enum layout_hosts as; } cases[] = {
		{ 2, 4, LAYOUT_BOXES }, { 2, 5, LAYOUT_DOTS }, { 16, 1, LAYOUT_BOXES },
		{ 16, 4, LAYOUT_DOTS }, /* too narrow for names */
		{ 65, 1, LAYOUT_DOTS }, { 25, 240, LAYOUT_DOTS }, { 25, 241, LAYOUT_COUNTS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct laid k;

		laid_begin(&k, drawing_tree(1, cases[i].leaves, cases[i].hosts));
		assert_int_equal(k.o.hosts, cases[i].as);
		if (k.o.hosts == LAYOUT_DOTS)
			assert_true(k.o.host_w == k.o.host_h);
		assert_true(k.o.host_w > 0 && k.o.host_h > 0);
		laid_end(&k);
	}
}

/* The size of a large fabric's boxes and its title: legible, and names upwards. */
static void
large(void **state)
{
	struct laid small, big;

	(void)state;
	laid_begin(&small, drawing_tree(2, 4, 2));
	laid_begin(&big, drawing_tree(2, 120, 2));
	assert_false(small.o.upright);
	assert_true(big.o.upright);
	assert_true(small.o.box_w > small.o.box_h && big.o.box_w < big.o.box_h);
	assert_true(big.o.box_w >= 8);
	assert_true(small.o.scale == 1 && big.o.scale > 1);
	assert_true(big.o.width > small.o.width);
	check_rows(&big);
	laid_end(&small);
	laid_end(&big);
}

/* Equal fabrics have equal pictures. */
static void
again(void **state)
{
	struct laid a, b;

	(void)state;
	laid_begin(&a, drawing_tree(7, 12, 3));
	laid_begin(&b, drawing_tree(7, 12, 3));
	assert_true(a.o.width == b.o.width && a.o.height == b.o.height);
	assert_memory_equal(a.o.sw, b.o.sw, a.l.g.nsw * sizeof(*a.o.sw));
	assert_memory_equal(a.o.host, b.o.host, 36 * sizeof(*a.o.host));
	laid_end(&a);
	laid_end(&b);
}

/* No switch at all, and switches without any link, among others. */
static void
damaged(void **state)
{
	struct snapshot none = { .nnodes = 0 };
	static struct plan p;
	struct levels l;
	struct layout o;
	struct laid k;

	(void)state;
	levels_make(&none, &l);
	layout_make(&none, &l, &o);
	assert_true(o.width == 400 && o.height == 400);
	levels_clear(&l);
	for (unsigned i = 0; i < 6; i++)
		plan_switch(&p);
	plan_cable(&p, 0, 1);
	plan_cable(&p, 0, 1);
	plan_cable(&p, 3, 4);
	plan_hosts(&p, 1, 3);
	laid_begin(&k, plan_take(&p));
	assert_false(k.o.ring);
	check_rows(&k);
	check_hosts(&k);
	laid_end(&k);
}

/* Arcs rise with the distance, to a limit, and equally in both directions. */
static void
swing(void **state)
{
	(void)state;
	assert_true(layout_swing(0) == 30);
	for (double dx = 0; dx < 3000; dx += 50) {
		assert_true(layout_swing(dx) == layout_swing(-dx));
		assert_true(layout_swing(dx + 50) >= layout_swing(dx));
		assert_true(layout_swing(dx) <= 260);
	}
	assert_true(layout_swing(100) > layout_swing(50));
	assert_true(layout_swing(1e9) == 260);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows),
		cmocka_unit_test(middle),
		cmocka_unit_test(edges),
		cmocka_unit_test(ring),
		cmocka_unit_test(hosts),
		cmocka_unit_test(large),
		cmocka_unit_test(again),
		cmocka_unit_test(damaged),
		cmocka_unit_test(swing),
	};

	return cmocka_run_group_tests_name("fabric/draw/layout", tests, NULL, NULL);
}
