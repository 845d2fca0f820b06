/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * model.h - the input of every engine in a form made for computing: the graph of switches, the
 * columns, the LIDs of each column.
 * Room: sm/route/model.  Pure; private to the room.
 *
 * A column represents one destination switch and its hosts, because all of them share the same
 * costs.  Columns of switches with hosts come first, in swgraph_leaf_order(); then the other
 * switches, by GUID.  A cost row has one byte per column and is padded to a multiple of 64, so that
 * loops over it need no remainder.
 */
#ifndef HEDDLE_SM_ROUTE_MODEL_MODEL_H
#define HEDDLE_SM_ROUTE_MODEL_MODEL_H

#include "fabric/snapshot/swgraph.h"
#include "sm/route/model/engine.h"

#define ROUTE_INF 255                   /* a cost: no path */

/* Sixteen costs.  Rows start and end on such a boundary. */
typedef uint8_t route_vec __attribute__((vector_size(16), may_alias));

struct route_lid {
	uint16_t lid;
	/* port of the column's switch that leads to the LID's owner */
	uint8_t via;
	uint8_t sub;                    /* 0 .. 2^LMC - 1: which of the owner's LIDs */
};

struct route_model {
	const struct snapshot *s;
	const struct lid_map *lids;
	struct swgraph g;
	uint32_t ncols, stride;         /* number of columns (= switches); bytes per cost row */
	uint32_t *col_sw, *sw_col;
	uint32_t *lid_first;            /* [ncols + 1] into host_lids[] */
	/* by column; within one, ascending by port, with the LIDs of an owner adjacent */
	struct route_lid *host_lids;
	bool *packed;                   /* per column: its host LIDs are consecutive */
	uint16_t *own_first, *own_n;    /* per column: the LIDs of the switch itself */
	bool lmc;                       /* some host has more than one LID */
	uint16_t top;                   /* highest LID with an entry */
	uint32_t table_stride;
	/* per switch: index of its node in the snapshot; FAB_NONE: it is not there now */
	const uint32_t *node;
	/* the switches, by GUID or by ids in place of it; NULL: their numbers are in that order */
	const uint32_t *by_guid;
	const struct prefs *prefs;      /* what fill_row() prefers; NULL: nothing */
	const uint8_t *weight;          /* per group of links (prefs_weigh()); NULL: all are 1 */
};

/* Builds the model, or refuses (NO_SWITCH, CAP) and explains it in 'r'.  Owned by 'a'. */
enum route_code route_model_make(const struct route_in *in, struct arena *a, struct route_model *m,
	struct route_report *r);
/* Refuses (CAP) if some switch cannot hold an entry for LID m->top. */
enum route_code route_caps_check(const struct route_model *m, struct route_report *r);
/* Bytes per row of tables up to LID 'top'. */
uint32_t route_table_stride(uint16_t top);
/* Sets code and sentence of a refusal; returns 'code'. */
enum route_code route_refuse(struct route_report *r, enum route_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void route_evidence_add(
	struct route_report *r, uint32_t node, uint32_t other, uint16_t lid, uint32_t value);
static inline uint32_t
route_node(const struct route_model *m, uint32_t sw)
{
	return m->node[sw];
}

/* The weight of a group of links. */
static inline uint32_t
route_weight(const struct route_model *m, uint32_t group)
{
	return m->weight ? m->weight[group] : 1;
}

/* Hops between all switches: rows of 'stride' bytes by column, ROUTE_INF where there is no path.
 * Owned by 'a'. */
uint8_t *route_distances(const struct route_model *m, struct arena *a);
/* Allocates tables for the model; the rows are not written yet. */
void route_tables_init(const struct route_model *m, struct arena *a, struct fwd_tables *out);
/* The same, with rows that the caller holds. */
void route_tables_rows(const struct route_model *m, struct fwd_tables *out);

#endif
