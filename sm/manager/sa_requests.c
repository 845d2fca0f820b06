/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sa_requests.c - the queue of SA requests: which requests wait, which is next, what an answer
 * costs.
 * Room: sm/manager. In: requests. Out: answers, or requests that the registry holds until tables
 * are written.
 */
#include <config.h>
#include <stdlib.h>
#include "sm/conf/conf.h"
#include "sm/manager/sa_requests.h"
#include "sm/registry/aliases.h"
#include "sm/registry/groups.h"
#include "sm/sa/stored.h"
#include "sm/sub/service.h"

/* Maximum number of requests that are answered before the device is polled again. */
#define ANSWERS_MAX 16
/* Examined records and pairs count too: this number of them uses up the whole allowance. */
#define LOOKED_MAX 1024

void
sa_requests_init(struct sa_requests *q)
{
	*q = (struct sa_requests){ .limit = sa_limit_new(), .queue = sa_queue_new() };
	sa_requests_begin_turn(q);
}

void
sa_requests_free(struct sa_requests *q)
{
	sa_limit_free(q->limit);
	sa_queue_free(q->queue);
}

void
sa_requests_begin_turn(struct sa_requests *q)
{
	q->answers_left = q->busy_left = ANSWERS_MAX;
	q->registered = false;
}

bool
sa_requests_wait(const struct sa_requests *q)
{
	return q->registered || sa_queue_count(q->queue) > 0;
}

/* What is answered from; NULL: nothing. */
static struct sa_index *
index_of(const struct subnet *n)
{
	if (n->served.sa || !n->served.early)
		return n->served.sa;
	return sa_early_index(n->served.early);
}

/* Reports whether this SM answers: it is master, and has swept the subnet or knows stored tables.
 * Otherwise requests get no answer, as the specification requires. */
static bool
is_ready(struct sa_requests *q, const struct subnet *n)
{
	if (subnet_is_master(n) && index_of(n))
		return true;
	q->stats.requests++;
	q->stats.silent_not_ready++;
	return false;
}

/* Returns the data that the SA may change. */
static struct sa_writable
writable_by_sa(struct sa_requests *q, const struct subnet *n, const struct registry *reg)
{
	return (struct sa_writable){
		.mcast = reg->mcast,
		.alias = reg->alias,
		.inform = reg->inform,
		.services = reg->services,
		.cache = sa_index_path_cache(n->served.sa),
		.stats = &q->stats,
	};
}

/* The same until the first sweep has ended: an answer, or BUSY.  Nothing can be registered yet. */
static bool
answer_early(struct sa_requests *q, struct subnet *n, const struct dgram *d, struct dgram *out)
{
	struct sa_limit_conf limit = { n->conf->sa_source_rate, n->conf->sa_source_burst };
	const struct sa_early *e = n->served.early;
	struct sa_index *x = sa_early_index(e);
	struct sa_writable w = { .cache = sa_index_path_cache(x), .stats = &q->stats };
	struct sa_stats before = q->stats;

	if (sa_early_can(e, d)) {
		if (!sa_limit_answer(q->limit, &limit, n->now, x, &w, d, out))
			return false;
		if (sa_early_stands(e, out))
			return true;
		free(out->more);
		q->stats = before;
	}
	sa_early_refuse(e, d, &q->stats, out);
	return true;
}

/* Answers one request. Returns true if 'out' is to be sent now; an answer that needs written tables
 * is sent when they are written. */
static bool
answer_one(struct sa_requests *q, struct subnet *n, struct registry *reg, const struct dgram *d,
	struct dgram *out)
{
	struct sa_limit_conf limit = { n->conf->sa_source_rate, n->conf->sa_source_burst };
	bool set = dgram_method(d->mad) == METHOD_SET,
	     changes = set || dgram_method(d->mad) == METHOD_DELETE;
	bool joins = set && dgram_attr_id(d->mad) == MCMEMBER_RECORD_ID;
	bool aliases = changes && dgram_attr_id(d->mad) == GUID_INFO_RECORD_ID;
	uint64_t guids[ALIAS_BLOCK_GUIDS];
	struct sa_writable w;
	uint8_t before;

	if (!is_ready(q, n))
		return false;
	if (!n->served.sa)
		return answer_early(q, n, d, out);
	w = writable_by_sa(q, n, reg);
	q->registered |= changes;
	services_tick(reg->services, n->now);
	before = joins ? groups_joined_before(reg, d) : 0;
	if (aliases)
		aliases_entries_before(reg, n, d, guids);
	if (!sa_limit_answer(q->limit, &limit, n->now, n->served.sa, &w, d, out))
		return false;
	if ((!joins && !aliases) || dgram_status(out->mad) != STATUS_OK)
		return true;
	if (joins)
		groups_hold_answer(reg, n, d, out->mad, before);
	else
		aliases_hold_answer(reg, n, d, out->mad, guids);
	return false;
}

bool
sa_requests_answer_next(struct sa_requests *q, struct subnet *n, struct registry *reg,
	struct dgram *out, bool *made)
{
	uint64_t rows = q->stats.rows, looked = q->stats.looked, cost;
	const struct dgram *d = sa_queue_take(q->queue);

	*made = false;
	if (!d)
		return false;
	*made = answer_one(q, n, reg, d, out);
	rows = q->stats.rows - rows;
	looked = q->stats.looked - looked;
	sa_queue_charge(q->queue, d->addr.lid, sa_limit_tokens(rows, looked));
	free(d->more);
	cost = 1 + looked / (LOOKED_MAX / ANSWERS_MAX);
	q->answers_left = cost < q->answers_left ? q->answers_left - (uint32_t)cost : 0;
	return true;
}

/* Queues a request, unless it gets no answer. If the queue accepts no more, the requester gets
 * BUSY, up to a limit. Returns true if the request was queued; the queue then owns its 'more'. */
bool
sa_requests_receive(struct sa_requests *q, struct subnet *n, struct dgram *d)
{
	struct sa_writable w = { .stats = &q->stats };
	const struct sa_index *x = index_of(n);
	struct dgram out;

	if (!is_ready(q, n))
		return false;
	if (!sa_gets_answer(x, d)) {
		sa_answer(x, &w, d, &out);   /* only counts the reason */
	} else if (sa_queue_put(q->queue, d)) {
		return true;
	} else if (!q->busy_left) {
		q->stats.requests++;
		q->stats.silent_overload++;
	} else {
		q->busy_left--;
		sa_limit_busy(x, d, &q->stats, &out);
		outbox_put(&n->outbox, d, out.mad, NULL, DGRAM_BYTES);
	}
	return false;
}
