/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_script.c - lines of a timeline: times, words, what is refused and where.
 */
#include <config.h>
#include <errno.h>
#include <string.h>
#include "tests/unit/test.h"
#include "sim/script/script.h"

static void
reads_lines(void **state)
{
	static const char text[] = "# a cable and a node\n\n"
		"1.5  pull leaf-0-0:3   # by accident\n"
		"+0.25 reboot \"host 7\" --down 100\r\n"
		"0 traffic uniform\n"
		"\t1.5 clear";
	struct script s;
	char why[SCRIPT_WHY];

	(void)state;
	assert_int_equal(script_parse(text, &s, why), 0);
	assert_int_equal(s.nsteps, 4);
	assert_int_equal(s.steps[0].at_us, 0);
	assert_int_equal(s.steps[0].line, 5);
	assert_int_equal(s.steps[1].at_us, 1500000);
	assert_int_equal(s.steps[1].line, 3);
	assert_int_equal(s.steps[1].nwords, 2);
	assert_string_equal(s.steps[1].words[0], "pull");
	assert_string_equal(s.steps[1].words[1], "leaf-0-0:3");
	assert_string_equal(s.steps[2].words[0], "clear");      /* the same time, but later in the text */
	assert_int_equal(s.steps[3].at_us, 1750000);
	assert_int_equal(s.steps[3].nwords, 4);
	assert_string_equal(s.steps[3].words[1], "host 7");
	assert_string_equal(s.steps[3].words[3], "100");
	script_clear(&s);
	assert_int_equal(script_parse("", &s, why), 0);
	assert_int_equal(s.nsteps, 0);
	script_clear(&s);
}

static void
names_the_line(void **state)
{
	static const struct { const char *text, *why; } bad[] = {
		{ "0 clear\nsoon clear\n", "line 2: 'soon'" }, { "\n\n-1 clear", "line 3: '-1'" }, { "1 clear\n2\n", "line 2: a command" },
		{ "1 pull \"host 7\n", "line 1: " }, { "++1 clear", "line 1: '++1'" }, { "1e99 clear", "line 1: '1e99'" },
		{ "nan clear", "line 1: 'nan'" },
	};
	struct script s;
	char why[SCRIPT_WHY], many[400] = "1 errors";

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(script_parse(bad[i].text, &s, why), -EINVAL);
		assert_memory_equal(why, bad[i].why, strlen(bad[i].why));
		assert_null(s.steps);
	}
	for (unsigned i = 1; i < SCRIPT_WORDS; i++)
		strcat(many, " x");
	assert_int_equal(script_parse(many, &s, why), 0);
	script_clear(&s);
	strcat(many, " x");
	assert_int_equal(script_parse(many, &s, why), -EINVAL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(reads_lines), cmocka_unit_test(names_the_line) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
