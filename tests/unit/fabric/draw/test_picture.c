/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_picture.c - styles of links by load, the worst one of a group, counts, and short names.
 */
#include <config.h>
#include <math.h>
#include "tests/unit/fabric/draw/drawing.h"

#define NAME_64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* The style of port 1 of the first leaf, if it and its peer have these loads. */
static uint8_t
style(struct snapshot *s, double here, double there)
{
	uint32_t port = small_port(s, 1, 1);
	struct picture p;
	double load[1024] = { 0 };
	uint8_t look;

	assert_true(s->nports <= 1024);
	load[port] = here;
	load[s->ports[port].peer] = there;
	drawing_begin(&p, s);
	picture_by_load(&p, load);
	look = p.of[port];
	assert_int_equal(p.of[s->ports[port].peer], look);
	assert_in_range(look, 0, p.nlooks - 1);
	picture_clear(&p);
	return look;
}

/* The busier direction counts; bounds belong to the higher style. */
static void
by_load(void **state)
{
	static const struct { double load; uint8_t look; } cases[] = {
		{ -1, 0 }, { 0, 0 }, { 0.0009, 0 }, { 0.001, 1 }, { 0.0999, 1 }, { 0.1, 2 },
		{ 0.2999, 2 }, { 0.3, 3 }, { 0.6, 4 }, { 0.8999, 4 }, { 0.9, 5 }, { 1, 5 },
		{ 7, 5 }, { 1e30, 5 }, { INFINITY, 5 }, { NAN, 0 },
	};
	struct snapshot *s = drawing_tree(1, 1, 1);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(style(s, cases[i].load, cases[i].load), cases[i].look);
		assert_int_equal(style(s, cases[i].load, -1), cases[i].look);
		if (cases[i].load >= 0)
			assert_int_equal(style(s, 0, cases[i].load), cases[i].look);
	}
	snapshot_free(s);
}

/* The legend shows all styles by load; what is busy is drawn above the rest. */
static void
load_legend(void **state)
{
	struct snapshot *s = drawing_tree(1, 2, 2);
	double *load = calloc(s->nports, sizeof(*load));
	struct picture p;

	(void)state;
	drawing_begin(&p, s);
	load[small_port(s, 1, 1)] = 0.5;
	load[small_port(s, 2, 1)] = 0.95;
	picture_by_load(&p, load);
	picture_count(&p);
	assert_true(p.whole_legend);
	assert_int_equal(p.nlooks, 6);
	assert_string_equal(p.look[0].word, "idle");
	assert_string_equal(p.look[5].word, "above 90 %");
	assert_int_equal(p.look[0].count, 4);
	assert_int_equal(p.look[3].count, 1);
	assert_int_equal(p.look[5].count, 1);
	assert_false(p.look[2].loud);
	assert_true(p.look[3].loud);
	for (unsigned i = 1; i < p.nlooks; i++)
		assert_true(p.look[i].width > p.look[i - 1].width);
	picture_clear(&p);
	free(load);
	snapshot_free(s);
}

/* Each link is counted once, whoever asked for the title keeps it. */
static void
counts(void **state)
{
	struct snapshot *s = drawing_tree(2, 3, 2);
	struct picture p;

	(void)state;
	drawing_begin(&p, s);
	drawing_look(&p, small_port(s, 2, 1), 1);
	picture_count(&p);
	assert_string_equal(p.title, "5 switches, 6 hosts, 12 links");
	assert_int_equal(p.look[0].count, 11);
	assert_int_equal(p.look[1].count, 1);
	picture_clear(&p);
	drawing_begin(&p, s);
	strcpy(p.title, "mine");
	picture_count(&p);
	assert_string_equal(p.title, "mine");
	for (uint32_t i = 0; i < s->nports; i++)
		assert_int_equal(p.of[i], 0); /* picture_begin() gives all the first style */
	picture_clear(&p);
	snapshot_free(s);
}

/* The style of a group of three links with these styles. */
static uint8_t
group(const uint8_t looks[3], unsigned nfalling)
{
	static struct plan plan;
	struct snapshot *s;
	struct picture p;
	uint8_t r;

	plan_switch(&plan);
	plan_switch(&plan);
	for (unsigned i = 0; i < 3; i++)
		plan_cable(&plan, 0, 1);
	s = plan_take(&plan);
	drawing_begin(&p, s);
	p.nfalling = nfalling;
	for (uint8_t i = 0; i < 3; i++)
		drawing_look(&p, small_port(s, 0, (uint8_t)(i + 1)), looks[i]);
	assert_int_equal(p.levels.g.groups[p.levels.g.group_first[0]].nports, 3);
	r = picture_group_look(&p, 0, &p.levels.g.groups[p.levels.g.group_first[0]]);
	assert_int_equal(picture_group_look(&p, 1,
		&p.levels.g.groups[p.levels.g.group_first[1]]), r);
	picture_clear(&p);
	snapshot_free(s);
	return r;
}

/* The worst style: the highest, or the lowest of those ordered from bad to good; what is not among
 * those is worse than they are. */
static void
groups(void **state)
{
	static const struct { uint8_t looks[3]; unsigned nfalling; uint8_t worst; } cases[] = {
		{ { 0, 0, 0 }, 0, 0 }, { { 2, 0, 1 }, 0, 2 }, { { 0, 1, 2 }, 0, 2 },
		{ { 2, 0, 1 }, 3, 0 }, { { 2, 1, 2 }, 3, 1 }, { { 1, 2, 1 }, 3, 1 },
		{ { 0, 4, 1 }, 3, 4 }, { { 4, 0, 1 }, 3, 4 }, { { 3, 4, 3 }, 3, 4 },
		{ { 4, 3, 0 }, 3, 4 }, { { 2, 2, 2 }, 3, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(group(cases[i].looks, cases[i].nfalling), cases[i].worst);
}

static void
labels(void **state)
{
	static const struct { const char *name; unsigned most; const char *label; } cases[] = {
		{ "leaf-0", 64, "leaf-0" }, { "leaf-0", 6, "leaf-0" },
		{ "leaf-0", 5, "leaf\xe2\x80\xa6" }, { "leaf-0", 1, "\xe2\x80\xa6" },
		{ "leaf-0", 0, "" }, { "", 9, "" },
		{ "MF0;leaf-0-0:MQM8700/U1", 64, "leaf-0-0" },
		{ "MF0;leaf-0-0:MQM8700/U1", 6, "leaf-\xe2\x80\xa6" },
		{ "MF0;no-colon", 64, "no-colon" }, { "MF0;", 64, "" }, { "MF0;:x", 64, "" },
		{ "mf0;a:b", 64, "mf0;a:b" }, { "a:b", 64, "a:b" },
		{ "caf\xc3\xa9", 4, "caf\xc3\xa9" }, /* characters, not bytes */
		{ "caf\xc3\xa9s", 4, "caf\xe2\x80\xa6" },
		{ "\xc3\xa9\xc3\xa9\xc3\xa9", 2, "\xc3\xa9\xe2\x80\xa6" },
	};
	char buf[PICTURE_LABEL_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_ptr_equal(picture_label(cases[i].name, cases[i].most, buf), buf);
		assert_string_equal(buf, cases[i].label);
	}
}

/* Any bytes give a string that fits, is UTF-8, and has no more characters than it may. */
static void
hostile_labels(void **state)
{
	char name[600], buf[PICTURE_LABEL_BYTES + 1];
	uint32_t x = 1;

	(void)state;
	buf[PICTURE_LABEL_BYTES] = '#';
	for (unsigned turn = 0; turn < 4000; turn++) {
		unsigned len = turn % (sizeof(name) - 1), most = turn % 3 ? turn % 70 : UINT32_MAX;
		unsigned chars = 0, tail = 0;

		for (unsigned i = 0; i < len; i++) {
			x = x * 1664525 + 1013904223;
			name[i] = (char)(x >> 24 ? x >> 24 : 1);
		}
		name[len] = '\0';
		picture_label(name, most, buf);
		assert_true(strlen(buf) < PICTURE_LABEL_BYTES);
		for (const uint8_t *b = (const uint8_t *)buf; *b; b++) {
			assert_int_equal((*b & 0xc0) == 0x80, tail > 0);
			tail = tail ? tail - 1 : *b >= 0xf0 ? 3 : *b >= 0xe0 ? 2 : *b >= 0xc0;
			chars += (*b & 0xc0) != 0x80;
		}
		assert_int_equal(tail, 0);
		assert_true(chars <= most);
	}
	assert_int_equal(buf[PICTURE_LABEL_BYTES], '#');
	picture_label(NAME_64 NAME_64 NAME_64 NAME_64 NAME_64, UINT32_MAX, buf);
	assert_in_range(strlen(buf), 240, PICTURE_LABEL_BYTES - 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_load),
		cmocka_unit_test(load_legend),
		cmocka_unit_test(counts),
		cmocka_unit_test(groups),
		cmocka_unit_test(labels),
		cmocka_unit_test(hostile_labels),
	};

	return cmocka_run_group_tests_name("fabric/draw/picture", tests, NULL, NULL);
}
