/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * queue.c - the queue of an ordered phase.
 * Room: sm/apply.  Pure.  In: an order, confirmations, the time.  Out: the next change to send.
 *
 * Late changes have one predecessor more: all changes that are not late, as one.
 */
#include <config.h>
#include <stdlib.h>
#include "fabric/snapshot/snapshot.h"
#include "sm/apply/queue.h"
#include "util/xalloc.h"

#define DRAIN_US 20000                  /* packets on the way have left */

static void
index_followers(struct apply_queue *q)
{
	const struct order *o = q->order;
	uint32_t total = 0, *at;

	q->follower_first = xcalloc(o->nwrites + 2u, sizeof(*q->follower_first));
	at = q->follower_first + 1;
	for (uint32_t i = 0; i < o->nwrites; i++) {
		const struct order_write *w = &o->writes[i];

		total += w->npreds;
		for (uint32_t k = 0; k < w->npreds; k++)
			at[ORDER_PRED_WRITE(o->preds[w->pred_first + k]) + 1]++;
	}
	q->followers = xcalloc(total + 1u, sizeof(*q->followers));
	for (uint32_t i = 0; i < o->nwrites; i++)
		at[i + 1] += at[i];
	for (uint32_t i = 0; i < o->nwrites; i++) {
		const struct order_write *w = &o->writes[i];

		for (uint32_t k = 0; k < w->npreds; k++) {
			uint32_t p = o->preds[w->pred_first + k];

			q->followers[at[ORDER_PRED_WRITE(p)]++] =
				ORDER_PRED(i, ORDER_PRED_DRAINS(p));
		}
	}
}

/* A change waits for nobody any more: it is ready, or drains. */
static void
release(struct apply_queue *q, uint32_t i, int64_t now_us)
{
	q->waiting[i] = FAB_NONE;
	if (q->drained[i] > now_us)
		heap_put(&q->draining, &q->place[i], q->drained[i]);
	else
		heap_put(&q->ready, &q->place[i], i);
}

/* One predecessor less. */
static void
wait_less(struct apply_queue *q, uint32_t i, bool drain, int64_t now_us)
{
	if (drain)
		q->drained[i] = now_us + DRAIN_US;
	if (--q->waiting[i] == 0)
		release(q, i, now_us);
}

static void
release_late(struct apply_queue *q, int64_t now_us)
{
	for (uint32_t i = 0; i < q->order->nwrites; i++)
		if (q->order->writes[i].late)
			wait_less(q, i, true, now_us);
}

struct apply_queue *
apply_queue_new(const struct order *o)
{
	struct apply_queue *q = xcalloc(1, sizeof(*q));

	q->order = o;
	q->waiting = xcalloc(o->nwrites + 1u, sizeof(*q->waiting));
	q->drained = xcalloc(o->nwrites + 1u, sizeof(*q->drained));
	q->place = xcalloc(o->nwrites + 1u, sizeof(*q->place));
	for (uint32_t i = 0; i < o->nwrites; i++)
		q->drained[i] = INT64_MIN;
	index_followers(q);
	for (uint32_t i = 0; i < o->nwrites; i++) {
		const struct order_write *w = &o->writes[i];

		q->waiting[i] = w->npreds + w->late;
		q->early += !w->late;
		if (!q->waiting[i])
			release(q, i, INT64_MIN);
	}
	return q;
}

void
apply_queue_free(struct apply_queue *q)
{
	if (!q)
		return;
	heap_clear(&q->ready);
	heap_clear(&q->draining);
	free(q->waiting);
	free(q->drained);
	free(q->follower_first);
	free(q->followers);
	free(q->place);
	free(q);
}

static uint32_t
index_of(const struct apply_queue *q, const struct heap_node *node)
{
	return (uint32_t)(node - q->place);
}

static void
end_drains(struct apply_queue *q, int64_t now_us)
{
	struct heap_node *node;
	int64_t at;

	while ((node = heap_top(&q->draining, &at)) && at <= now_us) {
		heap_drop(&q->draining, node);
		heap_put(&q->ready, node, index_of(q, node));
	}
}

uint32_t
apply_queue_next(struct apply_queue *q, struct monotime now)
{
	struct heap_node *node;
	uint32_t i;
	int64_t key;

	end_drains(q, now.us);
	node = heap_top(&q->ready, &key);
	if (!node)
		return FAB_NONE;
	i = index_of(q, node);
	if (q->order->writes[i].last && q->busy)
		return FAB_NONE;
	heap_drop(&q->ready, node);
	q->busy += !q->order->writes[i].last;
	return i;
}

void
apply_queue_ended(struct apply_queue *q, uint32_t index)
{
	q->busy -= !q->order->writes[index].last;
}

void
apply_queue_confirmed(struct apply_queue *q, uint32_t index, struct monotime now)
{
	apply_queue_ended(q, index);
	for (uint32_t k = q->follower_first[index]; k < q->follower_first[index + 1]; k++)
		wait_less(q, ORDER_PRED_WRITE(q->followers[k]), ORDER_PRED_DRAINS(q->followers[k]),
			now.us);
	if (!q->order->writes[index].late && --q->early == 0)
		release_late(q, now.us);
}

void
apply_queue_again(struct apply_queue *q, uint32_t index)
{
	heap_put(&q->ready, &q->place[index], index);
}

bool
apply_queue_is_empty(const struct apply_queue *q)
{
	return !q->ready.n && !q->draining.n;
}

bool
apply_queue_deadline(const struct apply_queue *q, struct monotime *at)
{
	return heap_top(&q->draining, &at->us) != NULL;
}

bool
apply_queue_is_held(const struct apply_queue *q, uint32_t index)
{
	return q->waiting[index] != FAB_NONE;
}
