/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_file.c - files in: values, or sentences with file and line.
 */
#include <config.h>
#include <errno.h>
#include "sm/conf/file.h"
#include "tests/unit/conf/conf_rig.h"

static void
test_file(void **state)
{
	(void)state;
	conf_write("# comment\n"
	    "sweep_interval = 30\n"
	    "guid = 0x0002c90300000001 // another comment\n"
	    "routing_engine = \"minhop,updn,no_fallback\"\n"
	    "lmc_esp0 = yes  sweep_on_trap=off\n"
	    "ca = '/tmp/a b'\n"
	    "subnet_timeout = 0x10\n"
	    "subnet_timeout = 19\n"
	    "log_level = trace\n");
	assert_int_equal(LOAD(), 0);
	assert_null(err.text);
	assert_null(err.warnings);
	assert_int_equal(conf->sweep_interval_s, 30);
	assert_true(conf->guid == 0x0002c90300000001);
	assert_int_equal(conf->engines.n, 2);
	assert_string_equal(conf->engines.name[0], "minhop");
	assert_string_equal(conf->engines.name[1], "updn");
	assert_true(conf->engines.no_fallback);
	assert_true(conf->lmc_esp0);
	assert_false(conf->sweep_on_trap);
	assert_string_equal(conf->ca, "/tmp/a b");
	assert_int_equal(conf->subnet_timeout, 19);
	assert_int_equal(conf->log_level, LOG_TRACE);
	assert_string_equal(conf->file, path);
}

static void
test_syntax(void **state)
{
	static const char *const v[] = { "lmc 3\n", "lmc =\n", "lmc = {1, 2}\n", "lmc = \"3\n",
		"= 3\n", "lmc {\n}\n", "lmc += 1\n", "foo { lmc = 3 }\n", "}\n", "(((\n",
		"/* no end\n" };

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		char start[64];

		conf_write(v[i]);
		if (LOAD() != -EINVAL)
			fail_msg("accepted: %s", v[i]);
		snprintf(start, sizeof(start), "%s:", path);
		assert_non_null(err.text);
		assert_memory_equal(err.text, start, strlen(start));
		assert_non_null(strchr(err.text, '\n'));
	}
}

/* A fault is where it is, whatever comments come before it. */
static void
test_lines(void **state)
{
	static const struct {
		const char *before;
		unsigned line;
	} texts[] = {
		{ "", 1 },
		{ "# c\n", 2 },
		{ "# c\n# d\n\n", 4 },
		{ "// c\n", 2 },
		{ "/* a\n b */\n", 3 },
		{ "lmc = 1 # c\n", 2 },
		{ "lmc = 1 // c\nlmc = 2 /* d */\n", 3 },
		{ "ca = \"#a\" # '\n", 2 },
		{ "ca = '/*' # */\n", 2 },
		{ "ca = \"a\\\"#b\"\n", 2 },
		{ "state_dir = a//b\n", 2 },
		{ "# /*\n", 2 },
		{ "/* # */\n", 2 },
	};
	char text[128], want[64];

	(void)state;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		snprintf(text, sizeof(text), "%slmc = 9\n", texts[i].before);
		conf_write(text);
		assert_int_equal(LOAD(), -EINVAL);
		snprintf(want, sizeof(want), "%s:%u: error: lmc: ", path, texts[i].line);
		assert_memory_equal(err.text, want, strlen(want));
	}
	conf_write("ca = \"#a\" # 'x\nstate_dir = a//b\n");
	assert_int_equal(LOAD(), 0);
	assert_string_equal(conf->ca, "#a");
	assert_string_equal(conf->state_dir, "a//b");
}

static void
test_files_that_are_none(void **state)
{
	(void)state;
	conf_write("lmc = 1\n");
	assert_int_equal(LOAD("-F", "/nonexistent/heddled.conf"), -ENOENT);
	assert_string_equal(
		err.text, "/nonexistent/heddled.conf: error: No such file or directory\n");
	assert_int_equal(LOAD("-F", "/tmp"), -EISDIR);
	assert_string_equal(err.text, "/tmp: error: Is a directory\n");
	conf_write("");
	assert_int_equal(LOAD(), 0);
	conf_write("lmc = 1\n");
	assert_int_equal(truncate(path, 100), 0); /* zero bytes after the text */
	assert_int_equal(LOAD(), -EINVAL);
	assert_string_equal(err.text, with_path("PATH: error: not a text file\n"));
	conf_write("lmc = 1\n");
	assert_int_equal(truncate(path, 2 << 20), 0);
	assert_int_equal(LOAD(), -EINVAL);
	assert_string_equal(err.text, with_path("PATH: error: larger than 1048576 bytes\n"));
}

/* An error behind any number of warnings has its line, and every warning too. */
static void
test_many_warnings(void **state)
{
	(void)state;
	put_warnings(25, "lmc = 99\n");
	assert_int_equal(LOAD("--check-config"), -EINVAL);
	assert_string_equal(err.text,
		with_path("PATH:26: error: lmc: expected a number from 0 to 7, got '99'\n"));
	assert_int_equal(count_lines(err.warnings, ": warning: cc_key: "), 25);
	assert_int_equal(err.nerrors, 1);
	assert_int_equal(err.nwarnings, 25);
	put_warnings(25, "lcm = 9\nlmc = 1\nlcm = 8\n");
	assert_int_equal(LOAD("--check-config"), -EINVAL);
	assert_string_equal(err.text,
		with_path("PATH:26: error: no key 'lcm'; did you mean 'lmc'?\n"
			  "PATH:28: error: no key 'lcm'; did you mean 'lmc'?\n"));
	put_warnings(25, "lmc = 1\n");
	assert_int_equal(LOAD("--check-config"), 0);
	assert_null(err.text);
	assert_int_equal(count_lines(err.warnings, path), 25);
	put_warnings(CONF_WARNINGS_MAX + 50, "lmc = 99\n");
	assert_int_equal(LOAD("--check-config"), -EINVAL);
	assert_int_equal(count_lines(err.warnings, ": warning: cc_key: "), CONF_WARNINGS_MAX);
	assert_int_equal(count_lines(err.warnings,
				 ":10001: warning: there are more warnings, which are not shown"),
		1);
	assert_int_equal(count_lines(err.warnings, ""), CONF_WARNINGS_MAX + 1);
	assert_int_equal(count_lines(err.text, ":10051: error: lmc: "), 1);
}

/*
 * Each unknown key costs a reading of the text: behind the last that is looked into, the message
 * says that there may be more.
 */
static void
test_many_unknown_keys(void **state)
{
	static char text[4096];
	size_t n = 0;

	(void)state;
	for (unsigned i = 1; i <= 40; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "zzz%u = 1\n", i);
	conf_write(text);
	assert_int_equal(LOAD(), -EINVAL);
	assert_int_equal(count_lines(err.text, ": error: no key 'zzz"), 21);
	assert_non_null(strstr(err.text,
		with_path(
			"PATH:21: error: no key 'zzz21'; see heddled.conf(5); with so many "
			"unknown keys, "
			"the rest of the file was not checked\n")));
}

static int
parse(struct conf *c, struct arena *a, const char *text, size_t len)
{
	conf_error_clear(&err);
	return conf_file_parse("NAME", text, len, c, a, &err);
}

/* A file that is not there has no message: the default one need not be. */
static void
a_missing_file_is_not_a_fault(void **state)
{
	struct arena a = ARENA_INIT;
	struct conf *c = conf_default();

	(void)state;
	assert_int_equal(conf_file_read("/nonexistent/x", c, &a, &err), -ENOENT);
	assert_null(err.text);
	assert_int_equal(conf_file_read("/tmp", c, &a, &err), -EISDIR);
	assert_non_null(err.text);
	conf_free(c);
	arena_clear(&a);
}

/* Only 'len' bytes are read; bytes that are no text are refused. */
static void
the_text_ends_where_it_ends(void **state)
{
	struct arena a = ARENA_INIT;
	struct conf *c = conf_default();

	(void)state;
	assert_int_equal(parse(c, &a, "", 0), 0);
	assert_int_equal(parse(c, &a, "lmc = 3\nlmc = 9\n", 8), 0);
	assert_int_equal(c->lmc, 3);
	assert_int_equal(parse(c, &a, "lmc = 9\n", 8), -EINVAL);
	assert_string_equal(
		err.text, "NAME:1: error: lmc: expected a number from 0 to 7, got '9'\n");
	assert_int_equal(c->lmc, 3);
	assert_int_equal(parse(c, &a, "lmc = 2\n\0lmc = 1\n", 17), -EINVAL);
	conf_free(c);
	arena_clear(&a);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
		T(test_file),
		T(test_syntax),
		T(test_lines),
		T(test_files_that_are_none),
		T(test_many_warnings),
		T(test_many_unknown_keys),
		T(a_missing_file_is_not_a_fault),
		T(the_text_ends_where_it_ends),
	};

	return cmocka_run_group_tests_name("sm/conf/file", tests, NULL, NULL);
}
