/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * shaped.h - the common part of engines that route by coordinates: the intended shape, the present
 * fabric, detours around damage, the choice of a lane plan (SLs and VLs).
 * Room: sm/route/shaped.  Pure; private to the room.
 *
 * Such an engine is a formula: from a switch and a destination to the neighbour that comes next.
 * The formula reads coordinates of the intended topology (of the snapshot, if there is none), so a
 * lost link does not move a path that does not use it.  Where the formula leads to a dead link
 * or switch, the walk is mended (shaped_fill.c): the switch in front of the damage uses another
 * neighbour from which the destination is reached, and all other switches keep their next hops.
 *
 * Mended walks may turn where the formula never does.  So shaped_lanes.c checks the lane plans that
 * an engine offers, and chooses the first one without a credit loop.  If there is none, the engine
 * refuses.
 *
 * Switches are indices of 'whole' here, not ordinals of the snapshot.
 */
#ifndef HEDDLE_SM_ROUTE_SHAPED_SHAPED_H
#define HEDDLE_SM_ROUTE_SHAPED_SHAPED_H

#include "sm/route/model/model.h"
#include "sm/shape/shape.h"

#define SHAPED_NEVER UINT32_MAX
#define SHAPED_PLANS_MAX 3

/* One LID and where it is. */
#define SHAPED_VARIANTS 2

struct shaped_dest {
	uint32_t sw;
	/* position of the host among those of its switch, plus which of its LIDs this is */
	uint32_t n;
	uint16_t lid;
	uint8_t via, sub; /* as in struct route_lid; 'via' 0: the switch itself */
};

struct shaped {
	const struct route_in *in;
	struct route_model m;
	struct swgraph whole; /* the intended topology */
	struct shape shape;
	uint64_t *guid; /* per switch */
	uint32_t *now, *of; /* its ordinal, FAB_NONE: dead; and back */
	uint16_t *live; /* per group: ports that work now */
	uint8_t *works; /* per port of whole.ports[]: whether it does */
	uint8_t *other; /* per group without: some other port to that neighbour */
	/* per switch: sum of coordinates, or place in its group; decides which of several parallel
	 * links its hosts use */
	uint32_t *turn;
	uint8_t *dim; /* grids, per group: dimension, SHAPE_DIMS_MAX misfit */
	uint32_t dead_switches, dead_cables;
	uint32_t ndests;
	struct shaped_dest *dests;
	uint64_t mended; /* entries around damage */
};

/* An engine's formula; 'own' is what it prepared. */
struct shaped_way {
	/* The group of 's' to send by; SHAPE_NOWHERE: none. */
	uint32_t (*hop)(
		const struct shaped *sh, const void *own, uint32_t s, const struct shaped_dest *d);
	/* Cost of group 'e' of 's' as a replacement; SHAPED_NEVER: it cannot be used. */
	uint32_t (*detour)(const struct shaped *sh, const void *own, uint32_t s, uint32_t e,
		const struct shaped_dest *d);
	const void *own;
	/* Destinations of one switch with equal variants, below SHAPED_VARIANTS, get the same next
	 * hops from hop(); NULL: not known. */
	uint32_t (*variant)(const struct shaped *sh, const struct shaped_dest *d);
};

/* The body of an engine's run(): sets up '*sh' except 'mended', and calls 'route'.  Refuses what
 * the model refuses, and a fabric with switches that the intended topology does not have. */
enum route_code shaped_run(const struct route_in *in, const char *name,
	enum route_code (*route)(
		struct shaped *sh, struct arena *a, struct fwd_tables *out, struct route_report *r),
	struct arena *a, struct fwd_tables *out, struct route_report *r);
/* Refuses with SHAPE; the sentence describes the fabric and names misfits. */
enum route_code shaped_refuse_shape(
	const struct shaped *sh, struct route_report *r, const char *wanted);
/* Fills the tables, mends walks.  Refuses with UNREACHABLE. */
enum route_code shaped_fill(struct shaped *sh, const struct shaped_way *w, struct arena *a,
	struct fwd_tables *out, struct route_report *r);

/* Lane plans in order of preference; 'sure': the first needs no check while nothing is damaged. */
struct shaped_plans {
	struct lane_plan plan[SHAPED_PLANS_MAX];
	unsigned n;
	bool sure;
};

/* Sets port_class of all plans: 'class_of' of each link between switches, 0 for all others. */
void shaped_classes(const struct shaped *sh, struct arena *a, struct shaped_plans *p,
	uint8_t (*class_of)(const struct shaped *sh, uint32_t s, uint32_t e));
/* Takes the first plan that needs no more VLs than there are and has no credit loop, and puts it
 * into the tables.  Refuses with VLS, SL2VL or CYCLE. */
enum route_code shaped_take_lanes(const struct shaped *sh, struct shaped_plans *p, struct arena *a,
	struct fwd_tables *out, struct route_report *r);
/* Inserts 'text' before the sentence of a refusal. */
void shaped_explain(struct route_report *r, const char *text);

/* A cycle of channels that the tables make with this plan. */
struct shaped_cycle {
	uint32_t n, node[2]; /* channels in it; two of its switches, as nodes */
	uint8_t vl;
};

bool shaped_acyclic(const struct shaped *sh, const struct fwd_tables *f, const struct lane_plan *p,
	struct shaped_cycle *c);

/* The snapshot node of a live switch; FAB_NONE. */
static inline uint32_t
shaped_node(const struct shaped *sh, uint32_t s)
{
	return sh->now[s] == FAB_NONE ? FAB_NONE : route_node(&sh->m, sh->now[s]);
}

static inline bool
shaped_works(const struct shaped *sh, uint32_t e)
{
	return e != SHAPE_NOWHERE && (sh->live[e] || sh->other[e]);
}

static inline bool
shaped_damaged(const struct shaped *sh)
{
	return sh->dead_switches || sh->dead_cables || sh->shape.missing || sh->shape.nmisfits;
}

/* Grids: the coordinates of a switch, and its step number x in dimension d. */
static inline const uint16_t *
shaped_at(const struct shaped *sh, uint32_t s)
{
	return sh->shape.at + (size_t)s * sh->shape.ndims;
}

static inline uint32_t
shaped_step(const struct shaped *sh, uint32_t s, unsigned d, uint32_t x)
{
	return sh->shape.step[(size_t)s * sh->shape.nsteps + sh->shape.dim[d].first_step + x];
}

/* Grids: class 1 + dimension; misfits 0. */
static inline uint8_t
shaped_dim_class(const struct shaped *sh, uint32_t s, uint32_t e)
{
	(void)s;
	return sh->dim[e] == SHAPE_DIMS_MAX ? 0 : (uint8_t)(1 + sh->dim[e]);
}

#endif
