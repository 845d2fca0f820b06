/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * options.h - the command line of a tool: its own options and the common ones.
 * Room: diags/core.  Only options*.c and tool.c include it.
 *
 * options.c       the tables, joined with the tool's; the parser
 * options_take.c  what a common option means
 * options_help.c  --help, and the dump for the manual
 */
#ifndef HEDDLE_DIAGS_CORE_OPTIONS_H
#define HEDDLE_DIAGS_CORE_OPTIONS_H

#include <stdio.h>
#include "diags/core/tool.h"

#define OPTIONS_MAX 80
#define OPTIONS_CONFIG "/etc/infiniband-diags/ibdiag.conf"

/* Common options without a letter. */
enum {
	OPT_NAMES = DIAG_LONG + 900,
	OPT_CSV,
	OPT_NDJSON,
	OPT_LOAD,
	OPT_LIVE,
	OPT_SELECT,
	OPT_U64,
	OPT_COMPAT,
};

struct option_rows {
	const struct diag_option *row[OPTIONS_MAX];
	size_t n;
};

/* Not an exit status: the program ends now, successfully and without a document (--version). */
#define DIAG_STOP 0x100
/* Handles all options and stores the index of the first operand in '*operand'. Returns 0,
 * DIAG_STOP, or the exit status of a reported failure. */
int diag_options_parse(struct diag *d, int argc, char **argv, int *operand);
/* Sets only the output format, without messages, because the document is printed even if the
 * command line is wrong. */
void diag_options_guess_format(struct diag *d, int argc, char **argv);
/* Prints the text of --help. */
void diag_options_usage(struct diag *d, FILE *f);
/* Prints the tables as lines "letter TAB name TAB argument TAB help TAB own|common", from which the
 * manual page, the completion and the table of tests are made. */
void diag_options_dump(const struct diag_tool *t, FILE *f);

/* Returns the options of the tool, followed by the common options that it has. */
struct option_rows diag_options_join(const struct diag_tool *t);
/* Reports whether the argument is optional: "[=x]". */
bool diag_option_is_optional(const struct diag_option *o);
/* Reports whether the row is an option of the tool. */
bool diag_option_is_tools(const struct diag_tool *t, const struct diag_option *row);
/* Handles a common option. Returns 0, the exit status of a reported failure, or -ENOENT for an
 * option that is not common. */
int diag_options_take(struct diag *d, int id, const char *value);

#endif
