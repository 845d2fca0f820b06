/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * report.h - the outcome of a run as TAP lines, as one JSON document, as a table.
 * Room: verbs/conform.
 */
#ifndef HEDDLE_VERBS_CONFORM_REPORT_H
#define HEDDLE_VERBS_CONFORM_REPORT_H

#include <stdio.h>
#include "verbs/conform/conform.h"

/* One line "ok N - NAME" as TAP has it, with skips and known deviations (as TODO) told by their
 * directives. */
void conform_report_tap_case(FILE *f, unsigned number, const struct conform_result *r);
/* The plan and the totals. */
void conform_report_tap_end(FILE *f, const struct conform_report *r);
/* The document of docs/schema/ibhcatest-conform.json.  0, or -EIO when 'f' took it not all. */
int conform_report_json(FILE *f, const struct conform_report *r);
/* A document without results, after a command line or a device that would not do: 'message' says
 * why. */
int conform_report_json_error(FILE *f, const char *backend, const char *code, const char *message,
	int exit_status);
/* Markdown: areas and how many cases of each status; then each area's cases by what they expect.
 * docs/verbs.md holds it. */
void conform_report_markdown(FILE *f, const struct conform_report *r);
/* The table of known deviations in Markdown. */
void conform_report_deviations(FILE *f, const struct conform_deviation *rows, size_t n);

#endif
