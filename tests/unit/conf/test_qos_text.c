/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_qos_text.c - the scanner of qos-policy.conf: words, numbers, lists, text and blocks, and
 * what it says about each mistake.
 */
#include <config.h>
#include "tests/unit/conf/qos_rig.h"

static void
expect_word(struct qos_reader *r, const char *word, unsigned line)
{
	struct qos_slice s = qos_word(r);

	assert_true(qos_is(s, word));
	assert_int_equal(r->line, line);
}

/* Words end at blanks, colons and commas; comments and empty lines are passed over and counted. */
static void
words(void **state)
{
	struct qos_rig *g = *state;
	struct qos_reader *r = qos_rig_read(g, "# one\n\n  a\tb:c # x\n\r\nend-x#y\n:, ");

	expect_word(r, "a", 3);
	expect_word(r, "b", 3);
	assert_true(qos_took(r, ':'));
	assert_false(qos_took(r, ':'));
	expect_word(r, "c", 3);
	expect_word(r, "end-x", 5);
	expect_word(r, ":", 6);
	expect_word(r, ",", 6);
	expect_word(r, "", 6);
	expect_word(r, "", 6);
	assert_false(qos_took(r, ' '));
	assert_true(qos_is_any_case((struct qos_slice){ "SDP", 3 }, "sdp"));
	assert_false(qos_is((struct qos_slice){ "SDP", 3 }, "sdp"));
	assert_false(qos_is_any_case((struct qos_slice){ "SDPx", 3 }, "sdpx"));
}

static void
numbers(void **state)
{
	static const struct {
		const char *text;
		uint64_t max, want;
	} good[] = {
		{ "0", 0, 0 }, { " 010", 8, 8 }, { "0xfF", 255, 255 },
		{ "18446744073709551615", UINT64_MAX, UINT64_MAX },
		{ "0xffffffffffffffff", UINT64_MAX, UINT64_MAX },
		{ "0000000000000000000000000000001", 1, 1 }, { "7-", 7, 7 },
	};
	static const char *const bad[] = {
		"", " ", "\n5", "#5", "x", "-1", "+1", "9", "08", "0x", "5x", "0x5g", "0b1",
		"18446744073709551616", "0x10000000000000000",
		"00000000000000000000000000000001",
	};
	struct qos_rig *g = *state;
	struct qos_reader *r;
	uint64_t v;

	for (unsigned i = 0; i < sizeof good / sizeof good[0]; i++) {
		r = qos_rig_read(g, good[i].text);
		assert_int_equal(qos_number(r, good[i].max, "a number", &v), 0);
		assert_true(v == good[i].want);
		assert_null(g->e.text);
	}
	for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		r = qos_rig_read(g, bad[i]);
		assert_int_equal(qos_number(r, 8, "a number", &v), -EINVAL);
		assert_int_equal(g->e.nerrors, 1);
	}
	r = qos_rig_read(g, "18446744073709551616");
	assert_int_equal(qos_number(r, UINT64_MAX, "a number", &v), -EINVAL);
	r = qos_rig_read(g, "5 # rest");
	assert_int_equal(qos_single(r, 8, "a number", &v), 0);
	r = qos_rig_read(g, "5 6");
	assert_int_equal(qos_single(r, 8, "a number", &v), -EINVAL);
	qos_rig_expect(g, "F:1: error: expected nothing more on this line, got '6'");
}

/* Ranges: over lines, backwards with a warning; sorted, joined where they meet, at both ends. */
static void
ranges(void **state)
{
	struct qos_rig *g = *state;
	struct qos_range_list l = { 0 };
	struct qos_ranges v;
	struct qos_reader *r = qos_rig_read(g,
		"20-30, 9-7,\n # between\n\n 10 ,0xffffffffffffffff-0xfffffffffffffff0,31,0-0\nx");

	assert_int_equal(qos_range_list(r, UINT64_MAX, "numbers", &l), 0);
	assert_int_equal(r->line, 4);
	assert_int_equal(qos_end_of_line(r), 0);
	assert_int_equal(g->e.nwarnings, 2);
	assert_non_null(strstr(g->e.warnings, "F:1: warning: 0x9-0x7 is written backwards"));
	v = qos_ranges_of(&l);
	assert_int_equal(v.n, 4);
	assert_true(v.v[0].first == 0 && v.v[0].last == 0);
	assert_true(v.v[1].first == 7 && v.v[1].last == 10);
	assert_true(v.v[2].first == 20 && v.v[2].last == 31);
	assert_true(v.v[3].first == UINT64_MAX - 15 && v.v[3].last == UINT64_MAX);
	assert_true(qos_ranges_has(&v, UINT64_MAX));
	assert_true(qos_ranges_has(&v, 10));
	assert_false(qos_ranges_has(&v, 11));
	assert_false(qos_ranges_has(&v, 6));
	/* an empty list has nothing */
	l = (struct qos_range_list){ 0 };
	v = qos_ranges_of(&l);
	assert_int_equal(v.n, 0);
	assert_false(qos_ranges_has(&v, 0));
}

/* What overlaps the last number, and what lies inside another. */
static void
ranges_at_the_end(void **state)
{
	struct qos_rig *g = *state;
	struct qos_range_list l = { 0 };
	struct qos_ranges v;
	struct qos_reader *r = qos_rig_read(g,
		"5-0xffffffffffffffff,7-8,0xffffffffffffffff,0-3");

	assert_int_equal(qos_range_list(r, UINT64_MAX, "numbers", &l), 0);
	v = qos_ranges_of(&l);
	assert_int_equal(v.n, 2);
	assert_true(v.v[1].first == 5 && v.v[1].last == UINT64_MAX);
}

static void
range_mistakes(void **state)
{
	static const char *const bad[] = {
		"", "1-", "1--2", "-1", "1,", "1,,2", "1-9", "1-2-x,", "1;2,,",
	};
	struct qos_rig *g = *state;

	for (unsigned i = 0; i < 7; i++) {
		struct qos_range_list l = { 0 };
		struct qos_reader *r = qos_rig_read(g, bad[i]);

		assert_int_equal(qos_range_list(r, 8, "numbers", &l), -EINVAL);
		assert_int_equal(g->e.nerrors, 1);
	}
	for (unsigned i = 7; i < 9; i++) {      /* a list, and something behind it */
		struct qos_range_list l = { 0 };
		struct qos_reader *r = qos_rig_read(g, bad[i]);

		assert_int_equal(qos_range_list(r, 8, "numbers", &l), 0);
		assert_int_equal(qos_end_of_line(r), -EINVAL);
	}
}

/* P_Keys lose the membership bit; a range across it is split, and all of them is all of them. */
static void
pkeys(void **state)
{
	static const struct {
		const char *text;
		uint32_t n;
		struct qos_range v[2];
	} rows[] = {
		{ "0x8001", 1, { { 1, 1 } } }, { "0x7fff", 1, { { 0x7fff, 0x7fff } } },
		{ "0xffff", 1, { { 0x7fff, 0x7fff } } }, { "0x8001-0x8005,2-9", 1, { { 1, 9 } } },
		{ "0x7ff0-0x8003", 2, { { 0, 3 }, { 0x7ff0, 0x7fff } } },
		{ "0-0xffff", 1, { { 0, 0x7fff } } }, { "1-0x8001", 1, { { 0, 0x7fff } } },
		{ "0x7fff-0x8000", 2, { { 0, 0 }, { 0x7fff, 0x7fff } } },
		{ "5-0x8003", 2, { { 0, 3 }, { 5, 0x7fff } } },
	};
	struct qos_rig *g = *state;
	struct qos_range_list l = { 0 };

	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct qos_reader *r = qos_rig_read(g, rows[i].text);
		struct qos_ranges v;

		l = (struct qos_range_list){ 0 };
		assert_int_equal(qos_pkeys(r, &l), 0);
		v = qos_ranges_of(&l);
		assert_int_equal(v.n, rows[i].n);
		for (uint32_t k = 0; k < v.n; k++) {
			assert_true(v.v[k].first == rows[i].v[k].first);
			assert_true(v.v[k].last == rows[i].v[k].last);
		}
	}
	l = (struct qos_range_list){ 0 };
	assert_int_equal(qos_pkeys(qos_rig_read(g, "0x10000"), &l), -EINVAL);
}

/* Text: quotes keep '#' and commas, blanks around it go, and it must not be empty. */
static void
strings(void **state)
{
	struct qos_rig *g = *state;
	const char *s = NULL;

	assert_int_equal(qos_string(qos_rig_read(g, "  a  b \t# c"), "a name", false, &s), 0);
	assert_string_equal(s, "a  b");
	assert_int_equal(qos_string(qos_rig_read(g, "\"a,#b\" c"), "a name", false, &s), 0);
	assert_string_equal(s, "a,#b c");
	assert_int_equal(qos_string(qos_rig_read(g, "a,b"), "a name", true, &s), 0);
	assert_string_equal(s, "a");
	assert_int_equal(qos_string(qos_rig_read(g, "a,b"), "a name", false, &s), -EINVAL);
	qos_rig_expect(g, "F:1: error: expected nothing more on this line, got ','");
	assert_int_equal(qos_string(qos_rig_read(g, "\"a\nb\""), "a name", false, &s), -EINVAL);
	assert_non_null(strstr(g->e.text, "a closing quote on the same line"));
	assert_int_equal(qos_string(qos_rig_read(g, " # x"), "a name", false, &s), -EINVAL);
	qos_rig_expect(g, "F:1: error: expected a name, got 'the end of the line'");
	assert_int_equal(qos_string(qos_rig_read(g, "\"\""), "a name", false, &s), -EINVAL);
	assert_int_equal(qos_string(qos_rig_read(g, ""), "a name", false, &s), -EINVAL);
	assert_true(qos_same_name("Red Blue", " redblue "));
	assert_true(qos_same_name("", " \t"));
	assert_false(qos_same_name("red", "red1"));
	assert_false(qos_same_name("red1", "red"));
}

/* Names are listed with the line in which each stands. */
static void
names(void **state)
{
	struct qos_rig *g = *state;
	struct qos_name_list l = { 0 };

	assert_int_equal(qos_name_list(qos_rig_read(g, "a, b c,\n\n d # x\n"), "a name", &l), 0);
	assert_int_equal(l.n, 3);
	assert_string_equal(l.v[0].text, "a");
	assert_string_equal(l.v[1].text, "b c");
	assert_string_equal(l.v[2].text, "d");
	assert_int_equal(l.v[1].line, 1);
	assert_int_equal(l.v[2].line, 3);
	l = (struct qos_name_list){ 0 };
	assert_int_equal(qos_name_list(qos_rig_read(g, "a,"), "a name", &l), -EINVAL);
	l = (struct qos_name_list){ 0 };
	assert_int_equal(qos_name_list(qos_rig_read(g, "a,,b"), "a name", &l), -EINVAL);
}

static int
read_value(struct qos_reader *r, void *arg)
{
	return qos_number(r, 8, "a number up to 8", arg);
}

static int
read_mark(struct qos_reader *r, void *arg)
{
	(void)r;
	*(uint64_t *)arg += 100;
	return 0;
}

static const struct qos_key keys[] = {
	{ "value", true, read_value }, { "mark", false, read_mark },
};

static void
blocks(void **state)
{
	static const struct {
		const char *text, *line;
	} bad[] = {
		{ "value: 3", "F:1: error: expected end-box, got the end of the file; "
			"the box begins in line 1" },
		{ "value 3\n", "F:1: error: expected ':' behind the keyword, got '3'" },
		{ "\nvalue: 9\n", "F:2: error: expected a number up to 8, got '9'" },
		{ "value: 3 4\n", "F:1: error: expected nothing more on this line, got '4'" },
		{ "end-boxes\n", "F:1: error: expected value:, mark or end-box, got 'end-boxes'" },
		{ "end-\n", "F:1: error: expected value:, mark or end-box, got 'end-'" },
		{ "VALUE: 3\n", "F:1: error: expected value:, mark or end-box, got 'VALUE'" },
	};
	struct qos_rig *g = *state;
	uint64_t v = 0;

	assert_int_equal(qos_block(qos_rig_read(g, "value: 3\nmark mark\n end-box x"), "box",
		keys, 2, &v), 0);
	assert_int_equal(v, 203);
	expect_word(&g->r, "x", 3);
	for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		assert_int_equal(qos_block(qos_rig_read(g, bad[i].text), "box", keys, 2, &v),
			-EINVAL);
		qos_rig_expect(g, bad[i].line);
	}
}

/* A message repeats at most 40 letters of a bad word, and no control character. */
static void
long_words(void **state)
{
	struct qos_rig *g = *state;
	char text[600];
	uint64_t v;

	memset(text, 'y', sizeof text);
	text[sizeof text - 1] = '\0';
	assert_int_equal(qos_block(qos_rig_read(g, text), "box", keys, 2, &v), -EINVAL);
	qos_rig_expect(g, "F:1: error: expected value:, mark or end-box, got "
		"'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy...'");
	assert_int_equal(qos_block(qos_rig_read(g, "a\x1b[2J"), "box", keys, 2, &v), -EINVAL);
	assert_null(strchr(g->e.text, 0x1b));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(words, qos_rig_setup, qos_rig_teardown),
		cmocka_unit_test_setup_teardown(numbers, qos_rig_setup, qos_rig_teardown),
		cmocka_unit_test_setup_teardown(ranges, qos_rig_setup, qos_rig_teardown),
		cmocka_unit_test_setup_teardown(ranges_at_the_end, qos_rig_setup, qos_rig_teardown),
		cmocka_unit_test_setup_teardown(range_mistakes, qos_rig_setup, qos_rig_teardown),
		cmocka_unit_test_setup_teardown(pkeys, qos_rig_setup, qos_rig_teardown),
		cmocka_unit_test_setup_teardown(strings, qos_rig_setup, qos_rig_teardown),
		cmocka_unit_test_setup_teardown(names, qos_rig_setup, qos_rig_teardown),
		cmocka_unit_test_setup_teardown(blocks, qos_rig_setup, qos_rig_teardown),
		cmocka_unit_test_setup_teardown(long_words, qos_rig_setup, qos_rig_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
