/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_dot.c - the graph for Graphviz: strings and brackets that end, each switch in the rank of
 * its level, and an edge for each group of links.
 */
#include <config.h>
#include "tests/unit/fabric/draw/fixture.h"

/* Braces and brackets are paired outside of strings, and every string ends on its line. */
static void
check_dot(const char *text)
{
	int braces = 0, brackets = 0;
	bool string = false;

	assert_true(!strncmp(text, "graph fabric {\n", 15));
	for (const char *at = text; *at; at++) {
		if (string) {
			assert_int_not_equal(*at, '\n');
			if (*at == '\\')
				at++;
			else if (*at == '"')
				string = false;
			assert_int_not_equal(*at, 0);
			continue;
		}
		string = *at == '"';
		braces += (*at == '{') - (*at == '}');
		brackets += (*at == '[') - (*at == ']');
		assert_true(braces >= 0 && brackets >= 0 && brackets <= 1);
		if (*at == '}' && !braces)
			assert_string_equal(at, "}\n"); /* nothing is behind the graph */
	}
	assert_false(string);
	assert_int_equal(braces, 0);
	assert_int_equal(brackets, 0);
}

static const struct drawing_format dot = { picture_dot, check_dot };

/* The highest level comes first; each switch is in one rank, with its GUID as its tooltip. */
static void
ranks(void **state)
{
	char *text = drawing_of(drawing_tree(2, 3, 1), &dot), *spine, *leaf;

	(void)state;
	assert_int_equal(drawing_count(text, "rank=same"), 2);
	assert_int_equal(drawing_count(text, "tooltip=\"0x00000000"), 5);
	assert_int_equal(drawing_count(text, "label=\"5 switches, 3 hosts, 9 links\""), 1);
	spine = strstr(text, "\"0000000000002000\" [label=\"small\"");
	leaf = strstr(text, "\"0000000000003000\" [label=\"small\"");
	assert_non_null(spine);
	assert_non_null(leaf);
	assert_true(spine < leaf);
	assert_int_equal(drawing_count(text, " -- "), 9);
	/* the upper end is named first */
	assert_int_equal(drawing_count(text, "\"0000000000001000\" -- \"0000000000003000\""), 1);
	assert_int_equal(drawing_count(text, "\"0000000000003000\" -- \"0000000000001000\""), 0);
	free(text);
}

/* Up to 64 hosts are nodes of the graph; more are one node of their switch. */
static void
hosts(void **state)
{
	char *text = drawing_of(drawing_tree(1, 2, 32), &dot);

	(void)state;
	assert_int_equal(drawing_count(text, "shape=ellipse"), 64);
	assert_int_equal(drawing_count(text, " -- "), 66);
	free(text);
	text = drawing_of(drawing_tree(1, 5, 13), &dot);
	assert_int_equal(drawing_count(text, "shape=ellipse"), 5);
	assert_int_equal(drawing_count(text, "label=\"13 hosts\""), 5);
	assert_int_equal(drawing_count(text, "-- \"hosts-000000000000"), 5);
	free(text);
}

static void
links(void **state)
{
	static struct plan plan;
	struct snapshot *s;
	struct picture p;
	char *text;

	(void)state;
	plan_switch(&plan);
	plan_switch(&plan);
	for (unsigned i = 0; i < 3; i++)
		plan_cable(&plan, 0, 1);
	plan_hosts(&plan, 0, 1);
	s = plan_take(&plan);
	drawing_begin(&p, s);
	p.look[1].dashed = true;
	drawing_look(&p, small_port(s, 0, 3), 1); /* the worst of the group counts */
	text = drawing_checked(&p, &dot);
	assert_int_equal(drawing_count(text, " [color=\"#ff0000\", penwidth=3.2, style=dashed, "
		"constraint=false, label=\"3\", fontsize=9, tooltip=\"0x1000 port 1\"];\n"), 1);
	assert_int_equal(drawing_count(text,
		" [color=\"#00aa00\", penwidth=1.0, tooltip=\"0x3000 port 1\"];\n"), 1);
	drawing_end(&p, s, text);
}

/* What nodes call themselves, and what tooltips say, ends no string. */
static void
hostile_texts(void **state)
{
	struct snapshot *s = drawing_tree(1, 2, 1);
	struct picture p;
	char *text;

	(void)state;
	drawing_name(s, 0, "a\"]; evil [label=\"\\");
	drawing_name(s, 1, "\\\"}\n\x1b");
	drawing_name(s, 3, "\\");
	drawing_begin(&p, s);
	p.arg = "\"]; \\";
	snprintf(p.title, sizeof(p.title), "%s", "}\\\"{");
	text = drawing_checked(&p, &dot);
	assert_int_equal(drawing_count(text, "[label=\"a\\\"]; evil [label=\\\"\\\\\", "), 1);
	assert_int_equal(drawing_count(text, "label=\"}\\\\\\\"{\";"), 1);
	assert_int_equal(drawing_count(text, "tooltip=\"\\\"]; \\\\0x"), 4);
	assert_int_equal(drawing_count(text, "\x1b"), 0);
	drawing_end(&p, s, text);
}

/* A missing link is an edge between switches; Graphviz would invent other nodes. */
static void
missing(void **state)
{
	struct snapshot *s;
	struct picture p;
	char *text;

	(void)state;
	drawing_begin_missing(&p, &s);
	p.nmissing = 3; /* Graphviz draws a link from a switch to itself, too */
	text = drawing_checked(&p, &dot);
	assert_int_equal(drawing_count(text, "\"0000000000002000\" -- \"0000000000003000\" "
		"[color=\"#ff0000\", penwidth=2.0, tooltip=\"lost-1\"];\n"), 1);
	assert_int_equal(drawing_count(text, "lost-"), 1);
	drawing_end(&p, s, text);
}

static void
damaged(void **state)
{
	char *text = drawing_of(drawing_lone_switch(), &dot), *other;

	(void)state;
	assert_int_equal(drawing_count(text, "rank=same"), 1);
	assert_int_equal(drawing_count(text, " -- "), 0);
	free(text);
	text = drawing_of(drawing_two_hosts(), &dot);
	assert_int_equal(drawing_count(text, "rank=same"), 0);
	free(text);
	text = drawing_of(drawing_ring(5, 1), &dot);
	other = drawing_of(drawing_ring(5, 1), &dot);
	assert_string_equal(text, other);
	assert_int_equal(drawing_count(text, "rank=same"), 1);
	free(text);
	free(other);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks),
		cmocka_unit_test(hosts),
		cmocka_unit_test(links),
		cmocka_unit_test(hostile_texts),
		cmocka_unit_test(missing),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests_name("fabric/draw/dot", tests, NULL, NULL);
}
