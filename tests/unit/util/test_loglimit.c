/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_loglimit.c - one line for each kind, source and second; nothing is lost from the counts.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/test.h"
#include "util/loglimit.h"

struct seen {
	unsigned lines;
	unsigned long long more;        /* repetitions that lines reported */
	char last[1100];
};

static void
see(void *arg, enum log_level level, const char *room, const char *line)
{
	struct seen *s = arg;
	const char *at = strrchr(line, '(');
	unsigned long long more;

	(void)level;
	(void)room;
	s->lines++;
	if (at && sscanf(at, "(%llu more", &more) == 1)
		s->more += more;
	snprintf(s->last, sizeof(s->last), "%s", line);
}

static struct monotime
ms(int64_t t)
{
	return (struct monotime){ t * 1000 };
}

static void
one_a_second(void **state)
{
	struct log_limit *t = log_limit_new();
	struct seen s = { 0 };
	struct log l = { LOG_NOTE, see, &s };
	struct monotime at;

	(void)state;
	assert_false(log_limit_deadline(t, &at));
	log_limit_line(t, &l, LOG_NOTE, "trap", 0, 7, ms(0), "trap %u", 256u);
	assert_string_equal(s.last, "trap 256");
	assert_false(log_limit_deadline(t, &at));
	for (int i = 1; i < 1000; i++)
		log_limit_line(t, &l, LOG_NOTE, "trap", 0, 7, ms(i), "trap %u", 257u);
	assert_int_equal(s.lines, 1);
	assert_true(log_limit_deadline(t, &at));
	assert_int_equal(at.us, 1000000);
	log_limit_line(t, &l, LOG_NOTE, "trap", 0, 7, ms(1000), "trap %u", 258u);
	assert_string_equal(s.last, "trap 258 (999 more in the last 1.0 s)");
	assert_int_equal(log_limit_suppressed(t), 999);
	log_limit_line(t, &l, LOG_NOTE, "trap", 0, 7, ms(2500), "trap %u", 259u);
	assert_string_equal(s.last, "trap 259");
	assert_int_equal(s.lines, 3);
	log_limit_free(t);
}

/* Another source, another kind, a line that is not logged at this level: each on its own. */
static void
by_kind_and_source(void **state)
{
	struct log_limit *t = log_limit_new();
	struct seen s = { 0 };
	struct log l = { LOG_NOTE, see, &s };

	(void)state;
	for (unsigned round = 0; round < 5; round++) {
		log_limit_line(t, &l, LOG_NOTE, "trap", 0, 7, ms(round), "a");
		log_limit_line(t, &l, LOG_NOTE, "trap", 0, 8, ms(round), "b");
		log_limit_line(t, &l, LOG_NOTE, "ha", 1, 7, ms(round), "c");
		log_limit_line(t, &l, LOG_DETAIL, "ha", 2, 7, ms(round), "d");
	}
	assert_int_equal(s.lines, 3);
	assert_int_equal(log_limit_suppressed(t), 12);
	log_limit_free(t);
}

/* A storm that ends is reported all the same. */
static void
the_end_is_reported(void **state)
{
	struct log_limit *t = log_limit_new();
	struct seen s = { 0 };
	struct log l = { LOG_NOTE, see, &s };
	struct monotime at;

	(void)state;
	for (int i = 0; i < 300; i++)
		log_limit_line(t, &l, LOG_NOTE, "trap", 0, 7, ms(i), "trap 256");
	log_limit_tick(t, &l, ms(999));
	assert_int_equal(s.lines, 1);
	log_limit_tick(t, &l, ms(1000));
	assert_string_equal(s.last, "trap 256 (299 more in the last 0.2 s)");
	assert_false(log_limit_deadline(t, &at));
	log_limit_tick(t, &l, ms(5000));
	assert_int_equal(s.lines, 2);
	log_limit_free(t);
}

/* However many the sources: so many lines a second, and every repetition in some count. */
static void
more_sources_than_rows(void **state)
{
	enum { SOURCES = 49151, SECONDS = 5, KINDS = 3 };
	struct log_limit *t = log_limit_new();
	struct seen s = { 0 };
	struct log l = { LOG_NOTE, see, &s };
	unsigned long long calls = 0;

	(void)state;
	for (int64_t at = 0; at < SECONDS * 1000; at++) {
		log_limit_tick(t, &l, ms(at));
		for (unsigned k = 0; k < 100; k++, calls++)
			log_limit_line(t, &l, LOG_NOTE, "trap", k % KINDS, calls * 7919 % SOURCES, ms(at), "trap from %llu", calls);
	}
	assert_true(s.lines <= SECONDS * (LOG_LIMIT_SOURCES + KINDS));
	assert_true(s.lines >= SECONDS * KINDS);
	log_limit_tick(t, &l, ms(SECONDS * 1000 + 1000));
	assert_true(s.more == log_limit_suppressed(t));
	/* Each call was logged or counted; lines of log_limit_tick() are no calls, and repeat a text. */
	assert_true(s.more <= calls && s.more + s.lines >= calls);
	log_limit_free(t);
}

/* Of a source that has a row of its own nothing is hidden by others that have none. */
static void
rows_are_given_back(void **state)
{
	struct log_limit *t = log_limit_new();
	struct seen s = { 0 };
	struct log l = { LOG_NOTE, see, &s };

	(void)state;
	for (unsigned i = 0; i < LOG_LIMIT_SOURCES + 10; i++)
		log_limit_line(t, &l, LOG_NOTE, "trap", 0, i, ms(0), "from %u", i);
	assert_int_equal(s.lines, LOG_LIMIT_SOURCES + 1);       /* the others share one row */
	log_limit_tick(t, &l, ms(1000));
	assert_non_null(strstr(s.last, "(9 more, of several sources, in the last 0.0 s)"));
	s.lines = 0;
	for (unsigned i = 0; i < LOG_LIMIT_SOURCES; i++)
		log_limit_line(t, &l, LOG_NOTE, "trap", 0, 1000 + i, ms(1100), "from %u", i);
	assert_int_equal(s.lines, LOG_LIMIT_SOURCES);
	log_limit_free(t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_a_second), cmocka_unit_test(by_kind_and_source), cmocka_unit_test(the_end_is_reported),
		cmocka_unit_test(more_sources_than_rows), cmocka_unit_test(rows_are_given_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
