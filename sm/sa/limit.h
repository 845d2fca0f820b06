/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * limit.h - how much one source may ask: buckets of tokens for each LID, by what it asks for.
 * Room: sm/sa.  Pure: the time comes in.
 *
 * Each LID has three buckets, so that one who asks too much for one thing can still do the others:
 * Set and Delete, paths, and all other records.  A request costs a token, one more for each 16 rows
 * of its answer and one for each 32 records or pairs of LIDs that were looked at for it.  A source
 * whose bucket is empty is answered BUSY.  What it owes never takes it longer to pay than the
 * response time that ClassPortInfo states: who waits that long after BUSY is served.
 */
#ifndef HEDDLE_SM_SA_LIMIT_H
#define HEDDLE_SM_SA_LIMIT_H

#include "sm/sa/sa.h"
#include "util/monotime.h"

/*
 * An answer of several datagrams stays in the kernel until its last segment is acknowledged, which
 * nobody reports; where nothing is acknowledged, for SA_UNACKED_US: four tries of two seconds.  So
 * every long answer counts for that time.  A source whose answers have SA_UNACKED_PORT_BYTES, or
 * anybody once all together have SA_UNACKED_BYTES, is answered BUSY until some of that time has
 * passed.  The kernel never holds more than twice that, and the answer that filled it.
 */
#define SA_UNACKED_US INT64_C(8000000)
#define SA_UNACKED_PORT_BYTES (UINT64_C(128) << 20)
#define SA_UNACKED_BYTES (8 * SA_UNACKED_PORT_BYTES)

struct sa_limit_conf {
	uint32_t rate;                  /* tokens a second; 0: no limit */
	uint32_t burst;                 /* tokens of a source that was silent */
};

struct sa_limit;
struct sa_limit *sa_limit_new(void);
void sa_limit_free(struct sa_limit *l);

/*
 * As sa_answer(), within the limits: who asks too much gets status BUSY, nothing is looked up, and
 * stats->busy counts it.  Requests with the right SM_Key are not limited, nor is what gets no
 * answer.
 */
bool sa_limit_answer(struct sa_limit *l, const struct sa_limit_conf *c, struct monotime now,
	const struct sa_index *x, const struct sa_writable *w, const struct dgram *req,
	struct dgram *out);

/* BUSY to a request that would get an answer, and for which there is no place to wait. */
void sa_limit_busy(const struct sa_index *x, const struct dgram *req, struct sa_stats *stats,
	struct dgram *out);
/* What a request costs that yields so many rows and looks at so much for them. */
uint64_t sa_limit_tokens(uint64_t rows, uint64_t looked);

#endif
