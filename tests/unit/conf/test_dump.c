/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_dump.c - what is dumped reads back to the same, whatever the text in it; what actions write.
 */
#include <config.h>
#include <errno.h>
#include "sm/conf/table.h"
#include "util/optab.h"
#include "tests/unit/conf/conf_rig.h"

/* What is dumped reads back to the same, whatever the text in it. */
static void
test_dump(void **state)
{
	static const char *const odd[] = { "/a b", "\"", "\\", "${HOME}", "#x", "'", "a\\nb",
		"\\x41", "\303\244", "", "$", "//", "/* */" };
	char arg[64], *first, *second;

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		conf_write("");
		snprintf(arg, sizeof(arg), "ca=%s", odd[i]);
		assert_int_equal(
			LOAD("--set", arg, "-l", "3", "-r", "-g", "0xfedcba9876543210", "-R",
				"minhop,updn,no_fallback", "-s", "0", "--log-level", "error"),
			0);
		assert_string_equal(conf->ca, odd[i]);
		first = dump(conf);
		conf_write(first);
		if (LOAD() != 0)
			fail_msg("%s", err.text);
		assert_null(err.warnings);
		assert_string_equal(conf->ca, odd[i]);
		assert_int_equal(conf->lmc, 3);
		assert_true(conf->reassign_lids);
		assert_true(conf->guid == 0xfedcba9876543210);
		assert_int_equal(conf->log_level, LOG_ERROR);
		assert_true(conf->engines.no_fallback);
		second = dump(conf);
		assert_string_equal(first, second);
		free(first);
		free(second);
	}
}

static void
test_actions(void **state)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f;

	(void)state;
	conf_write("lmc = 99\n");
	f = open_memstream(&text, &len);
	assert_int_equal(LOAD("--help"), 0); /* whatever the file says */
	assert_int_equal(conf_act(conf, f), EXIT_OK);
	fclose(f);
	assert_non_null(strstr(text, "  -s, --sweep N"));
	assert_non_null(strstr(text, "(default 10 s)"));
	assert_null(strstr(text, "Links:")); /* no key there has an option */
	free(text);
	assert_int_equal(LOAD("--version", "-l", "77"), 0);
	assert_int_equal(conf->action, CONF_VERSION);
	conf_write("lmc = 3\n");
	assert_int_equal(LOAD(), 0);
	assert_int_equal(conf_act(conf, stdout), -1);
	f = open_memstream(&text, &len);
	assert_int_equal(LOAD("--check-config"), 0);
	assert_int_equal(conf_act(conf, f), EXIT_OK);
	fclose(f);
	assert_string_equal(text, with_path("PATH: ok\n"));
	free(text);
}

/* Every key is shown, with its default, in lines that an editor shows in full. */
static void
every_key_is_shown(void **state)
{
	struct conf *c = conf_default();
	char *text = dump(c), *sample = strdup(text), word[80];

	(void)state;
	for (size_t i = 0; i < conf_nrows; i++) {
		if (conf_rows[i].heading)
			continue;
		snprintf(word, sizeof(word), "\n%s = ", conf_rows[i].key);
		if (!strstr(text, word) != conf_rows[i].known_only)
			fail_msg("%s", conf_rows[i].key);
	}
	for (char *line = strtok(sample, "\n"); line; line = strtok(NULL, "\n"))
		if (*line == '#')
			assert_true(strlen(line) <= 100);
	free(sample);
	free(text);
	conf_free(c);
}

/* The chapter of the manual: each key as a term, or in the list of those that do nothing. */
static void
the_manual_has_every_key(void **state)
{
	char *text = NULL, term[80], listed[80];
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	const char *unused;

	(void)state;
	conf_write_rst(f);
	fclose(f);
	unused = strstr(text, "\nKeys of OpenSM that do nothing yet\n");
	assert_non_null(unused);
	for (size_t i = 0; i < conf_nrows; i++) {
		const struct conf_row *r = &conf_rows[i];

		if (r->heading)
			continue;
		snprintf(term, sizeof(term), "\n**%s**\n", r->key);
		snprintf(listed, sizeof(listed), "``%s``", r->key);
		if (!strstr(text, term) == !strstr(unused, listed))
			fail_msg("%s", r->key);
		assert_true(r->known_only || strstr(text, term));
	}
	free(text);
}

/* A stream that takes nothing is an error, whatever was to be written. */
static void
a_full_device(void **state)
{
	FILE *f = fopen("/dev/full", "w");

	(void)state;
	if (!f)
		skip();
	conf_write("");
	assert_int_equal(LOAD("--dump-config"), 0);
	assert_int_equal(conf_act(conf, f), EXIT_FATAL);
	fclose(f);
}

/* What the daemon does itself is no action of the configuration. */
static void
running_is_no_action(void **state)
{
	(void)state;
	conf_write("");
	assert_int_equal(LOAD("--once"), 0);
	assert_int_equal(conf_act(conf, stdout), -1);
	assert_int_equal(LOAD("--make-secret"), 0);
	assert_int_equal(conf_act(conf, stdout), -1);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
		T(test_dump),
		T(test_actions),
		T(every_key_is_shown),
		T(the_manual_has_every_key),
		T(a_full_device),
		T(running_is_no_action),
	};

	return cmocka_run_group_tests_name("sm/conf/dump", tests, NULL, NULL);
}
