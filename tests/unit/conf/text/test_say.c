/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_say.c - the lines that parsers of the configuration report, and how they are logged.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/conf/text/say.h"

static unsigned
count_lines(const char *text)
{
	unsigned n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void
forms(void **state)
{
	struct conf_error e = CONF_ERROR_INIT;

	(void)state;
	conf_say_error(&e, "heddled.conf", 12, "expected %s, got %d", "a number", -7);
	conf_say_error(&e, CONF_COMMAND_LINE, 0, "%s", "no such option");
	conf_say_error(&e, "100%s.conf", UINT32_MAX, "%s", "%n");
	conf_say_warning(&e, "heddled.conf", 3, "no effect");
	assert_string_equal(e.text,
		"heddled.conf:12: error: expected a number, got -7\n"
		"heddled: error: no such option\n"
		"100%s.conf:4294967295: error: %n\n");
	assert_string_equal(e.warnings, "heddled.conf:3: warning: no effect\n");
	assert_int_equal(e.nerrors, 3);
	assert_int_equal(e.nwarnings, 1);
	assert_int_equal(e.text_len, strlen(e.text));
	assert_int_equal(e.warnings_len, strlen(e.warnings));
	conf_error_clear(&e);
}

/* What a file contains cannot begin a line of its own, nor write to a terminal. */
static void
control_characters(void **state)
{
	struct conf_error e = CONF_ERROR_INIT;

	(void)state;
	conf_say_error(&e, "a\nb", 1, "%s", "\x1b[31m\r\n\t\x7f" "caf\xc3\xa9");
	conf_say_warning(&e, "c\x01", 0, "%s", "\n");
	assert_string_equal(e.text, "a?b:1: error: ?[31m????caf\xc3\xa9\n");
	assert_string_equal(e.warnings, "c?: warning: ?\n");
	conf_error_clear(&e);
}

/* A long path leaves room for the message, and a long message is cut. */
static void
long_lines(void **state)
{
	struct conf_error e = CONF_ERROR_INIT;
	char path[3000], message[3000];

	(void)state;
	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	memset(message, 'm', sizeof(message) - 1);
	message[sizeof(message) - 1] = '\0';
	conf_say_error(&e, path, 9, "%s", "the message");
	assert_string_equal(e.text + 512, ":9: error: the message\n");
	conf_say_error(&e, path, UINT32_MAX, "%s", message);
	conf_say_error(&e, "f", 1, "%s", "the next");
	assert_int_equal(count_lines(e.text), 3);
	assert_int_equal(e.text_len, strlen(e.text));
	assert_in_range(e.text_len, 512, 512 + 2 * 1024 + 64);
	assert_non_null(strstr(e.text, "mmm\nf:1: error: the next\n"));
	conf_error_clear(&e);
}

/* Warnings have a limit, errors have none; all are counted. */
static void
many(void **state)
{
	struct conf_error e = CONF_ERROR_INIT;

	(void)state;
	for (unsigned i = 1; i <= CONF_WARNINGS_MAX + 5; i++) {
		conf_say_warning(&e, "w", i, "warning %u", i);
		conf_say_error(&e, "e", i, "error %u", i);
		if (i == CONF_WARNINGS_MAX)
			assert_null(strstr(e.warnings, "more"));
	}
	assert_int_equal(e.nwarnings, CONF_WARNINGS_MAX + 5);
	assert_int_equal(e.nerrors, CONF_WARNINGS_MAX + 5);
	assert_int_equal(count_lines(e.warnings), CONF_WARNINGS_MAX + 1);
	assert_int_equal(count_lines(e.text), CONF_WARNINGS_MAX + 5);
	assert_non_null(strstr(e.warnings, "w:10000: warning: warning 10000\n"
		"w:10001: warning: there are more warnings, which are not shown\n"));
	assert_non_null(strstr(e.text, "e:10005: error: error 10005\n"));
	conf_error_clear(&e);
}

struct heard {
	char text[512];
};

static void
hear(void *arg, enum log_level level, const char *room, const char *line)
{
	struct heard *h = arg;
	size_t n = strlen(h->text);

	snprintf(h->text + n, sizeof(h->text) - n, "%d %s %s\n", (int)level, room, line);
}

/* Each line is logged as one: first the warnings, then the errors. */
static void
logged(void **state)
{
	struct conf_error e = CONF_ERROR_INIT;
	struct heard h = { .text = "" };
	struct log l = { .max = LOG_TRACE, .emit = hear, .arg = &h };

	(void)state;
	conf_error_log(&e, &l);
	assert_string_equal(h.text, "");
	conf_say_error(&e, "f", 2, "bad");
	conf_say_warning(&e, "f", 1, "100%% odd");
	conf_say_warning(&e, "f", 4, "%s", "%s");
	conf_error_log(&e, &l);
	assert_string_equal(h.text, "4 conf f:1: warning: 100% odd\n4 conf f:4: warning: %s\n"
		"3 conf f:2: error: bad\n");
	conf_error_log(&e, NULL);
	conf_error_clear(&e);
}

static void
cleared(void **state)
{
	static const struct conf_error none = CONF_ERROR_INIT;
	struct conf_error e = CONF_ERROR_INIT;

	(void)state;
	conf_error_clear(&e);
	conf_say_error(&e, "f", 1, "x");
	conf_say_warning(&e, "f", 1, "y");
	conf_error_clear(&e);
	assert_memory_equal(&e, &none, sizeof(e));
	conf_say_error(&e, "f", 5, "again");
	assert_string_equal(e.text, "f:5: error: again\n");
	assert_int_equal(e.nerrors, 1);
	conf_error_clear(&e);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms),
		cmocka_unit_test(control_characters),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(many),
		cmocka_unit_test(logged),
		cmocka_unit_test(cleared),
	};

	return cmocka_run_group_tests_name("conf/text/say", tests, NULL, NULL);
}
