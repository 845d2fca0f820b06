/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * outbox.c - queued responses.
 * Room: sm/subnet.  In: responses.  Out: datagrams.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/subnet/outbox.h"
#include "util/xalloc.h"

#define OUTBOX_FIRST 64

void
outbox_free(struct outbox *o)
{
	for (uint32_t i = 0; i < o->n; i++)
		free(o->v[(o->head + i) % o->cap].more);
	free(o->v);
	free(o->sent_more);
	*o = (struct outbox){ 0 };
}

static void
outbox_grow(struct outbox *o)
{
	uint32_t cap = o->cap ? o->cap * 2 : OUTBOX_FIRST;
	struct dgram *v = xcalloc(cap, sizeof(*v));

	for (uint32_t i = 0; i < o->n; i++)
		v[i] = o->v[(o->head + i) % o->cap];
	free(o->v);
	o->v = v;
	o->cap = cap;
	o->head = 0;
}

void
outbox_put(
	struct outbox *o, const struct dgram *to, const uint8_t *mad, uint8_t *more, uint32_t bytes)
{
	struct dgram *d;

	if (o->n == OUTBOX_MAX) {
		o->dropped++;
		free(more);
		return;
	}
	if (o->n == o->cap)
		outbox_grow(o);
	d = &o->v[(o->head + o->n++) % o->cap];
	d->addr = to->addr;
	d->status = 0;
	d->bytes = bytes;
	d->more = more;
	memcpy(d->mad, mad, DGRAM_BYTES);
}

void
outbox_settle(struct outbox *o)
{
	free(o->sent_more);
	o->sent_more = NULL;
}

void
outbox_sending(struct outbox *o, uint8_t *more)
{
	o->sent_more = more;
	o->sent++;
}

bool
outbox_next(struct outbox *o, struct dgram *d)
{
	if (!o->n)
		return false;
	*d = o->v[o->head];
	o->head = (o->head + 1) % o->cap;
	o->n--;
	outbox_sending(o, d->more);
	return true;
}
