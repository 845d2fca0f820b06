/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * heap.h - a binary min-heap of deadlines.
 * Room: util (prefix heap_).  Pure, header only.
 *
 * A member is a struct heap_node inside the caller's struct; it stores its index in the heap, so
 * any member can be removed in O(log n).  The heap owns only its array of keys and pointers.  Each
 * node is in at most one heap at a time.
 */
#ifndef HEDDLE_UTIL_HEAP_H
#define HEDDLE_UTIL_HEAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include "util/grow.h"

struct heap_node {
	uint32_t place;         /* index in the heap's array; 0: not in a heap */
};

struct heap_entry {
	int64_t key;
	struct heap_node *node;
};

struct heap {
	struct heap_entry *v;   /* v[1..n] */
	uint32_t n, room;
};

static inline void
heap_clear(struct heap *h)
{
	free(h->v);
	*h = (struct heap){ 0 };
}

static inline void
heap_seat(struct heap *h, uint32_t i, struct heap_entry e)
{
	h->v[i] = e;
	e.node->place = i;
}

static inline void
heap_rise(struct heap *h, uint32_t i, struct heap_entry e)
{
	while (i > 1 && e.key < h->v[i / 2].key) {
		heap_seat(h, i, h->v[i / 2]);
		i /= 2;
	}
	heap_seat(h, i, e);
}

static inline void
heap_sink(struct heap *h, uint32_t i, struct heap_entry e)
{
	for (uint32_t c; (c = 2 * i) <= h->n; i = c) {
		if (c < h->n && h->v[c + 1].key < h->v[c].key)
			c++;
		if (e.key <= h->v[c].key)
			break;
		heap_seat(h, i, h->v[c]);
	}
	heap_seat(h, i, e);
}

/* 'node' must not be in a heap. */
static inline void
heap_put(struct heap *h, struct heap_node *node, int64_t key)
{
	GROW_TO(h->v, (size_t)h->n + 2, h->room, 64);
	h->n++;
	heap_rise(h, h->n, (struct heap_entry){ key, node });
}

/* Removes 'node'; does nothing if it is not in a heap. */
static inline void
heap_drop(struct heap *h, struct heap_node *node)
{
	uint32_t i = node->place;
	struct heap_entry last;

	if (!i)
		return;
	node->place = 0;
	last = h->v[h->n--];
	if (i > h->n)
		return;                 /* it was the last */
	if (i > 1 && last.key < h->v[i / 2].key)
		heap_rise(h, i, last);
	else
		heap_sink(h, i, last);
}

/* The member with the least key, which goes to '*key'; NULL if the heap is empty. */
static inline struct heap_node *
heap_top(const struct heap *h, int64_t *key)
{
	if (!h->n)
		return NULL;
	*key = h->v[1].key;
	return h->v[1].node;
}

#endif
