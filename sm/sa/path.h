/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * path.h - paths between ports, as PathRecord and MultiPathRecord ask for them.
 * Room: sm/sa, inside only.  Pure.
 */
#ifndef HEDDLE_SM_SA_PATH_H
#define HEDDLE_SM_SA_PATH_H

#include "sm/sa/sa_int.h"

/* A component of PathRecord's mask; both of a value that a selector qualifies. */
#define PATH_COMP(row) SA_COMP(path_record, row)
#define PATH_SELECTED(row) (PATH_COMP(row##_selector) | PATH_COMP(row))

/* One end of the paths: one port, or all; some of its LIDs. */
struct sa_path_end {
	uint32_t port;                  /* FAB_NONE: all end ports */
	uint16_t lid;                   /* 0: all LIDs of the port */
	uint64_t prefix, guid;          /* of the GID that is shown; guid 0: the port's */
};

/* A query for paths, and how far its answer has come. */
struct sa_path_query {
	struct sa_ctx *c;
	uint64_t mask;                  /* which components of '*want' are asked for */
	const struct path_record *want; /* for as long as this is in use */
	struct sa_path_end src, dst;
	uint32_t num_path;              /* rows per pair of ends */
	/* Decides about a path that fits; NULL: all are taken. */
	bool (*accept)(struct sa_path_query *q, uint32_t src, const struct path_record *row);
	void *arg;                      /* of accept */
};

/* Whether it can be answered at all: STATUS_OK, or the status that says why not. */
uint16_t sa_path_check(const struct sa_path_query *q);
/* Fills q->src and q->dst with what the request names them by; the status of the first that is
 * nobody, or two. */
uint16_t sa_path_ends(struct sa_path_query *q);
bool sa_is_multicast(const uint8_t gid[16]);
/* Whether any path can have what is asked for. */
bool sa_path_possible(const struct sa_path_query *q);
/* How many pairs of LIDs ports 'src' and 'dst' have. */
unsigned sa_path_pairs(const struct sa_path_query *q, uint32_t src, uint32_t dst);
/*
 * The path by pair 'k' of them: first LID with first, second with second and so on before any LID
 * comes twice, so that a few of them differ as much as they can.  '*made': it became a row.  False:
 * enough.
 */
bool sa_path_put(struct sa_path_query *q, uint32_t src, uint32_t dst, unsigned k, bool *made);

/* ---- qos.c ---- */
/* The level that the policy gives a path between those ports for that query; NULL: there is no
 * policy. */
const struct qos_level *sa_qos_level_of(
	const struct sa_path_query *q, const struct qos_groups *g, uint32_t src, uint32_t dst);
static inline const struct qos_level *
sa_qos_level(const struct sa_path_query *q, uint32_t src, uint32_t dst)
{
	return q->c->x->v.qos ? sa_qos_level_of(q, q->c->x->v.qos, src, dst) : NULL;
}
/* The service level of a path with that P_Key: that of the routing where it needs one, else the one
 * asked for, else that of the level, else that of the partition.  False: the one asked for is not
 * possible. */
bool sa_qos_sl_of(
	const struct sa_path_query *q, const struct qos_level *level, uint16_t pkey, uint8_t *sl);
static inline bool
sa_qos_sl(const struct sa_path_query *q, const struct qos_level *level, uint16_t pkey, uint8_t *sl)
{
	*sl = q->c->x->v.path_sl;
	/* Without quality of service, and where no service level was asked for, it is that one. */
	return (!q->c->x->v.qos && !(q->mask & PATH_COMP(sl))) || sa_qos_sl_of(q, level, pkey, sl);
}
/* Whether the level lets a path lead to the LID that is 'bits' above the base LID. */
bool sa_qos_path_bits(const struct qos_level *level, unsigned bits, unsigned lmc);

#endif
