/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_topo.c - comparisons of fabrics whose links were altered in known ways, and pictures whose
 * boxes must not overlap.
 */
#include <config.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "diags/fabric/fabric.h"
#include "diags/topo/compare.h"
#include "fabric/draw/layout.h"
#include "fabric/topo/snapshot_topo.h"
#include "fabric/topo/topo.h"
#include "tests/unit/test.h"

#define PODS_MAX 12

/*
 * A tree of three levels: 'pods' of n leaves and n switches above them, n * n cores, n hosts a leaf;
 * without link 'lost' of the leaves, and with the upper ends of their links 'x' and 'y' (of one leaf)
 * exchanged (-1: none).
 */
static void
tree(struct diag_fabric *f, unsigned pods, unsigned n, int lost, int x, int y)
{
	struct topo_builder *b = topo_builder_new();
	uint32_t leaf[PODS_MAX * 8], agg[PODS_MAX * 8], core[64], host;
	uint64_t guid = 0x1000;
	char name[32];
	struct topo t;
	int link = 0;

	for (unsigned i = 0; i < n * n; i++)
		core[i] = topo_builder_node(b, TOPO_SWITCH, (uint8_t)pods, guid += 0x100, "core");
	for (unsigned i = 0; i < pods * n; i++) {
		agg[i] = topo_builder_node(b, TOPO_SWITCH, (uint8_t)(2 * n), guid += 0x100, "agg");
		leaf[i] = topo_builder_node(b, TOPO_SWITCH, (uint8_t)(2 * n), guid += 0x100, "leaf");
		for (unsigned h = 0; h < n; h++) {
			snprintf(name, sizeof(name), "host-%u", i * n + h);
			host = topo_builder_node(b, TOPO_CA, 1, guid += 0x100, name);
			assert_int_equal(topo_builder_cable(b, host, 1, leaf[i], (uint8_t)(1 + h)), 0);
		}
	}
	for (unsigned i = 0; i < pods * n; i++)
		for (unsigned k = 0; k < n; k++, link++) {
			int to = link == x ? y % (int)n : link == y ? x % (int)n : (int)k;
			unsigned up = i / n * n + (unsigned)to;

			if (link != lost)
				assert_int_equal(topo_builder_cable(b, leaf[i], (uint8_t)(n + 1 + k), agg[up], (uint8_t)(1 + i % n)), 0);
		}
	for (unsigned i = 0; i < pods * n; i++)
		for (unsigned k = 0; k < n; k++)
			assert_int_equal(topo_builder_cable(b, agg[i], (uint8_t)(n + 1 + k), core[i % n * n + k], (uint8_t)(1 + i / n)), 0);
	assert_int_equal(topo_builder_take(b, &t), 0);
	*f = (struct diag_fabric){ 0 };
	assert_int_equal(topo_to_snapshot(&t, FAB_NONE, 4, &f->s), 0);
	topo_clear(&t);
}

static struct topo_comparison
compared(const struct diag_fabric *a, const struct diag_fabric *b)
{
	struct topo_comparison c;

	topo_compare(a, b, TOPO_ASPECTS_ALL, false, &c);
	return c;
}

static void
test_same(void **state)
{
	struct diag_fabric a, b;
	struct topo_comparison c;

	(void)state;
	tree(&a, 4, 2, -1, -1, -1);
	tree(&b, 4, 2, -1, -1, -1);
	c = compared(&a, &b);
	assert_int_equal(c.n, 0);
	assert_int_equal(c.same, a.s->nlinks);
	topo_comparison_clear(&c);
	diag_fabric_clear(&a);
	diag_fabric_clear(&b);
}

static void
test_lost(void **state)
{
	struct diag_fabric a, b;
	struct topo_comparison c;

	(void)state;
	tree(&a, 4, 2, -1, -1, -1);
	for (int link = 0; link < 16; link++) {
		tree(&b, 4, 2, link, -1, -1);
		c = compared(&a, &b);
		assert_int_equal(c.n, 1);
		assert_int_equal(c.d[0].change, TOPO_CABLE_MISSING);
		assert_int_equal(c.same, a.s->nlinks - 1);
		topo_comparison_clear(&c);
		c = compared(&b, &a);
		assert_int_equal(c.n, 1);
		assert_int_equal(c.d[0].change, TOPO_CABLE_EXTRA);
		topo_comparison_clear(&c);
		diag_fabric_clear(&b);
	}
	diag_fabric_clear(&a);
}

static void
test_swapped(void **state)
{
	struct diag_fabric a, b;
	struct topo_comparison c;

	(void)state;
	tree(&a, 4, 4, -1, -1, -1);
	for (int link = 0; link < 64; link += 4)
		for (int other = 1; other < 4; other++) {
			tree(&b, 4, 4, -1, link, link + other);
			c = compared(&a, &b);
			assert_int_equal(c.n, 1);
			assert_int_equal(c.d[0].change, TOPO_CABLE_SWAPPED);
			for (unsigned i = 0; i < 4; i++)
				assert_non_null(c.d[0].was[i] && c.d[0].is[i] ? &c : NULL);
			assert_int_equal(c.same, a.s->nlinks - 2);
			topo_comparison_clear(&c);
			diag_fabric_clear(&b);
		}
	diag_fabric_clear(&a);
}

/* Boxes of one row are apart, and all is within the picture. */
static void
check_layout(const struct diag_fabric *f)
{
	struct levels l;
	struct layout o;

	levels_make(f->s, &l);
	layout_make(f->s, &l, &o);
	assert_int_equal(l.top, 3);
	for (uint32_t i = 0; i < l.g.nsw; i++) {
		const struct layout_switch *p = &o.sw[i];

		assert_true(p->x - o.box_w / 2 >= 0 && p->x + o.box_w / 2 <= o.width);
		assert_true(p->y - o.box_h / 2 >= 0 && p->y + o.box_h / 2 <= o.height);
		for (uint32_t k = 0; k < i; k++)
			assert_true(fabs(p->y - o.sw[k].y) >= o.box_h || fabs(p->x - o.sw[k].x) >= o.box_w - 0.001);
		for (uint32_t k = 0; k < i; k++)
			assert_true((l.of[i] < l.of[k]) == (p->y > o.sw[k].y + 1) || l.of[i] == l.of[k]);
	}
	for (uint32_t h = 0; h < l.g.host_first[l.g.nsw]; h++)
		assert_true(o.host[h].x >= 0 && o.host[h].x <= o.width && o.host[h].y <= o.height);
	levels_clear(&l);
}

static void
test_layout(void **state)
{
	struct diag_fabric f;

	(void)state;
	for (unsigned n = 1; n <= 8; n++)
		for (unsigned pods = 2; pods <= PODS_MAX; pods += 5) {
			tree(&f, pods, n, n > 1 ? 1 : -1, -1, -1);
			check_layout(&f);
			diag_fabric_clear(&f);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same), cmocka_unit_test(test_lost), cmocka_unit_test(test_swapped), cmocka_unit_test(test_layout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
