/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * serve.h - the loop of tools that answer requests: ibping -S, ibsysstat -S.
 * Room: diags/ask.
 *
 * Requests come from any node. Their content is not trusted, and each one gets at most one answer.
 */
#ifndef HEDDLE_DIAGS_ASK_SERVE_H
#define HEDDLE_DIAGS_ASK_SERVE_H

#include <stddef.h>
#include <stdint.h>
#include "libmad/io/io.h"

struct diag;

/* Writes the answer to 'request' (256 bytes) to 'data', at most 'room' bytes, and returns its
 * length. */
typedef size_t diag_answer(struct diag *d, const uint8_t *request, uint8_t *data, size_t room);
/* Answers each Get of a vendor class of range 2 until SIGINT or SIGTERM. Answers longer than one
 * MAD are sent by RMPP, if 'c' has it. Each request is a row of "requests" with --ndjson;
 * summary.requests counts them. Returns the exit status. */
int diag_serve(struct diag *d, struct io_class c, diag_answer *answer);
/* Writes the host name of this machine, with its domain if it has one, NUL-terminated. */
void diag_host_name(char *buf, size_t room);

#endif
