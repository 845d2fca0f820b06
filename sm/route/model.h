/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * model.h - what every engine works on: the graph of switches, the columns, the LIDs of each
 * column.
 * Room: sm/route.  Pure; private to the room.
 *
 * A column is everything that concerns one destination switch: its hosts share all costs.  Columns
 * of switches with hosts come first, in swgraph_leaf_order(); then the other switches, by GUID.
 * Cost rows are bytes, one per column, padded to 64.
 */
#ifndef HEDDLE_SM_ROUTE_MODEL_H
#define HEDDLE_SM_ROUTE_MODEL_H

#include "fabric/snapshot/swgraph.h"
#include "sm/route/route.h"

#define ROUTE_INF 255                   /* a cost: no way */

/* Sixteen costs at a time; rows start and end on such a boundary. */
typedef uint8_t route_vec __attribute__((vector_size(16), may_alias));

struct route_lid {
	uint16_t lid;
	uint8_t via;                    /* port of the column's switch that leads to its owner */
	uint8_t sub;                    /* 0 .. 2^LMC - 1: which of the owner's LIDs */
};

struct route_model {
	const struct snapshot *s;
	const struct lid_map *lids;
	struct swgraph g;
	uint32_t ncols, stride;         /* columns (= switches); bytes of a cost row */
	uint32_t *col_sw, *sw_col;
	uint32_t *lid_first;            /* [ncols + 1] into host_lids[] */
	/* of one column: ascending by port, an owner's LIDs in a row */
	struct route_lid *host_lids;
	bool *packed;                   /* per column: its host LIDs count up by one */
	uint16_t *own_first, *own_n;    /* per column: the LIDs of the switch itself */
	bool lmc;                       /* some host has more than one LID */
	uint32_t table_stride;
};

/* Builds the model, or refuses (NO_SWITCH, CAP) in 'r'.  Owned by 'a'. */
enum route_code route_model_make(const struct route_in *in, struct arena *a, struct route_model *m,
	struct route_report *r);
/* Sets code and sentence of a refusal; returns 'code'. */
enum route_code route_refuse(struct route_report *r, enum route_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void route_evidence_add(
	struct route_report *r, uint32_t node, uint32_t other, uint16_t lid, uint32_t value);
static inline uint32_t
route_node(const struct route_model *m, uint32_t sw)
{
	return m->s->switches[sw];
}

/* Hops between all switches: rows of 'stride' bytes by column, ROUTE_INF where there is no way.
 * Owned by 'a'. */
uint8_t *route_distances(const struct route_model *m, struct arena *a);
/* Empty tables (not yet written) for the model. */
void route_tables_init(const struct route_model *m, struct arena *a, struct fwd_tables *out);

#endif
