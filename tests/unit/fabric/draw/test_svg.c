/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_svg.c - the SVG picture: well-formed whatever nodes call themselves, and with an element for
 * each thing that it shows.
 */
#include <config.h>
#include <ctype.h>
#include "tests/unit/fabric/draw/fixture.h"

#define DEEP 8

/* Skips the name of an element or attribute. */
static const char *
skip_name(const char *at)
{
	assert_true(isalpha((unsigned char)*at));
	while (isalnum((unsigned char)*at) || *at == '-' || *at == ':')
		at++;
	return at;
}

/* Skips text up to 'end': no bare '<', and each '&' begins an entity of XML. */
static const char *
skip_text(const char *at, char end)
{
	for (; *at != end; at++) {
		assert_true(*at && *at != '<');
		if (*at == '&')
			assert_true(!strncmp(at, "&amp;", 5) || !strncmp(at, "&lt;", 4) ||
				!strncmp(at, "&gt;", 4) || !strncmp(at, "&quot;", 6));
	}
	return at;
}

/* Skips what follows the name of an element: attributes, and ">" or "/>". */
static const char *
skip_attributes(const char *at, bool *closed)
{
	while (*at == ' ') {
		at = skip_name(at + 1);
		assert_true(!strncmp(at, "=\"", 2));
		at = skip_text(at + 2, '"') + 1;
	}
	*closed = *at == '/';
	at += *closed;
	assert_int_equal(*at, '>');
	return at + 1;
}

/* One element <svg>, in which elements are nested; every attribute is quoted, all text escaped. */
static void
check_xml(const char *text)
{
	struct { const char *name; size_t n; } open[DEEP];
	unsigned depth = 0, elements = 0;
	const char *at = text;

	assert_true(!strncmp(at, "<svg ", 5));
	do {
		const char *name = at + 1, *end;
		bool closed = false;

		assert_int_equal(*at, '<');
		if (*name == '/') {
			assert_true(depth > 0);
			end = skip_name(++name);
			depth--;
			assert_int_equal((size_t)(end - name), open[depth].n);
			assert_memory_equal(name, open[depth].name, open[depth].n);
			assert_int_equal(*end, '>');
			at = end + 1;
		} else {
			assert_true(depth < DEEP);
			end = skip_name(name);
			open[depth].name = name;
			open[depth].n = (size_t)(end - name);
			at = skip_attributes(end, &closed);
			depth += !closed;
			elements++;
		}
		if (depth)
			at = skip_text(at, '<');
	} while (depth);
	assert_string_equal(at, "\n");
	assert_true(elements > 1);
	/* numbers, and "dominant-baseline" */
	assert_int_equal(drawing_count(text, "nan"), drawing_count(text, "dominant"));
	assert_null(strstr(text, "inf"));
}

static const struct drawing_format svg = { picture_svg, check_xml };

/* Switches and hosts as boxes: one each, with their names, and a line for each link. */
static void
boxes(void **state)
{
	char *text = drawing_of(drawing_tree(2, 3, 2), &svg);

	(void)state;
	assert_int_equal(drawing_count(text, "<rect x="), 5 + 6);
	assert_int_equal(drawing_count(text, ">small</text>"), 5 + 6);
	/* 6 between switches, 6 to hosts, a line of the legend */
	assert_int_equal(drawing_count(text, "<path "), 13);
	assert_int_equal(drawing_count(text, "<title>small, 0x0000000000001000, LID 7, 250 ports"),
		1);
	assert_int_equal(drawing_count(text, ">5 switches, 6 hosts, 12 links</text>"), 1);
	assert_int_equal(drawing_count(text, ">good: 12</text>"), 1);
	assert_int_equal(drawing_count(text, ">bad"), 0); /* no link has it */
	free(text);
}

static void
other_forms(void **state)
{
	char *text = drawing_of(drawing_tree(1, 16, 5), &svg);

	(void)state;
	assert_int_equal(drawing_count(text, "<rect x="), 17 + 80); /* dots */
	assert_int_equal(drawing_count(text, ">5</text>"), 16);
	free(text);
	text = drawing_of(drawing_ring(9, 2), &svg);
	assert_int_equal(drawing_count(text, "<circle "), 9);
	assert_int_equal(drawing_count(text, ">small (2)</text>"), 9);
	assert_int_equal(drawing_count(text, "Q"), 9); /* chords */
	assert_int_equal(drawing_count(text, "<rect x="), 0);
	free(text);
	text = drawing_of(drawing_ring(4, 0), &svg);
	assert_int_equal(drawing_count(text, ">small</text>"), 4);
	free(text);
	text = drawing_of(drawing_tree(1, 26, 235), &svg); /* too many: numbers only */
	assert_int_equal(drawing_count(text, "<rect x="), 27);
	assert_int_equal(drawing_count(text, ">235</text>"), 26);
	free(text);
}

/* Nothing, a switch alone, hosts without one. */
static void
damaged(void **state)
{
	char *text = drawing_of(drawing_lone_switch(), &svg);

	(void)state;
	assert_int_equal(drawing_count(text, "<rect x="), 1);
	free(text);
	text = drawing_of(drawing_two_hosts(), &svg);
	assert_int_equal(drawing_count(text, "<rect x="), 0);
	assert_int_equal(drawing_count(text, ">0 switches, 2 hosts, 1 links</text>"), 1);
	free(text);
}

/* Names, tooltips and titles that look like markup are text. */
static void
hostile_texts(void **state)
{
	static const char evil[] = "a\"><b x='1'>&amp;</title>]]><!--\x1b\n";
	struct snapshot *s = drawing_tree(1, 2, 1);
	struct picture_missing missing;
	struct picture p;
	char *text;

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		drawing_name(s, i, evil);
	drawing_begin(&p, s);
	p.arg = "</title>\"<&>";
	snprintf(p.title, sizeof(p.title), "%s", "<script>\"&");
	snprintf(p.look[0].word, sizeof(p.look[0].word), "%s", "<i>&");
	missing = (struct picture_missing){ s->ports[small_port(s, 0, 0)].node,
		s->ports[small_port(s, 1, 0)].node, (char []){ "<lost &\x1b" "gone>" } };
	p.missing = &missing;
	p.nmissing = 1;
	picture_count(&p);
	text = drawing_checked(&p, &svg);
	assert_int_equal(drawing_count(text, "<b"), 0);
	assert_int_equal(drawing_count(text, "<i"), 0);
	assert_int_equal(drawing_count(text, "<script"), 0);
	assert_int_equal(drawing_count(text, "\x1b"), 0);
	assert_true(drawing_count(text, "a&quot;&gt;&lt;b x='1'&gt;&amp;amp;") >= 3);
	assert_int_equal(drawing_count(text, "<title>&lt;lost &amp; gone&gt;</title>"), 1);
	assert_int_equal(drawing_count(text, ">&lt;script&gt;&quot;&amp;</text>"), 1);
	assert_int_equal(drawing_count(text, "<title>&lt;/title&gt;&quot;&lt;&amp;&gt;0x"), 4);
	drawing_end(&p, s, text);
}

/* Links with a loud style come behind the others, so they are above them; parallel links are one
 * line, which says how many they are. */
static void
links(void **state)
{
	static struct plan plan;
	struct snapshot *s;
	struct picture p;
	char *text, *bad, *good;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		plan_switch(&plan);
	plan_cable(&plan, 0, 1);
	plan_cable(&plan, 0, 1);
	plan_cable(&plan, 0, 1);
	plan_cable(&plan, 1, 2);
	plan_hosts(&plan, 2, 1);
	s = plan_take(&plan);
	drawing_begin(&p, s);
	p.look[1].dashed = true;
	drawing_look(&p, small_port(s, 0, 2), 1);
	picture_count(&p);
	text = drawing_checked(&p, &svg);
	bad = strstr(text, "<title>3 links; 0x1000 port 1</title>");
	good = strstr(text, "<title>0x2000 port 4</title>");
	assert_non_null(bad);
	assert_non_null(good);
	assert_true(good < bad);
	/* the link, and its line in the legend */
	assert_int_equal(drawing_count(text, "stroke-dasharray"), 2);
	assert_int_equal(drawing_count(text, "stroke=\"#ff0000\""), 2);
	drawing_end(&p, s, text);
}

/* A missing link is drawn between two switches, never to a host or to the switch itself. */
static void
missing(void **state)
{
	struct snapshot *s;
	struct picture p;
	char *text;

	(void)state;
	drawing_begin_missing(&p, &s);
	text = drawing_checked(&p, &svg);
	assert_int_equal(drawing_count(text, "<title>lost-1</title>"), 1);
	assert_int_equal(drawing_count(text, "lost-"), 1);
	assert_int_equal(drawing_count(text, "stroke=\"#ff0000\""), 1);
	drawing_end(&p, s, text);
}

static void
again(void **state)
{
	char *a = drawing_of(drawing_tree(3, 5, 2), &svg);
	char *b = drawing_of(drawing_tree(3, 5, 2), &svg);

	(void)state;
	assert_string_equal(a, b);
	free(a);
	free(b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boxes),
		cmocka_unit_test(other_forms),
		cmocka_unit_test(damaged),
		cmocka_unit_test(hostile_texts),
		cmocka_unit_test(links),
		cmocka_unit_test(missing),
		cmocka_unit_test(again),
	};

	return cmocka_run_group_tests_name("fabric/draw/svg", tests, NULL, NULL);
}
