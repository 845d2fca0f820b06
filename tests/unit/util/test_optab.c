/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_optab.c - command lines in, options, operands and sentences out.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/test.h"
#include "util/nearest.h"
#include "util/optab.h"

enum { O_NAME = 1, O_FAST, O_SPEED, O_QUIET };

static const struct optab_opt opts[] = {
	{ 0, 0, NULL, NULL, "Things" },
	{ O_NAME, 'n', "name", "NAME", "call it NAME" },
	{ O_FAST, 'f', "fast", NULL, "be fast" },
	{ O_SPEED, 0, "speed-limit", "N", "never faster than N, and this sentence is long enough that it needs "
		"more than one line" },
	{ O_QUIET, 0, "fasten", NULL, "hold tight" },
};
static const char *const usage[] = { "[OPTION]... FILE", "--help", NULL };
static const struct optab tab = { "loom", usage, "Weaves", opts, 5, "The end.\n", false };

struct trace {
	char text[256];
	char error[256];
	int operand, end;
};

static struct trace
options_walk(const struct optab *t, int argc, const char **argv)
{
	struct optab_iter it;
	const struct optab_opt *o;
	const char *value;
	struct trace tr = { "", "", 0, 0 };
	size_t n = 0;

	optab_begin(&it, t, argc, (char **)argv);
	while ((tr.end = optab_next(&it, &o, &value)) > 0)
		n += (size_t)snprintf(tr.text + n, sizeof(tr.text) - n, "%d=%s;", o->id,
			value ? value : "-");
	tr.operand = it.operand;
	snprintf(tr.error, sizeof(tr.error), "%s", it.error);
	return tr;
}

#define RUN(t, ...) \
	options_walk(t, (int)(sizeof((const char *[]){ "loom", __VA_ARGS__ }) / sizeof(char *)), \
		(const char *[]){ "loom", __VA_ARGS__, NULL })

static void
test_forms(void **state)
{
	struct trace tr;

	(void)state;
	tr = RUN(&tab, "-n", "a", "file", "--name=b", "--name", "c", "-fnd", "--fast");
	assert_int_equal(tr.end, 0);
	assert_string_equal(tr.text, "1=a;1=b;1=c;2=-;1=d;2=-;");
	assert_int_equal(tr.operand, 8);
	tr = RUN(&tab, "--speed", "5", "--", "-f");
	assert_string_equal(tr.text, "3=5;");
	assert_int_equal(tr.operand, 4);
}

static void
test_stop(void **state)
{
	struct optab t = tab;
	struct trace tr;

	(void)state;
	t.stop_at_operand = true;
	tr = RUN(&t, "-f", "cmd", "-n", "x");
	assert_string_equal(tr.text, "2=-;");
	assert_int_equal(tr.operand, 2);
}

static void
test_faults(void **state)
{
	static const struct {
		const char *arg, *sentence;
	} v[] = {
		{ "--nam3", "loom: no option --nam3; did you mean --name?\n" },
		{ "--zzzzzzz=4", "loom: no option --zzzzzzz; see loom --help\n" },
		{ "--fas", "loom: option --fas could be 2 options\n" },
		{ "-x", "loom: no option -x; see loom --help\n" },
		{ "-n", "loom: option -n needs NAME\n" },
		{ "--name", "loom: option --name needs NAME\n" },
		{ "--fast=1", "loom: option --fast takes no value\n" },
	};
	struct trace tr;

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		tr = RUN(&tab, v[i].arg);
		assert_int_equal(tr.end, -EINVAL);
		assert_string_equal(tr.error, v[i].sentence);
	}
}

static void
test_help(void **state)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	optab_help(f, &tab, 80);
	optab_version(f, &tab);
	fclose(f);
	assert_string_equal(text,
		"Usage: loom [OPTION]... FILE\n"
		"       loom --help\n"
		"Weaves.\n"
		"\n"
		"Things:\n"
		"  -n, --name NAME             call it NAME\n"
		"  -f, --fast                  be fast\n"
		"      --speed-limit N         never faster than N, and this sentence is long\n"
		"                              enough that it needs more than one line\n"
		"      --fasten                hold tight\n"
		"\n"
		"The end.\n"
		"loom (heddle) " PACKAGE_VERSION "\n");
	free(text);
}

static void
test_nearest(void **state)
{
	struct nearest n = nearest_start("sweep_intreval");

	(void)state;
	assert_int_equal(nearest_distance("kitten", "sitting"), 3);
	assert_int_equal(nearest_distance("abcd", "abdc"), 1);
	assert_int_equal(nearest_distance("Max-Smps", "max_smps"), 0);
	nearest_offer(&n, "sweep_on_trap");
	nearest_offer(&n, "sweep_interval");
	nearest_offer(&n, "sm_key");
	assert_string_equal(n.best, "sweep_interval");
	n = nearest_start("colour");
	nearest_offer(&n, "sm_key");
	assert_null(n.best);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
