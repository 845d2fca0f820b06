/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fill.h - from candidates to table rows: the least loaded port wins.
 * Room: sm/route.  Pure; private to the room.
 */
#ifndef HEDDLE_SM_ROUTE_FILL_H
#define HEDDLE_SM_ROUTE_FILL_H

#include "sm/route/model.h"

#define FILL_GROUPS_MAX 256

/* Which neighbours of one switch may be the next hop, per column: bit k of the mask is the
 * neighbour order[k]. */
struct fill {
	const struct route_model *m;
	uint32_t sw, ngroups;
	/* the engine's order of preference */
	const struct swgraph_group *order[FILL_GROUPS_MAX];
	uint8_t *mask;                  /* [FILL_GROUPS_MAX / 8][stride]: eight neighbours a row */
	/* scratch */
	uint64_t key[4];                /* the mask that 'list' was made for */
	bool have_key;
	/* ports of the candidates, in order of preference, twice over */
	uint8_t list[512];
	uint32_t nlist;
	/* per switch: after so many turns the order moves on by one; 0 never */
	const uint32_t *turn;
	uint32_t first;                 /* where the order begins in this turn */
	/* Where the next least loaded port is, while only this list is used. */
	enum { FILL_UNKNOWN, FILL_RAGGED, FILL_FLAT } state;
	uint32_t at, level;             /* 'at' counts from 'first' */
	/* LIDs per port; FILL_FLAT: those of the list are settled when it ends */
	uint32_t load[256];
	uint32_t neighbour[256];        /* per port: ordinal behind it */
};

void fill_init(struct fill *f, const struct route_model *m, struct arena *a);
/* Starts switch 'sw'; its neighbours are preferred in the order of rank[] (NULL: of GUID). */
void fill_begin(struct fill *f, uint32_t sw, const uint32_t *rank);
/* Neighbour order[k] is a candidate in every column where its cost lies below 'bound' (rows of
 * costs). */
void fill_below(struct fill *f, uint32_t k, const uint8_t *cost, const uint8_t *bound);
/* Writes the switch's row: all LIDs of every column; 255 where there is no candidate. */
void fill_row(struct fill *f, uint8_t *row);

#endif
