/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * serve.h - programs that answer others: ibping -S, ibsysstat -S.
 * Room: diags/ask.
 */
#ifndef HEDDLE_DIAGS_ASK_SERVE_H
#define HEDDLE_DIAGS_ASK_SERVE_H

#include <stddef.h>
#include <stdint.h>
#include "libmad/io/io.h"

struct diag;

/* Writes what answers 'request' (256 bytes) into 'data', at most 'room' bytes, and says how
 * many. */
typedef size_t diag_answer(struct diag *d, const uint8_t *request, uint8_t *data, size_t room);
/*
 * Answers each Get of a class of vendor range 2 until INT or TERM; what is longer than a datagram
 * goes as RMPP where 'c' says that the class has it. Each request is a row of "requests" with
 * --ndjson; summary.requests counts them. The exit status.
 */
int diag_serve(struct diag *d, struct io_class c, diag_answer *answer);
/* This machine's name, with its domain if it has one; NUL-terminated. */
void diag_host_name(char *buf, size_t room);

#endif
