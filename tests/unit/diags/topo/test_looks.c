/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_looks.c - how links look in a picture, and both output formats.
 */
#include <config.h>
#include <jansson.h>
#include "diags/topo/draw.h"
#include "tests/unit/diags/world.h"

static struct draw
draw_of(struct world *w, enum draw_color color)
{
	struct draw d = { .d = &w->d, .f = &w->f, .color = color };

	WORLD_SET_ALL(w->f.s, width_enabled, LINK_WIDTH_4X);
	return d;
}

static const struct picture_look *
look_of(const struct draw *w, uint64_t guid, uint8_t port)
{
	return &w->p.look[w->p.of[world_port(w->f->s, guid, port) - w->f->s->ports]];
}

static void
by_state(void **state)
{
	struct world *w = *state;
	struct draw d = draw_of(w, DRAW_STATE);

	WORLD_SET(world_port(w->f.s, 0x200, 1), state, PORT_STATE_INIT);
	WORLD_SET(world_port(w->f.s, 0x500, 1), speed_ext_active, LINK_SPEED_EXT_EDR);
	draw_begin(&d);
	assert_string_equal(look_of(&d, 0x100, 4)->word, "active");
	assert_string_equal(look_of(&d, 0x100, 1)->word, "not active");
	assert_string_equal(look_of(&d, 0x500, 1)->word, "slow or narrow");
	assert_string_equal(d.p.title, "2 switches, 3 hosts, 4 links");
	draw_clear(&d);
}

static void
by_speed(void **state)
{
	struct world *w = *state;
	struct draw d = draw_of(w, DRAW_SPEED);

	WORLD_SET(world_port(w->f.s, 0x100, 1), speed_ext_active, LINK_SPEED_EXT_EDR);
	WORLD_SET(world_port(w->f.s, 0x200, 1), speed_ext_active, LINK_SPEED_EXT_EDR);
	draw_begin(&d);
	assert_int_equal(d.p.nlooks, 2);
	assert_string_equal(d.p.look[0].word, "100 Gb/s");
	assert_true(d.p.look[0].loud);
	assert_int_equal(d.p.look[0].count, 1);
	assert_int_equal(d.p.look[1].count, 3);
	assert_string_equal(look_of(&d, 0x200, 1)->word, "100 Gb/s");
	draw_clear(&d);
}

/* More rates than there are looks: the legend ends, and nothing is written behind it. */
static void
many_speeds(void **state)
{
	static const uint8_t widths[] = { 1, 2, 4, 8, 16 }, ext[] = { 0, 1, 2, 4, 8 };
	struct world *w = *state;
	struct draw d;
	unsigned n = 0;

	world_fabric(&w->f, world_star(1, 25));
	d = draw_of(w, DRAW_SPEED);
	for (unsigned i = 0; i < 5; i++)
		for (unsigned k = 0; k < 5; k++) {
			struct fab_port *p = world_port(w->f.s, 0x1000, (uint8_t)++n);

			WORLD_SET(p, width_active, widths[i]);
			WORLD_SET(p, speed_ext_active, ext[k]);
		}
	draw_begin(&d);
	assert_true(d.p.nlooks <= PICTURE_LOOKS_MAX - 2);
	for (uint32_t i = 0; i < w->f.s->nports; i++)
		assert_true(d.p.of[i] < d.p.nlooks);
	draw_clear(&d);
}

static void
by_load(void **state)
{
	struct world *w = *state;
	struct draw d = draw_of(w, DRAW_LOAD);
	double load[32] = { 0 };

	assert_true(w->f.s->nports <= 32);
	load[world_port(w->f.s, 0x100, 1) - w->f.s->ports] = 0.95; /* the busier direction counts */
	load[world_port(w->f.s, 0x400, 1) - w->f.s->ports] = -1;
	d.load = load;
	draw_begin(&d);
	assert_string_equal(look_of(&d, 0x100, 1)->word, "above 90 %");
	assert_string_equal(look_of(&d, 0x200, 1)->word, "above 90 %");
	assert_string_equal(look_of(&d, 0x400, 1)->word, "idle");
	draw_clear(&d);
}

static void
beside_plan(void **state)
{
	struct world *w = *state;
	struct draw d = draw_of(w, DRAW_SPEED);
	struct diag_fabric golden = { .s = NULL };
	const struct topo_difference *x;
	const struct fab_node *a, *b;
	size_t at = 0;

	world_fabric(&golden, fake_snapshot());
	WORLD_SET_ALL(golden.s, width_enabled, LINK_WIDTH_4X);
	world_plug(golden.s, 0x100, 3, 0x400, 3);
	world_plug(w->f.s, 0x100, 3, 0x400, 2);
	world_unplug(w->f.s, 0x200, 1);
	d.golden = &golden;
	draw_begin(&d);
	assert_string_equal(look_of(&d, 0x100, 3)->word, "not planned");
	assert_int_equal(d.p.look[d.p.nlooks - 1].count, 2);
	assert_true(draw_missing(&d, &at, &a, &b, &x));
	while (draw_missing(&d, &at, &a, &b, &x))
		;
	assert_false(draw_missing(&d, &at, &a, &b, &x));
	draw_clear(&d);
	diag_fabric_clear(&golden);
}

static void
labels(void **state)
{
	struct world *w = *state;
	struct draw d = draw_of(w, DRAW_STATE);
	struct fab_node *n = world_node(w->f.s, 0x100);
	char buf[DIAG_NAME_BYTES], tip[DRAW_TIP_BYTES];

	assert_string_equal(draw_label(&d, n, 64, buf), "leaf-0");
	assert_string_equal(draw_label(&d, n, 6, buf), "leaf-0");
	assert_string_equal(draw_label(&d, n, 4, buf), "lea\xe2\x80\xa6");
	memcpy(n->desc, "MF0;leaf-0-0:MQM8700/U1", 24);
	assert_string_equal(draw_label(&d, n, 64, buf), "leaf-0-0");
	assert_string_equal(draw_tip(&d, world_port(w->f.s, 0x100, 1), tip),
		"leaf-0-0 port 1 - host-0 port 1: 4x HDR (200 Gb/s), Active");
}

static char *
drawn(const struct draw *d, void (*draw)(const struct picture *, FILE *))
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	draw(&d->p, out);
	fclose(out);
	return text;
}

/* What nodes call themselves ends no string and no element. */
static void
hostile_names(void **state)
{
	struct world *w = *state;
	struct draw d = draw_of(w, DRAW_STATE);
	char *text;

	memset(world_node(w->f.s, 0x100)->desc, 0, NODE_DESC_BYTES);
	memcpy(world_node(w->f.s, 0x100)->desc, "a\"];</title><b>&\\", 17);
	draw_begin(&d);
	text = drawn(&d, picture_dot);
	assert_non_null(strstr(text, "label=\"a\\\"];</title><b>&\\\\\""));
	assert_string_equal(text + strlen(text) - 2, "}\n");
	free(text);
	text = drawn(&d, picture_svg);
	assert_null(strstr(text, "<b>"));
	assert_non_null(strstr(text, "a&quot;];&lt;/title&gt;&lt;b&gt;&amp;"));
	assert_non_null(strstr(text, "</svg>"));
	free(text);
	draw_clear(&d);
}

/* Equal fabrics give equal pictures, with a line for each group of links. */
static void
pictures(void **state)
{
	struct world *w = *state;
	struct draw d = draw_of(w, DRAW_STATE);
	char *a, *b;

	world_plug(w->f.s, 0x100, 3, 0x400, 3);
	draw_begin(&d);
	a = drawn(&d, picture_dot);
	b = drawn(&d, picture_dot);
	assert_string_equal(a, b);
	assert_non_null(strstr(a, "\"0000000000000100\" -- \"0000000000000400\""));
	assert_non_null(strstr(a, "label=\"2\""));
	free(a);
	free(b);
	a = drawn(&d, picture_svg);
	b = drawn(&d, picture_svg);
	assert_string_equal(a, b);
	free(a);
	free(b);
	draw_clear(&d);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(by_state, world_begin, world_end),
		cmocka_unit_test_setup_teardown(by_speed, world_begin, world_end),
		cmocka_unit_test_setup_teardown(many_speeds, world_begin, world_end),
		cmocka_unit_test_setup_teardown(by_load, world_begin, world_end),
		cmocka_unit_test_setup_teardown(beside_plan, world_begin, world_end),
		cmocka_unit_test_setup_teardown(labels, world_begin, world_end),
		cmocka_unit_test_setup_teardown(hostile_names, world_begin, world_end),
		cmocka_unit_test_setup_teardown(pictures, world_begin, world_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
