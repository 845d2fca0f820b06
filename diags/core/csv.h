/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * csv.h - rows of a document as a table of comma-separated values.
 * Room: diags/core.
 */
#ifndef HEDDLE_DIAGS_CORE_CSV_H
#define HEDDLE_DIAGS_CORE_CSV_H

#include <jansson.h>
#include <stdio.h>

/* Prints the array 'rows' of objects: a header of all members, then a line a row.  NULL or empty:
 * nothing. */
void diag_csv_print(FILE *f, json_t *rows);

#endif
