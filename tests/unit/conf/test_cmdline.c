/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_cmdline.c - command lines: what they set, and what is wrong with them.
 */
#include <config.h>
#include <errno.h>
#include "sm/conf/cmdline.h"
#include "tests/unit/conf/conf_rig.h"

static void
test_precedence(void **state)
{
	(void)state;
	conf_write("sweep_interval = 30\nlmc = 2\n");
	assert_int_equal(LOAD("-s", "5", "-R", "minhop", "-r", "-v", "-n", "8", "--retries=7", "-p",
				 "15", "-t", "90"),
		0);
	assert_int_equal(conf->sweep_interval_s, 5);
	assert_int_equal(conf->lmc, 2);
	assert_string_equal(conf->engines.name[0], "minhop");
	assert_true(conf->reassign_lids);
	assert_int_equal(conf->log_level, LOG_DETAIL);
	assert_int_equal(conf->max_wire_smps, 8);
	assert_int_equal(conf->transaction_retries, 7);
	assert_int_equal(conf->sm_priority, 15);
	assert_int_equal(conf->transaction_timeout_ms, 90);
	assert_int_equal(LOAD("--set", "lmc=3", "-l", "1", "--set", "m_key = 0x12"), 0);
	assert_int_equal(conf->lmc, 1);
	assert_true(conf->m_key == 0x12);
	assert_int_equal(
		LOAD("--once", "--report", "-", "-C", "mlx5_0", "-P", "1", "-g", "0x12"), 0);
	assert_true(conf->once);
	assert_string_equal(conf->report, "-");
	assert_string_equal(conf->ca, "mlx5_0");
	assert_int_equal(conf->port, 1);
	assert_true(conf->guid == 0x12);
}

static void
test_bad_command_lines(void **state)
{
	(void)state;
	conf_write("");
	assert_int_equal(LOAD("-l", "9"), -EINVAL);
	assert_string_equal(
		err.text, "heddled: error: --lmc: expected a number from 0 to 7, got '9'\n");
	assert_int_equal(LOAD("--lmd", "9"), -EINVAL);
	assert_string_equal(err.text, "heddled: error: no option --lmd; did you mean --lmc?\n");
	assert_int_equal(LOAD("x"), -EINVAL);
	assert_string_equal(err.text, "heddled: error: no operand is expected, got 'x'\n");
	assert_int_equal(LOAD("--report", "x"), -EINVAL);
	assert_string_equal(err.text, "heddled: error: --report needs --once\n");
	assert_int_equal(LOAD("--set", "lmd=1"), -EINVAL);
	assert_string_equal(err.text, "heddled: error: --set: no key 'lmd'; did you mean 'lmc'?\n");
	assert_int_equal(LOAD("--set", "lmc"), -EINVAL);
	assert_string_equal(err.text, "heddled: error: --set: expected KEY=VALUE, got 'lmc'\n");
	assert_int_equal(LOAD("--set", "lmc=x"), -EINVAL);
	assert_string_equal(
		err.text, "heddled: error: --set: lmc: expected a number from 0 to 7, got 'x'\n");
}

/* Reads a command line alone, over 'c'. */
static int
read_line(struct conf *c, struct arena *a, const char *const *args)
{
	const char *argv[24] = { "heddled" };
	int argc = 1;

	while (*args)
		argv[argc++] = *args++;
	conf_error_clear(&err);
	return conf_cmdline_read(argc, (char **)argv, c, a, &err);
}
#define READ(c, a, ...) read_line(c, a, (const char *const[]){ __VA_ARGS__ __VA_OPT__(, ) NULL })

/* What is not named stays as it was. */
static void
only_what_is_named_is_set(void **state)
{
	struct arena a = ARENA_INIT;
	struct conf *c = conf_default();

	(void)state;
	c->lmc = 5;
	c->sweep_interval_s = 33;
	c->file = NULL;
	assert_int_equal(READ(c, &a), 0);
	assert_null(c->file);
	assert_int_equal(READ(c, &a, "-s", "7"), 0);
	assert_int_equal(c->sweep_interval_s, 7);
	assert_int_equal(c->lmc, 5);
	assert_int_equal(READ(c, &a, "--config", "/x/y"), 0);
	assert_string_equal(c->file, "/x/y");
	assert_int_equal(READ(c, &a, "-s", "8", "-s", "9"), 0);
	assert_int_equal(c->sweep_interval_s, 9); /* the last one counts */
	conf_free(c);
	arena_clear(&a);
}

static void
each_action(void **state)
{
	static const struct {
		const char *option;
		enum conf_action action;
	} row[] = {
		{ "--check-config", CONF_CHECK },
		{ "--dump-config", CONF_DUMP },
		{ "--make-secret", CONF_MAKE_SECRET },
		{ "--help", CONF_HELP },
		{ "-h", CONF_HELP },
		{ "--version", CONF_VERSION },
		{ "--once", CONF_RUN },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct arena a = ARENA_INIT;
		struct conf *c = conf_default();

		assert_int_equal(READ(c, &a, row[i].option), 0);
		assert_int_equal(c->action, row[i].action);
		conf_free(c);
		arena_clear(&a);
	}
}

/* All faults at once, except for help, which is given whatever is wrong. */
static void
faults_of_a_line(void **state)
{
	struct arena a = ARENA_INIT;
	struct conf *c = conf_default();

	(void)state;
	assert_int_equal(READ(c, &a, "-l", "9", "-s", "x", "--set", "lmd=1"), -EINVAL);
	assert_int_equal(err.nerrors, 3);
	assert_int_equal(READ(c, &a, "-l"), -EINVAL); /* its value is missing */
	assert_int_equal(err.nerrors, 1);
	assert_int_equal(READ(c, &a, "--set", ""), -EINVAL);
	assert_string_equal(err.text, "heddled: error: --set: expected KEY=VALUE, got ''\n");
	assert_int_equal(READ(c, &a, "--set", "=5"), -EINVAL);
	assert_int_equal(READ(c, &a, "-l", "9", "--help"), 0);
	assert_null(err.text);
	assert_int_equal(c->action, CONF_HELP);
	conf_free(c);
	arena_clear(&a);
}

/* A key longer than any, in full or as a value: cut in the message, and nowhere written beyond. */
static void
long_words(void **state)
{
	static char word[70000];
	struct arena a = ARENA_INIT;
	struct conf *c = conf_default();

	(void)state;
	memset(word, 'k', sizeof(word) - 1);
	assert_int_equal(READ(c, &a, "--set", word), -EINVAL);
	assert_true(strlen(err.text) < 200);
	word[60000] = '=';
	assert_int_equal(READ(c, &a, "--set", word), -EINVAL);
	assert_non_null(strstr(err.text, "no key 'kkk"));
	assert_int_equal(READ(c, &a, "-l", word), -EINVAL);
	assert_non_null(strstr(err.text, "--lmc: expected a number from 0 to 7, got 'kkk"));
	conf_free(c);
	arena_clear(&a);
}

/* -v raises the level twice at most. */
static void
verbose_is_counted(void **state)
{
	(void)state;
	conf_write("log_level = error\n");
	assert_int_equal(LOAD("-v"), 0);
	assert_int_equal(conf->log_level, LOG_WARN);
	assert_int_equal(LOAD("-vv"), 0);
	assert_int_equal(conf->log_level, LOG_NOTE);
	assert_int_equal(LOAD("-v", "-v", "-v", "-v"), 0);
	assert_int_equal(conf->verbose, 2);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
		T(test_precedence),
		T(test_bad_command_lines),
		T(only_what_is_named_is_set),
		T(each_action),
		T(faults_of_a_line),
		T(long_words),
		T(verbose_is_counted),
	};

	return cmocka_run_group_tests_name("sm/conf/cmdline", tests, NULL, NULL);
}
