/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_compare.c - differences between two fabrics, and the sentences about them.
 */
#include <config.h>
#include "diags/topo/compare.h"
#include "tests/unit/diags/world.h"

static struct topo_comparison result;
static struct diag_fabric was;

static int
compare_begin(void **state)
{
	world_fabric(&was, fake_snapshot());
	return world_begin(state);
}

static int
compare_end(void **state)
{
	topo_comparison_clear(&result);
	diag_fabric_clear(&was);
	return world_end(state);
}

static void
compare(const struct world *w, unsigned aspects, bool by_name)
{
	topo_comparison_clear(&result);
	topo_compare(&was, &w->f, aspects, by_name, &result);
}

static const struct topo_difference *
only(enum topo_change c)
{
	const struct topo_difference *found = NULL;

	for (size_t i = 0; i < result.n; i++)
		if (result.d[i].change == c) {
			assert_null(found);
			found = &result.d[i];
		}
	assert_non_null(found);
	return found;
}

static const char *
sentence(struct world *w, enum topo_change c, char buf[static TOPO_TEXT_BYTES])
{
	return topo_difference_text(&w->d, &was, &w->f, only(c), buf);
}

static void
same(void **state)
{
	struct world *w = *state;

	compare(w, TOPO_ASPECTS_ALL, false);
	assert_int_equal(result.n, 0);
	assert_int_equal(result.links, 4);
	assert_int_equal(result.same, 4);
}

static void
renamed(void **state)
{
	struct world *w = *state;
	char buf[TOPO_TEXT_BYTES], object[TOPO_OBJECT_BYTES];

	memcpy(world_node(w->f.s, 0x200)->desc, "host-9", 6);
	compare(w, TOPO_ASPECTS_ALL, false);
	assert_int_equal(result.n, 1);
	assert_non_null(strstr(sentence(w, TOPO_NODE_RENAMED, buf),
		"ca host-0 (0x0000000000000200) is called host-9"));
	assert_string_equal(
		topo_difference_object(&was, &w->f, &result.d[0], object), "0x0000000000000200/0");
	compare(w, TOPO_CABLES | TOPO_WIDTHS | TOPO_SPEEDS, false);
	assert_int_equal(result.n, 0);
}

/* Another device of the same name and kind, with the links of the old one. */
static void
replaced(void **state)
{
	struct world *w = *state;
	char buf[TOPO_TEXT_BYTES];

	world_node(w->f.s, 0x400)->guid = 0x401;
	compare(w, TOPO_ASPECTS_ALL, false);
	assert_int_equal(result.n, 1);
	assert_string_equal(sentence(w, TOPO_NODE_REPLACED, buf),
		"switch spine-0 (0x0000000000000400) is another device now: 0x0000000000000401");
	assert_int_equal(result.same, 4);
}

static void
width_and_speed(void **state)
{
	struct world *w = *state;
	char buf[TOPO_TEXT_BYTES];

	WORLD_SET(world_port(w->f.s, 0x100, 1), width_active, LINK_WIDTH_1X);
	WORLD_SET(world_port(w->f.s, 0x200, 1), width_active, LINK_WIDTH_1X);
	compare(w, TOPO_ASPECTS_ALL, false);
	assert_int_equal(result.n, 1);
	assert_string_equal(sentence(w, TOPO_CABLE_WIDTH, buf),
		"link leaf-0 port 1 - host-0 port 1: 1x HDR (50 Gb/s) instead of "
		"4x HDR (200 Gb/s)");
	WORLD_SET(world_port(w->f.s, 0x400, 1), speed_ext_active, LINK_SPEED_EXT_EDR);
	WORLD_SET(world_port(w->f.s, 0x500, 1), speed_ext_active, LINK_SPEED_EXT_EDR);
	compare(w, TOPO_SPEEDS | TOPO_CABLES, false);
	assert_int_equal(result.n, 1);
	only(TOPO_CABLE_SPEED);
}

static void
missing_and_extra(void **state)
{
	struct world *w = *state;
	char buf[TOPO_TEXT_BYTES], object[TOPO_OBJECT_BYTES];

	world_unplug(w->f.s, 0x200, 1);
	compare(w, TOPO_ASPECTS_ALL, false);
	assert_int_equal(result.n, 1);
	assert_string_equal(sentence(w, TOPO_CABLE_MISSING, buf),
		"link leaf-0 port 1 - host-0 port 1, 4x HDR (200 Gb/s)");
	assert_string_equal(topo_difference_object(&was, &w->f, &result.d[0], object),
		"0x0000000000000100/1-0x0000000000000200/1");
	assert_null(result.d[0].is[0]);
	world_unplug(was.s, 0x200, 1);
	world_plug(w->f.s, 0x200, 1, 0x100, 3);
	compare(w, TOPO_ASPECTS_ALL, false);
	assert_int_equal(result.n, 1);
	assert_null(only(TOPO_CABLE_EXTRA)->was[0]);
}

static void
moved(void **state)
{
	struct world *w = *state;
	char buf[TOPO_TEXT_BYTES];

	world_unplug(w->f.s, 0x200, 1);
	world_plug(w->f.s, 0x200, 1, 0x100, 3);
	compare(w, TOPO_ASPECTS_ALL, false);
	assert_int_equal(result.n, 1);
	assert_string_equal(sentence(w, TOPO_CABLE_MOVED, buf),
		"cable host-0 port 1 - leaf-0 port 1: goes to leaf-0 port 3 now instead of leaf-0 port 1");
}

static void
nodes_gone(void **state)
{
	struct world *w = *state;
	char buf[TOPO_TEXT_BYTES];

	world_fabric(&w->f, world_star(1, 1));
	compare(w, TOPO_ASPECTS_ALL, false);
	assert_true(result.n > 0);
	for (size_t i = 0; i < result.n; i++) {
		assert_true(result.d[i].change < TOPO_NCHANGES);
		topo_difference_text(&w->d, &was, &w->f, &result.d[i], buf);
		assert_true(*buf);
		if (result.d[i].change == TOPO_NODE_MISSING && result.d[i].was[0]->node == 3)
			assert_string_equal(
				buf, "switch spine-0 (0x0000000000000400), with 2 links");
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(same, compare_begin, compare_end),
		cmocka_unit_test_setup_teardown(renamed, compare_begin, compare_end),
		cmocka_unit_test_setup_teardown(replaced, compare_begin, compare_end),
		cmocka_unit_test_setup_teardown(width_and_speed, compare_begin, compare_end),
		cmocka_unit_test_setup_teardown(missing_and_extra, compare_begin, compare_end),
		cmocka_unit_test_setup_teardown(moved, compare_begin, compare_end),
		cmocka_unit_test_setup_teardown(nodes_gone, compare_begin, compare_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
