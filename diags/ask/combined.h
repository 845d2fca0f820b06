/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * combined.h - a request along a directed route that begins at a LID, which no transaction of
 * libmad/txn has.
 * Room: diags/ask.
 */
#ifndef HEDDLE_DIAGS_ASK_COMBINED_H
#define HEDDLE_DIAGS_ASK_COMBINED_H

#include "diags/ask/request.h"

/* As diag_query(); 'mad' keeps the reply's bytes, which '*r' only borrows. */
int combined_query(struct diag *d, const struct diag_request *q, struct diag_reply *r,
	uint8_t mad[static DGRAM_BYTES]);

#endif
