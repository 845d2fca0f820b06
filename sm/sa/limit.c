/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * limit.c - rate limits for requesters: token buckets per LID and class of request.
 * Room: sm/sa.  Pure.
 *
 * A bucket is stored as the time at which it will be full again: eight bytes for each unicast LID,
 * and no timer.  The bucket is empty when that time is further away than a refill takes.
 */
#include <config.h>
#include <stdlib.h>
#include "sm/sa/limit.h"
#include "sm/sa/sa_int.h"
#include "util/xalloc.h"

enum class { REGISTER, PATHS, RECORDS, CLASSES };
enum { ROWS_PER_TOKEN = 16, LOOKED_PER_TOKEN = 32 };
#define NS_PER_S INT64_C(1000000000)
#define RESP_TIME_UNIT_NS INT64_C(4096)

struct sa_limit {
	/* LIDs that no port can own share the first */
	int64_t full_ns[CLASSES][LID_UCAST_MAX + 1];
	/* When all long answers will count no more, if they are forgotten evenly: to one LID, and
	 * all. */
	int64_t acked_ns[LID_UCAST_MAX + 1], all_acked_ns;
};

struct sa_limit *
sa_limit_new(void)
{
	return xcalloc(1, sizeof(struct sa_limit));
}

void
sa_limit_free(struct sa_limit *l)
{
	free(l);
}

static enum class
class_of(const struct dgram *req)
{
	switch (dgram_method(req->mad)) {
	case METHOD_SET:
	case METHOD_DELETE:
		return REGISTER;
	case METHOD_GET_TRACE:
		return PATHS;
	default:
		break;
	}
return dgram_attr_id(req->mad) == PATH_RECORD_ID || dgram_attr_id(req->mad) == MULTIPATH_RECORD_ID ?
	PATHS :
	RECORDS;
}

uint64_t
sa_limit_tokens(uint64_t rows, uint64_t looked)
{
	return 1 + rows / ROWS_PER_TOKEN + looked / LOOKED_PER_TOKEN;
}

void
sa_limit_busy(const struct sa_index *x, const struct dgram *req, struct sa_stats *stats,
	struct dgram *out)
{
	stats->queue_full++;
	sa_refuse(x, req, STATUS_BUSY, stats, out);
}

static int64_t
tokens_ns(const struct sa_limit_conf *c, uint64_t tokens)
{
	return (int64_t)(tokens * (uint64_t)NS_PER_S / c->rate);
}

static void
bucket_charge(int64_t *full_ns, const struct sa_limit_conf *c, int64_t now_ns, uint64_t tokens,
	unsigned resp_time)
{
	int64_t latest = now_ns + tokens_ns(c, c->burst) + (RESP_TIME_UNIT_NS << resp_time);

	if (*full_ns < now_ns)
		*full_ns = now_ns;
	*full_ns += tokens_ns(c, tokens);
	if (*full_ns > latest)
		*full_ns = latest;
}

static uint16_t
bucket_of(const struct dgram *req)
{
	return req->addr.lid <= LID_UCAST_MAX ? req->addr.lid : 0;
}

static bool
may_be_long(const struct dgram *req)
{
	uint8_t method = dgram_method(req->mad);

	return method == METHOD_GET_TABLE || method == METHOD_GET_MULTI ||
		method == METHOD_GET_TRACE;
}

/* Whether so much was sent to that source, or to all, that the kernel must not get more. */
static bool
unacked_full(const struct sa_limit *l, const struct dgram *req, int64_t now_ns)
{
	int64_t latest = now_ns + SA_UNACKED_US * 1000;

	return may_be_long(req) &&
		(l->acked_ns[bucket_of(req)] >= latest || l->all_acked_ns >= latest);
}

static void
unacked_add(int64_t *acked_ns, int64_t now_ns, uint64_t bytes, uint64_t most)
{
	if (*acked_ns < now_ns)
		*acked_ns = now_ns;
	*acked_ns += (int64_t)(bytes * (uint64_t)(SA_UNACKED_US * 1000 / 1024) / (most / 1024));
}

bool
sa_limit_answer(struct sa_limit *l, const struct sa_limit_conf *c, struct monotime now,
	const struct sa_index *x, const struct sa_writable *w, const struct dgram *req,
	struct dgram *out)
{
	struct sa_stats *stats = w->stats;
	uint64_t rows = stats->rows, looked = stats->looked;
	int64_t *full_ns, now_ns = now.us * 1000;
	bool unacked;

	if (!sa_is_untrusted(x, req))
		return sa_answer(x, w, req, out);
	full_ns = &l->full_ns[class_of(req)][bucket_of(req)];
	unacked = unacked_full(l, req, now_ns);
	if (unacked || (c->rate && *full_ns - now_ns > tokens_ns(c, c->burst))) {
		stats->unacked += unacked;
		sa_refuse(x, req, STATUS_BUSY, stats, out);
		return true;
	}
	sa_answer(x, w, req, out);
	rows = stats->rows - rows;
	looked = stats->looked - looked;
	if (c->rate)
		bucket_charge(full_ns, c, now_ns, sa_limit_tokens(rows, looked), x->v.resp_time);
	if (out->bytes > DGRAM_BYTES) {
		unacked_add(
			&l->acked_ns[bucket_of(req)], now_ns, out->bytes, SA_UNACKED_PORT_BYTES);
		unacked_add(&l->all_acked_ns, now_ns, out->bytes, SA_UNACKED_BYTES);
	}
	return true;
}
