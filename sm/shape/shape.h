/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * shape.h - the shape of a fabric: grid, dragonfly or tree, and where each switch is in it.
 * Room: sm/shape (prefix shape_).  Pure: equal input gives equal bytes.
 *
 * Some routing engines compute a path from coordinates.  This room finds coordinates from the
 * cabling alone; port numbers only decide the order of dimensions.
 *
 *   grid        a product of lines.  Each dimension is a path (mesh), a ring (torus, at least 5) or
 *               a clique (hyperx; of two switches: hypercube).  A ring of 3 is a clique, and a ring
 *               of 4 is two dimensions of size 2: as graphs they are the same, and each step of the
 *               ring is a step in one of the two.
 *   dragonfly   groups of switches that are all joined, and links between groups
 *   dragonfly+  groups of leaves and spines, and links between spines of different groups
 *   tree        switches without hosts above switches with hosts, no link within a level
 *
 * Invariant: in a recognised grid each switch has coordinates of its own, and each link that is
 * not a misfit changes one coordinate by one step.  A shape may lack some links and switches
 * (damage); 'missing' counts the links.  Recognition from a damaged fabric can fail, so engines
 * recognise the intended topology where there is one.
 * Where to look next: recognize.c (which shape), grid.c (dimensions from squares of links).
 */
#ifndef HEDDLE_SM_SHAPE_SHAPE_H
#define HEDDLE_SM_SHAPE_SHAPE_H

#include "fabric/snapshot/swgraph.h"
#include "sm/intended/intended.h"

#define SHAPE_DIMS_MAX 15
#define SHAPE_MISFITS_MAX 10
#define SHAPE_NOWHERE UINT32_MAX

enum shape_kind {
	SHAPE_NONE,
	SHAPE_TREE,
	SHAPE_MESH,
	SHAPE_TORUS,
	SHAPE_HYPERCUBE,
	SHAPE_HYPERX,
	SHAPE_DRAGONFLY,
	SHAPE_DRAGONFLY_PLUS,
};

/* What the switches that differ in one coordinate only form. */
enum shape_line { SHAPE_PATH, SHAPE_RING, SHAPE_CLIQUE };

struct shape_dim {
	uint16_t size;
	uint8_t line; /* enum shape_line */
	uint8_t port; /* least port number of a link of this dimension */
	uint32_t stride; /* places between neighbouring coordinates */
	/* steps of a switch in this dimension: step[first_step + x] leads to coordinate x
	 * (clique), or x = 0 to the next higher one and x = 1 to the next lower one */
	uint32_t first_step;
};

/* A switch or a link that breaks a rule of the shape. */
struct shape_misfit {
	uint32_t a, b; /* switches; b may be SHAPE_NOWHERE */
	const char *rule; /* static text */
};

struct shape {
	enum shape_kind kind;
	uint32_t nsw;
	/* between switches, parallel ones counted once; of a dragonfly, a pair of groups without
	 * any link counts as one missing */
	uint32_t links, missing;
	/* grids */
	unsigned ndims;
	struct shape_dim dim[SHAPE_DIMS_MAX];
	uint16_t *at; /* [nsw][ndims] coordinates */
	uint32_t nplaces, *by_place; /* switch at each place; SHAPE_NOWHERE: none */
	uint32_t nsteps, *step; /* [nsw][nsteps] index into groups[], SHAPE_NOWHERE */
	/* dragonflies */
	uint32_t ngroups;
	/* per switch: its group, and its position there (leaves and spines count apart) */
	uint32_t *group, *member;
	uint32_t levels; /* trees */
	/* kinds other than SHAPE_NONE: links that do not fit and are left out; SHAPE_NONE: why
	 * the shape that came nearest was not accepted */
	uint32_t nmisfits;
	struct shape_misfit misfit[SHAPE_MISFITS_MAX];
};

/* Finds the shape; owned by 'a'.  SHAPE_NONE is a result like the others. */
void shape_recognize(const struct swgraph *g, struct arena *a, struct shape *out);
/* The intended topology as a graph whose switches are indices into t->sw[].  Its hosts have a
 * 'via' and no port index.  Owned by 'a'. */
void shape_graph(const struct intended *t, struct arena *a, struct swgraph *out);

const char *shape_kind_text(enum shape_kind k);
/* Returns the routing engine that is best for this shape. */
const char *shape_engine(const struct shape *s);
/* "6x6x6", "4x4x3", "2x2x6" */
const char *shape_size_text(const struct shape *s, char *buf, size_t len);
/* A sentence without a full stop: "torus 6x6x6 of 216 switches, all 648 links present". */
const char *shape_text(const struct shape *s, char *buf, size_t len);

/* The place that differs from switch 'sw' in dimension d, where it is x. */
static inline uint32_t
shape_place(const struct shape *s, uint32_t sw, unsigned d, uint32_t x)
{
	const uint16_t *at = s->at + (size_t)sw * s->ndims;
	uint32_t place = 0;

	for (unsigned i = 0; i < s->ndims; i++)
		place += (i == d ? x : at[i]) * s->dim[i].stride;
	return place;
}

#endif
