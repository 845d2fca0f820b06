/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * out.h - the standard output: text, one JSON document, JSON lines, or a CSV table.
 * Room: diags/core. docs/json.md describes the envelope of a document.
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

/* printf(), in text mode only. */
void diag_text(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Writes 'n' bytes of text, in text mode only. */
void diag_write(struct diag *d, const char *text, size_t n);
/* Reports whether the output is text, so that a tool need not compute rows. */
bool diag_is_text(const struct diag *d);
/* Returns the document, in which the tool sets its members; borrowed. */
json_t *diag_doc(struct diag *d);
/* Returns the member "summary" of the document; borrowed. */
json_t *diag_summary(struct diag *d);
/* Adds 'row' (taken) to the array 'key' of the document. With --ndjson, rows of the tool's main
 * array are printed at once. */
void diag_row(struct diag *d, const char *key, json_t *row);
/*
 * Returns the stream to which a large member of the document can be written at once, as compact
 * JSON; this ends the array of the tool's rows. Returns NULL if the document is not written in this
 * way; the caller then sets the member in diag_doc().
 */
FILE *diag_out_member(struct diag *d, const char *key);
/* Sets the "source" of the document: "live" (the default), "daemon" or "file"; 'source' is a string
 * literal. */
void diag_source_set(struct diag *d, const char *source);

/* ---- for tool.c ---- */

void diag_out_begin(struct diag *d);
/* Prints the document; nothing in text mode. */
void diag_out_end(struct diag *d);
void diag_out_clear(struct diag *d);

#endif
