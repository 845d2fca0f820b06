/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * gid_events.c - a bounded ring of events.
 * Room: sm/registry.  Pure.
 */
#include <config.h>
#include <stdlib.h>
#include "sm/registry/gid_events.h"
#include "util/xalloc.h"

enum { FIRST_CAPACITY = 64 };

static void
grow_ring(struct gid_events *q)
{
	uint32_t cap = q->cap ? q->cap * 2 : FIRST_CAPACITY;
	struct gid_event *v = xcalloc(cap, sizeof(*v));

	for (uint32_t i = 0; i < q->n; i++)
		v[i] = q->v[(q->first + i) % q->cap];
	free(q->v);
	*q = (struct gid_events){ v, 0, q->n, cap };
}

void
gid_events_note(struct gid_events *q, const struct inform *subscriptions, struct gid_event e)
{
	if (!inform_count(subscriptions))
		return;
	if (q->n == GID_EVENTS_MAX) {
		q->first = (q->first + 1) % q->cap;
		q->n--;
	} else if (q->n == q->cap) {
		grow_ring(q);
	}
	q->v[(q->first + q->n++) % q->cap] = e;
}

bool
gid_events_take(struct gid_events *q, struct gid_event *e)
{
	if (!q->n)
		return false;
	*e = q->v[q->first];
	q->first = (q->first + 1) % q->cap;
	q->n--;
	return true;
}

void
gid_events_clear(struct gid_events *q)
{
	free(q->v);
	*q = (struct gid_events){ .v = NULL };
}
