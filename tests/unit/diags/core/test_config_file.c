/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibdiag.conf: its keys, and errors that name file and line.
 */
#include <config.h>
#include <unistd.h>
#include "diags/core/out.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "tests/unit/diags/fake.h"

static int
file_settings_show(struct diag *d, int argc, char **argv)
{
	const struct diag_settings *s = diag_settings(d);

	(void)argc;
	(void)argv;
	diag_text(d, "%s %d %d %llx %llx %d\n", s->ca ? s->ca : "-", s->port, s->timeout_ms, (unsigned long long)s->mkey,
		(unsigned long long)s->sa_key, s->mlx_epi);
	return 0;
}

static const struct diag_tool tool = { .name = "tool", .run = file_settings_show };

/* The file is read with -z; 'more' is the rest of the command line. */
static struct outcome
with_file(const char *text, const char *more)
{
	char *path = fake_file(text), args[400];
	struct outcome o;

	snprintf(args, sizeof(args), "-z %s %s", path, more);
	o = fake_run(&tool, args);
	unlink(path);
	free(path);
	return o;
}

static void
keys(void **state)
{
	struct outcome o = with_file("# a comment\n\n CA = mlx5_1 \nPort=2\ntimeout=100\nm_key=0x10\nsa_key=0x20\n"
		"MLX_EPI=FALSE\nnd_format=%h\n", "");

	(void)state;
	assert_int_equal(o.status, 0);
	assert_string_equal(o.out, "mlx5_1 2 100 10 20 0\n");
	outcome_clear(&o);
	/* The command line counts more when it comes later; an empty CA is none. */
	o = with_file("CA=\nPort=0\nMLX_EPI=true\n", "-P 3");
	assert_string_equal(o.out, "- 3 0 0 0 1\n");
	outcome_clear(&o);
}

static void
errors(void **state)
{
	static const struct { const char *text, *line; } bad[] = {
		{ "CA=x\nPort=255\n", ":2: there is no such port number" },
		{ "timeout=4000000000\n", ":1: " },
		{ "m_key=zzz\n", ":1: " },
		{ "\n\nwords\n", ":3: there is no '='" },
		{ "colour=red\n", ":1: the key is none of" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct outcome o = with_file(bad[i].text, "");

		assert_int_equal(o.status, EXIT_USAGE);
		assert_non_null(strstr(o.err, bad[i].line));
		outcome_clear(&o);
	}
}

static void
missing(void **state)
{
	struct outcome o = fake_run(&tool, "-z /nonexistent/ibdiag.conf");

	(void)state;
	assert_int_equal(o.status, EXIT_USAGE);
	assert_non_null(strstr(o.err, "cannot read /nonexistent/ibdiag.conf"));
	outcome_clear(&o);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(keys), cmocka_unit_test(errors), cmocka_unit_test(missing) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
