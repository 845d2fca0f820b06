/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * combined.h - a request along a directed route that begins at a LID.
 * Room: diags/ask.
 *
 * libmad/txn has no transaction for such routes, so combined.c sends the request and waits for the
 * answer itself. Only smpquery -c needs them.
 */
#ifndef HEDDLE_DIAGS_ASK_COMBINED_H
#define HEDDLE_DIAGS_ASK_COMBINED_H

#include "diags/ask/request.h"

/* As diag_query(). The reply is stored in 'mad', and '*r' points into it. */
int combined_query(struct diag *d, const struct diag_request *q, struct diag_reply *r,
	uint8_t mad[static DGRAM_BYTES]);

#endif
