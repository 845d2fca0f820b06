/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * options_help.c - prints --help from the option tables, and a dump of them for the manual pages.
 * Room: diags/core.
 */
#include <config.h>
#include <ctype.h>
#include <stdarg.h>
#include <string.h>
#include "diags/core/context.h"
#include "diags/core/options.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"

#define SENTENCE_BYTES 600

/* Prints 'text' from column 'at', broken at blanks before column 74. */
static void
put_wrapped(FILE *f, int at, const char *text)
{
	int room = 74 - at;

	for (;;) {
		size_t n = strlen(text), cut;

		if (room < 1 || n <= (size_t)room) {
			fputs(text, f);
			return;
		}
		for (cut = (size_t)room; cut > 0 && text[cut] != ' '; cut--)
			;
		if (!cut) {
			fputs(text, f);
			return;
		}
		fprintf(f, "%.*s \n%*s", (int)cut, text, at, "");
		for (text += cut; *text == ' '; text++)
			;
	}
}

static void
put_option(FILE *f, const struct diag_option *o)
{
	int n = fprintf(f, "  --%s", o->name);

	if (o->id < DIAG_LONG && isprint(o->id))
		n += fprintf(f, ", -%c", o->id);
	if (o->arg)
		n += fprintf(f, "%s%s", diag_option_is_optional(o) ? "" : " ", o->arg);
	n += fprintf(f, "%*s  ", 24 - n > 0 ? 24 - n : 0, "");
	put_wrapped(f, n, o->help);
	putc('\n', f);
}

void
diag_options_usage(struct diag *d, FILE *f)
{
	struct option_rows r = diag_options_join(d->tool);

	fprintf(f, "\nUsage: %s [options] %s\n", d->program, d->tool->operands ? d->tool->operands :
		"");
	if (d->tool->ops) {
		fputs("\nSupported ops (and aliases, case insensitive):\n", f);
		for (const struct diag_op *o = d->tool->ops; o->name; o++)
			fprintf(f, "  %s (%s) %s\n", o->name, o->alias ? o->alias : "",
				o->operands);
		putc('\n', f);
	}
	fputs("\nOptions:\n", f);
	for (size_t i = 0; i < r.n; i++)
		put_option(f, r.row[i]);
	if (d->tool->examples) {
		fputs("\nExamples:\n", f);
		for (const char *const *e = d->tool->examples; *e; e++)
			fprintf(f, "  %s %s\n", d->program, *e);
	}
	putc('\n', f);
}

void
diag_options_dump(const struct diag_tool *t, FILE *f)
{
	struct option_rows r = diag_options_join(t);

	fprintf(f, "tool\t%s\t%s\t%s\n", t->name, t->operands ? t->operands : "", t->about);
	for (const struct diag_op *o = t->ops; o && o->name; o++)
		fprintf(f, "op\t%s\t%s\t%s\n", o->name, o->alias ? o->alias : "", o->operands);
	for (size_t i = 0; i < r.n; i++) {
		const struct diag_option *o = r.row[i];

		fprintf(f, "option\t");
		if (o->id < DIAG_LONG && isprint(o->id))
			putc(o->id, f);
		fprintf(f, "\t%s\t%s\t%s\t%s\n", o->name, o->arg ? o->arg : "", o->help,
			diag_option_is_tools(t, o) ? "own" : "common");
	}
}

int
diag_usage(struct diag *d, const char *fmt, ...)
{
	char text[SENTENCE_BYTES];
	struct diag_where nowhere = DIAG_NOWHERE;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "%s: %s\n", d->program, text);
	diag_error_add(d, "error", "usage", &nowhere, text);
	diag_options_usage(d, stderr);
	diag_status_raise(d, EXIT_USAGE);
	return EXIT_USAGE;
}
