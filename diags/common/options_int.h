/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * options_int.h - options as the files that read and show them share them.
 * Room: diags.  Only options*.c include it.
 *
 * options.c       the tables, joined with the tool's; the parser
 * options_take.c  what an option of all tools means
 * options_help.c  --help, and the dump for the manual
 */
#ifndef HEDDLE_DIAGS_COMMON_OPTIONS_INT_H
#define HEDDLE_DIAGS_COMMON_OPTIONS_INT_H

#include "diags/common/diag_int.h"

#define OPTIONS_MAX 80
#define OPTIONS_CONFIG "/etc/infiniband-diags/ibdiag.conf"

/* Long names alone, of all tools. */
enum {
	OPT_NAMES = DIAG_LONG + 900, OPT_CSV, OPT_NDJSON, OPT_LOAD, OPT_LIVE, OPT_SELECT, OPT_U64, OPT_COMPAT,
};

struct option_rows {
	const struct diag_option *row[OPTIONS_MAX];
	size_t n;
};

/* The tool's own options, then the common ones that it has. */
struct option_rows options_join(const struct diag_tool *t);
/* Whether the argument may be left out: "[=x]". */
bool options_optional(const struct diag_option *o);
/* Whether the row is one of the tool's own. */
bool options_is_tools(const struct diag_tool *t, const struct diag_option *row);
/* Takes an option of all tools: 0, an exit status with everything said, or -ENOENT: it is none. */
int options_take_common(struct diag *d, int id, const char *value);

#endif
