/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * updown.h - the up/down core: every path goes up first and then down, and never up again.
 * Room: sm/route/model.  Pure; private to the room.  docs/routing.md proves that such tables have no
 * loops and no credit loops.
 *
 * All switches are put into one order, from low to high.  A link is "up" towards its higher end.
 * updown_make() computes the path lengths, updown_candidates() passes the legal next hops to
 * fill.h.
 */
#ifndef HEDDLE_SM_ROUTE_MODEL_UPDOWN_H
#define HEDDLE_SM_ROUTE_MODEL_UPDOWN_H

#include "sm/route/model/fill.h"

struct updown {
	uint32_t *order, *pos;          /* switches in ascending order; the position of each */
	uint32_t *plane;                /* per switch: rank of its plane key */
	/* [nsw][stride]: length of the path that only descends; ROUTE_INF: none */
	uint8_t *dn;
	/* [nsw][stride]: length of that path, otherwise of one that climbs first; ROUTE_INF:
	 * none */
	uint8_t *r;
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

/* rank[]: hops from the roots.  A smaller rank is higher; of equal ranks, the greater GUID is
 * higher. */
void updown_make(
	struct updown *u, const struct route_model *m, const uint16_t *rank, struct arena *a);
/* The same in two steps, for callers that have planes already ('plane', kept by reference), with
 * the columns striped. */
void updown_order(struct updown *u, const struct route_model *m, const uint16_t *rank,
	uint32_t *plane, struct arena *a);
void updown_costs(
	struct updown *u, const struct route_model *m, const struct stripes *p, struct arena *a);
/* The columns from 'lo' up to 'lo' + 'n' (multiples of 16) of one row of either pass, from the rows
 * of the neighbours, into 'row' [n]. */
void updown_row_dn(const struct updown *u, const struct route_model *m, uint32_t sw, uint32_t lo,
	uint32_t n, uint8_t *row);
void updown_row_r(const struct updown *u, const struct route_model *m, uint32_t sw, uint32_t lo,
	uint32_t n, uint8_t *row);
/* Sets the bits of the columns that 'sw' has no path to, clears the others. */
void updown_holes(
	const struct updown *u, const struct route_model *m, uint32_t sw, uint64_t *holes);
/* Marks the candidates of column 'c' only, in 'f', which was begun for its switch. */
void updown_column(const struct updown *u, struct fill *f, uint32_t c);
/* Marks the candidates of each column in 'f', which was begun for its switch with u->plane. */
void updown_candidates(const struct updown *u, struct fill *f);

#endif
