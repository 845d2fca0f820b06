/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * wheel.c - expiry of sends: a timer wheel of millisecond slots.  Sends further ahead than one turn
 * stay for the next turn.
 * Room: sim/kmad.  Pure.
 */
#include <config.h>
#include "sim/kmad/kmad_int.h"
#include "util/bits.h"

static size_t
slot_of(int64_t us)
{
	return (size_t)(us / WHEEL_SLOT_US) % WHEEL_SLOTS;
}

void
wheel_add(struct kmad_wheel *w, struct kmad_send *s, int64_t at_us)
{
	struct kmad_send **head;

	if (at_us < w->turned_us)
		at_us = w->turned_us;
	s->at_us = at_us > 0 ? at_us : 1;
	head = &w->slots[slot_of(s->at_us)];
	s->slot_prev = NULL;
	s->slot_next = *head;
	if (*head)
		(*head)->slot_prev = s;
	*head = s;
	bits_set(w->used, slot_of(s->at_us));
	w->count++;
}

void
wheel_remove(struct kmad_wheel *w, struct kmad_send *s)
{
	size_t slot = slot_of(s->at_us);

	if (!s->at_us)
		return;
	if (s->slot_prev)
		s->slot_prev->slot_next = s->slot_next;
	else
		w->slots[slot] = s->slot_next;
	if (s->slot_next)
		s->slot_next->slot_prev = s->slot_prev;
	if (!w->slots[slot])
		bits_clear(w->used, slot);
	s->at_us = 0;
	w->count--;
}

static struct kmad_send *
slot_expired(struct kmad_wheel *w, size_t slot, int64_t now_us)
{
	struct kmad_send *s = w->slots[slot];

	while (s && s->at_us > now_us)
		s = s->slot_next;
	if (s)
		wheel_remove(w, s);
	return s;
}

struct kmad_send *
wheel_expired(struct kmad_wheel *w, struct monotime now)
{
	int64_t from = w->turned_us / WHEEL_SLOT_US, to = now.us / WHEEL_SLOT_US;

	if (to - from >= WHEEL_SLOTS)
		from = to - WHEEL_SLOTS + 1;
	for (int64_t ms = from; w->count && ms <= to; ms++) {
		size_t slot = (size_t)ms % WHEEL_SLOTS;
		struct kmad_send *s = bits_test(w->used, slot) ? slot_expired(w, slot, now.us) :
			NULL;

		if (s)
			return s;
		w->turned_us = ms * WHEEL_SLOT_US;
	}
	w->turned_us = now.us > w->turned_us ? now.us : w->turned_us;
	return NULL;
}

bool
wheel_deadline(const struct kmad_wheel *w, struct monotime *at)
{
	size_t start = slot_of(w->turned_us), slot;
	int64_t best = INT64_MAX;

	if (!w->count)
		return false;
	slot = bits_next(w->used, WHEEL_SLOTS, start);
	if (slot == WHEEL_SLOTS)
		slot = bits_next(w->used, WHEEL_SLOTS, 0);
	for (const struct kmad_send *s = w->slots[slot]; s; s = s->slot_next)
		best = s->at_us < best ? s->at_us : best;
	/* not this turn: others may come first */
	if (best / WHEEL_SLOT_US - w->turned_us / WHEEL_SLOT_US >= WHEEL_SLOTS)
		best = w->turned_us + (int64_t)((slot + WHEEL_SLOTS - start) % WHEEL_SLOTS +
			1) * WHEEL_SLOT_US;
	*at = (struct monotime){ best };
	return true;
}
