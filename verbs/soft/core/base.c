/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * base.c - timers, random numbers, tables of numbered things.
 * Room: verbs/soft/core.  Pure.
 */
#include <config.h>
#include <string.h>
#include "verbs/soft/core/core.h"

void
soft_timer_start(struct soft_world *w, struct soft_timer *t, int64_t at_ns)
{
	heap_drop(&w->timers, &t->node);
	heap_put(&w->timers, &t->node, at_ns < w->now_ns ? w->now_ns : at_ns);
}

void
soft_timer_stop(struct soft_world *w, struct soft_timer *t)
{
	heap_drop(&w->timers, &t->node);
}

/* splitmix64 */
uint32_t
soft_random(struct soft_world *w, uint32_t below)
{
	uint64_t z = w->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return (uint32_t)((z >> 32) * below >> 32);
}

bool
soft_chance(struct soft_world *w, uint32_t ppm)
{
	return ppm && soft_random(w, 1000000) < ppm;
}

int
soft_slots_put(struct soft_slots *s, void *p, uint32_t *slot)
{
	if (s->used == s->max)
		return -ENOMEM;
	for (;; s->hint++) {                            /* one is free, or more can be allocated */
		if (s->hint >= s->max) {
			s->hint = 0;
			s->round++;
		}
		if (s->hint >= s->room) {
			uint32_t room = s->room ? s->room * 2 : 16;

			s->v = xreallocarray(s->v, room, sizeof(*s->v));
			memset(s->v + s->room, 0, (room - s->room) * sizeof(*s->v));
			s->room = room;
		}
		if (!s->v[s->hint])
			break;
	}
	*slot = s->hint++;
	s->v[*slot] = p;
	s->used++;
	return 0;
}

void *
soft_slots_get(const struct soft_slots *s, uint32_t slot)
{
	return slot < s->room ? s->v[slot] : NULL;
}

void
soft_slots_drop(struct soft_slots *s, uint32_t slot)
{
	s->v[slot] = NULL;
	s->used--;
}

void
soft_slots_clear(struct soft_slots *s)
{
	free(s->v);
	s->v = NULL;
}
