/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dump_fts.h - what dump_fts, dump_lfts and dump_mfts have in common: all but their names.
 * Room: diags/tools.
 */
#ifndef HEDDLE_DIAGS_TOOLS_DUMP_FTS_H
#define HEDDLE_DIAGS_TOOLS_DUMP_FTS_H

#include "diags/core/tool.h"
#include "diags/tools/fts.h"

extern const struct diag_option dump_fts_options[];
extern const char *const dump_fts_examples[];
int dump_fts_option(struct diag *d, int id, const char *value);
/* The tables of all switches, unicast unless -M. */
int dump_fts_run(struct diag *d, int argc, char **argv);
/* The same under an old name: ends with the notice that it had. */
int dump_fts_run_as(struct diag *d, const char *replaced_by, bool multicast, int argc, char **argv);

#define DUMP_FTS_TOOL(NAME, ABOUT, RUN) \
	const struct diag_tool diag_tool = { \
		.name = NAME, .operands = "[<startlid> [<endlid>]]", .about = ABOUT, .examples = dump_fts_examples, \
		.masked = "DGLsK", .options = dump_fts_options, .flags = DIAG_FABRIC, .rows = "routes", \
		.option = dump_fts_option, .run = RUN, .state_bytes = sizeof(struct fts_want), \
	}

#endif
