/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * queue.c - the request queue: one queue per source port, served in turn.
 * Room: sm/sa.  Pure.
 *
 * Deficit round robin: the sources with queued requests form a ring.  Each turn serves one request,
 * or pays off TURN_TOKENS of the cost of the source's previous requests.  A source that is alone
 * pays nothing, because no other source waits.
 */
#include <config.h>
#include <stdlib.h>
#include "libmad/attr/sm_attr.h"
#include "sm/sa/queue.h"
#include "sm/sa/sa_int.h"
#include "util/grow.h"
#include "util/xalloc.h"

#define NONE UINT32_MAX
enum { KEPT_ITEMS = 4096 };     /* capacity kept when the queue becomes empty; the rest is freed */
enum { TURN_TOKENS = 32, DEBT_MAX = 32 * TURN_TOKENS };

struct item {
	struct dgram d;
	uint32_t next;                  /* in its queue, or in the list of free items */
};

struct line {
	uint32_t first, last, n;        /* items */
	uint32_t bytes;                 /* of those of several datagrams */
	uint32_t debt;                  /* tokens; valid in the current epoch only */
	uint32_t epoch;
	uint16_t next;                  /* LID of the next in the ring */
};

struct sa_queue {
	struct item *items;
	uint32_t cap, free, n;
	uint32_t bytes;                 /* of all lines */
	/* counts how often the queue became empty: older debts are void */
	uint32_t epoch;
	uint32_t nlines;                /* in the ring */
	uint16_t ring_last;             /* the last one in the ring; its next is the first */
	struct line lines[LID_UCAST_MAX + 1];   /* LIDs that no port can own share the first */
};

struct sa_queue *
sa_queue_new(void)
{
	struct sa_queue *q = xcalloc(1, sizeof(*q));

	q->free = NONE;
	return q;
}

void
sa_queue_free(struct sa_queue *q)
{
	const struct dgram *d;

	if (!q)
		return;
	while ((d = sa_queue_take(q)) != NULL)
		free(d->more);
	free(q->items);
	free(q);
}

static uint16_t
line_of(uint16_t lid)
{
	return lid <= LID_UCAST_MAX ? lid : 0;
}

static void
queue_grow(struct sa_queue *q)
{
	uint32_t before = q->cap;

	GROW(q->items, before, q->cap, 64);
	for (uint32_t i = before; i < q->cap; i++) {
		q->items[i].next = q->free;
		q->free = i;
	}
}

static void
ring_append(struct sa_queue *q, uint16_t lid)
{
	if (q->nlines++) {
		q->lines[lid].next = q->lines[q->ring_last].next;
		q->lines[q->ring_last].next = lid;
	} else {
		q->lines[lid].next = lid;
	}
	q->ring_last = lid;
}

struct dgram *
sa_queue_room(struct sa_queue *q)
{
	if (q->free == NONE)
		queue_grow(q);
	return &q->items[q->free].d;
}

static uint32_t
long_bytes(const struct dgram *d)
{
	return d->more ? d->bytes : 0;
}

/*
 * Whether the queue of a source has space for one more request of that size: no source takes more
 * than half of what is left.
 */
static bool
has_place(const struct sa_queue *q, const struct line *l, uint32_t bytes)
{
	uint32_t room = SA_QUEUE_MAX - q->n, room_bytes = SA_QUEUE_BYTES - q->bytes;

	if (l->n >= SA_QUEUE_SOURCE_MAX || l->n * 2 > room || !room)
		return false;
	return !bytes ||
		(bytes <= SA_QUEUE_SOURCE_BYTES - l->bytes && bytes <= room_bytes &&
			l->bytes * 2 <= room_bytes);
}

bool
sa_queue_put(struct sa_queue *q, const struct dgram *req)
{
	uint16_t lid = line_of(req->addr.lid);
	struct line *l = &q->lines[lid];
	uint32_t i, bytes = long_bytes(req);

	if (!has_place(q, l, bytes))
		return false;
	if (q->free == NONE)
		queue_grow(q);
	i = q->free;
	if (req != &q->items[i].d)
		q->items[i].d = *req;
	q->free = q->items[i].next;
	q->items[i].next = NONE;
	if (l->epoch != q->epoch) {
		l->epoch = q->epoch;
		l->debt = 0;
	}
	if (l->n++) {
		q->items[l->last].next = i;
	} else {
		l->first = i;
		ring_append(q, lid);
	}
	l->last = i;
	l->bytes += bytes;
	q->bytes += bytes;
	q->n++;
	return true;
}

/* If the queue is empty, frees memory beyond KEPT_ITEMS. */
static void
queue_shrink(struct sa_queue *q)
{
	if (q->n || q->cap <= KEPT_ITEMS)
		return;
	free(q->items);
	q->items = NULL;
	q->cap = 0;
	q->free = NONE;
}

const struct dgram *
sa_queue_take(struct sa_queue *q)
{
	struct line *l;
	uint32_t i;

	if (!q->n) {
		queue_shrink(q);
		return NULL;
	}
	for (;;) {
		l = &q->lines[q->lines[q->ring_last].next];
		if (!l->debt || q->nlines == 1)
			break;
		l->debt -= l->debt < TURN_TOKENS ? l->debt : TURN_TOKENS;
		q->ring_last = q->lines[q->ring_last].next;
	}
	i = l->first;
	l->first = q->items[i].next;
	q->items[i].next = q->free;
	q->free = i;
	l->bytes -= long_bytes(&q->items[i].d);
	q->bytes -= long_bytes(&q->items[i].d);
	if (--l->n) {
		q->ring_last = q->lines[q->ring_last].next;
	} else {
		q->lines[q->ring_last].next = l->next;
		q->nlines--;
	}
	if (!--q->n)
		q->epoch++;
	return &q->items[i].d;
}

void
sa_queue_charge(struct sa_queue *q, uint16_t lid, uint64_t tokens)
{
	struct line *l = &q->lines[line_of(lid)];

	if (tokens <= 1 || l->epoch != q->epoch)
		return;
	l->debt = tokens - 1 > DEBT_MAX - l->debt ? DEBT_MAX : l->debt + (uint32_t)(tokens - 1);
}

uint32_t
sa_queue_bytes(const struct sa_queue *q)
{
	return q->bytes;
}

uint32_t
sa_queue_count(const struct sa_queue *q)
{
	return q->n;
}
