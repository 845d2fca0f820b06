/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * tools.c - tools for tests of the command line.
 */
#include <config.h>
#include <errno.h>
#include "diags/core/out.h"
#include "diags/core/settings.h"
#include "tests/unit/diags/core/tools.h"

static int
arguments_show(struct diag *d, int argc, char **argv)
{
	const struct diag_settings *s = diag_settings(d);

	diag_text(d, "%s %d %d %d %u %u %u %d %llx |", s->ca ? s->ca : "-", s->port,
		(int)s->addressing, s->timeout_ms, s->sm_lid,
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
const struct diag_tool tools_plain = { .name = "plain", .operands = "<x>",
	.about = "shows what is set", .run = arguments_show };
const struct diag_tool tools_masking = {
	.name = "masking", .about = "has letters of its own", .masked = "sD",
		.options = own_options, .option = own, .run = arguments_show,
};

void
tools_expect(const struct diag_tool *t, const char *args, int status, const char *out)
{
	struct outcome o = fake_run(t, args);

	assert_int_equal(o.status, status);
	assert_string_equal(o.out, out);
	outcome_clear(&o);
}
