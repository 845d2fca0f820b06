/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * queue.c - future events: a heap ordered by time, and by age for equal times.
 * Room: sim/phys.  Pure.
 */
#include <config.h>
#include <stdlib.h>
#include "sim/phys/phys.h"
#include "util/grow.h"
#include "util/xalloc.h"

static bool
event_before(const struct hw_event *a, const struct hw_event *b)
{
	return a->at_us != b->at_us ? a->at_us < b->at_us : a->seq < b->seq;
}

/* Adds a copy of '*e' (its seq is given here); an event owns its packet. */
void
queue_add(struct hw *h, const struct hw_event *e)
{
	size_t i = h->nevents;
	struct hw_event add = *e;

	GROW(h->events, i, h->cap_events, 64);
	add.seq = h->seq++;
	h->nevents++;
	while (i && event_before(&add, &h->events[(i - 1) / 2])) {
		h->events[i] = h->events[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	h->events[i] = add;
}

/* Moves the first event that is due into '*e'; its packet is the caller's then. */
bool
queue_take(struct hw *h, struct monotime now, struct hw_event *e)
{
	size_t i = 0, k;
	struct hw_event last;

	if (!h->nevents || h->events[0].at_us > now.us)
		return false;
	*e = h->events[0];
	last = h->events[--h->nevents];
	while ((k = 2 * i + 1) < h->nevents) {
		if (k + 1 < h->nevents && event_before(&h->events[k + 1], &h->events[k]))
			k++;
		if (!event_before(&h->events[k], &last))
			break;
		h->events[i] = h->events[k];
		i = k;
	}
	if (h->nevents)
		h->events[i] = last;
	return true;
}

void
queue_packet(struct hw *h, enum hw_event_kind kind, const struct hw_packet *p, uint32_t node,
	uint8_t port,
	int64_t at_us)
{
	struct hw_event e = { .at_us = at_us, .node = node, .port = port, .kind = (uint8_t)kind };

	e.packet = xmemdup(p, sizeof(*p));
	queue_add(h, &e);
}

void
queue_clear(struct hw *h)
{
	for (size_t i = 0; i < h->nevents; i++)
		free(h->events[i].packet);
	free(h->events);
	h->events = NULL;
	h->nevents = h->cap_events = 0;
}
