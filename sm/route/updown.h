/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * updown.h - the up/down core: climb, then descend, never the reverse.
 * Room: sm/route.  Pure; private to the room.  Why it is free of loops and of credit loops:
 * docs/routing.md.
 */
#ifndef HEDDLE_SM_ROUTE_UPDOWN_H
#define HEDDLE_SM_ROUTE_UPDOWN_H

#include "sm/route/fill.h"

struct updown {
	uint32_t *order, *pos;          /* switches in ascending key; the place of each */
	uint32_t *plane;                /* per switch: rank of its plane key */
	/* [nsw][stride]: length of the way that only descends, ROUTE_INF */
	uint8_t *dn;
	/* [nsw][stride]: that, or one that climbs first; ROUTE_INF: none */
	uint8_t *r;
	uint8_t *bound_dn, *bound_up;   /* scratch rows */
};

static inline bool
updown_is_up(const struct updown *u, uint32_t from, uint32_t to)
{
	return u->pos[to] > u->pos[from];
}

static inline uint8_t
updown_cost(const struct updown *u, const struct route_model *m, uint32_t sw, uint32_t col)
{
	return u->r[(size_t)sw * m->stride + col];
}

/* rank[]: hops from the roots.  The smaller the rank the higher the switch; of equals the greater
 * GUID is higher. */
void updown_make(
	struct updown *u, const struct route_model *m, const uint16_t *rank, struct arena *a);
/* Marks in 'f' (begun for its switch with u->plane) which neighbours are candidates of which
 * columns. */
void updown_candidates(const struct updown *u, struct fill *f);

#endif
