/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_options_help.c - the text of --help, and the dump for the manual.
 */
#include <config.h>
#include "diags/core/context.h"
#include "diags/core/options.h"
#include "diags/core/status.h"
#include "tests/unit/diags/core/tools.h"

static void
help(void **state)
{
	struct outcome o = fake_run(&tools_plain, "--help");
	char *text = NULL, *line, *save = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	(void)state;
	assert_int_equal(o.status, EXIT_USAGE);
	assert_non_null(strstr(o.err, "Usage: tool [options] <x>"));
	for (line = strtok_r(o.err, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		assert_true(strlen(line) <= 80);
	outcome_clear(&o);
	o = fake_run(&tools_plain, "-V -P 999");
	assert_int_equal(o.status, 0);
	assert_string_equal(o.out, "");
	assert_non_null(strstr(o.err, "BUILD VERSION"));
	outcome_clear(&o);
	diag_options_dump(&tools_masking, f);
	fclose(f);
	assert_non_null(strstr(text, "tool\tmasking\t\thas letters of its own\n"));
	assert_non_null(strstr(text, "option\ts\tsize\t<n>\t"));
	assert_non_null(strstr(text, "\town\n"));
	assert_non_null(strstr(text, "option\t\tndjson\t\t"));
	free(text);
}

static const struct diag_op ops[] = {
	{ .name = "NodeInfo", .alias = "NI", .operands = "<addr>" },
	{ .name = "Alone", .operands = "" },
	{ .name = NULL },
};
static const char *const examples[] = { "NI 5", "--json Alone", NULL };
static const struct diag_option long_options[] = {
	{ DIAG_LONG, "a-rather-long-name-of-an-option", "<argument>",
		"a help text that does not fit into what is left of the line after that name" },
	{ 'q', "quick", "[=x]", "short" },
	{ 0, NULL, NULL, NULL },
};
static const struct diag_tool tool = { .name = "query", .about = "asks", .operands = "<op>",
	.ops = ops, .examples = examples, .options = long_options };

/* What 'print' writes. */
static char *
printed(void (*print)(struct diag *d, FILE *f))
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	struct diag d;

	diag_begin(&d, &tool, NULL, "query");
	print(&d, f);
	fclose(f);
	diag_clear(&d);
	return text;
}

static void
dump(struct diag *d, FILE *f)
{
	diag_options_dump(d->tool, f);
}

/* Operations, options in their columns, an optional argument without a blank, examples. */
static void
every_part(void **state)
{
	char *text = printed(diag_options_usage), *line, *save = NULL;

	(void)state;
	assert_non_null(strstr(text, "\nUsage: query [options] <op>\n"));
	assert_non_null(strstr(text, "\n  NodeInfo (NI) <addr>\n  Alone () \n"));
	assert_non_null(strstr(text, "\n  --quick, -q[=x]         short\n"));
	assert_non_null(strstr(text, "\nExamples:\n  query NI 5\n  query --json Alone\n"));
	assert_non_null(strstr(text,
		"\n  --a-rather-long-name-of-an-option <argument>  a help text that does"));
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		assert_true(strlen(line) <= 80);
	free(text);
}

/* The dump has a line for each row, its fields apart by tabs. */
static void
every_row(void **state)
{
	char *text = printed(dump), *line, *save = NULL;
	unsigned own = 0, common = 0;

	(void)state;
	assert_non_null(strstr(text, "tool\tquery\t<op>\tasks\n"));
	assert_non_null(strstr(text, "\nop\tNodeInfo\tNI\t<addr>\nop\tAlone\t\t\n"));
	assert_non_null(strstr(text, "\noption\tq\tquick\t[=x]\tshort\town\n"));
	assert_non_null(strstr(text,
		"\noption\t\ta-rather-long-name-of-an-option\t<argument>\ta help"));
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		unsigned tabs = 0;

		if (strncmp(line, "option", 6))
			continue;
		for (const char *p = line; *p; p++)
			tabs += *p == '\t';
		assert_int_equal(tabs, 5);
		own += !strcmp(strrchr(line, '\t'), "\town");
		common += !strcmp(strrchr(line, '\t'), "\tcommon");
	}
	assert_int_equal(own, 2);
	assert_true(common > 10);
	free(text);
}

static int
refuse(struct diag *d, int argc, char **argv)
{
	(void)argv;
	return diag_usage(d, "%d operands are too many", argc);
}

/* The sentence, the usage, and the error in the document. */
static void
usage_errors(void **state)
{
	static const struct diag_tool strict = { .name = "strict", .operands = "",
		.about = "refuses", .run = refuse };
	struct outcome o = fake_run(&strict, "a b");
	json_t *doc;

	(void)state;
	assert_int_equal(o.status, EXIT_USAGE);
	assert_non_null(strstr(o.err, "tool: 2 operands are too many\n"));
	assert_non_null(strstr(o.err, "Usage: tool [options]"));
	assert_string_equal(o.out, "");
	outcome_clear(&o);
	o = fake_run(&strict, "--json a");
	doc = outcome_document(&o);
	assert_int_equal(json_integer_value(json_object_get(doc, "exit_status")), EXIT_USAGE);
	assert_int_equal(json_array_size(json_object_get(doc, "errors")), 1);
	json_decref(doc);
	outcome_clear(&o);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(help),
		cmocka_unit_test(every_part),
		cmocka_unit_test(every_row),
		cmocka_unit_test(usage_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
