/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fill.h - from candidates to table rows: each LID takes the least loaded candidate port.
 * Room: sm/route/model.  Pure; private to the room.
 *
 * An engine decides which neighbours of a switch are legal next hops for each column; this module
 * chooses among their ports and writes the row.  Use: fill_init() once, then for each switch
 * fill_begin(), fill_below() for each neighbour, fill_row().  fill.c explains the order of ports.
 */
#ifndef HEDDLE_SM_ROUTE_MODEL_FILL_H
#define HEDDLE_SM_ROUTE_MODEL_FILL_H

#include "sm/route/model/model.h"

#define FILL_GROUPS_MAX 256

/* For one switch and each column: the neighbours that may be the next hop.  Bit k of the mask is
 * the neighbour order[k]. */
struct fill {
	const struct route_model *m;
	uint32_t sw, ngroups;
	/* the engine's order of preference */
	const struct swgraph_group *order[FILL_GROUPS_MAX];
	/* [FILL_GROUPS_MAX / 8 + 1][stride]: eight neighbours per row; the last is unused */
	uint8_t *mask;
	uint8_t *bound_dn, *bound_up;   /* scratch rows of updown_candidates() */
	/* scratch */
	uint64_t key[4];                /* the mask that 'list' was made for */
	bool have_key;
	/* ports of the candidates, in order of preference, repeated once */
	uint8_t list[512];
	uint32_t nlist;
	/* per port: 'list' is sorted by it; only with 'placed' */
	uint32_t place[256];
	bool placed;
	/* per switch: number of turns after which the order moves on by one port; 0: never */
	const uint32_t *turn;
	uint32_t first;                 /* where the order begins in this turn */
	/* The position of the next least loaded port; valid while only this list is used. */
	enum { FILL_UNKNOWN, FILL_RAGGED, FILL_FLAT } state;
	uint32_t at, level;             /* 'at' counts from 'first' */
	/* LIDs per port; with FILL_FLAT, those of the list are updated when the list changes */
	uint32_t load[256];
	uint32_t neighbour[256];        /* per port: ordinal of the switch behind it */
};

void fill_init(struct fill *f, const struct route_model *m, struct arena *a);
/* The same for another part of the rows: what does not change is shared with 'of'. */
void fill_init_as(struct fill *f, const struct fill *of, struct arena *a);
/* Enough to collect candidates, not for fill_row(). */
void fill_init_candidates(struct fill *f, const struct route_model *m, struct arena *a);
/* Starts switch 'sw'.  rank[] orders its neighbours by preference; NULL: by GUID. */
void fill_begin(struct fill *f, uint32_t sw, const uint32_t *rank);
/* Only the order of neighbours: the mask is left as it is. */
void fill_order(struct fill *f, uint32_t sw, const uint32_t *rank);
/* Makes neighbour order[k] a candidate in every column where its cost is below 'bound'.  Both
 * are rows of costs. */
void fill_below(struct fill *f, uint32_t k, const uint8_t *cost, const uint8_t *bound);
/* Writes the entries of the switch's own LIDs and those of its hosts. */
void fill_own(const struct fill *f, uint8_t *row);
/* Writes the whole row: all LIDs of every column; 255 for columns without a candidate. */
void fill_row(struct fill *f, uint8_t *row);

#endif
