/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * context.h - struct diag: one run of a tool, as the files of diags/core share it.
 * Room: diags/core. No other room includes it: they call diag_settings(), diag_state(), diag_doc()
 * and so on.
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
	void *state, *asking_state;       /* of the tool, and of the room that asks */
	const char *program;              /* argv[0], as messages have it */
	const char *word;                 /* the operation as it was typed */
	struct diag_settings set;
	int status; /* the exit status so far */
	bool incomplete;
	int64_t start_us;
	json_t *doc, *summary, *errors, *findings, *options;
	json_t *printed;       /* members of the document that are printed already: true by name */
	const char *open_rows; /* the array that is being written, NULL */
	struct out_rows *rows; /* rows of the document that are text already */
	bool header_out;
	const char *source; /* "live", "daemon", "file" */
	struct diag_names *names;
	bool names_read;
	bool hushed;
	struct show_fields *fields; /* show.c: lines that were made for a list of names */
	bool progress_shown;
	bool signals_end; /* INT and TERM are no failure */
	int64_t progress_us;
};

/* Begins a run with all defaults; diag_clear() ends it. */
void diag_begin(struct diag *d, const struct diag_tool *tool, const struct diag_asking *asking,
	const char *program);
void diag_clear(struct diag *d);

#endif
