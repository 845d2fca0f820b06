/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * context.h - struct diag: one run of a tool, shared by the files of diags/core.
 * Room: diags/core. Other rooms do not include it: they call functions such as diag_settings(),
 * diag_state() and diag_doc().
 *
 * The structure exists once per run. diag_begin() makes it, the options fill 'set', and from then
 * on only the functions of this room change it.
 */
#ifndef HEDDLE_DIAGS_CORE_CONTEXT_H
#define HEDDLE_DIAGS_CORE_CONTEXT_H

#include <jansson.h>
#include "diags/core/settings.h"

struct diag_asking;
struct diag_names;
struct diag_tool;
struct out_rows;
struct show_fields;

struct diag {
	const struct diag_tool *tool;
	const struct diag_asking *asking; /* NULL: this program sends no requests */
	void *state, *asking_state;       /* of the tool; of diags/ask */
	const char *program;              /* argv[0], as messages show it */
	const char *word;                 /* the operation as given */
	struct diag_settings set;
	int status; /* the exit status so far */
	bool incomplete;
	int64_t start_us;
	json_t *doc, *summary, *errors, *findings, *options;
	/* names of the members of the document that are already printed, each true */
	json_t *printed;
	const char *open_rows; /* name of the array that is being written, or NULL */
	struct out_rows *rows; /* rows of the document that are already converted to text */
	bool header_out;
	const char *source; /* "live", "daemon", "file" */
	struct diag_names *names;
	bool names_read;
	bool hushed;
	struct show_fields *fields; /* show.c: prepared lines for a list of names */
	bool progress_shown;
	bool signals_end; /* SIGINT and SIGTERM are no failure */
	int64_t progress_us;
};

/* Begins a run with default settings; diag_clear() ends it and frees everything. */
void diag_begin(struct diag *d, const struct diag_tool *tool, const struct diag_asking *asking,
	const char *program);
void diag_clear(struct diag *d);

#endif
