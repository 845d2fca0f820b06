/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_log.c - lines reach the sink whole, cut or not at all, and without control characters.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "util/log.h"

static struct {
	unsigned n;
	enum log_level level;
	char room[32], line[2000];
} got;

static void
emit(void *arg, enum log_level level, const char *room, const char *line)
{
	assert_ptr_equal(arg, &got);
	got.n++;
	got.level = level;
	snprintf(got.room, sizeof(got.room), "%s", room);
	snprintf(got.line, sizeof(got.line), "%s", line);
}

static const struct log sink = { .max = LOG_NOTE, .emit = emit, .arg = &got };

static void
levels(void **state)
{
	(void)state;
	got.n = 0;
	log_line(&sink, LOG_NOTE, "sm/plan", "%d of %s", 3, "four");
	assert_int_equal(got.n, 1);
	assert_int_equal(got.level, LOG_NOTE);
	assert_string_equal(got.room, "sm/plan");
	assert_string_equal(got.line, "3 of four");
	log_line(&sink, LOG_ERROR, "sm/plan", "worse");
	assert_int_equal(got.n, 2);
	assert_int_equal(got.level, LOG_ERROR);
	log_line(&sink, LOG_DETAIL, "sm/plan", "more than anybody wants");
	assert_int_equal(got.n, 2);
}

static void
nowhere(void **state)
{
	const struct log none = { .max = LOG_TRACE };

	(void)state;
	got.n = 0;
	log_line(NULL, LOG_ERROR, "sm/plan", "lost");
	log_line(&none, LOG_ERROR, "sm/plan", "lost");
	assert_int_equal(got.n, 0);
}

static void
control_characters(void **state)
{
	(void)state;
	log_line(&sink, LOG_ERROR, "r", "host '%s'", "\x1b[2J\r\n\t\x7f\x01");
	assert_string_equal(got.line, "host '?[2J?" "?" "?" "?" "?'");
	log_line(&sink, LOG_ERROR, "r", "%s", "gr\xc3\xbcn ~ !"); /* other bytes stay */
	assert_string_equal(got.line, "gr\xc3\xbcn ~ !");
	log_line(&sink, LOG_ERROR, "r", "%s", "");
	assert_string_equal(got.line, "");
}

static void
long_lines(void **state)
{
	char text[1500];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[1023] = '\0';
	log_line(&sink, LOG_ERROR, "r", "%s", text);
	assert_string_equal(got.line, text);
	text[1023] = 'x';
	text[sizeof(text) - 1] = '\0';
	log_line(&sink, LOG_ERROR, "r", "%s", text);
	assert_int_equal(strlen(got.line), 1023);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels),
		cmocka_unit_test(nowhere),
		cmocka_unit_test(control_characters),
		cmocka_unit_test(long_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
