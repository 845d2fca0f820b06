/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * csv.h - prints rows of a document as comma-separated values.
 * Room: diags/core.
 *
 * Columns are the union of the members of all rows, so the whole array must be known. csv.c
 * describes nested members.
 */
#ifndef HEDDLE_DIAGS_CORE_CSV_H
#define HEDDLE_DIAGS_CORE_CSV_H

#include <jansson.h>
#include <stdio.h>

/* Prints the array 'rows' of objects: a header line with all members, then one line per row. NULL
 * or an empty array prints nothing. */
void diag_csv_print(FILE *f, json_t *rows);

#endif
