/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * query.h - one request and its reply at a time.
 * Room: diags/ask (prefix diag_).
 *
 * A tool says where a request goes, which attribute it wants and what it sends; the class decides
 * where the payload is in the
 * MAD.  diag_query() waits for the reply, after all retries.  Many requests at a time: engine.h.
 *
 * Failures are reported here (stderr, errors[], exit status 3) unless the request is 'quiet'; the
 * caller only gives up.
 */
#ifndef HEDDLE_DIAGS_ASK_QUERY_H
#define HEDDLE_DIAGS_ASK_QUERY_H

#include "diags/ask/report.h"
#include "diags/ask/request.h"
#include "diags/core/addr.h"

struct diag;

/*
 * Sends one request and waits for its reply, after all retries. Returns 0 and fills '*r', or
 * -ETIMEDOUT (also for a file without the answer), -EPROTO (error status: 'r->mad' has the reply),
 * or -EIO. Unless the request is 'quiet' the failure is reported, and the exit status becomes 3.
 * The caller clears '*r' in any case.
 */
int diag_query(struct diag *d, const struct diag_request *q, struct diag_reply *r);
/* Frees what the reply owns and empties it; may be called twice. */
void diag_reply_clear(struct diag_reply *r);
/* Get or Set of an attribute: 64 bytes by SMP, 192 by GMP. The answer replaces 'data'. They return
 * as diag_query() does. */
int diag_get(struct diag *d, const struct diag_addr *to, uint16_t attr_id, uint32_t modifier,
	uint8_t data[static 64]);
int diag_set(struct diag *d, const struct diag_addr *to, uint16_t attr_id, uint32_t modifier,
	uint8_t data[static 64]);
int diag_gmp(struct diag *d, const struct diag_addr *to, uint8_t mgmt_class, uint8_t method,
	uint16_t attr_id, uint32_t modifier, uint8_t data[static 192]);
/* Queries the SA: Get or GetTable. The caller clears '*r' in any case and reads the records by
 * DIAG_SA_RECORD(). */
int diag_sa(struct diag *d, uint8_t method, uint16_t attr_id, uint64_t comp_mask,
	const uint8_t *record, size_t bytes, struct diag_reply *r);
#define DIAG_SA_RECORDS(r) ((r)->stride ? (r)->bytes / (r)->stride : 0)
#define DIAG_SA_RECORD(r, i) ((r)->data + (size_t)(i) * (r)->stride)

#endif
