/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * nue_column.h - one destination's entries in all tables, and the load that its paths bring.
 * Room: sm/route/nue.  Pure; private to the room; a part of engine nue (nue.c).
 *
 * A column is next[]: the channel by which each switch sends to the destination.  The load of a
 * channel, or of one of its ports, is the number of paths between hosts over it.  The cost of a
 * channel is a hop plus its load per port; so the next search avoids loaded channels.
 */
#ifndef HEDDLE_SM_ROUTE_NUE_NUE_COLUMN_H
#define HEDDLE_SM_ROUTE_NUE_NUE_COLUMN_H

#include "sm/route/nue/nue_search.h"
#include "sm/route/model/model.h"

struct nue_dest {
	uint32_t sw;
	uint16_t lid;
	uint8_t via;                    /* port of 'sw' that leads to the LID's owner; 0: itself */
	bool host;                      /* its paths count as load */
};

struct nue_columns {
	const struct chanorder_net *net;
	struct nue_search *search;      /* cost and next */
	struct fwd_tables *out;
	uint32_t *sources;              /* per switch: hosts, absent ones too */
	uint64_t *load;                 /* per channel */
	uint64_t most;                  /* the greatest load per link that a channel ever had */
	const uint8_t *weight;          /* per channel: counts so often; NULL: once */
	uint64_t *port_load;            /* per index into swgraph.ports[] */
	/* [nsw][256]: of each port, its place among the channels of the switch */
	uint8_t *place;
	/* scratch, per switch */
	uint64_t *sum;
	uint32_t *waits, *ready;
};

void nue_columns_init(struct nue_columns *c, const struct route_model *m, struct nue_search *s,
	struct fwd_tables *out, struct arena *a);
/* No loads. */
void nue_columns_clear(struct nue_columns *c);
/* The channel of port 'port' of 'sw'; NUE_NONE: it leads to no switch. */
uint32_t nue_column_channel(const struct nue_columns *c, uint32_t sw, uint8_t port);
/* Adds 'weight' times the paths of all hosts along search->next. */
void nue_column_load(struct nue_columns *c, int64_t weight);
/* Enters search->next into the tables as the column of 'd', with its load.  Of parallel links each
 * switch takes the least loaded, or keeps the port that 'previous' (may be NULL) has. */
void nue_column_write(
	struct nue_columns *c, const struct nue_dest *d, const struct fwd_tables *previous);
/* Removes the load of a column that is in the tables. */
void nue_column_take(struct nue_columns *c, const struct nue_dest *d);
/* Begins a search with the paths to 'd' that 'tables' has, that still arrive, and that close no
 * cycle of dependencies. */
void nue_column_keep(
	struct nue_columns *c, const struct nue_dest *d, const struct fwd_tables *tables);
/* Copies the column of 'from' to 'to', which is a LID of the same switch. */
void nue_column_copy(
	struct nue_columns *c, const struct nue_dest *from, const struct nue_dest *to);

#endif
