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

/* Common options that have only a long name. */
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

/* No exit status: the program ends now, successfully and without a document (--version). */
#define DIAG_STOP 0x100
/* Takes all options; '*operand' is the first operand's index.  0, DIAG_STOP, or an exit status,
 * reported. */
int diag_options_parse(struct diag *d, int argc, char **argv, int *operand);
/* Sets the format alone, without any message: the document is owed also when the command line is
 * wrong. */
void diag_options_guess_format(struct diag *d, int argc, char **argv);
/* --help */
void diag_options_usage(struct diag *d, FILE *f);
/* The tables as lines "letter TAB name TAB argument TAB help TAB own|common", for the manual, the
 * completion, the table of tests. */
void diag_options_dump(const struct diag_tool *t, FILE *f);

/* The tool's own options, then the common ones that it has. */
struct option_rows diag_options_join(const struct diag_tool *t);
/* Whether the argument may be left out: "[=x]". */
bool diag_option_is_optional(const struct diag_option *o);
/* Whether the row is one of the tool's own. */
bool diag_option_is_tools(const struct diag_tool *t, const struct diag_option *row);
/* Takes an option of all tools: 0, an exit status, reported, or -ENOENT: it is none. */
int diag_options_take(struct diag *d, int id, const char *value);

#endif
