/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_compare_text.c - the sentence, the object and the words of each kind of difference.
 */
#include <config.h>
#include "diags/topo/compare.h"
#include "tests/unit/diags/world.h"

static struct diag_fabric was;
static char buf[TOPO_TEXT_BYTES];

static int
compare_text_begin(void **state)
{
	world_fabric(&was, fake_snapshot());
	return world_begin(state);
}

static int
compare_text_end(void **state)
{
	diag_fabric_clear(&was);
	return world_end(state);
}

static void
expect(struct world *w, const struct topo_difference *x, const char *text, const char *object)
{
	char o[TOPO_OBJECT_BYTES];

	assert_string_equal(topo_difference_text(&w->d, &was, &w->f, x, buf), text);
	assert_string_equal(topo_difference_object(&was, &w->f, x, o), object);
}

static void
nodes(void **state)
{
	struct world *w = *state;
	const struct fab_port *old = world_port(was.s, 0x400, 0), *new = world_port(w->f.s, 0x400,
		0);
	struct topo_difference x = { .change = TOPO_NODE_MISSING, .was = { old }, .links = 1 };

	expect(w, &x, "switch spine-0 (0x0000000000000400), with 1 link", "0x0000000000000400/0");
	x.links = 2;
	expect(w, &x, "switch spine-0 (0x0000000000000400), with 2 links", "0x0000000000000400/0");
	x = (struct topo_difference){ .change = TOPO_NODE_EXTRA, .is = { new } };
	expect(w, &x, "switch spine-0 (0x0000000000000400), with 0 links", "0x0000000000000400/0");
	world_node(w->f.s, 0x400)->nports = 3;
	x = (struct topo_difference){ .change = TOPO_NODE_PORTS, .was = { old }, .is = { new } };
	expect(w, &x, "switch spine-0 (0x0000000000000400) has 3 ports instead of 4",
		"0x0000000000000400/0");
	memcpy(world_node(w->f.s, 0x400)->desc, "spine-7", 7);
	x.change = TOPO_NODE_RENAMED;
	expect(w, &x,
		"switch spine-0 (0x0000000000000400) is called spine-7 (0x0000000000000400) now",
		"0x0000000000000400/0");
	world_node(w->f.s, 0x400)->guid = 0x4000;
	x.change = TOPO_NODE_REPLACED;
	expect(w, &x,
		"switch spine-0 (0x0000000000000400) is another device now: 0x0000000000004000",
		"0x0000000000000400/0");
}

static void
links(void **state)
{
	struct world *w = *state;
	struct topo_difference x = { .change = TOPO_CABLE_MISSING,
		.was = { world_port(was.s, 0x100, 4), world_port(was.s, 0x400, 4) } };

	expect(w, &x, "link leaf-0 port 4 - spine-0 port 4, 4x HDR (200 Gb/s)",
		"0x0000000000000100/4-0x0000000000000400/4");
	x = (struct topo_difference){ .change = TOPO_CABLE_EXTRA,
		.is = { world_port(w->f.s, 0x100, 1), world_port(w->f.s, 0x200, 1) } };
	expect(w, &x, "link leaf-0 port 1 - host-0 port 1, 4x HDR (200 Gb/s)",
		"0x0000000000000100/1-0x0000000000000200/1");
	x = (struct topo_difference){ .change = TOPO_CABLE_SPEED,
		.was = { world_port(was.s, 0x100, 1), world_port(was.s, 0x200, 1) },
		.is = { world_port(w->f.s, 0x100, 1), world_port(w->f.s, 0x200, 1) } };
	WORLD_SET(world_port(w->f.s, 0x100, 1), speed_ext_active, LINK_SPEED_EXT_EDR);
	WORLD_SET(world_port(w->f.s, 0x200, 1), speed_ext_active, LINK_SPEED_EXT_EDR);
	expect(w, &x,
		"link leaf-0 port 1 - host-0 port 1: 4x EDR (100 Gb/s) instead of "
		"4x HDR (200 Gb/s)",
		"0x0000000000000100/1-0x0000000000000200/1");
}

/* A cable that has one end elsewhere, the other, or both. */
static void
moved(void **state)
{
	struct world *w = *state;
	const struct fab_port *a = world_port(w->f.s, 0x100, 4), *b = world_port(w->f.s, 0x400, 4);
	const struct fab_port *at = world_port(w->f.s, 0x400, 2), *bt = world_port(w->f.s, 0x100,
		3);
	struct topo_difference x = { .change = TOPO_CABLE_MOVED,
		.was = { world_port(was.s, 0x100, 4), world_port(was.s, 0x400, 4) } };

	x.is[0] = a;
	x.is[1] = at;
	expect(w, &x,
		"cable leaf-0 port 4 - spine-0 port 4: goes to spine-0 port 2 now instead of spine-0 port 4",
		"0x0000000000000100/4-0x0000000000000400/4");
	x.is[2] = b;
	x.is[3] = bt;
	assert_string_equal(topo_difference_text(&w->d, &was, &w->f, &x, buf),
		"cable leaf-0 port 4 - spine-0 port 4: now leaf-0 port 4 goes to spine-0 port 2, "
		"and spine-0 port 4 to leaf-0 port 3");
	x.is[0] = x.is[1] = NULL;
	assert_string_equal(topo_difference_text(&w->d, &was, &w->f, &x, buf),
		"cable spine-0 port 4 - leaf-0 port 4: goes to leaf-0 port 3 now instead of leaf-0 port 4");
	x.is[3] = NULL;
	assert_string_equal(topo_difference_text(&w->d, &was, &w->f, &x, buf),
		"cable spine-0 port 4 - leaf-0 port 4: goes to nothing now instead of leaf-0 port 4");
}

static void
swapped(void **state)
{
	struct world *w = *state;
	struct topo_difference x = { .change = TOPO_CABLE_SWAPPED,
		.was = { world_port(was.s, 0x100, 1), world_port(was.s, 0x200, 1),
			world_port(was.s, 0x100, 4), world_port(was.s, 0x400, 4) } };

	expect(w, &x, "cables leaf-0 port 1 - host-0 port 1 and leaf-0 port 4 - spine-0 port 4: "
		"their ends at host-0 port 1 and spine-0 port 4 are exchanged",
		"0x0000000000000100/1-0x0000000000000200/1");
}

/* The longest names fit, or are cut; the sentence always ends within its buffer. */
static void
long_names(void **state)
{
	struct world *w = *state;
	struct topo_difference x = { .change = TOPO_CABLE_SWAPPED,
		.was = { world_port(was.s, 0x100, 1), world_port(was.s, 0x200, 1),
			world_port(was.s, 0x100, 4), world_port(was.s, 0x400, 4) } };

	for (uint32_t i = 0; i < was.s->nnodes; i++)
		memset(was.s->nodes[i].desc, 0xff, sizeof(was.s->nodes[i].desc));
	memset(buf, 'x', sizeof(buf));
	topo_difference_text(&w->d, &was, &w->f, &x, buf);
	assert_true(strnlen(buf, sizeof(buf)) < sizeof(buf));
}

/* The names of all changes are told apart, and do not depend on who reads. */
static void
words(void **state)
{
	(void)state;
	for (int i = 0; i < TOPO_NCHANGES; i++)
		for (int k = 0; k < i; k++)
			assert_string_not_equal(topo_change_code((enum topo_change)i),
				topo_change_code((enum topo_change)k));
	assert_string_equal(topo_change_code(TOPO_CABLE_MOVED), "cable_moved");
	assert_string_equal(topo_change_word(TOPO_CABLE_MOVED, true), "MISCABLED");
	assert_string_equal(topo_change_word(TOPO_CABLE_MOVED, false), "MOVED");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nodes, compare_text_begin, compare_text_end),
		cmocka_unit_test_setup_teardown(links, compare_text_begin, compare_text_end),
		cmocka_unit_test_setup_teardown(moved, compare_text_begin, compare_text_end),
		cmocka_unit_test_setup_teardown(swapped, compare_text_begin, compare_text_end),
		cmocka_unit_test_setup_teardown(long_names, compare_text_begin, compare_text_end),
		cmocka_unit_test_setup_teardown(words, compare_text_begin, compare_text_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
