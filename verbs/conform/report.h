/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * report.h - the results of a run as TAP lines, as a JSON document, as Markdown tables.
 * Room: verbs/conform (prefix conform_report_).
 *
 * runner.c produces results, this file only prints them: a TAP line as soon as a case has ended,
 * the totals, the document and the tables from the whole report at the end.  All output goes to a
 * FILE that stays the caller's.  docs/verbs.md describes the statuses.
 */
#ifndef HEDDLE_VERBS_CONFORM_REPORT_H
#define HEDDLE_VERBS_CONFORM_REPORT_H

#include <stdio.h>
#include "verbs/conform/conform.h"

/* Prints one TAP line "ok N - NAME", with the directives SKIP, and TODO for known deviations. */
void conform_report_tap_case(FILE *f, unsigned number, const struct conform_result *r);
/* Prints the TAP plan and the totals. */
void conform_report_tap_end(FILE *f, const struct conform_report *r);
/* Prints the document of docs/schema/ibhcatest-conform.json.  0, or -EIO: the output failed. */
int conform_report_json(FILE *f, const struct conform_report *r);
/* Prints a document without results, after an invalid command line or a device failure;
 * 'message' is the reason. */
int conform_report_json_error(FILE *f, const char *backend, const char *code, const char *message,
	int exit_status);
/* Prints Markdown for docs/verbs.md: areas with their number of cases by status, then each
 * area's cases by expectation. */
void conform_report_markdown(FILE *f, const struct conform_report *r);
/* Prints the table of known deviations as Markdown. */
void conform_report_deviations(FILE *f, const struct conform_deviation *rows, size_t n);

#endif
