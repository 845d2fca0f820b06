/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * gid_events.h - a queue of GIDs that came into service or went out of service, not reported yet.
 * Room: sm/registry.  Pure.
 *
 * The registry does not send reports: sm/notify does, and it is above this room.  So the registry
 * queues events, and sm/notify takes them from the queue.  It is bounded: the oldest events are
 * dropped first.  Without a subscriber no event is queued at all.  Events of multicast groups have
 * a queue of their own (mcast_next_event()).
 */
#ifndef HEDDLE_SM_REGISTRY_GID_EVENTS_H
#define HEDDLE_SM_REGISTRY_GID_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include "sm/sub/inform.h"

#define GID_EVENTS_MAX 262144u          /* a power of two times the first capacity */

struct gid_event {
	uint64_t guid;                  /* of the GID: the port's own, or an alias */
	uint64_t port_guid;
	bool in;                        /* in service; otherwise out of service */
};

struct gid_events {
	struct gid_event *v;            /* a ring */
	uint32_t first, n, cap;
};

/* Queues the event if there is a subscription of any kind. */
void gid_events_note(struct gid_events *q, const struct inform *subscriptions, struct gid_event e);
/* Takes the oldest event; false: there is none. */
bool gid_events_take(struct gid_events *q, struct gid_event *e);
/* Drops all events and frees the ring. */
void gid_events_clear(struct gid_events *q);

#endif
