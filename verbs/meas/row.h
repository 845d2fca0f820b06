/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * row.h - the result of one message size as JSON: reports hold it, servers return it, --expect
 * checks it.
 * Room: verbs/meas.  Pure.
 *
 * A row is the only form in which results travel and are printed, so text, JSON, rows of remote
 * servers and --expect cannot disagree.  Invariant: keys never come and go; a figure that was not
 * measured is null.  Rows of servers are untrusted: meas_row_clean() drops what does not belong
 * there.  docs/schema/ibhcatest-common.json describes the keys.
 */
#ifndef HEDDLE_VERBS_MEAS_ROW_H
#define HEDDLE_VERBS_MEAS_ROW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include "verbs/meas/expect.h"
#include "verbs/meas/run/counts.h"

/* A new object that has every key. */
json_t *meas_row_json(const struct meas_result *r, const struct meas_test *t);
/* Copies a server's row with only the keys that belong there, so that it fits our schema.  A new
 * object; NULL: not a row. */
json_t *meas_row_clean(const json_t *row);
/* Reads a figure.  False: the row has none.  Accepts rows of servers, that is, any JSON value. */
bool meas_row_figure(const json_t *row, enum meas_figure f, double *value);

/* Print the header and a line in perftest's format; 'gbits': Gb/s instead of MiB/s. */
void meas_row_header(FILE *f, enum meas_mode mode, bool gbits);
void meas_row_text(FILE *f, const json_t *row, enum meas_mode mode, bool gbits);
/* Prints the histogram as lines with bars. */
void meas_row_histogram(FILE *f, const json_t *row);
/* Writes a sentence about corrupt messages to 'text', with the first wrong byte.  False: there were
 * none. */
bool meas_row_problem(const json_t *row, char *text, size_t bytes);

#endif
