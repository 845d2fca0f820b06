/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * Command lines: what common options set, which a tool has, what is refused.
 */
#include <config.h>
#include <errno.h>
#include "diags/core/options.h"
#include "diags/core/out.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "tests/unit/diags/fake.h"

static int
show(struct diag *d, int argc, char **argv)
{
	const struct diag_settings *s = diag_settings(d);

	diag_text(d, "%s %d %d %d %u %u %u %d %llx |", s->ca ? s->ca : "-", s->port, (int)s->addressing, s->timeout_ms, s->sm_lid,
		s->verbose, s->pkey_index, s->show_keys, (unsigned long long)s->mkey);
	for (int i = 0; i < argc; i++)
		diag_text(d, " %s", argv[i]);
	diag_text(d, "\n");
	return 0;
}

static int
own(struct diag *d, int id, const char *value)
{
	if (id == 's')
		diag_text(d, "own s %s\n", value);
	return id == 's' ? 0 : -ENOENT;
}

static const struct diag_option own_options[] = {
	{ 's', "size", "<n>", "an option of the tool that has the letter of a common one" },
	{ 0, NULL, NULL, NULL },
};
static const struct diag_tool plain = { .name = "plain", .operands = "<x>", .about = "shows what is set", .run = show };
static const struct diag_tool masking = {
	.name = "masking", .about = "has letters of its own", .masked = "sD", .options = own_options, .option = own, .run = show,
};

static void
expect(const struct diag_tool *t, const char *args, int status, const char *out)
{
	struct outcome o = fake_run(t, args);

	assert_int_equal(o.status, status);
	assert_string_equal(o.out, out);
	outcome_clear(&o);
}

static void
settings(void **state)
{
	(void)state;
	expect(&plain, "", 0, "- -1 0 0 0 0 0 0 0 |\n");
	expect(&plain, "-C mlx5_0 -P 2 -D -t 50 -s 7 -vv -Y 3 -K -y 0x1f a b", 0, "mlx5_0 2 1 50 7 2 3 1 1f | a b\n");
	/* Options may follow operands; -P 0 means any. */
	expect(&plain, "a -G b -P 0", 0, "- -1 2 0 0 0 0 0 0 | a b\n");
	expect(&plain, "-G -L -- -v", 0, "- -1 0 0 0 0 0 0 0 | -v\n");
}

static void
refused(void **state)
{
	static const char *const bad[] = {
		"-P 255", "-P x", "-t 0", "-s 0", "-s 49152", "-Y 65536", "--nonsense", "-C", "--json=yaml", "--json-u64 no", "--csv",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct outcome o = fake_run(&plain, bad[i]);

		assert_int_equal(o.status, EXIT_USAGE);
		assert_true(*o.err);
		outcome_clear(&o);
	}
}

static void
masks(void **state)
{
	struct option_rows r = diag_options_join(&masking);
	bool seen = false;

	(void)state;
	expect(&masking, "-s 5", 0, "own s 5\n- -1 0 0 0 0 0 0 0 |\n");
	expect(&masking, "-D", EXIT_USAGE, "");
	for (size_t i = 0; i < r.n; i++) {
		assert_string_not_equal(r.row[i]->name, "sm_port");
		assert_string_not_equal(r.row[i]->name, "load");
		seen |= diag_option_is_tools(&masking, r.row[i]);
	}
	assert_true(seen);
}

static void
formats(void **state)
{
	struct outcome o = fake_run(&plain, "--json -P 999");
	json_t *doc = outcome_document(&o);

	(void)state;
	/* A document is owed also where the command line is wrong. */
	assert_int_equal(json_integer_value(json_object_get(doc, "exit_status")), EXIT_USAGE);
	assert_string_equal(json_string_value(json_object_get(json_object_get(doc, "options"), "Port")), "999");
	json_decref(doc);
	outcome_clear(&o);
	o = fake_run(&plain, "-j -y 0x1234");
	doc = outcome_document(&o);
	assert_string_equal(json_string_value(json_object_get(json_object_get(doc, "options"), "m_key")), "hidden");
	json_decref(doc);
	outcome_clear(&o);
}

static void
help(void **state)
{
	struct outcome o = fake_run(&plain, "--help");
	char *text = NULL, *line, *save = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	(void)state;
	assert_int_equal(o.status, EXIT_USAGE);
	assert_non_null(strstr(o.err, "Usage: tool [options] <x>"));
	for (line = strtok_r(o.err, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		assert_true(strlen(line) <= 80);
	outcome_clear(&o);
	o = fake_run(&plain, "-V -P 999");
	assert_int_equal(o.status, 0);
	assert_string_equal(o.out, "");
	assert_non_null(strstr(o.err, "BUILD VERSION"));
	outcome_clear(&o);
	diag_options_dump(&masking, f);
	fclose(f);
	assert_non_null(strstr(text, "tool\tmasking\t\thas letters of its own\n"));
	assert_non_null(strstr(text, "option\ts\tsize\t<n>\t"));
	assert_non_null(strstr(text, "\town\n"));
	assert_non_null(strstr(text, "option\t\tndjson\t\t"));
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings), cmocka_unit_test(refused), cmocka_unit_test(masks), cmocka_unit_test(formats),
		cmocka_unit_test(help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
