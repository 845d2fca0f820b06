/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * row.h - the result of one size of messages as JSON: what reports hold, what servers answer,
 * what --expect judges.
 * Room: verbs/meas.  Pure.
 */
#ifndef HEDDLE_VERBS_MEAS_ROW_H
#define HEDDLE_VERBS_MEAS_ROW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include "verbs/meas/expect.h"
#include "verbs/meas/session.h"

/* A new object; every key is always there. */
json_t *meas_row_json(const struct meas_result *r, const struct meas_test *t);
/* The row of a server, with what belongs there and nothing else, so that it fits our documents;
 * NULL: it is none.  To be freed. */
json_t *meas_row_clean(const json_t *row);
/* The value of a figure; false: this row has none.  Total: the row may come from a server. */
bool meas_row_figure(const json_t *row, enum meas_figure f, double *value);

/* The header and a line as perftest prints them; 'gbits': Gb/s instead of MiB/s. */
void meas_row_header(FILE *f, enum meas_mode mode, bool gbits);
void meas_row_text(FILE *f, const json_t *row, enum meas_mode mode, bool gbits);
/* The histogram as lines with bars. */
void meas_row_histogram(FILE *f, const json_t *row);
/* A sentence about wrong, lost or failed messages into 'text'; false: there were none. */
bool meas_row_trouble(const json_t *row, char *text, size_t bytes);

#endif
