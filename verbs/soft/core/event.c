/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * event.c - asynchronous events: one queue for each opening of a device.
 * Room: verbs/soft/core.  Pure.
 *
 * Events of an object go to the opening that made it, those of ports and devices to all
 * openings.  Destroying an object removes its events.
 */
#include <config.h>
#include "verbs/soft/core/core.h"

void
soft_event(struct soft_dev *d, const struct verbs_event *e)
{
	d->hca->world->news++;
	if (d->event_tail - d->event_head == d->event_room) {
		uint32_t room = d->event_room ? d->event_room * 2 : 16;
		struct verbs_event *v;

		if (room > SOFT_EVENTS_MAX)
			return;
		v = xcalloc(room, sizeof(*v));
		for (uint32_t i = d->event_head; i != d->event_tail; i++)
			v[i % room] = d->events[i % d->event_room];
		free(d->events);
		d->events = v;
		d->event_room = room;
	}
	d->events[d->event_tail++ % d->event_room] = *e;
}

void
soft_qp_event(struct soft_qp *q, enum ibv_event_type type)
{
	soft_event(q->dev, &(struct verbs_event){ .type = type, .qp = &q->pub });
}

void
soft_port_event(struct soft_port *p, enum ibv_event_type type)
{
	for (struct soft_dev *d = p->hca->devs; d; d = d->next)
		soft_event(d, &(struct verbs_event){ .type = type, .port = p->num });
}

void
soft_events_forget(struct soft_dev *d, const void *object)
{
	uint32_t to = d->event_head;

	for (uint32_t i = d->event_head; i != d->event_tail; i++) {
		struct verbs_event e = d->events[i % d->event_room];

		if (e.qp != object && e.cq != object && e.srq != object)
			d->events[to++ % d->event_room] = e;
	}
	d->event_tail = to;
}

int
soft_event_get(struct verbs_dev *pub, struct verbs_event *e)
{
	struct soft_dev *d = SOFT_DEV(pub);

	if (d->event_head == d->event_tail)
		return -EAGAIN;
	*e = d->events[d->event_head++ % d->event_room];
	return 0;
}
