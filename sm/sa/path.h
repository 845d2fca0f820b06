/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * path.h - computes paths between ports, for PathRecord and MultiPathRecord.
 * Room: sm/sa, inside only.  Pure.
 *
 * A query is a struct sa_path_query: the wanted components and two ends.  path.c fills in the ends,
 * walks the forwarding tables for each pair of LIDs, and passes each path that satisfies the query
 * to accept(), or appends it as a row.  multipath.c, trace.c and path_export.c use the same
 * functions.
 */
#ifndef HEDDLE_SM_SA_PATH_H
#define HEDDLE_SM_SA_PATH_H

#include "sm/sa/sa_int.h"

/* A component of PathRecord's mask; and both components of a value with a selector. */
#define PATH_COMP(row) SA_COMP(path_record, row)
#define PATH_SELECTED(row) (PATH_COMP(row##_selector) | PATH_COMP(row))

/* One end of the paths: one port or all ports, and one or all of its LIDs. */
struct sa_path_end {
	uint32_t port;                  /* FAB_NONE: all end ports */
	uint16_t lid;                   /* 0: all LIDs of the port */
	uint64_t prefix, guid;          /* of the GID in the answer; guid 0: the port's */
};

/* A query for paths, and the progress of its answer. */
struct sa_path_query {
	struct sa_ctx *c;
	uint64_t mask;                  /* the components of '*want' that the request sets */
	const struct path_record *want; /* must outlive the query */
	struct sa_path_end src, dst;
	uint32_t num_path;              /* rows per pair of ends */
	/* Decides about each path that satisfies the query; NULL: all are taken. */
	bool (*accept)(struct sa_path_query *q, uint32_t src, const struct path_record *row);
	void *arg;                      /* argument of accept */
};

/* STATUS_OK if the query can be answered, otherwise the status to return. */
uint16_t sa_path_check(const struct sa_path_query *q);
/* Sets q->src and q->dst from the request.  Returns the status for the first end that matches no
 * port, or whose GID and LID name two ports. */
uint16_t sa_path_ends(struct sa_path_query *q);
/* Whether any path can satisfy the query. */
bool sa_path_possible(const struct sa_path_query *q);
/* Number of pairs of LIDs between ports 'src' and 'dst'. */
unsigned sa_path_pairs(const struct sa_path_query *q, uint32_t src, uint32_t dst);
/*
 * Adds the path of LID pair 'k'.  Pairs go first with first, second with second, and so on, before
 * any LID occurs twice, so that the first few paths differ as much as possible.  '*made': it became
 * a row.  False: stop.
 */
bool sa_path_put(struct sa_path_query *q, uint32_t src, uint32_t dst, unsigned k, bool *made);

/* ---- qos.c ---- */
/* The QoS level that the policy gives to a path between those ports for that query; NULL: there
 * is no policy. */
const struct qos_level *sa_qos_level_of(
	const struct sa_path_query *q, const struct qos_groups *g, uint32_t src, uint32_t dst);
static inline const struct qos_level *
sa_qos_level(const struct sa_path_query *q, uint32_t src, uint32_t dst)
{
	return q->c->x->v.qos ? sa_qos_level_of(q, q->c->x->v.qos, src, dst) : NULL;
}
/* The service level of a path between those ports with that P_Key: the one that routing requires,
 * otherwise the requested one, otherwise that of the level, otherwise that of the partition.
 * False: the requested one is not possible. */
bool sa_qos_sl_of(const struct sa_path_query *q, const struct qos_level *level, uint32_t src,
	uint32_t dst, uint16_t pkey, uint8_t *sl);
static inline bool
sa_qos_sl(const struct sa_path_query *q, const struct qos_level *level, uint32_t src, uint32_t dst,
	uint16_t pkey, uint8_t *sl)
{
	const struct sa_view *v = &q->c->x->v;

	*sl = v->path_sl;
	/* Without lanes, QoS and a requested SL, the default holds. */
	return (!v->fwd->lanes && !v->qos && !(q->mask & PATH_COMP(sl))) ||
		sa_qos_sl_of(q, level, src, dst, pkey, sl);
}
/* Whether the level allows the LID at offset 'bits' from the base LID. */
bool sa_qos_path_bits(const struct qos_level *level, unsigned bits, unsigned lmc);

#endif
