/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dump_fts.h - the common part of dump_fts, dump_lfts and dump_mfts: all but their names.
 * Room: diags/tools.
 *
 * The three programs have the same options and print the same tables. Each defines a 'diag_tool'
 * with its own name and calls one of the functions here. fts.h reads and prints a table.
 */
#ifndef HEDDLE_DIAGS_TOOLS_DUMP_FTS_H
#define HEDDLE_DIAGS_TOOLS_DUMP_FTS_H

#include "diags/core/tool.h"
#include "diags/tools/fts.h"

extern const struct diag_option dump_fts_options[];
extern const char *const dump_fts_examples[];
/* Handles the options of fts_option(); returns as that does. */
int dump_fts_option(struct diag *d, int id, const char *value);
/* Reads and prints the tables of all switches: LFTs, or MFTs with -M. 'argv' is the range of LIDs.
 * Returns the exit status. */
int dump_fts_run(struct diag *d, int argc, char **argv);
/* Does the same for a program with an old name, and ends the text with the notice that
 * 'replaced_by' is the new name. 'multicast' has the effect of -M. */
int dump_fts_run_as(struct diag *d, const char *replaced_by, bool multicast, int argc, char **argv);

#define DUMP_FTS_TOOL(NAME, ABOUT, RUN) \
	const struct diag_tool diag_tool = { \
		.name = NAME, .operands = "[<startlid> [<endlid>]]", .about = ABOUT, .examples = dump_fts_examples, \
		.masked = "DGLsK", .options = dump_fts_options, .flags = DIAG_FABRIC, .rows = "routes", \
		.option = dump_fts_option, .run = RUN, .state_bytes = sizeof(struct fts_want), \
	}

#endif
