/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * limit.h - rate limits for requesters: token buckets per LID and class of request.
 * Room: sm/sa.  Pure: the time is an argument.
 *
 * Each LID has three buckets: Set and Delete, paths, and all other records.  So a client over its
 * limit for one class can still send requests of the others.  A request costs one token, one more
 * for each 16 rows of its answer, and one for each 32 records or pairs of LIDs examined for it.  A
 * source whose bucket is empty gets BUSY; other sources are unaffected.  The debt of a source never
 * takes longer to pay than the response time that ClassPortInfo states: a client that waits that
 * long after BUSY is served.
 */
#ifndef HEDDLE_SM_SA_LIMIT_H
#define HEDDLE_SM_SA_LIMIT_H

#include "sm/sa/sa.h"
#include "util/monotime.h"

/*
 * A long answer (several datagrams) stays in kernel memory until its last segment is acknowledged,
 * which the kernel does not report.  If nothing is acknowledged, it stays for SA_UNACKED_US: four
 * tries of two seconds.  So every long answer counts for that time.  A source whose unacknowledged
 * answers reach SA_UNACKED_PORT_BYTES gets BUSY until some of that time has passed; so do all
 * sources once all answers together reach SA_UNACKED_BYTES.  The kernel never holds more than twice
 * that, plus the answer that reached the limit.
 */
#define SA_UNACKED_US INT64_C(8000000)
#define SA_UNACKED_PORT_BYTES (UINT64_C(128) << 20)
#define SA_UNACKED_BYTES (8 * SA_UNACKED_PORT_BYTES)

struct sa_limit_conf {
	uint32_t rate;                  /* tokens per second; 0: no limit */
	uint32_t burst;                 /* tokens of a source that has been idle */
};

struct sa_limit;
struct sa_limit *sa_limit_new(void);
void sa_limit_free(struct sa_limit *l);

/*
 * As sa_answer(), within the limits: a source over its limit gets status BUSY without a search, and
 * stats->busy counts it.  Requests with the right SM_Key are not limited, nor are those that get no
 * answer.
 */
bool sa_limit_answer(struct sa_limit *l, const struct sa_limit_conf *c, struct monotime now,
	const struct sa_index *x, const struct sa_writable *w, const struct dgram *req,
	struct dgram *out);

/* Answers BUSY to a request that would get an answer but does not fit in the queue. */
void sa_limit_busy(const struct sa_index *x, const struct dgram *req, struct sa_stats *stats,
	struct dgram *out);
/* The tokens that a request costs: 'rows' in its answer, 'looked' records examined. */
uint64_t sa_limit_tokens(uint64_t rows, uint64_t looked);

#endif
