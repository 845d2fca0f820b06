/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * report.h - how requests that failed are reported.
 * Room: diags/ask.
 */
#ifndef HEDDLE_DIAGS_ASK_REPORT_H
#define HEDDLE_DIAGS_ASK_REPORT_H

#include "diags/ask/request.h"

struct diag;

/* Why there is no answer: "timeout", "not in the capture", "cannot send", and the stable word for
 * errors[]. */
const char *diag_end_text(const struct diag *d, enum diag_end end);
const char *diag_end_code(enum diag_end end);
/* "Lid 5", "DR path slid 65535; dlid 65535; 0,1": the address as all tools print it.  Returns
 * 'buf'. */
#define DIAG_LABEL_BYTES 400
const char *diag_label(const struct diag_addr *a, char buf[static DIAG_LABEL_BYTES]);

/* Reports a request that failed, if it did. */
void diag_query_report(struct diag *d, const struct diag_request *q, const struct diag_reply *r);

#endif
