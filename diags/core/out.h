/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * out.h - what goes to stdout: text, one JSON document, JSON lines, or a CSV table.
 * Room: diags/core.  docs/json.md: the envelope.
 *
 * A tool prints text with diag_text() and fills the document with diag_doc() and diag_row(),
 * without asking for the mode. The document is printed when the tool has ended, but rows of its
 * main array as soon as they come, where the format allows it.
 */
#ifndef HEDDLE_DIAGS_CORE_OUT_H
#define HEDDLE_DIAGS_CORE_OUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct diag;

/* printf, in text mode only. */
void diag_text(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* 'n' bytes of finished text, in text mode only. */
void diag_write(struct diag *d, const char *text, size_t n);
bool diag_is_text(const struct diag *d);
/* The tool's part of the document: set keys here; borrowed. */
json_t *diag_doc(struct diag *d);
/* The document's "summary"; borrowed. */
json_t *diag_summary(struct diag *d);
/* Adds 'row' (taken) to the array 'key'; with --ndjson and for the tool's rows it is printed at
 * once. */
void diag_row(struct diag *d, const char *key, json_t *row);
/*
 * Where a large member of the document may be written as compact JSON at once; it ends the array of
 * the tool's rows. NULL: the document is not written like that; set the member in diag_doc().
 */
FILE *diag_out_member(struct diag *d, const char *key);
/* The "source" of the document: "live" (unless set), "daemon" or "file"; 'source' is a literal. */
void diag_source_set(struct diag *d, const char *source);

/* ---- for tool.c ---- */

void diag_out_begin(struct diag *d);
/* Prints the document; nothing in text mode. */
void diag_out_end(struct diag *d);
void diag_out_clear(struct diag *d);

#endif
