/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * report.h - reports failed requests.
 * Room: diags/ask.
 *
 * Every failed request is reported in the same form: a line on stderr, an entry in errors[] of the
 * document, and the exit status (diags/core/status.h). query.c and the engine report by themselves
 * unless a request is 'quiet'.
 */
#ifndef HEDDLE_DIAGS_ASK_REPORT_H
#define HEDDLE_DIAGS_ASK_REPORT_H

#include "diags/ask/request.h"

struct diag;

/* Return the reason why there is no answer, as text ("timeout", "not in the capture", "cannot
 * send") and as the stable code for errors[]. */
const char *diag_end_text(const struct diag *d, enum diag_end end);
const char *diag_end_code(enum diag_end end);
/* Writes an address as all tools print it, "Lid 5" or "DR path slid 65535; dlid 65535; 0,1".
 * Returns 'buf'. */
#define DIAG_LABEL_BYTES 400
const char *diag_label(const struct diag_addr *a, char buf[static DIAG_LABEL_BYTES]);

/* Reports a request if it failed. */
void diag_query_report(struct diag *d, const struct diag_request *q, const struct diag_reply *r);

#endif
